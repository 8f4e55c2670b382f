"""The notebooks in docs/notebooks run, and print what they show."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.pages import DOCS

NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
SECONDS = 600
Json = dict[str, Any]


def shown(notebook: Json) -> list[list[tuple[str, object]]]:
    """What each cell of code shows: its texts, and that there is a figure."""
    return [
        [told for output in cell["outputs"] for told in _told(output)]
        for cell in notebook["cells"]
        if cell["cell_type"] == "code"
    ]


def _told(output: Json) -> list[tuple[str, object]]:
    if output["output_type"] == "stream":
        return [("stream", "".join(output["text"]).strip())]
    if "image/png" in output["data"]:
        return [("figure", len(output["data"]["image/png"]) > 5_000)]
    return [(kind, "".join(text)) for kind, text in sorted(output["data"].items())]


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_prints_what_it_shows(path: Path, tmp_path: Path) -> None:
    nbformat = pytest.importorskip("nbformat", reason="without nbclient, of the extra oracle")
    nbclient = pytest.importorskip("nbclient", reason="without nbclient, of the extra oracle")
    pytest.importorskip("ipykernel", reason="without ipykernel, of the extra oracle")
    notebook = nbformat.read(path, 4)
    here = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, timeout=SECONDS, resources=here).execute()
    assert shown(notebook) == shown(json.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_was_run_from_top_to_bottom(path: Path) -> None:
    """Its cells are numbered, show a figure, and hold nothing of the place where it ran."""
    text = path.read_text(encoding="utf-8")
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    assert any(kind == "figure" for told in shown(json.loads(text)) for kind, _ in told)
    assert not any(word in text for word in ("/tmp/", "/home/", "Traceback", "python3."))
