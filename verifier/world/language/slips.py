"""Slips of the pen: comparisons that can never hold, and texts that seem to mean something else.

Two sides of different kinds, or a constant that nothing equals, are refused (S309). Quoted numbers
and names, variables that nobody uses, lines that nothing reaches and words that may be misspelt are
noted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import chain, combinations
from typing import Any

from verifier.base.errors import InputError, InputErrors, nearest
from verifier.base.exact import looks_like_number
from verifier.base.nouns import Later, dataclass
from verifier.world.language import operations
from verifier.world.language import possible as may
from verifier.world.language.meanings import MEANINGS
from verifier.world.language.possible import (
    DISTRIBUTION,
    LIST,
    NUMBER,
    TRUTH,
    WORD,
    WORLD,
    Possible,
)
from verifier.world.language.reader import InSecretTest, Scope
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
from verifier.world.language.syntax import (
    Apply,
    Choice,
    Compare,
    Const,
    Current,
    CurrentWorld,
    Draw,
    Fold,
    InSecret,
    Logic,
    Record,
    Source,
    Term,
    Tree,
    Variable,
    children,
    walk,
)
from verifier.world.space import ABSENT, Failure, WorldSpace, is_number, kind, literal, show

EQUALITIES = {operations.equal, operations.different}
MEMBERSHIPS = {operations.member, operations.not_member}
SHOWN = 6
MAX_WORDS = 60
MAX_ROUNDS = 50  # in which the values of variables are sought


@dataclass(frozen=True)
class Known(Later):
    """What is known where a term stands. A variable may be whatever is assigned to it anywhere in
    its program.

    space      the worlds
    variables  what each variable may be
    bound      which of them the caller binds
    """

    space: WorldSpace
    variables: Mapping[str, Possible]
    bound: frozenset[str] = frozenset()

    def of(self, term: Term) -> Possible:
        """What the value of a term may be."""
        match term:
            case Const(value=value):
                return may.just_value(value)
            case Variable(name=name):
                return self.variables.get(name, may.ANYTHING)
            case Record() | Current():
                return may.record(self.space)
            case CurrentWorld():
                return may.world(self.space)
            case InSecret() | Logic() | Compare():
                return may.ANY_TRUTH
            case Choice(chosen=chosen, other=other):
                return may.union([self.of(chosen), self.of(other)])
            case Fold():
                return may.ANY_NUMBER
            case Draw(distribution=given):
                return may.outcomes(self.of(given))
            case Apply(operation=operation, arguments=arguments):
                return self.result(operation, [self.of(part) for part in arguments])
        return may.ANYTHING

    def result(self, operation: Callable[..., Any], given: list[Possible]) -> Possible:
        """What an `operation` may give of the values `given`."""
        if isinstance(operation, operations.Attribute):
            return may.attribute(given[0], operation.position)
        if isinstance(operation, operations.OfRecord):
            return may.index(given[0], may.just_value(operation.place))
        if isinstance(operation, InSecretTest):
            return may.ANY_TRUTH
        return MEANINGS[operation].abstract(*given) if operation in MEANINGS else may.ANYTHING


def of_program(program: Block, space: WorldSpace) -> Known:
    """What each variable of a `program` over `space` may be: the least fixed point of its
    assignments."""
    statements = list(chain.from_iterable(map(inside, program)))
    assigned = {s.name for s in statements if isinstance(s, Assign | DrawInto | For)}
    found = dict.fromkeys(assigned, may.NOTHING)
    for _ in range(MAX_ROUNDS):
        before = dict(found)
        for statement in statements:
            _assign(statement, found, space)
        if found == before:
            return Known(space, found)
    return Known(space, {})


def _assign(statement: Statement, found: dict[str, Possible], space: WorldSpace) -> None:
    known = Known(space, found)
    match statement:
        case Assign(name=name, value=value):
            more = known.of(value)
        case DrawInto(name=name, value=value):
            more = may.outcomes(known.of(value)) if known.of(value) != may.NOTHING else may.NOTHING
        case For(name=name, items=items):
            more = may.index(known.of(items), may.ANYTHING)
        case _:
            return
    found[name] = may.union([found[name], more])


def check_expression(term: Term, tree: Tree, scope: Scope) -> None:
    """Refuse (S309) comparisons in an expression that can never hold; tell of its words.

    term   what it denotes
    tree   the text
    scope  the names it may use
    """
    bound = {name: may.values(values) for name, values in scope.bound.items()}
    known = Known(scope.space, bound, frozenset(bound))
    _check([term], tree, known)
    tell_of_words([term], tree, scope, known)


def check_program(program: Block, tree: Tree, scope: Scope) -> None:
    """Refuse (S309) comparisons in a `program` that can never hold; tell of its words and names.

    tree   the text
    scope  the names it may use
    """
    statements = chain.from_iterable(map(inside, program))
    terms = list(chain.from_iterable(map(terms_of, statements)))
    known = of_program(program, scope.space)
    _check(terms, tree, known)
    tell_of_words(terms, tree, scope, known)
    tell_of_returned_names(program, tree)
    tell_of_unused(program, tree)


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
        check_equal(value, may.just_value(word), known)


def constant(*terms: Term) -> bool:
    """Whether terms name nothing; what they say of one another is no slip of a constant."""
    names = Variable | Record | Current | CurrentWorld | InSecret
    return not any(isinstance(part, names) for term in terms for part in walk(term))


def check_equal(a: Possible, b: Possible, known: Known, constants: bool = False) -> None:
    """Raise Failure S309 where values `a` and `b` are never equal, or one is a distribution. Of two
    `constants` only the kinds have to agree. `known` is what is known there."""
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
    others = {v: show(v) for v in sorted(a.values - {ABSENT}, key=show)}
    if len({kind(v) for v in others}) > 1:  # each is shown as it is written in an expression
        others = {v: repr(v) if isinstance(v, str) else text for v, text in others.items()}
    texts = sorted(others.values())
    message = f"{_described(few)} is none of the values: {_some(texts)}"
    for value, text in others.items():
        if show(value) == wrong[0]:
            return message, f"{wrong[0]} is {kind(value)} among them: write {text}"
    hint = nearest(wrong[0], map(show, others)) if kinds == {WORD} else ""
    return message, hint.removeprefix("; ") or f"write one of {_some(texts)}"


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
    if about_words := _hint_about_words(a, b):
        return about_words
    if b.all_kinds == {TRUTH} and a.all_kinds == {NUMBER}:
        return "a truth stands by itself: `p` or `not p`"
    if WORLD in a.kinds and b.all_kinds == {NUMBER}:
        return "a world is compared with its name in quotes, or the list of its records' values"
    if WORLD in a.kinds and LIST in b.kinds:
        return "a world is compared with the list of its records' values, one for each record"
    return ""


def _hint_about_words(a: Possible, b: Possible) -> str:
    """Where the words that a may be are numbers or truths in quotes, or b lacks its quotes."""
    words = [v for v in a.values if isinstance(v, str)]
    numbers = [v for v in b.values if is_number(v)]
    if len(words) == 1 and b.all_kinds == {NUMBER} and looks_like_number(words[0]):
        return f"write {show(literal(words[0]))} without quotes"
    if words and len(numbers) == 1 and a.all_kinds == {WORD} and not b.kinds:
        return f"these values are words: write '{show(numbers[0])}' in quotes"
    if len(words) == 1 and b.all_kinds == {TRUTH} and words[0] in ("True", "False"):
        return f"write {words[0]} without quotes"
    return ""


def tell_of_words(terms: Iterable[Term], tree: Tree, scope: Scope, known: Known) -> None:
    """N108 and N110: a number, or a name, in quotes where it is no name of a world.

    terms  where words may stand
    tree   the text
    scope  the names it may use
    known  what is known there
    """
    parts = [word for term in terms for word in _words(term, known)]
    values = {part for v in scope.space.record_values for part in (v if _is_list(v) else (v,))}
    for part in parts:
        text = part.value
        if looks_like_number(text) or text in ("True", "False"):
            message = f"'{text}' is a word: it equals no {'truth' if text[0] in 'TF' else 'number'}"
            tree.source.tell(part.at, "N108", f"{message}; without quotes it is one")
        owner = scope.space.owner(text, scope.secrets)
        if owner and owner != "a word of the language" and text not in values:
            message = f"'{text}' in quotes is a word; without quotes it is {owner}"
            tree.source.tell(part.at, "N110", message)


def tell_of_returned_names(program: Block, tree: Tree) -> None:
    """N110: a variable of a `program`, written in `tree`, is returned where other words are."""
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
    """N107: variables of a `program`, written in `tree`, that only their own next value needs."""
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
    """N102: the first line of each part of a `program` (`tree`) that is not `reached`."""
    for statement in program:
        if statement not in reached:
            tree.source.tell(statement.at, "N102", "this line is reached in no world")
            return
        for block in blocks(statement):
            tell_of_unreached(block, reached, tree)


def tell_of_outputs(outputs: Iterable[Any], source: Source) -> None:
    """N109: words among the `outputs` of `source` that differ by a slip of the pen."""
    for a, b in misspelt(outputs):
        message = f"the words '{a}' and '{b}' are different outputs: is one of them misspelt?"
        source.tell((1, 1), "N109", message)


def words_in(value: Any) -> Iterator[str]:
    """The words that an output, `value`, is, or is made of."""
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
