"""What each item of a paper says, and which model files decide it: the tables of docs/atlas.md.

`docs/atlas/PAPER.toml` lists the items of a paper, in its order:

    [[item]]
    item = "Theorem 7.3, second half"           # its number first; what tells it from others
    says = "Algorithm 4 is 2ε-hedging private"
    verdict = "false"                           # shown, false, weak, out of scope, remark
    models = ["pufferfish/hedging-histogram"]   # whose `source` names the paper and this number
    why = "infinite: two people, and an output that proves that nobody has the third value"

`why` is needed unless the verdict is `shown`. A file begins with `title`, `name` (what `source` in
models calls the paper) and `walked`: true once the paper was read from beginning to end. A test
then holds that each number that a model names, and each model of the paper's folder, is an item.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "atlas"
PAPERS = ("pufferfish", "composition", "blowfish", "coupled-worlds", "row-cone")
VERDICTS = ("shown", "false", "weak", "out of scope", "remark")
DECIDED = ("shown", "false")

KINDS = {
    "Theorem": "Theorems?|Thms?",
    "Lemma": "Lemmas?",
    "Proposition": "Propositions?",
    "Corollary": "Corollary|Corollaries",
    "Definition": "Definitions?",
    "Algorithm": "Algorithms?",
    "Example": "Examples?",
    "Claim": "Claims?",
    "Table": "Tables?",
    "Figure": "Figures?|Fig",
    "Equation": "Equations?|Eqs?",
    "Axiom": "Axioms?",
    "Section": "Sections?",
    "Appendix": "Appendix|Appendices",
}
ONE = (
    r"(?:\(\d{1,2}\)|(?:[A-Z]\.)?\d{1,2}(?!\d)(?:\.\d+)*(?:\([a-z]\))?"
    r"|[IVX]+(?:-[A-Z])?\b|(?<=Appendix )[A-Z]\b)"
)
BETWEEN = r"(?:, and |, | and | or | to )"
NAMED = re.compile(
    rf"\b(?P<kind>{'|'.join(KINDS.values())})\b\.? (?P<numbers>{ONE}(?:{BETWEEN}{ONE})*)"
)


@dataclass(frozen=True)
class Item:
    """What a paper says in one place, and what the models show of it."""

    item: str
    says: str
    verdict: str
    models: tuple[str, ...] = ()
    why: str = ""

    @property
    def numbers(self) -> list[str]:
        """The numbers that it stands for, as `Theorem 7.2`."""
        return numbers(self.item)


@dataclass(frozen=True)
class Paper:
    """The items of a paper in its order; `name` is what sources of models call it.

    `walked` says that it was read from beginning to end.
    """

    key: str
    title: str
    name: str
    items: tuple[Item, ...]
    walked: bool

    def named(self, source: str) -> list[str]:
        """The numbers of this paper that the source of a model names."""
        return [number for part in self.parts(source) for number in numbers(part)]

    def parts(self, source: str) -> Iterator[str]:
        """The parts of a source that are about this paper; one with `also` goes on."""
        about = False
        for part in source.split("; "):
            about = self.name in part or (about and part.startswith("also "))
            if about:
                yield part


def numbers(text: str) -> list[str]:
    """The numbers of items that a text names: `Thms 3.1 and 6.1`, `Equations (3) to (6)`."""
    found = []
    for match in NAMED.finditer(text):
        (kind,) = (k for k, forms in KINDS.items() if re.fullmatch(forms, match["kind"]))
        pieces = re.split(f"({BETWEEN})", match["numbers"])
        given = [piece.strip("()") if piece[0] == "(" else piece for piece in pieces[::2]]
        for before, number in zip(["", *pieces[1::2]], given, strict=True):
            if before == " to ":
                found += [f"{kind} {one}" for one in after(found[-1].split()[1], number)]
            else:
                found.append(f"{kind} {number}")
    return found


def after(first: str, last: str) -> list[str]:
    """The numbers after the first one, up to the last one: 3.4 and 3.5 for 3.3 and 3.5."""
    stem = first.rstrip("0123456789")
    return [f"{stem}{k}" for k in range(int(first[len(stem) :]) + 1, int(last[len(stem) :]) + 1)]


def paper(key: str) -> Paper:
    """A paper, read from its file."""
    found = tomllib.loads((FOLDER / f"{key}.toml").read_text(encoding="utf-8"))
    items = tuple(Item(**{**one, "models": tuple(one.get("models", ()))}) for one in found["item"])
    return Paper(key, found["title"], found["name"], items, found["walked"])


def counts() -> list[tuple[str, ...]]:
    """Of each paper and of all: its items, those of each verdict, the share that is decided."""
    tallies = {paper(key).title: Counter(i.verdict for i in paper(key).items) for key in PAPERS}
    whole: Counter[str] = sum(tallies.values(), Counter())
    return [counted(title, tally) for title, tally in {**tallies, "all": whole}.items()]


def counted(title: str, tally: Counter[str]) -> tuple[str, ...]:
    """A line of that table."""
    numbers = [str(tally[verdict]) for verdict in VERDICTS]
    return (title, str(tally.total()), *numbers, share(tally))


def share(tally: Counter[str]) -> str:
    """The share of the items in scope that models show or show to be false."""
    within = tally.total() - tally["out of scope"] - tally["remark"]
    return f"{100 * sum(tally[verdict] for verdict in DECIDED) // within} %" if within else "–"


def rows(key: str) -> list[tuple[str, ...]]:
    """The items of a paper: what it says, the verdict, the models, what they show or why not."""
    return [
        (one.item, one.says, verdict(one.verdict), ", ".join(map(link, one.models)), one.why)
        for one in paper(key).items
    ]


def verdict(word: str) -> str:
    """A verdict; what is false stands out."""
    return f"**{word}**" if word == "false" else word


def link(model: str) -> str:
    """A link to a model file, from docs/atlas.md."""
    return f"[{model.split('/')[1]}](../models/{model}.yaml)"
