"""Answers that are told again from the text of their certificates."""

from __future__ import annotations

import json

from verifier.questions.answer import Answer, Json, write
from verifier.questions.question import Question
from verifier.questions.reading import read_proof
from verifier.run import verify

TOLD = ("verdict", "leakage", "quantity", "shown", "made", "tradeoff", "scope", "level", "delta")


def retold(question: Question, certificate: Json) -> Answer:
    """What a certificate, parsed from its text, says in answer to a question."""
    proof = read_proof(question.claim, certificate["answer"], certificate["evidence"])
    return verify.answer_of_proof(question, proof)


def is_retold(question: Question, answer: Answer) -> None:
    """Assert that the text of the certificate tells all that the engine has told, and has the same
    certificate."""
    assert answer.certificate is not None
    text = write(answer.certificate)
    again = retold(question, json.loads(text))
    for part in (*TOLD, "reason", "witness"):
        assert getattr(again, part) == getattr(answer, part), part
    assert again.certificate is not None and write(again.certificate) == text
