"""The command simulate: exit codes, texts, messages, and an answer that depends on its seed alone"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from schedcheck.checker.machines import cluster
from schedcheck.cli import main
from schedcheck.model.production.plugins.node_resources_fit import NodeResourcesFit
from schedcheck.report.text.simulation import bars, seconds

ROOT = Path(__file__).parents[3]
CLUSTER, TIMELINE = (str(ROOT / "examples/simulate" / name) for name in ("cluster.yaml", "timeline.yaml"))


def said(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    code = main(["simulate", *argv])
    out, err = capsys.readouterr()
    return code, out, err


def test_pending_pods_are_bound_and_nothing_else_happens(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, CLUSTER, "--runs", "2")
    assert code == 0
    assert "a sample, which proves nothing" in " ".join(out.split())
    assert "holds" not in out.lower()
    assert "all allowed by the specification" in " ".join(out.split())
    assert "Evictions  none" in out


def test_a_run_is_told_step_by_step_and_is_one_of_the_runs(capsys: pytest.CaptureFixture[str]) -> None:
    many = json.loads(said(capsys, CLUSTER, "--events", TIMELINE, "--runs", "3", "--format", "json")[1])
    one = json.loads(said(capsys, CLUSTER, "--events", TIMELINE, "--run", "1", "--format", "json")[1])
    assert one["runs"][0] | {"story": []} == many["runs"][1]
    steps = [each["text"] for each in one["runs"][0]["story"]]
    assert "Scale: Deployment web to 6" in steps
    code, out, _ = said(capsys, CLUSTER, "--events", TIMELINE, "--run", "1")
    assert code == 0 and "Seconds  Step" in out and "Bind(web-0, n" in out


@pytest.mark.medium
def test_the_answer_depends_on_the_seed_alone() -> None:
    def answer(hashes: str, seed: str, cores: str) -> str:
        argv = [sys.executable, "-m", "schedcheck", "simulate", CLUSTER, "--events", TIMELINE, "--format", "json"]
        made = subprocess.run(
            [*argv, "--runs", "2", "--seed", seed, "--cores", cores],
            env={**os.environ, "PYTHONHASHSEED": hashes},
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
        )
        return made.stdout

    first = answer("1", "7", "1")
    assert first == answer("2", "7", "2") != answer("1", "8", "1")


def test_a_decision_that_is_not_allowed_is_a_finding(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = NodeResourcesFit.score
    monkeypatch.setattr(NodeResourcesFit, "score", lambda *given: 100 - whole(*given))
    code, out, _ = said(capsys, CLUSTER, "--judge", "100", "--runs", "1", "--events", str(_arrival(ROOT)))
    assert code == 1 and "NOT ALLOWED: decision" in out


def _arrival(root: Path) -> Path:
    return root / "tests/data/simulate/arrival.yaml"


@pytest.mark.medium
def test_a_limit_of_time_ends_the_runs_and_what_they_came_to_is_reported(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    timeline = tmp_path / "timeline.yaml"
    event = "{every: 10ms, event: arrive, file: " + str(ROOT / "examples/simulate/batch.yaml") + ", runs: 10s}"
    timeline.write_text(f"apiVersion: schedcheck/v1alpha1\nkind: Timeline\nspec:\n  events: [{event}]\n")
    limits = ("--until", "100h", "--time", "3", "--judge", "0")
    for runs in ("1", "3"):
        code, out, _ = said(capsys, CLUSTER, "--events", str(timeline), *limits, "--runs", runs)
        assert code == 2 and "STOPPED (--time 3)" in out and "Job batch" in out


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ((CLUSTER, "--events", CLUSTER), "expected no more than one timeline"),
        ((CLUSTER, "--until", "soon"), "--until: 'soon': expected a duration, such as 30m or 1h"),
        ((CLUSTER, "--events", str(ROOT / "examples/simulate/batch.yaml")), "expected Timeline"),
        ((CLUSTER, "--config", str(ROOT / "examples/extender/configuration.yaml")), "without extenders"),
        ((CLUSTER, "--runs", "0"), "--runs"),
    ],
)
def test_a_mistake_is_one_line(capsys: pytest.CaptureFixture[str], argv: tuple[str, ...], message: str) -> None:
    code, _, err = said(capsys, *argv)
    assert code == 3 and message in err and "Traceback" not in err


def test_durations_and_bars_are_short() -> None:
    times = (0, 0.0123, 1, 12.34, 59.96, 60, 3725, 7200)
    assert [seconds(each) for each in times] == ["0s", "12ms", "1s", "12.3s", "1m", "1m", "1h2m5s", "2h"]
    assert bars([0.0, 0.5, 1.0, None]) == "▁▅█ "
    assert len(bars([0.1] * 61)) == 21


def test_a_limit_before_any_run_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    module = sys.modules["schedcheck.api.simulate"]
    monkeypatch.setattr(module, "simulated", lambda *_: ((), "--time 0.4"))
    assert main(["simulate", CLUSTER]) == 2
    out, err = capsys.readouterr()
    assert (out, err.splitlines()[-1]) == ("", "schedcheck: gave up at --time 0.4")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--address", "auto"), '--address: belongs to the engine "ray"'),
        (("--engine", "ray", "--address", "ray://head:1"), "--address: 'ray://head:1': expected HOST:PORT or auto"),
        (("--engine", "ray", "--address", "127.0.0.1:1"), "no Ray cluster at 127.0.0.1:1: Connection refused"),
    ],
)
def test_machines_that_cannot_be_used_are_one_line(
    options: tuple[str, ...], told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cluster, "find_spec", lambda name: name)
    code, out, err = said(capsys, CLUSTER, *options)
    assert (code, out) == (3, "")
    assert err.splitlines()[-1] == f"schedcheck: {told}"
