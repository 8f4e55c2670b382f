"""What workers do for a sweep: reading what it is about, and deciding batches of combinations.

What all combinations share is made once: the tree of the file, and its worlds and secrets where no
parameter stands in them. A worker tells rows of the table,
many at a time, and that it is alive now and then; the parts of its work only once one was stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path
from time import monotonic
from typing import Any

from verifier.base import document, exact, parameters
from verifier.base.document import Mapping as MappingNode
from verifier.base.document import Node, Scalar, read_bytes
from verifier.base.document import Sequence as SequenceNode
from verifier.base.errors import InputError, LimitReached, limit_reason
from verifier.base.level import Leakage
from verifier.base.parameters import TEXT, Choice
from verifier.questions.answer import write
from verifier.run import verify
from verifier.run.verify import Options, Result
from verifier.spec import parameters as declared
from verifier.spec.model import Model
from verifier.spec.parameters import Declared
from verifier.spec.reading import read_whole

Json = dict[str, Any]
Row = list[Any]  # in the order of `verifier.lab.sweeps.tables.OF_CHECK`
Tell = Callable[[Json], None]
TOGETHER = "a batch"  # the part that is told in place of all parts
OFTEN = 0.2  # seconds after which rows are told
MANY = 100  # rows that are told at once
ALIVE = 0.05  # seconds between two signs of life
MOST = 10**6  # values of one range
FILES = ("csv", "file")  # keys of a spec file with the path of another one


@dataclass(frozen=True)
class _Spec:
    """A spec file: its bytes, text and tree, and what it says of parameters.

    is_filled  whether values stand in its text, so that each combination has a tree of its own
    models     one that has been read, which the next ones are like
    """

    data: bytes
    text: str
    tree: Node
    known: Mapping[str, Declared]
    is_filled: bool
    models: list[Model] = field(default_factory=list)


def plan(file: str, given: Mapping[str, Sequence[str]], zipped: bool) -> Json:
    """What a sweep over a file is about, as `verifier.lab.sweeps.plan.Plan` reads it, and the file.

    given   name -> values, as texts
    zipped  whether the n-th values go together

    InputError where the file cannot be read, or a real parameter is given no values (S801).
    """
    spec = _read(file, read_bytes(file))
    lists = declared.values(spec.tree, spec.text, given, MOST)
    for name in spec.known:
        if name not in lists:
            said = f"the real parameter '{name}' has no values"
            hint = f"write --set {name}=1/2..3/4:20; `verifier region` is about all of its values"
            raise spec.known[name].node.fail("S801", said, hint)
    written = {name: [_written(v, name in spec.known) for v in lists[name]] for name in lists}
    if zipped:
        rows = list(declared.zipped_rows(written))
        columns = [list(column) for column in zip(*rows, strict=True)]
    else:
        columns = [list(dict.fromkeys(values)) for values in written.values()]
    given_as, digest = spec.data.decode("latin-1"), _digest(file, spec)
    return {"names": list(lists), "lists": columns, "digest": digest, "given": given_as}


def _written(value: str, is_number: bool) -> str:
    """A value in the form that stands for it: of equal numbers the same."""
    with suppress(InputError):
        if is_number and not exact.is_irrational(number := exact.number(value)):
            return str(number)
    return value


def _digest(file: str, spec: _Spec) -> str:
    """The SHA-256 of a spec file and of the files that it names."""
    found = sha256(spec.data)
    for path in named_files(file, spec.tree):
        with suppress(OSError):
            found.update(sha256(path.read_bytes()).digest())
    return found.hexdigest()


def named_files(file: str, tree: Node) -> list[Path]:
    """The files that a spec file names, whatever the values of its parameters.

    file  its path
    tree  what it says
    """
    folder, found = Path(file).parent, list[Path]()
    for text in sorted(set(_paths(tree))):
        is_pattern = TEXT.search(text) is not None
        found += sorted(folder.glob(TEXT.sub("*", text))) if is_pattern else [folder / text]
    return found


def _paths(node: Node) -> Iterator[str]:
    """The paths of other files below a node."""
    for key, value in node.entries if isinstance(node, MappingNode) else ():
        if key.text in FILES and isinstance(value, Scalar) and value.text:
            yield value.text
        yield from _paths(value)
    for item in node.items if isinstance(node, SequenceNode) else ():
        yield from _paths(item)


@lru_cache(maxsize=1)
def _read(file: str, data: bytes) -> _Spec:
    text = document.decode(data, file)
    tree = document.parse(text, file, document.digest_of(data))
    return _Spec(data, text, tree, declared.declared(tree), TEXT.search(text) is not None)


def batch_events(job: Json, options: Options, tell: Tell) -> Iterator[Json]:
    """The events of a batch: {"rows": rows of each combination, "first": number of the first one,
    "seconds": what they took, "next": how many are done}.

    job  its `file`, the `names` of the parameters, the `batch` of values, and whether rows are
         `certified`; `start` and `stopped` as those of all jobs
    """
    spec = _read(job["file"], read_bytes(job["file"]))
    tell({"progress": ""})
    if not job["stopped"]:
        options = replace(options, watch=_Pulse(tell), progress=lambda message: None)
    first, since, held, count = job["start"], monotonic(), list[list[Row]](), 0
    for number, values in enumerate(job["batch"][first:], first + 1):
        held.append(_decided(job, spec, dict(zip(job["names"], values, strict=True)), options))
        count, seconds = count + len(held[-1]), monotonic() - since
        if count >= MANY or seconds >= OFTEN or number == len(job["batch"]):
            yield {"rows": held, "first": first, "seconds": seconds, "next": number}
            first, since, held, count = number, monotonic(), [], 0


class _Pulse:
    """Tells that a worker goes on, in place of each part that it begins."""

    def __init__(self, tell: Tell) -> None:
        self._tell, self._told = tell, 0.0

    def __call__(self, part: str | None, spent: float) -> None:
        if part is not None and monotonic() - self._told >= ALIVE:
            self._told = monotonic()
            self._tell({"part": TOGETHER})


def _decided(job: Json, spec: _Spec, texts: Mapping[str, str], options: Options) -> list[Row]:
    """The rows of one combination: at least one, which may say that it could not be read."""
    note = ", ".join(f"{name} = {texts[name]}" for name in job["names"])
    try:
        for name in spec.known:
            declared.check_inside(name, texts[name], spec.known[name])
        numbers = {name: exact.number(texts[name]) for name in spec.known}
        chosen = tuple((name, texts[name]) for name in job["names"])
        with parameters.given(Choice(numbers, (), texts, chosen)):
            results = _results(job["file"], spec, verify.within(options, note))
        rows = [_row(result, job["certified"]) for result in results]
        return rows or [_without_check(job, "none", None, "no check is about this combination")]
    except InputError as error:
        reason = "; ".join(_in_one_line(one) for one in error.all)
        return [_without_check(job, "bad", None, reason)]
    except (LimitReached, MemoryError) as error:
        return [_without_check(job, "undecided", "undecided", limit_reason(error))]


def _results(file: str, spec: _Spec, options: Options) -> list[Result]:
    """The results of all checks for the values of parameters that are active."""
    like = spec.models[0] if spec.models else None
    read = read_whole(file, options.allow_python, partial(verify.limits, options), like=like)
    if not spec.models and not spec.is_filled:
        spec.models.append(read.model)
    notes = read.model.node.source.notes  # which are not told, and would grow
    notes.told.clear()
    notes.compared.clear()
    return [verify.settled(verify.unknown(file, one), one, options) for one in read.questions]


def _in_one_line(error: InputError) -> str:
    place = f"{error.place}: " if error.place else ""
    return f"{place}{error.code} {error.message}"


def _without_check(job: Json, status: str, verdict: str | None, reason: str) -> Row:
    """The only row of a combination of which no check is decided."""
    row = [0, None, None, None, verdict, status, None, None, None, reason, 0.0]
    return [*row, None] if job["certified"] else row


def _row(result: Result, certificates: bool) -> Row:
    """The row of a check."""
    answer = result.answer
    leakage, near = _leakage(answer.value, answer.leakage)
    row = [
        result.index + 1,
        result.name,
        result.definition,
        result.content,
        answer.verdict,
        result.status,
        exact.text(answer.level.alpha) if answer.level else None,
        leakage,
        near,
        result.mismatch or answer.reason,
        round(result.seconds, 6),
    ]
    if certificates:
        accepted = answer.certificate is not None and result.status != "internal"
        row.append(write(answer.certificate).strip() if accepted and answer.certificate else None)
    return row


def _leakage(value: Any, found: Leakage | None) -> tuple[str | None, float | None]:
    """The smallest level, or the value of a definition that has one, exactly and as a float."""
    if value is not None:
        return exact.text(value), _near(value)
    if found is None:
        return None, None
    if found.bounds is not None:
        return f"[{', '.join(map(exact.text, found.bounds))}]", _near(found.bounds[0])
    if found.exp_epsilon is None:
        return "infinite", float("inf")
    return exact.text(found.exp_epsilon), _near(found.exp_epsilon)


def _near(number: Any) -> float:
    """A float near a number."""
    try:
        return float(number)
    except OverflowError:
        return float("inf")
