"""Frozen reports are those of models; each file's is asked where its checks are decided,
by `tests/models/test_models.py`."""

from tests.golden.reports import FOLDERS, GOLDEN, frozen
from tests.models.model_files import files


def test_nothing_else_is_frozen() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} == {*FOLDERS}
    for folder in FOLDERS:
        lines = frozen(folder).read_text(encoding="utf-8").splitlines()
        named = [line for line in lines if line.startswith("models/")]
        assert named == [f"models/{folder}/{file}" for file in files(folder)]
