"""Answers that are true: drawn files are decided, read a second time, and judged by the oracle."""

from __future__ import annotations

import json
from pathlib import Path

import yaml

from tests.definitions.drawn import Json, decide
from tests.harden.envelope import opened
from tests.harden.oracle import is_true
from verifier.questions.answer import Answer, write


def judged(spec: Json) -> Answer:
    """The answer to the single check of a spec. Its certificate asks what a second reader finds in
    the file, and its claim is true by the definitions, which the oracle evaluates."""
    answer = decide(spec)
    assert answer.certificate is not None
    assert not differs(spec, answer.certificate)
    parts = opened(json.loads(write(answer.certificate)))
    assert is_true(parts.claim, parts.model, parts.relation) is not False, parts.claim
    return answer


def differs(spec: Json, certificate: Json) -> list[str]:
    """In what the question of a certificate is not that of the file, as far as this is read."""
    # not above, as the reader imports test files of definitions, which import this
    from tests.second_reader import questions
    from tests.second_reader.certificates import differences
    from tests.second_reader.values import CannotRead

    node = yaml.load(json.dumps(spec), yaml.BaseLoader)
    try:
        file = questions.opened(node, Path())
        mine = questions.question(node["checks"][0], file)
    except CannotRead:
        return []
    return list(differences(mine, certificate))
