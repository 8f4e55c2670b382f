"""Released real numbers with delta, on both sides of what quadratures of densities say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from pathlib import Path
from random import Random
from typing import Any

import mpmath

from verifier.run import verify
from verifier.run.verify import Result

F = Fraction
NEAR = F(1, 10**25)


def mp(value: Any) -> Any:
    return mpmath.mpf(value.numerator) / value.denominator


@dataclass(frozen=True)
class Release:
    """Numbers with noise that are released in each of four worlds, two bits.

    axes   kinds of noise, scales, and the centers in the four worlds
    coins  how likely it is that a bit beside them is 1; none for no bit
    """

    axes: Sequence[tuple[str, Fraction, Sequence[Fraction]]]
    coins: Sequence[Fraction] = ()

    @property
    def program(self) -> str:
        draws = [
            f"[{', '.join(map(str, centers))}][2*r1 + r2] + draw({kind}(0, {scale}))"
            for kind, scale, centers in self.axes
        ]
        listed = ", ".join(draws)
        if not self.coins:
            return f"return [{listed}]"
        coin = f"draw(bernoulli([{', '.join(map(str, self.coins))}][2*r1 + r2]))"
        return f"if {coin} == 1:\n    return [1, {listed}]\nreturn [0, {listed}]"

    def delta(self, alpha: Any) -> Any:
        """The largest integral of max(0, p - alpha q) over densities in two worlds."""
        return max(self._of_pair(i, j, alpha) for i, j in permutations(range(4), 2))

    def _of_pair(self, i: int, j: int, alpha: Any) -> Any:
        if not self.coins:
            return self._from(0, i, j, mpmath.mpf(1), alpha)
        sides = [(mp(self.coins[i]), mp(self.coins[j]))]
        sides.append((1 - sides[0][0], 1 - sides[0][1]))
        return sum(self._from(0, i, j, p, alpha * q) for p, q in sides)

    def _from(self, at: int, i: int, j: int, p: Any, q: Any) -> Any:
        """The integral over the axes from one on: the last one in closed form, others by
        quadrature between the places where it changes its form."""
        if not p or not q:
            return p
        kind, scale, centers = self.axes[at]
        c, d, b = mp(centers[i]), mp(centers[j]), mp(scale)
        if at == len(self.axes) - 1:
            return last(kind, abs(c - d) / b, p, q)
        low, high = min(c, d) - 110 * b, max(c, d) + 110 * b
        ends = {low, high}
        far = sum(abs(mp(x[i]) - mp(x[j])) / mp(s) for _, s, x in self.axes[at + 1 :])
        for turned in (far, -far):  # where the odds reach what the other axes can still turn
            odds = mpmath.log(q / p) + turned
            if kind == "normal" and c != d:
                ends.add((c + d) / 2 + odds * b * b / (c - d))
            elif c != d:
                ends.add((c + d + (odds * b if c > d else -odds * b)) / 2)
        if kind == "normal":
            low, high = min(c, d) - 16 * b, max(c, d) + 16 * b
        else:
            ends |= {c, d}

        def density(y: Any, x: Any) -> Any:
            if kind == "normal":
                return mpmath.npdf(y, x, b)
            return mpmath.exp(-abs(y - x) / b) / (2 * b)

        inside = sorted({low, high} | {x for x in ends if low < x < high})
        return mpmath.quad(
            lambda y: self._from(at + 1, i, j, p * density(y, c), q * density(y, d)), inside
        )


def last(kind: str, far: Any, p: Any, q: Any) -> Any:
    """The integral of max(0, p·f - q·g), f and g densities of one kind at a distance of `far`
    scales."""
    if not far:
        return max(mpmath.mpf(0), p - q)
    t = mpmath.log(q / p)
    if kind == "normal":
        return p * mpmath.ncdf(far / 2 - t / far) - q * mpmath.ncdf(-far / 2 - t / far)
    if abs(t) >= far:
        return max(mpmath.mpf(0), p - q)
    return p - mpmath.sqrt(p * q) * mpmath.exp(-far / 2)


def integrated(kind: str, far: Any, p: Any, q: Any) -> Any:
    """The same by quadrature alone, between places where the integrand changes its form."""
    t = mpmath.log(q / p)
    turn = far / 2 + (-t / far if kind == "normal" else -t / 2)
    wide = 16 if kind == "normal" else 100
    ends = sorted({-wide, mpmath.mpf(0), min(max(turn, 0), far), turn, far, far + wide})

    def above(y: Any) -> Any:
        if kind == "normal":
            f, g = mpmath.npdf(y, 0, 1), mpmath.npdf(y, far, 1)
        else:
            f, g = mpmath.exp(-abs(y)) / 2, mpmath.exp(-abs(y - far)) / 2
        return max(mpmath.mpf(0), p * f - q * g)

    return mpmath.quad(above, ends)


def test_closed_forms_are_those_of_quadrature() -> None:
    with mpmath.workdps(40):
        for kind in ("laplace", "normal"):
            for far, odds in ((1, 1), (F(3, 7), F(11, 10)), (3, 2), (F(1, 2), F(2, 3))):
                p, q = mpmath.mpf(1) / 3, mp(F(odds)) / 3
                found = last(kind, mp(F(far)), p, q)
                gap = abs(found - integrated(kind, mp(F(far)), p, q))
                assert gap < mpmath.mpf(10) ** -24, (kind, far, odds)


NEARLY = "0." + 30 * "0" + "1"
EXACT = "1 - exp(-1/4)"
EPSILON = "exp_epsilon: 1"
AWKWARD = (  # centers of the four worlds, level, delta, answer; noise of scale 1, by hand
    ("[0, 1, 0, 1]", "epsilon: 0.49999999999999999999", EXACT, "violated"),
    ("[0, 1, 0, 1]", "epsilon: 1/2", EXACT, "holds"),
    ("[0, 1, 0, 1]", "epsilon: 0.50000000000000000001", EXACT, "holds"),
    ("[0, 1, 0, 1]", "epsilon: 1/2", f"{EXACT} - 1/1000000000000000", "violated"),
    ("[0, 1, 0, 1]", "epsilon: 1/2", f"{EXACT} + 1/1000000000000000", "holds"),
    ("[0, 1, 0, 1]", "epsilon: 0.99999999999999999999", "0", "violated"),
    ("[0, 1, 0, 1]", "epsilon: 1", "0", "holds"),
    ("[0, 1, 0, 1]", "epsilon: 3000", "1/1000000000000000", "holds"),
    ("[5, 5, 5, 5]", EPSILON, "1/1000000000000000", "holds"),
    (f"[0, {NEARLY}, 0, 1/7]", "epsilon: 1/7", "0", "holds"),
    (f"[0, {NEARLY}, 0, 0]", f"epsilon: {NEARLY}", "0", "holds"),
    # 1 - e^(-d/2), where d is 1e-31
    (f"[0, {NEARLY}, 0, 0]", EPSILON, f"{NEARLY}*0.500000000000001", "holds"),
    (f"[0, {NEARLY}, 0, 0]", EPSILON, f"{NEARLY}*0.499999999999999", "violated"),
    # 1 - e^((ε - d)/2)
    (f"[0, {NEARLY}, 0, 0]", f"epsilon: {NEARLY}/10", f"{NEARLY}*0.450000000000001", "holds"),
    (f"[0, {NEARLY}, 0, 0]", f"epsilon: {NEARLY}/10", f"{NEARLY}*0.449999999999999", "violated"),
)


def test_awkward_numbers(tmp_path: Path) -> None:
    """Ties; centers hardly apart; levels and deltas that are the smallest ones, or hardly not."""
    path = tmp_path / "a.yaml"
    for centers, level, delta, answer in AWKWARD:
        path.write_text(
            "worlds: {records: 2, domain: [0, 1]}\nmechanism:\n  program: |\n"
            f"    return {centers}[2*r1 + r2] + draw(laplace(0, 1))\nchecks:\n"
            f"  - differential_privacy: {{{level}, delta: {delta}, neighbours: all}}\n"
        )
        (found,) = verify.check(path).results
        assert found.answer.verdict == answer, (centers, level, delta, found)


def drawn(random: Random, kinds: Sequence[str]) -> Release:
    def some(low: int, high: int) -> Fraction:
        return F(random.randrange(low, high), random.choice([1, 2, 3, 4]))

    few = [some(-3, 4) for _ in range(random.choice([2, 3]))]
    axes = [(kind, some(1, 9), [random.choice(few) for _ in range(4)]) for kind in kinds]
    coins = [F(random.randrange(1, 6), 6) for _ in range(4)] if random.random() < 0.4 else []
    return Release(axes, coins)


def decided(path: Path, release: Release, level: str, deltas: Sequence[Any]) -> list[Result]:
    lines = "".join(f"    {line}\n" for line in release.program.splitlines())
    checks = "".join(
        f"  - differential_privacy: {{{level}, delta: {delta}, neighbours: all}}\n"
        for delta in deltas
    )
    head = "worlds: {records: 2, domain: [0, 1]}\nmechanism:\n  program: |\n"
    path.write_text(f"{head}{lines}checks:\n{checks}")
    return list(verify.check(path).results)


LEVELS = {
    "exp_epsilon: 1": lambda: mpmath.mpf(1),
    "exp_epsilon: 2": lambda: mpmath.mpf(2),
    "exp_epsilon: 11/10": lambda: mpmath.mpf(11) / 10,
    "epsilon: 1/2": lambda: mpmath.exp(mpmath.mpf(1) / 2),
    "epsilon: 1/7": lambda: mpmath.exp(mpmath.mpf(1) / 7),
    "epsilon: 3/2": lambda: mpmath.exp(mpmath.mpf(3) / 2),
}


def agrees(path: Path, random: Random, kinds: Sequence[str]) -> str:
    """Draw a mechanism and a level, decide on both sides of its delta, and compare the level that
    is found; "undecided" where neither is decided, "trivial" where the delta is not in (0, 1)."""
    release, level = drawn(random, kinds), random.choice(list(LEVELS))
    with mpmath.workdps(45):
        delta = release.delta(LEVELS[level]())
        size = F(int(delta * mpmath.mpf(10) ** 40), 10**40)
        if not NEAR < size < 1 - NEAR:
            return "trivial"
        found = decided(path, release, level, [size + NEAR, size - NEAR])
        said = [one.answer.verdict for one in found]
        if said == ["undecided"] * 2:
            return "undecided"
        assert said == ["holds", "violated"], (release, level, size, said)
        assert {one.status for one in found} == {"ok", "failed"}
        for one, asked in zip(found, (size + NEAR, size - NEAR), strict=True):
            leakage = one.answer.leakage
            assert leakage is not None
            ends = leakage.bounds or (leakage.exp_epsilon,) * 2
            assert ends[0] is not None
            for end, sign in zip(ends, (1, -1), strict=True):
                if end == 1 or ends[0] == ends[1]:
                    continue
                low, high = (mp(x) for x in _ends(end))
                gap = release.delta((low + high) / 2) - mp(asked)
                assert gap * sign > -(mpmath.mpf(10) ** -38), (release, level, end)
    return "decided"


def _ends(value: Any) -> tuple[Fraction, Fraction]:
    from verifier.base.exact import is_irrational
    from verifier.base.exponential import bounds

    return bounds(value, 50) if is_irrational(value) else (value, value)


BY_HAND = {  # 1 - sqrt(level) e^(-1/2) for a distance of one scale
    "exp_epsilon: 1": lambda: 1 - mpmath.exp(-mpmath.mpf(1) / 2),
    "exp_epsilon: 2": lambda: 1 - mpmath.sqrt(2) * mpmath.exp(-mpmath.mpf(1) / 2),
    "epsilon: 1/7": lambda: 1 - mpmath.exp(-mpmath.mpf(3) / 7),
}


def test_a_laplace_draw_by_hand(tmp_path: Path) -> None:
    ends = [F(0), F(3, 2)]
    release = Release([("laplace", F(3, 2), [*ends, *ends])])
    with mpmath.workdps(45):
        for level, delta in BY_HAND.items():
            assert abs(release.delta(LEVELS[level]()) - delta()) < mpmath.mpf(10) ** -40
            size = F(int(delta() * mpmath.mpf(10) ** 40), 10**40)
            found = decided(tmp_path / "a.yaml", release, level, [size + NEAR, size - NEAR])
            assert [one.answer.verdict for one in found] == ["holds", "violated"]


def test_drawn_releases(tmp_path: Path) -> None:
    random = Random(5)
    kinds = [["laplace"]] * 6 + [["normal"]] * 3
    said = [agrees(tmp_path / "a.yaml", random, kind) for kind in kinds]
    assert said.count("decided") >= 5


def test_two_axes(tmp_path: Path) -> None:
    """Planes that cut corners of cells; normal draws of two scales; and draws of two kinds."""
    near, far = [F(0), F(0), F(1), F(1)], [F(1), F(1), F(0), F(0)]
    releases = (
        (Release([("laplace", F(1), near), ("laplace", F(2, 3), far)]), "exp_epsilon: 2"),
        (Release([("normal", F(1), near), ("normal", F(2), near)]), "epsilon: 1/2"),
        (Release([("laplace", F(1), near), ("laplace", F(2), far)], near[:2] * 2), "epsilon: 1/7"),
    )
    with mpmath.workdps(45):
        for release, level in releases:
            size = F(int(release.delta(LEVELS[level]()) * mpmath.mpf(10) ** 40), 10**40)
            found = decided(tmp_path / "a.yaml", release, level, [size + NEAR, size - NEAR])
            assert [one.answer.verdict for one in found] == ["holds", "violated"], release


UNDECIDED = {
    "return r1 + draw(bernoulli(1/2)) + draw(laplace(0, 1))": "around several centers",
    "return [r1 + draw(normal(0, 1)), r1 + draw(laplace(0, 1))]": "normal draws with others",
}


def test_what_is_not_cut(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    for program, reason in UNDECIDED.items():
        path.write_text(
            "worlds: {records: 2, domain: [0, 1]}\nmechanism:\n  program: |\n"
            f"    {program}\nchecks:\n  - differential_privacy: {{epsilon: 1, delta: 1/10}}\n"
        )
        (found,) = verify.check(path).results
        assert found.status == "undecided"
        assert reason in str(found.answer.reason), found


def test_what_no_world_else_has_is_worth_no_level(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(
        "worlds: {records: 2, domain: [0, 1]}\nmechanism:\n  program: |\n"
        "    return [r1 + draw(exponential(1)), r1 + draw(laplace(0, 2))]\n"
        "checks:\n  - differential_privacy: {epsilon: 1, delta: 1/10}\n"
    )
    (found,) = verify.check(path).results
    assert found.answer.verdict == "violated"
    assert found.answer.leakage is not None
    assert found.answer.leakage.infinite
