"""`verifier lsp`: an editor speaks the protocol with the process that it starts."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from verifier import cli
from verifier.run.supervision import processes
from verifier.spec.edits import Edit, edited

Json = dict[str, Any]
HEAD = """\
# 𝒫 and 𝒬: each of them is two units of UTF-16
worlds: {records: [ann, bob], domain: [0, 1]}
mechanism: {randomized_response: {truth: 3/4}}
"""
SPEC = f"""\
{HEAD}checks:
  - differential_privacy: {{exp_epsilon: 2}}  # three
  - {{name: "𝒫", differential_privacy: {{exp_epsilon: 3}}}}
"""
ENDLESS = HEAD.replace(
    "{randomized_response: {truth: 3/4}}", "{python: {file: endless.py, function: endless}}"
)


class Editor:
    """The end of an editor: what it asks and is told goes through the pipes of the process."""

    def __init__(self, folder: Path, *options: str) -> None:
        command = [sys.executable, "-m", "verifier", "lsp", *options]
        self.log = folder / "log"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, cwd=folder
            )
        self.uri, self.version, self.number = (folder / "a.yaml").as_uri(), 0, 0
        self.told: list[Json] = []
        completion = {"completionItem": {"snippetSupport": True}}
        self.can = self.ask(
            "initialize",
            processId=None,
            rootUri=folder.as_uri(),
            capabilities={"textDocument": {"completion": completion}},
        )["capabilities"]
        self.tell("initialized")

    def send(self, message: Json) -> None:
        """Write a message."""
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(data), data))
        self.process.stdin.flush()

    def receive(self) -> Json:
        """The next message."""
        length, out = 0, self.process.stdout
        assert out
        while line := out.readline().strip():
            name, value = line.split(b": ")
            length = int(value) if name == b"Content-Length" else length
        assert length, "the server has ended"
        found: Json = json.loads(out.read(length))
        return found

    def tell(self, method: str, **params: Any) -> None:
        """Tell something that has no answer."""
        self.send({"method": method, "params": params})

    def ask(self, method: str, **params: Any) -> Any:
        """The answer to a question; what is told before it is kept."""
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        while (found := self.receive()).get("id") != self.number:
            self.told.append(found)
        assert "error" not in found, found
        return found["result"]

    def at(self, method: str, line: int, character: int, **params: Any) -> Any:
        """The answer to a question about a place of the document."""
        place = {"line": line, "character": character}
        document = {"uri": self.uri}
        return self.ask(f"textDocument/{method}", textDocument=document, position=place, **params)

    def write(self, text: str, **place: Json) -> None:
        """Open the document, or change all of it, or what stands in a `range`."""
        self.version += 1
        document: Json = {"uri": self.uri, "version": self.version}
        if self.version == 1:
            document |= {"text": text, "languageId": "yaml"}
            self.tell("textDocument/didOpen", textDocument=document)
        else:
            changes = [{"text": text, **place}]
            self.tell("textDocument/didChange", textDocument=document, contentChanges=changes)

    def marks(self, wanted: Callable[[list[Json]], Any]) -> list[Json]:
        """What is marked in the last text, once it is as wanted."""
        while True:
            found = self.told.pop(0) if self.told else self.receive()
            if found.get("method") == "textDocument/publishDiagnostics":
                assert found["params"]["version"] <= self.version
                marks: list[Json] = found["params"]["diagnostics"]
                if found["params"]["version"] == self.version and wanted(marks):
                    return marks

    def actions(self, line: int) -> dict[str, Edit]:
        """What can be written at a line, by its title."""
        place = {"line": line, "character": 4}
        found = self.ask(
            "textDocument/codeAction",
            textDocument={"uri": self.uri},
            range={"start": place, "end": place},
            context={"diagnostics": []},
        )
        return {one["title"]: as_edit(one["edit"]["changes"][self.uri]) for one in found}

    def end(self) -> int:
        """End the process as an editor does."""
        assert self.ask("shutdown") is None
        self.tell("exit")
        return self.process.wait()


def as_edit(changes: list[Json]) -> Edit:
    """The one edit, of a line without letters of two units."""
    (one,) = changes
    start, end = one["range"]["start"], one["range"]["end"]
    assert start["line"] == end["line"]
    length = end["character"] - start["character"]
    return Edit(start["line"] + 1, start["character"] + 1, length, one["newText"])


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[Editor]:
    """An editor in a folder, and its server."""
    pytest.importorskip("pygls", reason="without pygls, of the extra lsp")
    one = Editor(folder, *options)
    with one.process:
        try:
            yield one
        finally:
            one.process.kill()


@pytest.fixture
def editor(tmp_path: Path) -> Iterator[Editor]:
    """An editor and its server."""
    with serving(tmp_path) as one:
        yield one


def test_a_session(editor: Editor) -> None:
    """Of two changes only the second is answered; places are told in the units of the protocol."""
    assert editor.can["positionEncoding"] == "utf-16"
    editor.write(SPEC)
    (mark,) = editor.marks(len)
    start, end = mark["range"]["start"], mark["range"]["end"]
    assert (start["line"], end["line"], mark["severity"]) == (4, 4, 1)
    assert SPEC.split("\n")[4][start["character"] :].startswith("differential_privacy")
    assert "violated; smallest e^ε 3" in mark["message"] and "holds with" in mark["message"]

    editor.write(SPEC.replace("exp_epsilon: 3", "exp_epsilon: 2"))
    line = SPEC.split("\n")[5]
    units = len(line[: line.index("differential")].encode("utf-16-le")) // 2
    _, mark = editor.marks(lambda marks: len(marks) == 2)  # of a check in braces the definition
    assert mark["range"]["start"] == {"line": 5, "character": units}
    assert mark["range"]["end"] == {"line": 5, "character": units + len("differential_privacy")}

    editor.write(SPEC.replace("3/4", "9/10"))
    place = {"start": {"line": 2, "character": 41}, "end": {"line": 2, "character": 45}}
    editor.write("3/4a", range=place)
    (mark,) = editor.marks(len)
    assert mark["code"] == "S101" and "hint" in mark["message"]
    assert mark["range"]["start"] == {"line": 2, "character": 41}
    assert mark["range"]["end"] == {"line": 2, "character": 45}

    editor.write(SPEC.replace('"𝒫", differential_privacy', '"𝒫", differential_privac'))
    (mark,) = editor.marks(len)
    assert units == line.index("differential") + 1  # 𝒫 has two units
    assert mark["range"]["start"] == {"line": 5, "character": units}
    assert mark["range"]["end"] == {"line": 5, "character": units + len("differential_privac")}

    editor.write(SPEC.replace("exp_epsilon: 2", "exp_epsilon: 3"))
    editor.marks(lambda marks: not marks)
    assert editor.end() == 0
    assert editor.log.read_bytes() == b""  # editors take it for errors of the server


def test_hover(editor: Editor, capsys: pytest.CaptureFixture[str]) -> None:
    editor.write(SPEC)
    editor.marks(len)
    assert cli.main(["explain", "randomized_response"]) == 0
    told = editor.at("hover", 2, 15)
    assert told["contents"]["value"] == capsys.readouterr().out.rstrip("\n")
    assert told["range"]["start"]["character"] == 12 and told["range"]["end"]["character"] == 31
    of_check = editor.at("hover", 4, 10)["contents"]["value"]
    assert of_check.startswith("differential_privacy (exp_epsilon 2): violated")
    assert "ratio 3" in of_check and "differential_privacy: definition" in of_check
    # a comment has no words of its own: it is the check that is told; outside there is nothing
    assert (
        "violated" in editor.at("hover", 4, SPEC.split("\n")[4].index("three"))["contents"]["value"]
    )
    assert editor.at("hover", 0, 0) is None


def test_completion(editor: Editor) -> None:
    text = f"{HEAD}checks:\n  - diff"
    editor.write(text)
    found = {one["label"]: one for one in editor.at("completion", 4, 8)}
    assert found["differential_privacy"]["insertText"].startswith("differential_privacy: {")
    assert found["differential_privacy"]["insertTextFormat"] == 2
    assert "neighbours" not in found and "name" in found
    editor.write(f"{text}erential_privacy: {{epsilon: 1, neighbours: ")
    labels = {one["label"] for one in editor.at("completion", 4, 51)}
    assert {"replace", "add_remove"} <= labels and "epsilon" not in labels


def test_actions(editor: Editor) -> None:
    """What is written makes the check hold, or stands for what was found."""
    editor.write(SPEC)
    editor.marks(len)
    found = editor.actions(4)
    pin = edited(SPEC, [found.pop("Pin the exact leakage")])
    assert "leakage: 3\n    differential_privacy: {exp_epsilon: 2}" in pin
    assert found and all(title.startswith("Write the advised value: ") for title in found)
    for edit in found.values():
        editor.write(edited(SPEC, [edit]))
        editor.marks(lambda marks: not marks)
    editor.write(pin.replace("exp_epsilon: 2", "exp_epsilon: 3"))
    editor.marks(lambda marks: not marks)
    assert editor.actions(5) == {}  # it is pinned


def test_work_on_a_text_that_has_changed_ends(tmp_path: Path) -> None:
    """It would never end by itself."""
    function = "def endless(world):\n    while True:\n        pass\n"
    (tmp_path / "endless.py").write_text(function, encoding="utf-8")
    with serving(tmp_path, "--allow-python", "--time-limit", "100000") as editor:
        (zygote,) = processes.descendants(editor.process.pid)
        editor.write(f"{ENDLESS}checks:\n  - differential_privacy: {{epsilon: 1}}\n")
        while not (workers := processes.descendants(zygote)):
            pass
        editor.write(SPEC)
        assert len(editor.marks(len)) == 1
        assert not set(workers) & set(processes.descendants(zygote))
        assert editor.end() == 0


def test_other_files_are_left_alone(editor: Editor) -> None:
    editor.write("services: {web: {image: x}}\n")
    assert editor.marks(lambda marks: True) == []


def test_notes_and_what_is_wrong_in_another_file(editor: Editor, tmp_path: Path) -> None:
    editor.write(f"secrets: {{yes: ann == 1}}\n{SPEC.replace('exp_epsilon: 2', 'exp_epsilon: 3')}")
    (mark,) = editor.marks(len)
    assert (mark["code"], mark["severity"]) == ("N103", 3)
    (tmp_path / "a.csv").write_text("output,0\nx,2\n", encoding="utf-8")
    editor.write(
        "worlds: ['0']\nmechanism: {csv: a.csv}\nchecks:\n  - differential_privacy: {epsilon: 1}"
    )
    (mark,) = editor.marks(len)
    assert mark["severity"] == 1 and "a.csv" in mark["message"]


def test_without_the_library(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pygls", None)
    assert cli.main(["lsp"]) == 4
    assert "pip install 'privacy-verifier[lsp]'" in capsys.readouterr().err
