"""The checks of a file as lines, read and not decided."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from verifier.base import exact, parameters
from verifier.changes.lines import Line, as_json
from verifier.run.verify import asserted, unsettled
from verifier.spec.asked import Asked
from verifier.spec.reading import Reading


def listed(file: str, read: Reading, before: int = 0) -> Iterator[dict[str, Any]]:
    """Each check of a file for the parent of a run: its line, number, id, label and place.

    file    its path
    read    all that it says, for the active choice of its parameters
    before  how many checks former choices have
    """
    both = zip(read.questions, unsettled(file, read), strict=True)
    for number, (asked, named) in enumerate(both, before):
        place = named.place and (named.place.line, named.place.column)
        told = {"index": number, "id": named.id, "label": named.label, "place": place}
        yield {"line": as_json(line(file, asked)), **told}


def check_inside(file: str, read: Reading, top: str) -> None:
    """Refuse a file that reads another one outside of a folder; InputError S903.

    file  its path
    read  all that it says
    top   the folder that is compared: what is not in it is the same file for all sides
    """
    folder, root = os.path.dirname(file), os.path.realpath(top)
    for path in read.model.files:
        if not Path(os.path.realpath(os.path.join(folder, path))).is_relative_to(root):
            said = f"'{path}' is outside of what is compared: what it was is not known"
            hint = "name a file of the same repository or folder, by its path from this one"
            raise read.model.node.fail("S903", said, hint)


def line(file: str, asked: Asked) -> Line:
    """The line of a check that is not decided.

    file   its path
    asked  the check, read
    """
    check, question = asked.check, asked.question
    level = None
    if question is not None and question.level is not None:
        level = {**question.level.as_json(), "delta": exact.text(question.delta)}
    stated = None if question is None else question.stated()
    return Line(
        file,
        check.name,
        check.definition.text,
        check.mechanism_name(),
        level,
        None,
        "undecided",
        asked.expected,
        asserted(asked.leakage),
        "" if stated is None else stated.content,
        "" if stated is None else stated.promise,
        parameters.active().note,
        wish=asked.wish.as_json(asked.parameter),
        asks=None if stated is None else stated.asks,
    )
