"""The measured side: runs one job and prints the processor seconds of its parts as JSON.

python -m benchmarks.worker spec FILE     read, decide and check every check of a file
python -m benchmarks.worker warm FILE     the same when everything is imported, median of 7
python -m benchmarks.worker digits        the mechanism with 200-digit denominators
"""

from __future__ import annotations

import json
import sys
from statistics import median
from time import perf_counter, process_time

from benchmarks import digits
from verifier import checker
from verifier.questions.answer import Answer
from verifier.run.verify import asked, decide
from verifier.spec import reading


def spec(path: str) -> dict[str, object]:
    """Every check of a file, from text to accepted certificate."""
    started = process_time()
    _, checks = reading.load(path)
    report: dict[str, object] = {}
    engine = process_time() - started
    checking = 0.0
    for check in checks:
        started = process_time()
        answer = decide(asked(check))
        decided = process_time()
        accept(answer)
        engine += decided - started
        checking += process_time() - decided
        report = answer_of(answer)
    return {**report, "engine": engine, "checker": checking}


def warm(path: str) -> dict[str, object]:
    """Seconds of `spec` beyond start-up: in a process that has done it once, median of 7."""
    spec(path)
    runs = [spec(path) for _ in range(7)]
    return {"warm": median(float(str(run["engine"])) + float(str(run["checker"])) for run in runs)}


def large() -> dict[str, object]:
    """The mechanism of `digits`, from Mechanism to accepted certificate."""
    rows = digits.rows()
    started = process_time()
    mechanism = digits.mechanism(rows)
    del rows
    built, begun = process_time(), perf_counter()
    answer = decide(digits.question(mechanism))
    decided = process_time()
    accept(answer)
    checked = process_time()
    return {
        **answer_of(answer),
        "build": built - started,
        "engine": decided - built,
        "checker": checked - decided,
        "wall": perf_counter() - begun,
    }


def accept(answer: Answer) -> None:
    """Fail unless the checker accepts."""
    verdict = checker.check(answer.certificate)
    if verdict.outcome != "accepted":
        sys.exit(f"the checker {verdict.outcome} the certificate: {verdict.reason}")


def answer_of(answer: Answer) -> dict[str, object]:
    """Verdict and number, so that a job can be seen to give the same answer as before."""
    number = answer.leakage.claim() if answer.leakage else {"value": str(answer.value)}
    return {"verdict": answer.verdict, "number": number}


if __name__ == "__main__":
    job, *files = sys.argv[1:]
    print(json.dumps({"spec": spec, "warm": warm, "digits": large}[job](*files)))
