"""The definitions of docs/reference: what a check of each compares."""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from tests.definitions.told import told
from tests.second_reader import neighbours, priors, situations, spaces
from tests.second_reader.files import (
    NOTHING,
    Expected,
    File,
    Guessed,
    Implication,
    Optimum,
    Question,
    level,
)
from tests.second_reader.mechanisms import Columns, options
from tests.second_reader.neighbours import Distances
from tests.second_reader.secrets import against, known_pairs, others, pairs, prior_class, unknown
from tests.second_reader.values import CannotRead, number, scalar

Options = dict[str, Any]
BESIDE = ("mechanism", "pairs", "priors")


def read(definition: str, inside: Options, around: Options, file: File) -> Question:
    """The question of a definition; what is named around it may also stand inside."""
    if definition not in DEFINITIONS:
        raise CannotRead(f"definition {definition}")
    given = {key: value for key, value in inside.items() if key != "tradeoff"}
    beside = dict(around)
    for key in BESIDE:
        if key in given:
            beside[key] = given.pop(key)
    return replace(DEFINITIONS[definition](given, beside, file), definition=definition)


def compare(relation: Callable[..., Distances], known: set[str]) -> Callable[..., Question]:
    """A definition that compares worlds."""

    def question(given: Options, around: Options, file: File) -> Question:
        said, delta = level(given), number(given.pop("delta", "0"))
        compared = relation(options(given, set(), known), file.space)
        return Question("", file.space, file.mechanism(around), said, delta, compared)

    return question


def diverges(known: set[str]) -> Callable[..., Question]:
    """A definition that measures how far neighbours are apart; of zcdp the level is rho."""

    def question(given: Options, around: Options, file: File) -> Question:
        given = {"epsilon" if key == "rho" else key: value for key, value in given.items()}
        own = {key: number(given.pop(key)) for key in ("order",) if key in given}
        asked = compare(neighbours.differential, known)(given, around, file)
        return replace(asked, asked=own)

    return question


def sensitivity(given: Options, around: Options, file: File) -> Question:
    chosen = options(given, {"query"}, {"graph", "equals"})
    compared = neighbours.blowfish(chosen, file.space)
    rows = vectors(chosen["query"], file)
    asked = {"equals": number(chosen["equals"])} if "equals" in chosen else {}
    return Question(
        "", file.space, compared=compared, functions=tuple(zip(*rows, strict=True)), asked=asked
    )


def vectors(query: str, file: File) -> list[tuple[Any, ...]]:
    """The components of a query in each world."""
    if query == "histogram":
        return [
            tuple(Fraction((world.items or ()).count(value)) for value in file.space.domain)
            for world in file.space.worlds
        ]
    rows = spaces.expression(query, file.space, file.secrets)
    return [row if isinstance(row, tuple) else (row,) for row in rows]


def parallel(given: Options, around: Options, file: File) -> Question:
    chosen = options(given, {"groups"}, {"graph", "at_most"})
    compared = neighbours.blowfish(chosen, file.space)
    functions: list[tuple[Fraction, ...]] = []
    losses = []
    for group in chosen["groups"]:
        half = number(group.get("epsilon", "1")) / 2
        losses.append(2 * half)
        places = [file.space.records.index(name) for name in group["records"]]
        ways = [tuple((world.items or ())[i] for i in places) for world in file.space.worlds]
        functions += [
            tuple(half if other == way else Fraction(0) for other in ways)
            for way in dict.fromkeys(ways)
        ]
    most = number(chosen["at_most"]) if "at_most" in chosen else max(losses)
    return Question(
        "",
        file.space,
        compared=compared,
        functions=tuple(functions),
        asked={"at_most": most},
    )


def secret_pairs(default: str | None) -> Callable[..., Question]:
    """A definition that compares secrets against priors."""

    def question(given: Options, around: Options, file: File) -> Question:
        said, delta = level(given), number(given.pop("delta", "0"))
        options(given, set())
        node = around.get("pairs", default or file.node.get("pairs"))
        compared = against(pairs(node, file), around, file)
        return Question("", file.space, file.mechanism(around), said, delta, compared)

    return question


def composition(given: Options, around: Options, file: File) -> Question:
    """The conditions for composition, of one mechanism, or of several in any or in one order."""
    several, turns = given.pop("of", None), given.pop("sequence", None)
    if turns:
        around = {**around, "mechanism": {"compose": turns} if len(turns) > 1 else turns[0]}
    question = secret_pairs(None)(
        given, {**around, "mechanism": NOTHING} if several else around, file
    )
    return replace(question, columns=any_of(several, file)) if several else question


def any_of(names: list[str], file: File) -> Columns:
    """One of several mechanisms at random, which says which one it is."""
    parts = [(name, file.columns(name)) for name in names]
    share = Fraction(1, len(parts))
    return [
        {f"{name}: {o}": p * share for name, part in parts for o, p in part[i].items()}
        for i in range(len(file.space.worlds))
    ]


def bayesian(given: Options, around: Options, file: File) -> Question:
    said, delta = level(given), number(given.pop("delta", "0"))
    known = options(given, set(), {"known"}).get("known", "any")
    compared = against(known_pairs(known, file.space), around, file)
    return Question("", file.space, file.mechanism(around), said, delta, compared)


def composable(given: Options, around: Options, file: File) -> Question:
    options(given, set())
    node = around.get("pairs", file.node.get("pairs"))
    return Question("", file.space, compared=against(pairs(node, file), around, file))


def influence(given: Options, around: Options, file: File) -> Question:
    said = level(given)
    entries = number(options(given, {"entries"})["entries"])
    node = around.get("pairs", file.node.get("pairs"))
    compared = against(pairs(node, file), around, file)
    asked = {"entries": entries}
    return Question("", file.space, None, said, Fraction(0), compared, asked=asked)


def people(weight: Fraction | None) -> Callable[..., Question]:
    """A definition about one known distribution of people."""

    def question(given: Options, around: Options, file: File) -> Question:
        said, delta = level(given), number(given.pop("delta", "0"))
        chosen = options(given, {"known"}, {"weight"} if weight is None else set())
        share = number(chosen["weight"]) if weight is None else weight
        word = around.get("pairs", "presence")
        if word not in ("presence", "values"):
            raise CannotRead(f"pairs {word}")
        found = others(file.space) if word == "presence" else pairs("values", file)
        compared = unknown(found, share, chosen["known"], file.space)
        return Question("", file.space, file.mechanism(around), said, delta, compared)

    return question


def simulated(views: Callable[..., Any], known: set[str]) -> Callable[..., Question]:
    """A definition about a simulator."""

    def question(given: Options, around: Options, file: File) -> Question:
        said, delta = level(given), number(given.pop("delta", "0"))
        shared = {"auxiliary", "indexed", "form", "simulator"}
        chosen = options(given, known, shared)
        compared = situations.read(views(chosen, file), chosen, around, file)
        asked = {"inference": Fraction(chosen.get("form", "simulation") == "inference")}
        return Question("", file.space, file.mechanism(around), said, delta, compared, asked=asked)

    return question


def made_of(given: Options, around: Options, file: File) -> Question:
    """A question about what can be made of given mechanisms."""
    chosen = options(given, {"of"}, {"facets"})
    columns = None if "facets" in chosen else file.mechanism(around)
    asked = {"facets": number(chosen["facets"])} if "facets" in chosen else {}
    parts = tuple(map(file.columns, chosen["of"]))
    return Question("", file.space, columns, given=parts, asked=asked)


def implied(given: Options, around: Options, file: File) -> Question:
    chosen = options(given, {"if", "then"})
    first, second = (side(chosen[key], around, file) for key in ("if", "then"))
    return Question("", file.space, level=second.level, compared=Implication(first, second))


def side(node: Any, around: Options, file: File) -> Question:
    """One of two definitions, about any mechanism."""
    ((definition, inside),) = node.items()
    return read(definition, inside, {**around, "mechanism": NOTHING}, file)


def error(given: Options, around: Options, file: File) -> Question:
    chosen = options(given, {"loss"}, {"prior", "equals", "at_most"})
    columns = file.mechanism(around)
    assert columns is not None
    functions = []
    for label in columns[0]:
        names = {**file.secrets, "output": label_value(label)}
        functions.append(tuple(spaces.expression(chosen["loss"], file.space, names)))
    worst = chosen.get("prior", "worst") == "worst"
    compared = Expected(None if worst else priors.read(chosen["prior"], file.space))
    asked = {key: number(chosen[key]) for key in ("equals", "at_most") if key in chosen}
    return Question(
        "", file.space, columns, compared=compared, functions=tuple(functions), asked=asked
    )


def leakage(given: Options, around: Options, file: File) -> Question:
    """What guesses gain; of the worlds where there is no gain."""
    said, delta = level(given), number(given.pop("delta", "0"))
    chosen = options(given, set(), {"guesses", "gain"})
    functions = []
    for guess in map(scalar, chosen.get("guesses", [])):
        values = spaces.expression(chosen["gain"], file.space, {**file.secrets, "guess": guess})
        functions.append(tuple(values))
    kind, listed = prior_class(around.get("priors", file.node.get("priors")), file)
    if kind not in ("all", "list"):
        raise CannotRead(f"priors {kind}")
    compared = Guessed(tuple(priors.read(node, file.space) for node in listed or ()))
    columns = file.mechanism(around)
    return Question("", file.space, columns, said, delta, compared, tuple(functions))


def maximal(given: Options, around: Options, file: File) -> Question:
    """The same of worlds, whatever is believed."""
    return leakage(given, {**around, "priors": "all"}, file)


def label_value(label: str) -> Any:
    """What an output's name stands for; of lists those of whole numbers are read."""
    return tuple(map(Fraction, literal_eval(label))) if label.startswith("(") else scalar(label)


def optimal(given: Options, around: Options, file: File) -> Question:
    chosen = options(given, {"under", "outputs", "loss"}, {"prior", "equals"})
    functions = []
    for output in map(scalar, chosen["outputs"]):
        values = spaces.expression(chosen["loss"], file.space, {**file.secrets, "output": output})
        functions.append(tuple(values))
    against_worst = chosen.get("prior", "worst") == "worst"
    prior = None if against_worst else priors.read(chosen["prior"], file.space)
    compared = Optimum(side(chosen["under"], around, file), prior)
    columns = file.mechanism(around) if "mechanism" in around else None
    asked = {"equals": number(chosen["equals"])} if "equals" in chosen else {}
    return Question(
        "", file.space, columns, compared=compared, functions=tuple(functions), asked=asked
    )


DEFINITIONS: dict[str, Callable[..., Question]] = {
    "differential_privacy": compare(neighbours.differential, {"neighbours", "group"}),
    "bounded_range": diverges({"neighbours", "group"}),
    "renyi": diverges({"neighbours", "group"}),
    "zcdp": diverges({"neighbours", "group"}),
    "metric_privacy": compare(neighbours.metric, {"distance"}),
    "blowfish": compare(neighbours.blowfish, {"graph"}),
    "induced_neighbours": compare(lambda given, space: neighbours.induced(space), set()),
    "label_privacy": compare(neighbours.label, {"label"}),
    "sensitivity": sensitivity,
    "parallel_composition": parallel,
    "pufferfish": secret_pairs(None),
    "composition": composition,
    "noiseless": secret_pairs("values"),
    "dependent_privacy": secret_pairs("values"),
    "bayesian_privacy": bayesian,
    "universally_composable": composable,
    "influence": influence,
    "single_prior_privacy": people(Fraction(1)),
    "hedging_privacy": people(None),
    "distributional_privacy": simulated(situations.each_record, set()),
    "coupled_worlds": simulated(situations.any_views, {"alt", "priv"}),
    "post_processing": made_of,
    "row_cone": made_of,
    "implies": implied,
    "optimal": optimal,
    "error": error,
    "g_leakage": leakage,
    "maximal_leakage": maximal,
    **{
        word: compare(partial(neighbours.told, one.pairs), {*one.options})
        for word, one in told().items()
    },
}
