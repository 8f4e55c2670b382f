"""The command `lsp`: a language server, which answers in editors while a file is written.

Documents are decided one after the other, in a worker within the limits, as `check` decides them.
A change ends the work on the text before it. The worker is forked before the library of the
protocol is loaded and has threads.
"""

from __future__ import annotations

import argparse
import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from threading import Condition, Event, Thread
from typing import Any

from verifier.base.errors import LibraryMissing
from verifier.base.version import VERSION
from verifier.cli.arguments import (
    Parsers,
    add_advice,
    add_cache,
    add_command,
    add_limits,
    add_strict,
)
from verifier.cli.checking import CheckRun
from verifier.cli.reports import Kept
from verifier.cli.running import OK
from verifier.report.findings import SOURCE, Finding
from verifier.spec.recognising import has_keys

PAUSE = 0.3  # seconds without a change before a text is decided
NAME = "verifier"
Told = Callable[[list[Finding]], None]


def add(parsers: Parsers) -> None:
    """Add its arguments to those of the command line."""
    command = add_command(parsers, "lsp", "serve an editor by the language server protocol")
    add_advice(command)
    add_strict(command)
    add_cache(command)
    add_limits(command, "check")
    command.set_defaults(run=run, format="text", reports=[], certificates=None)
    command.set_defaults(allow_vacuous=False, verbose=True)


def run(options: argparse.Namespace) -> int:
    """Serve until the editor ends it; LibraryMissing without pygls."""
    if find_spec("pygls") is None:
        raise LibraryMissing("a language server", "pygls", "lsp")
    decider = _Decider(options)
    # pygls closes what it writes to; what anybody else prints is no message, and goes to the log
    with os.fdopen(os.dup(1), "wb") as messages:
        os.dup2(2, 1)
        try:
            _Server(decider).server.start_io(stdout=messages)
        finally:
            decider.close()
    return OK


class _Decider:
    """Decides texts in a thread of its own, the one that changed first before others."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self._changed, self._ready = Condition(), Event()
        self._waiting: dict[str, tuple[str, Told]] = {}
        self._file, self._ends = "", False
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()
        self._ready.wait()

    def drop(self, file: str) -> None:
        """End the work on a file."""
        with self._changed:
            self._waiting.pop(file, None)
            if self._file == file:
                self._supervisor.signals.append(0)

    def decide(self, file: str, text: str, told: Told) -> None:
        """Decide a text of a file, and tell what is found, more and more of it."""
        with self._changed:
            self._waiting[file] = text, told
            self._changed.notify()

    def close(self) -> None:
        """End all work."""
        with self._changed:
            self._ends = True
            self._supervisor.signals.append(0)
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        self._supervisor = CheckRun(self.options, Kept("check", self.options)).supervisor(1)
        with self._supervisor:
            self._ready.set()
            while True:
                with self._changed:
                    self._file = ""
                    self._changed.wait_for(lambda: self._waiting or self._ends)
                    if self._ends:
                        return
                    self._file = next(iter(self._waiting))
                    text, told = self._waiting.pop(self._file)
                    self._supervisor.signals.clear()
                self._decide(text, told)

    def _decide(self, text: str, told: Told) -> None:
        report = Kept("check", self.options)
        work = CheckRun(self.options, report)
        work.is_quiet = True  # editors keep what is printed as errors of the server
        # bytes travel in JSON as one character each
        given = text.encode().decode("latin-1")
        job = {**work.asked(), "work": "check", "file": self._file, "given": given}
        known = 0
        for _ in work.round(self._supervisor, [job]):
            if len(report.findings) > known and not self._supervisor.signals:
                known = len(report.findings)
                told(report.findings[:])
        if not self._supervisor.signals:
            told(report.findings)


class _Server:
    """What an editor asks, answered in the loop of the protocol.

    found  the document -> what is known of its text
    """

    def __init__(self, decider: _Decider) -> None:
        from lsprotocol import types
        from pygls.lsp.server import LanguageServer

        self.types, self.decider = types, decider
        self.server = LanguageServer(NAME, VERSION)
        self.found: dict[str, list[Finding]] = {}
        self._due: dict[str, asyncio.TimerHandle] = {}
        triggers = types.CompletionOptions(trigger_characters=[" ", "{", "-"])
        actions = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])
        for name, answer, options in (
            (types.TEXT_DOCUMENT_DID_OPEN, self._changed, None),
            (types.TEXT_DOCUMENT_DID_CHANGE, self._changed, None),
            (types.TEXT_DOCUMENT_DID_CLOSE, self._closed, None),
            (types.TEXT_DOCUMENT_HOVER, self._hover, None),
            (types.TEXT_DOCUMENT_COMPLETION, self._completion, triggers),
            (types.TEXT_DOCUMENT_CODE_ACTION, self._actions, actions),
        ):
            self.server.feature(name, options)(partial(answer))  # it gets attributes

    def _changed(self, params: Any) -> None:
        """Decide a text that is new, once nothing has changed for a while."""
        uri = params.text_document.uri
        self._forget(uri)
        self._due[uri] = asyncio.get_running_loop().call_later(PAUSE, self._decide, uri)

    def _closed(self, params: Any) -> None:
        self._forget(params.text_document.uri)
        self._publish(params.text_document.uri, None, [])

    def _forget(self, uri: str) -> None:
        """End the work on a document, and forget what is known of its text."""
        if timer := self._due.pop(uri, None):
            timer.cancel()
        self.found.pop(uri, None)
        self.decider.drop(self._document(uri).path)

    def _decide(self, uri: str) -> None:
        known, loop = self._document(uri), asyncio.get_running_loop()
        version = known.version

        def told(findings: list[Finding]) -> None:
            with suppress(RuntimeError):  # the editor has ended it
                loop.call_soon_threadsafe(self._take, uri, version, findings)

        if has_keys(known.source):
            self.decider.decide(known.path, known.source, told)
        else:
            self._publish(uri, version, [])

    def _take(self, uri: str, version: int | None, findings: list[Finding]) -> None:
        """Tell the editor what was found, if the text is still the same."""
        if self._document(uri).version == version:
            self.found[uri] = findings
            marked = [one for one in findings if one.severity != "none"]
            self._publish(uri, version, [self._diagnostic(uri, one) for one in marked])

    def _publish(self, uri: str, version: int | None, diagnostics: list[Any]) -> None:
        told = self.types.PublishDiagnosticsParams(uri, diagnostics, version)
        self.server.text_document_publish_diagnostics(told)

    def _document(self, uri: str) -> Any:
        return self.server.workspace.get_text_document(uri)

    def _place(self, uri: str, position: Any) -> tuple[int, int]:
        """A position of the protocol as line and column, counted in characters from 1."""
        document = self._document(uri)
        found = document.position_codec.position_from_client_units(document.lines, position)
        return found.line + 1, found.character + 1

    def _range(self, uri: str, line: int, column: int, length: int) -> Any:
        """So many characters from a line and column on, in the units of the protocol."""
        document = self._document(uri)
        ends = (self.types.Position(line - 1, at) for at in (column - 1, column - 1 + length))
        return document.position_codec.range_to_client_units(
            document.lines, self.types.Range(*ends)
        )

    def _diagnostic(self, uri: str, found: Finding) -> Any:
        from verifier.report import editor

        document, severities = self._document(uri), self.types.DiagnosticSeverity
        severity = {"error": severities.Error, "warning": severities.Warning}
        is_here = found.file == document.path and found.line is not None
        line, column = (found.line or 1, found.column or 1) if is_here else (1, 1)
        if is_here and found.is_result:
            line, column = editor.definition_at(document.source, found.json)
        lines = document.lines
        text = lines[line - 1].rstrip("\r\n") if line <= len(lines) else ""
        said = f"{found.label}: {found.message}" if found.is_result else found.message
        return self.types.Diagnostic(
            self._range(uri, line, column, editor.length_at(text, column)),
            "\n".join([said if is_here else f"{found.place}: {said}", *_beside(found)]),
            severity.get(found.severity, severities.Information),
            found.rule,
            source=NAME,
        )

    def _hover(self, params: Any) -> Any:
        """What a word means; of a check its answer, where a word says nothing but this."""
        from verifier.report import editor, words

        uri = params.text_document.uri
        line, column = self._place(uri, params.position)
        known = self._document(uri)
        text = known.lines[line - 1] if line <= len(known.lines) else ""
        start, word = editor.word_at(text, column)
        means = words.explained(word) if word else None
        checks = [one for one in self._checks(uri, line) if means is None or one.rule == word]
        told = ["\n".join([f"{one.label}: {one.message}", *one.details]) for one in checks]
        if not (told or means):
            return None
        whole = "\n\n".join([*told, *([means] if means else [])])
        content = self.types.MarkupContent(self.types.MarkupKind.PlainText, whole)
        return self.types.Hover(content, self._range(uri, line, start, len(word)))

    def _checks(self, uri: str, line: int) -> list[Finding]:
        """The results of the check in which a line is, one for each choice of parameters."""
        from verifier.report import editor

        found = [one for one in self.found.get(uri, ()) if one.is_result and one.line]
        inside = editor.check_at(self._document(uri).source, [one.json for one in found], line)
        return [one for one in found if one.json in inside]

    def _completion(self, params: Any) -> Any:
        """The words of the schema."""
        from verifier.report import editor

        types, uri = self.types, params.text_document.uri
        whole = editor.offers(self._document(uri).source, *self._place(uri, params.position))
        asks = self.server.client_capabilities.text_document
        item = asks and asks.completion and asks.completion.completion_item
        snippets = bool(item and item.snippet_support)
        return [
            types.CompletionItem(
                one.word,
                documentation=one.about or None,
                insert_text=one.snippet if snippets and one.snippet else None,
                insert_text_format=types.InsertTextFormat.Snippet
                if snippets and one.snippet
                else None,
            )
            for one in whole
        ]

    def _actions(self, params: Any) -> Any:
        """What can be written at a check: its exact leakage, and what would make it hold."""
        from verifier.report import editor
        from verifier.spec.edits import Edit

        uri = params.text_document.uri
        line, _ = self._place(uri, params.range.start)
        known, found = self._document(uri), self._checks(uri, line)
        edits = [
            (f"Write the advised value: {said.pop('says')}", Edit(**said))
            for one in found
            for said in map(dict, one.json.get("advice", ()))
        ]
        if len(found) == 1 and (pin := editor.pinned(known.path, known.source, found[0].json)):
            edits.append(("Pin the exact leakage", pin))
        return [self._action(uri, title, edit) for title, edit in edits]

    def _action(self, uri: str, title: str, edit: Any) -> Any:
        types = self.types
        place = self._range(uri, edit.line, edit.column, edit.length)
        change = types.WorkspaceEdit({uri: [types.TextEdit(place, edit.text)]})
        return types.CodeAction(title, types.CodeActionKind.QuickFix, edit=change)


def _beside(found: Finding) -> list[str]:
    """What a mark says besides the message: hints, reasons and advice, without the source."""
    if found.is_result:
        reason = found.json.get("reason")
        return [part for part in (reason, found.advice) if part]
    return [line.strip() for line in found.details if not SOURCE.match(line)]
