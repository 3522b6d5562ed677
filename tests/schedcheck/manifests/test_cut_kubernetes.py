"""The cut of a cluster under kube-scheduler: verdicts, lengths and traces stay the same"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from schedcheck.checker.check import check
from schedcheck.checker.drawing.scenarios import scenarios
from schedcheck.checker.result import Bounds, Verdict
from schedcheck.checker.vectors.judge import CycleJudge
from schedcheck.manifests import cut_kubernetes
from schedcheck.manifests.cut import Key
from schedcheck.manifests.cut_kubernetes import _KubeClosure, cut
from schedcheck.model.scenario import Scenario
from schedcheck.spec.budgets import protects
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import (
    Controller,
    Pod,
    PodDisruptionBudget,
    Service,
    SpreadConstraint,
    Taint,
    Toleration,
)
from schedcheck.spec.selectors import selects
from schedcheck.spec.storage import ClaimSource, Ephemeral
from schedcheck.spec.values import Labels
from tests.support.building import apart, claiming, node, on_nodes, on_pods, pod, selector, term
from tests.support.building import scenario as built


def scenario(*things: Any, **fields: Any) -> Scenario:
    """A scenario under kube-scheduler."""
    return built(*things, profile="kubernetes", **fields)


def kept(whole: Scenario, asked: str = "asked") -> list[str]:
    """The names of the kept pods."""
    return [each.name for each in cut(whole, frozenset({("default", asked)})).pods]


POOLS = (node("a", 4, labels={"pool": "a", "zone": "z"}), node("b", 4, labels={"pool": "b", "zone": "z"}))

THIRD = node("c", 4, labels={"pool": "c", "zone": "z"})


def in_pool(name: str, pool: str, **fields: Any) -> Any:
    return pod(name, 1, node_selector={"pool": pool}, **fields)


def test_pods_that_share_no_node_are_left_out_and_every_node_stays() -> None:
    part = cut(scenario(in_pool("asked", "a"), in_pool("far", "b"), *POOLS), frozenset({("default", "asked")}))
    assert [each.name for each in part.pods] == ["asked"]
    assert [each.name for each in part.nodes] == ["a", "b"]
    assert part.cut == ("left out, as they cannot influence the answer: 1 pod",)


def test_a_higher_priority_pod_on_other_nodes_is_left_out() -> None:
    assert kept(scenario(in_pool("asked", "a"), in_pool("first", "b", priority=9), *POOLS)) == ["asked"]


def test_a_pod_whose_template_names_a_relevant_node_is_kept() -> None:
    owned: dict[str, Any] = {"owner": ("ReplicaSet", "web"), "template_node_name": "a"}
    running = frozenset({"owners"})
    pinned = scenario(
        in_pool("asked", "a"), in_pool("pinned", "b", **owned), *POOLS, absent="pinned", controllers=running
    )
    assert kept(pinned) == ["asked", "pinned"]
    elsewhere = in_pool("pinned", "a", **{**owned, "template_node_name": "b"})
    assert kept(scenario(in_pool("asked", "a"), elsewhere, *POOLS, absent="pinned", controllers=running)) == ["asked"]


def test_a_pod_nominated_to_a_relevant_node_is_kept() -> None:
    nominated = in_pool("far", "b", nominated_node_name="a", priority=9)
    assert kept(scenario(in_pool("asked", "a"), nominated, *POOLS)) == ["asked", "far"]


@pytest.mark.parametrize("namespace", ["default", "other"])
def test_pods_selected_by_a_term_are_kept_whatever_their_namespace(namespace: str) -> None:
    asked = in_pool("asked", "a", affinity=apart(term("zone", selector(app="db"))))
    db = in_pool("db", "b", on="b", labels={"app": "db"}, namespace=namespace)
    web = in_pool("web", "c", on="c", labels={"app": "web"})
    assert kept(scenario(asked, db, web, *POOLS, THIRD)) == ["asked", "db"]


def test_pods_of_a_namespace_with_spread_constraints_are_kept() -> None:
    spread = (SpreadConstraint(1, "zone", True, selector(app="x")),)
    whole = scenario(in_pool("asked", "a", spread=spread), in_pool("far", "b"), *POOLS)
    assert kept(whole) == ["asked", "far"]
    by_default = scenario(in_pool("asked", "a"), in_pool("far", "b"), *POOLS)
    service = Service("s", selector=Labels({"app": "x"}))
    assert kept(replace(by_default, services=(service,))) == ["asked", "far"]
    assert kept(replace(by_default, owners=(Controller("ReplicaSet", "r"),))) == ["asked", "far"]


def test_pods_with_volume_claims_are_kept_together() -> None:
    asked = claiming("data", name="asked", node_selector={"pool": "a"})
    far = claiming("other", name="far", node_selector={"pool": "b"})
    assert kept(scenario(asked, far, in_pool("plain", "c"), *POOLS, THIRD)) == ["asked", "far"]


def test_pods_of_one_budget_are_kept_together() -> None:
    budget = PodDisruptionBudget("b", selector=selector(app="x"), min_available=1)
    pods = [in_pool("asked", "a", labels={"app": "x"}), in_pool("far", "b", labels={"app": "x"}), in_pool("no", "c")]
    assert kept(scenario(*pods, *POOLS, THIRD, budgets=(budget,))) == ["asked", "far"]


def test_a_node_with_changing_labels_may_take_any_pod() -> None:
    changing = [on_nodes("label", "a", label_key="pool", label_values=("b",))]
    assert kept(scenario(in_pool("asked", "a"), in_pool("far", "b"), *POOLS, rules=changing)) == ["asked", "far"]


def test_a_node_whose_taint_a_controller_removes_may_take_a_pod() -> None:
    """The node is ready, so the lifecycle controller removes its not-ready taint."""
    tainted = node("n", 4, taints=(Taint("node.kubernetes.io/not-ready", "NoExecute"),))
    things = (pod("asked", 1), pod("other", 1), tainted)
    whole = scenario(*things, controllers=frozenset({"lifecycle"}))
    assert [each.name for each in cut(whole, frozenset({("default", "asked")})).pods] == ["asked", "other"]
    assert [each.name for each in cut(scenario(*things), frozenset({("default", "asked")})).pods] == ["asked"]


def test_for_a_pod_that_no_node_could_take_only_that_pod_is_kept() -> None:
    part = cut(scenario(in_pool("asked", "none"), in_pool("far", "b"), *POOLS), frozenset({("default", "asked")}))
    assert [each.name for each in part.pods] == ["asked"]
    assert part.cut == ("no node could hold the pod even when empty, so nothing else influences the answer",)


def test_under_kube_scheduler_many_bound_pods_are_not_merged() -> None:
    crowd = [pod(f"small-{number:02}", 1, on="n") for number in range(20)]
    every = " ".join(each.name for each in crowd)
    whole = scenario(*crowd, pod("asked", 1), node("n", 20), rules=[on_pods("complete", every)])
    part = cut(whole, frozenset({("default", "asked")}))
    assert (len(part.pods), part.rules) == (21, ())
    assert part.cut[-1].startswith("assumed to stay unless they are evicted: 20 bound pods; a violation that is found")


@pytest.mark.medium
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(scenarios())
def test_the_cut_changes_no_verdict(each: Scenario) -> None:
    asked = each.pods[0]
    for text in (f"pod_can_still_be_bound({asked})", f"never_evicted({asked})"):
        whole = replace(each, properties=(text,), faults=NO_FAULTS, constraints=(), profile="kubernetes")
        expected = check(whole, bounds=Bounds(max_states=800))
        if expected.result.verdict is Verdict.GAVE_UP:
            continue
        found = check(cut(whole, frozenset({asked.key})))
        assert found.result.verdict is expected.result.verdict, text
        if expected.result.violations:
            lengths = [len(one.result.violations[0].trace) for one in (expected, found)]
            assert lengths[0] == lengths[1], text


def related(closure: _KubeClosure, key: Key) -> set[Key]:
    """The pods that the closure relates to a pod, without itself."""
    return closure._near({key}) - {key}


def one_by_one(whole: Scenario, pod: Pod) -> set[Key]:
    """The other pods in a relation with a pod, each compared with it alone."""
    claim = ClaimSource | Ephemeral
    spread = {each.namespace for each in (*whole.services, *whole.owners)}
    spread |= {each.namespace for each in whole.pods if each.spread}

    def near(other: Pod) -> bool:
        spoken = any(
            selects(term.label_selector, each.labels, NO_FAULTS)
            for owner, each in ((pod, other), (other, pod))
            for term in owner.affinity.pod_terms
        )
        claiming = all(any(isinstance(each.source, claim) for each in one.volumes) for one in (pod, other))
        together = pod.namespace == other.namespace and pod.namespace in spread
        return spoken or together or claiming or any(protects(each, pod) and protects(each, other) for each in budgets)

    budgets = whole.budgets
    return {other.key for other in whole.pods if other.key != pod.key and near(other)}


def closed_alike(whole: Scenario) -> None:
    """Fail if nodes or related pods differ from those of the definitions and of a comparison one by one."""
    made = _KubeClosure(whole)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(cut_kubernetes, "prepared", lambda plugins: False)
        assert made.hosts == _KubeClosure(whole).hosts
    for each in whole.pods:
        assert related(made, each.key) == one_by_one(whole, each)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(scenarios())
def test_hosts_and_related_pods_equal_those_of_a_comparison_one_by_one(each: Scenario) -> None:
    closed_alike(replace(each, faults=NO_FAULTS, constraints=(), profile="kubernetes"))


VARIED = scenario(
    pod("a", 1, labels={"app": "a"}, affinity=apart(term(selected=selector(app="b")))),
    pod("b", 9, labels={"app": "b"}, node_selector={"pool": "a"}), pod("c", 1, labels={"app": "c"}, namespace="x"),
    pod("d", 1, labels={"app": "b"}, namespace="x", affinity=apart(term(selected=selector()))),
    claiming("v", name="e", namespace="y"), claiming("w", name="f", namespace="z"), pod("g", 1, namespace="w"),
    pod("h", 5, labels={"app": "c"}, namespace="z", tolerations=(Toleration("t", "Exists"),)),
    node("n", 4, labels={"pool": "a"}), node("m", 9, taints=(Taint("t", "NoSchedule"),)),
    budgets=(PodDisruptionBudget("p", "z", selector()), PodDisruptionBudget("q", "x", selector(app="b"))),
)  # fmt: skip


def test_pods_of_every_relation_are_found() -> None:
    closed_alike(VARIED)


def indexed_by_nothing(patched: pytest.MonkeyPatch) -> None:
    patched.setattr(cut_kubernetes, "demanded", lambda selector: [])


def in_any_namespace(patched: pytest.MonkeyPatch) -> None:
    chosen = _KubeClosure._selected
    patched.setattr(_KubeClosure, "_selected", lambda made, selector, namespace=None: chosen(made, selector))


def without_groups(patched: pytest.MonkeyPatch) -> None:
    patched.setattr(_KubeClosure, "_groups", lambda made: ())


def everywhere(patched: pytest.MonkeyPatch) -> None:
    patched.setattr(CycleJudge, "feasible", lambda made, pod, plugins: frozenset(made.there.names))


@pytest.mark.parametrize("twin", [indexed_by_nothing, in_any_namespace, without_groups, everywhere])
def test_a_broken_twin_of_the_closure_is_detected(
    twin: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    twin(monkeypatch)
    with pytest.raises(AssertionError):
        closed_alike(VARIED)
