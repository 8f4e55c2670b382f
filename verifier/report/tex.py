"""Tables in LaTeX with the rules of booktabs: exact numbers as fractions, names escaped.

What is written compiles with XeLaTeX and LuaLaTeX whatever names have, and with pdfLaTeX where its
fonts have their characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

from verifier.base import decimals
from verifier.base.escape import escaped

LONGEST = 40  # characters of a fraction that is written out
DIGITS = 8  # of a number that is enclosed
SIGNS = {  # of text, as LaTeX writes them
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "[": "{[}",  # no option of the line before
    "*": "{*}",  # nor its star
    "<": "$<$",  # which the font of old would print as another sign
    ">": "$>$",
    "ε": r"$\varepsilon$",
    "δ": r"$\delta$",
    "⊥": r"$\bot$",
    "∞": r"$\infty$",
    "≈": r"$\approx$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
}
ALPHA, EPSILON = r"$e^{\varepsilon}$", r"$\varepsilon$"
_NUMBER = re.compile(r"-?\d+(\.\d+|/\d+)?")


def text(said: str) -> str:
    r"""A text as LaTeX prints it, on one line.

    >>> print(text("50% of a_b < 1"))
    50\% of a\_b $<$ 1
    """
    return "".join(SIGNS.get(sign, sign) for sign in escaped(said))


def number(said: str) -> str:
    r"""A number in mathematics, from its text; other texts as they are.

    >>> print(number("7/2"), number("infinite"), number("-1"), number("never"))
    $7/2$ $\infty$ $-1$ never
    """
    if said == "infinite":
        return SIGNS["∞"]
    if not _NUMBER.fullmatch(said):
        return text(said)
    if len(said) > LONGEST:
        return rf"$\approx {decimals.significant(Fraction(said))}$"
    return f"${said}$"


def between(low: Fraction, high: Fraction) -> str:
    """A number that is enclosed, by its digits or, where these differ, by both ends."""
    with localcontext(prec=DIGITS):
        ends = dict.fromkeys(str(+Decimal(decimals.significant(end))) for end in (low, high))
    return rf"$\approx {next(iter(ends))}$" if len(ends) == 1 else f"$[{', '.join(ends)}]$"


def table(
    head: Sequence[str], rows: Iterable[Sequence[str]], columns: str, about: str = ""
) -> Iterator[str]:
    """The lines of a table, whose cells are LaTeX already.

    head     of its columns
    rows     of cells, as many in each
    columns  how they stand, such as `lrr`
    about    a comment above it, as plain text
    """
    if about:
        yield f"% {escaped(about)}"
    yield rf"\begin{{tabular}}{{{columns}}}"
    yield r"\toprule"
    yield _row(head)
    yield r"\midrule"
    yield from map(_row, rows)
    yield r"\bottomrule"
    yield r"\end{tabular}"


def _row(cells: Sequence[str]) -> str:
    return rf"{' & '.join(cells)} \\"
