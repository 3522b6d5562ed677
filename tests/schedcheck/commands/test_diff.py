"""`schedcheck diff`: its output and its exit codes"""

import json
from pathlib import Path

import pytest

from schedcheck.cli import main
from schedcheck.model.production.preemption import evaluator
from tests.schedcheck.commands.test_victims import node, pod, written

EXAMPLES = Path(__file__).parents[3] / "examples"


def said(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert main(["diff", *arguments]) == code
    return capsys.readouterr().out


def test_pods_on_which_both_agree_are_listed_with_the_decision(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    cluster = written(
        tmp_path, node("n1", "2"), pod("fits", "1", 0), pod("too-large", "3", 0), pod("runs", "1", 0, "n1")
    )
    assert said(capsys, cluster) == (
        "fits: agree\n"
        "  both           Bind(fits, n1)\n"
        "too-large: agree\n"
        "  both           Wait(too-large): 0/1 nodes are available: 1 Insufficient cpu."
        " preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.\n"
        "2 pending pods compared, 0 differing\n"
    )


def test_a_difference_exits_with_1(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster = written(tmp_path, node("n1", "1"), node("n2", "2"), *(pod(f"low-{n}", "1", n, f"n{n}") for n in (1, 2)),
                      pod("more", "1", 3, "n2"), pod("p", "1", 9))  # fmt: skip
    assert "p: agree" in said(capsys, cluster)
    best = evaluator.best
    monkeypatch.setattr(evaluator, "best", lambda kept: tuple(sorted(set(kept) - {best(kept)[-1]})))
    text = said(capsys, cluster, code=1)
    assert "p: DIFFER\n" in text and text.endswith("1 pending pod compared, 1 differing\n")
    (found,) = json.loads(said(capsys, cluster, "--format", "json", code=1))["differences"]
    assert found["excusedBy"] == [] and found["production"] != found["specification"]


def test_a_documented_divergence_is_excused(capsys: pytest.CaptureFixture[str]) -> None:
    case = str(EXAMPLES / "divergences" / "skipped-sees-no-nominated")
    assert said(capsys, case).endswith("2 pending pods compared, 0 differing\n")
    documented = ("--profile", "kubernetes-documented", case)
    assert said(capsys, *documented).endswith("0 differing, 1 excused by skipped-sees-no-nominated\n")


def test_pods_with_volumes_are_compared_and_resource_claims_are_unknown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = said(capsys, str(EXAMPLES / "volumes"), code=2)
    assert text.count(": agree\n") == 4 and "4 pending pods compared, 0 differing, 1 unknown\n" in text
    assert "ledger-1" in text and "trainer: unknown: resource claims are not modelled\n" in text
