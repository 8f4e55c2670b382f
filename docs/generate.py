"""Writes the parts of the pages that repeat what the code knows: `python -m docs.generate`.

Such a part stands between `<!-- generated: NAME ARGUMENT -->` and `<!-- end -->`; NAME is a
function below. A test fails where a part is not what its function gives. What is long, and only
looked up, is written when the site is built, in place of what stands between
`<!-- on the site: NAME ARGUMENT -->` and `<!-- end -->`.
"""

from __future__ import annotations

import argparse
import re
import sys
from argparse import SUPPRESS
from collections.abc import Callable, Collection, Sequence
from importlib import import_module
from inspect import cleandoc
from math import log
from pathlib import Path
from typing import Any

import yaml

from docs import atlases
from tests import rooms
from verifier import cli
from verifier.base import document, errors, exact
from verifier.base.error_examples import EXAMPLES
from verifier.base.errors import NOTES
from verifier.base.registry import DEFINITIONS, MECHANISMS
from verifier.cli import running, settings
from verifier.report import vocabulary, words
from verifier.world import worlds
from verifier.world.language import syntax

DOCS = Path(__file__).resolve().parent
MODELS = DOCS.parent / "models"
WHAT = {  # stands in the first column of tables of decided models
    "deployed": "system, and what is seen",
    "programs": "program, and what other tools say",
}
PART = re.compile(
    r"^(<!-- generated: (?P<name>[\w-]+) ?(?P<argument>\S*) -->\n)(?P<text>.*?)^(<!-- end -->)$",
    re.MULTILINE | re.DOTALL,
)
ON_SITE = re.compile(
    r"^<!-- on the site: (?P<name>[\w-]+) ?(?P<argument>\S*) -->\n.*?^<!-- end -->$",
    re.MULTILINE | re.DOTALL,
)
SECTIONS = dict.fromkeys(("compose", "repeat"), "#compose-repeat") | {"program": "programs.md"}
LONG = 25  # characters of a level that is not written out
PLAIN = "pufferfish"  # whose options mean what they do in most definitions
CHECKS = "../reference/checks.md"
CHECK = "command-line.md#check"
TIME = "--time-limit S"  # for each part of the work, which each command names in its help
GROUPS = {
    "S0": "The file, its YAML, its keys",
    "S1": "Numbers and mechanisms",
    "S2": "Worlds",
    "S3": "Expressions and programs",
    "S4": "Secrets and pairs",
    "S5": "Priors",
    "S6": "Checks, definitions, levels",
    "S7": "What cannot be written",
    "S8": "Parameters",
    "S9": "Changes, locks and settings",
}


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """A table of Markdown."""
    lines = [head, tuple("---" for _ in head), *rows]
    cells = [[cell.replace("|", "\\|") for cell in line] for line in lines]
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def statuses(_: str) -> str:
    """The exit statuses."""
    rows = [(numbers, meaning) for numbers, meaning in running.MEANINGS.items()]
    return table(("exit status", "meaning"), rows)


def parser(command: str = "") -> argparse.ArgumentParser:
    """The parser of the command line, or of one command."""
    whole = cli._parser()
    if not command:
        return whole
    (parsers,) = (a for a in whole._actions if isinstance(a, argparse._SubParsersAction))
    return parsers.choices[command]


def command_list(_: str) -> str:
    """Each command, with what it does."""
    (parsers,) = (a for a in parser()._actions if isinstance(a, argparse._SubParsersAction))
    rows = [(linked(str(c.dest)), str(c.help)) for c in parsers._choices_actions]
    return table(("command", "what it does"), rows)


def linked(command: str) -> str:
    """A command, as it is written; with a link to its page, if it has one."""
    page = DOCS / "reference" / f"{command}.md"
    return f"[`{written(command)}`]({page.name})" if page.is_file() else f"`{written(command)}`"


def written(command: str) -> str:
    """A command, as it is written."""
    found = [a for a in parser(command)._actions if not a.option_strings]
    many = {"+": "{}…", "*": "[{}…]", "?": "[{}]"}
    shown = (many.get(str(a.nargs), "{}").format(a.metavar) for a in found)
    return " ".join(["verifier", command, *shown])


def options(command: str) -> str:
    """The options of a command; those of `check` that mean the same are named alone."""
    found = {name(action): action for action in optional(command)}
    known = {name(a): a.help for a in optional("check")} if command != "check" else {}
    alike = [one for one, a in found.items() if known.get(one) == a.help or (known and one == TIME)]
    rows = [(f"`{one}`", meaning(a)) for one, a in found.items() if one not in alike]
    shown = table((f"`{written(command)}`", ""), rows)
    flags = ", ".join(f"`{found[one].option_strings[-1]}`" for one in alike)
    return f"{shown}\n\nBesides, as of [check]({CHECK}): {flags}." if alike else shown


def optional(command: str) -> list[argparse.Action]:
    """The options of a command that its help shows, without that for help."""
    found = [a for a in parser(command)._actions if a.option_strings]
    return [action for action in found if action.help != SUPPRESS and action.dest != "help"]


def name(option: argparse.Action) -> str:
    """How an option is written, with its value."""
    values = " or ".join(option.choices or ()) or str(option.metavar or "")
    return ", ".join(option.option_strings) + ("" if option.nargs == 0 else f" {values}")


def meaning(option: argparse.Action) -> str:
    """What an option means."""
    return (option.help or "") % {"default": option.default}


def settings_list(_: str) -> str:
    """The one name of each setting: as an option, in a file, in the environment."""
    rows = [
        (
            f"`{one.name} = {one.example}`",
            option_of(one),
            f"`{one.variable}`" if one.variable else "",
            one.about,
        )
        for one in settings.SETTINGS
    ]
    return table(("setting", "option", "variable", "meaning"), rows)


def option_of(setting: settings.Setting) -> str:
    """The option of the same name, if there is one; of `paths` the arguments."""
    if setting.name == "paths":
        return "`FILE…`"
    known = {
        option for command in cli.COMMANDS for a in optional(command) for option in a.option_strings
    }
    both = (f"--{setting.name}", f"--no-{setting.name}")
    return ", ".join(f"`{option}`" for option in both if option in known)


def told(name: str, kind: str) -> words.Word:
    """What the code tells of a word."""
    (one,) = (one for one in words.words()[name] if one.kind == kind)
    return one


def definition_list(_: str) -> str:
    """Each definition, and what it asks in a sentence."""
    names = DEFINITIONS.keywords()
    rows = [(f"[`{name}`]({name}.md)", told(name, "definition").summary) for name in names]
    return table(("definition", "what it asks"), rows)


def closed_list(_: str) -> str:
    """Why no post-processing hurts definitions, for each reason those that have it."""
    having: dict[str, list[str]] = {}
    for keyword in DEFINITIONS.keywords():
        if reason := DEFINITIONS.module(keyword).CLOSED:
            having.setdefault(reason, []).append(f"`{keyword}`")
    rows = [(", ".join(names), reason) for reason, names in having.items()]
    return table(("definition", "closed, because"), rows)


def definition(keyword: str) -> str:
    """How a definition is written, and where it comes from; options of most are told once."""
    one, plain = told(keyword, "definition"), told(PLAIN, "definition").options
    sources = " ".join(one.sections["References"].split())
    alike = [option for option, said in one.options.items() if plain.get(option) == said]
    names = ", ".join(f"`{option}`" for option in alike)
    besides = f"As of [any check]({CHECKS}): {names}.\n\n" if alike else ""
    return f"{usage(one, alike)}\n\n{besides}Source: {sources}"


def mechanism(keyword: str) -> str:
    """How a mechanism is written."""
    return usage(told(keyword, "mechanism"))


def usage(one: words.Word, known: Collection[str] = ()) -> str:
    """How a word is written, and its options but those that are known."""
    rows = [(f"`{option}`", said) for option, said in one.options.items() if option not in known]
    return "\n\n".join([f"Written: {one.syntax}", *([table(("option", ""), rows)] if rows else [])])


def word_list(kind: str) -> str:
    """The words of a kind, each with how it is written and what it means."""
    kind = kind.replace("-", " ")
    named = {"single prior": list(vocabulary.SINGLE)}
    for group in vocabulary.GROUPS:
        named.setdefault(group.kind, []).extend(group.words)
    names = named.get(kind) or words.ROOMS[kind].keywords()
    return table(
        (kind, "meaning"),
        [(said.syntax, said.summary) for said in (told(name, kind) for name in names)],
    )


def mechanism_list(_: str) -> str:
    """Each mechanism, with a link to its section, which says how it is written."""
    names = MECHANISMS.keywords()
    rows = [
        (f"[`{name}`]({SECTIONS.get(name, f'#{name}')})", told(name, "mechanism").summary)
        for name in names
    ]
    return table(("mechanism", "meaning"), rows)


def limits(_: str) -> str:
    """What a file may not exceed."""
    rows = [
        ("a file", f"{document.MAX_BYTES // 2**20} MiB, {document.MAX_NODES:,} values"),
        ("nesting", f"{document.MAX_DEPTH} levels"),
        ("a number", f"{exact.MAX_DIGITS:,} digits"),
        ("an expression or program", f"{syntax.MAX_SOURCE:,} characters"),
        ("records", f"{worlds.MAX_RECORDS:,}; {worlds.MAX_EXCHANGEABLE:,} exchangeable ones"),
        ("worlds", f"{worlds.MAX_WORLDS:,}; {worlds.MAX_HISTOGRAMS:,} histograms"),
        ("errors told at once", f"{errors.MOST_ERRORS}"),
    ]
    return table(("of", "at most"), rows)


def error_catalogue(_: str) -> str:
    """Every error code: what it means, a line that raises it, and one that does not."""
    return "\n\n".join(
        f"## {group}… {title}\n\n" + "\n\n".join(entry(code) for code in codes(group))
        for group, title in GROUPS.items()
    )


def group_list(_: str) -> str:
    """What the codes of errors that begin alike are about."""
    return table(("codes", "about"), [(f"{group}…", title) for group, title in GROUPS.items()])


def codes(group: str) -> list[str]:
    return [code for code in errors.CODES if code.startswith(group)]


def note_catalogue(_: str) -> str:
    """Every note."""
    return "\n\n".join(entry(code) for code in NOTES)


def entry(code: str) -> str:
    """A code of an error or a note."""
    example = EXAMPLES[code]
    parts = [f"### {code}", {**errors.CODES, **NOTES}[code]]
    if hint := errors.HINTS.get(code):
        parts.append(f"What to do: {hint}.")
    for title, text in (("Wrong", example.bad), ("Right", example.good)):
        parts.append(f"{title}{example.where}:\n\n```{example.language}\n{text}\n```")
    return "\n\n".join(parts)


def atlas(key: str) -> str:
    """What a paper says, and what models show of it; without a paper, how much of each."""
    if not key:
        return table(("paper", "items", *atlases.VERDICTS, "decided"), atlases.counts())
    return table(
        ("item", "says", "verdict", "models", "what they show, or why not"), atlases.rows(key)
    )


def decided(folder: str) -> str:
    """Each check of the models of a folder: what it is about, what was asked and what is so."""
    head = (WHAT[folder], "asked", "answer", "smallest e^ε", "ε", "file")
    return table(
        head, [row for path in sorted((MODELS / folder).glob("*.yaml")) for row in of_model(path)]
    )


def of_model(path: Path) -> list[tuple[str, ...]]:
    """The checks of a model as rows of that table."""
    checks = yaml.load(path.read_text(encoding="utf-8"), yaml.BaseLoader)["checks"]
    link = f"[{path.stem}](../{path.relative_to(MODELS.parent)})"
    return [
        (check["name"], asked(check), check.get("expect", "holds"), *level(check["leakage"]), link)
        for check in checks
    ]


def asked(check: dict[str, Any]) -> str:
    """The level of a check, and δ or an order where there is one."""
    options = next(options for word, options in check.items() if word in DEFINITIONS.keywords())
    names = {"epsilon": "ε", "exp_epsilon": "e^ε", "rho": "ρ", "delta": "δ", "order": "α"}
    return ", ".join(f"{name} = {options[key]}" for key, name in names.items() if key in options)


def level(leakage: str | list[str]) -> tuple[str, str]:
    """A smallest level as a file has it, or twelve digits of it, and its logarithm."""
    if leakage == "infinite":
        return leakage, leakage
    listed = isinstance(leakage, list)
    text = leakage[0] if isinstance(leakage, list) else leakage
    value = float(exact.number(text))
    if listed and "e" not in text:
        shown = f"{text[:14]}…"
    elif listed or len(text) > LONG:
        shown = f"{value:#.12g}…"
    else:
        powers = re.sub(r"exp\((\w+)\)", r"e^\1", text.replace("**", "^"))
        shown = powers.replace("exp(", "e^(")
    return shown, f"{log(value):.6g}"


RULE_MODULES = {  # of rules that have several, or another name
    "composition": ("composition", "supports"),
    "family": ("polynomials",),
    "inequality": ("inequality", "hiding", "chords", "leakage"),
    "linear": ("feasibility", "facets", "simulation", "couplings"),
    "network": ("network", "losses"),
    "polytope": ("polytopes",),
}


def rule(name: str) -> str:
    """What the modules of the checker say of a rule of evidence, one after the other."""
    modules = RULE_MODULES.get(name, (name,))
    told = (import_module(f"verifier.checker.{module}").__doc__ for module in modules)
    return "\n\n".join(cleandoc(text or "") for text in told)


def room_plan(detail: str) -> str:
    """The rooms of the package; with their `rules` as a table."""
    if detail == "rules":
        return table(("room", "owns", "may enter", "must not know"), rooms.rows())
    return rooms.plan()


WRITERS: dict[str, Callable[[str], str]] = {
    "statuses": statuses,
    "settings": settings_list,
    "commands": command_list,
    "options": options,
    "definitions": definition_list,
    "definition": definition,
    "closed": closed_list,
    "mechanism": mechanism,
    "mechanisms": mechanism_list,
    "words": word_list,
    "limits": limits,
    "errors": error_catalogue,
    "groups": group_list,
    "notes": note_catalogue,
    "atlas": atlas,
    "decided": decided,
    "rooms": room_plan,
    "rule": rule,
}


def generated(page: str) -> str:
    """A page with its generated parts written anew."""

    def filled(part: re.Match[str]) -> str:
        text = WRITERS[part["name"]](part["argument"])
        return f"{part[1]}\n{text}\n\n{part[5]}"

    return PART.sub(filled, page)


def as_on_site(page: str) -> str:
    """A page as the site has it: with the parts that are written only there."""
    return ON_SITE.sub(lambda part: WRITERS[part["name"]](part["argument"]), page)


def stale() -> dict[Path, str]:
    """The pages whose generated parts are not up to date, each as it should be."""
    found = {}
    for path in [*sorted(DOCS.parent.glob("*.md")), *sorted(DOCS.rglob("*.md"))]:
        text = path.read_text(encoding="utf-8")
        if (new := generated(text)) != text:
            found[path] = new
    return found


def main() -> None:
    """Write them."""
    for path, text in stale().items():
        path.write_text(text, encoding="utf-8")
        print(f"{path.relative_to(DOCS.parent)}: written", file=sys.stderr)


if __name__ == "__main__":
    main()
