"""Accepting certificates: the checker's verdict on each, and whether it answers what was asked.

Without spec files the checker alone is asked, and each certificate is to say what is expected. With
spec files every check is compiled to its question, nothing is decided, and each question is to have
one accepted certificate: of exactly this question, with the answer that the file expects.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from verifier import checker
from verifier.base.document import open_regular

Json = dict[str, Any]

MANIFEST = "manifest.json"
ACCEPTED, OTHERWISE, REFUSED = "accepted", "not as expected", "refused"


@dataclass(frozen=True)
class Question:
    """What a check asks, and what its file expects of the answer.

    title        of the check, for people
    digest       of the question
    source       digests of the files, and the check's place
    parts        the digest of each part of the question
    expected     "holds", "violated" or "vacuous"
    leakage      the ends of an interval for the smallest level, None for infinite; or None
    differences  path -> how a certificate differs from the regions and functions that are expected
    """

    file: str
    title: str
    digest: str
    source: Json
    parts: Mapping[str, str]
    expected: str
    leakage: tuple[str | None, str | None] | None = None
    differences: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Certificate:
    """What the checker says of a file, and what an accepted certificate states.

    outcome  "accepted", "rejected" or "refused"; `reason` says why
    claim    in words
    taken    what of its question the checker takes as it stands there
    """

    path: str
    outcome: str
    reason: str
    claim: str = ""
    taken: tuple[str, ...] = ()
    digest: str = ""
    source: Json | None = None
    parts: Mapping[str, str] | None = None
    verdict: str = ""
    leakage: Json | None = None

    @property
    def says(self) -> str:
        """The verdict; "vacuous" where nothing is compared."""
        return "vacuous" if "vacuous" in (self.leakage or {}) else self.verdict


def listed(paths: Iterable[str]) -> Iterator[str]:
    """The files named, and those below the folders named, in order; without manifests."""
    for path in paths:
        if Path(path).is_dir():
            found = sorted(Path(path).rglob("*.json"))
            yield from (str(one) for one in found if one.name != MANIFEST)
        else:
            yield path


def read_certificate(path: str) -> Certificate:
    """The checker's verdict on a file, and what it states; one of format 2 is converted first."""
    try:
        open_regular(path).close()  # a pipe would let the checker wait
        verdict, document = checker.read_file(path)
        if isinstance(document, dict) and document.get("version") == 2:
            from verifier.run.earlier import checked  # which most files do not need

            verdict, document = checked(document)
    except (OSError, ValueError) as error:
        return Certificate(path, REFUSED, f"not a readable certificate: {error!r:.300}")
    if verdict.outcome != ACCEPTED:
        return Certificate(path, verdict.outcome, verdict.reason)
    question, answer = document["question"], document["answer"]
    return Certificate(
        path,
        verdict.outcome,
        verdict.reason,
        verdict.claim,
        verdict.taken,
        document["digest"],
        question["source"],
        digests(question),
        answer["verdict"],
        answer.get("leakage"),
    )


def digests(question: Json) -> dict[str, str]:
    """A digest of each part of a question, to say which ones differ."""
    texts = {key: json.dumps(part, sort_keys=True, default=str) for key, part in question.items()}
    return {key: hashlib.sha256(text.encode()).hexdigest() for key, text in texts.items()}


@dataclass(frozen=True)
class Judged:
    """What is said of a certificate, or of a check that has none.

    subject  the certificate's path, or the check and its file
    file     of the certificate or of the check
    status   "accepted", "not as expected" (or missing), "rejected" or "refused"
    says     the answer of an accepted certificate: "holds", "violated" or "vacuous"
    """

    subject: str
    file: str
    status: str
    reason: str
    claim: str = ""
    taken: tuple[str, ...] = ()
    says: str = ""

    def details(self) -> Iterator[str]:
        """What an accepted certificate states, in words."""
        if self.claim:
            yield self.claim
        if self.taken:
            yield f"taken from the engine: {', '.join(f'the {part}' for part in self.taken)}"


def expected(found: Certificate, verdict: str | None) -> Judged:
    """Whether a certificate is accepted, and says what is expected.

    verdict  "holds", "violated" or "vacuous"; None for any but the last
    """
    if found.outcome == ACCEPTED and verdict not in (None, found.says):
        return _judged(found, f"it says {found.says}, expected {verdict}")
    if found.outcome == ACCEPTED and verdict is None and found.says == "vacuous":
        return _judged(found, "it says vacuous: nothing was compared")
    return _judged(found)


def answered(found: Iterable[Certificate], asked: Iterable[Question]) -> Iterator[Judged]:
    """For each certificate whether it answers one of the questions, and as its file expects; then
    the questions that no certificate answers."""
    known = {question.digest: question for question in asked}
    by: dict[str, str] = {}
    for certificate in found:
        objection = None
        if certificate.outcome == ACCEPTED:
            objection = _objection(certificate, known, by)
            if objection is None:
                by[certificate.digest] = certificate.path
        yield _judged(certificate, objection)
    for question in known.values():
        if question.digest not in by:
            subject = f"{question.file}: {question.title}"
            yield Judged(
                subject, question.file, OTHERWISE, "no accepted certificate answers this check"
            )


def _judged(found: Certificate, objection: str | None = None) -> Judged:
    status = found.outcome if objection is None else OTHERWISE
    return Judged(
        found.path,
        found.path,
        status,
        objection or found.reason,
        found.claim,
        found.taken,
        found.says,
    )


def _objection(
    found: Certificate, known: Mapping[str, Question], by: Mapping[str, str]
) -> str | None:
    """Why a certificate does not answer a question that was asked; None where it does."""
    if found.digest not in known:
        return f"it answers no check of the spec files: {_difference(found, known.values())}"
    if found.digest in by:
        return f"'{by[found.digest]}' answers the same check"
    question = known[found.digest]
    if found.says != question.expected:
        return f"it says {found.says}, the file expects {question.expected}"
    if question.leakage is not None and not _within(found.leakage, question.leakage):
        low, high = ("infinite" if end is None else end for end in question.leakage)
        return f"the file expects the leakage {low if low == high else f'[{low}, {high}]'}"
    return question.differences.get(found.path)


def _difference(found: Certificate, asked: Iterable[Question]) -> str:
    """What distinguishes a question from the one at its place."""
    source, parts = found.source, found.parts or {}
    if source is None:
        return "it names no file"
    same = [one for one in asked if one.source["spec"] == source["spec"]]
    if not same:
        return "its file is another one, or has changed since"
    here = [one for one in same if one.source["check"] == source["check"]]
    if not here:
        return f"its file has no check {source['check'] + 1}"
    keys = {*parts, *here[0].parts}
    other = sorted(key for key in keys if parts.get(key) != here[0].parts.get(key))
    return f"the check asks another question ({', '.join(other)} differ)"


def _within(leakage: Json | None, asked: tuple[str | None, str | None]) -> bool:
    """Whether a smallest level, as a certificate states it, lies in an interval."""
    low, high = asked
    if leakage is None:
        return False
    if low is None or high is None or "infinite" in leakage:
        return low is None and "infinite" in leakage
    exact = str(leakage.get("exp_epsilon", 1))  # vacuous: 1
    ends = Fraction(leakage.get("lower") or exact), Fraction(leakage.get("upper") or exact)
    return Fraction(low) <= ends[0] and ends[1] <= Fraction(high)
