"""Names of sets of worlds: by hand, and evaluated again as expressions."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.drawing import examples
from verifier.kernels.rows import named
from verifier.world.worlds import WorldSpace, database, exchangeable, predicate
from verifier.world.worlds import named as list_of

THREE = database(["ann", "bob", "cat"], [0, 1])
WORDS = database(["ann", "bob"], ["no", "yes"])
SPACES = {
    "three bits": THREE,
    "words": WORDS,
    "reversed bits": database(["a", "b"], [1, 0]),
    "k-ary": database(["r1"], [0, 1, 2, 3]),
    "numbers": database(["a", "b"], ["1/2", 3, -1]),
    "absent": database(["a", "b"], [0, 1], absent=True),
    "attributes": database(["a", "b"], {"flu": ["no", "yes"], "age": [1, 2, 3]}),
    "one attribute": database(["a", "b"], {"flu": ["no", "yes"]}),
    "truths": database(["a", "b"], [True, False]),
    "constrained": database(["a", "b", "c"], [0, 1], where=["a <= b"]),
    "histograms": exchangeable(4, [0, 1]),
    "histograms of attributes": exchangeable(2, {"flu": ["no", "yes"], "old": [0, 1]}, True),
    "names": list_of(["left", "middle", "right"]),
}


@pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
def test_every_name_is_true(space: WorldSpace) -> None:
    """What a name says, evaluated as an expression, is the set that it names."""

    @examples(40)
    @given(st.data())
    def agrees(data: st.DataObject) -> None:
        texts = predicates(space)
        chosen = (
            np.array(predicate(space, data.draw(st.sampled_from(texts))))
            if texts and data.draw(st.booleans())
            else np.array(
                data.draw(st.lists(st.booleans(), min_size=space.size, max_size=space.size))
            )
        )
        if chosen.all() or not chosen.any():
            return
        text = named(space, np.flatnonzero(chosen).tolist())
        if text.startswith("one of the worlds"):
            return
        assert (predicate(space, text) == chosen).all(), text

    agrees()


def predicates(space: WorldSpace) -> list[str]:
    """Some that are recognised."""
    if space is not THREE:
        return []
    counts = [
        f"count(value == {v}) {sign} {c}"
        for v, sign, c in product((0, 1), ("==", ">=", "<="), range(4))
    ]
    parities = ["xor(ann, cat) == 1", "xor(ann, bob, cat) == 0", "xor(bob, cat) == 0"]
    return [*counts, *parities, "bob == 1", "cat != 1", "world == '010'"]


@pytest.mark.parametrize(
    ("space", "text"),
    [
        (THREE, "xor(ann, bob, cat) == 0"),
        (THREE, "xor(ann, cat) == 1"),
        (THREE, "bob == 1"),
        (THREE, "world == '010'"),
        (THREE, "count(value == 0) == 1"),
        (THREE, "count(value == 0) >= 2"),
        (WORDS, "not xor(ann == 'yes', bob == 'yes')"),
        (WORDS, "xor(ann == 'yes', bob == 'yes')"),
        (WORDS, "ann == 'no'"),
        (SPACES["k-ary"], "r1 == 2"),
        (SPACES["k-ary"], "r1 != 1"),
        (SPACES["k-ary"], "r1 >= 2"),
        (SPACES["absent"], "b.present"),
        (SPACES["attributes"], "a.age == 2"),
        (SPACES["attributes"], "b.age >= 2"),
        (SPACES["attributes"], "xor(a.flu == 'yes', b.flu == 'yes')"),
        (SPACES["attributes"], "count(age == 2) == 1"),
        (SPACES["histograms"], "count(value == 0) >= 3"),
        (SPACES["names"], "world == 'middle'"),
    ],
)
def test_recognised(space: WorldSpace, text: str) -> None:
    """The name has the same meaning, and is as short."""
    worlds = np.flatnonzero(predicate(space, text)).tolist()
    found = named(space, worlds)
    assert np.flatnonzero(predicate(space, found)).tolist() == worlds
    assert len(found) <= len(text)


def test_a_list_otherwise() -> None:
    assert named(SPACES["names"], [0, 2]) == "one of the worlds left, right"
    many = database(["a"], list(range(30)))
    text = named(many, [n for n in range(30) if n % 2])
    assert text == "one of the worlds (1), (3), (5), (7), (9), (11), (13), (15), … (15 in all)"
