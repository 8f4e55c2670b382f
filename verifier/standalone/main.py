"""What `privacy-checker.pyz` does: it gives certificates to the checker, with Python alone.

It has the checker and nothing else of the package, so it cannot compile a spec file to its
questions. With `--digest` a certificate must be of a question that somebody else has compiled. With
`--spec` it must name the file by its digest, and say what the file expects; that its question is
what the file asks is taken from the certificate, and said with each.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import verifier.checker as checker
from verifier.base.version import VERSION
from verifier.checker.document import (
    MALFORMED,
    MORE_STEPS,
    Refused,
    canonical,
    limited,
    read_json,
    spend,
)

OK, FAILED, BAD_INPUT, REJECTED = 0, 1, 2, 4
WORST_FIRST = (REJECTED, BAD_INPUT, FAILED, OK)
SAYS = ("holds", "violated", "vacuous")  # of a check; a linear program has further words
MANIFEST = "manifest.json"
ABOUT = "Check certificates of privacy-verifier with Python's standard library alone."
YAML_NEEDED = (
    "{}: this is YAML, and PyYAML is not installed. Install it, or save the file as JSON, or name "
    "the questions: --digest, as verifier.lock and `verifier check --format json` have them"
)
PARAMETERS = "{}: a file with parameters has several questions to a check: name them by --digest"


class Wrong(Exception):
    """Bad input."""


class Check(NamedTuple):
    """A check of a spec file: its number from 1 on, its keys, and the answer that is expected."""

    number: int
    keys: frozenset[str]
    expected: str


class Spec(NamedTuple):
    """A spec file: its name, its digest, and its checks."""

    name: str
    digest: str
    checks: tuple[Check, ...]


class Accepted(NamedTuple):
    """What an accepted certificate is of, and what it says."""

    path: str
    question: Any
    digests: tuple[str, str]
    says: str


def main(arguments: Sequence[str] | None = None) -> int:
    """Check certificates; the status of the process."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    options = _parser().parse_args(arguments)
    try:
        statuses = set(_certified(options))
    except (OSError, Wrong) as error:
        print(escaped(str(error)), file=sys.stderr)
        return BAD_INPUT
    return next(status for status in WORST_FIRST if status in statuses)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("privacy-checker", description=ABOUT, allow_abbrev=False)
    parser.add_argument("--version", action="version", version=f"privacy-checker {VERSION}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    certify = commands.add_parser("certify", help="check certificates", allow_abbrev=False)
    certify.add_argument(
        "files", nargs="+", metavar="FILE", help="certificates, JSON, or folders of them"
    )
    asked = certify.add_mutually_exclusive_group()
    asked.add_argument(
        "--digest",
        action="append",
        default=[],
        metavar="SHA256",
        help="of a question, with or without its source: it is to have a certificate, and there "
        "are no others; may be given several times",
    )
    asked.add_argument(
        "--spec",
        action="append",
        default=[],
        metavar="FILE",
        help="a spec file, JSON, or YAML where PyYAML is installed: each of its checks is to have "
        "a certificate, and there are no others; what they ask is taken from the certificates",
    )
    certify.add_argument("--expect", choices=SAYS, help="what each certificate is to say")
    certify.add_argument("-q", "--quiet", action="store_true", help="print only what is not ok")
    return parser


def _certified(options: argparse.Namespace) -> Iterator[int]:
    """The status of each certificate, and of each question without one; all of it is printed."""
    if options.spec and options.expect:
        raise Wrong("--expect does not go with --spec: the file says what it expects")
    specs = [_spec(name) for name in options.spec]
    paths = list(dict.fromkeys(path for name in options.files for path in _listed(name)))
    if not paths:
        raise Wrong("there are no certificates")
    answered: set[Any] = set()
    counts: dict[str, int] = {}
    for path in paths:
        verdict, document = _read(path)
        status, said = {"rejected": REJECTED, "refused": BAD_INPUT}.get(verdict.outcome, OK), ""
        if status == OK:
            found = _accepted(path, document)
            said = _objection(found, options, specs, answered)
            status = FAILED if said else OK
            counts[found.says] = counts.get(found.says, 0) + (status == OK)
        _tell(path, verdict, said, _taken(verdict, document, specs), options.quiet and status == OK)
        yield status
    for missing in _unanswered(options, specs, answered):
        print(escaped(f"{missing}: no accepted certificate answers this check"))
        yield FAILED
    told = [f"{count} {says}" for says, count in sorted(counts.items()) if count]
    print(f"accepted: {', '.join(told) or 'none'}")


def _listed(name: str) -> list[str]:
    """A file, or those below a folder, in order; without manifests."""
    if not os.path.isdir(name):
        return [name]
    found = [os.path.join(path, one) for path, _, files in os.walk(name) for one in files]
    return sorted(
        one for one in found if one.endswith(".json") and os.path.basename(one) != MANIFEST
    )


def _read(path: str) -> tuple[checker.Verdict, Any]:
    if os.path.exists(path) and not os.path.isfile(path):
        return checker.Verdict("refused", "not a regular file"), None
    return checker.read_file(path)


def _accepted(path: str, document: Any) -> Accepted:
    question, answer = document["question"], document["answer"]
    says = "vacuous" if "vacuous" in (answer.get("leakage") or {}) else answer["verdict"]
    with limited():
        spend(-MORE_STEPS)
        content = canonical({**question, "source": None})
    return Accepted(path, question, (document["digest"], digest_of(content.encode())), says)


def _objection(
    found: Accepted, options: argparse.Namespace, specs: Sequence[Spec], answered: set[Any]
) -> str:
    """Why an accepted certificate is none that is asked for; nothing where it is."""
    expected = options.expect
    if options.digest:
        key: Any = next((one for one in found.digests if one in options.digest), None)
        if key is None:
            return "its question has none of these digests"
    elif specs:
        spec, check = _asked(found.question["source"], specs)
        if spec is None or check is None:
            return "it names another file, or the file has changed since"
        if found.question["definition"] not in check.keys:
            return f"check {check.number} of {spec.name} has another definition"
        if wrong := _other_files(found.question["source"]["files"], spec):
            return wrong
        key, expected = (spec.digest, check.number), check.expected
    else:
        key = found.path
    if expected and found.says != expected:
        return f"it says {found.says}, expected {expected}"
    if not expected and found.says == "vacuous":
        return "it says vacuous: nothing was compared"
    if key in answered:
        return "another certificate answers the same check"
    answered.add(key)
    return ""


def _asked(source: Any, specs: Sequence[Spec]) -> tuple[Spec | None, Check | None]:
    """The spec file and the check that a certificate names; None where there is none."""
    spec = next((one for one in specs if source and one.digest == source["spec"]), None)
    checks = {one.number: one for one in spec.checks} if spec else {}
    return spec, checks.get(source["check"] + 1) if source else None


def _other_files(files: Any, spec: Spec) -> str:
    """Which of the files that a spec file reads has changed; nothing where none has."""
    for name, digest in files.items():
        path = os.path.join(os.path.dirname(spec.name), name)
        if not os.path.isfile(path) or _file_digest(path) != digest:
            return f"'{name}', which {spec.name} reads, has changed since"
    return ""


def _unanswered(
    options: argparse.Namespace, specs: Sequence[Spec], answered: set[Any]
) -> Iterator[str]:
    yield from (one for one in dict.fromkeys(options.digest) if one not in answered)
    for spec in specs:
        for check in spec.checks:
            if (spec.digest, check.number) not in answered:
                yield f"{spec.name}: check {check.number}"


def _taken(verdict: checker.Verdict, document: Any, specs: Sequence[Spec]) -> list[str]:
    """What is taken from the engine of an accepted certificate, in words."""
    taken = [f"the {part}" for part in verdict.taken]
    if verdict.outcome == "accepted" and specs:
        spec, check = _asked(document["question"]["source"], specs)
        if spec and check:
            leaks = ", and the leakage that it expects" * ("leakage" in check.keys)
            taken.append(f"that this is what check {check.number} of {spec.name} asks{leaks}")
    return taken


def _tell(
    path: str, verdict: checker.Verdict, objection: str, taken: Sequence[str], is_quiet: bool
) -> None:
    if is_quiet:
        return
    said = f"not as expected: {objection}" if objection else f"{verdict.outcome}: {verdict.reason}"
    print(escaped(f"{path}: {said}"))
    if verdict.claim:
        print(escaped(f"  {verdict.claim}"))
    if taken:
        print(escaped(f"  taken from the engine: {', '.join(taken)}"))


def _spec(name: str) -> Spec:
    """A spec file, as far as it is read here; Wrong."""
    tree = _json(name) if name.endswith(".json") else _yaml(name)
    if not isinstance(tree, dict) or not isinstance(tree.get("checks"), list) or not tree["checks"]:
        raise Wrong(f"{name}: a spec file has a list of checks")
    if "parameters" in tree:
        raise Wrong(PARAMETERS.format(name))
    checks = []
    for number, check in enumerate(tree["checks"], 1):
        expected = check.get("expect", "holds") if isinstance(check, dict) else None
        if expected not in SAYS or "parameters" in check:
            raise Wrong(PARAMETERS.format(f"{name}: check {number}"))
        checks.append(Check(number, frozenset(check), expected))
    return Spec(name, _file_digest(name), tuple(checks))


def _json(name: str) -> Any:
    try:
        return read_json(name)
    except (Refused, *MALFORMED) as error:
        raise Wrong(f"{name}: not well-formed JSON: {error}") from None


def _yaml(name: str) -> Any:
    try:
        import yaml
    except ModuleNotFoundError:
        raise Wrong(YAML_NEEDED.format(name)) from None
    with open(name, encoding="utf-8-sig") as file:
        try:
            return yaml.load(file, yaml.BaseLoader)
        except yaml.YAMLError as error:
            raise Wrong(f"{name}: not well-formed YAML: {error}") from None


def _file_digest(path: str) -> str:
    with open(path, "rb") as file:
        return digest_of(file.read())


def digest_of(data: bytes) -> str:
    """The digest of some bytes, as certificates have it."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"


def escaped(text: str) -> str:
    """A line that is safe to print: whatever would end or turn it, or move the cursor, escaped."""
    return "".join(
        one if one.isprintable() else one.encode("unicode_escape").decode() for one in text
    )
