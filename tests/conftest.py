"""Each run draws the same cases, whatever its environment; others, and more, are drawn where pytest
has the option --hypothesis-profile=thorough, as it has in the campaign `draws` of `make harden`."""

import gc
import os
import signal
from collections.abc import Generator
from functools import cache
from math import inf
from pathlib import Path
from types import ModuleType

import flint  # noqa: F401  # commands fork workers: what is loaded here is not loaded by each
import highspy  # noqa: F401
import pytest
import scipy.optimize  # noqa: F401
from _pytest.doctest import DoctestModule
from hypothesis import settings

from tests import drawing
from tests.checker import forgeries
from tests.golden import reports
from tests.models import model_files
from tests.oracles import MISSING
from tests.pace import RestingClock
from tests.quick import first_cases
from tests.workers import Here
from verifier.cli import jobs  # noqa: F401
from verifier.run.supervision import supervisor

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a shell's script
    signal.signal(signal.SIGINT, signal.default_int_handler)
supervisor.LASTING = inf  # seconds after which what lasts is told: a busy machine tells no more
os.fsync = lambda handle: None  # no machine loses its power meanwhile
gc.set_threshold(50_000)  # seldom: numbers, trees and certificates are many, and no cycles
NAMED = ("oracle", "packaging")  # marks whose tests stand in files that name them
for name in [name for name in os.environ if name.startswith("VERIFIER_")]:
    del os.environ[name]  # settings of whoever runs the tests
os.environ["VERIFIER_CACHE"] = ""  # what is tested is decided, unless a test names a folder
os.environ["XDG_STATE_HOME"] = os.devnull  # where no secret can be: nothing is told again
settings.load_profile(drawing.EVERYDAY)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave files unread that do not name the one mark that is asked for."""
    mark = config.option.markexpr
    if mark not in NAMED or not collection_path.is_file():
        return None
    return mark not in collection_path.read_text(encoding="utf-8") or None


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Examples in docstrings are those of the package: here is none to be looked for."""
    return [one for one in (yield) if not isinstance(one, DoctestModule)]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what is quick, skip what asks oracles that are not there, and leave out what installs
    distributions unless `-m` names it. What asks for decided models comes first, so that one
    worker has most of it: each decides them once."""
    items.sort(key=lambda item: not asks_models(getattr(item, "module", None)))
    if "packaging" not in config.option.markexpr:
        left = [item for item in items if item.get_closest_marker("packaging")]
        items[:] = [item for item in items if item not in left]
        config.hook.pytest_deselected(items=left)
    for item in items:
        marks = [mark for mark in NAMED if item.get_closest_marker(mark)]
        assert all(mark in item.path.read_text(encoding="utf-8") for mark in marks), item.path
    for item in first_cases(items):
        item.add_marker("quick")
    reason = f"without {' and '.join(MISSING)}, of the extra oracle (make oracle)"
    for item in items if MISSING else ():
        if item.get_closest_marker("oracle"):
            item.add_marker(pytest.mark.skip(reason=reason))


def pytest_collection_finish() -> None:
    """What has been collected stays: it is no garbage to look for, nor copied by what forks."""
    gc.freeze()


@cache
def asks_models(module: ModuleType | None) -> bool:
    """Whether a module of tests has something of `model_files`, of their reports or forgeries."""
    asked = {model_files.__name__, reports.__name__, forgeries.__name__}
    there = vars(module).values() if module else ()
    return any(getattr(value, "__module__", "") in asked for value in there)


@pytest.fixture
def resting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limits on time count what processes rest, so that a busy machine ends nothing else; and what
    rests for a second is told."""
    monkeypatch.setattr(supervisor, "monotonic", RestingClock())
    monkeypatch.setattr(supervisor, "LASTING", 1.0)


@pytest.fixture
def advised(monkeypatch: pytest.MonkeyPatch) -> None:
    """Advice has the time that it needs, so that what pages show depends on no machine."""
    monkeypatch.setattr("verifier.cli.jobs.ADVISED", 600.0)


@pytest.fixture
def here(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands do their work in this process, but in tests that are marked `processes`; and look
    for advice, which takes the longest, only in tests that ask for the fixture `advised`."""
    if not request.node.get_closest_marker("processes"):
        monkeypatch.setattr(supervisor, "start", Here)
    if "advised" not in request.fixturenames:
        monkeypatch.setattr("verifier.cli.jobs._advised", lambda *_: [])
