"""Pod garbage collection, one test for each guard; and the owners of pods that no kubelet will end"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from schedcheck.checker.check import check
from schedcheck.checker.result import Verdict
from schedcheck.model.pod_garbage_collection import OUT_OF_SERVICE, collectable
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Pod, Taint
from tests.model.controllers.test_controllers import after, controlled, texts
from tests.support.building import node, on_nodes, pod, scenario

AWAY = Taint(OUT_OF_SERVICE, "NoExecute")
KAFKA = ("StatefulSet", "kafka")
WEB = ("ReplicaSet", "web")


def test_a_pod_is_collected_if_and_only_if_its_node_is_gone() -> None:
    assert collectable(pod(on="gone"), None)
    assert not collectable(pod(on="n"), node("n"))


def test_a_pending_pod_is_collected_only_if_it_is_deleted() -> None:
    assert not collectable(pod(), None)
    assert collectable(pod(terminating=True), None)


@pytest.mark.parametrize("ready", ["False", "Unknown"])
def test_a_terminating_pod_on_an_out_of_service_node_is_collected_if_not_ready(ready: str) -> None:
    unwell = node("n", taints=(AWAY,), ready=ready)
    assert collectable(pod(on="n", terminating=True), unwell)
    assert not collectable(pod(on="n"), unwell)
    assert not collectable(pod(on="n", terminating=True), replace(unwell, ready="True"))
    assert not collectable(pod(on="n", terminating=True), replace(unwell, taints=()))


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
def test_an_ended_pod_is_not_collected(phase: str) -> None:
    assert not collectable(pod(on="gone", phase=phase), None)


def test_without_the_controller_a_pod_stays_bound_to_a_missing_node() -> None:
    lost = pod("a", on="gone")
    assert texts(controlled(lost, node("n"), controllers=["podgc"])) == ["Collect(a)"]
    assert texts(controlled(lost, node("n"), controllers=[])) == []


def test_a_collected_pod_is_removed_and_recreated_by_its_owner() -> None:
    given = controlled(pod("a", on="gone", owner=KAFKA), node("n"), controllers=["owners", "podgc"])
    machine, state = after(given, "Collect(a)")
    assert state.pods == (None,)
    assert [str(action) for action, _ in machine.steps(state)] == ["Create(a)"]


def unreachable(one: Pod, controllers: Iterable[str] = ("owners", "lifecycle", "kubelet", "podgc")) -> Scenario:
    """A pod without tolerations on the only node, which is unreachable and may be deleted."""
    unwell = replace(node("n", 4), ready="Unknown")
    return controlled(one, unwell, controllers=controllers, rules=[on_nodes("fail", "n", bound=1)])


def coverage(given: Scenario) -> dict[str, Any]:
    return check(replace(given, properties=("no_overcommit",))).result.coverage


def test_a_stateful_set_waits_until_its_pod_on_an_unreachable_node_is_gone() -> None:
    staying = replace(unreachable(pod("kafka-0", 1, on="n", owner=KAFKA)), rules=())
    assert (coverage(staying)["TaintEvict"], coverage(staying)["Create"], coverage(staying)["Replace"]) == (1, 0, 0)
    failing = coverage(unreachable(pod("kafka-0", 1, on="n", owner=KAFKA)))
    assert failing["Collect"] > 0 and failing["Create"] > 0 and failing["Replace"] == 0


@pytest.mark.parametrize("kind", ["ReplicaSet", "ReplicationController", "Job", "apps/v1beta2, Kind=ReplicaSet"])
def test_other_owners_replace_a_terminating_pod_on_an_unreachable_node(kind: str) -> None:
    ending = pod("web-1", 1, on="n", owner=(kind, "web"), terminating=True)
    given = replace(unreachable(ending), rules=())
    _, state = after(given, "Replace(web-1)")
    assert state.pods == (replace(ending, node_name="", terminating=False),)


@pytest.mark.parametrize("ready", ["True", "False"])
def test_a_pod_that_the_kubelet_will_end_is_not_replaced_earlier(ready: str) -> None:
    ending = pod("web-1", 1, on="n", owner=WEB, terminating=True)
    given = controlled(ending, replace(node("n", 4), ready=ready), controllers=["owners", "kubelet"])
    assert texts(given) == ["End(web-1)"]


def in_zones(*zones: str, **fields: Any) -> Scenario:
    """Two pods of a StatefulSet with mutual anti-affinity on the nodes a and b; a may fail."""
    from tests.support.building import apart, selector, term

    alone = {"labels": {"app": "kafka"}, "affinity": apart(term(selected=selector(app="kafka"))), "owner": KAFKA}
    pods = [pod(f"kafka-{number}", 1, on=on, **alone) for number, on in enumerate("ab")]
    nodes = [node(name, 4, labels={"kubernetes.io/hostname": name}) for name in zones]
    fields.setdefault("controllers", frozenset({"owners", "podgc"}))
    return scenario(
        *pods, *nodes, rules=[on_nodes("fail", "a", 1)], properties=("pod_can_still_be_bound(kafka-0)",), **fields
    )


def test_a_pod_with_anti_affinity_is_stranded_when_its_node_is_gone() -> None:
    result = check(in_zones("a", "b")).result
    assert result.verdict == Verdict.VIOLATED
    assert [str(stage.action) for stage in result.violations[0].trace[1:]] == [
        "Fail(a)", "Collect(kafka-0)", "Create(kafka-0)",
    ]  # fmt: skip


def test_a_pod_with_anti_affinity_is_rescheduled_if_there_is_another_node() -> None:
    result = check(in_zones("a", "b", "c")).result
    assert result.verdict == Verdict.HOLDS
    assert result.coverage["Bind"] > 0


@pytest.mark.parametrize("profile", ["corrected", "kubernetes", "classic"])
def test_both_explorers_collect_and_replace_pods_alike(profile: str) -> None:
    running = frozenset({"owners", "lifecycle", "kubelet", "podgc"})
    given = replace(in_zones("a", "b", profile=profile, controllers=running), properties=("no_overcommit",))
    unwell = tuple(replace(each, ready="Unknown", taints=(AWAY,)) for each in given.nodes)
    mixed = tuple(replace(each, owner=owner) for each, owner in zip(given.pods, (KAFKA, WEB), strict=True))
    for nodes in (given.nodes, unwell):
        each = replace(given, nodes=nodes, pods=mixed)
        direct, tables = (check(each, engine=engine).result for engine in ("direct", "tabulated"))
        assert (direct.distinct, direct.generated, direct.depth) == (tables.distinct, tables.generated, tables.depth)
        assert direct.coverage == tables.coverage
        assert direct.coverage["Collect"] > 0
