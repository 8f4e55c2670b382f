"""Where the parts of a certificate stand; the only place here that knows its outer form."""

from __future__ import annotations

import json
from base64 import b64decode
from copy import deepcopy
from dataclasses import dataclass
from struct import unpack
from typing import Any

from tests.checker import drafts

Json = Any
NAMES = {"definition", "options", "source", "digest"}  # in a claim, beside what it says


@dataclass
class Parts:
    """What a certificate says and how it proves it.

    claim     kind, verdict, level (with delta), leakage, value and what else the kind claims
    """

    claim: Json
    model: Json
    relation: Json
    witness: Json

    @property
    def kind(self) -> str:
        return str(self.claim["kind"])

    def question(self) -> str:
        """The statement without its proof, as text."""
        return json.dumps([self.claim, self.model, self.relation], sort_keys=True, default=str)


def opened(document: Json) -> Parts:
    """The parts of a certificate, as a copy."""
    draft = drafts.opened(document) if "question" in document else document
    claim = {key: part for key, part in draft["claim"].items() if key not in NAMES}
    model = deepcopy(draft["model"])
    for table in tables(model):
        for key in {"columns", "lower", "upper"} & table.keys():
            table[key] = [_codes(column, len(table["outputs"])) for column in table[key]]
    return Parts(claim, model, *deepcopy((draft["relation"], draft["evidence"]["witness"])))


def tables(model: Json) -> list[Json]:
    """All parts of a model that may have columns."""
    found = [model, *model.get("given", ()), *filter(None, model.get("cells", ()))]
    found += [given for cell in found[1:] for given in cell.get("given", ())]
    return [*found, *(answer for channel in model.get("channels", ()) for answer in channel)]


def _codes(column: Json, outputs: int) -> Json:
    """A column as a list; base64 text has a byte for each code, or two."""
    if type(column) is not str:
        return column
    text = b64decode(column)
    return list(text if len(text) == outputs else unpack(f"<{outputs}H", text))


def closed(parts: Parts) -> Json:
    """A certificate with these parts and the right digest, about the relation itself: it names no
    definition."""
    named = {"definition": "", "digest": drafts.digest_of(parts.model)}
    draft = {
        "format": "verifier-certificate",
        "version": 2,
        "claim": {**parts.claim, **named} if type(parts.claim) is dict else parts.claim,
        "model": parts.model,
        "relation": parts.relation,
        "evidence": {"witness": parts.witness},
    }
    return drafts.sealed(draft)
