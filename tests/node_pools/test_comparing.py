"""`make cluster-autoscaler` finds decisions that the model does not allow and those that were never seen, and says what it lacks"""

import gzip
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.node_pools import __main__ as comparing
from tests.node_pools import building
from tests.support.go_programs import CannotBuild

Json = dict[str, Any]
FEW = ["--recorded", "--count", "12"]

IDLE = """
import json, sys
for line in sys.stdin:
    print(json.dumps({"id": json.loads(line)["id"], "decisions": [{"down": []}]}))
"""

FAITHFUL = """
import gzip, json, sys
known = {each["id"]: each["decisions"] for each in map(json.loads, gzip.open(sys.argv[1]))}
for line in sys.stdin:
    asked = json.loads(line)
    told = known[asked["id"]]
    print(json.dumps({"id": asked["id"], "decisions": told if asked["times"] > 60 else told[-1:]}))
"""


def program(text: str, folder: Path) -> list[str]:
    """The arguments that let a program answer."""
    (folder / "program.py").write_text(text)
    return ["--witness", f"{sys.executable} {folder / 'program.py'} {comparing.RECORDED}"]


def test_an_autoscaler_that_never_decides_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    # No node is removed while a pool can grow, so that it is wrong to decide nothing; else much is left unseen.
    assert comparing.main([*FEW, *program(IDLE, tmp_path)]) == 1
    told = capsys.readouterr().out
    assert ": marks [()]: the model allows [" in told and "never seen: [" in told
    assert list((tmp_path / ".live").glob("cluster-autoscaler-*.json"))


def test_more_loops_run_where_less_was_seen_and_the_answers_are_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    run = [*FEW, *program(FAITHFUL, tmp_path), "--record", "told.gz"]
    assert comparing.main([*run, "--more", "60"]) == 0
    first = capsys.readouterr().out
    assert "12 clusters" in first and not first.endswith(" 0 unseen\n")
    assert comparing.main(run) == 0
    assert capsys.readouterr().out.endswith(" 0 differences, 0 unseen\n")
    told = [json.loads(line) for line in gzip.decompress((tmp_path / "told.gz").read_bytes()).splitlines()]
    known = [json.loads(line) for line in gzip.decompress(comparing.RECORDED.read_bytes()).splitlines()[:12]]
    assert told == [{**each, "decisions": comparing.ordered(each)} for each in known]


def test_a_program_that_ends_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert comparing.main([*FEW, *program("raise SystemExit('no')", tmp_path)]) == 3
    assert capsys.readouterr().err == f"make cluster-autoscaler: {comparing.recorded()[0]}: no\n"


@pytest.fixture
def unbuilt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which no program is built yet."""
    monkeypatch.setattr(building, "FOLDER", tmp_path / "built")
    monkeypatch.setattr(building, "MODFILE", tmp_path / "built" / "go.mod")
    monkeypatch.setattr(building, "up_to_date", lambda: False)
    return tmp_path


def checkout(folder: Path, version: str) -> Path:
    """A folder that looks like a checkout of the autoscaler's sources."""
    sources = folder / "autoscaler" / "cluster-autoscaler"
    (sources / "version").mkdir(parents=True)
    (sources / "go.mod").touch()
    (sources / "version" / "version.go").write_text(f'const ClusterAutoscalerVersion = "{version}"\n')
    return folder / "autoscaler"


@pytest.mark.usefixtures("unbuilt")
def test_without_sources_a_line_says_what_is_needed(capsys: pytest.CaptureFixture[str]) -> None:
    assert comparing.main([]) == 3
    told = capsys.readouterr().err
    assert told.startswith("make cluster-autoscaler: it needs SOURCES=DIRECTORY, a checkout of kubernetes/autoscaler")
    assert "cluster-autoscaler-1.34.5" in told and told.count("\n") == 1


def test_sources_of_another_version_are_refused(unbuilt: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert comparing.main(["--sources", str(checkout(unbuilt, "1.33.0"))]) == 3
    assert capsys.readouterr().err.endswith("autoscaler is not at the tag cluster-autoscaler-1.34.5\n")
    with pytest.raises(CannotBuild, match="is no checkout of kubernetes/autoscaler"):
        building.lay(unbuilt / "elsewhere")


def test_a_checkout_takes_the_place_of_the_module(
    unbuilt: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    sources = checkout(unbuilt, building.VERSION)
    assert comparing.main(["--sources", str(sources)]) == 3
    assert "there is no go on the path" in capsys.readouterr().err
    lines = building.MODFILE.read_text().splitlines()
    for name, place in (("", ""), ("/apis", "/apis")):
        assert f"replace {building.MODULE}{name} => {sources}/cluster-autoscaler{place}" in lines


def test_an_interrupt_while_it_is_built_ends_the_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(_: Path | None) -> Path:
        raise KeyboardInterrupt

    monkeypatch.setattr(comparing, "built", interrupted)
    assert comparing.main([]) == 2
    assert capsys.readouterr().err == "make cluster-autoscaler: interrupted while it was built\n"
