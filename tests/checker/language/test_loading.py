"""A module is loaded with the modules it extends and instantiates"""

from collections.abc import Mapping
from pathlib import Path

import pytest

from schedcheck.checker.language.syntax.errors import Misread
from schedcheck.checker.language.syntax.loading import Loaded, loaded


def written(folder: Path, modules: Mapping[str, str]) -> Path:
    """Write the modules to files of the folder and return the first."""
    folder.mkdir(exist_ok=True)
    for name, body in modules.items():
        (folder / f"{name}.tla").write_text(f"---- MODULE {name} ----\n{body}\n====\n", encoding="utf-8")
    return folder / f"{next(iter(modules))}.tla"


def found(loaded: Loaded) -> tuple[str, list[str], list[str]]:
    return loaded.root.name, sorted(loaded.modules), sorted(loaded.standard)


def refusal(path: Path, *libraries: Path) -> str:
    with pytest.raises(Misread) as refused:
        loaded(path, libraries)
    return str(refused.value)


def test_extended_and_instantiated_modules_are_loaded(tmp_path: Path) -> None:
    modules = {
        "A": "EXTENDS B, Naturals\nI == INSTANCE C WITH x <- 1\nx == LET J == INSTANCE D IN J!y",
        "B": "EXTENDS Integers, E",
        "C": "LOCAL INSTANCE Sequences\nINSTANCE E",
        "D": "y == 1",
        "E": "",
        "F": "",
    }
    assert found(loaded(written(tmp_path, modules))) == (
        "A",
        ["A", "B", "C", "D", "E"],
        ["Integers", "Naturals", "Sequences"],
    )


def test_a_file_beside_the_module_takes_precedence_over_a_library(tmp_path: Path) -> None:
    path = written(tmp_path / "own", {"A": "EXTENDS B, C", "B": "x == 1"})
    library = written(tmp_path / "library", {"B": "x == 2", "C": "x == 3"}).parent
    all_found = loaded(path, [library])
    bodies = [str(all_found.modules[name].definitions()[0].body) for name in "BC"]
    assert bodies == ["Number(value=1)", "Number(value=3)"]


def test_a_file_takes_precedence_over_a_standard_module_except_those_of_tlc(tmp_path: Path) -> None:
    modules = {"A": "EXTENDS Functions, Naturals, Folds", "Functions": "", "Naturals": ""}
    assert found(loaded(written(tmp_path, modules))) == ("A", ["A", "Functions"], ["Folds", "Naturals"])


def test_an_inner_module_needs_no_file(tmp_path: Path) -> None:
    inner = "---- MODULE Inner ----\nEXTENDS Naturals\n====\n"
    modules = {"A": "EXTENDS B\nI == INSTANCE Inner\nJ == INSTANCE Own\n---- MODULE Own ----\n====", "B": "EXTENDS C"}
    path = written(tmp_path, {**modules, "C": inner})
    assert found(loaded(path)) == ("A", ["A", "B", "C"], ["Naturals"])


def test_a_missing_module_is_refused_by_name(tmp_path: Path) -> None:
    path = written(tmp_path / "own", {"A": "EXTENDS B", "B": "\nI == INSTANCE Nowhere"})
    library = tmp_path / "library"
    assert refusal(path, library) == (
        f"B:3:1: no module Nowhere: no Nowhere.tla in {tmp_path / 'own'}, {library}, "
        "and it is no standard module known here"
    )


def test_a_cyclic_dependency_of_modules_is_refused_with_the_cycle(tmp_path: Path) -> None:
    path = written(tmp_path, {"A": "EXTENDS B", "B": "I == INSTANCE C", "C": "EXTENDS B"})
    assert refusal(path) in {
        "B:1:1: a module may not need itself: B needs C needs B",
        "C:1:1: a module may not need itself: C needs B needs C",
    }


def test_a_module_with_another_name_than_its_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "A.tla"
    path.write_text("---- MODULE B ----\n====\n", encoding="utf-8")
    assert refusal(path) == f"A:1:1: the file {path} holds module B: expected A"


def test_an_unreadable_file_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path / "A.tla") == f"cannot read {tmp_path / 'A.tla'}: No such file or directory"
    (tmp_path / "B.tla").write_bytes(b"ab\xff")
    assert refusal(tmp_path / "B.tla") == f"cannot read {tmp_path / 'B.tla'}: no UTF-8 at byte 2"


@pytest.mark.parametrize(
    ("body", "untranslated"),
    [
        ("(* --algorithm A begin skip; end algorithm; *)", True),
        ("(* --fair algorithm A begin skip; end algorithm; *)", True),
        ("(* --algorithm A begin skip; end algorithm; *)\n\\* BEGIN TRANSLATION\nx == 1\n\\* END TRANSLATION", False),
        ("x == 1", False),
    ],
)
def test_pluscal_without_a_translation_is_noticed(tmp_path: Path, body: str, untranslated: bool) -> None:
    assert loaded(written(tmp_path, {"A": body})).untranslated is untranslated
