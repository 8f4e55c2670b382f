"""Comparisons that can never hold: of different kinds, or with a constant that nothing equals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from verifier.base.errors import InputError, InputErrors, nearest
from verifier.base.exact import looks_like_number
from verifier.world.language import infer, operations, slips
from verifier.world.language import possible as may
from verifier.world.language.infer import Known
from verifier.world.language.possible import (
    DISTRIBUTION,
    LIST,
    NUMBER,
    TRUTH,
    WORD,
    WORLD,
    Possible,
)
from verifier.world.language.statements import Block, inside, terms_of
from verifier.world.language.syntax import Tree
from verifier.world.language.terms import (
    Apply,
    Compare,
    Current,
    CurrentWorld,
    InSecret,
    Record,
    Term,
    Variable,
    walk,
)
from verifier.world.language.vocabulary import Scope
from verifier.world.space import ABSENT, Failure, is_number, literal, show

EQUALITIES = {operations.equal, operations.different}
MEMBERSHIPS = {operations.member, operations.not_member}
SHOWN = 6


def check_expression(term: Term, tree: Tree, scope: Scope) -> None:
    """Refuse (S309) comparisons in an expression that can never hold; tell of its words."""
    bound = {name: may.values(values) for name, values in scope.bound.items()}
    known = Known(scope.space, bound, frozenset(bound))
    _check([term], tree, known)
    slips.tell_of_words([term], tree, scope, known)


def check_program(program: Block, tree: Tree, scope: Scope) -> None:
    """Refuse (S309) comparisons in a program that can never hold; tell of its words and names."""
    statements = chain.from_iterable(map(inside, program))
    terms = list(chain.from_iterable(map(terms_of, statements)))
    known = infer.of_program(program, scope.space)
    _check(terms, tree, known)
    slips.tell_of_words(terms, tree, scope, known)
    slips.tell_of_returned_names(program, tree)
    slips.tell_of_unused(program, tree)


def _check(terms: Iterable[Term], tree: Tree, known: Known) -> None:
    parts = chain.from_iterable(map(walk, terms))
    found = [
        wrong
        for part in parts
        if isinstance(part, Compare)
        for wrong in _problems(part, tree, known)
    ]
    if found:
        raise InputErrors(found) if len(found) > 1 else found[0]


def _problems(term: Compare, tree: Tree, known: Known) -> Iterator[InputError]:
    test, parts = term.operation, term.arguments
    tests = test.tests if isinstance(test, operations.Chain) else (test,)
    for operation, left, right in zip(tests, parts, parts[1:], strict=False):
        try:
            if operation in EQUALITIES:
                check_equal(known.of(left), known.of(right), known, constant(left, right))
                for one, other in ((left, right), (right, left)):
                    if isinstance(one, Variable) and one.name in known.bound:
                        near = _near(known.of(one), known.of(other))
                        _check_words(known.of(other), near, known, constant(other))
            elif operation in MEMBERSHIPS:
                yield from _members(left, right, tree, known)
        except Failure as failure:
            yield tree.source.fail(term.at, failure.code, failure.message, failure.hint)


def _members(left: Term, right: Term, tree: Tree, known: Known) -> Iterator[InputError]:
    """Each element of a list that is written out, or any element of another list."""
    value = known.of(left)
    if isinstance(right, Apply) and right.operation is operations.display:
        wrong = []
        for item in right.arguments:
            try:
                check_equal(value, known.of(item), known, constant(left, item))
            except Failure as failure:
                wrong.append(tree.source.fail(item.at, failure.code, failure.message, failure.hint))
        yield from wrong[:1] if len(wrong) == len(right.arguments) else wrong
        return
    items = known.of(right)
    if not items.anything and (items.parts or items.items) and items.all_kinds <= {LIST, WORLD}:
        check_equal(value, items.element, known)
        _check_words(value, items.element, known)


def _near(given: Possible, other: Possible) -> Possible:
    """The words among the given values that resemble one of the others; the rest, such as a
    candidate 'nobody', may well equal nothing."""
    words = [word for word in other.values if isinstance(word, str)]
    return may.values(v for v in given.values if isinstance(v, str) and nearest(v, words))


def _check_words(value: Possible, items: Possible, known: Known, single: bool = False) -> None:
    """Raise Failure S309 for one of several words that a value, unless it is a `single` one, never
    equals."""
    if single or value.kinds or WORD not in value.all_kinds:
        return
    for word in sorted(v for v in items.values if isinstance(v, str)):
        check_equal(value, may.of(word), known)


def constant(*terms: Term) -> bool:
    """Whether terms name nothing; what they say of one another is no slip of a constant."""
    names = Variable | Record | Current | CurrentWorld | InSecret
    return not any(isinstance(part, names) for term in terms for part in walk(term))


def check_equal(a: Possible, b: Possible, known: Known, constants: bool = False) -> None:
    """Raise Failure S309 where two values are never equal, or one is a distribution. Of two
    constants only the kinds have to agree."""
    for value in (a, b):
        if value.all_kinds == {DISTRIBUTION}:
            raise Failure("S309", operations.COMPARED_DISTRIBUTION, operations.DRAW)
    if may.NOTHING in (a, b) or may.may_equal(a, b, known.space):
        return
    if constants and a.all_kinds & b.all_kinds - {LIST}:
        return
    raise Failure("S309", *_message(a, b, known))


def _message(a: Possible, b: Possible, known: Known) -> tuple[str, str]:
    """What is wrong, and the likely slip."""
    if known_kinds := a.all_kinds & b.all_kinds - {LIST}:
        return _not_among(a, b, known_kinds)
    if {WORLD, WORD} <= a.all_kinds | b.all_kinds:
        names = a if WORLD not in a.all_kinds else b
        given = known.space.given
        hint = next((nearest(str(v), given) for v in names.values), "") if given else ""
        return f"no world is named {_described(names)}", hint.removeprefix("; ")
    return f"{_described(a)} never equals {_described(b)}", _hint(a, b) or _hint(b, a)


def _not_among(a: Possible, b: Possible, kinds: frozenset[str]) -> tuple[str, str]:
    """A constant that is none of the values."""
    if len(b.values) > len(a.values):
        a, b = b, a
    few = b if not b.kinds else a
    wrong = sorted(map(show, few.values - {ABSENT}))
    others = sorted(show(v) for v in a.values - {ABSENT})
    hint = nearest(wrong[0], others) if kinds == {WORD} else ""
    message = f"{_described(few)} is none of the values: {_some(others)}"
    return message, hint.removeprefix("; ") or f"write one of {_some(others)}"


def _described(given: Possible) -> str:
    """Values in words: the kinds, with the values where these are few."""
    if given.parts is not None and given.kinds & {LIST, WORLD}:
        word = "a world of" if WORLD in given.kinds else "a list of"
        plural = "record" if WORLD in given.kinds else "value"
        return f"{word} {len(given.parts)} {plural}{'s' * (len(given.parts) != 1)}"
    values = sorted(given.values - {ABSENT}, key=show)
    texts = [repr(v) if isinstance(v, str) else show(v) for v in values]
    kinds = " or ".join(sorted(given.all_kinds)) or "an absent record"
    return f"{kinds} ({_some(texts)})" if texts and TRUTH not in given.all_kinds else kinds


def _some(texts: list[str]) -> str:
    more = ", …" * (len(texts) > SHOWN)
    return ", ".join(texts[:SHOWN]) + more


def _hint(a: Possible, b: Possible) -> str:
    """The likely slip where a is compared with b."""
    words = [v for v in a.values if isinstance(v, str)]
    numbers = [v for v in b.values if is_number(v)]
    if len(words) == 1 and b.all_kinds == {NUMBER} and looks_like_number(words[0]):
        return f"write {show(literal(words[0]))} without quotes"
    if words and len(numbers) == 1 and a.all_kinds == {WORD} and not b.kinds:
        return f"these values are words: write '{show(numbers[0])}' in quotes"
    if len(words) == 1 and b.all_kinds == {TRUTH} and words[0] in ("True", "False"):
        return f"write {words[0]} without quotes"
    if b.all_kinds == {TRUTH} and a.all_kinds == {NUMBER}:
        return "a truth stands by itself: `p` or `not p`"
    if WORLD in a.kinds and LIST in b.kinds:
        return "a world is compared with the list of its records' values, one for each record"
    return ""
