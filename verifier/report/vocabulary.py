"""Words of the format that have no module of their own, as `verifier explain` tells them.

Texts are written like the docstrings of definitions, mechanisms and classes of priors, which tell
of themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

# Options that mean the same wherever they are listed without a meaning of their own.
OPTIONS: Mapping[str, str] = {
    "epsilon": "the level ε: `ln(3)`, or a number such as 1/2; or `exp_epsilon` in its place",
    "exp_epsilon": "the level as e^ε, a number such as 3; in place of `epsilon`",
    "delta": "δ, by how much the level may be exceeded, from 0 (the default) to 1",
    "pairs": "the secrets that must not be told apart: [[bob_yes, bob_no], …], `values`, `entries` "
    "or `presence`; those of the file by default",
    "priors": "a class of priors, or the name of one; that of the file by default",
    "graph": "the values that must not be told apart: `full` (the default), `attribute`, "
    "`{partition: [[a, b], [c]]}`, `{distance: 2}`, `{distance: 2, between: [[a, b, 3], …]}`, "
    "`{edges: [[a, b], …]}` or `{records: {bob: …}}`",
}


@dataclass(frozen=True)
class Group:
    """Words of one kind.

    words    word -> its text: a sentence, then its syntax
    example  a spec file that has them all
    """

    kind: str
    words: Mapping[str, str]
    example: str


FILE = """\
title: A survey
source: the README
parameters: {p: [3/4]}
worlds: {records: [ann, bob], domain: [0, 1]}
secrets: {bob_yes: bob == 1, bob_no: bob == 0}
pairs: [[bob_yes, bob_no]]
priors:
  fair: {list: [uniform]}
mechanisms:
  once: {randomized_response: {truth: p}}
  twice: {repeat: {of: once, runs: 2}}
checks:
  - name: one answer
    pufferfish: {exp_epsilon: p/(1 - p)}
    mechanism: once
    where: p > 1/2
    leakage: 3
  - name: two answers about anybody
    pufferfish: {exp_epsilon: 3}
    mechanism: twice
    pairs: values
    priors: all
    expect: violated
"""
ONE_MECHANISM = """\
worlds: [sun, rain]
mechanism: {table: {outputs: [dry, wet], sun: [4/5, 1/5], rain: [1/4, 3/4]}}
checks:
  - differential_privacy: {exp_epsilon: 15/4, neighbours: all}
"""
WORLDS = """\
worlds:
  records: [ann, bob]
  domain: {disease: [flu, none], age: [young, old]}
  absent: true
  where: count(disease == 'flu') <= 1
mechanism: {deterministic: count(True)}
checks:
  - pufferfish: {epsilon: 1, pairs: entries, priors: all}
    expect: violated
  - pufferfish: {epsilon: 1, pairs: values, priors: all}
    expect: violated
  - pufferfish: {epsilon: 1, pairs: presence, priors: all}
    expect: violated
"""
NEIGHBOURS = """\
worlds: {records: [ann, bob], domain: {age: [1, 2], pets: [0, 1]}}
mechanism: {geometric: {query: sum(age), ratio: 1/2}}
checks:
  - differential_privacy: {exp_epsilon: 2, neighbours: replace}
  - differential_privacy: {exp_epsilon: 2, neighbours: entry}
  - differential_privacy: {exp_epsilon: 2, neighbours: induced}
  - differential_privacy: {exp_epsilon: 4, neighbours: {hamming: 2}}
  - differential_privacy: {exp_epsilon: 4, neighbours: {l1: 2}}
  - differential_privacy: {exp_epsilon: 4, neighbours: {linf: 1}}
  - differential_privacy: {exp_epsilon: 4, neighbours: all}
"""
PRESENT = """\
worlds: {records: [ann, bob], domain: [0, 1], absent: true}
mechanism: {geometric: {query: count(True), ratio: 1/2}}
checks:
  - differential_privacy: {exp_epsilon: 2, neighbours: add_remove}
"""
GRAPHS = """\
worlds: {records: [ann, bob], domain: [1, 2, 3]}
mechanism: {geometric: {query: ann + bob, ratio: 1/2}}
checks:
  - blowfish: {exp_epsilon: 4, graph: full}
  - blowfish: {exp_epsilon: 2, graph: {partition: [[1, 2], [3]]}}
  - blowfish: {exp_epsilon: 2, graph: {distance: 1}}
  - blowfish: {exp_epsilon: 2, graph: {distance: 1, between: [[1, 2, 1], [2, 3, 1]]}}
  - blowfish: {exp_epsilon: 2, graph: {edges: [[1, 2], [2, 3]]}}
  - blowfish: {exp_epsilon: 4, graph: {records: {ann: {edges: [[1, 2]]}, bob: full}}}
"""
ATTRIBUTE = """\
worlds: {records: [ann], domain: {age: [1, 2], pets: [0, 1]}}
mechanism: {geometric: {query: ann.age + ann.pets, ratio: 1/2}}
checks:
  - blowfish: {exp_epsilon: 2, graph: attribute}
"""
CURVE = """\
worlds: {records: [ann], domain: [0, 1]}
mechanism: {randomized_response: {truth: 3/4}}
checks:
  - differential_privacy: {exp_epsilon: 3, tradeoff: [1, 2, 3]}
"""
EXPRESSIONS = """\
worlds: {records: [ann, bob], domain: [0, 1], absent: true, where: count(True) >= 1}
mechanism:
  program: |
    ones = count(value == 1) + (1 if ann.present and bob.present else 0)
    far = hamming([ones, 1], [1, 1]) + abs(ones - 1) + len([ones, 1])
    far += 1 if exp(1/2) > sqrt(4) else sorted([far, 0])[0]
    for i in range(2):
        far += min(ones, i) + max(ones, i)
    if xor(True, False) and world in [world]:
        far += sum([draw(bernoulli(1/2)), draw(uniform(1, 2)), draw(binomial(2, 1/3))])
    return far + draw(geometric(center=0, ratio=1/2, low=-1, high=1))
checks:
  - differential_privacy: {epsilon: 1, delta: 1, neighbours: all}
"""
NOISE = """\
worlds: {records: [ann, bob], domain: [0, 1]}
mechanism:
  program: |
    noisy = [ann + draw(interval(0, 3)), bob + draw(interval(0, 3))]
    near = floor(noisy[0]) == 1 or draw(laplace(0, 1)) > 0
    near = near or draw(normal(0, 1)) > 3
    return [argmax(noisy) == 0, round(1/2)]
checks:
  - differential_privacy: {exp_epsilon: 5, neighbours: all}
"""
EXCHANGEABLE = """\
worlds: {records: 200, domain: [0, 1], exchangeable: true}
mechanism: {deterministic: count(value == 1)}
priors: {list: [uniform]}
checks:
  - distributional_privacy: {exp_epsilon: 4/3, delta: 1/1000000}
"""
PRIOR = """\
worlds: {{records: [ann, bob], domain: [0, 1]}}
mechanism: {{randomized_response: {{truth: 3/4}}}}
priors: {{list: [{prior}]}}
checks:
  - noiseless: {{exp_epsilon: {level}}}
    leakage: {level}
"""
CHAIN = (
    "{markov: {initial: {0: 1/2, 1: 1/2}, transition: "
    "{0: {0: 9/10, 1: 1/10}, 1: {0: 1/10, 1: 9/10}}}}"
)
TREE = (
    "{tree: {parents: {bob: ann}, initial: {0: 1/2, 1: 1/2}, transitions: "
    "{bob: {0: {0: 9/10, 1: 1/10}, 1: {0: 1/10, 1: 9/10}}}}}"
)
EQUAL = "{worlds: {00: 1/2, 11: 1/2}}"
HALVES = f"[{{weight: 1/2, prior: uniform}}, {{weight: 1/2, prior: {EQUAL}}}]"


def _prior(text: str, prior: str, level: str) -> tuple[str, str]:
    return text, PRIOR.format(prior=prior, level=level)


SINGLE: Mapping[str, tuple[str, str]] = {  # word -> its text, and a spec file
    "uniform": _prior(
        """All worlds are equally likely.

Syntax. `uniform`""",
        "uniform",
        "3",
    ),
    "worlds": _prior(
        """Some worlds have given probabilities, the others none.

Syntax. `{worlds: {WORLD: NUMBER, …}}`""",
        EQUAL,
        "9",
    ),
    "iid": _prior(
        """Records are independent, and all follow one given distribution.

Syntax. `{iid: {VALUE: NUMBER, …}}`""",
        "{iid: {0: 1/4, 1: 3/4}}",
        "3",
    ),
    "independent": _prior(
        """Records are independent, and each follows a given distribution of its own.

Syntax. `{independent: [{VALUE: NUMBER, …}, …]}`, in the order of `records`""",
        "{independent: [{0: 1/2, 1: 1/2}, {0: 1/3, 1: 2/3}]}",
        "3",
    ),
    "markov": _prior(
        """Each record depends on the one before it, with given probabilities.

Syntax. `{markov: {initial: {VALUE: NUMBER, …}, transition: {VALUE: {VALUE: NUMBER, …}, …}}}`

Options. Both are needed:
- `initial`: the distribution of the first record, or `stationary`
- `transition`: for each value the distribution of the record after one with this value""",
        CHAIN,
        "7",
    ),
    "tree": _prior(
        """Each record depends on one other, its parent, with given probabilities.

Syntax. `{tree: {parents: {RECORD: RECORD, …}, initial: {VALUE: NUMBER, …}, transition: {VALUE:
{VALUE: NUMBER, …}, …}, transitions: {RECORD: …, …}}}`

Options. `parents` and `initial` are needed, and transitions of every record that has a parent:
- `parents`: the parent of each record; those without one are independent of each other
- `initial`: the distribution of records without a parent, or `stationary`, that of `transition`
- `transition`: for each value the distribution of a record whose parent has this value
- `transitions`: the same for single records, in place of `transition`""",
        TREE,
        "7",
    ),
    "mixture": _prior(
        """One of several priors holds, nobody knows which.

Syntax. `{mixture: [{weight: NUMBER, prior: PRIOR}, …]}`

Options. For each part:
- `weight`: its probability; all of them sum to 1
- `prior`: a single prior""",
        f"{{mixture: {HALVES}}}",
        "5",
    ),
    "weight": _prior(
        """Worlds are as likely as a formula says, up to a common factor.

Syntax. `{weight: EXPRESSION}`, a number of at least 0 in every world""",
        '{weight: "2 if ann == bob else 1"}',
        "21/5",
    ),
}

GROUPS = (
    Group(
        "key of the file",
        {
            "title": "What the file is about, in any words.\n\nSyntax. `title: TEXT`",
            "source": "Where the file's numbers come from.\n\nSyntax. `source: TEXT`",
            "worlds": "The possible databases, by name or as records with values.\n\n"
            "Syntax. `worlds: [NAME, …]` or `worlds: {records: …, domain: …}`",
            "secrets": "What must stay secret, each by a name and the worlds where it is true.\n\n"
            "Syntax. `secrets: {NAME: PREDICATE, …}` or `secrets: {NAME: [WORLD, …], …}`",
            "parameters": "Names of numbers: each with values, or with an interval that is "
            "decided as a whole.\n\n"
            "Syntax. `parameters: {NAME: LOW < NAME < HIGH, NAME: LOW < NAME, NAME: FIRST..LAST, "
            "NAME: [NUMBER, …]}`",
            "pairs": "The secrets that must not be told apart.\n\n"
            "Syntax. `pairs: [[SECRET, SECRET], …]`, `values`, `entries` or `presence`",
            "priors": "What attackers may believe, for all checks that ask about it.\n\n"
            "Syntax. `priors: CLASS` or `priors: {NAME: CLASS, …}`",
            "mechanisms": "What may be released, each mechanism with a name.\n\n"
            "Syntax. `mechanisms: {NAME: MECHANISM, …}`",
            "checks": "The claims to decide, one list item for each.\n\n"
            "Syntax. `checks: [{DEFINITION: {…}}, …]`",
        },
        FILE,
    ),
    Group(
        "key of the file",
        {
            "mechanism": "What is released: the probability of each output in each world.\n\n"
            "Syntax. `mechanism: MECHANISM`, or `mechanisms` for several with names",
        },
        ONE_MECHANISM,
    ),
    Group(
        "key of a check",
        {
            "name": "What the check is called in the answer.\n\nSyntax. `name: TEXT`",
            "mechanism": "The mechanism to check, where the file names several.\n\n"
            "Syntax. `mechanism: NAME` or `mechanism: MECHANISM`",
            "pairs": "The pairs of secrets of this check, in place of the file's.\n\n"
            "Syntax. `pairs: [[SECRET, SECRET], …]`, `values`, `entries` or `presence`",
            "priors": "The class of priors of this check, in place of the file's.\n\n"
            "Syntax. `priors: CLASS` or `priors: NAME`",
            "where": "Which values of the parameters the check is about.\n\n"
            "Syntax. `where: COMPARISON` such as `1/2 < p <= 3/4`, with `and` and `or`, or a list",
            "expect": "What the answer should be, so that anything else is a failure.\n\n"
            "Syntax. `expect: holds` (the default), `violated`, `vacuous` or `{holds: COMPARISON}` "
            "of parameters",
            "leakage": "What the smallest level should be, so that any other is a failure.\n\n"
            "Syntax. `leakage: NUMBER` (as e^ε), `infinite`, `[LOW, HIGH]` or `[[COMPARISON, "
            "FUNCTION], …]` of parameters",
        },
        FILE,
    ),
    Group(
        "key of worlds",
        {
            "records": "The people whose data are in the database.\n\n"
            "Syntax. `records: [NAME, …]` or `records: NUMBER`",
            "domain": "The values that a record may have.\n\n"
            "Syntax. `domain: [VALUE, …]` or `domain: {ATTRIBUTE: [VALUE, …], …}`",
            "absent": "Whether a record may also be missing.\n\n"
            "Syntax. `absent: true` or `false` (the default)",
            "where": "What everybody knows of the database: other worlds do not exist.\n\n"
            "Syntax. `where: PREDICATE` or `where: [PREDICATE, …]`",
        },
        WORLDS,
    ),
    Group(
        "key of worlds",
        {
            "exchangeable": "Whether a world says only how many records have each value, not "
            "which ones.\n\n"
            "Syntax. `exchangeable: true` or `false` (the default)",
        },
        EXCHANGEABLE,
    ),
    Group(
        "kind of pairs",
        {
            "values": "Each two values of each record.\n\nSyntax. `pairs: values`",
            "entries": "Each two values of each attribute of each record.\n\n"
            "Syntax. `pairs: entries`",
            "presence": "Each value of each record against its absence.\n\n"
            "Syntax. `pairs: presence`, for worlds with `absent: true`",
        },
        WORLDS,
    ),
    Group(
        "option of every definition with a level",
        {
            "tradeoff": "At which levels the smallest delta is told too.\n\n"
            "Syntax. `tradeoff: [NUMBER, …]` (as e^ε) or `tradeoff: corners`",
        },
        CURVE,
    ),
    Group(
        "kind of neighbours",
        {
            "replace": "One record has another value, and is present in both.\n\n"
            "Syntax. `neighbours: replace`",
            "entry": "One attribute of one record has another value.\n\n"
            "Syntax. `neighbours: entry`",
            "induced": "The fewest changes that public constraints allow.\n\n"
            "Syntax. `neighbours: induced`",
            "hamming": "So many records differ at most; presence counts.\n\n"
            "Syntax. `neighbours: {hamming: NUMBER}`",
            "l1": "All differences of numbers are at most this, added up.\n\n"
            "Syntax. `neighbours: {l1: NUMBER}`",
            "linf": "Each number differs by this at most.\n\nSyntax. `neighbours: {linf: NUMBER}`",
            "all": "Every two worlds.\n\nSyntax. `neighbours: all`",
        },
        NEIGHBOURS,
    ),
    Group(
        "kind of neighbours",
        {
            "add_remove": "One record is present in one world and absent in the other.\n\n"
            "Syntax. `neighbours: add_remove`, for worlds with `absent: true`",
        },
        PRESENT,
    ),
    Group(
        "kind of graph",
        {
            "full": "Every two values of a record.\n\nSyntax. `graph: full`",
            "partition": "Two values in the same block.\n\n"
            "Syntax. `graph: {partition: [[VALUE, …], …]}`",
            "distance": "Two numbers that differ by this at most.\n\n"
            "Syntax. `graph: {distance: NUMBER}`",
            "between": "The distances of values, where they are no numbers.\n\n"
            "Syntax. `graph: {distance: NUMBER, between: [[VALUE, VALUE, NUMBER], …]}`",
            "edges": "The listed values; `⊥` for an absent record.\n\n"
            "Syntax. `graph: {edges: [[VALUE, VALUE], …]}`",
            "records": "A graph for each record; every two values for a record without.\n\n"
            "Syntax. `graph: {records: {NAME: GRAPH, …}}`",
        },
        GRAPHS,
    ),
    Group(
        "kind of graph",
        {
            "attribute": "Two values that differ in one attribute.\n\nSyntax. `graph: attribute`",
        },
        ATTRIBUTE,
    ),
    Group(
        "word of expressions",
        {
            "world": "The current world, which is also the list of its records.\n\nSyntax. `world`",
            "value": "The value of the record that is counted.\n\n"
            "Syntax. `value`, inside `count` and `sum`",
            "present": "Whether a record is there.\n\nSyntax. `bob.present`",
            "count": "How many records satisfy a predicate.\n\nSyntax. `count(PREDICATE)`",
            "sum": "The sum of an expression over all records, or of a list.\n\n"
            "Syntax. `sum(EXPRESSION)` or `sum(LIST)`",
            "len": "The length of a list.\n\nSyntax. `len(LIST)`",
            "min": "The smallest of several numbers.\n\nSyntax. `min(NUMBER, …)` or `min(LIST)`",
            "max": "The largest of several numbers.\n\nSyntax. `max(NUMBER, …)` or `max(LIST)`",
            "abs": "A number without its sign.\n\nSyntax. `abs(NUMBER)`",
            "exp": "The exponential of a rational number, exactly.\n\nSyntax. `exp(NUMBER)`",
            "sqrt": "The square root of a number that is a square.\n\nSyntax. `sqrt(NUMBER)`",
            "sorted": "A list in order, or the keys of a dictionary.\n\n"
            "Syntax. `sorted(LIST)`, or `sorted(x)`, `sorted(x.items())` of a dictionary x",
            "range": "The whole numbers below one, as in Python.\n\nSyntax. `range(NUMBER)`",
            "xor": "Whether an odd number of truths hold, or of bits are 1.\n\n"
            "Syntax. `xor(TRUTH, …)`",
            "hamming": "In how many places two lists differ.\n\nSyntax. `hamming(LIST, LIST)`",
        },
        EXPRESSIONS,
    ),
    Group(
        "word of programs",
        {
            "draw": "A random value of a distribution.\n\nSyntax. `draw(DISTRIBUTION)`",
            "bernoulli": "One with a given probability, else zero.\n\nSyntax. `bernoulli(NUMBER)`",
            "binomial": "How many of some draws are one, each with a given probability.\n\n"
            "Syntax. `binomial(n=NUMBER, p=NUMBER)`",
            "uniform": "Each whole number between two ends is equally likely.\n\n"
            "Syntax. `uniform(NUMBER, NUMBER)`",
            "geometric": "A whole number plus two-sided noise, on all integers or clamped.\n\n"
            "Syntax. `geometric(NUMBER, ratio=NUMBER)`, `geometric(NUMBER, epsilon=NUMBER)` or "
            "`geometric(center=NUMBER, ratio=NUMBER, low=NUMBER, high=NUMBER)`",
        },
        EXPRESSIONS,
    ),
    Group(
        "word of programs",
        {
            "laplace": "A number plus two-sided noise on all reals.\n\n"
            "Syntax. `laplace(center=NUMBER, scale=NUMBER)`; the scale may be a multiple of 1 over "
            "a real parameter, `2/epsilon`",
            "normal": "A number plus normal noise, whose probabilities are enclosed.\n\n"
            "Syntax. `normal(center=NUMBER, scale=NUMBER)` or `normal(NUMBER, variance=NUMBER)`",
            "interval": "Each number between two ends is equally likely.\n\n"
            "Syntax. `interval(NUMBER, NUMBER)`",
            "argmax": "The place of the largest number, from 0.\n\n"
            "Syntax. `argmax(NUMBER, …)` or `argmax(LIST)`",
            "floor": "The largest whole number that is not above a number.\n\n"
            "Syntax. `floor(NUMBER)`",
            "round": "The nearest whole number, half way the even one.\n\nSyntax. `round(NUMBER)`",
        },
        NOISE,
    ),
)
