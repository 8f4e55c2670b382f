"""A violated check made small within its question.

Records, values, worlds, secrets, listed things, outputs and statements of programs become fewer,
and numbers simpler. The definition, its level, the kind of its priors and of its graph stay, and a
constraint too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from verifier.lab.search import tables
from verifier.lab.search.files import Candidate, Tree, headed, pinned, texts
from verifier.lab.search.shrink import shrunk
from verifier.world.space import WorldSpace

LARGE = 10**9
ZERO, ONE = Fraction(0), Fraction(1)
LEVELS = ("epsilon", "exp_epsilon", "delta", "rho", "order", "equals", "at_most")
FIXED = (*LEVELS, "parameters", "worlds", "table")  # no number of these is changed
NAMED = ("secrets", "mechanisms")  # mappings that may lose an entry
NUMBER = re.compile(r"(?<![\w./])[0-9]+(?:/[1-9][0-9]*)?(?![\w./])")  # in a program
WORD = re.compile(r"\w+|[^\w\s]")
Size = tuple[int, ...]


def smaller(given: Candidate, title: str, keep_worlds: bool) -> Iterator[Tree]:
    """Trees of ever smaller files in which the check of the `given` one is violated too, as they
    are found: at every level where it is so, else not.

    title        of the check
    keep_worlds  whether worlds, and secrets with them, stay as they are
    """
    wanted = given.answer is not None and given.answer.leakage
    infinite = bool(wanted and wanted.infinite)

    def holds(candidate: Candidate) -> bool:
        found = candidate.answer
        return (
            found is not None
            and found.verdict == "violated"
            and (found.leakage is None or found.leakage.infinite == infinite)
        )

    best = given
    worlds = [fewer_worlds] * (not keep_worlds)  # again, once a program asks for fewer of them
    outputs = [fewer_outputs, fewer_things, fewer_statements]
    for simpler in (*worlds, *outputs, *worlds, rounder):
        for one in shrunk(best, holds, simpler, size):
            assert one.answer is not None
            (item,) = one.tree["checks"]
            yield headed({**one.tree, "checks": [pinned(item, one.answer)]}, title)
            best = one


def size(candidate: Candidate) -> Size:
    """Fewer worlds, then fewer outputs, then fewer words, then smaller denominators, then smaller
    numerators; what is no file is larger than all files."""
    if candidate.check is None:
        return (LARGE,)
    outputs = 0 if candidate.rows is None else len(candidate.rows[0])
    words = list(texts(candidate.tree))
    programs = list(_programs(candidate.tree))
    numbers = [number for text in words if (number := _number(text)) is not None]
    numbers += [Fraction(found) for text in programs for found in NUMBER.findall(text)]
    words += [word for text in programs for word in WORD.findall(text)]
    below, above = sum(p.denominator for p in numbers), sum(abs(p.numerator) for p in numbers)
    return candidate.check.space.size, outputs, len(words), below, above


def _number(text: Tree) -> Fraction | None:
    try:
        return Fraction(text) if isinstance(text, str) else None
    except (ValueError, ZeroDivisionError):
        return None


# ---------------------------------------------------------------------------------------- worlds


def fewer_worlds(candidate: Candidate) -> Iterator[Candidate]:
    """Without a world of a list, without a record, or without a value of a domain."""
    worlds = candidate.tree["worlds"]
    if isinstance(worlds, list):
        for at in range(len(worlds)):
            yield restricted(candidate, _without(worlds, at))
        return
    check = candidate.check
    assert check is not None
    names = list(check.space.records)
    for at, name in enumerate(names):
        fewer = {**worlds, "records": _without(names, at)}
        if isinstance(where := worlds.get("where"), list):
            fewer["where"] = [text for text in where if not re.search(rf"\b{name}\b", text)]
        if fewer.get("where") != []:
            yield restricted(candidate, fewer)
    if "exchangeable" in worlds and isinstance(worlds["records"], str):
        low, _, high = worlds["records"].partition("..")
        if (high or low).isdigit():
            less = str(int(high or low) - 1)
            yield restricted(candidate, {**worlds, "records": f"{low}..{less}" if high else less})
    if isinstance(worlds["domain"], list):
        for at, value in enumerate(worlds["domain"]):
            yield restricted(candidate, {**worlds, "domain": _without(worlds["domain"], at)}, value)


def _without(items: list[Tree], at: int) -> list[Tree]:
    return [*items[:at], *items[at + 1 :]]


def restricted(candidate: Candidate, worlds: Tree, value: str | None = None) -> Candidate:
    """The file over fewer worlds: what it says of worlds that go away, or of a `value`, is left
    out, and distributions are conditioned on what stays."""
    assert candidate.check is not None
    after = Candidate({"worlds": worlds, "checks": [{"row_cone": {}}]}, candidate.path).check
    if after is None:
        return candidate.also(worlds=worlds)
    renamed = _renamed(candidate.check.space, after.space)
    rest = {
        key: _renaming(tree, renamed, value)
        for key, tree in candidate.tree.items()
        if key != "worlds"
    }
    return candidate.whole({"worlds": worlds, **rest})


def _renamed(before: WorldSpace, after: WorldSpace) -> dict[str, str | None]:
    """What each world is called when records or values have gone away; None where it has too."""
    if not before.records:
        return {name: name if after.index(name) is not None else None for name in _names(before)}
    kept = [at for at, record in enumerate(before.records) if record in after.records]
    texts = [before.record_text(value) for value in before.record_values]
    others = [after.record_text(value) for value in after.record_values]
    known = {
        tuple(others[code] for code in codes): name
        for name, codes in zip(_names(after), after.record_codes.T.tolist(), strict=True)
    }
    return {
        name: known.get(tuple(texts[codes[at]] for at in kept))
        for name, codes in zip(_names(before), before.record_codes.T.tolist(), strict=True)
    }


def _names(space: WorldSpace) -> list[str]:
    return space.names(range(space.size))


def _renaming(tree: Tree, renamed: dict[str, str | None], value: str | None) -> Tree:
    """A tree with other names of worlds, without those that have none and without a value."""
    if isinstance(tree, list):
        if all(isinstance(item, str) and item in renamed for item in tree):
            return list(dict.fromkeys(name for item in tree if (name := renamed[item])))
        return [_renaming(item, renamed, value) for item in tree]
    return _renaming_keys(tree, renamed, value) if isinstance(tree, dict) else tree


def _renaming_keys(
    tree: dict[str, Tree], renamed: dict[str, str | None], value: str | None
) -> Tree:
    """A table with other keys; where these were a distribution, it is one again."""
    names = {key: renamed.get(key, None if key == value else key) for key in tree}
    numbers = {key: _number(item) for key, item in tree.items()}
    sums: dict[str, Fraction] = {}
    found: dict[str, Tree] = {}
    for key, name in names.items():
        if name is not None:
            sums[name] = sums.get(name, Fraction(0)) + (numbers[key] or 0)
            found.setdefault(name, _renaming(tree[key], renamed, value))
    if found.keys() == tree.keys() or None in numbers.values():
        return found
    total = sum(sums.values())
    is_share = total and sum(p for p in numbers.values() if p is not None) == 1
    return {name: str(p / total) for name, p in sums.items()} if is_share else found


# --------------------------------------------------------------------------------- other things


def fewer_outputs(candidate: Candidate) -> Iterator[Candidate]:
    """With two outputs as one, the mechanism written out."""
    if candidate.rows is not None:
        outputs, rows = candidate.rows
        for fewer in tables.merged(outputs, rows):
            yield candidate.with_table(outputs, fewer)


def fewer_things(candidate: Candidate) -> Iterator[Candidate]:
    """Without an item of a list that has more, or without a secret or mechanism."""
    rest = {key: tree for key, tree in candidate.tree.items() if key != "worlds"}
    for tree in _dropping(rest):
        yield candidate.also(**tree)
    worlds = candidate.tree["worlds"]
    if isinstance(worlds, dict) and isinstance(worlds.get("where"), list):
        for at in range(len(worlds["where"]) if len(worlds["where"]) > 1 else 0):
            yield candidate.also(worlds={**worlds, "where": _without(worlds["where"], at)})


def _dropping(tree: Tree) -> Iterator[Tree]:
    if isinstance(tree, list):
        if len(tree) > 1:
            yield from (_without(tree, at) for at in range(len(tree)))
        for at, item in enumerate(tree):
            yield from ([*tree[:at], other, *tree[at + 1 :]] for other in _dropping(item))
    elif isinstance(tree, dict):
        for key, item in tree.items():
            if key in NAMED and isinstance(item, dict):
                for name in item:
                    yield {**tree, key: {n: t for n, t in item.items() if n != name}}
            yield from ({**tree, key: other} for other in _dropping(item))


def fewer_statements(candidate: Candidate) -> Iterator[Candidate]:
    """With a program that lacks a line and what is inside it, or has only this in its place; or
    that has a simpler number."""
    for tree in _rewriting(candidate.tree):
        yield candidate.whole(tree)


def _programs(tree: Tree) -> Iterator[str]:
    """The texts of programs in a tree."""
    if isinstance(tree, dict):
        for key, item in tree.items():
            is_text = key == "program" and isinstance(item, str)
            yield from [item] if is_text else _programs(item)
    elif isinstance(tree, list):
        for item in tree:
            yield from _programs(item)


def _rewriting(tree: Tree) -> Iterator[Tree]:
    """The tree with a program shorter."""
    if isinstance(tree, dict):
        for key, item in tree.items():
            is_text = key == "program" and isinstance(item, str)
            others = _shorter(item) if is_text else _rewriting(item)
            yield from ({**tree, key: other} for other in others)
    elif isinstance(tree, list):
        for at, item in enumerate(tree):
            yield from ([*tree[:at], other, *tree[at + 1 :]] for other in _rewriting(item))


def _shorter(program: str) -> Iterator[str]:
    """A program without a line and the block below it, or with this block alone; or with a smaller
    number."""
    lines = [line for line in program.split("\n") if line.strip()]
    deep = [len(line) - len(line.lstrip()) for line in lines]
    for at, depth in enumerate(deep):
        end = next((k for k in range(at + 1, len(lines)) if deep[k] <= depth), len(lines))
        yield "\n".join([*lines[:at], *lines[end:]])
        if end > at + 1:
            block = [line[deep[at + 1] - depth :] for line in lines[at + 1 : end]]
            yield "\n".join([*lines[:at], *block, *lines[end:]])
    for found in NUMBER.finditer(program):
        value = Fraction(found[0])
        near = {Fraction(round(value * n), n) for n in (1, 2, 3, 4)}
        for other in sorted({ZERO, ONE, value - 1, *near}):
            if other >= 0 and other != value:
                yield f"{program[: found.start()]}{other}{program[found.end() :]}"


def rounder(candidate: Candidate) -> Iterator[Candidate]:
    """With a smaller denominator of the mechanism's table, of a distribution, or of one number."""
    if candidate.rows is not None and candidate.is_table:
        outputs, rows = candidate.rows
        for closer in tables.simpler(rows):
            yield candidate.with_table(outputs, closer)
    for denominator in tables.DENOMINATORS:
        for tree in _rounding(candidate.tree, denominator):
            yield candidate.whole(tree)


def _rounding(tree: Tree, denominator: int) -> Iterator[Tree]:
    """The tree with one distribution, or else one number, in multiples of 1/denominator."""
    if isinstance(tree, dict):
        shares = {key: _number(item) for key, item in tree.items()}
        known = {key: p for key, p in shares.items() if p is not None and p >= 0}
        if len(known) == len(shares) > 1 and sum(known.values()) == 1:
            yield {key: str(p) for key, p in tables.rounded(known, denominator).items()}
            return
        for key, item in tree.items():
            if key not in FIXED:
                yield from ({**tree, key: other} for other in _rounding(item, denominator))
    elif isinstance(tree, list):
        for at, item in enumerate(tree):
            yield from (
                [*tree[:at], other, *tree[at + 1 :]] for other in _rounding(item, denominator)
            )
    elif (number := _number(tree)) is not None and number.denominator > 1:
        yield str(Fraction(round(number * denominator), denominator))
