"""The atlas of the papers: its items are well formed, and models and items name each other."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest
import yaml

from docs.atlases import DECIDED, FOLDER, PAPERS, VERDICTS, Paper, numbers, paper, share
from tests.pages import DOCS, ROOT, whole

MODELS = ROOT / "models"
NEED = (*DECIDED, "remark")  # verdicts that name models
READ = {key: paper(key) for key in PAPERS}
WALKED = [one for one in READ.values() if one.walked]


@cache
def sources() -> dict[str, str]:
    """What each model file says of its source; a file begins with it, so that few lines do."""
    found = {}
    for path in sorted(MODELS.glob("*/*.yaml")):
        name = path.relative_to(MODELS).with_suffix("").as_posix()
        lines = path.read_text(encoding="utf-8").splitlines()
        (line,) = [line for line in lines if line.startswith("source:")]
        found[name] = yaml.safe_load(line)["source"]
    return found


def identity(one: Paper) -> str:
    return one.key


def test_there_is_a_file_for_each_paper() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(PAPERS)


def test_the_page_lists_every_item() -> None:
    page = whole(DOCS / "atlas.md")
    items = [item.item for one in READ.values() for item in one.items]
    assert len(items) > 400
    assert [item for item in items if f"\n| {item} | " not in page] == []


@pytest.mark.parametrize("one", READ.values(), ids=identity)
def test_items_are_well_formed(one: Paper) -> None:
    names = [item.item for item in one.items]
    assert [name for name, count in Counter(names).items() if count > 1] == []
    for item in one.items:
        assert item.numbers and item.says.strip(), item
        assert item.verdict in VERDICTS, item
        assert item.why.strip() or item.verdict == "shown", f"{item.item}: say why"
        assert bool(item.models) or item.verdict not in NEED, f"{item.item}: by which model?"
        assert "\n" not in item.item + item.says + item.why, item


@pytest.mark.parametrize("one", READ.values(), ids=identity)
def test_models_name_the_items_that_name_them(one: Paper) -> None:
    for item in one.items:
        for model in item.models:
            assert model in sources(), f"{item.item}: no file models/{model}.yaml"
            missing = set(item.numbers) - set(one.named(sources()[model]))
            assert not missing, f"{one.name}, {item.item}: the source of {model} does not name it"


@pytest.mark.parametrize("one", WALKED, ids=identity)
def test_what_models_name_stands_in_the_atlas(one: Paper) -> None:
    listed = {number for item in one.items for number in item.numbers}
    for model, source in sources().items():
        assert set(one.named(source)) <= listed, f"{model} names what {one.key}.toml does not list"
    used = {model for item in one.items for model in item.models}
    folder = {model for model in sources() if model.startswith(f"{one.key}/")}
    assert folder <= used, "models that no item names"


@pytest.mark.parametrize("key", PAPERS)
def test_nearly_all_items_in_scope_are_decided(key: str) -> None:
    assert int(share(Counter(item.verdict for item in READ[key].items)).split()[0]) >= 95


def test_numbers_of_items_are_understood() -> None:
    def read(text: str) -> str:
        return "; ".join(numbers(text))

    assert read("Theorems 3.1 and 6.1, for two bits") == "Theorem 3.1; Theorem 6.1"
    assert read("Thm 6.2; Thms 3.1 and 6.1") == "Theorem 6.2; Theorem 3.1; Theorem 6.1"
    assert read("Definitions 3.3 to 3.5") == "Definition 3.3; Definition 3.4; Definition 3.5"
    assert read("Equations (3) to (6)") == "Equation 3; Equation 4; Equation 5; Equation 6"
    assert read("Eq. 25, Example 10.1") == "Equation 25; Example 10.1"
    assert read("Sections II-A, II-B and IV") == "Section II-A; Section II-B; Section IV"
    assert read("Figure 3(a) and Table 6") == "Figure 3(a); Table 6"
    assert read("Lemma D.1 and Claims G.1 to G.3") == "Lemma D.1; Claim G.1; Claim G.2; Claim G.3"
    assert read("Theorem 7.2 (1) with n = 2, 2014") == "Theorem 7.2"
    assert read("Theorem 1, 2012; Appendix B, Algorithms 1 and 2") == (
        "Theorem 1; Appendix B; Algorithm 1; Algorithm 2"
    )
    assert read("a theorem of 1952") == ""


def test_a_source_may_name_several_papers() -> None:
    source = (
        "Warner 1965, Section 2; Row-cone paper, Theorem 4.3; also Section V; Blowfish paper, Eq. 5"
    )
    assert READ["row-cone"].named(source) == ["Theorem 4.3", "Section V"]
    assert READ["blowfish"].named(source) == ["Equation 5"]
    assert READ["pufferfish"].named(source) == []


def test_the_share_leaves_out_what_is_out_of_scope() -> None:
    assert share(Counter({"shown": 2, "false": 1, "weak": 1, "out of scope": 5, "remark": 3})) == (
        "75 %"
    )
    assert share(Counter({"out of scope": 5})) == "–"
