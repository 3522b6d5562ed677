"""A check that was made before in just this way is answered without the specification; anything else is prepared"""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from shutil import copytree
from typing import Any, cast

import pytest

from schedcheck.api.warm import timed
from schedcheck.commands import warm
from schedcheck.report.text import terminal

TINY = Path(__file__).parents[3] / "examples" / "reference-tiny"

ASKED = """
import sys
from schedcheck.cli import main
code = main()
print(code, *sorted({"numba", "rich", "cyclopts", "yaml", "schedcheck.spec", "schedcheck.model"} & set(sys.modules)), file=sys.stderr)
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a copy of an example, which is the working folder."""
    copytree(TINY, tmp_path / "files")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "files"


def asked(folder: Path, *options: str) -> tuple[str, str]:
    """The answer of a process without its time, and its exit code with what it imported."""
    environment = {**os.environ, "SCHEDCHECK_TABLES": str(folder / "tables")}
    made = subprocess.run(
        [sys.executable, "-c", ASKED, "check", *options, "files"],
        capture_output=True, text=True, cwd=folder, env=environment, check=True,
    )  # fmt: skip
    return re.sub(r"(Time +).*", r"\1", made.stdout), made.stderr.strip()


def test_the_second_check_of_the_same_files_imports_no_specification(files: Path) -> None:
    folder, options = files.parent, ("--no-symmetry", "--quiet")
    first, second = asked(folder, *options), asked(folder, *options)
    assert "2,112 distinct" in first[0] and "HOLDS" in first[0]
    assert second[0] == first[0]
    assert first[1] != second[1] == "0"
    nodes = files / "nodes.yaml"
    text = nodes.read_text()
    nodes.write_text(text.replace('cpu: "3"', 'cpu: "2"', 1))
    assert nodes.read_text() != text
    changed = asked(folder, *options)
    assert changed[1] != "0" and changed[0] != first[0], "another cluster is prepared"


def test_a_check_of_some_properties_is_kept_too(files: Path) -> None:
    folder, options = files.parent, ("--property", "no_overcommit", "--property=least_casualty", "--quiet")
    first, second = asked(folder, *options), asked(folder, *options)
    assert "no_overcommit" in first[0] and "least_casualty" in first[0] and "never_moved" not in first[0]
    assert second[0] == first[0]
    assert first[1] != second[1] == "0"
    other = asked(folder, "--property", "never_moved", "--quiet")
    assert other[1] != "0" and "never_moved" in other[0], "another property is prepared"


TWICE = """
import sys
from schedcheck.cli import main
sys.argv = ["schedcheck", "check", "--quiet", "files"]
main()
main(["check", "--quiet", "--engine", "tabulated", "other"])
"""


def test_a_second_check_in_one_process_is_not_kept_as_the_first(files: Path) -> None:
    copytree(files, files.parent / "other")
    nodes = files.parent / "other" / "nodes.yaml"
    nodes.write_text(nodes.read_text().replace('cpu: "3"', 'cpu: "2"', 1))
    environment = {**os.environ, "SCHEDCHECK_TABLES": str(files.parent / "tables")}
    subprocess.run([sys.executable, "-c", TWICE], cwd=files.parent, env=environment, check=True, capture_output=True)
    assert "2,112 distinct" in asked(files.parent, "--quiet", "--no-symmetry")[0]
    assert asked(files.parent, "--quiet")[0] == asked(files.parent, "--quiet", "--no-config")[0]


def test_the_size_of_any_terminal_is_part_of_the_name(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: dict[int, os.terminal_size] = {}

    def size(stream: int) -> os.terminal_size:
        if stream not in sizes:
            raise OSError
        return sizes[stream]

    monkeypatch.setattr(os, "get_terminal_size", size)
    names = [warm.named(["check", str(files)])]
    for stream, columns in ((0, 60), (0, 80), (2, 60)):
        sizes[stream] = os.terminal_size((columns, 24))
        names.append(warm.named(["check", str(files)]))
    assert len(set(names)) == 4 and "" not in names


CHANGES: dict[str, Callable[[Path, pytest.MonkeyPatch], object]] = {
    "a byte of a file": lambda files, _: (files / "scenario.yaml").write_text(
        (files / "scenario.yaml").read_text().replace("a", "b", 1)
    ),
    "another file": lambda files, _: (files / "more.yaml").write_text(""),
    "another name": lambda files, _: (files / "scenario.yaml").rename(files / "scenario2.yaml"),
    "the environment": lambda _, change: change.setenv("KUBE_MAX_PD_VOLS", "1"),
    "a file of defaults": lambda files, _: (files.parent / "schedcheck.toml").write_text("[check]\nquiet = true\n"),
    "a shared file of defaults": lambda files, _: (files.parent / "pyproject.toml").write_text(""),
    "the working folder": lambda files, change: change.chdir(files),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_check_has_another_name_after_a_change(what: str, files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    argv = ["check", "--quiet", str(files)]
    before = warm.named(argv)
    assert before and warm.named(argv) == before
    CHANGES[what](files, monkeypatch)
    assert warm.named(argv) not in ("", before)


def test_a_changed_source_gives_another_name_although_its_size_and_time_stay(
    files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = files.parent / "package" / "spec" / "definition.py"
    source.parent.mkdir(parents=True)
    source.write_text("HOLDS = 1")
    monkeypatch.setattr(warm, "ROOT", files.parent / "package")
    before, status = warm.named(["check", str(files)]), source.stat()
    source.write_text("HOLDS = 0")
    os.utime(source, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert source.stat().st_mtime_ns == status.st_mtime_ns and source.stat().st_size == status.st_size
    assert warm.named(["check", str(files)]) not in ("", before)


def test_options_and_their_order_are_part_of_the_name(files: Path) -> None:
    path = str(files)
    asked = [["check", path], ["check", "--quiet", path], ["check", "--no-symmetry", path], ["check", path, "--quiet"]]
    asked += [["check", "--property", "no_overcommit", path], ["check", "--property=no_overcommit", path]]
    asked += [["check", "--property", "type_correct", path]]
    names = {warm.named(each) for each in asked}
    assert len(names) == 7 and "" not in names


def test_what_is_not_only_options_and_plain_files_has_no_name(files: Path) -> None:
    path = str(files)
    for argv in (
        [],
        ["check"],
        ["explain", path],
        ["check", "--time", "3", path],
        ["check", "--property", path],
        ["check", "-"],
        ["check", "absent"],
    ):
        assert warm.named(argv) == "", argv
    (files / "link.yaml").symlink_to(files / "scenario.yaml")
    assert warm.named(["check", path]) == ""
    (files / "link.yaml").unlink()
    (files / "linked").symlink_to(files.parent)
    assert warm.named(["check", path]) == ""
    (files / "linked").unlink()
    os.mkfifo(files / "pipe.yaml")
    assert warm.named(["check", path]) == ""


def test_a_check_that_told_a_note_or_whose_files_changed_is_not_kept(
    files: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    names: list[str] = []
    monkeypatch.setattr("schedcheck.api.warm.keep", lambda name, *of: names.append(name))
    monkeypatch.setattr(terminal._Passing, "told", False)
    argv, found = ["check", str(files)], cast(Any, None)
    monkeypatch.setattr(warm._Process, "argv", argv)
    monkeypatch.setattr(warm._Process, "name", warm.named(argv))
    warm.keep(found, terminal.output())
    assert names == [warm.named(argv)]
    (files / "more.yaml").write_text("")
    warm.keep(found, terminal.output())
    assert len(names) == 1
    (files / "more.yaml").unlink()
    terminal.tell("note: something is not read")
    warm.keep(found, terminal.output())
    assert len(names) == 1
    assert "not read" in capsys.readouterr().err


def test_a_speed_is_replaced_where_its_line_stays_one_line() -> None:
    text = "Depth  2\nTime   1.00 s, over tables\n"
    assert timed(text, 40, "1.00 s", "11.00 s") == "Depth  2\nTime   11.00 s, over tables\n"
    assert timed(text, 27, "1.00 s", "11.00 s") is None
