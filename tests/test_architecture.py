"""A one-way street with few rooms: every module imports only from rooms above its own."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.loops import each
from verifier.base import registry
from verifier.base.registry import Registry

ROOT = Path(__file__).parents[1] / "verifier"

ROOMS = (  # each imports only from itself and from rooms above it
    "checker",
    "base",
    "standalone",
    "lp",
    "noise",
    "world",
    "programs",
    "kernels",
    "questions",
    "priors",
    "mechanisms",
    "engines",
    "spec",
    "definitions",
    "run",
    "lab",
    "changes",
    "report",
    "testing",
    "cli",
)
MOST_LOOSE = 2  # modules at the top
ALONE = {"checker"}  # imports nothing of the package
OF_CHECKER = {"questions.question", "run.verify", "run.certify", "run.earlier"}
OF_CHECKER |= {"lab.repeated.compose", "standalone.main"}
OF_CHECKER |= {"engines.pieces"}  # reads functions as they stand in certificates
OF_CHECKER |= {"engines.comparison.obligations"}  # proves what the checker is going to ask
WITHOUT_NUMPY = {
    "checker",
    "base.document",
    "base.errors",
    "base.escape",
    "base.exact",
    "base.examples",
    "base.exponential",
    "base.files",
    "base.intervals",
    "base.level",
    "base.registry",
    "cli",
    "lab.sweeps.plan",
    "lab.sweeps.tables",
    "run.cache",
    "run.supervision",
}
HEAVY = {
    "cvxpy",
    "distributed",
    "flint",
    "yaml",
    "highspy",
    "pyarrow",
    "scipy",
    "sympy",
}  # only inside functions

# Modules that may import what is named in no import: where others are found by their names; where
# a worker is told in which module its jobs are; and where it is no module of the package.
BY_NAME = {
    "base.registry",
    "run.supervision.worker",
    "lab.adapters.libraries",
    "checker.__init__",
}
FOLDERS = {
    name: found.room for name, found in vars(registry).items() if isinstance(found, Registry)
}
# What a file or a claim names is looked up by what reads or decides it, and may name another one.
PLUGGED_IN = {
    ("definitions", "spec"),  # a check names its definition, which reads its options by `spec`
    ("definitions", "definitions"),  # `implies` names two
    ("engines", "engines"),  # on the cells of a domain stand claims of any kind
    ("mechanisms", "mechanisms"),
    ("priors", "priors"),
}


# Words by which no search finds a function. They name it only where all modules of a room have it.
VAGUE = {"at", "found", "made", "of", "read", "shown", "told", "value", "whole"}
INTERFACES = {
    "definitions": {"read", "value"},
    "engines": {"told"},
    "mechanisms": {"read"},
    "priors": {"read"},
}


def modules() -> dict[str, Path]:
    """The file of every module of the package, by its name after `verifier.`."""
    found = {}
    for path in sorted(ROOT.rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        if name not in ("__init__", "__main__"):
            found[name] = path
    return found


MODULES = modules()


@cache
def parsed(name: str) -> ast.Module:
    """The tree of a module."""
    return ast.parse(MODULES[name].read_text(encoding="utf-8"))


def imports(name: str, tree: ast.AST) -> Iterator[str]:
    """Every module imported anywhere in a tree, functions included, in full."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                inside = ["verifier", *name.split(".")][: -node.level]
                base = ".".join([*inside, *([base] if base else [])])
            for alias in node.names:
                yield resolved(f"{base}.{alias.name}", base)


def resolved(longer: str, base: str) -> str:
    """`from a import b` imports a.b where that is a module, else a."""
    inside = longer.removeprefix("verifier.")
    known = inside in MODULES or f"{inside}.__init__" in MODULES
    return longer if longer.startswith("verifier.") and known else base


@cache
def within(name: str) -> set[str]:
    """The modules of the package that a module imports, or finds by their names."""
    found = set(found_by_name(name))
    for target in imports(name, parsed(name)):
        if target.startswith("verifier."):
            inside = target.removeprefix("verifier.")
            found.add(inside if inside in MODULES else f"{inside}.__init__")
    return found - {name}


def found_by_name(name: str) -> Iterator[str]:
    """The modules of every room, or folder, whose modules a module finds by their names."""
    for node in ast.walk(parsed(name)):
        if isinstance(node, ast.Attribute) and node.attr == "module":
            owner = ast.unparse(node.value).rpartition(".")[2]
            folder = FOLDERS.get(owner)
            if folder and (folder, name.split(".")[0]) not in PLUGGED_IN:
                yield from (one for one in MODULES if one.startswith(f"{folder}."))


def room(name: str) -> int:
    """The place of the room that a module stands in."""
    return ROOMS.index(name.split(".")[0])


@each("name", sorted(MODULES))
def test_imports_go_one_way(name: str) -> None:
    for other in sorted(within(name)):
        assert room(other) <= room(name), f"{name} imports {other} from a later room"


def test_no_cycles() -> None:
    """Not even inside a room, nor by imports inside functions."""
    done: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, " -> ".join([*path[path.index(name) :], name])
        if name not in done:
            for other in sorted(within(name)):
                visit(other, (*path, name))
            done.add(name)

    for name in sorted(MODULES):
        visit(name, ())


def test_modules_are_found_by_name_in_one_place() -> None:
    found = set()
    for name in MODULES:
        for node in ast.walk(parsed(name)):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(
                ("import_module", "__import__")
            ):
                found.add(name)
    assert found == BY_NAME


def test_nobody_imports_the_door() -> None:
    for name in MODULES:
        assert "verifier" not in set(imports(name, parsed(name))), name


def test_the_checker_is_alone() -> None:
    for name in MODULES:
        of_checker = {other for other in within(name) if other.split(".")[0] == "checker"}
        if name.split(".")[0] in ALONE:
            assert within(name) == of_checker, name
        else:
            assert not of_checker or name in OF_CHECKER, name


@each("name", sorted(MODULES))
def test_numpy_stays_out(name: str) -> None:
    if not {name, name.split(".")[0], name.rpartition(".")[0]} & WITHOUT_NUMPY:
        return
    assert not {t.split(".")[0] for t in imports(name, parsed(name))} & {"numpy", "scipy"}


@each("name", sorted(MODULES))
def test_heavy_packages_are_imported_where_they_are_used(name: str) -> None:
    top = [node for node in parsed(name).body if isinstance(node, ast.Import | ast.ImportFrom)]
    found = {target.split(".")[0] for node in top for target in imports(name, node)}
    assert not found & HEAVY or name.split(".")[0] == "lp"  # itself imported only where it is used


def test_nothing_heavy_is_loaded_at_start() -> None:
    code = "import sys, verifier.cli, verifier.run.verify; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not set(run.stdout.split()) & {"scipy", "highspy", "flint", "z3", "verifier.lp"}


def test_no_room_stands_empty() -> None:
    assert set(ROOMS) == {name.split(".")[0] for name in MODULES}


def test_few_modules_stand_loose() -> None:
    assert len(list(ROOT.glob("*.py"))) <= MOST_LOOSE


@each("name", sorted(MODULES))
def test_names_of_functions_can_be_searched_for(name: str) -> None:
    vague = VAGUE - INTERFACES.get(name.split(".")[0], set())
    found = [n.name for n in parsed(name).body if isinstance(n, ast.FunctionDef)]
    assert not vague & set(found), f"{name}: say what it gives"
