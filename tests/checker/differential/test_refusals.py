"""Each node whose refusal differs is reported, among many nodes with equal refusals"""

from dataclasses import replace

import pytest

from schedcheck.checker.differential import decisions
from schedcheck.checker.differential.decisions import concluded, difference
from schedcheck.checker.vectors.classes import Classes, combined
from schedcheck.model.production.cycle.conclusion import Conclusion
from schedcheck.model.production.framework.status import unschedulable
from schedcheck.spec.device_objects import ALL, Devices
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Taint
from tests.support.building import node, pod, snapshot
from tests.support.claiming import GPU, claim, gpus, using

TAINTED = frozenset({"n2", "n5"})
NODES = [
    replace(node(f"n{number}", 1), taints=(Taint("t", "NoSchedule"),) if f"n{number}" in TAINTED else ())
    for number in range(8)
]
ASKED = pod("p", 2)
THERE = snapshot(*NODES, ASKED)


def refused() -> Conclusion:
    made = concluded(ASKED, THERE, DEFAULT_PLUGINS)
    assert made.statuses is not None and made.hosts == ()
    return made


def differing(made: Conclusion) -> list[str]:
    found = difference(made, THERE, DEFAULT_PLUGINS)
    return [] if found is None else [name for name, _, _ in found.refusals]


def test_equal_refusals_are_no_difference() -> None:
    assert differing(refused()) == []


@pytest.mark.parametrize("wrong", [("n0",), ("n2",), ("n1", "n5"), ("n0", "n1", "n2", "n7")])
def test_every_node_with_another_refusal_is_reported(wrong: tuple[str, ...]) -> None:
    made = refused()
    assert made.statuses is not None
    for name in wrong:
        made.statuses.put(made.rows[name], unschedulable("no reason of any filter"))
    assert differing(made) == list(wrong)


def test_a_node_without_a_status_of_its_own_is_reported() -> None:
    made = refused()
    assert made.statuses is not None
    made.statuses.of_row = made.statuses.of_row[:-1]
    assert differing(made) == [max(made.rows, key=lambda name: made.rows[name])]


def test_a_comparison_that_merges_all_verdicts_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    def merged(columns: object, places: int) -> Classes:
        return combined((), places)

    monkeypatch.setattr(decisions, "combined", merged)
    with pytest.raises(AssertionError):
        test_every_node_with_another_refusal_is_reported(("n2",))


@pytest.mark.parametrize(("told", "agrees"), [("n1", True), ("n2", True), ("n3", False)])
def test_of_two_nodes_that_fail_either_may_be_told(told: str, agrees: bool) -> None:
    """kube-scheduler filters nodes in parallel, and the first error is told: findNodesThatPassFilters in schedule_one.go."""
    updated = tuple(replace(gpus(1, name, f"s-{name}"), slices=2, pool=name) for name in ("n1", "n2"))
    one = pod("p", 1, resource_claims=using("c", uid="p"))
    there = replace(
        snapshot(node("n1", 4), node("n2", 4)), devices=Devices(updated, (GPU,), (claim("c", mode=ALL),))
    )  # fmt: skip
    made = concluded(one, there, DEFAULT_PLUGINS)
    assert "resource pool gpu.example.com/n1 is currently being updated" in made.message
    found = difference(replace(made, message=made.message.replace("/n1 ", f"/{told} ")), there, DEFAULT_PLUGINS)
    assert (found is None) is agrees
