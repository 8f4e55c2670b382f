"""Histories: a right file, and what it becomes by one change; what both gates must say of it, and
of the way back. The words and statuses are those of the pages, by hand.

The mechanisms are such that smallest levels are odds: randomized response with truth p on bits has
p / (1 - p) for one person, and its square for two.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

MORE, LESS, OTHER = "promises more", "promises less", "promises otherwise"
LEAK, CALM, NOT, SAME, OPEN = "leaks more", "leaks less", "not kept", "same", "undecided"
WEAK, CHANGED, BETTER = "weaker than locked", "changed since locked", "better than locked"
MISSING, UNLOCKED, LOCKED = "locked, and missing", "not locked", "as locked"

Files = Mapping[str, str]  # name -> text, in a folder of their own


class Way(NamedTuple):
    """What is said of a change.

    diff  the worst status
    lock  the worst word
    said  what stands in the report of `diff`, besides
    """

    diff: str
    lock: str
    said: str = ""


class History(NamedTuple):
    """A change of one kind, and what is said of it there and back."""

    kind: str
    before: Files
    after: Files
    there: Way
    back: Way


BITS = "{records: [ann, bob], domain: [0, 1]}"
DP = "differential_privacy: {exp_epsilon: %s}"


def rr(truth: str) -> str:
    return f"{{randomized_response: {{truth: {truth}}}}}"


def spec(
    *checks: str,
    truth: str = "3/4",
    worlds: str = BITS,
    mechanism: str = "",
    more: str = "",
) -> str:
    """A file with checks, each as it stands after its name; the first is called `one`."""
    listed = "".join(
        f"  - {{name: {name}, {check}}}\n" for name, check in zip(NAMES, checks, strict=False)
    )
    about = mechanism or f"mechanism: {rr(truth)}"
    return f"worlds: {worlds}\n{about}\n{more}checks:\n{listed}"


NAMES = ("one", "two", "three")


def of(kind: str, before: str, after: str, there: Way, back: Way) -> History:
    """A history of a single file."""
    return History(kind, {"a.yaml": before}, {"a.yaml": after}, there, back)


NOTHING = Way(SAME, LOCKED)
WRITTEN = Way(SAME, BETTER)  # another digest, and nothing that differs
RISES, FALLS = Way(LEAK, WEAK, "smallest level e^ε"), Way(CALM, BETTER, "smallest level e^ε")
BASE = spec(DP % 4)

TABLE = (
    "mechanism: {{table: {{outputs: [{0}, {1}, {2}, {3}], '00': [9/16, 3/16, 3/16, 1/16], "
    "'01': [3/16, 9/16, 1/16, 3/16], '10': [3/16, 1/16, 9/16, 3/16], "
    "'11': [1/16, 3/16, 3/16, 9/16]}}}}"
)
PROGRAM = """mechanism:
  program: |
    a = draw(bernoulli(3/4))
    b = draw(bernoulli(3/4))
    return (ann if a == 1 else 1 - ann, bob if b == 1 else 1 - bob)"""
TWO = "mechanisms: {ours: %s, other: %s}"
MINE = "differential_privacy: {exp_epsilon: 4, mechanism: %s}"

MECHANISMS = [
    of("more truth", BASE, spec(DP % 4, truth="4/5"), RISES, FALLS),
    of("more truth than the level allows", BASE, spec(DP % 4, truth="5/6"), RISES, FALLS),
    of("no truth", BASE, spec(DP % 4, truth="1/2"), FALLS, RISES),
    of("a number written otherwise", BASE, spec(DP % 4, truth="0.75"), NOTHING, NOTHING),
    of(
        "the same as a table",
        BASE,
        spec(DP % 4, mechanism=TABLE.format("'00'", "'01'", "'10'", "'11'")),
        NOTHING,
        NOTHING,
    ),
    of(
        "other names of outputs",
        BASE,
        spec(DP % 4, mechanism=TABLE.format("p", "q", "r", "s")),
        WRITTEN,
        WRITTEN,
    ),
    of("lies in place of truth", BASE, spec(DP % 4, truth="1/4"), WRITTEN, WRITTEN),
    of("the same as a program", BASE, spec(DP % 4, mechanism=PROGRAM), WRITTEN, WRITTEN),
    of(
        "nothing is told",
        BASE,
        spec(DP % 4, mechanism="mechanism: {deterministic: 0}"),
        FALLS,
        RISES,
    ),
    of(
        "all is told",
        BASE,
        spec(DP % 4, mechanism="mechanism: {deterministic: world}"),
        Way(LEAK, WEAK, "3 -> infinite"),
        FALLS,
    ),
    of(
        "one more run",
        BASE,
        spec(DP % 4, mechanism=f"mechanism: {{repeat: {{of: {rr('3/4')}, runs: 2}}}}"),
        Way(LEAK, WEAK, "3 -> 9"),
        FALLS,
    ),
    of(
        "it has a name",
        BASE,
        spec(DP % 4, mechanism=f"mechanisms: {{ours: {rr('3/4')}}}"),
        NOTHING,
        NOTHING,
    ),
    of(
        "another name",
        spec(MINE % "ours", mechanism=TWO % (rr("3/4"), rr("3/4"))),
        spec(MINE % "ours", mechanism=(TWO % (rr("3/4"), rr("3/4"))).replace("other", "theirs")),
        NOTHING,
        NOTHING,
    ),
    of(
        "two mechanisms swap their names",
        spec(MINE % "ours", mechanism=TWO % (rr("3/4"), rr("4/5"))),
        spec(MINE % "ours", mechanism=TWO % (rr("4/5"), rr("3/4"))),
        RISES,
        FALLS,
    ),
    of(
        "a check turns to another mechanism",
        spec(MINE % "ours", MINE % "other", mechanism=TWO % (rr("3/4"), rr("2/3"))),
        spec(MINE % "other", MINE % "other", mechanism=TWO % (rr("3/4"), rr("2/3"))),
        Way(OTHER, CHANGED, "it is about another mechanism now: ours -> other"),
        Way(LEAK, WEAK, "it is about another mechanism now: other -> ours"),
    ),
    of(
        "a mechanism that no check names",
        spec(MINE % "ours", mechanism=f"mechanisms: {{ours: {rr('3/4')}}}"),
        spec(MINE % "ours", mechanism=TWO % (rr("3/4"), rr("9/10"))),
        NOTHING,
        NOTHING,
    ),
]

HOLDS_NOT = "differential_privacy: {exp_epsilon: 2}, expect: violated"
PROMISES = [
    of(
        "a larger level",
        BASE,
        spec(DP % 5),
        Way(LESS, WEAK, "e^ε = 4 -> e^ε = 5"),
        Way(MORE, BETTER),
    ),
    of("a level as small as can be", BASE, spec(DP % 3), Way(MORE, BETTER), Way(LESS, WEAK)),
    of(
        "a level that is not kept",
        BASE,
        spec(DP % 2),
        Way(NOT, BETTER, "expected holds, found violated"),
        Way(LESS, WEAK),
    ),
    of(
        "a level as its logarithm",
        BASE,
        spec("differential_privacy: {epsilon: ln(4)}"),
        NOTHING,
        NOTHING,
    ),
    of(
        "a level that is a power of e",
        BASE,
        spec("differential_privacy: {epsilon: 2}"),
        Way(LESS, WEAK, "e^ε = 4 -> ε = 2"),
        Way(MORE, BETTER),
    ),
    of(
        "a delta",
        BASE,
        spec("differential_privacy: {exp_epsilon: 4, delta: 1/10}"),
        Way(LESS, WEAK, "delta is larger: 0 -> 1/10"),
        Way(MORE, BETTER, "delta is smaller: 1/10 -> 0"),
    ),
    of(
        "it is expected to be violated, and holds",
        BASE,
        spec(DP % 4 + ", expect: violated"),
        Way(NOT, WEAK, "expected violated, found holds"),
        Way(MORE, BETTER, "expect: violated -> holds"),
    ),
    of(
        "a violation is not expected any more",
        spec(HOLDS_NOT),
        spec(DP % 2),
        Way(NOT, BETTER, "expect: violated -> holds"),
        Way(LESS, WEAK),
    ),
    of(
        "a violation that is larger",
        spec(HOLDS_NOT),
        spec(HOLDS_NOT, truth="4/5"),
        RISES,
        FALLS,
    ),
    of(
        "a leakage is asserted",
        BASE,
        spec(DP % 4 + ", leakage: 3"),
        Way(MORE, BETTER, "the interval of the leakage: none -> 3"),
        Way(LESS, WEAK, "the interval of the leakage: 3 -> none"),
    ),
    of(
        "another leakage is asserted than there is",
        BASE,
        spec(DP % 4 + ", leakage: 2"),
        Way(NOT, BETTER, "expected the leakage 2, it is 3"),
        Way(LESS, WEAK),
    ),
    of(
        "a narrower leakage is asserted",
        spec(DP % 4 + ", leakage: [2, 4]"),
        spec(DP % 4 + ", leakage: 3"),
        Way(MORE, BETTER),
        Way(LESS, WEAK, "3 -> [2, 4]"),
    ),
    of(
        "a wider leakage is asserted",
        spec(DP % 4 + ", leakage: [2, 4]"),
        spec(DP % 4 + ", leakage: [2, 5]"),
        Way(LESS, WEAK),
        Way(MORE, BETTER),
    ),
    of(
        "a name",
        BASE.replace("name: one, ", ""),
        BASE,
        Way(SAME, BETTER, "its name was none"),
        Way(SAME, BETTER, "its name was one"),
    ),
    of(
        "another name of a check",
        BASE,
        BASE.replace("one", "first"),
        Way(SAME, BETTER, "its name was one"),
        Way(SAME, BETTER, "its name was first"),
    ),
    of(
        "two checks swap their names",
        spec(DP % 4, "differential_privacy: {exp_epsilon: 9, group: 2}"),
        spec("differential_privacy: {exp_epsilon: 9, group: 2}", DP % 4),
        Way(SAME, BETTER, "its name was two"),
        Way(SAME, BETTER, "its name was two"),
    ),
    of(
        "another order of checks",
        BASE + "  - {name: two, differential_privacy: {exp_epsilon: 9, group: 2}}\n",
        spec() + "  - {name: two, differential_privacy: {exp_epsilon: 9, group: 2}}\n"
        "  - {name: one, differential_privacy: {exp_epsilon: 4}}\n",
        NOTHING,
        NOTHING,
    ),
    of(
        "one check less",
        spec(DP % 4, "differential_privacy: {exp_epsilon: 9, group: 2}"),
        BASE,
        Way(LESS, MISSING, "the check is gone"),
        Way(MORE, UNLOCKED, "the check is new"),
    ),
    of(
        "one check more, which is not kept",
        BASE,
        spec(DP % 4, DP % 2),
        Way(NOT, UNLOCKED, "expected holds, found violated"),
        Way(LESS, MISSING, "the check is gone"),
    ),
    of(
        "one check more, which is undecided",
        BASE,
        spec(
            DP % 4,
            "universally_composable: {pairs: values, priors: {constraints: ['P(00) >= 1/5']}}",
        ),
        Way(OPEN, UNLOCKED, "the check is new"),
        Way(LESS, MISSING),
    ),
    of(
        "the same is asked twice",
        BASE,
        spec(DP % 4, DP % 4),
        Way(MORE, UNLOCKED, "the check is new"),
        Way(SAME, MISSING, "the same is asked and expected"),
    ),
]

GROUP = "differential_privacy: {exp_epsilon: %s, group: %s}"
NEAR = "differential_privacy: {exp_epsilon: 9, neighbours: %s}"
THREE = "{records: [ann, bob], domain: [0, 1, 2]}"
LINE = "{records: [ann], domain: [0, 1, 2]}"
OPTIONS = [
    of(
        "two people at the level of one, squared",
        BASE,
        spec(GROUP % (16, 2)),
        Way(LESS, WEAK, "group: 1 -> 2"),
        Way(MORE, CHANGED, "group: 2 -> 1"),
    ),
    of(
        "two people at the same level",
        spec(GROUP % (9, 1)),
        spec(GROUP % (9, 2)),
        Way(MORE, CHANGED, "group: 1 -> 2"),
        Way(LESS, CHANGED, "group: 2 -> 1"),
    ),
    of(
        "all are neighbours",
        spec(NEAR % "replace"),
        spec(NEAR % "all"),
        Way(MORE, CHANGED, "neighbours: replace -> all"),
        Way(LESS, CHANGED, "neighbours: all -> replace"),
    ),
    of(
        "entries are people",
        spec(NEAR % "replace"),
        spec(NEAR % "entry"),
        Way(SAME, CHANGED, "neighbours: replace -> entry"),
        Way(SAME, CHANGED, "neighbours: entry -> replace"),
    ),
    of(
        "neighbours in another order",
        spec(NEAR % "{pairs: [['00', '01'], ['10', '11']]}"),
        spec(NEAR % "{pairs: [['11', '10'], ['00', '01']]}"),
        NOTHING,
        NOTHING,
    ),
    of(
        "fewer neighbours",
        spec(NEAR % "{pairs: [['00', '01'], ['10', '11']]}"),
        spec(NEAR % "{pairs: [['00', '01']]}"),
        Way(LESS, CHANGED, "fewer comparisons"),
        Way(MORE, CHANGED),
    ),
    of(
        "a trade-off",
        BASE,
        spec("differential_privacy: {exp_epsilon: 4, tradeoff: [1, 2]}"),
        WRITTEN,
        WRITTEN,
    ),
    of(
        "bounded range in place of differential privacy",
        spec(DP % 9),
        spec("bounded_range: {exp_epsilon: 9}"),
        Way(OTHER, CHANGED, "another definition: differential_privacy -> bounded_range"),
        Way(OTHER, CHANGED, "another definition: bounded_range -> differential_privacy"),
    ),
    of(
        "a policy that compares the same",
        BASE,
        spec("blowfish: {exp_epsilon: 4, graph: full}"),
        Way(SAME, CHANGED),
        Way(SAME, CHANGED),
    ),
    of(
        "a policy that compares less",
        spec("blowfish: {exp_epsilon: 9, graph: full}", worlds=LINE),
        spec("blowfish: {exp_epsilon: 9, graph: {distance: 1}}", worlds=LINE),
        Way(LESS, CHANGED, 'graph: full -> {"distance":"1"}'),
        Way(MORE, CHANGED, 'graph: {"distance":"1"} -> full'),
    ),
    of(
        "another order of Rényi divergences",
        spec("renyi: {exp_epsilon: 9, order: 2}"),
        spec("renyi: {exp_epsilon: 9, order: 3}"),
        Way(OTHER, CHANGED, "order: 2 -> 3"),
        Way(OTHER, CHANGED, "order: 3 -> 2"),
    ),
    of(
        "more of concentrated privacy",
        spec("zcdp: {rho: 11/20}"),
        spec("zcdp: {rho: 12/20}"),
        Way(LESS, WEAK, "the level is larger"),
        Way(MORE, BETTER),
    ),
    of(
        "somebody knows nobody else",
        spec("bayesian_privacy: {exp_epsilon: 9, known: 0, priors: {list: [uniform]}}"),
        spec("bayesian_privacy: {exp_epsilon: 9, known: any, priors: {list: [uniform]}}"),
        Way(MORE, CHANGED, "known: 0 -> any"),
        Way(LESS, CHANGED, "known: any -> 0"),
    ),
]

NAMED = "{worlds: [x, y, z]}"
ROWS = "mechanism: {{table: {{outputs: [a, b], x: [3/4, 1/4], y: [1/2, 1/2]{}}}}}"
ALL = "differential_privacy: {exp_epsilon: 9, neighbours: all}"
WORLDS = [
    of(
        "one person more",
        spec(DP % 4),
        spec(DP % 4, worlds="{records: [ann, bob, cat], domain: [0, 1]}"),
        Way(OTHER, CHANGED, "other worlds"),
        Way(OTHER, CHANGED, "other worlds"),
    ),
    of(
        "another name of a person",
        BASE,
        spec(DP % 4, worlds="{records: [amy, bob], domain: [0, 1]}"),
        NOTHING,
        NOTHING,
    ),
    of(
        "people in another order",
        BASE,
        spec(DP % 4, worlds="{records: [bob, ann], domain: [0, 1]}"),
        NOTHING,
        NOTHING,
    ),
    of(
        "values in another order",
        BASE,
        spec(DP % 4, worlds="{records: [ann, bob], domain: [1, 0]}"),
        Way(SAME, CHANGED),
        Way(SAME, CHANGED),
    ),
    of(
        "other values",
        BASE,
        spec(DP % 4, worlds="{records: [ann, bob], domain: [n, y]}"),
        Way(OTHER, CHANGED, "other worlds"),
        Way(OTHER, CHANGED, "other worlds"),
    ),
    of(  # truth 3/4 on three values: 3/4 against 1/8
        "one value more, and another response",
        spec(DP % 9),
        spec(DP % 9, worlds="{records: [ann, bob], domain: [0, 1, 2]}"),
        Way(LEAK, CHANGED, "under the old question: 3 -> 6"),
        Way(LESS, CHANGED, "fewer worlds"),
    ),
    of(
        "fewer worlds are possible",
        BASE,
        spec(DP % 4, worlds="{records: [ann, bob], domain: [0, 1], where: ['ann <= bob']}"),
        Way(LESS, CHANGED, "fewer worlds: 10"),
        Way(MORE, CHANGED, "more worlds: 10"),
    ),
    of(
        "one world less, of a table",
        spec(ALL, worlds="[x, y, z]", mechanism=ROWS.format(", z: [2/3, 1/3]")),
        spec(ALL, worlds="[x, y]", mechanism=ROWS.format("")),
        Way(LESS, CHANGED, "fewer worlds: z"),
        Way(MORE, CHANGED, "more worlds: z"),
    ),
    of(
        "worlds in another order",
        spec(ALL, worlds="[x, y]", mechanism=ROWS.format("")),
        spec(ALL, worlds="[y, x]", mechanism=ROWS.format("")),
        Way(SAME, CHANGED),
        Way(SAME, CHANGED),
    ),
]

SECRETS = "secrets: {a0: ann == 0, a1: ann == 1, b0: bob == 0, b1: bob == 1}\n"
PAIRS = SECRETS + "pairs: [[a0, a1], [b0, b1]]\n"


def beliefs(priors: str, about: str = PAIRS, level: int = 9, truth: str = "3/4") -> str:
    """Pufferfish privacy under some priors."""
    return spec(f"pufferfish: {{exp_epsilon: {level}, priors: {priors}}}", truth=truth, more=about)


FEW, MANY = "[uniform]", "[uniform, {worlds: {'00': 1/2, '11': 1/4, '01': 1/4}}]"
TURNED = "[{worlds: {'00': 1/2, '11': 1/4, '01': 1/4}}, uniform]"
ONE_ROW, TWO_ROWS = "['P(00) >= 1/5']", "['P(00) >= 1/5', 'P(11) >= 1/5']"
BELIEFS = [
    of(
        "pairs in another order",
        beliefs("product"),
        beliefs("product", SECRETS + "pairs: [[b0, b1], [a0, a1]]\n"),
        NOTHING,
        NOTHING,
    ),
    of(
        "a pair the other way round",
        beliefs("product"),
        beliefs("product", SECRETS + "pairs: [[a1, a0], [b0, b1]]\n"),
        NOTHING,
        NOTHING,
    ),
    of(
        "one pair less",
        beliefs("product"),
        beliefs("product", SECRETS + "pairs: [[a0, a1]]\n"),
        Way(LESS, WEAK, "fewer pairs of secrets"),
        Way(MORE, BETTER, "more pairs of secrets"),
    ),
    of(
        "pairs by their kind",
        beliefs("product"),
        beliefs("product", "pairs: values\n"),
        WRITTEN,
        WRITTEN,
    ),
    of(
        "another name of a secret",
        beliefs("product"),
        beliefs("product", PAIRS.replace("b0", "none")),
        WRITTEN,
        WRITTEN,
    ),
    of(
        "two secrets swap their names",
        beliefs("product"),
        beliefs(
            "product", PAIRS.replace("a0: ann == 0, a1: ann == 1", "a1: ann == 0, a0: ann == 1")
        ),
        WRITTEN,
        WRITTEN,
    ),
    of(
        "a secret is narrower",
        beliefs("product"),
        beliefs("product", PAIRS.replace("a1: ann == 1", "a1: ann == 1 and bob == 1")),
        Way(OTHER, CHANGED, "other pairs of secrets"),
        Way(OTHER, CHANGED, "other pairs of secrets"),
    ),
    of(
        "people are alike",
        beliefs("product"),
        beliefs("iid"),
        Way(LESS, CHANGED, "fewer priors"),
        Way(MORE, CHANGED, "more priors"),
    ),
    of(
        "anything may be believed",
        beliefs("product"),
        beliefs("all"),
        Way(MORE, CHANGED, "more priors"),
        Way(LESS, CHANGED, "fewer priors"),
    ),
    of(
        "one prior more",
        beliefs(f"{{list: {FEW}}}"),
        beliefs(f"{{list: {MANY}}}"),
        Way(MORE, BETTER, "more priors"),
        Way(LESS, WEAK, "fewer priors"),
    ),
    of(
        "priors in another order",
        beliefs(f"{{list: {MANY}}}"),
        beliefs(f"{{list: {TURNED}}}"),
        WRITTEN,
        WRITTEN,
    ),
    of(
        "one corner more",
        beliefs(f"{{hull: {FEW}}}"),
        beliefs(f"{{hull: {MANY}}}"),
        Way(MORE, BETTER, "more priors"),
        Way(LESS, WEAK, "fewer priors"),
    ),
    of(
        "mixtures of priors too",
        beliefs(f"{{list: {MANY}}}"),
        beliefs(f"{{hull: {MANY}}}"),
        Way(MORE, CHANGED, "more priors"),
        Way(LESS, CHANGED, "fewer priors"),
    ),
    of(
        "one constraint less",
        beliefs(f"{{constraints: {TWO_ROWS}}}"),
        beliefs(f"{{constraints: {ONE_ROW}}}"),
        Way(MORE, BETTER, "more priors"),
        Way(LESS, WEAK, "fewer priors"),
    ),
    of(
        "a weaker constraint",
        beliefs(f"{{constraints: {ONE_ROW}}}"),
        beliefs("{constraints: ['P(00) >= 1/6']}"),
        Way(MORE, CHANGED, "more priors"),
        Way(LESS, CHANGED, "fewer priors"),
    ),
    of(
        "constraints in another order",
        beliefs(f"{{constraints: {TWO_ROWS}}}"),
        beliefs("{constraints: ['P(11) >= 1/5', 'P(00) >= 1/5']}"),
        WRITTEN,
        WRITTEN,
    ),
    of(
        "priors with a name",
        beliefs("product"),
        beliefs("mine", PAIRS + "priors: {mine: product}\n"),
        NOTHING,
        NOTHING,
    ),
    of(
        "priors that leave nothing to compare",
        beliefs(f"{{list: {FEW}}}", "pairs: values\n"),
        beliefs("{list: [{worlds: {'00': 1}}]}", "pairs: values\n"),
        Way(NOT, WEAK, "nothing is compared any more"),
        Way(MORE, CHANGED, "something is compared now"),
    ),
    of(
        "what is undecided stays so",
        spec("universally_composable: {pairs: values, priors: {constraints: ['P(00) >= 1/5']}}"),
        spec("universally_composable: {pairs: values, priors: {constraints: ['P(00) >= 1/6']}}"),
        Way(OPEN, LOCKED),
        Way(OPEN, LOCKED),
    ),
]

SUM = "sensitivity: {query: %s, %s: %s}"
ERROR = "error: {loss: abs(output - ann), prior: uniform, %s: %s}"
ONE_BIT = "{records: [ann], domain: [0, 1]}"
NUMBERS = [
    of(
        "a query that needs more noise",
        spec(SUM % ("ann + bob", "equals", 1), mechanism=""),
        spec(SUM % ("ann + 2*bob", "equals", 2), mechanism=""),
        Way(LEAK, CHANGED, "the sensitivity: 1 -> 2"),
        Way(OTHER, CHANGED, "the sensitivity: 2 -> 1"),
    ),
    of(
        "a bound in place of a number",
        spec(ERROR % ("equals", "1/4"), worlds=ONE_BIT),
        spec(ERROR % ("at_most", "1/4"), worlds=ONE_BIT),
        WRITTEN,
        WRITTEN,
    ),
    of(
        "a weaker bound",
        spec(ERROR % ("at_most", "1/4"), worlds=ONE_BIT),
        spec(ERROR % ("at_most", "1/2"), worlds=ONE_BIT),
        Way(LESS, WEAK, "what is asserted is weaker: 1/4 -> 1/2"),
        Way(MORE, BETTER, "what is asserted is stronger: 1/2 -> 1/4"),
    ),
    of(
        "a number that is not kept",
        spec(SUM % ("ann + bob", "equals", 1)),
        spec(SUM % ("ann + bob", "equals", 0)),
        Way(NOT, BETTER, "expected holds, found violated"),
        Way(LESS, WEAK),
    ),
    of(
        "another error",
        spec(ERROR % ("at_most", "1/2"), worlds=ONE_BIT),
        spec(ERROR % ("at_most", "1/2"), worlds=ONE_BIT, truth="2/3"),
        Way(OTHER, CHANGED, "the number found: 1/4 -> 1/3"),
        Way(OTHER, CHANGED, "the number found: 1/3 -> 1/4"),
    ),
    of(
        "more mechanisms that it may be made of",
        spec(
            "post_processing: {mechanism: ours, of: [other]}",
            mechanism=f"mechanisms: {{ours: {rr('2/3')}, other: {rr('3/4')}, third: {rr('4/5')}}}",
        ),
        spec(
            "post_processing: {mechanism: ours, of: [other, third]}",
            mechanism=f"mechanisms: {{ours: {rr('2/3')}, other: {rr('3/4')}, third: {rr('4/5')}}}",
        ),
        Way(LESS, CHANGED, "more mechanisms that it may be made from: third"),
        Way(MORE, CHANGED, "fewer mechanisms that it may be made from: third"),
    ),
]


def family(values: str, check: str = DP % 4) -> str:
    """A file with a parameter p, which is the truth."""
    return f"parameters: {{p: {values}}}\n" + spec(check, truth="p")


LISTS = [
    of("a value that leaks more", family("3/4"), family("4/5"), RISES, FALLS),
    of(
        "a value that leaks more is added",
        family("[2/3, 3/4]"),
        family("[2/3, 3/4, 4/5]"),
        Way(LEAK, UNLOCKED, "beside the same for other values"),
        Way(LESS, MISSING, "the check is gone"),
    ),
    of(
        "a value that leaks more becomes one of two",
        family("3/4"),
        family("[3/4, 4/5]"),
        Way(LEAK, UNLOCKED, "3 -> 4"),
        Way(LESS, MISSING),
    ),
    of(
        "a value that leaks less is added",
        family("[2/3, 3/4]"),
        family("[2/3, 3/4, 5/7]"),
        Way(MORE, UNLOCKED, "the check is new"),
        Way(LESS, MISSING),
    ),
    of(
        "a value that is not kept is added",
        family("[2/3, 3/4]"),
        family("[2/3, 3/4, 5/6]"),
        Way(LEAK, UNLOCKED, "expected holds, found violated"),
        Way(LESS, MISSING),
    ),
    of(
        "a value of a question is added",
        "parameters: {g: [1]}\n" + spec(GROUP % (9, "g")),
        "parameters: {g: [1, 2]}\n" + spec(GROUP % (9, "g")),
        Way(MORE, UNLOCKED, "the check is new"),
        Way(LESS, MISSING),
    ),
    of(  # 1/2 < p < 3/4 leaks less than 3; 3/4 itself leaks 3
        "values of an interval that leak more",
        family("1/2 < p < 3/4"),
        family("1/2 < p < 4/5"),
        Way(LEAK, CHANGED, "is larger for 3/4 <= p < 4/5 than for any value before"),
        Way(LESS, WEAK, "fewer values of a parameter"),
    ),
    of(
        "values of an interval that leak less",
        family("2/3 < p < 3/4"),
        family("1/2 < p < 3/4"),
        Way(MORE, CHANGED, "more values of a parameter"),
        Way(LESS, WEAK, "fewer values of a parameter"),
    ),
    of("a list in another order", family("[2/3, 3/4]"), family("[3/4, 2/3]"), NOTHING, NOTHING),
    of(
        "another name of a parameter",
        family("[2/3, 3/4]"),
        family("[2/3, 3/4]").replace("p: [", "q: [").replace("truth: p", "truth: q"),
        NOTHING,
        NOTHING,
    ),
]


COMPOSED = "composition: {exp_epsilon: %s, of: [ours], pairs: values, priors: %s}"
STEP = (
    "mechanism: {table: {outputs: [x, y], '00': [%s], '01': [1/2, 1/2], "
    "'10': [1/2, 1/2], '11': [%s]}}"
)
CHAIN, SMALL = STEP % ("2/3, 1/3", "1/3, 2/3"), STEP % ("3/4, 1/4", "1/4, 3/4")
WHOLE = "differential_privacy: {exp_epsilon: 4, neighbours: all}"
TOGETHER = [
    of(  # 2 -> 4 under the old question, 4/3 -> 2 under the new one
        "fewer neighbours for a mechanism that tells more",
        spec(WHOLE, mechanism=CHAIN),
        spec(DP % 2, truth="2/3"),
        Way(LEAK, CHANGED, "under the old question: 2 -> 4"),
        Way(LESS, WEAK, "e^ε = 2 -> e^ε = 4"),
    ),
    of(
        "fewer neighbours for the same mechanism",
        spec(WHOLE, mechanism=SMALL),
        spec(DP % 2, mechanism=SMALL),
        Way(MORE, CHANGED, "neighbours: all -> replace"),
        Way(LESS, WEAK, "neighbours: replace -> all"),
    ),
    of(
        "fewer neighbours for another mechanism",
        spec(WHOLE, mechanism=SMALL),
        spec(DP % 2, truth="2/3"),
        Way(LEAK, CHANGED, "under the old question: 3 -> 4"),
        Way(LESS, WEAK),
    ),
    of(
        "a larger level for more truth",
        BASE,
        spec(DP % 5, truth="4/5"),
        Way(LEAK, WEAK, "e^ε = 4 -> e^ε = 5"),
        Way(CALM, BETTER, "e^ε = 5 -> e^ε = 4"),
    ),
    of(
        "a delta for more truth",
        BASE,
        spec("differential_privacy: {exp_epsilon: 4, delta: 1/100}", truth="4/5"),
        Way(LEAK, WEAK, "under the old question: 3 -> 4"),
        Way(MORE, CHANGED, "delta is smaller: 1/100 -> 0"),
    ),
    of(
        "one prior more for more truth",
        beliefs(f"{{list: {FEW}}}"),
        beliefs(f"{{list: {MANY}}}", truth="4/5"),
        Way(LEAK, CHANGED, "under the old question: 3 -> 4"),
        Way(LESS, WEAK, "fewer priors"),
    ),
    of(
        "two people for less truth",
        spec(GROUP % (9, 1)),
        spec(GROUP % (9, 2), truth="2/3"),
        Way(MORE, CHANGED, "group: 1 -> 2"),
        Way(LEAK, CHANGED, "under the old question: 4 -> 9"),
    ),
    of(
        "another definition for more truth",
        spec(DP % 9),
        spec("bounded_range: {exp_epsilon: 16}", truth="4/5"),
        Way(LEAK, WEAK, "under the old question: 3 -> 4"),
        Way(OTHER, CHANGED, "another definition"),
    ),
    of(
        "fewer worlds for more truth",
        BASE,
        spec(
            DP % 4,
            truth="4/5",
            worlds="{records: [ann, bob], domain: [0, 1], where: ['ann <= bob']}",
        ),
        Way(LESS, CHANGED, "old worlds are gone"),
        Way(MORE, CHANGED, "more worlds"),
    ),
    of(
        "another question about mechanisms that it names",
        spec(COMPOSED % (9, "product"), mechanism=TWO % (rr("3/4"), rr("2/3"))),
        spec(COMPOSED % (16, "all"), mechanism=TWO % (rr("4/5"), rr("2/3"))),
        Way(LESS, WEAK, "what the new mechanism leaks under the old question is not known"),
        Way(LESS, CHANGED, "fewer priors"),
    ),
    of(
        "another query and other pairs",
        spec("sensitivity: {query: ann + bob, equals: 2}", worlds=THREE),
        spec("sensitivity: {query: ann + 2*bob, graph: {distance: 1}, equals: 2}", worlds=THREE),
        Way(LESS, CHANGED, "fewer comparisons"),
        Way(OTHER, CHANGED, "another question"),
    ),
]

CSV = "world,dry,wet\nsun,%s\nrain,%s\n"
READS = spec(ALL, worlds="[sun, rain]", mechanism="mechanism: {csv: table.csv}")
GOOD = CSV % ("3/4,1/4", "1/4,3/4")
SECOND = spec("differential_privacy: {exp_epsilon: 9, group: 2}").replace("one", "second")
FILES = [
    of("a comment", BASE, f"# so\n{BASE}", NOTHING, NOTHING),
    of("empty lines", BASE, BASE.replace("\n", "\n\n"), NOTHING, NOTHING),
    of("blanks at the end of lines", BASE, BASE.replace("\n", "  \n"), NOTHING, NOTHING),
    of("lines end as on other systems", BASE, BASE.replace("\n", "\r\n"), NOTHING, NOTHING),
    of("a title", BASE, f"title: A survey\n{BASE}", NOTHING, NOTHING),
    of("a source", BASE, f"source: Somewhere\n{BASE}", NOTHING, NOTHING),
    of(
        "keys in another order",
        BASE,
        BASE.replace(BITS, "{domain: [0, 1], records: [ann, bob]}"),
        NOTHING,
        NOTHING,
    ),
    of("quotes", BASE, BASE.replace("ann, bob", "\"ann\", 'bob'"), NOTHING, NOTHING),
    of(
        "blocks in place of braces",
        BASE,
        BASE.replace(BITS, "\n  records:\n    - ann\n    - bob\n  domain: [0, 1]"),
        NOTHING,
        NOTHING,
    ),
    of(
        "a secret that nothing uses",
        BASE,
        BASE.replace("checks:", "secrets: {unused: ann == 0}\nchecks:"),
        NOTHING,
        NOTHING,
    ),
    History(
        "other numbers in a table",
        {"a.yaml": READS, "table.csv": GOOD},
        {"a.yaml": READS, "table.csv": CSV % ("4/5,1/5", "1/5,4/5")},
        RISES,
        FALLS,
    ),
    History(
        "the same numbers in a table",
        {"a.yaml": READS, "table.csv": GOOD},
        {"a.yaml": READS, "table.csv": CSV % ("0.75,0.25", "0.25,3/4")},
        NOTHING,
        NOTHING,
    ),
    History(
        "rows of a table in another order",
        {"a.yaml": READS, "table.csv": GOOD},
        {"a.yaml": READS, "table.csv": "world,dry,wet\nrain,1/4,3/4\nsun,3/4,1/4\n"},
        NOTHING,
        NOTHING,
    ),
    History(
        "outputs of a table in another order",
        {"a.yaml": READS, "table.csv": GOOD},
        {"a.yaml": READS, "table.csv": "world,wet,dry\nsun,1/4,3/4\nrain,3/4,1/4\n"},
        WRITTEN,
        WRITTEN,
    ),
    History(
        "another name of a table",
        {"a.yaml": READS, "table.csv": GOOD},
        {"a.yaml": READS.replace("table", "rows"), "rows.csv": GOOD},
        NOTHING,
        NOTHING,
    ),
    History(
        "a table that is written out",
        {"a.yaml": READS, "table.csv": GOOD},
        {
            "a.yaml": READS.replace(
                "{csv: table.csv}",
                "{table: {outputs: [dry, wet], sun: [3/4, 1/4], rain: [1/4, 3/4]}}",
            )
        },
        NOTHING,
        NOTHING,
    ),
    History(
        "another name of a file",
        {"a.yaml": BASE, "b.yaml": SECOND},
        {"a.yaml": BASE, "c.yaml": SECOND},
        Way(SAME, BETTER, "it stood in"),
        Way(SAME, BETTER, "it stood in"),
    ),
    History(
        "one file less",
        {"a.yaml": BASE, "b.yaml": SECOND},
        {"a.yaml": BASE},
        Way(LESS, MISSING, "the check is gone"),
        Way(MORE, UNLOCKED, "the check is new"),
    ),
    History(
        "one file more, which is not kept",
        {"a.yaml": BASE},
        {"a.yaml": BASE, "b.yaml": spec(DP % 4, truth="99/100").replace("one", "new")},
        Way(NOT, UNLOCKED, "expected holds, found violated"),
        Way(LESS, MISSING),
    ),
    History(
        "a check moves to another file",
        {"a.yaml": spec(DP % 4, GROUP % (9, 2)), "b.yaml": SECOND.replace("9", "10")},
        {
            "a.yaml": BASE,
            "b.yaml": SECOND.replace("9", "10") + f"  - {{name: two, {GROUP % (9, 2)}}}\n",
        },
        Way(SAME, BETTER, "it stood in"),
        Way(SAME, BETTER, "it stood in"),
    ),
    History(
        "a file in JSON",
        {"a.yaml": BASE, "b.yaml": SECOND},
        {
            "a.yaml": BASE,
            "b.json": '{"worlds": {"records": ["ann", "bob"], "domain": [0, 1]}, "mechanism": '
            '{"randomized_response": {"truth": "3/4"}}, "checks": [{"name": "second", '
            '"differential_privacy": {"exp_epsilon": 9, "group": 2}}]}',
        },
        Way(SAME, BETTER, "it stood in"),
        Way(SAME, BETTER, "it stood in"),
    ),
]

HISTORIES = [
    *MECHANISMS,
    *PROMISES,
    *OPTIONS,
    *WORLDS,
    *BELIEFS,
    *NUMBERS,
    *LISTS,
    *TOGETHER,
    *FILES,
]
