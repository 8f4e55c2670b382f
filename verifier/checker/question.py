"""Reading the question of a certificate: what a definition and its options ask, what of it is taken
from the engine, and the claim in words.

What is asked follows from the rule of the relation, and of some rules from the parts of the model;
evidence is not read here. Each definition has one line in `DEFINITIONS`: what it may ask, and what
its options demand of the relation. What the worlds' records determine is derived here again; the
rest, such as neighbours under constraints or the worlds of a secret, is *taken*, and said to be.
"""

import re
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations, pairwise, permutations, product
from operator import ne
from typing import Any

from . import reading as read
from .document import fields, index, indices, items, mapping, need, prove, spend
from .obligations import read_blocks
from .reading import CODES, ONE, Model, Value, grouped

ASKED = {"level", "tradeoff", "equals", "at_most", "facets", "steps"}
DIGEST = re.compile("sha256:[0-9a-f]{64}")
FREE = {"all", "product", "iid", "any"}  # classes of priors without numbers of their own
BELIEFS = {"dependent_privacy", "noiseless", "pufferfish"}  # of which single records may be asked
BY_PARTS = {"worlds": "worlds", "paths": "noise", "integrals": "noise lower", "densities": "reals"}
LONG = 60  # characters of an option in words
LEAKAGES = {  # key of a leakage -> what it says
    "vacuous": "vacuous, nothing is compared",
    "infinite": "no level serves",
    "exp_epsilon": "smallest exp_epsilon {exp_epsilon}",
    "closed": "smallest exp_epsilon {closed}",
    "lower": "smallest exp_epsilon from {lower} to {upper}",
}
Taken = list[str]


@dataclass(frozen=True)
class Asked:
    """A definition by its name and options, the relation that it is said to mean, what that asks,
    and the whole question with its model."""

    name: str
    options: Any
    relation: Any
    about: str
    question: Any
    model: Model


def read_question(question: Any, answer: Any) -> dict[str, Any]:
    """The claim that an `answer` makes about a `question`: the parts of both that are no model, no
    relation and no name."""
    need(type(question) is dict and type(answer) is dict, "a question and an answer are objects")
    own = {"definition", "options", "relation", "model", "source", "domain"}
    asked = {key: part for key, part in question.items() if key not in own}
    fits = asked.keys() <= ASKED and ASKED & answer.keys() <= {"tradeoff"}
    need(fits, f"a question asks {sorted(ASKED)}, and no answer does")
    if "domain" in question:
        need("tradeoff" not in answer, "each piece has a trade-off of its own")
    elif "tradeoff" in question or "tradeoff" in answer:
        need(type(question["tradeoff"]) is type(answer["tradeoff"]) is list, "lists of levels")
        points = [read.number(alpha) for alpha, _ in answer["tradeoff"]]
        need(points == read.numbers(question["tradeoff"]), "other levels than were asked for")
    _check_source(question["source"])
    return {**asked, **answer}


def _check_source(source: Any) -> None:
    """null, or digests of the spec file and of the files it reads, and the place of the check."""
    if source is None:
        return
    spec, files, check, name = fields(source, "spec files check name")
    index(check, 10**9)
    need(name is None or type(name) is str, "a name is a text")
    need(set(map(type, mapping(files))) <= {str}, "a file is a text")
    for digest in (spec, *files.values()):
        need(type(digest) is str and DIGEST.fullmatch(digest), "a digest is sha256:…")


def what_is_asked(question: Any) -> str:
    """What a plain `question` asks, by the rule of its relation and the parts of its model."""
    relation, parts = mapping(question["relation"]), mapping(question["model"])
    rule = relation["rule"]
    need(type(rule) is str and rule in ASKED_BY, f"no such rule of a relation: {rule!r:.80}")
    if rule == "network":
        return "quilts" if "channels" not in parts else rule if relation["priors"] else "local"
    by_model = BY_MODEL if ASKED_BY[rule] == "comparison" else {}
    return next((about for key, about in by_model.items() if key in parts), ASKED_BY[rule])


def read_taken(question: Any) -> Taken:
    """The parts of a `question` that no checker derives again; refuses a relation that is not what
    the definition asks."""
    if "domain" not in question:
        return _taken(question)
    from .domains import read_parts
    from .numbers import functions_on

    parts = [(cell, part) for cell, part in read_parts(question) if part is not None]
    need(parts, "there is a cell")
    found = {"matrix"}
    for cell, part in parts:
        with functions_on(cell):
            found.update(_taken(part))
    return sorted(found)


def _taken(question: Any) -> Taken:
    """The same of a question that is plain, or one on a cell of a domain."""
    name, options = question["definition"], question["options"]
    about, relation, parts = what_is_asked(question), question["relation"], question["model"]
    of_secrets = relation["rule"] in read.OF_SECRETS
    need(of_secrets or not Model(parts).is_of_one, "one record among others has secrets")
    answers = [mapping(one) for own in items(parts.get("channels", [])) for one in items(own)]
    stated = {*parts}.union(*answers)
    found = {word for word, keys in BY_PARTS.items() if {*keys.split()} <= stated}
    own = {"given", "channels"} | (set() if "noise" in parts else {"columns", "lower"})
    found |= {"matrix"} if own & set(parts) else set()
    if "reals" in parts:
        from .noise import check_reals

        check_reals(about, question)
    if name is None:
        need(options == {}, "without a definition there are no options")
        return sorted(found | ({"relation"} if relation["rule"] not in UNRELATED else set()))
    need(type(name) is str and name in DEFINITIONS, f"no such definition: {name!r:.80}")
    asked = Asked(name, options, relation, about, question, Model(parts))
    return sorted(found.union(_defined(asked)))


def _defined(asked: Asked) -> Taken:
    about, keys, taken = DEFINITIONS[asked.name]
    fields(asked.options, keys)
    need(asked.about in about, f"{asked.name} asks for {' or '.join(about)}")
    return _of_records(asked, taken) if asked.about in NETWORKS else taken(asked)


def _of_records(asked: Asked, taken: Callable[[Asked], Taken]) -> Taken:
    """With records a definition is asked of the values of one of them, and says what the changes of
    all may cost together. Histograms, several records, and worlds that are compared in pairs of
    their own go into one channel whole, and are asked of as they stand."""
    model, options = asked.model, asked.options
    limit, per_unit, relations, chosen, hidden, _ = fields_of_network(asked.relation)
    several = "records" in model.parts and len(model.places) > 1
    if is_whole := several or model.is_histograms or _is_own(options.get("neighbours")):
        need(asked.name == "differential_privacy", "of a crowd, neighbours are asked")
        need(len(items(model.parts["people"])) == 1, "a whole world goes into one channel")
    else:
        _check_values(model)
    need(relations, "a record has a part, if one that compares nothing")
    alike = all(one == relations[0] for one in relations)
    _agree(alike or asked.name in ("blowfish", "influence", "one_sided_privacy", *BELIEFS))
    _agree(asked.options.get("pairs") == "given" or -1 not in chosen)
    _agree(per_unit == (asked.name == "metric_privacy"))
    as_it_stands = is_whole or asked.name != "differential_privacy"
    room, options = ("1", options) if as_it_stands else _together(options)
    _agree(room == limit and hidden == asked.options.get("entries", 0))
    if options is None:  # the distances of values are costs
        if asked.options["neighbours"] == "entry":
            return _agree(all(_are_entries(one, model) for one in relations))
        return _agree(all(one["rule"] == "pairs" for one in relations), "neighbours")
    found: set[str] = set()
    for one in relations:
        found.update(taken(replace(asked, relation=one, options=options, about="comparison")))
    return sorted(found)


def _check_values(model: Model) -> None:
    """Refuse worlds that are no values of a single record."""
    fits = "counts" not in model.parts and ("records" not in model.parts or len(model.places) == 1)
    need(fits, "a value is that of one record")


def _together(options: Any) -> tuple[str | None, Any]:
    """What changes of records may cost together under differential privacy; and the options of
    which the values of one record are asked, None where their distances are costs."""
    rule, group = options["neighbours"], index(options["group"], CODES, low=1)
    if type(rule) is not str:
        ((metric, radius),) = mapping(rule).items()
        read.number(radius)
        need(group == 1, "group goes with replace, add_remove and entry")
        if metric == "hamming":
            need(str(read.number(radius).numerator) == radius, "so many records")
            return radius, {"neighbours": {metric: "1"}, "group": 1}
        need(metric in ("l1", "linf"), "no such neighbours")
        return (None, options) if metric == "linf" else (radius, None)
    several = rule in ("replace", "add_remove", "entry")
    need(several or group == 1, "group goes with replace, add_remove and entry")
    if rule == "entry" and group > 1:
        return str(group), None
    return None if rule == "all" else str(group), {"neighbours": rule, "group": 1}


def _are_entries(relation: Any, model: Model) -> bool:
    """Whether a relation has each two values of a record at the number of their entries that
    differ."""
    need(relation["rule"] == "pairs", "pairs are listed")
    rows = [row[0] for row in model.records]
    spend(len(rows) ** 2 * len(rows[0]))
    there = [w for w, row in enumerate(rows) if -1 not in row]
    differ = {
        (w, v, sum(a != b for a, b in zip(rows[w], rows[v], strict=True)))
        for w, v in permutations(there, 2)
    }
    return _pairs(relation, model) == differ


def _pairs(relation: Any, model: Model) -> set[tuple[int, int, Any]]:
    """All pairs of different worlds that a `relation` compares, with their distances."""
    found = set[tuple[int, int, Any]]()
    for s, t, d in read_blocks(relation, model):
        spend(len(s) * len(t))
        found.update((w, v, d) for w, v in product(s, t) if w != v)
    return found


def fields_of_network(relation: Any) -> list[Any]:
    """What changes of records may cost together, or alone if each counts `per_unit`; relations
    between the values of a record, which of them each record has (-1: none), how many records may
    be hidden, and priors by which records depend on each other."""
    found = fields(relation, "rule limit per_unit parts chosen hidden priors")
    _, limit, per_unit, parts, chosen, hidden, _ = found
    need(type(per_unit) is bool, "per_unit is true or false")
    need(limit is None or read.number(limit) > 0, "a limit is positive")
    index(hidden, CODES)
    indices(chosen, len(items(parts)), low=-1)
    need(set(range(len(parts))) <= set(chosen), "every part has a record")
    return found[1:]


def _agree(condition: object, *taken: str) -> Taken:
    """What is `taken`, where the relation meets a `condition` of the definition; else rejected."""
    prove(condition, "the relation is not what the definition asks")
    return list(taken)


def _neighbours(asked: Asked) -> Taken:
    """differential_privacy: pairs that the records determine; or listed ones, at distance 1."""
    rule, group = asked.options["neighbours"], index(asked.options["group"], CODES, low=1)
    if rule in ("replace", "add_remove", "entry"):
        return _agree(asked.relation == {"rule": rule, "group": group})
    need(group == 1, "group goes with replace, add_remove and entry")
    if rule == "all":
        return _agree(asked.relation == {"rule": "all"})
    if _is_own(rule):
        return _own(asked, rule)
    if rule != "induced":
        ((metric, radius),) = mapping(rule).items()
        size = read.number(radius)
        need(metric in ("hamming", "l1", "linf") and size > 0, "no such neighbours")
        if metric == "hamming" and asked.relation["rule"] == "replace":
            return _agree(asked.relation["group"] == size)
    return _listed(asked)


def _is_own(rule: Any) -> bool:
    """Whether neighbours are pairs of worlds, listed or those of an expression."""
    return type(rule) is dict and bool(rule.keys() & {"pairs", "where"})


def _own(asked: Asked, rule: Any) -> Taken:
    """Pairs of worlds by their names; or those for which an expression holds, which is taken. They
    are neighbours both ways unless directed."""
    (key,) = rule.keys() - {"directed"}
    need(rule.get("directed", "true") == "true", "directed is true, or left out")
    said, model, both = _listed(asked), asked.model, "directed" not in rule
    found = _pairs(asked.relation, model)
    if key == "where":
        need(type(rule[key]) is str, "an expression is a text")
        return _agree(not both or all((v, w, d) in found for w, v, d in found), *said)
    code = {name: w for w, name in enumerate(model.parts["worlds"])}
    named = {(code[w], code[v], ONE) for w, v in items(rule[key], 2)}
    return _agree(found == named | {(v, w, d) for w, v, d in named if both})


def _divergent(asked: Asked) -> Taken:
    """bounded_range, renyi, zcdp: the same neighbours; the rule has the name of the definition."""
    rule, order, pairs = fields(asked.relation, "rule order pairs")
    own = asked.options["order"] if rule == "renyi" else None
    _agree(rule == asked.name and order == own)
    if "channels" in asked.model.parts:  # worlds are values, and one record changes
        alone = len(items(asked.model.parts["people"])) == 1
        if asked.model.is_histograms:
            need(alone, "a histogram goes into one channel")
        else:
            _check_values(asked.model)
            limit, options = _together(asked.options)
            _agree(options is not None and (alone or limit == "1"))
            asked = replace(asked, options=options)
    return _neighbours(replace(asked, relation=pairs))


def _listed(asked: Asked) -> Taken:
    """Neighbours under constraints: listed, at distance 1."""
    relation = asked.relation
    near = relation["rule"] == "pairs" and set(relation["distances"]) <= {"1"}
    return _agree(near, "neighbours")


def _labels(asked: Asked) -> Taken:
    """label_privacy: wherever one record differs in entry k; that k has the name is taken."""
    need(type(asked.options["label"]) is str, "a label is a text")
    listed, changes = _of_one_record(asked)
    model, at = asked.model, defaultdict[Any, set[Any]](set)
    for pair, (_, x, y) in changes.items():
        at[tuple(map(ne, x, y))].add(pair)
    width = len((model.entries_of_values if model.is_histograms else model.records[0])[0])
    alone = (tuple(i == k for i in range(width)) for k in range(width))
    return _agree(any(listed == at[one] for one in alone), "label")


def _one_sided(asked: Asked) -> Taken:
    """one_sided_privacy: wherever a sensitive value of one record changes; which are is taken."""
    listed, changes = _of_one_record(asked)
    sensitive = {changes[pair][:2] for pair in listed & set(changes)}
    return _agree(listed == {p for p in changes if changes[p][:2] in sensitive}, "policy")


def _of_one_record(asked: Asked) -> tuple[set[Any], dict[Any, tuple[int, Value, Value]]]:
    """The pairs that are listed; and all in which one record has another value: which record, or 0
    of histograms, what it had, and what it has."""
    _listed(asked)
    model, counted = asked.model, asked.model.is_histograms
    rows: Any = model.counts if counted else model.records
    relations = asked.relation, {"rule": "replace", "group": 1}
    listed, near = (_pairs(one, model) for one in relations)
    spend(10 * len(near) * len(rows[0]))
    found = {}
    for w, v, d in near:
        moved = [i for i, (x, y) in enumerate(zip(rows[w], rows[v], strict=True)) if x != y]
        if counted:
            x, y = sorted(moved, key=lambda i: rows[v][i] - rows[w][i])
            found[w, v, d] = 0, model.entries_of_values[x], model.entries_of_values[y]
        else:
            (i,) = moved
            found[w, v, d] = i, rows[w][i], rows[v][i]
    return listed, found


def _distances(asked: Asked) -> Taken:
    return _agree(asked.relation["rule"] == "pairs", "distances")


def _policy(asked: Asked) -> Taken:
    """Neighbours of a policy, which may be those of `replace`."""
    replaced = asked.relation == {"rule": "replace", "group": 1}
    return ["neighbours"] if replaced else _listed(asked)


def _moved(asked: Asked) -> Taken:
    """How far neighbours of a policy move a query, which is taken as they are."""
    bound = "equals" if asked.name == "sensitivity" else "at_most"
    return _agree(bound in asked.question, "query", *_policy(asked))


def _priors(relation: Any) -> Taken:
    return [] if relation["priors"]["class"] in FREE else ["priors"]


def _secrets(asked: Asked) -> Taken:
    """Secrets of the pairs; those about values of records are derived again."""
    relation = asked.relation
    _agree(relation["rule"] in (*read.OF_SECRETS, "influence"))
    found, secrets = _priors(relation), relation["secrets"]
    generated = asked.options.get("pairs", "values")  # dependent_privacy has no choice
    need(generated in ("given", "values", "entries", "presence"), "pairs are given or of a kind")
    if generated == "given" or any(type(worlds) is not list for worlds in secrets.values()):
        return [*found, "secrets"]
    sets = {name: frozenset(worlds) for name, worlds in secrets.items()}
    pairs = (frozenset(map(sets.__getitem__, pair)) for pair in relation["pairs"])
    stated = {pair for pair in pairs if all(pair)}
    return _agree(stated == _told(generated, asked.model), *found)


def _told(generated: str, model: Model) -> set[frozenset[frozenset[int]]]:
    """For each record (or entry) each two of its values that occur; or each against its absence."""
    found: set[frozenset[frozenset[int]]] = set()
    for column in model.entries if generated == "entries" else model.places:
        classes = {value: frozenset(worlds) for value, worlds in grouped(column).items()}
        there = [worlds for value, worlds in classes.items() if -1 not in value]
        gone = [worlds for value, worlds in classes.items() if -1 in value]
        spend(500 * len(there) * len(gone if generated == "presence" else there))
        both = product(there, gone) if generated == "presence" else combinations(there, 2)
        found.update(map(frozenset, both))
    return found


def _known(asked: Asked) -> Taken:
    """bayesian_privacy: values of a record given those of others; taken."""
    return _agree(asked.relation["rule"] == "secrets", "secrets", *_priors(asked.relation))


def _hedging(asked: Asked) -> Taken:
    """A record has a value, or is not in the data, under a known distribution with a weight."""
    priors = asked.relation["priors"]
    _agree(asked.relation["rule"] == "secrets" and priors["class"] == "hedging")
    need(asked.options["pairs"] in ("presence", "values"), "no such pairs")
    weight = read.number(asked.options.get("weight", "1"))
    return _agree(read.number(priors["weight"]) == weight, "priors", "secrets")


def _check_form(asked: Asked) -> None:
    form = {"simulator": "simulation", "inference": "inference"}[asked.about]
    prove(asked.options.get("form") == form, f"this answers form: {form}")
    need(type(asked.options["indexed"]) is bool, "indexed is true or false")


def _records_hidden(asked: Asked) -> Taken:
    """distributional_privacy: in view i record i is private, and the others are seen."""
    _check_form(asked)
    relation, simulator = asked.relation, asked.options["simulator"]
    need(simulator in ("any", "canonical"), "no such simulator")
    _agree((simulator == "canonical") == (relation["given"] is not None))
    if relation["rule"] != "exchangeable":
        _check_views(asked.options["indexed"], relation["views"], asked.model.records)
    return ["priors"] if relation["given"] is None else ["priors", "simulator"]


def _check_views(indexed: bool, views: Any, rows: Any) -> None:
    """One view for each record, without it: its place is seen where worlds lack records."""
    spend(20 * len(rows) * len(rows[0]) ** 2)
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
    joint = set(zip(indices(codes, CODES), keys, strict=True))
    return len(joint) == len(set(codes)) == len(set(keys))


def _coupled(asked: Asked) -> Taken:
    _check_form(asked)
    free = asked.relation["rule"] != "exchangeable" and asked.relation["given"] is None
    return _agree(free, "priors", "views")


def _influence(asked: Asked) -> Taken:
    entries, relation = index(asked.options["entries"], CODES), asked.relation
    if asked.about == "influence":  # else of a record
        _agree(relation["rule"] == "influence" and relation["entries"] == entries)
    return _secrets(asked)


def _composition(asked: Asked) -> Taken:
    """As a comparison, classes for which the conditions compare two worlds each."""
    two_worlds = asked.relation["priors"]["class"] in ("all", "product")
    _agree(asked.about == "composition" or two_worlds)
    return _secrets(asked)


def _inner(named: Any, relation: Any, asked: Asked) -> Taken:
    """A definition inside another one's options."""
    name, options = fields(named, "definition options")
    kinds, _, _ = DEFINITIONS[name]
    need("comparison" in kinds, "a definition that compares columns is needed")
    inner = replace(asked, name=name, options=options, relation=relation, about="comparison")
    return _defined(inner)


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
    under, relation = asked.options["under"], asked.relation["under"]
    if relation["rule"] == "post_processing":
        inner = _agree(under == {"definition": "post_processing", "options": {}})
    else:
        inner = _inner(under, relation, asked)
    return ["loss", *inner] if asked.relation["prior"] is None else ["loss", "priors", *inner]


def _error(asked: Asked) -> Taken:
    _, prior = fields(asked.relation, "rule prior")
    return ["loss"] if prior is None else ["loss", "priors"]


def _guessed(asked: Asked) -> Taken:
    """g_leakage: what guesses gain is taken; maximal_leakage: the right world, of all priors."""
    relation, own = asked.relation, "functions" in asked.model.parts
    _agree(relation["rule"] == "leakage" and own == (asked.options.get("gain") is not None))
    _agree(asked.name == "g_leakage" or relation["priors"] == {"class": "all"})
    return [*(["gain"] if own else []), *_priors(relation)]


def _nothing(asked: Asked) -> Taken:
    return _agree(asked.relation.keys() == {"rule"})


# the rule of a relation -> what it asks; of the first ones the model may say more
ASKED_BY = {
    **dict.fromkeys(("add_remove", "all", "entry", "pairs", "replace", "secrets"), "comparison"),
    **dict.fromkeys(("bounded_range", "leakage", "renyi", "zcdp"), "divergence"),
    **dict.fromkeys(("exchangeable", "simulator"), "simulator"),
    **{rule: rule for rule in ("influence", "network")},
    **{rule: rule for rule in ("composable", "composition", "inference", "runs")},
    **{rule: rule for rule in ("error", "implies", "optimal")},
    **{rule: rule for rule in ("post_processing", "program", "row_cone")},
}
BY_MODEL = {"lower": "boxes", "functions": "sensitivity"}  # a part of a model -> what is asked
UNRELATED = ("post_processing", "program", "row_cone")  # rules of relations without other keys
NETWORKS = ("local", "network", "quilts")
PIECEWISE = {*ASKED_BY.values(), *NETWORKS} - {"program", "runs"}  # what may be asked on a domain
COMPARED = ("comparison", "boxes", "local")
BELIEVED = ("comparison", "boxes", "local", "network")
SIMULATED = ("simulator", "inference")
# name -> what it may ask, the keys of its options, and what these demand of the relation
DEFINITIONS: dict[str, tuple[tuple[str, ...], str, Callable[[Asked], Taken]]] = {
    "bayesian_privacy": (("comparison", "boxes"), "known", _known),
    "blowfish": (COMPARED, "graph", _policy),
    "bounded_range": (("divergence",), "neighbours group", _divergent),
    "composition": (("comparison", "boxes", "composition"), "pairs", _composition),
    "coupled_worlds": (SIMULATED, "form indexed auxiliary alt priv", _coupled),
    "dependent_privacy": (BELIEVED, "", _secrets),
    "differential_privacy": (COMPARED, "neighbours group", _neighbours),
    "distributional_privacy": (SIMULATED, "form indexed auxiliary simulator", _records_hidden),
    "error": (("error",), "loss", _error),
    "g_leakage": (("divergence",), "gain", _guessed),
    "hedging_privacy": (("comparison",), "weight pairs", _hedging),
    "implies": (("implies",), "if then", _implies),
    "induced_neighbours": (COMPARED, "", _listed),
    "influence": (("influence", "quilts"), "entries pairs", _influence),
    "label_privacy": (COMPARED, "label", _labels),
    "linear_program": (("program",), "", _nothing),
    "maximal_leakage": (("divergence",), "", _guessed),
    "metric_privacy": (COMPARED, "distance", _distances),
    "noiseless": (BELIEVED, "pairs", _secrets),
    "one_sided_privacy": (COMPARED, "sensitive", _one_sided),
    "optimal": (("optimal",), "under loss", _optimal),
    "parallel_composition": (("sensitivity",), "graph groups", _moved),
    "post_processing": (("post_processing",), "", _nothing),
    "pufferfish": (BELIEVED, "pairs", _secrets),
    "renyi": (("divergence",), "neighbours group order", _divergent),
    "row_cone": (("row_cone",), "", _nothing),
    "sensitivity": (("sensitivity",), "graph query", _moved),
    "single_prior_privacy": (("comparison",), "pairs", _hedging),
    "universally_composable": (("composable",), "pairs", _secrets),
    "zcdp": (("divergence",), "neighbours group", _divergent),
}


def claimed(question: Any, answer: Any) -> str:
    """What a certificate claims in words: the definition of its `question` with options and level,
    and what its `answer` found."""
    relation, source = question["relation"] or {}, question["source"]
    bounds = {key: question[key] for key in ("equals", "at_most", "facets") if question.get(key)}
    stated = [f"{key} {value}" for key, value in (question.get("level") or bounds).items()]
    unnamed = f"no definition: the stated relation, of rule {relation.get('rule')}"
    said = [question["definition"] or unnamed.removesuffix(", of rule None")]
    said += [f"({words})" for words in [_in_words(question["options"] | _given(relation))] if words]
    said += [f"{'at' if question.get('level') else 'with'} {', '.join(stated)}"] if stated else []
    leakage, value = answer.get("leakage") or {}, answer.get("value")
    words = [text.format(**leakage) for key, text in LEAKAGES.items() if key in leakage][:1]
    said.append("; ".join([answer["verdict"], *[f"value {value}"] * (value is not None), *words]))
    said += [_where(answer, question["domain"])] if "domain" in question else []
    if source is not None:
        name = "" if source["name"] is None else f" ({source['name']})"
        said.append(f"[check {source['check'] + 1}{name} of a file with {source['spec'][:19]}…]")
    return " ".join(said)


def _where(answer: Any, domain: Any) -> str:
    """For which values of a parameter it holds, and for which nothing is decided; of several
    whether it is said of all, or of some that violate it."""
    names, unknown = domain["parameters"], list[Any]()
    if "region" in answer:
        for before, one in pairwise([{}, *answer["pieces"]]):
            if "undecided" in one:
                first = unknown.pop() if "undecided" in before else one
                unknown.append({"from": first["from"], "to": one["to"]})
        parts = {"it holds for": answer["region"], "undecided for": unknown}
        told = {word: [_between(names[0], one) for one in some] for word, some in parts.items()}
        words = [f"{word} {' or '.join(some)}" for word, some in told.items() if some]
        return f"({'; '.join(words) or f'it holds for no {names[0]}'})"
    where = [_short(f"{c['polynomial']} {'>' if c['strict'] else '>='} 0") for c in domain["where"]]
    which = "all" if answer["verdict"] == "holds" else "some"
    return f"(for {which} {', '.join([*map(_between, names, domain['sides']), *where])})"


def _between(name: str, part: Any) -> str:
    signs, ends = [" <= " if part[end]["closed"] else " < " for end in ("from", "to")], []
    for end in (part["from"], part["to"]):
        root = "rational" not in end and f"{_short(end['polynomial'])} near {end['between'][0]}"
        ends.append(f"the root of {root}" if root else end["rational"])
    return f"{ends[0]}{signs[0]}{name}{signs[1]}{ends[1]}"


def _given(relation: Any) -> dict[str, Any]:
    """What a relation has beside the options: classes of priors, levels inside."""
    parts = [relation] if relation.get("priors") else relation.get("parts", [])
    priors = [part["priors"] for part in parts if type(part.get("priors")) is dict]
    found = {"exp_epsilon": relation.get("exp_epsilon")}
    found["priors"] = ", ".join(sorted({one["class"] for one in priors})) or None
    return found | {f"if at {key}": x for key, x in (relation.get("level") or {}).items()}


def _in_words(options: Any) -> str:
    given = ((key, value) for key, value in options.items() if value is not None)
    return "; ".join(f"{key}: {_short(value)}" for key, value in given)


def _short(value: Any) -> str:
    if isinstance(value, dict) and set(value) == {"definition", "options"}:
        inner = _in_words(value["options"])
        return f"{value['definition']}{f' ({inner})' if inner else ''}"
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return text if len(text) <= LONG else f"{text[: LONG - 1]}…"
