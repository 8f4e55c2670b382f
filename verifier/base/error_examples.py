"""For each code of an error or a note a wrong line, and a right one in its place.

What is shown is a part of a spec file about two records `ann` and `bob` with values 0 and 1: the
keys that it leaves out are as in the tests, which read the right part without this error or note,
and get it from the wrong one. Both print with `verifier explain CODE`.
"""

from __future__ import annotations

from typing import NamedTuple

SPEC = "spec.yaml"
COMMAND = "command"


class Example(NamedTuple):
    """A wrong part and a right one, and what they are in: a spec file, another, a command."""

    bad: str
    good: str
    file: str = SPEC

    @property
    def where(self) -> str:
        """In which file, if it is no spec file."""
        return "" if self.file in (SPEC, COMMAND) else f", in {self.file}"

    @property
    def language(self) -> str:
        """Of the parts, by the name of the file."""
        ends = {
            "yaml": "yaml",
            "csv": "csv",
            "py": "python",
            "lock": "text",
            "toml": "toml",
            COMMAND: "sh",
        }
        return ends[self.file.rsplit(".", 1)[-1]]

    def lines(self) -> list[str]:
        """The example as it is printed."""
        parts = (("wrong", self.bad), ("right", self.good))
        return [
            line
            for title, text in parts
            for line in (f"{title}{self.where}:", *(f"    {line}" for line in text.split("\n")))
        ]


def _table(rows: str) -> str:
    return f"worlds: [sun, rain]\nmechanism:\n  table: {{{rows}}}"


def _program(*lines: str) -> str:
    return "\n".join(["mechanism:", "  program: |", *(f"    {line}" for line in lines)])


def _secrets(priors: str = "all", rest: str = "pairs: [[yes, no]]") -> str:
    check = f"checks: [{{pufferfish: {{exp_epsilon: 9, priors: {priors}}}}}]"
    return f"secrets: {{yes: bob == 1, no: bob == 0}}\n{rest}\n{check}"


_VERSIONS = """\
mechanisms:
  {}: {{randomized_response: {{truth: 3/4}}}}
  new: {{randomized_response: {{truth: 2/3}}}}
checks: [{{differential_privacy: {{exp_epsilon: 2}}, mechanism: new}}]"""
_PEOPLE = """\
worlds: {records: [ann, bob], domain: [0, 1], absent: true}
mechanism: {geometric: {query: count(True), ratio: 1/2}}"""


def _secret(predicate: str) -> str:
    return f"secrets: {{yes: {predicate}, no: bob == 0}}"


def _dp(options: str, rest: str = "") -> str:
    return f"checks: [{{differential_privacy: {{{options}}}{rest}}}]"


def _values(priors: str) -> str:
    return f"checks: [{{pufferfish: {{exp_epsilon: 9, pairs: values, priors: {priors}}}}}]"


def _canonical(worlds: str) -> str:
    return (
        f"worlds: {{records: [ann, bob], domain: [0, 1]{worlds}}}\n"
        "mechanism: {deterministic: count(value == 1)}\n"
        "checks: [{distributional_privacy: {exp_epsilon: 2, priors: all, simulator: canonical}}]"
    )


def _responses(check: str) -> str:
    return (
        "mechanisms:\n  once: {randomized_response: {truth: 3/4}}\n"
        "  twice: {repeat: {of: once, runs: 2}}\n"
        f"checks: [{{differential_privacy: {{exp_epsilon: 9}}{check}}}]"
    )


def _accepted(side: str, expires: str) -> str:
    return (
        "- file: spec.yaml\n  check: one participant\n  status: leaks more\n"
        f"  from: {side}\n  to: sha256:e14758fe50a6eb8a\n"
        f"  reason: agreed on with the participants\n  expires: {expires}"
    )


def _noise(*lines: str) -> str:
    return "\n".join(["def noise(world):", *(f"    {line}" for line in lines)])


_ROUNDS = "i = 0|for k in {}:|    i += 1|return i"
_NOISY = _program("return ann + bob + draw(geometric(0, 1/2, -{0}, {0}))")
_UNSURE = 'p = Fraction(1 + world["ann"], 4)'
_FRACTION = "from fractions import Fraction\n\n\n"

EXAMPLES: dict[str, Example] = {
    "S001": Example("mechanism: {csv: missing.csv}", "mechanism: {csv: table.csv}"),
    "S002": Example(
        "# nothing yet",
        "worlds: [sun, rain]\nmechanism: {deterministic: world}\n"
        + _dp("epsilon: 0, delta: 1, neighbours: all"),
    ),
    "S003": Example("title: café    # saved as Latin-1", "title: café    # saved as UTF-8"),
    "S004": Example('title: "a bell \\a"', "title: a bell"),
    "S005": Example("title: @home", 'title: "@home"'),
    "S006": Example("title: a survey\ntitle: of two", "title: a survey of two"),
    "S007": Example(
        "worlds: {records: &all [ann, bob], domain: [0, 1]}",
        "worlds: {records: [ann, bob], domain: [0, 1]}",
    ),
    "S008": Example(_dp("epsilon: !!float 3"), _dp("epsilon: 3")),
    "S009": Example("title: one\n---\ntitle: two", "title: one"),
    "S010": Example(
        f"worlds: {'[' * 51}ann{']' * 51}", "worlds: {records: [ann, bob], domain: [0, 1]}"
    ),
    "S011": Example(
        "worlds: [w1, w2, …, w320000]", "worlds: {records: [ann, bob], domain: [0, 1]}"
    ),
    "S012": Example(
        "worlds: {<<: {records: [ann, bob]}, domain: [0, 1]}",
        "worlds: {records: [ann, bob], domain: [0, 1]}",
    ),
    "S013": Example(
        "mechanism: {deterministic: max(ann, bob)}", 'mechanism: {deterministic: "max(ann, bob)"}'
    ),
    "S014": Example("checks: 3", _dp("exp_epsilon: 9")),
    "S015": Example("tittle: a survey", "title: a survey"),
    "S016": Example(
        "mechanism: {randomized_response: {}}", "mechanism: {randomized_response: {truth: 3/4}}"
    ),
    "S017": Example(
        "worlds: {records: [ann, bob], domain: [0, 1], exchangeable: no}",
        "worlds: {records: [ann, bob], domain: [0, 1], exchangeable: false}",
    ),
    "S018": Example("secrets:\n  yes:", "secrets:\n  yes: bob == 1"),
    "S101": Example(
        "mechanism: {randomized_response: {truth: 75%}}",
        "mechanism: {randomized_response: {truth: 0.75}}",
    ),
    "S102": Example(
        "mechanism: {randomized_response: {truth: 1e-99999}}",
        "mechanism: {randomized_response: {truth: 1e-9}}",
    ),
    "S103": Example(
        _table("outputs: [dry, wet], sun: [0.33, 0.66], rain: [1/2, 1/2]"),
        _table("outputs: [dry, wet], sun: [1/3, 2/3], rain: [1/2, 1/2]"),
    ),
    "S104": Example(
        "mechanism: {randomized_response: {truth: 75}}",
        "mechanism: {randomized_response: {truth: 3/4}}",
    ),
    "S105": Example(
        _table("outputs: [dry, wet], sun: [1/2, 1/4, 1/4], rain: [1/2, 1/2]"),
        _table("outputs: [dry, wet, hail], sun: [1/2, 1/4, 1/4], rain: [1/2, 1/2, 0]"),
    ),
    "S106": Example(
        "mechanism: {laplace: {scale: 1}}",
        "mechanism: {geometric: {query: ann + bob, exp_epsilon: 3}}",
    ),
    "S107": Example(
        _table("outputs: [dry, wet], sun: [1/2, 1/2]"),
        _table("outputs: [dry, wet], sun: [1/2, 1/2], rain: [0, 1]"),
    ),
    "S108": Example(
        "world,café (saved as Latin-1),tea\nsun,1/2,1/2\nrain,1/4,3/4",
        "world,café (saved as UTF-8),tea\nsun,1/2,1/2\nrain,1/4,3/4",
        "table.csv",
    ),
    "S109": Example(
        "worlds: {records: [ann, bob], domain: [0, 1], absent: true}",
        "worlds: {records: [ann, bob], domain: [0, 1]}",
    ),
    "S110": Example(
        "mechanism: {geometric: {query: ann + bob, ratio: 2}}",
        "mechanism: {geometric: {query: ann + bob, ratio: 1/2}}",
    ),
    "S111": Example(
        "verifier check noise.yaml", "verifier check --allow-python noise.yaml", COMMAND
    ),
    "S112": Example(
        _noise('return {"yes": 0.75, "no": 0.25}'),
        _noise('return {"yes": "3/4", "no": "1/4"}'),
        "noise.py",
    ),
    "S113": Example(
        "import random\n\n\n"
        + _noise(
            "one = random.getrandbits(64)", 'return {"yes": f"1/{one}", "no": f"{one - 1}/{one}"}'
        ),
        _FRACTION + _noise(_UNSURE, 'return {"yes": p, "no": 1 - p}'),
        "noise.py",
    ),
    "S114": Example(
        "mechanism: {local: [{randomized_response: {truth: 3/4}}]}",
        "mechanism: {local: {randomized_response: {truth: 3/4}}}",
    ),
    "S115": Example(
        "mechanism: {randomized_response: {truth: exp(1)/(1 + exp 1)}}",
        "mechanism: {randomized_response: {truth: exp(1)/(1 + exp(1))}}",
    ),
    "S116": Example(
        "mechanism: {geometric: {query: ann + bob, ratio: exp(-exp(1))}}",
        "mechanism: {geometric: {query: ann + bob, ratio: exp(-1)}}",
    ),
    "S117": Example(
        "mechanism: {geometric: {query: ann + bob, ratio: (1 + exp(1))**(-1/2)}}",
        "mechanism: {geometric: {query: ann + bob, ratio: exp(-1/2)}}",
    ),
    "S118": Example(_dp("epsilon: exp(1)"), _dp("epsilon: 1")),
    "S119": Example(
        _table("outputs: [dry, wet], sun: [[0.5, 0.6], [0.1, 0.3]], rain: [1/4, 3/4]"),
        _table("outputs: [dry, wet], sun: [[0.5, 0.6], [0.4, 0.5]], rain: [1/4, 3/4]"),
    ),
    "S120": Example(
        "worlds: [sun, rain]\n"
        "mechanism: {repeat: {of: {table: {outputs: [dry, wet], sun: [[0, 1], [0, 1]], "
        "rain: [1, 0]}}, runs: 2}}",
        _table("outputs: [dry, wet], sun: [[0, 1], [0, 1]], rain: [1, 0]"),
    ),
    "S121": Example(
        "verifier audit diffprivlib.mechanisms.Binary --epsilon one",
        "verifier audit diffprivlib.mechanisms.Binary --epsilon 1",
        COMMAND,
    ),
    "S122": Example(
        "worlds: {records: [ann], domain: [0, 1]}\n"
        "mechanism:\n  mixture:\n"
        "    - {weight: 1/2, mechanism: {program: 'return ann + draw(laplace(0, 1))'}}\n"
        "    - {weight: 1/2, mechanism: {deterministic: ann}}",
        "worlds: {records: [ann], domain: [0, 1]}\n"
        "mechanism:\n  program: 'return ann + draw(laplace(0, 1))'",
    ),
    "S123": Example(
        "verifier audit pure_ldp.RAPPORClient --f 0.5 --d 2",
        "verifier audit pure_ldp.DEClient --epsilon 1 --d 2",
        COMMAND,
    ),
    "S201": Example("worlds: sun", "worlds: [sun]\nmechanism: {deterministic: world}"),
    "S202": Example(
        "worlds: {records: [ann, ann], domain: [0, 1]}",
        "worlds: {records: [ann, bob], domain: [0, 1]}",
    ),
    "S203": Example(
        "worlds: {records: [ann, bob, 3rd], domain: [0, 1]}",
        "worlds: {records: [ann, bob, third], domain: [0, 1]}",
    ),
    "S204": Example(
        "worlds: {records: [ann, bob], domain: 2}",
        "worlds: {records: [ann, bob], domain: [0, 1]}",
    ),
    "S205": Example(
        "worlds: {records: two, domain: [0, 1]}", "worlds: {records: 2, domain: [0, 1]}"
    ),
    "S206": Example(
        "worlds: {records: 64, domain: [0, 1]}\nmechanism: {deterministic: world}",
        "worlds: {records: 4, domain: [0, 1]}\nmechanism: {deterministic: world}",
    ),
    "S207": Example(
        "worlds: {records: [ann, bob], domain: [0, 1], where: ann + bob == 3}",
        "worlds: {records: [ann, bob], domain: [0, 1], where: ann + bob == 1}",
    ),
    "S208": Example("secrets: {yes: [01, 12]}", "secrets: {yes: [01, 11]}"),
    "S301": Example(_secret("bob = 1"), _secret("bob == 1")),
    "S302": Example(_secret("bob is 1"), _secret("bob == 1")),
    "S303": Example(_secret("bobb == 1"), _secret("bob == 1")),
    "S304": Example(_secret("bob == 0x1"), _secret("bob == 1")),
    "S305": Example(
        'mechanism: {deterministic: "xor()"}', 'mechanism: {deterministic: "xor(ann, bob)"}'
    ),
    "S306": Example(_secret("bob"), _secret("bob == 1")),
    "S307": Example(
        "mechanism: {deterministic: bob / ann}",
        "mechanism: {deterministic: bob / ann if ann != 0 else 0}",
    ),
    "S308": Example(
        'mechanism: {deterministic: "world[2]"}', 'mechanism: {deterministic: "world[1]"}'
    ),
    "S309": Example(_secret("bob == 'yes'"), _secret("bob == 1")),
    "S310": Example(
        _program("bob = draw(bernoulli(1/2))", "return bob"),
        _program("coin = draw(bernoulli(1/2))", "return coin"),
    ),
    "S311": Example(
        _program("return draw({0: 1/3, 1: 1/3})"), _program("return draw({0: 1/3, 1: 2/3})")
    ),
    "S312": Example(
        _program("if ann == 1:", "    return 'yes'"),
        _program("if ann == 1:", "    return 'yes'", "return 'no'"),
    ),
    "S313": Example(
        _program("return count(draw(bernoulli(1/2)) == value)"),
        _program("coin = draw(bernoulli(1/2))", "return count(coin == value)"),
    ),
    "S314": Example(
        _program("if ann == 1:", "    answer = 1", "return answer"),
        _program("answer = 0", "if ann == 1:", "    answer = 1", "return answer"),
    ),
    "S315": Example(
        _program("x = ann + draw(laplace(0, 1))", "return [10, 20][x]"),
        _program("x = ann + draw(laplace(0, 1))", "return [10, 20][1 if x > 0 else 0]"),
    ),
    "S316": Example(
        _program("x = draw(laplace(ann, 1))", "return x * x > 4"),
        _program("x = draw(laplace(ann, 1))", "return abs(x) > 2"),
    ),
    "S317": Example(
        _program("return draw(laplace(ann, 1)) == 1"),
        _program("return floor(draw(laplace(ann, 1))) == 1"),
    ),
    "S318": Example(
        _program("return round(draw(laplace(ann, 1)))"),
        _program("return max(0, min(1, round(draw(laplace(ann, 1)))))"),
    ),
    "S319": Example(
        _program("n = draw(geometric(ann, 1/2))", *_ROUNDS.format("range(n)").split("|")),
        _program("n = draw(geometric(ann, 1/2))", *_ROUNDS.format("range(2)").split("|")),
    ),
    "S320": Example(
        _program("return draw(laplace(ann, 0)) > 1"), _program("return draw(laplace(ann, 1)) > 1")
    ),
    "S321": Example(
        _program("return draw(geometric(ann, 1/2)) > draw(laplace(bob, 1))"),
        _program("return draw(laplace(ann, 1)) > draw(laplace(bob, 1))"),
    ),
    "S322": Example(
        _program("x = draw(laplace(ann, 1))", "return [max(x, 0), x]"),
        _program("x = draw(laplace(ann, 1))", "return max(x, 0)"),
    ),
    "S323": Example(
        _program("return ann + draw(laplace(0, 1 + bob))"),
        _program("return ann + draw(laplace(0, 2))"),
    ),
    "S401": Example("secrets: {bob: bob == 1}", "secrets: {bob_yes: bob == 1}"),
    "S402": Example("secrets: {many: ann + bob > 2}", "secrets: {many: ann + bob > 1}"),
    "S403": Example(
        _secrets("{list: [{iid: {0: 1}}]}"), _secrets("{list: [{iid: {0: 1/2, 1: 1/2}}]}")
    ),
    "S404": Example(_secrets(rest="pairs: []"), _secrets()),
    "S405": Example("pairs: value", "pairs: values"),
    "S406": Example(
        "secrets: {yes: bob == 1, some: ann + bob >= 1}\npairs: [[yes, some]]",
        "secrets: {yes: bob == 1, some: ann == 1 and bob == 0}\npairs: [[yes, some]]",
    ),
    "S407": Example(
        "pairs: presence\nworlds: {records: [ann, bob], domain: [0, 1]}\n"
        "mechanism: {deterministic: count(value == 1)}",
        "pairs: presence\nworlds: {records: [ann, bob], domain: [0, 1], absent: true}\n"
        "mechanism: {deterministic: count(value == 1)}",
    ),
    "S501": Example("priors: any", "priors: all"),
    "S502": Example(
        "priors: {list: [{independent: [{0: 1/2, 1: 1/2}]}]}",
        "priors: {list: [{independent: [{0: 1/2, 1: 1/2}, {0: 1}]}]}",
    ),
    "S503": Example(
        "worlds: {records: [ann, bob], domain: [0, 1], where: ann != bob}\n"
        "priors: {list: [{iid: {0: 1}}]}",
        "worlds: {records: [ann, bob], domain: [0, 1], where: ann != bob}\n"
        "priors: {list: [{iid: {0: 1/2, 1: 1/2}}]}",
    ),
    "S504": Example(
        "priors: {list: [{iid: {0: 1/2, 1: 1/3}}]}", "priors: {list: [{iid: {0: 1/2, 1: 1/2}}]}"
    ),
    "S505": Example("priors: {list: []}", "priors: {list: [uniform]}"),
    "S506": Example(
        "checks: [{noiseless: {exp_epsilon: 9}}]",
        "checks: [{noiseless: {exp_epsilon: 9, priors: product}}]",
    ),
    "S507": Example(
        _secrets("{conditionals: {yes: {worlds: {11: 1}}}}"),
        _secrets("{conditionals: {yes: {worlds: {11: 1}}, no: {worlds: {00: 1}}}}"),
    ),
    "S508": Example(
        'priors: {constraints: ["P(11) < 1/2"]}', 'priors: {constraints: ["P(11) <= 1/2"]}'
    ),
    "S509": Example(
        'priors: {constraints: ["P(11) in [3/4, 1/4]"]}',
        'priors: {constraints: ["P(11) in [1/4, 3/4]"]}',
    ),
    "S510": Example(
        'priors: {constraints: ["P(11) * P(00) <= 1/4"]}',
        'priors: {constraints: ["P(11) + P(00) <= 1/4"]}',
    ),
    "S511": Example(
        'priors: {constraints: ["P(11) >= 2/3", "P(00) >= 2/3"]}',
        'priors: {constraints: ["P(11) >= 1/3", "P(00) >= 2/3"]}',
    ),
    "S601": Example(_dp("exp_epsilon: 1/2"), _dp("exp_epsilon: 2")),
    "S602": Example("checks: [{expect: holds}]", _dp("exp_epsilon: 9", ", expect: holds")),
    "S603": Example(
        _dp("exp_epsilon: 9, neighbours: all, group: 2"),
        _dp("exp_epsilon: 9, neighbours: replace, group: 2"),
    ),
    "S604": Example(
        "checks: [{sensitivity: {query: ann == 1}}]",
        "checks: [{sensitivity: {query: 1 if ann == 1 else 0}}]",
    ),
    "S605": Example(_responses(""), _responses(", mechanism: twice")),
    "S606": Example("checks: []", _dp("exp_epsilon: 9")),
    "S607": Example(
        _dp("exp_epsilon: 9", ", leakage: ln(3)"), _dp("exp_epsilon: 9", ", leakage: 3")
    ),
    "S608": Example(
        "priors: {list: [uniform]}\n"
        "checks: [{coupled_worlds: {exp_epsilon: 9, alt: [ann, bob], priv: [bob]}}]",
        "priors: {list: [uniform]}\n"
        "checks: [{coupled_worlds: {exp_epsilon: 9, alt: [ann, bob], priv: [bob, ann]}}]",
    ),
    "S609": Example(_canonical(""), _canonical(", absent: true")),
    "S701": Example(
        "verifier check spec.yaml --certificates spec.yaml",
        "verifier check spec.yaml --certificates proofs",
        COMMAND,
    ),
    "S702": Example(
        "verifier sweep interval.yaml --set p=2/3 --out table.csv    # which is there already",
        "verifier sweep interval.yaml --set p=2/3 --out answers.csv",
        COMMAND,
    ),
    "S801": Example(
        "verifier search parameters.yaml --set truht=2/3,3/4",
        "verifier search parameters.yaml --set truth=2/3,3/4",
        COMMAND,
    ),
    "S802": Example("parameters: {p: 1 < p < 1/2}", "parameters: {p: 1/2 < p < 1}"),
    "S803": Example(
        "parameters: {p: 1/2 < p < 1}\n" + _dp("epsilon: p + 9"),
        "parameters: {p: 1/2 < p < 1}\n" + _dp("exp_epsilon: p + 9"),
    ),
    "S804": Example(
        "parameters: {p: 1/2 < p < 1}\n" + _dp("exp_epsilon: exp(p + 1) + 9"),
        "parameters: {p: 1/2 < p < 1}\n" + _dp("exp_epsilon: exp(p) + 9"),
    ),
    "S805": Example(
        "parameters: {p: 1/2 < p < 1}\n" + _dp("exp_epsilon: p + 9", ", where: p"),
        "parameters: {p: 1/2 < p < 1}\n" + _dp("exp_epsilon: p + 9", ", where: p < 3/4"),
    ),
    "S806": Example(
        "verifier check interval.yaml --set p=2",
        "verifier check interval.yaml --set p=2/3",
        COMMAND,
    ),
    "S901": Example(
        _accepted("version 1", "soon"),
        _accepted("sha256:07b14a7e4315cf29", "2999-01-31"),
        "accepted.yaml",
    ),
    "S902": Example(
        "<<<<<<< HEAD",
        "# verifier.lock 3: exact answers, written by `verifier lock`, to be committed",
        "verifier.lock",
    ),
    "S903": Example("verifier diff ./ ./ spce.yaml", "verifier diff ./ ./ spec.yaml", COMMAND),
    "S904": Example(
        "verifier check spec.yaml --locked    # with no line for it in verifier.lock",
        "verifier lock spec.yaml",
        COMMAND,
    ),
    "S905": Example("time_limit = 60", "time-limit = 60", "verifier.toml"),
    "N101": Example(
        _program("if ann + bob < 3:", "    return 'few'", "return 'many'"),
        _program("if ann + bob < 2:", "    return 'few'", "return 'many'"),
    ),
    "N102": Example(
        _program("if ann + bob > 2:", "    return 'many'", "return 'few'"),
        _program("if ann + bob > 1:", "    return 'many'", "return 'few'"),
    ),
    "N103": Example("secrets: {yes: bob == 1}", _secrets()),
    "N104": Example("priors: all", f"priors: all\n{_values('all').replace(', priors: all', '')}"),
    "N105": Example(
        "worlds: {records: [ann, bob], domain: [0, 1], where: ann + bob == 1}\n"
        + _dp("exp_epsilon: 9"),
        "worlds: {records: [ann, bob], domain: [0, 1], where: ann + bob == 1}\n"
        "checks: [{induced_neighbours: {exp_epsilon: 9}}]",
    ),
    "N106": Example(
        f"{_NOISY.format(2)}\n{_dp('exp_epsilon: 2')}",
        f"{_NOISY.format(4)}\n{_dp('exp_epsilon: 2, delta: 1/16')}",
    ),
    "N107": Example(
        _program("best = 0", "if ann == 1:", "    bset = 1", "return best"),
        _program("best = 0", "if ann == 1:", "    best = 1", "return best"),
    ),
    "N108": Example(
        _program("if ann == 1:", "    return '1'", "return 0"),
        _program("if ann == 1:", "    return 1", "return 0"),
    ),
    "N109": Example(
        _program(
            "if ann == 1:", "    return 'no'", "if bob == 1:", "    return 'yes'", "return 'yess'"
        ),
        _program("if ann == 1:", "    return 'no'", "return 'yes'"),
    ),
    "N110": Example(_program("return 'ann'"), _program("return ann")),
    "N111": Example(
        _VERSIONS.format("old"),
        _VERSIONS.format("_old"),
    ),
    "N112": Example(
        "parameters: {p: 1/2 < p < 1}\nmechanism: {randomized_response: {truth: 3/4}}",
        "parameters: {p: 1/2 < p < 1}\nmechanism: {randomized_response: {truth: p}}\n"
        "checks: [{differential_privacy: {exp_epsilon: p/(1 - p)}}]",
    ),
    "N113": Example(
        f"{_PEOPLE}\n{_dp('exp_epsilon: 2')}",
        f"{_PEOPLE}\n{_dp('exp_epsilon: 2, neighbours: add_remove')}",
    ),
    "N114": Example(
        "worlds: {records: [ann, bob], domain: [0, 1], where: ann == 1}",
        "worlds: {records: [_ann, bob], domain: [0, 1], where: _ann == 1}",
    ),
    "N115": Example(
        "mechanism: {geometric: {query: ann, ratio: 1/2}}",
        "mechanism: {geometric: {query: ann + bob, ratio: 1/2}}",
    ),
    "N116": Example(
        "mechanism: {deterministic: ann - ann + bob - bob}",
        "mechanism: {deterministic: ann - ann + bob - bob}\n"
        "checks: [{differential_privacy: {exp_epsilon: 9}, leakage: 1}]",
    ),
    "N117": Example(_dp("exp_epsilon: 9, delta: 1/2"), _dp("exp_epsilon: 9, delta: 1/1000")),
    "N118": Example(_dp("epsilon: 3"), _dp("exp_epsilon: 3")),
    "N119": Example(
        _secrets("{list: [{worlds: {00: 1/2, 10: 1/2}}, uniform]}"),
        _secrets("{list: [uniform]}"),
    ),
    "N201": Example(
        _accepted("sha256:07b14a7e4315cf29", "2999-01-31"),
        "[]    # once there is no such change any more",
        "accepted.yaml",
    ),
    "N202": Example(
        "verifier check moved.yaml --locked    # with a lock of spec.yaml",
        "verifier lock moved.yaml",
        COMMAND,
    ),
}
