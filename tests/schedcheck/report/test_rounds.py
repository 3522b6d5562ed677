"""A behaviour that goes round is told by who takes each step of the round"""

from pathlib import Path

import pytest

import schedcheck
from schedcheck import read

EXAMPLES = Path(__file__).parents[3] / "examples"

DUPLICATES = [
    "scheduler binds web-2 to node-1",
    "descheduler RemoveDuplicates wants to evict web-2 from node-1",
    "descheduler evicts web-2 from node-1",
    "ReplicaSet web creates web-2 again",
]
TOLERATION = [
    "scheduler binds nginx-1 to node-1",
    "taint eviction deletes nginx-1 from node-1, whose NoExecute taint it does not tolerate for good",
    "kubelet ends nginx-1",
    "ReplicaSet nginx creates nginx-1 again",
]

OSCILLATION = [
    "autoscaler begins to drain a-1",
    "scheduler binds web-2 to a-2",
    "autoscaler evicts web-1 from a-1",
    "ReplicaSet web creates web-1 again",
    "autoscaler adds a-3",
    "autoscaler removes a-1",
    "autoscaler begins to drain a-2",
    "autoscaler evicts web-2 from a-2",
    "ReplicaSet web creates web-2 again",
    "autoscaler adds a-1",
    "autoscaler removes a-2",
    "autoscaler begins to drain a-3",
    "autoscaler adds a-2",
    "autoscaler removes a-3",
    "scheduler binds web-1 to a-1",
]


@pytest.mark.parametrize(
    ("example", "told"),
    [("descheduler-duplicates", DUPLICATES), ("toleration-seconds", TOLERATION), ("node-pools-oscillate", OSCILLATION)],
)
def test_a_round_says_who_does_what(example: str, told: list[str]) -> None:
    found = schedcheck.check(read(EXAMPLES / example)).to_json()
    (first, *_) = [each for each in found["violations"] if each["property"] == "comes_to_rest"]
    assert [f"{each['who']} {each['does']}" for each in first["round"]] == told
    assert [each["step"] for each in first["round"]] == list(range(first["loop"] + 1, len(first["trace"])))


def test_a_behaviour_that_stays_in_a_state_has_no_round() -> None:
    found = schedcheck.check(read(EXAMPLES / "two-constraints")).to_json()
    assert [(each["loop"], each["round"]) for each in found["violations"]] == [(5, [])]


def test_a_policy_and_a_scheduler_that_go_round_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    from schedcheck.cli import main

    assert main(["check", str(EXAMPLES / "descheduler-duplicates")]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "this configuration of the scheduler never come to rest: web-2 on node-1." in said
    assert main(["check", str(EXAMPLES / "toleration-seconds")]) == 1
    assert "never come to rest" not in capsys.readouterr().out
