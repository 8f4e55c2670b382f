"""What `check`, `audit` and `--watch` do alike: a run that decides checks and reports them."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from verifier.base import files
from verifier.base.escape import escaped
from verifier.cli import inputs
from verifier.cli.reports import Report, ReportedRun
from verifier.cli.running import FAILED, OF_CHECKS, Json, Run, complain
from verifier.report.findings import Finding, of_check, of_note, undone

KEPT = ("index", "name", "definition", "verdict", "status")  # of a check, in the manifest


class CheckRun(ReportedRun):
    """Decides checks: reports each at once, and keeps account of the certificates."""

    def __init__(self, options: argparse.Namespace, report: Report) -> None:
        super().__init__(options, report)
        self.specs: list[Json] = []
        self._file = ""
        self._listed: dict[int, Finding] = {}
        self._notes: list[Finding] = []

    def asked(self) -> Json:
        """What all its jobs have."""
        folder = self.options.certificates
        return {
            "certificates": None if folder is None else str(folder),
            "allow_vacuous": self.options.allow_vacuous,
            "verbose": self.options.verbose,
            "figures": self.report.draws,
            "advice": self.report.advises,
            "dry_run": False,
        }

    def take(self, file: str, event: Json) -> None:
        """Take in what is told about a file."""
        if "listed" in event:
            self._spec(file)["sha256"] = event["sha256"]
            self._listed = {item["json"]["index"]: of_check(item) for item in event["listed"]}
        elif "over" in event and self._listed:
            self._rest(file, "undecided", event["over"])
        else:
            super().take(file, event)

    def _spec(self, file: str) -> Json:
        """What the manifest says of a file; a new entry for a new file."""
        if self._file != file or not self.specs:
            self._file, self._listed = file, {}
            self.specs.append({"file": file, "sha256": None, "checks": []})
        return self.specs[-1]

    def answer(self, file: str, event: Json) -> None:
        """Report one result."""
        item = event["item"]
        self._listed.pop(item["json"]["index"], None)
        self._tell(file, of_check(item), item["sha256"])
        self._notes += [of_note(note, self.options.strict) for note in item["told"]]

    def _tell(self, file: str, found: Finding, sha256: str | None = None) -> None:
        path = (found.json["certificate"] or {}).get("path")
        certificate = path and {"path": path, "sha256": sha256}
        told = {**{key: found.json[key] for key in KEPT}, "certificate": certificate}
        self._spec(file)["checks"].append(told)
        self.statuses.add(OF_CHECKS[found.status])
        self.report.add(found)

    def _rest(self, file: str, status: str, reason: str) -> None:
        """Report what the run did not come to."""
        for found in self._listed.values():
            self._tell(file, undone(found, status, reason))
        self._listed = {}

    def _tell_notes(self) -> None:
        """Report what a file says that nobody asked for, after its checks."""
        for note in {(one.line, one.column, one.id): one for one in self._notes}.values():
            self.report.add(note)
            if self.options.strict:
                self.statuses.add(FAILED)
        self._notes = []

    def ended(self, file: str) -> None:
        """Report the notes on a file, and remove certificates that are not about it as it is."""
        self._tell_notes()
        self._listed, checks = {}, self._spec(file)["checks"]
        self._file = ""
        if folder := self.options.certificates:
            fresh = {Path(c["certificate"]["path"]) for c in checks if c["certificate"]}
            files.remove_stale(folder, file, fresh)

    def not_run(self, file: str, begun: bool) -> None:
        """Report the checks that are not run; all that is known of a file not begun is its name."""
        self._tell_notes()
        if begun and self._listed:
            self._rest(file, "not run", "the run was interrupted")
        else:
            self._spec(file)
            super().not_run(file, begun)
        self._file = ""

    def hold(self) -> None:
        """Report what is not as the lock has it; InputError S902."""
        from verifier.cli import lock

        named = self.options.files or [os.curdir]
        for found in lock.hold(self.report.findings, named, self.options.strict):
            if found.severity == "error":
                self.statuses.add(FAILED)
            if found.rule == lock.WEAKER:
                complain(escaped(f"{found.place}: {found.rule} {found.message}"))
                complain("\n".join(map(escaped, found.details)))
            self.report.add(found)


def named(work: Run) -> list[str]:
    """The files that are asked for: of the arguments, of the settings, or all of this folder."""
    if work.options.files:
        return work.files(work.options.files)
    from verifier.cli import sides

    names = [name for name in sides.contents(sides.here(), ()) if inputs.is_spec_file(name)]
    if not names:
        work.refuse(inputs.nothing_in(os.curdir))
    return names
