"""What every document is read by: strict JSON, shapes, counted steps, digests.

A list is read with its length and an object with its keys, before anything indexes them; whatever
else goes wrong with a malformed document is a Python exception, and `check` refuses it.
"""

import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from functools import wraps
from os import PathLike
from typing import Any, TypeVar

sys.set_int_max_str_digits(0)  # numbers may be long; MAX_DIGITS bounds them
MAX_DIGITS = 100_000
MAX_STEPS = 10**8  # of a small certificate
SMALL, STEPS_OF_BYTE = 4_000, 20_000  # bytes of a question; what each further one is worth
MORE_STEPS = 9 * 10**8  # for these, at most
MAX_BYTES = 10**8  # of numbers that are kept at once
TOO_LONG = "to check this certificate takes more"  # steps or memory
FILE_BYTES = 2**30
LONG = re.compile(rf"(?<![0-9])[0-9]{{{MAX_DIGITS + 1}}}")
# whatever a malformed document makes Python say; limits on time and memory are not among them
MALFORMED = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    ArithmeticError,
    RuntimeError,
    StopIteration,
)
Pair = tuple[str, str]
F = TypeVar("F", bound=Callable[..., Any])
# what reads the texts of numbers, where there are parameters
TEXTS: ContextVar[Callable[[str], Fraction] | None] = ContextVar("texts", default=None)
# where parameters lie, if numbers are functions of them
FUNCTIONS: ContextVar[Any] = ContextVar("functions", default=None)


class Refused(Exception):
    """The document is no certificate."""


class Rejected(Exception):
    """The evidence does not prove the claim."""


def need(condition: object, otherwise: str) -> None:
    """Refuse, for the reason `otherwise`, unless the `condition` is true."""
    if not condition:
        raise Refused(otherwise)


def prove(condition: object, otherwise: str) -> None:
    """Reject, for the reason `otherwise`, unless the `condition` is true."""
    if not condition:
        raise Rejected(otherwise)


# the steps of a certificate, at 0, and what is kept of them
_SPENT: ContextVar[dict[Any, Any]] = ContextVar("_SPENT")


@contextmanager
def limited() -> Iterator[dict[Any, Any]]:
    """Inside, all steps together are no more than a minute or two has; their number stands at 0."""
    spent = {0: 0}
    token = _SPENT.set(spent)
    try:
        yield spent
    finally:
        _SPENT.reset(token)


def spend(steps: int) -> None:
    """Refuse `steps` that a certificate has no time left for."""
    total = _SPENT.get({0: 0})
    total[0] += steps
    need(total[0] <= MAX_STEPS, f"{TOO_LONG} steps than are allowed")


def kept(work: F) -> F:
    """The same `work`, done and paid once in each certificate for the same arguments: so no verdict
    depends on what was checked before."""

    @wraps(work)
    def known(*given: Any) -> Any:
        found = _SPENT.get({})
        if (work, given) not in found:
            found[work, given] = work(*given)
        return found[work, given]

    return known  # type: ignore[return-value]


def keep(terms: int, bits: int) -> None:
    """Refuse more `terms`, with numbers of so many `bits` each, than there is memory for."""
    size = terms * (500 + bits // 7)
    need(size <= MAX_BYTES, f"{TOO_LONG} memory than is allowed")


def fields(value: Any, keys: str) -> list[Any]:
    """The parts of `value`, an object with exactly these `keys`, in their order."""
    names = keys.split()
    need(type(value) in (dict, Noted), "an object is needed")
    need(set(value) == set(names), f"an object needs: {keys}")
    return [value[name] for name in names]


class Noted(dict[str, Any]):
    """The parts of an object; those that nothing has read are `left`."""

    def __init__(self, parts: Any) -> None:
        """Those of `parts`, an object with any keys."""
        super().__init__(mapping(parts))
        self.left = set(self)

    def __getitem__(self, key: str) -> Any:
        self.left.discard(key)
        return super().__getitem__(key)

    def check(self) -> None:
        """Refuse parts that nothing has read."""
        need(not self.left, f"nothing reads {', '.join(sorted(self.left)):.80}")


def items(value: Any, width: int | None = None) -> list[Any]:
    """`value`, a list; of lists of this `width`, if one is given."""
    need(type(value) is list, "a list is needed")
    fits = width is None or all(type(item) is list and len(item) == width for item in value)
    need(fits, f"a list of lists of {width} is needed")
    return value  # type: ignore[no-any-return]


def mapping(value: Any) -> dict[str, Any]:
    """`value`, an object with any keys."""
    need(type(value) in (dict, Noted), "an object is needed")
    return value  # type: ignore[no-any-return]


def indices(value: Any, size: int, low: int = 0) -> list[int]:
    """`value`, a list of integers n with `low` <= n < `size`."""
    need(type(value) is list and set(map(type, value)) <= {int}, "a list of integers is needed")
    need(not value or (low <= min(value) and max(value) < size), f"not all in [{low}, {size})")
    return value  # type: ignore[no-any-return]


def index(value: Any, size: int, low: int = 0) -> int:
    """`value`, an integer with `low` <= value < `size`."""
    return indices([value], size, low)[0]


def texts(value: Any) -> int:
    """The length of `value`, a list of different texts, at least one."""
    need(type(value) is list and set(map(type, value)) == {str}, "a list of texts is needed")
    need(len(set(value)) == len(value), "a name stands twice")
    return len(value)


def named_pair(names: Any) -> Pair:
    """The pair of `names`."""
    need(type(names) is list and list(map(type, names)) == [str, str], "a pair is of two names")
    return names[0], names[1]


def read_json(path: str | PathLike[str]) -> Any:
    """What a JSON file of at most 1 GiB has, without repeated keys, points and exponents."""
    with open(path, "rb") as file:
        content = file.read(FILE_BYTES + 1)
    need(len(content) <= FILE_BYTES, "the file is too large")
    return read_text(content.decode())


def read_text(text: str) -> Any:
    """What a JSON `text` has, without repeated keys, points and exponents."""
    need(not LONG.search(text), "a number is too long")
    return json.loads(
        text, object_pairs_hook=_object, parse_float=_no_number, parse_constant=_no_number
    )


def plain(value: Any) -> Any:
    """What a `value` is as JSON; what JSON does not know, such as a Fraction, is its text."""
    return read_text(json.dumps(value, default=str))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    need(len(dict(pairs)) == len(pairs), "a key stands twice in an object")
    return dict(pairs)


def _no_number(text: str) -> None:
    raise Refused(f"a number is an integer or a text, not {text:.30}")


def canonical(question: Any) -> str:
    """The `question` as canonical JSON; where it is long, more steps are allowed from here on."""
    text = json.dumps(question, sort_keys=True, separators=(",", ":"))
    spend(-min(MORE_STEPS, STEPS_OF_BYTE * max(0, len(text) - SMALL)))
    return text


def check_digest(text: str, digest: Any) -> None:
    """Reject a `digest` that is not the one of a question, by its canonical JSON."""
    found = f"sha256:{hashlib.sha256(text.encode()).hexdigest()}"
    prove(digest == found, f"the digest of the question is {found}")
