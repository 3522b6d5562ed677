"""The wheel contains what the tree contains: the packages and the data behind the links of schedcheck/"""

import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("schedcheck", "spec", "model", "checker")
DATA = ("tla", "examples")
NOT_SOURCE = shutil.ignore_patterns(".*", "__pycache__", "build", "dist", "*.egg-info")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources, so that nothing of another build gets in, with a file of any name deep in each DATA."""
    copy = tmp_path_factory.mktemp("package") / "tree"
    shutil.copytree(ROOT, copy, symlinks=True, ignore=NOT_SOURCE)
    for folder in DATA:
        deep = copy / folder / "of" / "any"
        deep.mkdir(parents=True)
        (deep / "name").write_text("data\n")
    return copy


@pytest.fixture(scope="module")
def wheel(tree: Path) -> set[str]:
    """The names in the wheel built from the copy."""
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", "dist", "."]
    build = subprocess.run(command, cwd=tree, capture_output=True, text=True, check=False)
    assert build.returncode == 0, build.stdout + build.stderr
    (built,) = (tree / "dist").glob("*.whl")
    with ZipFile(built) as archive:
        return set(archive.namelist())


def names_in_wheel(tree: Path, folder: str, pattern: str) -> set[str]:
    """The names in a wheel of the files of `folder` matching `pattern`; hidden files and caches have none."""
    prefix = "" if folder == "schedcheck" else "schedcheck/"
    names = (path.relative_to(tree) for path in (tree / folder).rglob(pattern) if path.is_file())
    return {
        prefix + name.as_posix()
        for name in names
        if not any(part.startswith(".") or part == "__pycache__" for part in name.parts)
    }


@pytest.mark.parametrize("package", PACKAGES)
def test_every_module_is_in_the_wheel(tree: Path, wheel: set[str], package: str) -> None:
    modules = names_in_wheel(tree, package, "*.py")
    assert any(module.endswith("/__init__.py") for module in modules)
    assert modules - wheel == set()


@pytest.mark.parametrize("folder", DATA)
def test_every_data_file_is_in_the_wheel(tree: Path, wheel: set[str], folder: str) -> None:
    files = names_in_wheel(tree, folder, "*")
    assert f"schedcheck/{folder}/of/any/name" in files
    assert files - wheel == set()


def test_the_templates_of_pages_are_in_the_wheel(tree: Path, wheel: set[str]) -> None:
    templates = names_in_wheel(tree, "schedcheck", "templates/*")
    assert {Path(each).suffix for each in templates} == {".html", ".css", ".js"}
    assert templates - wheel == set()


def test_the_wheel_is_marked_as_typed(wheel: set[str]) -> None:
    assert "schedcheck/py.typed" in wheel


def test_the_wheel_has_no_other_top_level_name(wheel: set[str]) -> None:
    page = ".data/data/share/man/man1/schedcheck.1"
    others = [name for name in wheel if ".dist-info/" not in name and not name.endswith(page)]
    assert {name.split("/")[0] for name in others} == {"schedcheck"}
    assert any(name.endswith(page) for name in wheel)
