"""Certificates of kind "error": the expected loss of a mechanism against a prior, or without one
the largest of a world. There is no evidence, as all of it is added up again."""

from . import levels
from . import reading as read
from .document import afford, fields, need, prove
from .feasibility import read_loss
from .reading import Case


def check_error(case: Case) -> bool:
    """Whether what a `case` claims of the expected loss of its mechanism holds.

    Its value is the loss, or it is rejected."""
    claim, model = case.claim, case.model
    bound = "at_most" if "at_most" in claim else "equals"
    levels.vacuous(claim, f"value {bound}", False)
    need(case.witness is None, "an error needs no evidence")
    loss, rows = read_loss(model, *fields(case.relation, "prior")), model.table.rows()
    need(len(loss.rows) == len(rows), "a loss has one row per output")
    afford(4 * len(rows) * model.size)
    value = loss.of(rows)
    prove(read.number(claim["value"]) == value, "the error is another")
    if bound == "at_most":
        return bool(value <= read.number(claim["at_most"]))
    return claim["equals"] is None or read.number(claim["equals"]) == value
