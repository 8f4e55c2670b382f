"""Which check, and which file, is which after a change: what is renamed or moved is followed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence

from verifier.changes.lines import Line

Match = tuple[int | None, int | None]  # numbers of the two sides; None: it is not there
Key = Callable[[Line], Hashable]
ALIKE = 0.5  # share of lines that a renamed file keeps, as in git
STEPS: tuple[Key, ...] = (  # what must be equal and not empty, the strictest first
    lambda line: line.name and line.digest and (line.file, line.name, line.digest),
    lambda line: line.digest and (_place(line), line.mechanism, line.digest),
    lambda line: line.name and (_place(line), line.name),
    lambda line: line.digest and (line.file, line.mechanism, line.digest),
    lambda line: line.promise and (_place(line), line.definition, line.mechanism, line.promise),
    lambda line: line.digest and (line.file, line.digest),
    lambda line: line.promise and (_place(line), line.definition, line.promise),
    lambda line: (_place(line), line.definition, line.mechanism),
    lambda line: line.name and line.digest and (line.name, line.digest),
    lambda line: line.digest and (line.mechanism, line.digest),
    lambda line: line.digest,
)


def _place(line: Line) -> tuple[str, str]:
    """Where a check stands, and for which values of parameters."""
    return line.file, line.values


def checks(before: Sequence[Line], after: Sequence[Line]) -> list[Match]:
    """Pairs of checks, each of which is in one pair; those of `after` in their order, then those
    that are gone.

    A check is looked for in its file: by name, by its question about a mechanism of the same name,
    by definition, mechanism and options; then by its question elsewhere, as a copy of it may stand
    there. What is empty or None matches nothing.
    """
    found: dict[int, int] = {}
    left = list(range(len(before)))
    for key in STEPS:
        waiting: dict[Hashable, list[int]] = {}
        for old in left:
            waiting.setdefault(key(before[old]), []).append(old)
        for new, line in enumerate(after):
            wanted = key(line)
            if new not in found and wanted and waiting.get(wanted):
                found[new] = waiting[wanted].pop(0)
        matched = set(found.values())
        left = [old for old in left if old not in matched]
    pairs: list[Match] = [(found.get(new), new) for new in range(len(after))]
    return pairs + [(old, None) for old in left]


def beside(before: Sequence[Line], line: Line) -> list[int]:
    """The numbers of the checks before a change that are a new one, for other values of parameters.

    before  the lines before the change
    line    of the check; one that is for no value of several has none
    """
    known, about = line.values and line.promise, _family(line)
    return [at for at, one in enumerate(before) if known and _family(one) == about]


def _family(line: Line) -> Hashable:
    """What checks have in common that are one for several values, and ask the same but for them."""
    delta = (line.level or {}).get("delta")
    return line.file, line.name, line.definition, line.mechanism, line.promise, delta


def repointed(pairs: Iterable[tuple[Line | None, Line | None]]) -> list[bool]:
    """Whether each check is about another mechanism now, which is more than a new name.

    pairs  each check before and after a change, None where it is not there

    A mechanism is renamed where the old name is that of none in the file now, and the new one was
    that of none.
    """
    pairs = list(pairs)
    known = {(old.file, _about(old)) for old, _ in pairs if old}
    kept = {(new.file, _about(new)) for _, new in pairs if new}
    return [
        old is not None
        and new is not None
        and old.mechanism != new.mechanism
        and ((old.file, _about(new)) in known or (new.file, _about(old)) in kept)
        for old, new in pairs
    ]


def _about(line: Line) -> tuple[str | None, str]:
    """What a check is about: the mechanism of a name, or the one without, or none at all."""
    return line.mechanism, "" if line.mechanism else line.definition


def renamed(gone: Mapping[str, bytes], new: Mapping[str, bytes]) -> dict[str, str]:
    """The former names of files, by the new names: of equal files, then of those most alike.

    gone  files that are no more, with their contents
    new   files that were not there before

    >>> renamed({"a": b"one\\ntwo\\n"}, {"b": b"one\\ntwo\\nthree\\n", "c": b"none\\n"})
    {'b': 'a'}
    """
    scored = sorted(
        (-_alike(old, content), before, after)
        for after, content in new.items()
        for before, old in gone.items()
    )
    found: dict[str, str] = {}
    for score, before, after in scored:
        if -score >= ALIKE and after not in found and before not in found.values():
            found[after] = before
    return found


def _alike(before: bytes, after: bytes) -> float:
    """The share of lines that two files have in common."""
    old, new = Counter(before.splitlines()), Counter(after.splitlines())
    return 1.0 if before == after else (old & new).total() / max(old.total(), new.total(), 1)
