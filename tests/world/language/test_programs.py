"""Programs: matrices by hand, errors with their places, limits."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from verifier.base.document import parse
from verifier.base.errors import InputError, LimitReached
from verifier.programs.run import run_program
from verifier.world.mechanism import Mechanism
from verifier.world.worlds import WorldSpace, database, named

BITS = database(["r1", "r2"], [0, 1])


def rows(made: Mechanism) -> dict[str, str]:
    """Each output with its probabilities, one per world."""
    texts = (" ".join(map(str, row)) for row in made.rows())
    return dict(zip(made.outputs, texts, strict=True))


def test_collapse_with_one_prior() -> None:
    """Composition paper, Example 1."""
    program = """\
if world in s1:
    return (world, draw({b1: 1/2, b2: 1/2}))
return (draw({a1: 1/4, a2: 3/4}), world)
"""
    secrets = {"s1": np.array([True, True, False, False])}
    made = run_program(named(["a1", "a2", "b1", "b2"]), program, secrets)
    assert rows(made) == {
        "(a1, b1)": "1/2 0 1/4 0",
        "(a1, b2)": "1/2 0 0 1/4",
        "(a2, b1)": "0 1/2 3/4 0",
        "(a2, b2)": "0 1/2 0 3/4",
    }


def test_collapse_with_xor() -> None:
    """Composition paper, Example 2, n = 3."""
    program = """\
if draw({0: 1/2, 1: 1/2}) == 0:
    return ('A', xor(r1, r2), xor(r1, r3))
return ('B', xor(r1, r2, r3))
"""
    made = run_program(database(["r1", "r2", "r3"], [0, 1]), program)
    half = "1/2"
    expected = {f"('A', {a}, {b})": ["0"] * 8 for a, b in product((0, 1), repeat=2)}
    expected |= {"('B', 0)": ["0"] * 8, "('B', 1)": ["0"] * 8}
    for world, (x, y, z) in enumerate(product((0, 1), repeat=3)):
        expected[f"('A', {(x + y) % 2}, {(x + z) % 2})"][world] = half
        expected[f"('B', {(x + y + z) % 2})"][world] = half
    assert rows(made) == {label: " ".join(row) for label, row in expected.items()}


SINGLE_PRIOR = """\
k = count(value == 1)
r = draw(geometric(center=k, ratio=1/2, low=0, high=6))   # two-sided noise, clamped
if k < 2 or k > 4 or r < 2 or r > 4:
    return ('noisy', r)
wanted = (1/2) ** (2 + min(abs(r - 2) + abs(2 - k), abs(r - 4) + abs(4 - k)))
if draw({'keep': wanted / (1/2) ** abs(r - k), 'thin': 1 - wanted / (1/2) ** abs(r - k)}) == 'keep':
    return ('noisy', r)
return ('true', k)
"""


def test_single_prior() -> None:
    """Pufferfish paper, Algorithm 1 with n = 6, q = 1/2, level 2. By hand, for counts 0 and 2."""
    made = run_program(database([f"r{i + 1}" for i in range(6)], [0, 1]), SINGLE_PRIOR)
    noisy = [f"('noisy', {r})" for r in range(7)]
    assert made.outputs == (*noisy, "('true', 2)", "('true', 3)", "('true', 4)")
    column = {label: made.probability(o, 0) for o, label in enumerate(made.outputs)}
    tails = [Fraction(2, 3)] + [Fraction(1, 3 * 2**r) for r in range(1, 6)]
    assert [column[label] for label in noisy] == [*tails, Fraction(2, 3 * 2**6)]
    # count 2: P(r) = 1/3 (1/2)^|r-2|; inside 2..4 it is kept with probability 1/4 over (1/2)^|r-2|
    # times (1/2)^min(|r-2|, |r-4| + 2): r=2: 1/4, r=3: (1/8)/(1/2), r=4: (1/16)/(1/4)
    world = 0b000011
    kept = [Fraction(1, 3) / 2 ** abs(r - 2) / 4 for r in (2, 3, 4)]
    found = [made.probability(o, world) for o in range(10)]
    assert found[2:5] == kept
    assert found[7] == 3 * sum(kept)
    assert found[0] == Fraction(2, 3) / 4
    assert sum(found) == 1


def program_rows(program: str, space: WorldSpace = BITS) -> dict[str, str]:
    return rows(run_program(space, program))


TABLE = [
    ("return r1", {"0": "1 1 0 0", "1": "0 0 1 1"}),
    ("return draw({r1: 1/3, r2: 2/3})", {"0": "1 1/3 2/3 0", "1": "0 2/3 1/3 1"}),
    (
        "return draw({0: .9, 1: 1e-1, 2: 0})",
        {"0": " ".join(["9/10"] * 4), "1": "1/10 " * 3 + "1/10"},
    ),
    ("return draw(bernoulli(r1 / 4))", {"0": "1 1 3/4 3/4", "1": "0 0 1/4 1/4"}),
    (
        "d = geometric(r1, 1/2, 0, 1)\nreturn draw(d)",
        {"0": "2/3 2/3 1/3 1/3", "1": "1/3 1/3 2/3 2/3"},
    ),
    (
        "return draw(geometric(5, 1/2, 0, 0)) + draw(geometric(r1, 0, 0, 1))",
        {"0": "1 1 0 0", "1": "0 0 1 1"},
    ),
    (
        "return draw(uniform(1, 2)) + draw(uniform(1, 2))",
        {"2": "1/4 1/4 1/4 1/4", "3": "1/2 1/2 1/2 1/2", "4": "1/4 1/4 1/4 1/4"},
    ),
    (
        "return 0 < draw(uniform(0, 3)) <= draw(uniform(1, 2))",
        {"False": "5/8 5/8 5/8 5/8", "True": "3/8 3/8 3/8 3/8"},
    ),
    (
        "y = r1 == 1 or draw(bernoulli(1/3)) == 1\nreturn 'a' if y else draw({r2: 1})",
        {"0": "2/3 0 0 0", "1": "0 2/3 0 0", "a": "1/3 1/3 1 1"},
    ),
    (
        "y = 0\nif r1 == 1 and draw({0: 1/2, 1: 1/2/r1}) == 1:\n    y += 1\nreturn y",
        {"0": "1 1 1/2 1/2", "1": "0 0 1/2 1/2"},
    ),
    (
        "if r2 != 0:\n    x = r1 / r2\n    return x\nreturn 'none'",
        {"0": "0 1 0 0", "1": "0 0 0 1", "none": "1 0 1 0"},
    ),
    (
        "x = [r1]\nx.append(draw({r2: 1}))\nreturn x + (2,)",
        {
            "(0, 0, 2)": "1 0 0 0",
            "(0, 1, 2)": "0 1 0 0",
            "(1, 0, 2)": "0 0 1 0",
            "(1, 1, 2)": "0 0 0 1",
        },
    ),
    (
        "x = []\nfor i in range(9):\n    if i % 2 == 1:\n        continue\n    if i > 4:\n"
        "        break\n    x.append(i)\nreturn (x, i)",
        {"((0, 2, 4), 6)": "1 1 1 1"},
    ),
    (
        "n = draw(uniform(0, 2))\nx = 0\nfor i in range(n):\n    x += i\nreturn x",
        {"0": "2/3 2/3 2/3 2/3", "1": "1/3 1/3 1/3 1/3"},
    ),
    (
        "k = draw(bernoulli(1/2))\nreturn count(value == k)",
        {
            "0": "1/2 0 0 1/2",
            "1": "0 1 1 0",
            "2": "1/2 0 0 1/2",
        },
    ),
    (
        "return sum([draw(bernoulli(1/2)), r1])",
        {"0": "1/2 1/2 0 0", "1": "1/2 1/2 1/2 1/2", "2": "0 0 1/2 1/2"},
    ),
    ("pass\nreturn 3,", {"(3,)": "1 1 1 1"}),
    ("return '1' if r1 == 1 else 1", {"1": "1 1 0 0", "'1'": "0 0 1 1"}),
    ("return True if r1 == 1 else 1", {"1": "1 1 0 0", "True": "0 0 1 1"}),
    (
        "return draw(binomial(2, 1/3)) + draw(binomial(p=1, n=r1))",
        {"0": "4/9 4/9 0 0", "1": "4/9 4/9 4/9 4/9", "2": "1/9 1/9 4/9 4/9", "3": "0 0 1/9 1/9"},
    ),
    (
        "x = [[0, r2]] * 2\ny = x\nx[r1][-1] += 2\nx[0][0] = draw({'a': 1})\nreturn [x, y[0][0]]",
        {
            "((('a', 0), (0, 2)), 0)": "0 0 1 0",
            "((('a', 1), (0, 3)), 0)": "0 0 0 1",
            "((('a', 2), (0, 0)), 0)": "1 0 0 0",
            "((('a', 3), (0, 1)), 0)": "0 1 0 0",
        },
    ),
    (
        "d = {}\nfor v in world:\n    d[v] = d.get(v, 0) + 1\ne = d\ne['z'] = {}\n"
        "e['z'][(r1, 1)] = 5\nreturn [sorted(d.items()), (0, 1) in e['z'], len(e)]",
        {
            "(((0, 1), (1, 1)), False, 3)": "0 0 1 0",
            "(((0, 1), (1, 1)), True, 3)": "0 1 0 0",
            "(((0, 2),), True, 2)": "1 0 0 0",
            "(((1, 2),), False, 2)": "0 0 0 1",
        },
    ),
    (
        "d = {1: 0, 0: r2}\nn = 0\nfor k, v in sorted(d.items()):\n    n = 10 * n + 2 * k + v\n"
        "return [n, sorted([r2, 'a', 2, r1, (1, 0), True])]",
        {
            "(2, (0, 0, 2, True, 'a', (1, 0)))": "1 0 0 0",
            "(2, (0, 1, 2, True, 'a', (1, 0)))": "0 0 1 0",
            "(12, (0, 1, 2, True, 'a', (1, 0)))": "0 1 0 0",
            "(12, (1, 1, 2, True, 'a', (1, 0)))": "0 0 0 1",
        },
    ),
    (
        "return [sqrt(9/4), sqrt(exp(2)) == exp(1), sqrt(r1 * 4)]",
        {"(3/2, True, 0)": "1 1 0 0", "(3/2, True, 2)": "0 0 1 1"},
    ),
    ("return world", {"00": "1 0 0 0", "01": "0 1 0 0", "10": "0 0 1 0", "11": "0 0 0 1"}),
]


@pytest.mark.parametrize(("program", "expected"), TABLE)
def test_program(program: str, expected: dict[str, str]) -> None:
    assert program_rows(program) == expected


def test_outputs_are_sorted() -> None:
    program = "return [10, 2, 'b', 'a', True, -1, (1, 2), (1,)][draw(uniform(0, 7))]"
    made = run_program(BITS, program)
    assert made.outputs == ("-1", "2", "10", "True", "a", "b", "(1,)", "(1, 2)")


FAILURES = [
    ("r1 = 3\nreturn 1", "S310", (1, 1)),
    ("for world in (1, 2):\n    pass\nreturn 1", "S310", (1, 5)),
    ("x = 1\nsum += 1\nreturn 1", "S310", (2, 1)),
    ("return x", "S303", (1, 8)),
    ("x = y\ny = 1\nreturn 1", "S314", (1, 5)),
    ("if r1 == 1:\n    x = 1\nreturn x", "S314", (3, 8)),
    ("x = 1", "S312", (1, 1)),
    ("if r1 == 0:\n    return 1", "S312", (1, 1)),
    ("# nothing", "S312", (1, 1)),
    ("return draw({0: 1/2, 1: 1/3})", "S311", (1, 13)),
    ("return draw({0: 3/2, 1: -1/2})", "S311", (1, 13)),
    ("return draw(bernoulli(2))", "S311", (1, 13)),
    ("return draw(geometric(0, 1, 0, 1))", "S311", (1, 13)),
    ("return draw(geometric(0, 1/2, 3, 1))", "S311", (1, 13)),
    ("return draw(geometric(0, 1/2, 3))", "S305", (1, 13)),
    ("return draw(geometric(0, 1/2, 3, low=1))", "S305", (1, 38)),
    ("return draw(uniform(2, 1))", "S311", (1, 13)),
    ("return draw(uniform(0, 1/2))", "S306", (1, 13)),
    ("return draw(3)", "S306", (1, 13)),
    ("return uniform(1, 2)", "S306", (1, 8)),
    ("return count(draw(bernoulli(1/2)) == 1)", "S313", (1, 14)),
    ("if r1:\n    return 1\nreturn 2", "S306", (1, 4)),
    ("for q in r1:\n    pass\nreturn 1", "S306", (1, 10)),
    ("x = r1 / r2\nreturn 1", "S307", (1, 5)),
    ("x = 2\nfor i in range(99):\n    x = x * x\nreturn 1", "S307", (3, 9)),
    ("x = ()\nfor i in range(99):\n    x = (x, x)\nreturn 1", "S307", (3, 9)),
    ("x = 3\nx.append(1)\nreturn x", "S306", (2, 1)),
    ("x, y = 1, 2\nreturn x", "S302", (1, 1)),
    ("x = y = 1\nreturn x", "S302", (1, 1)),
    ("x: int = 1\nreturn x", "S302", (1, 1)),
    ("x = [1]\nx[1] = 2\nreturn x", "S308", (2, 1)),
    ("while True:\n    return 1", "S302", (1, 1)),
    ("for i in (1, 2):\n    pass\nelse:\n    pass\nreturn 1", "S302", (1, 1)),
    ("import os", "S302", (1, 1)),
    ("def f():\n    return 1", "S302", (1, 1)),
    ("del r1", "S302", (1, 1)),
    ("break", "S302", (1, 1)),
    ("return", "S302", (1, 1)),
    ("draw(bernoulli(1/2))\nreturn 1", "S302", (1, 1)),
    ("return (x := 1)", "S302", (1, 9)),
    ("return {1, 2}", "S302", (1, 8)),
    ("return 1 +", "S301", None),
    ("if r1 == 1:\nreturn 1", "S301", None),
    ("".join(" " * i + "for i in (1, 2):\n" for i in range(9)) + " " * 9 + "pass", "S304", (9, 9)),
]


@pytest.mark.parametrize(("program", "code", "place"), FAILURES)
def test_failure_with_its_place(program: str, code: str, place: tuple[int, int] | None) -> None:
    with pytest.raises(InputError) as caught:
        run_program(BITS, program)
    assert caught.value.code == code
    assert place is None or caught.value.place[1:] == place


def test_a_failure_names_world_and_state() -> None:
    program = "k = r1 + r2\nx = draw(bernoulli(1/2))\nreturn draw({0: (k + 1) / 3, 1: 2/3 - x})"
    with pytest.raises(InputError, match=r"\(in world 00, with k = 0, x = 1\)"):
        run_program(BITS, program)


def test_places_in_a_file() -> None:
    node = parse("program: |\n  x = 1\n  return x + 'é' + y\n").mapping()["program"].scalar()
    with pytest.raises(InputError) as caught:
        run_program(BITS, node)
    assert caught.value.place[1:] == (3, 20)


def test_too_many_states_or_steps_is_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("verifier.programs.front.MAX_ROWS", 1000)
    doubling = "s = 0\nfor i in range(30):\n    s = 2 * s + draw(bernoulli(1/2))\nreturn s"
    with pytest.raises(LimitReached, match="states at once"):
        run_program(BITS, doubling)
    monkeypatch.setattr("verifier.programs.run.MAX_WORK", 100_000)
    with pytest.raises(LimitReached, match="steps"):
        run_program(BITS, "for i in range(9999):\n    x = i\nreturn 1")


def test_a_long_loop_over_few_states() -> None:
    program = "s = 0\nfor i in range(1000):\n    s = (s + draw({0: 1/2, 1: 1/2})) % 7\nreturn s"
    made = run_program(BITS, program)
    weight = [1] + [0] * 6
    for _ in range(1000):
        weight = [weight[s] + weight[s - 1] for s in range(7)]
    assert [row[0] for row in made.rows()] == [Fraction(w, 2**1000) for w in weight]


SPARSE = """\
rho = draw(geometric(0, 1/2, -12, 12))
out = []
{loop}
    if q + draw(geometric(0, 1/2, -12, 12)) >= 1 + rho:
        out.append(1)
        break
    out.append(0)
return out
"""


def test_sparse_vector_on_729_worlds() -> None:
    """Against the sum over the threshold's noise of products of tails, in a few worlds."""
    space = database([f"r{i + 1}" for i in range(6)], [0, 1, 2])
    loop = "for q in [r1, r2, r3, r4, r5, r6]:"
    made = run_program(space, SPARSE.format(loop=loop))
    listed = "answers = [r1, r2, r3, r4, r5, r6]\nfor i in range(6):\n    q = answers[i]"
    again = run_program(space, SPARSE.format(loop=listed))
    assert made.outputs == again.outputs
    assert made.values == again.values
    assert np.array_equal(made.codes, again.codes)
    noise = {z: Fraction(1, 3) / 2 ** abs(z) for z in range(-11, 12)}
    noise |= {z: Fraction(2, 3) / 2**12 for z in (-12, 12)}
    for world in (0, 5, 400, 728):
        answers = [int(letter) for letter in space.name(world)]
        column = {}
        for length in range(1, 7):
            for last in (0, 1):
                if last == 0 and length < 6:
                    continue
                total = Fraction(0)
                for rho, p in noise.items():
                    over = [sum(w for z, w in noise.items() if q + z >= 1 + rho) for q in answers]
                    for below in over[: length - 1]:
                        p *= 1 - below
                    total += p * (over[length - 1] if last else 1 - over[length - 1])
                column[str((*[0] * (length - 1), last))] = total
        assert {o: made.probability(i, world) for i, o in enumerate(made.outputs)} == column


def test_identity_on_many_worlds() -> None:
    space = database([f"r{i + 1}" for i in range(10)], [0, 1])
    made = run_program(space, f"return ({', '.join(space.records)})")
    assert np.array_equal(made.codes, np.eye(1024, dtype=made.codes.dtype))


def test_a_count_on_a_million_worlds() -> None:
    space = database([f"r{i + 1}" for i in range(20)], [0, 1])
    made = run_program(space, "return count(value == 1) >= 10")
    assert made.codes.shape == (2, 2**20)
    assert int(made.codes[1].sum()) == (2**20 + 184756) // 2


def test_loops_of_several_lengths_whose_variable_nobody_reads() -> None:
    """Coins until one fails: 1/2 for each that does not, as a geometric distribution has it."""
    program = """\
n = 0
if r1 == 1:
    n = 10
for i in range(draw(uniform(0, 3)) + r2):
    if draw(bernoulli(1/2)) == 1:
        break
    for j in range(2):
        n += r1
    n += 1
return n
"""
    made = run_program(BITS, program)
    for world, (r1, r2) in enumerate(product([0, 1], repeat=2)):
        expected = {str(10 * r1 + n * (1 + 2 * r1)): Fraction(0) for n in range(4 + r2)}
        for rounds in range(r2, 4 + r2):
            for n in range(rounds + 1):
                chance = Fraction(1, 2 ** min(n + 1, rounds))
                expected[str(10 * r1 + n * (1 + 2 * r1))] += chance / 4
        told = {o: made.probability(i, world) for i, o in enumerate(made.outputs)}
        assert {o: p for o, p in told.items() if p} == {o: p for o, p in expected.items() if p}
