"""check --events: rounds, exit codes, the question about a pod, and what it cannot be combined with"""

import json
from pathlib import Path

import pytest

import schedcheck
from schedcheck.cli import main

ROOT = Path(__file__).parents[3]
STRANDED, DUMP, FAILURE = (str(ROOT / "examples" / name) for name in ("pod-stranded", "dump", "node-failure"))


def said(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    code = main([*argv, "--quiet"])
    out, err = capsys.readouterr()
    return code, out, err


def test_a_pod_that_an_outage_strands_does_not_recover_from_one_event(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "check", "--pod", "db-0", "--events", "2", STRANDED, "--format", "json")
    found = json.loads(out)
    assert code == 1
    assert [each["name"] for each in found["properties"]] == ["eventually_bound(db-0)"]
    assert [(each["events"], each["verdict"]) for each in found["byEvents"]["rounds"]] == [
        (0, "holds vacuously"),
        (1, "violated"),
    ]
    assert not found["byEvents"]["allSeen"]


@pytest.mark.medium
def test_a_pod_of_the_dump_recovers_from_two_completions(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "check", "--pod", "shop/payments-55cfd9b5bf-px74f", "--events", "2", DUMP)
    assert code == 0 and "at most 2 events in all" in " ".join(out.split())


def test_without_events_no_rounds_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = said(capsys, "check", STRANDED, "--format", "json")
    assert json.loads(out)["byEvents"] is None


def test_what_can_no_longer_happen_is_said_of_these_events_alone(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "check", FAILURE, "--events", "2")
    assert code == 1
    assert "From the last state of this trace it can no longer happen without more events." in " ".join(out.split())


def test_another_order_of_search_is_bounded_once(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(
        capsys, "check", FAILURE, "--events", "1", "--search", "walk", "--walks", "50", "--format", "json"
    )
    found = json.loads(out)
    assert code in (0, 2) and found["byEvents"] is None
    assert {"event": "any", "bound": 1} in found["scenario"]["events"]


@pytest.mark.parametrize(
    ("more", "line"),
    [
        (
            ("--checkpoint", "kept"),
            "--checkpoint: 'kept': keeps the levels of one exploration, and --events makes several",
        ),
        (("--events", "-1"), 'Invalid value "-1" for --events. Must be >= 0.'),
    ],
)
def test_what_events_cannot_be_combined_with_is_one_line(
    more: tuple[str, ...],
    line: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    argv = ("check", FAILURE, *(() if "--events" in more else ("--events", "1")), *more)
    code, out, err = said(capsys, *argv)
    assert (code, out) == (3, "")
    assert err.splitlines()[-1].startswith(f"schedcheck: {line}")


def test_a_negative_number_of_events_is_refused_in_python() -> None:
    with pytest.raises(schedcheck.InputError, match=r"search\.events: -1: expected 0 or more"):
        schedcheck.check(schedcheck.read(FAILURE), search=schedcheck.Search(events=-1))
