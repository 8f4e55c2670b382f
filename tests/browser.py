"""A real Chromium without a window, driven over pipes by the DevTools protocol."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest

Json = dict[str, Any]
SECONDS = 600.0  # for one answer; then the browser is taken to hang
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
)
START = """import os, sys  # the browser reads from 3 and writes to 4
high = [os.dup(int(one)) for one in sys.argv[1:3]]
while max(high) < 10:
    high += [os.dup(one) for one in high[-2:]]
os.dup2(high[-2], 3)
os.dup2(high[-1], 4)
os.execv(sys.argv[3], sys.argv[3:])"""
KEYS = {"Tab": 9, "Enter": 13, "Space": 32, "ArrowDown": 40}
FOUND = shutil.which("chromium") or shutil.which("chromium-browser")
needs_chromium = pytest.mark.skipif(FOUND is None, reason="there is no Chromium")


class Browser:
    """One page, and all that it has logged and asked for.

    logged    errors and messages of the console
    requests  addresses of all that the page has asked for
    """

    def __init__(self, profile: Path) -> None:
        assert FOUND is not None
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()
        arguments = [FOUND, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
        pipes = map(str, (to_read, to_write))
        self._process = subprocess.Popen(
            [sys.executable, "-c", START, *pipes, *arguments],
            pass_fds=(to_read, to_write),
            stderr=subprocess.DEVNULL,
        )
        os.close(to_read)
        os.close(to_write)
        self._rest, self._number, self._session = b"", 0, ""
        self.logged: list[str] = []
        self.requests: list[str] = []
        self.events: list[str] = []
        page = next(
            one for one in self.call("Target.getTargets")["targetInfos"] if one["type"] == "page"
        )
        attach = {"targetId": page["targetId"], "flatten": True}
        self._session = self.call("Target.attachToTarget", **attach)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        os.close(self._write)
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._read)

    def call(self, method: str, **parameters: Any) -> Json:
        """The answer to a command of the protocol."""
        self._number += 1
        message: Json = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            event = self._next()
            if event.get("id") == self._number:
                assert "error" not in event, event
                result: Json = event["result"]
                return result

    def _next(self) -> Json:
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._read], [], [], SECONDS)
            assert ready, "the browser does not answer"
            part = os.read(self._read, 2**20)
            assert part, "the browser has ended"
            self._rest += part
        first, _, self._rest = self._rest.partition(b"\0")
        event: Json = json.loads(first)
        self._note(event)
        return event

    def _note(self, event: Json) -> None:
        method, told = event.get("method", ""), event.get("params", {})
        self.events.append(method)
        if method == "Network.requestWillBeSent":
            self.requests.append(told["request"]["url"])
        elif method == "Log.entryAdded":
            self.logged.append(told["entry"]["text"])
        elif method in ("Runtime.consoleAPICalled", "Runtime.exceptionThrown"):
            self.logged.append(json.dumps(told))

    def open(self, page: Path, width: int = 1400, height: int = 900, scheme: str = "light") -> None:
        """Load a page from a file, and wait until it is."""
        self.size(width, height)
        self.media(scheme)
        self.visit(page.as_uri())

    def visit(self, address: str) -> None:
        """Load a page, and wait until it is."""
        self.events.clear()
        self.call("Page.navigate", url=address)
        while "Page.loadEventFired" not in self.events:
            self._next()

    def size(self, width: int, height: int = 900) -> None:
        """The size of the window."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", **size)

    def media(self, scheme: str, medium: str = "") -> None:
        """The preferred colours, and the medium."""
        wanted = [{"name": "prefers-color-scheme", "value": scheme}]
        self.call("Emulation.setEmulatedMedia", media=medium, features=wanted)

    def value(self, script: str) -> Any:
        """What an expression gives in the page."""
        found = self.call(
            "Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    def press(self, key: str, shift: bool = False) -> None:
        """Press a key, and let it go."""
        text = {"Enter": "\r", "Space": " "}.get(key, key if len(key) == 1 else "")
        code = KEYS.get(key, ord(key.upper()[0]))
        told = {"key": " " if key == "Space" else key, "code": key, "windowsVirtualKeyCode": code}
        told["modifiers"] = 8 * shift  # type: ignore[assignment]
        down = {**told, "text": text} if text else told
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **down)
        self.call("Input.dispatchKeyEvent", type="keyUp", **told)

    def picture(self, target: Path, whole: bool = False) -> None:
        """Write what is seen, or all of the page, as PNG."""
        shot = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        target.write_bytes(base64.b64decode(shot["data"]))

    def printed(self, target: Path) -> None:
        """Print the page as PDF."""
        made = self.call("Page.printToPDF", preferCSSPageSize=True, printBackground=False)
        target.write_bytes(base64.b64decode(made["data"]))


@contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """A browser with a profile of its own in a folder."""
    started = time.monotonic()
    with Browser(folder / f"profile-{started}") as found:
        yield found
