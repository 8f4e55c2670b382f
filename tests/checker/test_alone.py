"""The checker stands alone: standard library only, no floating point, no true division."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import verifier.checker
from tests.pages import example

ROOM = Path(verifier.checker.__file__).parent
FILES = sorted(ROOM.glob("**/*.py"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_imports_nothing_but_the_standard_library_and_itself(path: Path) -> None:
    own = {file.stem for file in FILES}
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            assert all(alias.name.split(".")[0] in sys.stdlib_module_names for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level:
            assert node.level == 1
            assert {node.module or alias.name for alias in node.names} <= own
        elif isinstance(node, ast.ImportFrom):
            assert node.module is not None
            assert node.module.split(".")[0] in sys.stdlib_module_names


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_knows_no_floats_and_runs_nothing(path: Path) -> None:
    banned = {"float", "eval", "exec", "__import__", "compile", "complex", "Decimal", "round"}
    banned |= {"importlib", "exp", "log", "sqrt", "truediv", "loads_float", "random", "subprocess"}
    banned -= {"importlib"} if path.name == "__init__.py" else set()  # loads the rule of a kind
    banned -= {"Decimal"} if path.name == "grids.py" else set()  # multiplies whole numbers alone
    for node in ast.walk(ast.parse(path.read_text())):
        assert not (isinstance(node, ast.Constant) and isinstance(node.value, float | complex))
        assert not (isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Div))
        assert not (isinstance(node, ast.Name) and node.id in banned)
        if isinstance(node, ast.ImportFrom):
            assert not banned & {alias.name for alias in node.names}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_lists_that_go_together_have_one_length(path: Path) -> None:
    """A list that is too long for its partner is a fault, and never read in part."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "zip":
            strict = [k.value for k in node.keywords if k.arg == "strict"]
            assert [type(value) for value in strict] == [ast.Constant], ast.unparse(node)
            assert [getattr(value, "value", None) for value in strict] == [True], ast.unparse(node)


def test_a_plain_certificate_loads_one_rule() -> None:
    """What is read of the checker for it, in an interpreter of its own."""
    text = json.dumps(example("comparison"))
    code = (
        "import json, sys, verifier.checker as c; print(c.check(json.loads(sys.argv[1])).outcome);"
        "print(*(m.split('.')[2] for m in sys.modules if m.startswith('verifier.checker.')))"
    )
    run = [sys.executable, "-c", code, text]
    outcome, loaded = subprocess.run(run, capture_output=True, text=True).stdout.splitlines()
    assert outcome == "accepted"
    known = {"document", "reading", "question"}
    assert {*loaded.split()} <= known | {"inequality", "obligations", "grids", "levels", "powers"}


WRITERS = ["obligations", "divergences", "domains", "numbers", "signs", "question"]


@pytest.mark.parametrize("name", WRITERS)
def test_what_is_asked_is_written_without_evidence(name: str) -> None:
    """The question alone says what is to be shown: no function is given a witness or a proof, and
    no module that reads one is used, but for beliefs and fields that questions of a kind have."""
    known = {"document", "reading", "numbers", "signs", "domains"}
    known |= {"cuts", "sturm", "rates", "powers", "grids", "levels", "obligations"}
    fields = {"known_beliefs", "fields_of_network", "fields_of_quilts"}
    fields |= {"losses_of", "read_channels", "check_reals"}
    for node in ast.walk(ast.parse((ROOM / f"{name}.py").read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            names = {alias.name for alias in node.names}
            assert names <= fields or {node.module or alias for alias in names} <= known
        if isinstance(node, ast.arg):
            assert node.arg not in ("witness", "evidence", "proof", "case")


def test_nothing_is_divided_where_comparisons_are_written() -> None:
    """What is given a secret stays a product with its mass."""
    for node in ast.walk(ast.parse((ROOM / "obligations.py").read_text())):
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            assert called not in ("ratio", "read.ratio"), ast.unparse(node)
            assert called != "Fraction" or len(node.args) == 1, ast.unparse(node)
