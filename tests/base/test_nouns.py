"""Dataclasses that are completed at their first use behave as those that are made at once."""

import dataclasses
import pickle
import subprocess
import sys
from collections.abc import Callable
from copy import copy, deepcopy
from importlib import import_module
from itertools import permutations
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import pytest

import verifier
from verifier.base.nouns import Later, dataclass
from verifier.questions.evidence import SensitivityEvidence

ROOT = Path(verifier.__file__).parent


def shapes(decorate: Callable[..., Any], base: type) -> tuple[type, type, type]:
    """A class, one on it, and one on that which is no dataclass, all of the same names."""

    @decorate(frozen=True)
    class First(base):  # type: ignore[misc, valid-type]
        x: int
        y: list[int] = dataclasses.field(default_factory=list)

        def __post_init__(self) -> None:
            if self.x < 0:
                raise ValueError("below 0")

    @decorate(frozen=True, kw_only=True)
    class Second(First):
        z: int = dataclasses.field(default=7, metadata={"shown": True})

    class Third(Second):
        pass

    return First, Second, Third


def both() -> list[tuple[Any, Any]]:
    """Each class as it is completed late, beside the one of the standard library."""
    return list(zip(shapes(dataclass, Later), shapes(dataclasses.dataclass, object), strict=True))


@pytest.mark.parametrize("place", range(3))
def test_late_is_as_at_once(place: int) -> None:
    late, once = both()[place]
    for make in (late, once):
        with pytest.raises(TypeError, match="argument"):
            make(1, 2, 3, 4, 5)
        with pytest.raises(ValueError, match="below 0"):
            make(-1)
        with pytest.raises(dataclasses.FrozenInstanceError):
            make(1).x = 2
        assert make(1) == make(1, []) != make(2) and make(1) != late(1).x
    names = [field.name for field in dataclasses.fields(once)]
    assert [field.name for field in dataclasses.fields(late)] == names
    assert repr(late(3)) == repr(once(3))
    assert dataclasses.asdict(late(3)) == dataclasses.asdict(once(3))
    assert dataclasses.replace(late(3), x=4) == late(4)
    assert late.__match_args__ == once.__match_args__


@pytest.mark.parametrize("place", range(3))
def test_fields_are_known_before_an_instance(place: int) -> None:
    late, once = both()[place]
    told = [(each.name, dict(each.metadata)) for each in dataclasses.fields(once)]
    assert [(each.name, dict(each.metadata)) for each in dataclasses.fields(late)] == told


def test_an_ordinary_dataclass_on_a_late_one() -> None:
    first, _, _ = shapes(dataclass, Later)

    @dataclasses.dataclass(frozen=True)
    class Other(first):  # type: ignore[misc, valid-type]
        w: int = 5

    assert [each.name for each in dataclasses.fields(Other)] == ["x", "y", "w"]
    assert Other(1, [2]).w == 5


def test_what_is_no_dataclass() -> None:
    class Plain(Later):
        pass

    assert not dataclasses.is_dataclass(Plain)
    with pytest.raises(TypeError):
        Plain(1)  # type: ignore[call-arg]
    assert isinstance(Plain(), Later)


@pytest.mark.parametrize("order", [*permutations(range(3))])
def test_the_order_of_first_instances_is_all_the_same(order: tuple[int, ...]) -> None:
    kinds = shapes(dataclass, Later)
    made = {place: kinds[place](place) for place in order}
    assert [made[place].x for place in range(3)] == [0, 1, 2]
    assert (made[2].z, hasattr(made[0], "z")) == (7, False)


def test_threads_make_their_first_instances_at_once() -> None:
    for _ in range(20):
        first, _, third = shapes(dataclass, Later)
        start, found = Barrier(4), []

        def make(start: Barrier = start, kind: Any = third, found: list[Any] = found) -> None:
            start.wait()
            found.append(kind(1))

        threads = [Thread(target=make) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == [third(1)] * 4 and isinstance(found[0], first)


def test_every_class_of_the_package_can_be_completed() -> None:
    for path in sorted(ROOT.rglob("*.py")):
        if "from verifier.base.nouns import" in path.read_text(encoding="utf-8"):
            import_module(".".join(path.relative_to(ROOT.parent).with_suffix("").parts))
    waiting, found = [Later], set()
    while waiting:
        waiting += waiting.pop().__subclasses__()
        found.update(kind for kind in waiting if kind.__module__.startswith("verifier."))
    decorated = {}
    for kind in found:
        own = vars(kind).get("__annotations__", {})
        decorated[kind] = {name for name, said in own.items() if not said.startswith("ClassVar")}
    decorated = {kind: names for kind, names in decorated.items() if names}
    assert len(decorated) > 100
    for kind, names in decorated.items():
        assert names <= {each.name for each in dataclasses.fields(kind)}


def test_what_another_process_sends_is_complete() -> None:
    sent = pickle.dumps([SensitivityEvidence((0, 1)), SensitivityEvidence((0, 1))])
    code = (
        f"import pickle; first, second = pickle.loads({sent!r})\n"
        "assert first is not second and first == second and 'pair=(0, 1)' in repr(first)\n"
        "try: first.pair = (1, 2)\n"
        "except AttributeError: print('frozen')"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "frozen\n"
    made = SensitivityEvidence((0, 2))
    assert copy(made) == deepcopy(made) == made


def test_loading_the_engine_makes_few_methods() -> None:
    code = (
        "import dataclasses, sys\nmade, made_of = dataclasses._process_class, []\n"
        "def note(cls, *options):\n    made_of.append(cls); return made(cls, *options)\n"
        "dataclasses._process_class = note\nimport verifier.cli.jobs\n"
        "print(*(cls.__module__ for cls in made_of if 'checker' not in cls.__module__))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert len(run.stdout.split()) <= 40
