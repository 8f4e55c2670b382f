"""The JSON Schema of spec files, for editors: which words go where, and what each means.

The words are those of the registries, the options of definitions and the texts of
`verifier explain`; only the shapes of values are written here. What the reader accepts validates.
The reverse holds for keys and words alone: names, probabilities and expressions are left to the
reader.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from verifier.base import exact
from verifier.base.registry import DEFINITIONS, MECHANISMS, PRIORS
from verifier.definitions.differential_privacy import RULES
from verifier.questions.beliefs.prior import KINDS
from verifier.questions.secrets import GENERATED
from verifier.report import words
from verifier.spec.reading import AROUND, KEYS, allowed_options
from verifier.world.neighbours import distances, graphs

Json = dict[str, Any]
DIALECT = "https://json-schema.org/draft/2020-12/schema"
TITLE = "A spec file of verifier"
# a number with powers of e or names of parameters: between two of them an operator or a bracket
FORMULA = r"(?=.*[A-Za-z_])[-+( ]*[\w.]+(?: *[-+*/^()][-+*/^() ]*[\w.]+)*[) ]*"
PARAMETER = r"\$\w+"  # a text that --set gives
COMPARED = r".*[<>=].*"  # a condition on parameters
BESIDE = ("pairs", "priors")  # what a definition inside another one may have of its own


def ref(name: str) -> Json:
    """What `$defs` has under a name."""
    return {"$ref": f"#/$defs/{name}"}


def either(*shapes: Json) -> Json:
    """Any one of some shapes."""
    return {"anyOf": list(shapes)}


def word(*known: str) -> Json:
    """One of the words that are known."""
    return {"enum": list(known)}


def text(pattern: str) -> Json:
    """A text of some pattern, such as 1/3."""
    return {"type": "string", "pattern": rf"^\s*{pattern}\s*$"}


def items(shape: Json) -> Json:
    """A list."""
    return {"type": "array", "items": shape}


def table(shape: Json) -> Json:
    """A mapping from any names."""
    return {"type": "object", "additionalProperties": shape}


def record(keys: Mapping[str, Json], needs: Iterable[str] = ()) -> Json:
    """A mapping with some keys and no others, of which some are needed."""
    shape = {"type": "object", "properties": dict(keys), "additionalProperties": False}
    return {**shape, **({"required": list(needs)} if needs else {})}


def one_of(keys: Mapping[str, Json]) -> Json:
    """A mapping with exactly one of some keys."""
    return {**record(keys), "minProperties": 1, "maxProperties": 1}


SCALAR, NUMBER, WORLDS = ref("scalar"), ref("number"), ref("worlds")
PRIOR, MECHANISM, DEFINITION = ref("prior"), ref("mechanism"), ref("definition")
DISTRIBUTION, GRAPH, ONE_GRAPH = table(NUMBER), ref("graph"), ref("graph of a record")
INTERVAL = either(NUMBER, items(NUMBER))
SEEN = either(SCALAR, table(SCALAR))  # by an expression or a table
VIEWS = either(SEEN, items(SEEN))
PLAIN = ({"type": "number"}, text(exact.PATTERN), text(PARAMETER))  # without names
CONDITIONS = text(COMPARED), items(text(COMPARED))
CONDITION = either(*CONDITIONS)
FLAG = {"enum": [True, False, "true", "false"]}
MECHANISMS_OF = either(SCALAR, items(MECHANISM))

# what the syntax of a word has for the value of an option, where that says its shape
WRITTEN: Mapping[str, Json] = {
    "LEVEL": ref("level"),
    "NUMBER": NUMBER,
    "FLAG": FLAG,
    **dict.fromkeys(("ATTRIBUTE", "EXPRESSION"), SCALAR),
}
# options and the keys of a file and of a check -> their values, where no syntax says their shape
VALUES: Mapping[str, Json] = {
    "title": SCALAR,
    "source": SCALAR,
    "parameters": table(either(NUMBER, text(COMPARED), text(r"-?\d+\.\.-?\d+"), items(NUMBER))),
    "worlds": WORLDS,
    "secrets": table(either(SCALAR, items(SCALAR))),
    "pairs": ref("pairs"),
    "priors": either(SCALAR, ref("class of priors")),
    "mechanism": MECHANISM,
    "mechanisms": table(MECHANISM),
    "name": SCALAR,
    "where": CONDITION,
    "expect": either(word("holds", "violated", "vacuous"), record({"holds": CONDITION}, ["holds"])),
    "leakage": either(
        word("infinite"), NUMBER, items(NUMBER), items(items(either(NUMBER, *CONDITIONS)))
    ),
    "tradeoff": either(word("corners"), items(NUMBER)),
    "neighbours": either(
        word(*RULES),
        one_of(dict.fromkeys(distances.METRICS, NUMBER)),
        record({"pairs": items(items(SCALAR)), "directed": FLAG}, ["pairs"]),
        record({"where": SCALAR, "directed": FLAG}, ["where"]),
    ),
    "graph": GRAPH,
    "distance": either(word(*distances.METRICS), record({"graph": items(items(SCALAR))})),
    "known": DISTRIBUTION,
    "form": word("simulation", "inference"),
    "auxiliary": either(SEEN, items(items(SCALAR))),
    "simulator": word("any", "canonical"),
    "alt": VIEWS,
    "priv": VIEWS,
    "outputs": items(SCALAR),
    "guesses": items(SCALAR),
    "prior": either(word("worst"), PRIOR),
    "of": MECHANISMS_OF,
    "sequence": items(SCALAR),
    "groups": items(record({"records": items(SCALAR), "epsilon": NUMBER}, ["records"])),
    "if": DEFINITION,
    "then": DEFINITION,
    "under": DEFINITION,
    "exp_epsilon": NUMBER,
}
# the options whose values are others under some keyword; and keywords without options
PARTS: Mapping[str, Mapping[str, Json]] = {
    "bayesian_privacy": {"known": either(word("any"), *PLAIN)},
    "randomized_response": {"truth": NUMBER, "epsilon": NUMBER, "per": word("entry", "record")},
    "geometric": dict.fromkeys(("ratio", "epsilon", "low", "high"), NUMBER),
    "exponential": {"candidates": items(SCALAR), "score": SCALAR}
    | dict.fromkeys(("base", "epsilon", "sensitivity"), NUMBER),
    "post_process": {"of": MECHANISM, "map": table(SCALAR), "matrix": table(DISTRIBUTION)},
    "python": {"file": SCALAR, "function": SCALAR},
    "related": {"given": table(PRIOR), "mechanism": either(MECHANISM, table(MECHANISM))}
    | {"sees": MECHANISM},
    "repeat": {"of": MECHANISM, "runs": NUMBER},
    "markov": {"initial": either(word("stationary"), table(INTERVAL))}
    | {"transition": table(table(INTERVAL))},
}
ROW = either(items(either(NUMBER, items(NUMBER))), DISTRIBUTION)  # or [lower, upper] of each
WHOLE: Mapping[str, Json] = {
    "compose": items(MECHANISM),
    "csv": SCALAR,
    "deterministic": SCALAR,
    "local": either(MECHANISM, items(MECHANISM)),
    "merge_proportional": MECHANISM,
    "mixture": items(record({"weight": NUMBER, "mechanism": MECHANISM}, ["weight", "mechanism"])),
    "program": SCALAR,
    "table": {**table(ROW), "properties": {"outputs": items(SCALAR)}, "required": ["outputs"]},
    "conditionals": either(table(PRIOR), items(table(PRIOR))),
    "constraints": items(SCALAR),
    "hull": items(PRIOR),
    "list": items(PRIOR),
}
SINGLE: Mapping[str, Json] = {  # the kinds of one prior
    "worlds": DISTRIBUTION,
    "iid": DISTRIBUTION,
    "weight": SCALAR,
    "independent": items(DISTRIBUTION),
    "markov": record(
        {
            "initial": either(word("stationary"), DISTRIBUTION),
            "transition": table(DISTRIBUTION),
        },
        ["initial", "transition"],
    ),
    "tree": record(
        {
            "parents": table(SCALAR),
            "initial": either(word("stationary"), DISTRIBUTION),
            "transition": table(DISTRIBUTION),
            "transitions": table(table(DISTRIBUTION)),
        },
        ["parents", "initial"],
    ),
    "mixture": items(record({"weight": NUMBER, "prior": PRIOR}, ["weight", "prior"])),
}


def schema() -> Json:
    """The schema: JSON Schema, draft 2020-12."""
    return {
        "$schema": DIALECT,
        "title": TITLE,
        **record(_described(KEYS, "key of the file", _of_file), ["worlds", "checks"]),
        "$defs": {
            "scalar": {"type": ["string", "number", "boolean", "null"]},
            "number": either(*PLAIN, text(exact.ARITHMETIC), text(FORMULA)),
            "level": either(NUMBER, text(r"ln\(.*\)")),
            "worlds": _worlds(),
            "pairs": _pairs(),
            "class of priors": _classes(),
            "prior": _priors(),
            "mechanism": _mechanisms(),
            "graph": either(ONE_GRAPH, record({"records": table(ONE_GRAPH)})),
            "graph of a record": _graph(),
            "check": _check(),
            "definition": one_of(_definitions(inside=True)),
        },
    }


def _word(keyword: str, kind: str) -> words.Word:
    """What is told of a keyword of some kind."""
    (one,) = (one for one in words.words()[keyword] if one.kind == kind)
    return one


def _told(name: str, kind: str) -> str:
    """What a word of some kind means and how it is written; "" for one that nothing is told of."""
    found = [one for one in words.words().get(name, ()) if one.kind == kind]
    return "\n".join(f"{one.summary}\n{one.syntax.replace('`', '')}" for one in found)


def _described(keys: Iterable[str], kind: str, shape: Callable[[str], Json]) -> dict[str, Json]:
    """Each of the keys of some kind with its meaning and its shape."""
    return {key: {**_text(_told(key, kind)), **shape(key)} for key in keys}


def _of_file(key: str) -> Json:
    """The value of a key of the file."""
    if key == "checks":
        return {**items(ref("check")), "minItems": 1}
    if key != "priors":
        return VALUES[key]
    names = {**table(ref("class of priors")), "propertyNames": {"not": word(*PRIORS.keywords())}}
    return either(ref("class of priors"), names)


def _worlds() -> Json:
    """Names, or records with values."""
    shapes = {
        "records": either(SCALAR, items(SCALAR)),
        "domain": either(items(SCALAR), table(items(SCALAR))),
        "absent": FLAG,
        "where": either(SCALAR, items(SCALAR)),
        "exchangeable": FLAG,
    }
    keys = _described(shapes, "key of worlds", shapes.__getitem__)
    return either(items(SCALAR), record(keys, ["records", "domain"]))


def _pairs() -> Json:
    """Pairs of secrets, or kinds of them."""
    kind, pair = word(*GENERATED), {**items(SCALAR), "minItems": 2, "maxItems": 2}
    return either(kind, items(either(kind, pair)))


def _options(one: words.Word, keys: Iterable[str]) -> Json:
    """Some keys as options of a word, each with what it means there."""
    shapes = {**_written(one.syntax), **VALUES, **PARTS.get(one.name, {})}
    return record({key: {**_text(one.options.get(key, "")), **shapes.get(key, {})} for key in keys})


def _written(syntax: str) -> dict[str, Json]:
    """The shapes of options that the syntax of a word says; others may have any."""
    found = re.findall(r"(\w+): ([A-Z]+)", syntax)
    return {key: WRITTEN[what] for key, what in found if what in WRITTEN}


def _text(text: str) -> Json:
    """A text as a description; nothing without one."""
    return {"description": text} if text else {}


def _kinds(kind: str, keywords: Iterable[str]) -> dict[str, Json]:
    """What stands under each of the keywords of a kind that stands for a mapping."""
    found = {}
    for keyword in keywords:
        one = _word(keyword, kind)
        shape = WHOLE[keyword] if keyword in WHOLE else _options(one, one.options)
        found[keyword] = {"description": _told(keyword, kind), **shape}
    return found


def _classes() -> Json:
    """A class of priors: a word, or one with options."""
    kind, known = "class of priors", PRIORS.keywords()
    having = [key for key in known if key in WHOLE or _word(key, kind).options]
    return either(word(*(key for key in known if key not in having)), one_of(_kinds(kind, having)))


def _priors() -> Json:
    """A single prior."""
    kinds = _described(KINDS, "single prior", lambda kind: SINGLE[kind])
    return either(word("uniform"), one_of(kinds))


def _mechanisms() -> Json:
    """The name of a mechanism, or one in full."""
    return either(SCALAR, one_of(_kinds("mechanism", MECHANISMS.keywords())))


def _graph() -> Json:
    """Which values of a record must not be told apart."""
    edges = items(items(SCALAR))
    far = record({"distance": NUMBER, "between": edges}, ["distance"])
    return either(word(*graphs.WORDS), one_of({"partition": edges, "edges": edges}), far)


def _definitions(inside: bool) -> dict[str, Json]:
    """The definitions with their options, of a check or inside another definition's options."""
    found = {}
    for keyword in DEFINITIONS.keywords():
        one = _word(keyword, "definition")
        own = (*DEFINITIONS.module(keyword).OPTIONS, *BESIDE)
        keys = dict.fromkeys(own if inside else allowed_options(keyword))
        found[keyword] = {"description": _told(keyword, "definition"), **_options(one, keys)}
    return found


def _check() -> Json:
    """One item of `checks`: exactly one definition, and what stands around it."""
    around = _described(AROUND, "key of a check", VALUES.__getitem__)
    known = _definitions(inside=False)
    one = [{"required": [keyword]} for keyword in known]
    return {**record({**around, **known}), "oneOf": one}
