"""The documentation site: every page is in the index, no link is broken, and every definition is in the reference."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from docs import outputs, site
from schedcheck.checker.properties.by_name import NAMES, SOUND

ROOT = Path(__file__).resolve().parents[1]


def test_the_index_lists_every_page_of_docs() -> None:
    trees = re.findall(r"```\{toctree\}\n(.*?)```", (ROOT / "docs/index.md").read_text(), re.DOTALL)
    lines = (line for tree in trees for line in tree.splitlines() if line and not line.startswith(":"))
    listed = {re.sub(r"^.* <(.*)>$", r"\1", line) for line in lines}
    there = {path.stem for path in (ROOT / "docs").glob("*.md")} - {"index"}
    assert there - listed == set()
    made = {Path(page).relative_to("docs").with_suffix("").as_posix() for page in site.GENERATED}
    above = {each for each in listed if each.startswith("../")}
    assert {f"{each.removeprefix('../')}.md" for each in above} <= set(site.pages())
    assert listed - there - made - above == {"decisions/*"}


def test_no_link_of_a_page_is_broken() -> None:
    assert site.broken_links(site.pages()) == []


@pytest.mark.parametrize(
    ("target", "broken"),
    [("check.md", False), ("check.md#exit-codes", False), ("../spec/binding.py", False), ("../README.md", False),
     ("properties.md", False), ("https://kubernetes.io", False), ("#here", False), ("README.md", True), ("chek.md", True)],
)  # fmt: skip
def test_a_link_to_a_missing_file_is_detected(target: str, broken: bool) -> None:
    texts = {**site.pages(), "docs/new.md": f"See [there]({target}).\n\n```yaml\na: [b](no.md)\n```\n"}
    assert site.broken_links(texts) == ([f"docs/new.md: {target}"] if broken else [])


def test_a_link_to_a_folder_leads_to_its_readme_and_one_to_code_becomes_text() -> None:
    page = "docs/new.md"
    texts = {
        **site.pages(),
        page: "[the dump](../examples/dump), [binding.py](../spec/binding.py), [x](../spec/binding.py)",
    }
    assert site.linked(page, texts) == (
        "[the dump](../examples/dump/README.md), `spec/binding.py`, x (`spec/binding.py`)"
    )


def test_a_link_named_after_a_file_gets_the_title_of_the_page() -> None:
    texts = {**site.pages(), "docs/new.md": "([limits.md](decisions/limits.md), [the limits](decisions/limits.md))"}
    title = site.title(texts["docs/decisions/limits.md"])
    assert len(title) > 10
    assert site.linked("docs/new.md", texts) == f"([{title}](decisions/limits.md), [the limits](decisions/limits.md))"


def test_the_page_of_examples_has_every_example_in_its_contents() -> None:
    contents = site.with_contents("examples/README.md", site.pages())
    there = {path.parent.relative_to(ROOT / "examples").as_posix() for path in (ROOT / "examples").rglob("README.md")}
    assert {f"{name}/README" for name in there - {"."}} == set(re.findall(r"^\S+/README$", contents, re.MULTILINE))


def test_the_index_of_the_reference_lists_every_page_once_under_a_heading() -> None:
    made = site.reference()
    index = made.pop("docs/reference/index.md")
    listed = re.findall(r"^- \[\w+\.py\]\((.*?)\): .", index, re.MULTILINE)
    assert sorted(f"docs/reference/{each}" for each in listed) == sorted(made)
    assert {folder for folder in site.PARTS.values() if f"## {folder}\n" not in index} == set()


def test_the_reference_shows_a_definition_with_its_tla_text_and_place() -> None:
    page = site.reference()["docs/reference/spec/binding.md"]
    line = next(
        number
        for number, text in enumerate((ROOT / "tla/Binding.tla").read_text().splitlines(), 1)
        if text.startswith("BoundTo(")
    )
    section = page.split("\n## ")[1]
    assert section.startswith("bound_to\n")
    assert "TLA+:\n\n```text\nBoundTo(Pod, Node, Snapshot) ==\n  /\\ Pod \\in Pods(Snapshot)\n" in section
    assert f"`tla/Binding.tla, line {line}`" in section
    assert "def bound_to(" in section and '"""' not in section


def test_the_page_of_properties_has_every_name_with_its_broken_twin() -> None:
    assert set(site.twins()) == {*NAMES} - {SOUND}
    sections = re.findall(r"^## (\w+)\n\n.*\n\nBroken twin: .+$", site.properties(), re.MULTILINE)
    assert sections == [name for name in NAMES if name != SOUND]


def test_the_built_site_is_not_a_page_with_commands() -> None:
    assert not [page for page in outputs.PAGES if site.BUILD in page.parents]
    assert {page.name for page in outputs.PAGES} >= {"README.md", "tutorial.md", "limits.md"}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # deprecations between the packages of the site
@pytest.mark.skipif(
    find_spec("furo") is None or find_spec("myst_parser") is None, reason="the extra docs is not installed"
)
def test_make_site_builds_every_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With few pages of the reference; a link to a missing heading ends it with 1."""
    few = {name: text for name, text in site.sources().items() if "/spec/" not in name or name.endswith("/binding.md")}
    few["docs/reference/index.md"] = "# Definitions\n\n[binding](spec/binding.md)\n"
    monkeypatch.setattr(site, "BUILD", tmp_path / "docs" / "_build")
    monkeypatch.setattr(site, "ROOT", tmp_path)
    monkeypatch.setattr(site, "sources", lambda: few)
    assert site.main() == 0
    assert (tmp_path / "docs/_build/html/docs/reference/spec/binding.html").exists()
    few["docs/check.md"] += "\n[nowhere](check.md#nowhere)\n"
    assert site.main() == 1
    assert "nowhere" in capsys.readouterr().err
