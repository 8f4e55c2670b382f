"""Reading the question of a certificate: what a definition and its options ask, and what of it is
taken from the engine.

Each definition has one line in `DEFINITIONS`: the kinds of certificate that answer it, and what its
options demand of the relation. What the worlds' records determine is derived here again; the rest,
such as neighbours under constraints or the worlds of a secret, is *taken*, and said to be.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

from .reading import Rejected, fields, indices, need, number, read_records

ASKED = {"level", "tradeoff", "equals", "at_most", "facets", "steps"}
SAID = {
    *("verdict", "leakage", "tradeoff", "value", "one_run"),
    *("rows", "alone", "certainty", "trajectories"),
}
DIGEST = re.compile("sha256:[0-9a-f]{64}")
FREE = {"all", "product", "iid", "any"}  # classes of priors without numbers of their own
Taken = Iterator[str]


def read_question(question: Any, answer: Any) -> dict[str, Any]:
    """The claim that the answer makes about the question: the parts of both that are no model, no
    relation and no name."""
    need(type(question) is dict and type(answer) is dict, "a question and an answer are objects")
    own = {"definition", "options", "kind", "relation", "model", "source"}
    need(own <= set(question) <= own | ASKED, f"a question has {sorted(own)}")
    need("verdict" in answer and set(answer) <= SAID, f"an answer has only {sorted(SAID)}")
    asked = {key: question[key] for key in ASKED & set(question)}
    said = dict(answer)
    if "tradeoff" in asked or "tradeoff" in said:
        need(type(asked["tradeoff"]) is type(said["tradeoff"]) is list, "lists of levels")
        points = [number(alpha) for alpha, _ in said["tradeoff"]]
        need(points == list(map(number, asked["tradeoff"])), "other levels than were asked for")
    named = {key: question[key] for key in ("definition", "kind")}
    _check_source(question["source"])
    return {**named, **asked, **said}


def read_taken(question: Any) -> list[str]:
    """The parts of a question that no checker derives again; refuses a relation that is not what
    the definition asks."""
    return sorted(set(_taken(question)))


def _check_source(source: Any) -> None:
    """null, or digests of the spec file and of the files it reads, and the place of the check."""
    if source is None:
        return
    fields(source, "spec files check name")
    indices([source["check"]], 10**9)
    need(source["name"] is None or type(source["name"]) is str, "a name is a text")
    need(type(source["files"]) is dict, "files have digests")
    need(set(map(type, source["files"])) <= {str}, "a file is a text")
    for digest in (source["spec"], *source["files"].values()):
        need(type(digest) is str and DIGEST.fullmatch(digest), "a digest is sha256:…")


def _plain(option: Any) -> None:
    """Refuse what is no text, integer, truth or null, nor a list or an object of such."""
    if type(option) is dict:
        need(set(map(type, option)) <= {str}, "a key is a text")
    inner = option.values() if type(option) is dict else option
    if type(option) in (dict, list):
        for part in inner:
            _plain(part)
    else:
        need(option is None or type(option) in (str, int, bool), "an option is no such value")


def _truth(options: Any, key: str) -> bool:
    need(type(options[key]) is bool, f"{key} is true or false")
    return bool(options[key])


def _taken(question: Any) -> Taken:
    """What is not derived again; refuses a relation that is not what the definition asks."""
    name, options, model = question["definition"], question["options"], question["model"]
    if question["kind"] != "program":
        yield "worlds"
    if "columns" in model or "given" in model:
        yield "matrix"
    if name is None:  # a claim about the relation itself
        need(options == {}, "without a definition there are no options")
        if question["relation"] is not None:
            yield "relation"
        return
    need(type(name) is str and name in DEFINITIONS, f"no such definition: {name!r:.80}")
    yield from _defined(name, options, question["relation"], question)


def _defined(name: str, options: Any, relation: Any, question: Any) -> Taken:
    kinds, keys, read = DEFINITIONS[name]
    fields(options, keys)
    _plain(options)
    need(question["kind"] in kinds, f"{name} is a question of kind {' or '.join(kinds)}")
    yield from read(options, relation, question)


def _agree(condition: object) -> None:
    need(condition, "the relation is not what the definition asks", Rejected)


def _neighbours(options: Any, relation: Any, question: Any) -> Taken:
    """differential_privacy: pairs that the records determine; or listed ones, at distance 1."""
    rule, group = options["neighbours"], options["group"]
    indices([group], 2**60, low=1)
    if rule in ("replace", "add_remove", "entry"):
        _agree(relation == {"rule": rule, "group": group})
        return
    need(group == 1, "group goes with replace, add_remove and entry")
    if rule == "all":
        _agree(relation == {"rule": "all"})
    elif _metric(rule) == "hamming" and relation["rule"] == "replace":
        _agree(relation["group"] == number(rule["hamming"]))
    else:
        need(rule == "induced" or _metric(rule), "no such neighbours")
        yield from _listed(options, relation, question)


def _metric(rule: Any) -> str | None:
    """The metric whose balls the neighbours are, if any; refuses a radius that is no number."""
    if type(rule) is not dict:
        return None
    ((name, radius),) = rule.items()
    need(name in ("hamming", "l1", "linf") and number(radius) > 0, "no such neighbours")
    return str(name)


def _listed(options: Any, relation: Any, question: Any) -> Taken:
    """Neighbours under constraints: listed, at distance 1."""
    _agree(relation["rule"] == "pairs" and set(relation["distances"]) <= {"1"})
    yield "neighbours"


def _distances(options: Any, relation: Any, question: Any) -> Taken:
    _agree(relation["rule"] == "pairs")
    yield "distances"


def _policy(options: Any, relation: Any, question: Any) -> Taken:
    """Neighbours of a policy, which may be those of `replace`."""
    if relation == {"rule": "replace", "group": 1}:
        yield "neighbours"
    else:
        yield from _listed(options, relation, question)


def _query(options: Any, relation: Any, question: Any) -> Taken:
    """A sensitivity: neighbours of a policy, and a query that is taken as it is."""
    _agree("equals" in question)
    yield from _moved(options, relation, question)


def _moved(options: Any, relation: Any, question: Any) -> Taken:
    yield "query"
    yield from _policy(options, relation, question)


def _bounded(options: Any, relation: Any, question: Any) -> Taken:
    _agree("at_most" in question)
    yield from _moved(options, relation, question)


def _priors(relation: Any) -> Taken:
    if relation["priors"]["class"] not in FREE:
        yield "priors"


def _secrets(options: Any, relation: Any, question: Any) -> Taken:
    """Secrets of the pairs; those about values of records are derived again."""
    _agree(relation["rule"] in ("secrets", "influence"))
    yield from _priors(relation)
    secrets, generated = relation["secrets"], options["pairs"]
    need(generated in ("given", *PAIRS), "pairs are given or of a kind")
    if generated == "given" or any(type(worlds) is not list for worlds in secrets.values()):
        yield "secrets"
        return
    pairs = [[frozenset(secrets[name]) for name in pair] for pair in relation["pairs"]]
    found = {frozenset(pair) for pair in pairs if all(pair)}
    _agree(found == set(PAIRS[generated](question["model"])))


def _classes(keys: list[Any]) -> dict[Any, frozenset[int]]:
    """The worlds of each key."""
    found: dict[Any, set[int]] = defaultdict(set)
    for world, key in enumerate(keys):
        found[key].add(world)
    return {key: frozenset(worlds) for key, worlds in found.items()}


def _of_values(model: Any) -> Iterator[frozenset[frozenset[int]]]:
    """For each record each two of its values that occur."""
    for column in zip(*read_records(model), strict=True):
        known = {key: worlds for key, worlds in _classes(list(column)).items() if -1 not in key}
        yield from map(frozenset, combinations(known.values(), 2))


def _of_entries(model: Any) -> Iterator[frozenset[frozenset[int]]]:
    """For each entry each two of its values that occur."""
    for record in zip(*read_records(model), strict=True):
        for column in zip(*record, strict=True):
            known = {key: worlds for key, worlds in _classes(list(column)).items() if key != -1}
            yield from map(frozenset, combinations(known.values(), 2))


def _of_presence(model: Any) -> Iterator[frozenset[frozenset[int]]]:
    """For each record each of its values against its absence."""
    for column in zip(*read_records(model), strict=True):
        known = _classes([None if -1 in key else key for key in column])
        gone = known.pop(None, None)
        if gone is not None:
            yield from (frozenset((worlds, gone)) for worlds in known.values())


PAIRS: dict[Any, Callable[[Any], Iterator[frozenset[frozenset[int]]]]] = {
    "values": _of_values,
    "entries": _of_entries,
    "presence": _of_presence,
}


def _values(options: Any, relation: Any, question: Any) -> Taken:
    yield from _secrets({"pairs": "values"}, relation, question)


def _known(options: Any, relation: Any, question: Any) -> Taken:
    """bayesian_privacy: values of a record given those of others; taken."""
    yield "secrets"
    _agree(relation["rule"] == "secrets")
    yield from _priors(relation)


def _hedging(options: Any, relation: Any, question: Any) -> Taken:
    """A record has a value, or is not in the data, under a known distribution with a weight."""
    priors = relation["priors"]
    _agree(relation["rule"] == "secrets" and priors["class"] == "hedging")
    _agree(number(priors["weight"]) == number(options.get("weight", "1")))
    need(options["pairs"] in ("presence", "values"), "no such pairs")
    yield from ("priors", "secrets")


def _form(kind: str, options: Any) -> None:
    form = {"simulator": "simulation", "inference": "inference"}[kind]
    need(options.get("form") == form, f"kind {kind} answers form: {form}", Rejected)


def _records_hidden(options: Any, relation: Any, question: Any) -> Taken:
    """distributional_privacy: in view i record i is private, and the others are seen."""
    _form(question["kind"], options)
    indexed, simulator = _truth(options, "indexed"), options["simulator"]
    need(simulator in ("any", "canonical"), "no such simulator")
    _agree((simulator == "canonical") == (relation["given"] is not None))
    yield "priors"
    if relation["given"] is not None:
        yield "simulator"
    if relation["rule"] == "simulator":
        _views(indexed, relation["views"], read_records(question["model"]))


def _views(indexed: bool, views: Any, rows: Any) -> None:
    """One view for each record, without it: its place is seen where worlds lack records."""
    absent = any(-1 in entry for row in rows for entry in row)
    _agree(type(views) is list and rows and len(views) == len(rows[0]))
    for i, view in enumerate(views):
        _agree(_same(view["priv"], [row[i] for row in rows]))
    place = ((-1,) * len(rows[0][0]),) if absent else ()
    shown = [a for view in views for a in view["alt"]]
    _agree(_same(shown, _without(indexed, rows, place)))


def _without(indexed: bool, rows: Any, place: tuple[Any, ...]) -> list[Any]:
    """What is seen in each view of each world."""
    return [
        (i if indexed else None, *row[:i], *place, *row[i + 1 :])
        for i in range(len(rows[0]))
        for row in rows
    ]


def _same(codes: Any, keys: list[Any]) -> bool:
    """Whether codes are equal exactly where keys are."""
    need(type(codes) is list and len(codes) == len(keys), "one code per world")
    indices(codes, 2**60)
    joint = set(zip(codes, keys, strict=True))
    return len(joint) == len(set(codes)) == len(set(keys))


def _coupled(options: Any, relation: Any, question: Any) -> Taken:
    _form(question["kind"], options)
    _truth(options, "indexed")
    _agree(relation["rule"] == "simulator" and relation["given"] is None)
    yield from ("priors", "views")


def _influence(options: Any, relation: Any, question: Any) -> Taken:
    indices([options["entries"]], 2**60)
    _agree(relation["rule"] == "influence" and relation["entries"] == options["entries"])
    yield from _secrets(options, relation, question)


def _composition(options: Any, relation: Any, question: Any) -> Taken:
    """With kind comparison, classes for which the conditions compare two worlds each."""
    two_worlds = relation["priors"]["class"] in ("all", "product")
    _agree(question["kind"] == "composition" or two_worlds)
    yield from _secrets(options, relation, question)


def _inner(named: Any, relation: Any, question: Any) -> Taken:
    """A definition inside another one's options."""
    fields(named, "definition options")
    need(named["definition"] in COMPARED, "a definition that compares columns is needed")
    inner = {**question, "kind": "comparison"}
    yield from _defined(named["definition"], named["options"], relation, inner)


def _implies(options: Any, relation: Any, question: Any) -> Taken:
    for key in ("if", "then"):
        fields(options[key], "definition options")
        part, name = relation[key], options[key]["definition"]
        if name in ("row_cone", "post_processing"):
            need(options[key]["options"] == {}, "there are no options")
            _agree(part["rule"] == name or (part["rule"], key) == ("given", "if"))
        else:
            yield from _inner(options[key], part, question)


def _optimal(options: Any, relation: Any, question: Any) -> Taken:
    yield "loss"
    if relation["prior"] is not None:
        yield "priors"
    yield from _inner(options["under"], relation["under"], question)


def _nothing(options: Any, relation: Any, question: Any) -> Taken:
    _agree(relation is None)
    yield from ()


PUFFERFISH = ("comparison", "polytope", "polynomials")
SIMULATED = ("simulator", "inference")
Reader = Callable[[Any, Any, Any], Taken]
# name -> the kinds of certificate that answer it, the keys of its options, and what these ask
DEFINITIONS: dict[str, tuple[tuple[str, ...], str, Reader]] = {
    "bayesian_privacy": (PUFFERFISH, "known", _known),
    "blowfish": (("comparison",), "graph", _policy),
    "composition": (("comparison", "composition"), "pairs", _composition),
    "coupled_worlds": (SIMULATED, "form indexed auxiliary alt priv", _coupled),
    "dependent_privacy": (PUFFERFISH, "", _values),
    "differential_privacy": (("comparison",), "neighbours group", _neighbours),
    "distributional_privacy": (
        SIMULATED,
        "form indexed auxiliary simulator",
        _records_hidden,
    ),
    "hedging_privacy": (("polynomials",), "weight pairs", _hedging),
    "implies": (("implies",), "if then", _implies),
    "induced_neighbours": (("comparison",), "", _listed),
    "influence": (("influence",), "entries pairs", _influence),
    "linear_program": (("program",), "", _nothing),
    "metric_privacy": (("comparison",), "distance", _distances),
    "noiseless": (PUFFERFISH, "pairs", _secrets),
    "optimal": (("optimal",), "under loss", _optimal),
    "parallel_composition": (("sensitivity",), "graph groups", _bounded),
    "post_processing": (("post_processing",), "", _nothing),
    "pufferfish": (PUFFERFISH, "pairs", _secrets),
    "row_cone": (("row_cone",), "", _nothing),
    "sensitivity": (("sensitivity",), "graph query", _query),
    "single_prior_privacy": (("polynomials",), "pairs", _hedging),
    "universally_composable": (("composable",), "pairs", _secrets),
}
COMPARED = {name for name, (kinds, _, _) in DEFINITIONS.items() if "comparison" in kinds}
