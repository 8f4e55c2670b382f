"""The one family of exceptions, and the table of error codes.

Outcomes are values; exceptions are for bad input (`InputError`, exit status 2) and for limits
(`LimitReached`, which makes an answer *undecided*).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from verifier.base.escape import escaped

MOST_ERRORS = 20  # of one file that are told at once
MEMORY_REACHED = "the memory limit was reached (--memory-limit)"
LONGEST = 600  # characters of a message; names and numbers of a file may be far longer
FEW = 20  # words of a list of what may be written
_MEANT = re.compile(r"(?P<found>.*); (?P<hint>did you mean '.*'\?)", re.DOTALL)


class Place(NamedTuple):
    """A position in an input file; line and column count from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class VerifierError(Exception):
    """Base of every error this package raises on purpose."""


class NotDecided(VerifierError):
    """The question is well posed, but this version has no exact method for it."""


class Unsettled(NotDecided):
    """What was not settled for some values of parameters, which lie in boxes.

    boxes  for each the ends of the values, as text, by the names of the parameters
    """

    def __init__(self, message: str, boxes: list[dict[str, list[str]]]) -> None:
        super().__init__(message)
        self.boxes = boxes


class LimitReached(VerifierError):
    """A limit on time, memory or size was hit: the question stays undecided."""

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


class TimeLimitReached(LimitReached):
    """The limit on time was hit: nothing else may be tried instead."""


def time_reached(seconds: float) -> str:
    """What is said where the limit of so many `seconds` stops a part."""
    return f"the time limit of {seconds:g} s was reached (--time-limit)"


def limit_reason(limit: Exception) -> str:
    """Which limit was reached, in words: that on memory, or the one that is told."""
    return MEMORY_REACHED if isinstance(limit, MemoryError) else str(limit)


class LibraryMissing(VerifierError):
    """A library is not installed that something needs which not everybody uses."""

    def __init__(self, what: str, library: str, extra: str) -> None:
        super().__init__(
            f"{what} needs {library}; it is installed with: pip install 'privacy-verifier[{extra}]'"
        )


class InputError(VerifierError):
    """Bad input: what is wrong, where, what was expected, and a hint at what to write instead.

    Without a hint of its own an error has that of its code, if there is one. `str()` gives the
    form of the documentation, of up to four lines:

    >>> place = Place("a.yaml", 2, 6)
    >>> print(InputError("S101", "a number is expected", place, "x: 50%", "write 1/2"))
    a.yaml:2:6: S101 a number is expected
        2 | x: 50%
          |      ^
      hint: write 1/2
    """

    def __init__(
        self,
        code: str,
        message: str,
        place: Place | None = None,
        excerpt: str | None = None,
        hint: str = "",
    ) -> None:
        if not hint and (meant := _MEANT.fullmatch(message)):
            message, hint = meant["found"], meant["hint"]
        message, hint = one_line(message), one_line(hint or HINTS.get(code, ""))
        super().__init__(code, message, place, excerpt, hint)
        self.code, self.message, self.hint = code, message, hint
        self.place, self.excerpt = place, excerpt

    @property
    def all(self) -> tuple[InputError, ...]:
        """The error itself; of several errors, each."""
        return (self,)

    def __str__(self) -> str:
        lines = [escaped(f"{self.code} {self.message}")]
        if self.place is not None:
            lines[0] = f"{escaped(str(self.place))}: {lines[0]}"
        if self.place is not None and self.excerpt is not None:
            text, caret = _window(self.excerpt, self.place.column)
            text, caret = escaped(text), len(escaped(text[:caret].ljust(caret)))
            number = str(self.place.line)
            lines += [f"    {number} | {text}", f"    {' ' * len(number)} | {' ' * caret}^"]
        return "\n".join([*lines, *([f"  hint: {escaped(self.hint)}"] if self.hint else [])])


class InputErrors(InputError):
    """Several errors at once, the first MOST_ERRORS of a file, one at each place; as an error it
    is the first of them."""

    def __init__(self, errors: Iterable[InputError]) -> None:
        told: dict[object, InputError] = {}
        for error in (one for group in errors for one in group.all):
            told.setdefault(error.place or (error.code, error.message), error)
        ordered = sorted(told.values(), key=lambda e: (e.place is None, e.place or ()))
        self._all = tuple(ordered[:MOST_ERRORS])
        first = self._all[0]
        super().__init__(first.code, first.message, first.place, first.excerpt, first.hint)

    @property
    def all(self) -> tuple[InputError, ...]:
        """Each of the errors."""
        return self._all

    def __str__(self) -> str:
        return "\n".join(map(str, self._all))


def one_line(message: str) -> str:
    """A message in one line of bounded length."""
    line = " ".join(message.splitlines())
    return line if len(line) <= LONGEST else line[: LONGEST - 2] + " …"


def _window(line: str, column: int, width: int = 120) -> tuple[str, int]:
    """The part of a long line around a column, and the caret's offset in it."""
    start = max(0, column - 1 - width // 2) if len(line) > width else 0
    return line[start : start + width].replace("\t", " ").rstrip(), column - 1 - start


def nearest(word: str, known: Iterable[str]) -> str:
    """A suggestion of one of the `known` words for a `word`, to append to a message, or nothing.

    >>> nearest("mechansim", ["mechanism", "worlds"])
    "; did you mean 'mechanism'?"
    """
    from difflib import get_close_matches

    candidates = {name.lower(): name for name in islice(known, 5000) if len(name) <= 100}
    matches = get_close_matches(word[:100].lower(), candidates, n=1)
    return f"; did you mean '{candidates[matches[0]]}'?" if matches else ""


def choice(word: str, known: Iterable[str], what: str = "one of") -> str:
    """A hint: the one of the `known` words nearest to `word`, or a few of them, called `what`.

    >>> choice("mechansim", ["mechanism", "worlds"]), choice("x", ["a", "b"], "values")
    ("did you mean 'mechanism'?", 'values: a, b')
    """
    words = list(islice(known, 5000))
    few = ", ".join(words[:FEW]) + ", …" * (len(words) > FEW)
    return nearest(word, words).removeprefix("; ") or (f"{what}: {few}" if words else "")


# What to write instead, where nothing better is known than the code of the error.
HINTS: dict[str, str] = {
    "S002": "write at least `worlds:`, `mechanism:` and `checks:`",
    "S003": "save the file as UTF-8",
    "S004": "leave the character out",
    "S005": "put a text with one of : # { } [ ] , & * ! | > % @ ` into quotes",
    "S006": "leave one of the two out",
    "S007": "write the value out; a text that starts with & or * stands in quotes",
    "S008": "leave the tag out; a text that starts with ! stands in quotes",
    "S009": "one file for each document; leave `---` and what follows out",
    "S012": "write the entries of the other mapping here",
    "S018": "write a value here",
    "S101": "write 3, 1/3, 0.25 or 1e-9",
    "S102": "write fewer digits: at most 10000, and exponents up to 10000",
    "S103": "write probabilities that sum to 1, such as 1/3 and 2/3",
    "S104": "write a number from 0 to 1, such as 1/3 or 0.25",
    "S108": "write one line for each world: its name and its probabilities, with commas between",
    "S111": "run `verifier check --allow-python FILE` if you trust the code",
    "S113": "return the probability of each output, the same every time, and draw nothing",
    "S115": "write arithmetic such as 1/2 - 1/3 or exp(1)/(1 + exp(1)): numbers, exp(…), + - * / "
    "and brackets",
    "S116": "write exp(1/2), with a rational number between -10000 and 10000",
    "S117": "write exp(1/2), or a whole power such as 2**3",
    "S118": "write a rational number such as 1/2 or 0.25",
    "S119": "write [lower, upper], such as [1/4, 1/2], with some numbers of sum 1 between the ends",
    "S120": "check it by itself; in a program, write all steps in one program",
    "S121": "`verifier audit --help` lists the mechanisms that are known, and their arguments",
    "S122": "check it by itself; in a program, write all steps in one program",
    "S123": "either the library does not do what it documents, or it is described wrongly here",
    "S201": "write [sun, rain], or {records: [ann, bob], domain: [0, 1]}",
    "S202": "leave it out, or choose another name",
    "S203": "write a plain word such as ann or record_1",
    "S204": "write a list of values such as [0, 1], or attributes: {age: [young, old]}",
    "S205": "write a number such as 3, or a list of names such as [ann, bob]",
    "S207": "leave one of the constraints out, or weaken it",
    "S301": "write an expression such as count(value == 1) >= 2; a program is made of lines "
    "such as x = draw(bernoulli(1/2)) and return x",
    "S302": "expressions are made of numbers, 'words', records, + - * / // % **, == != < <= > >=, "
    "in, and, or, not, `a if p else b`, lists, x[0] and functions such as count(...)",
    "S303": "names are those of records, attributes, secrets, worlds and variables; words "
    "stand in quotes: 'flu'",
    "S304": "give parts of it names: secrets, or variables of a program",
    "S305": "functions are len(x), min(x), max(a, b), abs(a), range(n), xor(a, b), hamming(x, "
    "y), count(p), sum(e)",
    "S306": "a truth becomes a number by `1 if p else 0`, a number a truth by `n != 0`; words "
    "are compared by == and !=",
    "S307": "a divisor is tested first: `a / b if b != 0 else 0`; powers and ranges take small "
    "numbers",
    "S308": "lists count from 0, and x[-1] is the last element; `if len(x) > 0` tests for one",
    "S309": "compare with a value that it can have, of the same kind: a number such as 1, or a "
    "word in quotes such as 'flu'",
    "S310": "choose another name",
    "S311": "write {0: 1/3, 1: 2/3}, uniform(1, 6), bernoulli(1/2) or geometric(0, 1/2, -3, 3)",
    "S312": "add `return …` at the end, or to every branch",
    "S313": "draw before, in a line of its own: x = draw(bernoulli(1/2))",
    "S314": "give it a value on every path before, such as x = 0",
    "S315": "compare the draw (x > 3), add to it, multiply it by a number, or use max, min, abs, "
    "argmax, floor; or clamp it: geometric(0, 1/2, -3, 3)",
    "S316": "multiply a draw by a number",
    "S317": "write x >= 3, or compare floor(x)",
    "S318": "clamp it to finitely many values: max(0, min(9, floor(x)))",
    "S319": "write the number of rounds, such as range(9), and leave the loop with `break`",
    "S320": "write a number above 0, such as 2",
    "S321": "give whole draws an epsilon, as in geometric(0, epsilon=1): that is compared with "
    "laplace and exponential; or give all of them ratios, as in geometric(0, 1/2)",
    "S322": "clamp it to finitely many values: max(0, min(9, floor(x)))",
    "S323": "use the same scales, and the same sums of draws, in all worlds and on all paths",
    "S401": "choose another name",
    "S402": "write a predicate that holds in some world, or names of worlds",
    "S403": "give it a positive probability in some prior, or leave the pair out",
    "S404": "write pairs: values for records, or pairs: [[bob_yes, bob_no]] with two secrets",
    "S405": "write [bob_yes, bob_no], with two names of `secrets`",
    "S406": "exclude from one of them what both have: `… and not …` in its predicate; a secret "
    "against all worlds is a pair of worlds of the mechanism `related`",
    "S501": "write all, product for records, or {list: [uniform]}",
    "S502": "worlds made of records are written {records: [ann, bob], domain: [0, 1]}",
    "S503": "give a positive probability to a world that satisfies the constraints",
    "S504": "write probabilities from 0 to 1 that sum to 1, such as {0: 1/2, 1: 1/2}",
    "S505": "write at least one, such as [uniform]",
    "S506": "write priors: all, or priors: {list: [uniform]}",
    "S508": "write P(x) <= 1/2, P(x | c) in [1/4, 1/2], P(x) / P(y) >= 2 or P(x) <= 3 * P(y)",
    "S509": "write a number from 0 to 1, or an interval such as [1/4, 1/2]",
    "S601": "write epsilon: ln(3), or exp_epsilon: 3",
    "S602": "leave it out",
    "S606": "write a list item such as - differential_privacy: {epsilon: ln(3)}",
    "S607": "write a number such as 3, the word infinite, or an interval [1.8, 1.9]",
    "S701": "name a file below a folder that you may write to, on a disk that has room",
    "S702": "write --resume to go on with a table that is there, or name another file",
    "S801": "give each $name of the file its values: --set name=1/4,1/2",
    "S802": "write p: 1/2 < p < 1, n: 2..6 or n: [2, 4, 8]",
    "S803": "write epsilon: p/2, or exp_epsilon: p/(1 - p); a size has a list: n: 2..6",
    "S804": "write a multiple of the parameter in the exponent, such as exp(p/2); beside several "
    "parameters a rational level, exp_epsilon: 3",
    "S805": "write comparisons such as p <= 3/4, 1/2 < p < 3/4 or q == 1 - p, and `and`, `or`",
    "S806": "write a value inside the interval: --set p=0.7; with --zip lists of one length",
    "S901": "copy `from` and `to` of the report of `verifier diff`, and write a day such as "
    "2027-01-31",
    "S902": "run `verifier lock` again, and look at what it changes; after a merge too",
    "S903": "write a revision such as main or HEAD~1, or ./folder for a folder",
    "S904": "look at the change with `verifier diff`; if it is meant: verifier lock --update NAME",
    "S905": "write a line such as strict = true; `verifier check --show-settings` lists them all",
}

CODES: dict[str, str] = {
    "S001": "The file cannot be read: it is missing, a directory, or not readable.",
    "S002": "The file is empty: nothing would be checked.",
    "S003": "The file is not UTF-8 text.",
    "S004": "The file holds, or writes with an escape, a character that is not text, like NUL.",
    "S005": "The file is not well-formed YAML (or JSON).",
    "S006": "A key appears twice in one mapping; one of the two would be lost.",
    "S007": "Anchors and aliases (`&a`, `*a`) are not part of the format.",
    "S008": "Tags (`!x`) are not part of the format.",
    "S009": "A file holds one document; a second `---` starts another one.",
    "S010": "The document is nested too deeply.",
    "S011": "The document is too large.",
    "S012": "Merge keys (`<<`) are not part of the format.",
    "S013": "An expression or name with a comma or a list inside `{…}` or `[…]` must be quoted, or "
    "it is cut off there.",
    "S014": "The value has the wrong shape: a mapping, a list or a single value was expected.",
    "S015": "The key is unknown here.",
    "S016": "A key that is needed is missing.",
    "S017": "A flag is exactly `true` or `false`.",
    "S018": "The value is empty.",
    "S101": "An exact number was expected: an integer, `1/3`, `0.25` or `1e-9`. Floats are refused "
    "from Python because they have already been rounded.",
    "S102": "The number has more digits, or a larger exponent, than the limits allow.",
    "S103": "The probabilities of the outputs in one world must sum to exactly 1.",
    "S104": "A probability lies outside [0, 1].",
    "S105": "Outputs are named once each, at least one, and every row has one entry per output.",
    "S106": "The mechanism is of no known kind, is not named in the file, or is made of itself.",
    "S107": "A table has exactly one row for every world.",
    "S108": "The csv file cannot be read as text with comma-separated values.",
    "S109": "Randomized response needs records that are all present and have at least two values.",
    "S110": "An option of the mechanism is outside the range in which it means something.",
    "S111": "Spec files may run Python code only with --allow-python.",
    "S112": "The Python function failed, or returned something other than exact probabilities.",
    "S113": "The Python function answers differently when asked again: it draws at random, or "
    "depends on the time, on the order of a set, or on what it was asked before.",
    "S114": "A local mechanism answers every record by itself, with one channel for all records or "
    "one for each, and without constraints.",
    "S115": "Arithmetic in a number cannot be read: it has numbers, `exp(q)`, `+ - * /` and "
    "brackets, such as `exp(1)/(1 + exp(1))`.",
    "S116": "The exponent of a power of e is irrational, or larger than the limits allow.",
    "S117": "Only e has powers that are not whole: other numbers have whole exponents.",
    "S118": "A rational number is needed here: levels ε, centers, scales, distances.",
    "S119": "An estimate of a probability has two ends, [lower, upper], and in each world some "
    "numbers between the ends sum to 1.",
    "S120": "A table of estimates, or a program with normal draws, cannot be a part of another "
    "mechanism, nor be compared with one: its probabilities are known between two ends only.",
    "S121": "The mechanism of another library is one whose probabilities are known here, built "
    "with arguments that the library accepts.",
    "S122": "A mechanism that releases real numbers is no part of a mixture or of what looks at "
    "its outputs, and not compared with other mechanisms.",
    "S123": "What a library releases, drawn many times, has the probabilities that are audited. "
    "Here it has others, so that no verdict would be about the library.",
    "S201": "Worlds are a list of names, or `records` and `domain`.",
    "S202": "A name or value is given twice, or the name already means something else.",
    "S203": "The name is not a plain word, or it is reserved by the language.",
    "S204": "The domain of the records is empty, malformed, or makes names of worlds ambiguous.",
    "S205": "`records` is a number of records or a list of their names.",
    "S206": "There are too many possible worlds to enumerate.",
    "S207": "No world satisfies the constraints.",
    "S208": "No possible world has this name.",
    "S301": "The text is not an expression (or program) in Python syntax.",
    "S302": "Python knows this, but it is not part of the small language.",
    "S303": "The name, attribute or function is unknown here.",
    "S304": "The text or a number in it is too long, nested too deeply, or not in decimal.",
    "S305": "A function is called with the wrong arguments.",
    "S306": "An operation got a value of the wrong type; truths, numbers, words, lists and worlds "
    "are different types.",
    "S307": "Arithmetic without a result: division by zero, or a value too large.",
    "S308": "An index outside a list, a key that a dictionary has not, or an operation on an empty "
    "list.",
    "S309": "A comparison that can never hold: its sides are of different kinds (a word and a "
    "number, a truth and a number, a list and a word, a distribution and anything), or a constant "
    "is none of the values it is compared with.",
    "S310": "A program may not assign to this name.",
    "S311": "The probabilities of a draw lie in [0, 1] and sum to exactly 1.",
    "S312": "A program can reach its end, in some world, without `return`.",
    "S313": "`draw` is not allowed here.",
    "S314": "A variable is used before it has a value.",
    "S315": "An operation would have to look at a draw that is not clamped.",
    "S316": "A product of two draws that are not clamped, or a quotient by one.",
    "S317": "A continuous draw is compared by ==: it equals nothing.",
    "S318": "The floor or round of a draw has infinitely many values, or a whole draw is released "
    "on one path and a number on another.",
    "S319": "The number of rounds of a loop depends on a draw that is not clamped.",
    "S320": "The scale or epsilon of a draw is not positive, an interval has no length, or a "
    "number that has to be rational is not.",
    "S321": "A draw of `geometric` with a ratio is compared with one of powers of e: of laplace, "
    "of exponential, or with an epsilon.",
    "S322": "A number is released whose draw has been compared, or which is a sum of draws that "
    "other released numbers do not tell apart; and another one rests on the same draws, or a draw "
    "is whole or normal.",
    "S323": "Numbers are released with noise of different scales, or with other sums of draws, at "
    "the same place of what is returned.",
    "S401": "The name of a secret is its own: no world, record, attribute, word of the language or "
    "generated secret may have it.",
    "S402": "A secret that no world is in protects nothing.",
    "S403": "A named secret, or one of the two of a named pair, has probability 0 under every "
    "prior of the class: nothing would be checked.",
    "S404": "The check needs at least one pair of secrets.",
    "S405": "Pairs are [secret, secret], or one of values, entries, presence.",
    "S406": "The two secrets of a pair must exclude each other.",
    "S407": "Generated pairs need records, and presence needs records that may be absent.",
    "S501": "The prior or class of priors is of no known kind.",
    "S502": "The prior does not fit the worlds: it needs records, or a distribution for each of "
    "them.",
    "S503": "The prior gives probability 0 to every world that satisfies the constraints.",
    "S504": "A prior's probabilities lie in [0, 1], sum to exactly 1 and name worlds or values "
    "that exist.",
    "S505": "The class of priors is empty: nothing would be checked.",
    "S506": "The check needs one class of priors: the file's only one, or a chosen one.",
    "S507": "Distributions given secrets name secrets of the pairs, are concentrated on them, and "
    "leave no pair without a comparison.",
    "S508": "A constraint on priors compares probabilities P(x) or P(x | c) of worlds, secrets and "
    "predicates with numbers or each other, by <=, >=, == or `in [a, b]`.",
    "S509": "A probability lies in [0, 1], odds are at least 0, and an interval [a, b] has a <= b.",
    "S510": "A constraint on priors is linear after multiplying by one condition, which all its "
    "terms share.",
    "S511": "No prior satisfies the constraints together.",
    "S601": "A level is epsilon >= 0 or exp_epsilon >= 1, exactly one of them; delta lies in [0, "
    "1].",
    "S602": "A check has exactly one definition, and every option is given once.",
    "S603": "The neighbours do not go with these worlds or options.",
    "S604": "A distance, graph or query does not fit the worlds.",
    "S605": "The check needs one mechanism: the file's only one, or a chosen one.",
    "S606": "The list of checks is empty: nothing would be checked.",
    "S607": "The expected leakage is a number, `infinite`, or an interval [lower, upper].",
    "S608": "What is private, what the simulator sees, or the auxiliary information does not go "
    "with these worlds.",
    "S609": "The canonical simulator runs the mechanism on the database without the record, which "
    "must be a possible world.",
    "S701": "A certificate, a table, a report, a figure or an example cannot be written.",
    "S702": "What is to be written is there already: a first file, or the table of a sweep, which "
    "may also have other columns.",
    "S801": "A parameter `$name` of a file and the values given for it with --set go together.",
    "S802": "A parameter has a plain word as its name, and an interval or a list of values.",
    "S803": "A real parameter stands where only a number can: as a size, in an `epsilon` that is "
    "no multiple of it, or in a scale of noise that is no multiple of 1 over it.",
    "S804": "A real parameter stands in an exponent of e other than as a multiple of it, or "
    "several parameters, or draws of other powers, stand beside powers of e.",
    "S805": "A condition on parameters cannot be read: `where`, `holds` or a piece of a leakage.",
    "S806": "A value of a parameter does not fit: it lies outside the interval, or lists that go "
    "together have different lengths, or one value is needed.",
    "S901": "An accepted change has a file, check, status, from, to, reason and expires: the last "
    "day on which it may pass.",
    "S902": "`verifier.lock` has a header, and one line for each check.",
    "S903": "The sides of a comparison are two revisions, two folders or two reports in JSON, and "
    "what is compared are files of them.",
    "S904": "A check is not as `verifier.lock` has it: weaker, changed, missing or not locked.",
    "S905": "A setting is unknown, has a value that it cannot have, or contradicts another one.",
}

# Notes: what a file says that nobody asked for.
NOTES: dict[str, str] = {
    "N101": "A comparison is the same wherever it is made: it decides nothing. Either another "
    "value was meant, or the constraints leave no other.",
    "N102": "A line of a program is reached in no world and by no draw.",
    "N103": "A secret is used by no check, no expression, and no pair that a check needs.",
    "N104": "A class of priors, or the list of pairs, is used by no check.",
    "N105": "A check compared nothing (it is vacuous), so that it would hold of any mechanism.",
    "N106": "A program violates its level unexpectedly, and clamped noise may be why. Without the "
    "clamps it would be at most half as far above its level. Where that cannot be decided, noise "
    "with twice the range is tried; where it would take long, nothing is said.",
    "N107": "A variable of a program is assigned and used for nothing but itself: its name may be "
    "misspelt. `_` and `_name` may be unused.",
    "N108": "A number in quotes, which is a word and equals no number, is used where no world is "
    "compared.",
    "N109": "Two words among the outputs, or the values of a table of what is private, differ by "
    "one letter, two letters in exchange, or capitals: one may be misspelt.",
    "N110": "A word in quotes is also the name of a record, attribute or secret, which is written "
    "without quotes; or one of a program's outputs is a variable, and others are words in quotes "
    "that name variables.",
    "N111": "A mechanism is used by no check. Under `mechanisms` one whose name begins with `_` "
    "may be unused.",
    "N112": "A parameter is used nowhere. One whose name begins with `_` may be.",
    "N113": "Records may be absent, and no check compares presence: by default two worlds that "
    "are compared have the same people. This is not told where a check says which worlds are "
    "compared, by `neighbours`, `graph` or pairs of secrets.",
    "N114": "The constraints leave one value to a record, so that nothing about it is compared. "
    "One whose name begins with `_` may be left out.",
    "N115": "The output of no mechanism depends on a record, in a file without priors. One whose "
    "name begins with `_` may be left out. Not looked at where a matrix has over a million "
    "entries, or worlds are not enumerated.",
    "N116": "The smallest e^ε is exactly 1: nothing that is compared tells the outputs apart. "
    "Whoever means it asks level 1, or asserts `leakage: 1`.",
    "N117": "δ is at least one over the number of records, so that one of them, drawn at random, "
    "may be released as it is. Whoever means it asserts the `leakage`.",
    "N118": "The smallest e^ε is the number that was given as ε, which allows more. Whoever means "
    "it asserts the `leakage`.",
    "N119": "A prior of a list makes one secret of each pair impossible, so that it compares "
    "nothing. Whoever means it asserts the `leakage`.",
    "N201": "An accepted change accepts nothing: there is no such change, or its last day is over.",
    "N202": "A check is better than `verifier.lock` has it, or has moved: the lock can be renewed.",
}
