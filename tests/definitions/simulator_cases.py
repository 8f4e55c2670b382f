"""Drawn checks about simulators, and linear programs for them, written down from the definition."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import count
from typing import Any

from hypothesis import assume
from hypothesis import strategies as st

from tests.definitions import drawn
from tests.definitions.cases import DELTAS, ONE, Case, rows_of, spec_of
from tests.definitions.drawn import Draw, Json, Space
from tests.definitions.plain import Column
from tests.oracles import z3
from tests.priors.mixtures import Row, corners
from verifier.definitions import coupled_worlds

Z3_MILLISECONDS = 10_000
Entry = tuple[int, Hashable, Fraction]  # world, z, probability
View = tuple[Sequence[Hashable], Sequence[Hashable]]  # alt and priv of every world


@dataclass(frozen=True)
class Question:
    """What a drawn check is about, enumerated without the engine."""

    columns: Sequence[Column]
    views: Sequence[View]
    priors: Sequence[Sequence[Entry]]

    @property
    def compares(self) -> bool:
        """Whether a simulator has to serve two situations in which it sees the same."""
        known: dict[Hashable, set[Hashable]] = {}
        for number, prior in enumerate(self.priors):
            for at, (alt, priv) in enumerate(self.views):
                for world, z, p in prior:
                    if p:
                        known.setdefault(alt[world], set()).add((number, at, priv[world], z))
        return any(len(situations) > 1 for situations in known.values())

    @property
    def inputs(self) -> list[Hashable]:
        """What the simulator may see."""
        return list(dict.fromkeys(a for alt, _ in self.views for a in alt))

    def value(self, simulator: dict[Hashable, Sequence[Fraction]], alpha: Fraction) -> Fraction:
        """The definition's own smallest delta for a simulator: input -> distribution."""
        number = {a: k for k, a in enumerate(simulator)}
        views = [([number.get(a, 0) for a in alt], priv) for alt, priv in self.views]
        return coupled_worlds.value(
            rows_of(self.columns), rows_of(list(simulator.values())), views, self.priors, alpha
        )

    def conditions(self, alpha: Fraction, delta: Any) -> list[Any]:
        """Definition 5 at alpha, for unknown probabilities of a simulator."""
        size = len(self.columns[0])
        sim = {a: [z3.Real(f"s{k} {t}") for t in range(size)] for k, a in enumerate(self.inputs)}
        found = [z3.Sum(row) == 1 for row in sim.values()] + [
            p >= 0 for r in sim.values() for p in r
        ]
        for at, prior in enumerate(self.priors):
            for number, (alt, priv) in enumerate(self.views):
                for v, y in {(priv[w], z) for w, z, p in prior if p}:
                    part = [(w, p) for w, z, p in prior if (priv[w], z) == (v, y)]
                    mass = sum(p for _, p in part)
                    real = [
                        sum(p * self.columns[w][t] for w, p in part) / mass for t in range(size)
                    ]
                    ideal = [
                        z3.Sum([exactly(p / mass) * sim[alt[w]][t] for w, p in part])
                        for t in range(size)
                    ]
                    name = f"{at} {number} {v!r} {y!r}"
                    for side in (0, 1):
                        slack = [z3.Real(f"x {name} {side} {t}") for t in range(size)]
                        found += [x >= 0 for x in slack] + [z3.Sum(slack) <= delta]
                        for p, q, x in zip(real, ideal, slack, strict=True):
                            left, right = (q, exactly(p)) if side else (exactly(p), q)
                            found.append(left - exactly(alpha) * right <= x)
        return found

    def serves(self, alpha: Fraction, delta: Fraction) -> bool:
        """Whether some simulator serves."""
        solver = z3.Solver()
        solver.add(*self.conditions(alpha, exactly(delta)))
        return bool(solver.check() == z3.sat)

    def infers(self, alpha: Fraction, delta: Fraction) -> bool:
        """Definition 4 for an unknown simulator and unknown good (t, z)."""
        solver, number, bound = z3.Solver(), count(), exactly(delta)
        size = range(len(self.columns[0]))
        sim = {a: [z3.Real(f"s {next(number)}") for _ in size] for a in self.inputs}
        for row in sim.values():
            solver.add(z3.Sum(row) <= 1, *(p >= 0 for p in row))
        for prior in self.priors:
            missed = [z3.RealVal(0)]
            for z in sorted({str(z) for _, z, p in prior if p}):
                given_z = [(w, p) for w, y, p in prior if str(y) == z and p]
                for t in size:
                    mass = sum((p * self.columns[w][t] for w, p in given_z), Fraction(0))
                    if not mass:
                        continue
                    good = z3.Bool(f"good {next(number)}")
                    missed.append(z3.If(good, z3.RealVal(0), exactly(mass)))
                    for alt, priv in self.views:
                        whole = z3.Sum([exactly(p) * sim[alt[w]][t] for w, p in given_z])
                        slacks: list[list[Any]] = [[], []]
                        for v in sorted({repr(priv[w]) for w, _ in given_z}):
                            inside = [(w, p) for w, p in given_z if repr(priv[w]) == v]
                            part = (
                                sum((p * self.columns[w][t] for w, p in inside), Fraction(0)) / mass
                            )
                            ideal = z3.Sum([exactly(p) * sim[alt[w]][t] for w, p in inside])
                            real = exactly(part) * whole
                            for slack, p, q in zip(
                                slacks, (real, ideal), (ideal, real), strict=True
                            ):
                                slack.append(z3.Real(f"x {next(number)}"))
                                solver.add(slack[-1] >= 0)
                                solver.add(z3.Implies(good, p - exactly(alpha) * q <= slack[-1]))
                        close = [z3.Sum(slack) <= bound * whole for slack in slacks]
                        solver.add(z3.Implies(good, z3.And(whole > 0, *close)))
            solver.add(z3.Sum(missed) <= bound)
        return bool(solver.check() == z3.sat)

    def least(self, alpha: Fraction) -> Fraction:
        """The smallest delta; a case on which z3 finds none in time is not tried."""
        solver, delta = z3.Optimize(), z3.Real("delta")
        solver.set("timeout", Z3_MILLISECONDS)
        solver.add(*self.conditions(alpha, delta))
        solver.minimize(delta)
        found = solver.check()
        assume(found != z3.unknown)
        assert found == z3.sat
        return Fraction(str(solver.model()[delta]))


def exactly(number: Fraction) -> Any:
    return z3.RealVal(str(number))


@st.composite
def classes(draw: Draw, space: Space, most: int = 3) -> tuple[Any, list[list[Fraction]]]:
    """A class of priors as it is written, and its corners."""
    if draw(st.integers(0, 4)) == 0:
        return "all", [[Fraction(w == k) for w in range(space.size)] for k in range(space.size)]
    if draw(st.integers(0, 3)) == 0:
        return draw(constrained(space))
    given = draw(st.lists(drawn.distributions(space.size), min_size=1, max_size=most))
    weights = [{"worlds": dict(zip(space.names, map(str, p), strict=True))} for p in given]
    return {draw(st.sampled_from(["list", "hull"])): weights}, given


@st.composite
def constrained(draw: Draw, space: Space) -> tuple[Any, list[list[Fraction]]]:
    """One or two linear constraints on priors as they are written, and all corners."""
    size = range(space.size)
    texts: list[str] = []
    rows: list[Row] = []
    for _ in range(draw(st.integers(1, 2 if space.size <= 6 else 1))):
        factors = draw(st.lists(st.integers(-2, 2), min_size=space.size, max_size=space.size))
        bound = draw(st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(1, 2)]))
        assume(any(factors))
        sign = draw(st.sampled_from(["<=", "=="]))
        terms = [f"{k} * P({name})" for name, k in zip(space.names, factors, strict=True) if k]
        texts.append(f"{' + '.join(terms)} {sign} {bound}")
        rows.append((sign == "==", [Fraction(factors[w]) - bound for w in size]))
    found = corners(space.size, rows)
    assume(found)
    return {"constraints": texts}, found


@st.composite
def beliefs(draw: Draw, space: Space) -> tuple[Json, list[list[Entry]]]:
    """Priors and auxiliary information as they are written, and as a list."""
    kind = draw(st.sampled_from(["none", "none", "table", "joint"]))
    if kind == "joint":
        pairs = [(w, z) for w in range(space.size) for z in ("x", "y")]
        weights = draw(drawn.distributions(len(pairs)))
        entries = [(w, z, p) for (w, z), p in zip(pairs, weights, strict=True)]
        return {"auxiliary": [[space.names[w], z, str(p)] for w, z, p in entries]}, [entries]
    written, corners = draw(classes(space))
    table = draw(st.lists(st.sampled_from("xy"), min_size=space.size, max_size=space.size))
    known = table if kind == "table" else [""] * space.size
    options: Json = {"priors": written}
    if kind == "table":
        options["auxiliary"] = dict(zip(space.names, table, strict=True))
    return options, [[(w, known[w], p) for w, p in enumerate(corner)] for corner in corners]


def simulated(
    draw: Draw,
    space: Space,
    columns: Sequence[Column],
    keyword: str,
    options: Json,
    question: Question,
) -> Case:
    delta = draw(st.sampled_from(DELTAS))
    return Case(
        spec_of(space, columns),
        keyword,
        {**options, **({"delta": str(delta)} if delta else {})},
        columns,
        {(0, 0): ONE},  # something is always compared
        question.least,
        delta,
        lambda alpha: question.serves(alpha, delta),
        question,
    )


SPACES = drawn.spaces(constrained=None)


@st.composite
def coupled(draw: Draw) -> Case:
    """One or two pairs of functions of named worlds, as tables."""
    space = draw(drawn.named_spaces())
    columns = draw(drawn.matrices(space.size))
    count, indexed = draw(st.integers(1, 2)), draw(st.booleans())

    def functions(letters: str) -> list[list[str]]:
        one = st.lists(st.sampled_from(letters), min_size=space.size, max_size=space.size)
        return [draw(one) for _ in range(count)]

    alts, privs = functions("abc"), functions("01")
    told = {"indexed": "true"} if indexed else {}
    tables = [[dict(zip(space.names, f, strict=True)) for f in part] for part in (alts, privs)]
    alt, priv = (part[0] if count == 1 else part for part in tables)
    options, priors = draw(beliefs(space))
    views = [
        ([(k if indexed else 0, a) for a in alt_of], priv_of)
        for k, (alt_of, priv_of) in enumerate(zip(alts, privs, strict=True))
    ]
    return simulated(
        draw,
        space,
        columns,
        "coupled_worlds",
        {"alt": alt, "priv": priv, **told, **options},
        Question(columns, views, priors),
    )


@st.composite
def distributional(draw: Draw) -> Case:
    """Records, told which is gone or not, absent or not."""
    space = draw(SPACES.filter(lambda space: space.size <= 9))
    columns = draw(drawn.matrices(space.size))
    indexed = draw(st.booleans())
    options, priors = draw(beliefs(space))
    views = []
    for record in range(len(space.databases[0])):
        gone = (None,) if space.absent else ()
        alt = [
            (record if indexed else 0, (*d[:record], *gone, *d[record + 1 :]))
            for d in space.databases
        ]
        views.append((alt, [(d[record],) for d in space.databases]))
    told = {} if indexed else {"indexed": "false"}
    return simulated(
        draw,
        space,
        columns,
        "distributional_privacy",
        {**told, **options},
        Question(columns, views, priors),
    )
