"""`explain` says all that is allowed where the order of disruption budgets decides, or that not all of it is known"""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

import schedcheck
from schedcheck.cli import main
from schedcheck.spec.kubernetes.preemption import disruption

BOTH = {"app": "a", "tier": "front"}
"""On node m1, whether one or two evictions violate a budget depends on which budget is listed first."""


def item(kind: str, name: str, spec: dict[str, Any], **fields: Any) -> dict[str, Any]:
    version = "policy/v1" if kind == "PodDisruptionBudget" else "v1"
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, **fields}, "spec": spec}


def pod(name: str, cpu: int, priority: int, **more: Any) -> dict[str, Any]:
    labels = more.pop("labels", {})
    container = {"name": "main", "resources": {"requests": {"cpu": str(cpu)}}}
    return item("Pod", name, {"containers": [container], "priority": priority, **more}, labels=labels)


def budget(name: str, allowed: int, **labels: str) -> dict[str, Any]:
    made = item("PodDisruptionBudget", name, {"selector": {"matchLabels": labels}})
    return {**made, "status": {"disruptionsAllowed": allowed}}


@pytest.fixture
def case(tmp_path: Path) -> str:
    status = {"allocatable": {"cpu": "2", "pods": "9"}}
    objects = [
        *({**item("Node", name, {}), "status": status} for name in ("m1", "n1")),
        pod("first", 1, 1, nodeName="m1", labels=BOTH),
        pod("second", 1, 1, nodeName="m1", labels={"tier": "front"}),
        pod("third", 1, 2, nodeName="n1", labels=BOTH),
        pod("pending", 2, 9),
        budget("app", 0, app="a"),
        budget("front", 1, tier="front"),
    ]
    file = tmp_path / "cluster.yaml"
    file.write_text(yaml.safe_dump_all(objects))
    return str(file)


def explained(case: str, capsys: pytest.CaptureFixture[str]) -> tuple[str, dict[str, Any]]:
    """Return the text in one line, and the JSON."""
    main(["explain", "pending", case])
    text = " ".join(capsys.readouterr().out.split())
    main(["explain", "pending", case, "--format", "json"])
    answer: dict[str, Any] = json.loads(capsys.readouterr().out)
    return text, answer


def test_every_text_of_the_event_and_every_choice_is_said(case: str, capsys: pytest.CaptureFixture[str]) -> None:
    text, answer = explained(case, capsys)
    preemption = answer["preemption"]
    assert [(each["node"], len(each["victims"])) for each in preemption["allowed"]] == [("m1", 2), ("n1", 1)]
    ends = ["pod on node m1, preempting 2 victims", "pod on node n1, preempting 1 victims"]
    assert [each[each.index("pod on node") :] for each in preemption["events"]] == ends
    assert preemption["event"] == preemption["events"][0]
    assert preemption["allAllowed"] is True
    assert all(end in text for end in ends)
    assert text.count("least in some order") == 2


def test_too_many_orders_of_budgets_are_said_in_text_and_json(
    case: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(disruption, "MOST_LISTED", 1)
    text, answer = explained(case, capsys)
    assert answer["preemption"]["allAllowed"] is False
    assert answer["decisions"] is None
    assert "not all such choices were tried" in text
    assert "in one of several ways. One of these may be chosen" in text
    found = schedcheck.judge(schedcheck.read(case), "pending", {"kind": "nominate", "node": "m1"})
    assert found.verdict == "unknown"
    assert "the order of disruption budgets" in found.reasons[0]


def test_twelve_budgets_over_the_same_pods_are_no_hindrance(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """479,001,600 orders, all of which say the same."""
    status = {"allocatable": {"cpu": "2", "pods": "9"}}
    budgets = [budget(f"b{number}", 0, app="a") for number in range(12)]
    objects = [
        {**item("Node", "m1", {}), "status": status},
        pod("one", 2, 1, nodeName="m1", labels=BOTH),
        pod("pending", 2, 9),
    ]
    file = tmp_path / "twelve.yaml"
    file.write_text(yaml.safe_dump_all([*objects, *budgets]))
    _, answer = explained(str(file), capsys)
    assert [each["text"] for each in answer["decisions"]] == ["Nominate(pending, m1, {one})"]
    assert [each["violations"] for each in answer["preemption"]["candidates"]] == [1]
