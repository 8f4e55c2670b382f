"""The mechanisms under `of`: what is known to be safe, or is compared with."""

from __future__ import annotations

from verifier.base.document import Scalar
from verifier.base.examples import like
from verifier.spec.model import Check
from verifier.world.mechanism import Mechanism


def given(check: Check) -> dict[str, Mechanism]:
    """The mechanisms listed under `of`, by name, a mechanism without a name by its number; S016,
    S018 where there are none."""
    node = check.options.get("of")
    if node is None:
        hint = "add of: [response], a name under `mechanisms` or a mechanism"
        raise check.definition.fail("S016", "the key 'of' is missing: a list of mechanisms", hint)
    items = [node] if isinstance(node, Scalar) else node.sequence("a list of mechanisms").items
    if not items:
        raise node.fail("S018", "the list of mechanisms is empty", like("a list of mechanisms"))
    return {
        item.text if isinstance(item, Scalar) else f"number {at}": check.model.build(item)
        for at, item in enumerate(items, 1)
    }
