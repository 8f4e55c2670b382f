"""Notes on texts that mean something else than they seem to: quoted numbers and names, variables
that nobody uses, lines that nothing reaches, words that may be misspelt."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import chain, combinations
from typing import Any

from verifier.base.exact import looks_like_number
from verifier.world.language.infer import Known
from verifier.world.language.possible import WORLD
from verifier.world.language.statements import (
    Assign,
    Block,
    DrawInto,
    For,
    Return,
    Statement,
    blocks,
    inside,
    terms_of,
)
from verifier.world.language.syntax import Source, Tree
from verifier.world.language.terms import Choice, Compare, Const, Term, Variable, children, walk
from verifier.world.language.vocabulary import Scope

MAX_WORDS = 60


def tell_of_words(terms: Iterable[Term], tree: Tree, scope: Scope, known: Known) -> None:
    """N108 and N110: a number, or a name, in quotes where it is no name of a world."""
    parts = [word for term in terms for word in _words(term, known)]
    values = {part for v in scope.space.record_values for part in (v if _is_list(v) else (v,))}
    for part in parts:
        text = part.value
        if looks_like_number(text) or text in ("True", "False"):
            message = f"'{text}' is a word: it equals no {'truth' if text[0] in 'TF' else 'number'}"
            tree.source.tell(part.at, "N108", f"{message}; without quotes it is one")
        owner = scope.owner(text)
        if owner and owner != "a word of the language" and text not in values:
            message = f"'{text}' in quotes is a word; without quotes it is {owner}"
            tree.source.tell(part.at, "N110", message)


def tell_of_returned_names(program: Block, tree: Tree) -> None:
    """N110: a variable is returned where other words that are returned are variables' names too."""
    statements = list(chain.from_iterable(map(inside, program)))
    names = {s.name for s in statements if isinstance(s, Assign | DrawInto | For)}
    returned = [leaf for s in statements if isinstance(s, Return) for leaf in _leaves(s.value)]
    words = [leaf.value for leaf in returned if isinstance(leaf, Const)]
    word = next((w for w in words if isinstance(w, str) and w in names), None)
    for leaf in returned:
        if isinstance(leaf, Variable) and word is not None:
            message = f"{leaf.name} is the value of a variable, but '{word}' in quotes is a word"
            tree.source.tell(leaf.at, "N110", message)


def _leaves(term: Term) -> Iterator[Term]:
    """What a term is in one case or another."""
    if isinstance(term, Choice):
        yield from _leaves(term.chosen)
        yield from _leaves(term.other)
    else:
        yield term


def _is_list(value: Any) -> bool:
    return isinstance(value, tuple)


def _words(term: Term, known: Known) -> Iterator[Const]:
    """The words in a term, but those that are compared with worlds."""
    if isinstance(term, Const) and isinstance(term.value, str):
        yield term
    if isinstance(term, Compare) and any(WORLD in known.of(p).kinds for p in term.arguments):
        return
    for part in children(term):
        yield from _words(part, known)


def tell_of_unused(program: Block, tree: Tree) -> None:
    """N107: variables that nothing but their own next value is made of; `_` and `_name` are meant
    to be."""
    statements = list(chain.from_iterable(map(inside, program)))
    used = set[str]().union(*map(_used, statements))
    for statement in statements:
        if isinstance(statement, Assign) and statement.name not in used:
            message = f"'{statement.name}' is assigned and never used"
            tree.source.tell(statement.at, "N107", message)


def _used(statement: Statement) -> set[str]:
    """The variables that a statement uses, but for the one it assigns; names that no program
    can write, and `_name`, count as used."""
    parts = chain.from_iterable(map(walk, terms_of(statement)))
    names = {part.name for part in parts if isinstance(part, Variable)}
    if not isinstance(statement, Assign):
        return names
    own = {statement.name}
    return names | own if " " in statement.name or statement.name.startswith("_") else names - own


def tell_of_unreached(program: Block, reached: Collection[Statement], tree: Tree) -> None:
    """N102: the first line of each part of a program that nothing has reached."""
    for statement in program:
        if statement not in reached:
            tree.source.tell(statement.at, "N102", "this line is reached in no world")
            return
        for block in blocks(statement):
            tell_of_unreached(block, reached, tree)


def tell_of_outputs(outputs: Iterable[Any], source: Source) -> None:
    """N109: words among the outputs that differ by a slip of the pen."""
    for a, b in misspelt(outputs):
        message = f"the words '{a}' and '{b}' are different outputs: is one of them misspelt?"
        source.tell((1, 1), "N109", message)


def words_in(value: Any) -> Iterator[str]:
    """The words that an output is, or is made of."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from words_in(item)


def misspelt(outputs: Iterable[Any]) -> list[tuple[str, str]]:
    """Pairs of words among outputs of which one may be misspelt.

    >>> misspelt(["yes", "no", ("yess", 1)])
    [('yes', 'yess')]
    """
    words = sorted({word for output in outputs for word in words_in(output)})
    if len(words) > MAX_WORDS:
        return []
    return [(a, b) for a, b in combinations(words, 2) if _alike(a, b)]


def _alike(a: str, b: str) -> bool:
    """Whether two words differ in their capitals only, or in one letter more, less or other, or
    in the order of two."""
    if not a.replace("_", "").isalpha() or not b.replace("_", "").isalpha():
        return False
    if a.casefold() == b.casefold():
        return True
    short, long = sorted((a, b), key=len)
    if len(short) < 2 or len(long) < 3:
        return False
    if len(long) == len(short) + 1:
        return any(long[:i] + long[i + 1 :] == short for i in range(len(long)))
    differ = [i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y]
    if len(a) != len(b) or len(differ) > 2:
        return False
    if len(differ) == 1:
        return len(a) >= 5
    i, j = differ
    return j == i + 1 and a[i] == b[j] and a[j] == b[i]
