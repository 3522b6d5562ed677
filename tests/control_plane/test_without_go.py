"""What of the control plane can be tested without its servers"""

import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from schedcheck.manifests.identities import GROUPS
from schedcheck.manifests.traces.audit import KINDS
from tests.control_plane import crowd
from tests.control_plane.__main__ import main
from tests.control_plane.building import ROOT, SOURCES, VERSION
from tests.control_plane.plane import ALIVE, HERE
from tests.control_plane.programs import Ended, Program

Json = dict[str, Any]


def test_without_go_the_run_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tests.control_plane.building.up_to_date", lambda: False)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert main([]) == 3
    assert "there is no go on the path" in capsys.readouterr().err


def test_the_audit_log_has_every_kind_that_replay_reads() -> None:
    policy = yaml.safe_load((HERE / "audit.yaml").read_text())
    logged = {(rule["group"], name) for rule in policy["rules"][0]["resources"] for name in rule["resources"]}
    read = {(GROUPS[kind], resource) for resource, kind in KINDS.items()}
    calls = {("", f"pods/{each}") for each in ("binding", "eviction", "status")}
    assert read | calls <= logged
    assert policy["rules"][0]["level"] == "RequestResponse"
    assert policy["rules"][1] == {"level": "None"}


def test_the_modules_are_those_of_the_version() -> None:
    text = (SOURCES / "go.mod").read_text()
    staging = VERSION.replace("1.", "0.", 1)
    assert f"k8s.io/kubernetes v{VERSION}" in text
    replaced = re.findall(r"=> (k8s\.io/\S+) v(\S+)", text)
    assert len(replaced) > 25
    assert {version for _, version in replaced} == {staging}


def test_a_label_tells_kwok_which_nodes_are_alive() -> None:
    drawn = list(crowd.nodes(Random(1), 5))
    assert all(ALIVE.items() <= each["metadata"]["labels"].items() for each in drawn)


def drawn(seed: int) -> list[Json]:
    given = Random(seed)
    waves = [
        each
        for wave in range(crowd.WAVES)
        for each in (*crowd.single_pods(given, wave, 10), *crowd.workloads(given, wave, 90))
    ]
    return [*crowd.nodes(given, 20), *waves]


def test_the_same_seed_draws_the_same_run() -> None:
    assert drawn(3) == drawn(3)
    assert drawn(3) != drawn(4)


def test_a_run_has_as_many_pods_as_it_is_given() -> None:
    made = [each for each in drawn(5) if each["kind"] in ("Pod", "ReplicaSet")]
    assert sum(each["spec"].get("replicas", 1) for each in made) == 100 * crowd.WAVES


LASTING = (
    "import sys, signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('here', flush=True)\nsys.stdin.read()"
)


def test_a_program_that_ignores_the_signal_is_ended_by_force(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tests.control_plane.programs.PATIENCE", 0.2)
    program = Program("lasting", [sys.executable, "-c", LASTING], tmp_path)
    program.wait_until(lambda: "here" in program.last_lines())
    program.end()
    assert program.process.returncode == -9


def test_a_program_that_ends_too_early_says_its_last_words(tmp_path: Path) -> None:
    program = Program("early", [sys.executable, "-c", "raise SystemExit('no room')"], tmp_path)
    with pytest.raises(Ended, match=r"early ended with status 1:\nno room"):
        program.wait_until(lambda: False)
    program.end()


def test_a_program_that_is_never_ready_is_reported(tmp_path: Path) -> None:
    program = Program("slow", [sys.executable, "-c", "import sys; sys.stdin.read()"], tmp_path)
    with pytest.raises(Ended, match="slow is not ready after 0 s"):
        program.wait_until(lambda: False, 0.2)
    program.end()


def test_a_program_ends_if_the_one_that_started_it_is_killed(tmp_path: Path) -> None:
    """The signal is not needed: the standard input of the program ends."""
    inner = "import sys; sys.stdin.read(); open(sys.argv[1], 'w')"
    outer_text = (
        "import sys, time\nfrom pathlib import Path\nfrom tests.control_plane.programs import Program\n"
        "Program('inner', [sys.executable, '-c', *sys.argv[1:]], Path(sys.argv[2]).parent)\n"
        "print('started', flush=True)\ntime.sleep(60)"
    )
    command = [sys.executable, "-c", outer_text, inner, str(tmp_path / "ended")]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as outer:
        assert outer.stdout is not None
        assert outer.stdout.readline() == "started\n"
        outer.kill()
    limit = time.monotonic() + 30
    while not (tmp_path / "ended").exists():
        assert time.monotonic() < limit
        time.sleep(0.05)
