"""The plan of the rooms on the pages is that of the package."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.rooms import plan, rules, sentence
from tests.test_architecture import ROOMS, ROOT

GUIDES = [ROOT.parent / name for name in ("ARCHITECTURE.md", "CONTRIBUTING.md")]
NAMED = re.compile(rf"`((?:verifier|tests|docs)/[\w/.-]+|(?:{'|'.join(ROOMS)})/\w+)`")


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.name)
def test_what_a_guide_names_is_there(page: Path) -> None:
    """Files, and modules as `room/module`; what the reader adds is called `my_…`."""
    found = [name for name in NAMED.findall(page.read_text("utf-8")) if "my_" not in name]
    assert len(found) > 5
    for name in found:
        places = (ROOT.parent / name, ROOT / name, (ROOT / name).with_suffix(".py"))
        assert any(place.exists() for place in places), name


def test_every_room_has_its_line() -> None:
    lines = plan().splitlines()[2:-1]
    assert [line.split()[0].rstrip("/") for line in lines] == list(ROOMS)


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_says_what_it_is_for(room: str) -> None:
    assert 2 < len(sentence(room).split()) <= 20
    assert all(rules(room))
