"""The jobs: which processes take turns, and which figures are read from them."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path

from benchmarks.process import Run

Round = Mapping[str, Run]  # one run of each process of a job
MODELS = "models"
SPECS = "benchmarks/specs"
CHECK = ("-m", "verifier", "check", "--no-cache")


@dataclass(frozen=True)
class Figure:
    """A number read from one round; its median over the rounds is reported.

    limit    the figure to stay at or below, or, where `at_least`, to reach
    """

    name: str
    of: Callable[[Round], float]
    unit: str = "s"
    limit: float | None = None
    at_least: bool = False

    def is_met(self, value: float) -> bool:
        """Whether a value meets the limit."""
        return self.limit is None or (value >= self.limit if self.at_least else value <= self.limit)


@dataclass(frozen=True)
class Job:
    """Processes A, B, … run in turn, A B A B …; `figures` read each round."""

    title: str
    rounds: int
    processes: Mapping[str, Sequence[str]]
    figures: Sequence[Figure]


def part(process: str, key: str) -> Callable[[Round], float]:
    """The processor seconds a process reports about one of its parts."""
    return lambda runs: float(runs[process].report[key])


def whole(process: str) -> Callable[[Round], float]:
    """The seconds from start to exit of a process."""
    return lambda runs: runs[process].seconds


def processor(process: str) -> Callable[[Round], float]:
    """The processor seconds of a whole process."""
    return lambda runs: runs[process].cpu


def process(name: str, limit: float | None = None) -> list[Figure]:
    """How long a whole process takes, by the clock and of the processor."""
    return [
        Figure("whole process", whole(name), limit=limit),
        Figure("whole process, processor", processor(name)),
    ]


def quotient(process: str) -> Callable[[Round], float]:
    """The checker's processor seconds over those of the engine."""
    return lambda runs: part(process, "checker")(runs) / part(process, "engine")(runs)


def parts(process: str) -> list[Figure]:
    """The usual figures of a process that runs the engine and the checker."""
    engine, checker = part(process, "engine"), part(process, "checker")
    return [
        Figure("engine and checker", lambda r: engine(r) + checker(r)),
        Figure("engine", engine),
        Figure("checker", checker),
        Figure("checker / engine", quotient(process), "x"),
        Figure("peak memory", lambda r: r[process].peak, "MiB"),
    ]


def beyond(process: str, start: str) -> Callable[[Round], float]:
    """The processor seconds of one process beyond those of another."""
    return lambda r: r[process].cpu - r[start].cpu


def spec(path: str) -> list[str]:
    """A process that reads, decides and checks a spec file."""
    return ["-m", "benchmarks.worker", "spec", path]


def floor(name: str) -> list[str]:
    """A process that runs a plain loop."""
    return ["-m", "benchmarks.floors", name]


def against(process: str, loop: str) -> Figure:
    """How many times as long as engine and checker the plain loop takes."""
    taken = parts(process)[0].of
    return Figure("plain loop / this", lambda r: part(loop, "loop")(r) / taken(r), "x")


def family(name: str, limit: float | None = None) -> Figure:
    """The seconds a family of linear programs takes, the check of its proofs left out."""
    return Figure(name, part("programs", name), limit=limit)


def milliseconds(way: str) -> Callable[[Round], float]:
    """The processor time of a small check, done in one of the ways of `benchmarks.sweeps`."""
    return lambda runs: 1000 * part(way, "processor")(runs)


def check(path: str) -> list[str]:
    """A process of the command line that checks a spec file."""
    return [*CHECK, "--quiet", path]


def runs(name: str, count: int) -> list[str]:
    """A process that accounts so many runs of a mechanism at δ = 1e-5."""
    command = ["-m", "verifier", "compose", f"{SPECS}/runs-{name}.yaml"]
    return [*command, "--runs", str(count), "--delta", "1e-5"]


def each(
    title: str, files: Mapping[str, tuple[Sequence[str], float | None]], ratios: bool = False
) -> Job:
    """The processor seconds of each of some processes, with a limit; with `ratios`, of each how
    many times as long as the engine the checker takes."""
    figures = [Figure(name, processor(name), limit=limit) for name, (_, limit) in files.items()]
    if ratios:
        figures += [Figure(f"{name}, checker / engine", quotient(name), "x") for name in files]
    return Job(title, 3, {name: arguments for name, (arguments, _) in files.items()}, figures)


def grown(family: str, small: int, large: int, limit: float | None = None) -> Job:
    """A family of `benchmarks.growth` at two sizes: how fast it grows from one to the other."""
    sizes = {str(size): ["-m", "benchmarks.growth", family, str(size)] for size in (small, large)}
    first, last = sizes

    def ratio(runs: Round) -> float:
        """How many times as long the larger size takes."""
        return runs[last].cpu / runs[first].cpu

    growth = (
        Figure("exponent", lambda r: log(ratio(r), 2), "")
        if large == 2 * small
        else Figure("each further one", lambda r: float(ratio(r) ** (1 / (large - small))), "x")
    )
    figures = [
        Figure(f"size {first}", processor(first)),
        Figure(f"size {last}", processor(last), limit=limit),
        growth,
        Figure(f"size {last}, checker / engine", quotient(last), "x"),
    ]
    return Job(f"{family} as it grows", 1, sizes, figures)


SWEEPS = {
    "python": "made and answered in Python",
    "one": "one worker",
    "two": "two workers",
    "dask": "two workers of Dask",
}
LIMITS = {
    "near-tie": None,
    **{f"cone-9-{which}": 0.3 for which in ("one-in", "one-out", "two-in", "two-out")},
    **{f"cone-10-{which}": 2.0 for which in ("one-in", "one-out", "two-in", "two-out")},
    "response-6-yes": 1.5,
    "response-6-no": 1.5,
    "random-366-yes": 0.12,
    "random-1447-yes": 2.7,
}

GROWTH = {  # two sizes, and the seconds that are wanted for the larger one
    "markov-intervals": (8, 10, None),
    "optimal": (40, 80, 2),
    "counts": (2000, 4000, 5),
    "shuffled": (200, 400, 5),
    "shuffled-delta": (14, 16, 5),
    "sparse-vector": (10, 12, 10),
    "noisy-max": (10, 12, 10),
    "implies": (5, 6, 15),
    "composition": (11, 12, 15),
    "listed-count": (16, 18, None),
    "table": (256, 512, 5),
    "groups-delta": (8, 9, 2),
    "row-cone": (8, 9, None),
}

FAMILIES = {  # in which the checker is measured against the engine
    "composition-10": f"{SPECS}/nfc-10.yaml",
    **{path.stem: str(path) for path in sorted(Path(f"{SPECS}/checker").glob("*.yaml"))},
}

JOBS = {
    "help": Job(
        "`verifier --help`, cold",
        11,
        {"help": ["-m", "verifier", "--help"], "python": ["-c", "pass"]},
        [
            *process("help", 0.3),
            Figure("this / bare python", lambda r: r["help"].seconds / r["python"].seconds, "x"),
        ],
    ),
    "small": Job(
        "small checks, cold",
        11,
        {
            "check": [*CHECK, f"{MODELS}/mechanisms/randomized-response.yaml"],
            "program": [*CHECK, f"{SPECS}/small-linear-program.yaml"],
            "python": ["-c", "pass"],
            "numpy": ["-c", "import numpy"],
            "imports": ["-c", "import numpy, yaml"],
        },
        [
            Figure("nine checks on three bits, whole process", whole("check"), limit=0.25),
            Figure("one with a linear program, whole process", whole("program"), limit=0.5),
            Figure("bare python", whole("python")),
            Figure("importing numpy", whole("numpy")),
            Figure(
                "nine checks / importing numpy and yaml",
                lambda r: r["check"].seconds / r["imports"].seconds,
                "x",
            ),
            Figure("peak memory of the nine checks", lambda r: r["check"].peak, "MiB"),
        ],
    ),
    "many": Job(
        "10⁴ small checks of one file",
        3,
        {
            "text": ["-m", "benchmarks.many", "10000"],
            "html": ["-m", "benchmarks.many", "10000", "--report", f"html={os.devnull}"],
        },
        [
            Figure("as text, processor", processor("text"), limit=10),
            Figure("with a page, processor", processor("html"), limit=15),
            Figure("peak memory of a process", lambda r: r["html"].peak, "MiB", limit=200),
        ],
    ),
    "warm-cache": Job(
        "all models",
        5,
        {how: ["-m", "benchmarks.reuse", how] for how in ("none", "cold", "warm")},
        [
            Figure("without a cache, whole process", whole("none")),
            Figure("empty cache, whole process", whole("cold")),
            Figure("warm cache, whole process", whole("warm")),
            Figure("without a cache, processor", lambda r: r["none"].cpu, limit=12),
            Figure("empty cache, processor", lambda r: r["cold"].cpu),
            Figure("warm cache, processor", lambda r: r["warm"].cpu, limit=2),
            Figure("warm / without, processor", lambda r: r["warm"].cpu / r["none"].cpu, "x"),
        ],
    ),
    "sweep": Job(
        "10⁵ small checks as a sweep",
        1,
        {
            "python": ["-m", "benchmarks.sweeps", "python", "10000"],
            "one": ["-m", "benchmarks.sweeps", "sweep", "100000", "1"],
            "two": ["-m", "benchmarks.sweeps", "sweep", "100000", "2"],
            "dask": ["-m", "benchmarks.sweeps", "dask", "100000", "2"],
        },
        [
            *(
                Figure(f"a check, {told}, processor", milliseconds(way), "ms")
                for way, told in SWEEPS.items()
            ),
            *(
                Figure(
                    f"{SWEEPS[way]}, beyond the same in Python, processor",
                    lambda r, way=way: milliseconds(way)(r) - milliseconds("python")(r),  # type: ignore[misc]
                    "ms",
                    limit=1,
                )
                for way in ("one", "two", "dask")
            ),
            Figure(
                "rate of two workers / twice that of one, by the clock",
                lambda r: part("one", "clock")(r) / (2 * part("two", "clock")(r)),
                "x",
                limit=0.9,
                at_least=True,
            ),
        ],
    ),
    "response-8": Job(
        "randomized response, 8 bits",
        7,
        {
            "eight": spec(f"{SPECS}/response-8.yaml"),
            "one": spec(f"{SPECS}/response-1.yaml"),
            "loop": floor("response"),
            "warm": ["-m", "benchmarks.worker", "warm", f"{SPECS}/response-8.yaml"],
        },
        [
            Figure("beyond the same on one bit", beyond("eight", "one"), limit=0.3),
            Figure("spec to accepted certificate, imported", part("warm", "warm")),
            Figure(
                "plain `Fraction` loop / this, imported",
                lambda r: part("loop", "loop")(r) / part("warm", "warm")(r),
                "x",
                limit=20,
                at_least=True,
            ),
            *parts("eight"),
        ],
    ),
    "local-12": Job(
        "randomized response, 12 bits, by channels",
        5,
        {"twelve": spec(f"{SPECS}/local-12.yaml"), "one": spec(f"{SPECS}/response-1.yaml")},
        [
            Figure("whole process", whole("twelve"), limit=0.5),
            Figure("beyond the same on one bit", beyond("twelve", "one")),
        ],
    ),
    "local-1000": Job(
        "randomized response, 1,000 bits, by channels",
        5,
        {
            "many": spec(f"{SPECS}/local-1000.yaml"),
            "one": spec(f"{SPECS}/response-1.yaml"),
            "loop": floor("local"),
        },
        [
            Figure("whole process, three checks", whole("many"), limit=1),
            Figure("beyond one check of one bit", beyond("many", "one")),
            Figure("the same products by a plain loop", part("loop", "loop")),
        ],
    ),
    "response-12": Job(
        "randomized response, 12 bits, as a matrix",
        3,
        {"twelve": spec(f"{SPECS}/response-12.yaml"), "floats": floor("floats")},
        [
            *process("twelve", 15),
            *parts("twelve")[:-1],
            Figure("peak memory", lambda r: r["twelve"].peak, "MiB", limit=2048),
            Figure(
                "this / comparisons in float64 arrays",
                lambda r: parts("twelve")[0].of(r) / part("floats", "loop")(r),
                "x",
            ),
        ],
    ),
    "checker": Job(
        "checker / engine in each family, from 10⁵ entries on",
        3,
        {name: spec(path) for name, path in FAMILIES.items()},
        [Figure(name, quotient(name), "x", limit=1) for name in FAMILIES],
    ),
    "epsilon-10": Job(
        "randomized response at ε = 1, 10 bits as a matrix",
        5,
        {
            "irrational": spec(f"{SPECS}/epsilon-10.yaml"),
            "rational": spec(f"{SPECS}/rational-10.yaml"),
        },
        [
            *process("irrational"),
            Figure(
                "this / the same at e^ε = 3, processor",
                lambda r: r["irrational"].cpu / r["rational"].cpu,
                "x",
                limit=2,
            ),
        ],
    ),
    "sparse-vector": Job(
        "sparse vector, six queries, as a program",
        5,
        {"vector": spec(f"{SPECS}/sparse-vector.yaml"), "loop": floor("sparse-vector")},
        [
            *process("vector", 5),
            *parts("vector"),
            against("vector", "loop"),
        ],
    ),
    "noise": Job(
        "Laplace noise as published: sparse vector, 3, 6 and 10 queries, noisy max, 8 queries",
        3,
        {
            "three": [*CHECK, f"{SPECS}/sparse-vector-laplace-3.yaml"],
            "six": [*CHECK, f"{SPECS}/sparse-vector-laplace-6.yaml"],
            "ten": spec(f"{SPECS}/sparse-vector-laplace-10.yaml"),
            "max": [*CHECK, f"{SPECS}/noisy-max-laplace-8.yaml"],
            "quadrature": floor("noise"),
        },
        [
            Figure("three, whole process", whole("three"), limit=1),
            Figure("six, whole process", whole("six"), limit=3),
            Figure("ten, whole process", whole("ten"), limit=15),
            *parts("ten"),
            against("ten", "quadrature"),
            Figure("max, whole process", whole("max"), limit=3),
        ],
    ),
    "symmetric": each(
        "draws that differ in names alone: 10 to 12 queries; sums of draws, step by step",
        {
            "sparse vector, 12 queries": (spec(f"{SPECS}/sparse-vector-laplace-12.yaml"), 5),
            "all comparisons, 10 queries": (spec(f"{SPECS}/all-comparisons-10.yaml"), 5),
            "noisy max, 10 queries": (spec(f"{SPECS}/noisy-max-exponential-10.yaml"), 3),
            "adaptive, 5 queries": (spec(f"{SPECS}/adaptive-sparse-vector-5.yaml"), 5),
            "prefix sums, 5 of them": (spec(f"{SPECS}/prefix-sums-laplace-5.yaml"), 10),
        },
        ratios=True,
    ),
    "released": each(
        "real numbers, parts of outputs, every ε, published programs",
        {
            "sixteen thresholds": (check(f"{SPECS}/thresholds-16.yaml"), 2),
            "twenty Laplace answers": (check(f"{SPECS}/laplace-20.yaml"), 2),
            "two sparse vectors beside each other": (check(f"{SPECS}/svt34.yaml"), 2),
            "noisy max with its value, 5 queries": (check(f"{SPECS}/noisy-max-value-5.yaml"), 3),
            "ten smart sums": (check(f"{SPECS}/smart-sums-10.yaml"), 10),
            "gap, 3 queries": (check(f"{SPECS}/gap-3.yaml"), 3),
            "every ε": (check(f"{MODELS}/noise/laplace-every-epsilon.yaml"), None),
            **{
                path.stem: (check(str(path)), 5)
                for path in sorted(Path(f"{MODELS}/programs").glob("*.yaml"))
            },
        },
    ),
    "accounting": each(
        "the least ε of many runs at δ = 1e-5",
        {
            "10,000 of two outputs": (runs("of-two", 10_000), 2),
            "1,000 of three": (runs("of-three", 1000), 2),
            "1,000 of twenty": (runs("of-twenty", 1000), 5),
            "100 of a hundred shuffled people": (runs("shuffled", 100), 10),
        },
    ),
    "known-marginal": Job(
        "known marginal: 1,944 worlds under constraints",
        5,
        {"marginal": spec(f"{MODELS}/blowfish/known-marginal.yaml")},
        [*process("marginal", 5), *parts("marginal")],
    ),
    "constraints": Job(
        "256 worlds, 20 linear constraints on the prior, two outputs, both orders",
        5,
        {"prior": spec(f"{SPECS}/constraints.yaml")},
        [*process("prior", 10), *parts("prior")],
    ),
    "simulator": Job(
        "the best simulator of responses of six bits",
        5,
        {"seen": spec(f"{SPECS}/simulator.yaml")},
        [*process("seen", 5), *parts("seen")],
    ),
    "exact-sum": Job(
        "the sum of 200 coins: simulators, and ten points of the trade-off",
        5,
        {"sum": spec(f"{SPECS}/exact-sum.yaml")},
        [*process("sum", 10), *parts("sum")],
    ),
    "crowd-1000": Job(
        "geometric noise on the count of 1,000 people, by histograms",
        5,
        {"count": [*CHECK, f"{SPECS}/crowd-1000.yaml"]},
        [*process("count", 1)],
    ),
    "shuffled-200": Job(
        "shuffled responses of 200 people, by histograms",
        3,
        {"ones": [*CHECK, f"{SPECS}/shuffled-200.yaml"]},
        [*process("ones", 10)],
    ),
    "cells-40": Job(
        "two cells of the histogram of 40 people with noise each, by histograms",
        3,
        {"cells": [*CHECK, f"{SPECS}/cells-40.yaml"]},
        [*process("cells", 10)],
    ),
    "cells-100": Job(
        "three cells of the histogram of 100 people with noise each, by independent counts",
        3,
        {"cells": [*CHECK, f"{SPECS}/cells-100.yaml"]},
        [*process("cells", 10)],
    ),
    "nfc-10": Job(
        "conditions for composition, randomized response on 10 bits",
        3,
        {"bits": spec(f"{SPECS}/nfc-10.yaml")},
        [*process("bits", 2), *parts("bits")],
    ),
    "markov-8": Job(
        "randomized response on eight bits of a chain, Pufferfish",
        3,
        {"bits": spec(f"{SPECS}/markov-8.yaml")},
        [*process("bits", 2), *parts("bits")],
    ),
    "chain-1000": Job(
        "randomized response on 1,000 bits of a chain, Pufferfish; 50 records of three values",
        5,
        {
            "bits": spec(f"{SPECS}/chain-1000.yaml"),
            "values": spec(f"{SPECS}/chain-three-50.yaml"),
            "loop": floor("chain"),
        },
        [
            Figure("whole process", whole("bits"), limit=2),
            *parts("bits"),
            against("bits", "loop"),
            Figure("three values, whole process", whole("values"), limit=6),
            *parts("values"),
        ],
    ),
    "region": Job(
        "for which truth: a record among correlated ones, and 8 bits, as functions of p",
        5,
        {
            "known": [*CHECK, f"{SPECS}/region.yaml"],
            "bits": [*CHECK, f"{SPECS}/region-8.yaml"],
            "points": floor("points"),
        },
        [
            *process("known", 3),
            Figure("8 bits, whole process", whole("bits"), limit=30),
            Figure(
                "100,000 values, a plain loop / this, start included",
                lambda r: part("points", "loop")(r) / r["known"].cpu,
                "x",
            ),
        ],
    ),
    "collapse-8": Job(
        "collapse of Example 2 on 8 bits: 20 runs, expected runs",
        3,
        {"bits": ["-m", "verifier", "compose", f"{SPECS}/collapse-8.yaml", "--runs", "20"]},
        [*process("bits", 10)],
    ),
    "runs-64": Job(
        "leakage of 1 to 64 runs, 4 outputs, 8 worlds",
        3,
        {"runs": ["-m", "verifier", "compose", f"{SPECS}/runs-64.yaml", "--runs", "64"]},
        [*process("runs", 2)],
    ),
    "facets-3": Job(
        "facets of randomized response, 3 bits",
        5,
        {"bits": spec(f"{SPECS}/facets-3.yaml")},
        [*process("bits"), Figure("engine", part("bits", "engine"), limit=1)],
    ),
    "facets-4": Job(
        "facets of randomized response, 4 bits",
        5,
        {"bits": spec(f"{SPECS}/facets-4.yaml")},
        [*process("bits", 30), *parts("bits")],
    ),
    "implies": Job(
        "two Blowfish policies on 4 records of 3 values, both ways",
        3,
        {"policies": spec(f"{SPECS}/implies-policies.yaml")},
        [*process("policies", 30), *parts("policies")],
    ),
    "synthesis-21": Job(
        "best mechanism, 21 counts × 21 outputs: uniform prior, worst case",
        3,
        {"counts": spec(f"{SPECS}/synthesis-21.yaml")},
        [*process("counts", 10), *parts("counts")],
    ),
    **{f"growth-{family}": grown(family, *sizes) for family, sizes in GROWTH.items()},
    "digits": Job(
        "100,000 worlds × 20 outputs, 200-digit denominators",
        3,
        {"digits": ["-m", "benchmarks.worker", "digits"], "loop": floor("digits")},
        [
            Figure("from Mechanism to certificate", part("digits", "wall"), limit=60),
            *parts("digits"),
            Figure("building the Mechanism from Fractions", part("digits", "build")),
            against("digits", "loop"),
        ],
    ),
    "pages": Job(
        "reports in HTML, opened in Chromium",
        3,
        {"pages": ["-m", "benchmarks.pages", *map(str, sorted(Path(MODELS).glob("*/*.yaml")))]},
        [
            Figure("all models, size", part("pages", "models size"), "MB", limit=3),
            Figure("all models, open", part("pages", "models open"), limit=2),
            Figure("10,000 checks, size", part("pages", "many size"), "MB"),
            Figure("10,000 checks, written", part("pages", "many render")),
            Figure("10,000 checks, open", part("pages", "many open"), limit=2),
            Figure("10,000 checks, searched", part("pages", "many search")),
        ],
    ),
    "linear-programs": Job(
        "linear programs",
        3,
        {"programs": ["-m", "benchmarks.lp", "--one", *LIMITS]},
        [
            *(family(name, limit) for name, limit in LIMITS.items()),
            Figure(
                "wrong answers or proofs",
                lambda r: sum(part("programs", f"{name} wrong")(r) for name in LIMITS),
                "",
                limit=0,
            ),
        ],
    ),
}
