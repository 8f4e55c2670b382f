"""Reading the question of a certificate: what a definition and its options ask, what of it is taken
from the engine, and the claim in words.

Each definition has one line in `DEFINITIONS`: the kinds of certificate that answer it, and what its
options demand of the relation. What the worlds' records determine is derived here again; the rest,
such as neighbours under constraints or the worlds of a secret, is *taken*, and said to be.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations, permutations, product
from typing import Any

from .reading import (
    CODES,
    Budget,
    fields,
    grouped,
    index,
    indices,
    need,
    number,
    prove,
    read_records,
)

ASKED = {"level", "tradeoff", "equals", "at_most", "facets", "steps"}
SAID = {"verdict", "leakage", "tradeoff", "value", "one_run"}
SAID |= {"rows", "alone", "certainty", "trajectories"}
DIGEST = re.compile("sha256:[0-9a-f]{64}")
FREE = {"all", "product", "iid", "any"}  # classes of priors without numbers of their own
LONG = 60  # characters of an option in words
Taken = list[str]


@dataclass(frozen=True)
class Asked:
    """A definition by its name and options, the relation that it is said to mean, and the question
    in which it stands."""

    name: str
    options: Any
    relation: Any
    question: Any


def read_question(question: Any, answer: Any) -> dict[str, Any]:
    """The claim that an `answer` makes about a `question`: the parts of both that are no model, no
    relation and no name."""
    need(type(question) is dict and type(answer) is dict, "a question and an answer are objects")
    own = {"definition", "options", "kind", "relation", "model", "source"}
    need(own <= set(question) <= own | ASKED, f"a question has {sorted(own)}")
    need("verdict" in answer and set(answer) <= SAID, f"an answer has only {sorted(SAID)}")
    if "tradeoff" in question or "tradeoff" in answer:
        need(type(question["tradeoff"]) is type(answer["tradeoff"]) is list, "lists of levels")
        points = [number(alpha) for alpha, _ in answer["tradeoff"]]
        need(points == list(map(number, question["tradeoff"])), "other levels than were asked for")
    _check_source(question["source"])
    kept = ASKED & set(question) | {"definition", "kind"}
    return {**{key: question[key] for key in kept}, **answer}


def _check_source(source: Any) -> None:
    """null, or digests of the spec file and of the files it reads, and the place of the check."""
    if source is None:
        return
    spec, files, check, name = fields(source, "spec files check name")
    index(check, 10**9)
    need(name is None or type(name) is str, "a name is a text")
    need(type(files) is dict, "files have digests")
    need(set(map(type, files)) <= {str}, "a file is a text")
    for digest in (spec, *files.values()):
        need(type(digest) is str and DIGEST.fullmatch(digest), "a digest is sha256:…")


def read_taken(question: Any) -> Taken:
    """The parts of a `question` that no checker derives again; refuses a relation that is not what
    the definition asks."""
    name, options, model = question["definition"], question["options"], question["model"]
    found = {"worlds"} if question["kind"] != "program" else set()
    found |= {"matrix"} if "columns" in model or "given" in model else set()
    if name is None:  # a claim about the relation itself
        need(options == {}, "without a definition there are no options")
        return sorted(found | ({"relation"} if question["relation"] is not None else set()))
    need(type(name) is str and name in DEFINITIONS, f"no such definition: {name!r:.80}")
    return sorted(found.union(_defined(Asked(name, options, question["relation"], question))))


def _defined(asked: Asked) -> Taken:
    kinds, keys, read = DEFINITIONS[asked.name]
    fields(asked.options, keys)
    _check_plain(asked.options)
    kind = asked.question["kind"]
    need(kind in kinds, f"{asked.name} is a question of kind {' or '.join(kinds)}")
    return read(asked)


def _check_plain(option: Any) -> None:
    """Refuse what is no text, integer, truth or null, nor a list or an object of such."""
    if type(option) is dict:
        need(set(map(type, option)) <= {str}, "a key is a text")
        option = list(option.values())
    if type(option) is list:
        for part in option:
            _check_plain(part)
    else:
        need(option is None or type(option) in (str, int, bool), "an option is no such value")


def _agree(condition: object) -> None:
    prove(condition, "the relation is not what the definition asks")


def _neighbours(asked: Asked) -> Taken:
    """differential_privacy: pairs that the records determine; or listed ones, at distance 1."""
    rule, group = asked.options["neighbours"], index(asked.options["group"], CODES, low=1)
    if rule in ("replace", "add_remove", "entry"):
        _agree(asked.relation == {"rule": rule, "group": group})
        return []
    need(group == 1, "group goes with replace, add_remove and entry")
    if rule == "all":
        _agree(asked.relation == {"rule": "all"})
        return []
    need(rule == "induced" or type(rule) is dict, "no such neighbours")
    if rule != "induced":
        ((metric, radius),) = rule.items()
        need(metric in ("hamming", "l1", "linf") and number(radius) > 0, "no such neighbours")
        if metric == "hamming" and asked.relation["rule"] == "replace":
            _agree(asked.relation["group"] == number(radius))
            return []
    return _listed(asked)


def _listed(asked: Asked) -> Taken:
    """Neighbours under constraints: listed, at distance 1."""
    relation = asked.relation
    _agree(relation["rule"] == "pairs" and set(relation["distances"]) <= {"1"})
    return ["neighbours"]


def _distances(asked: Asked) -> Taken:
    _agree(asked.relation["rule"] == "pairs")
    return ["distances"]


def _labels(asked: Asked) -> Taken:
    """label_privacy: worlds that differ in one attribute of one record, the same for all pairs;
    which attribute has the name of the label is taken."""
    need(type(asked.options["label"]) is str, "a label is a text")
    _listed(asked)
    (listed,) = asked.relation["distances"].values() or ([],)
    found = {(w, v) for w, others in enumerate(listed) for v in others}
    _agree(found in _labelled(asked.question["model"]))
    return ["label"]


def _labelled(model: Any) -> list[set[tuple[int, int]]]:
    """For each attribute the ordered pairs of worlds that differ there in one record only."""
    rows, budget = read_records(model), Budget()
    found: list[set[tuple[int, int]]] = [set() for _ in rows[0][0]]
    for place, record in product(range(len(found)), range(len(rows[0]))):
        budget.spend(len(rows) * len(rows[0]) * len(found))
        for line in grouped(_without(row, record, place) for row in rows).values():
            budget.spend(len(line) ** 2)
            found[place].update(permutations(line, 2))
    return found


def _without(row: Any, record: int, place: int) -> Any:
    """The records of a world, one of them without an attribute; an absent one is as it is."""
    kept = row[record]
    if -1 not in kept:
        kept = kept[:place] + kept[place + 1 :]
    return (*row[:record], kept, *row[record + 1 :])


def _policy(asked: Asked) -> Taken:
    """Neighbours of a policy, which may be those of `replace`."""
    replaced = asked.relation == {"rule": "replace", "group": 1}
    return ["neighbours"] if replaced else _listed(asked)


def _moved(asked: Asked) -> Taken:
    """How far neighbours of a policy move a query, which is taken as it is."""
    _agree(("equals" if asked.name == "sensitivity" else "at_most") in asked.question)
    return ["query", *_policy(asked)]


def _priors(relation: Any) -> Taken:
    return [] if relation["priors"]["class"] in FREE else ["priors"]


def _secrets(asked: Asked) -> Taken:
    """Secrets of the pairs; those about values of records are derived again."""
    relation = asked.relation
    _agree(relation["rule"] in ("secrets", "influence"))
    found, secrets = _priors(relation), relation["secrets"]
    generated = asked.options.get("pairs", "values")  # dependent_privacy has no choice
    need(generated in ("given", "values", "entries", "presence"), "pairs are given or of a kind")
    if generated == "given" or any(type(worlds) is not list for worlds in secrets.values()):
        return [*found, "secrets"]
    pairs = [[frozenset(secrets[name]) for name in pair] for pair in relation["pairs"]]
    _agree({frozenset(pair) for pair in pairs if all(pair)} == _told(generated, asked.question))
    return found


def _told(generated: str, question: Any) -> set[frozenset[frozenset[int]]]:
    """For each record (or entry) each two of its values that occur; or each against its absence."""
    rows: Any = read_records(question["model"])
    if generated == "entries":
        rows = [[(entry,) for record in row for entry in record] for row in rows]
    found: set[frozenset[frozenset[int]]] = set()
    for column in zip(*rows, strict=True):
        classes = {value: frozenset(worlds) for value, worlds in grouped(column).items()}
        there = [worlds for value, worlds in classes.items() if -1 not in value]
        gone = [worlds for value, worlds in classes.items() if -1 in value]
        both = product(there, gone) if generated == "presence" else combinations(there, 2)
        found.update(map(frozenset, both))
    return found


def _known(asked: Asked) -> Taken:
    """bayesian_privacy: values of a record given those of others; taken."""
    _agree(asked.relation["rule"] == "secrets")
    return ["secrets", *_priors(asked.relation)]


def _hedging(asked: Asked) -> Taken:
    """A record has a value, or is not in the data, under a known distribution with a weight."""
    priors = asked.relation["priors"]
    _agree(asked.relation["rule"] == "secrets" and priors["class"] == "hedging")
    _agree(number(priors["weight"]) == number(asked.options.get("weight", "1")))
    need(asked.options["pairs"] in ("presence", "values"), "no such pairs")
    return ["priors", "secrets"]


def _check_form(asked: Asked) -> None:
    kind = asked.question["kind"]
    form = {"simulator": "simulation", "inference": "inference"}[kind]
    prove(asked.options.get("form") == form, f"kind {kind} answers form: {form}")
    need(type(asked.options["indexed"]) is bool, "indexed is true or false")


def _records_hidden(asked: Asked) -> Taken:
    """distributional_privacy: in view i record i is private, and the others are seen."""
    _check_form(asked)
    relation, simulator = asked.relation, asked.options["simulator"]
    need(simulator in ("any", "canonical"), "no such simulator")
    _agree((simulator == "canonical") == (relation["given"] is not None))
    if relation["rule"] == "simulator":
        rows = read_records(asked.question["model"])
        _check_views(asked.options["indexed"], relation["views"], rows)
    return ["priors"] if relation["given"] is None else ["priors", "simulator"]


def _check_views(indexed: bool, views: Any, rows: Any) -> None:
    """One view for each record, without it: its place is seen where worlds lack records."""
    absent = any(-1 in entry for row in rows for entry in row)
    place = ((-1,) * len(rows[0][0]),) if absent else ()
    _agree(type(views) is list and rows and len(views) == len(rows[0]))
    seen: list[Any] = []
    for i, view in enumerate(views):
        _agree(_same(view["priv"], [row[i] for row in rows]))
        seen += [(i if indexed else None, *row[:i], *place, *row[i + 1 :]) for row in rows]
    _agree(_same([a for view in views for a in view["alt"]], seen))


def _same(codes: Any, keys: list[Any]) -> bool:
    """Whether codes are equal exactly where keys are."""
    need(type(codes) is list and len(codes) == len(keys), "one code per world")
    indices(codes, CODES)
    joint = set(zip(codes, keys, strict=True))
    return len(joint) == len(set(codes)) == len(set(keys))


def _coupled(asked: Asked) -> Taken:
    _check_form(asked)
    _agree(asked.relation["rule"] == "simulator" and asked.relation["given"] is None)
    return ["priors", "views"]


def _influence(asked: Asked) -> Taken:
    entries, relation = index(asked.options["entries"], CODES), asked.relation
    _agree(relation["rule"] == "influence" and relation["entries"] == entries)
    return _secrets(asked)


def _composition(asked: Asked) -> Taken:
    """With kind comparison, classes for which the conditions compare two worlds each."""
    two_worlds = asked.relation["priors"]["class"] in ("all", "product")
    _agree(asked.question["kind"] == "composition" or two_worlds)
    return _secrets(asked)


def _inner(named: Any, relation: Any, asked: Asked) -> Taken:
    """A definition inside another one's options."""
    name, options = fields(named, "definition options")
    need(name in COMPARED, "a definition that compares columns is needed")
    return _defined(Asked(name, options, relation, {**asked.question, "kind": "comparison"}))


def _implies(asked: Asked) -> Taken:
    found = []
    for key in ("if", "then"):
        name, options = fields(asked.options[key], "definition options")
        part = asked.relation[key]
        if name in ("row_cone", "post_processing"):
            need(options == {}, "there are no options")
            _agree(part["rule"] == name or (part["rule"], key) == ("given", "if"))
        else:
            found += _inner(asked.options[key], part, asked)
    return found


def _optimal(asked: Asked) -> Taken:
    found = ["loss"] if asked.relation["prior"] is None else ["loss", "priors"]
    return found + _inner(asked.options["under"], asked.relation["under"], asked)


def _nothing(asked: Asked) -> Taken:
    _agree(asked.relation is None)
    return []


PUFFERFISH = ("comparison", "polytope", "polynomials")
SIMULATED = ("simulator", "inference")
# name -> the kinds of certificate that answer it, the keys of its options, and what these ask
DEFINITIONS: dict[str, tuple[tuple[str, ...], str, Callable[[Asked], Taken]]] = {
    "bayesian_privacy": (PUFFERFISH, "known", _known),
    "blowfish": (("comparison",), "graph", _policy),
    "composition": (("comparison", "composition"), "pairs", _composition),
    "coupled_worlds": (SIMULATED, "form indexed auxiliary alt priv", _coupled),
    "dependent_privacy": (PUFFERFISH, "", _secrets),
    "differential_privacy": (("comparison",), "neighbours group", _neighbours),
    "distributional_privacy": (SIMULATED, "form indexed auxiliary simulator", _records_hidden),
    "hedging_privacy": (("polynomials",), "weight pairs", _hedging),
    "implies": (("implies",), "if then", _implies),
    "induced_neighbours": (("comparison",), "", _listed),
    "influence": (("influence",), "entries pairs", _influence),
    "label_privacy": (("comparison",), "label", _labels),
    "linear_program": (("program",), "", _nothing),
    "metric_privacy": (("comparison",), "distance", _distances),
    "noiseless": (PUFFERFISH, "pairs", _secrets),
    "optimal": (("optimal",), "under loss", _optimal),
    "parallel_composition": (("sensitivity",), "graph groups", _moved),
    "post_processing": (("post_processing",), "", _nothing),
    "pufferfish": (PUFFERFISH, "pairs", _secrets),
    "row_cone": (("row_cone",), "", _nothing),
    "sensitivity": (("sensitivity",), "graph query", _moved),
    "single_prior_privacy": (("polynomials",), "pairs", _hedging),
    "universally_composable": (("composable",), "pairs", _secrets),
}
COMPARED = {name for name, (kinds, _, _) in DEFINITIONS.items() if "comparison" in kinds}


def claimed(question: Any, answer: Any) -> str:
    """What a certificate claims in words: the definition of its `question` with options and level,
    and what its `answer` found."""
    name = question["definition"]
    said = [name or f"no definition: the stated relation, of kind {question['kind']}"]
    options = _in_words(question["options"] | _given(question["relation"]))
    said += [f"({options})"] if options else []
    level = question.get("level")
    bounds = {key: question[key] for key in ("equals", "at_most", "facets") if question.get(key)}
    stated = ", ".join(f"{key} {value}" for key, value in (level or bounds).items())
    said += [f"{'at' if level else 'with'} {stated}"] if stated else []
    return " ".join([*said, _found(answer), *_place(question["source"])])


def _given(relation: Any) -> dict[str, Any]:
    """What a relation has beside the options: classes of priors, levels inside."""
    found: dict[str, Any] = {}
    if type((relation or {}).get("priors")) is dict:
        found["priors"] = relation["priors"]["class"]
    if type((relation or {}).get("level")) is dict:  # of a premise
        found |= {f"if at {key}": value for key, value in relation["level"].items()}
    return found | {key: relation[key] for key in {"exp_epsilon"} & set(relation or {})}


def _in_words(options: Any) -> str:
    given = [(key, _short(value)) for key, value in options.items() if value is not None]
    return "; ".join(f"{key}: {value}" for key, value in given)


def _short(value: Any) -> str:
    if isinstance(value, dict) and set(value) == {"definition", "options"}:
        inner = _in_words(value["options"])
        return f"{value['definition']}{f' ({inner})' if inner else ''}"
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text if len(text) <= LONG else f"{text[: LONG - 1]}…"


def _found(answer: Any) -> str:
    """The verdict, a value, the smallest level."""
    found, leakage = [answer["verdict"]], answer.get("leakage")
    found += [f"value {answer['value']}"] if answer.get("value") is not None else []
    if leakage is None:
        return "; ".join(found)
    if "vacuous" in leakage:
        found.append("vacuous, nothing is compared")
    elif "infinite" in leakage:
        found.append("no level serves")
    else:
        bounds = "from {lower} to {upper}" if "lower" in leakage else "{exp_epsilon}"
        found.append(f"smallest exp_epsilon {bounds.format(**leakage)}")
    return "; ".join(found)


def _place(source: Any) -> list[str]:
    """Which check of which file."""
    if source is None:
        return []
    name = "" if source["name"] is None else f" ({source['name']})"
    return [f"[check {source['check'] + 1}{name} of a file with {source['spec'][:19]}…]"]
