"""Priorities: which pods may evict which, and which may starve"""

from pathlib import Path
from typing import Any

import pytest

from schedcheck.findings.priorities import EVICTS, STARVES
from schedcheck.spec.decisions import Nominate
from schedcheck.spec.kubernetes.control_loop import decision
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from tests.support.building import node, pod, snapshot
from tests.support.linting import Manifest, host, linted, waiting


def priority(name: str, value: int, **more: Any) -> Manifest:
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": name},
        "value": value,
        **more,
    }


def told(folder: Path, *manifests: Manifest) -> list[tuple[str, str, str]]:
    found = linted(folder, *manifests, host("a", "9")).findings
    return [(each.rule, each.thing.name, each.sentence) for each in found]


LOW, HIGH = waiting("low", priorityClassName="low"), waiting("high", priorityClassName="high")


def test_a_higher_class_evicts_and_starves_a_lower_one(tmp_path: Path) -> None:
    classes = priority("low", 1), priority("high", 10)
    (starves, evicts) = told(tmp_path, *classes, LOW, HIGH)
    assert starves[:2] == (STARVES, "low")
    assert evicts == (
        EVICTS,
        "high",
        "Its 1 pod of priority 10 may evict any of 1 pod of lower priority: 1 of low (1).",
    )


def test_a_class_that_never_preempts_starves_but_evicts_nothing(tmp_path: Path) -> None:
    classes = priority("low", 1), priority("high", 10, preemptionPolicy="Never")
    (only,) = told(tmp_path, *classes, LOW, HIGH)
    assert only[:2] == (STARVES, "low")
    assert "those of high (10) go first without evicting any" in only[2]


def test_pods_of_one_priority_are_no_finding(tmp_path: Path) -> None:
    assert told(tmp_path, priority("low", 1), LOW, waiting("q", priorityClassName="low")) == []


@pytest.mark.parametrize(("high", "policy"), [(10, "PreemptLowerPriority"), (10, "Never"), (1, "PreemptLowerPriority")])
def test_the_specification_evicts_exactly_where_a_finding_says_so(high: int, policy: str, tmp_path: Path) -> None:
    one = pod("high", 1, priority=high, preemption_policy=policy)
    there = snapshot(node("a", 1), pod("low", 1, on="a", priority=1), one)
    evicting = any(isinstance(each, Nominate) for each in decision(one, there, DEFAULT_PLUGINS))
    classes = priority("low", 1), *((priority("high", high, preemptionPolicy=policy),) if high > 1 else ())
    second = HIGH if high > 1 else waiting("high", priorityClassName="low")
    assert (EVICTS in [rule for rule, _, _ in told(tmp_path, *classes, LOW, second)]) == evicting
