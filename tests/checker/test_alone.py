"""The checker stands alone: standard library only, no floating point, no true division."""

import ast
import sys
from pathlib import Path

import pytest

import verifier.checker

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
    for node in ast.walk(ast.parse(path.read_text())):
        assert not (isinstance(node, ast.Constant) and isinstance(node.value, float | complex))
        assert not (isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Div))
        assert not (isinstance(node, ast.Name) and node.id in banned)
        if isinstance(node, ast.ImportFrom):
            assert not banned & {alias.name for alias in node.names}
