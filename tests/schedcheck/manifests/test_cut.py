"""The cut of a cluster to the part that influences an answer: no answer changes, and the assumptions are stated"""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings

from schedcheck.checker.check import check
from schedcheck.checker.drawing.scenarios import scenarios
from schedcheck.checker.result import Bounds, Verdict
from schedcheck.manifests import cut as module
from schedcheck.manifests.cut import cut
from schedcheck.model.scenario import Scenario
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Snapshot, Taint
from schedcheck.spec.requests import used
from schedcheck.spec.terms import Requirement
from tests.support.building import apart, node, on_nodes, on_pods, pod, scenario, selector, term


def names(given: Scenario) -> tuple[list[str], list[str]]:
    """The names of the pods and of the nodes of a scenario."""
    return [each.name for each in given.pods], [each.name for each in given.nodes]


def keys(text: str) -> frozenset[tuple[str, str]]:
    """Keys of pods in the namespace default."""
    return frozenset(("default", name) for name in text.split())


def test_a_pool_that_cannot_host_the_pod_or_its_rivals_is_left_out() -> None:
    whole = scenario(
        pod("asked", 1, node_selector={"pool": "a"}),
        pod("rival", 1, node_selector={"pool": "a"}),
        pod("there", 1, on="a", node_selector={"pool": "a"}),
        pod("elsewhere", 1, node_selector={"pool": "b"}),
        pod("far", 1, on="b", node_selector={"pool": "b"}),
        node("a", 4, labels={"pool": "a"}),
        node("b", 4, labels={"pool": "b"}),
    )
    part = cut(whole, keys("asked"))
    assert names(part) == (["asked", "rival", "there"], ["a"])
    assert part.cut == ("left out, as they cannot influence the answer: 2 pods and 1 node",)


def test_a_pod_whose_template_names_a_node_can_only_come_to_that_node() -> None:
    whole = scenario(
        pod("asked", 1, node_selector={"pool": "a"}),
        pod("pinned", 1, on="b", owner=("ReplicaSet", "web"), template_node_name="b"),
        node("a", 4, labels={"pool": "a"}),
        node("b", 4, labels={"pool": "b"}),
        controllers=frozenset({"owners"}),
    )
    assert names(cut(whole, keys("asked"))) == (["asked"], ["a"])
    freely = replace(whole, pods=tuple(replace(each, template_node_name="") for each in whole.pods))
    assert names(cut(freely, keys("asked"))) == (["asked", "pinned"], ["a", "b"])


def test_for_a_pod_that_no_node_could_take_everything_else_is_left_out() -> None:
    whole = scenario(pod("asked", 9), pod("there", 1, on="n"), pod("waits", 1, priority=1), node("n", 4))
    part = cut(whole, keys("asked"))
    assert names(part) == (["asked"], [])
    assert part.cut == ("no node could hold the pod even when empty, so nothing else influences the answer",)


def test_a_pod_ahead_in_the_queue_is_kept_with_its_nodes() -> None:
    whole = scenario(
        pod("asked", 1, node_selector={"pool": "a"}),
        pod("first", 9, priority=1, node_selector={"pool": "b"}),
        node("a", 4, labels={"pool": "a"}),
        node("b", 4, labels={"pool": "b"}),
    )
    assert "first" in names(cut(whole, keys("asked")))[0]


def test_the_nodes_of_a_rival_pod_are_kept() -> None:
    whole = scenario(
        pod("asked", 1, node_selector={"pool": "a"}),
        pod("either", 1),
        node("a", 4, labels={"pool": "a"}),
        node("b", 4, labels={"pool": "b"}),
    )
    assert names(cut(whole, keys("asked"))) == (["asked", "either"], ["a", "b"])


def test_pods_selected_by_an_affinity_term_are_kept() -> None:
    whole = scenario(
        pod("asked", 1, node_selector={"pool": "a"}, affinity=apart(term("zone", selector(app="db")))),
        pod("db", 1, on="b", labels={"app": "db"}, node_selector={"pool": "b"}),
        pod("web", 1, on="c", labels={"app": "web"}, node_selector={"pool": "c"}),
        *(node(name, 4, labels={"pool": name, "zone": "z"}) for name in ("a", "b", "c")),
    )
    assert names(cut(whole, keys("asked")))[0] == ["asked", "db"]


def test_a_node_with_changing_taints_or_labels_may_host_any_pod_that_fits() -> None:
    things = (pod("asked", 1, node_selector={"disk": "ssd"}), node("n", 4), node("m", 4))
    assert names(cut(scenario(*things), keys("asked")))[1] == []
    changing = scenario(*things, rules=[on_nodes("label", "n", label_key="disk", label_values=("ssd",))])
    assert names(cut(changing, keys("asked")))[1] == ["n"]


def test_a_node_whose_taint_a_controller_removes_may_take_a_pod() -> None:
    """The node is ready, so the lifecycle controller removes its not-ready taint."""
    tainted = node("n", 4, taints=(Taint("node.kubernetes.io/not-ready", "NoExecute"),))
    things = (pod("asked", 1), pod("other", 1), tainted)
    whole = scenario(*things, controllers=frozenset({"lifecycle"}))
    assert [each.name for each in cut(whole, frozenset({("default", "asked")})).pods] == ["asked", "other"]
    assert [each.name for each in cut(scenario(*things), frozenset({("default", "asked")})).pods] == ["asked"]


@pytest.mark.medium
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(scenarios())
def test_the_cut_changes_no_verdict(each: Scenario) -> None:
    asked = each.pods[0]
    for text in (f"pod_can_still_be_bound({asked})", f"never_evicted({asked})"):
        whole = replace(each, properties=(text,), faults=NO_FAULTS, constraints=())
        expected = check(whole, bounds=Bounds(max_states=1500))
        if expected.result.verdict is Verdict.GAVE_UP:
            continue
        found = check(cut(whole, frozenset({asked.key})))
        assert found.result.verdict is expected.result.verdict, text
        if expected.result.violations:
            lengths = [len(one.result.violations[0].trace) for one in (expected, found)]
            assert lengths[0] == lengths[1], text


def crowd(priority: int = 5) -> Scenario:
    """A node with twenty bound pods that may complete, and one pending pod."""
    small = [pod(f"small-{number:02}", 1, on="n", priority=priority) for number in range(20)]
    every = " ".join(each.name for each in small)
    return scenario(*small, pod("asked", 1), node("n", 20), rules=[on_pods("complete", every)])


def test_pods_that_cannot_be_evicted_are_merged_into_one_occupant() -> None:
    whole = crowd()
    part = cut(whole, keys("asked"))
    assert names(part) == (["20-others-on-n", "asked"], ["n"])
    assert "20 bound pods (20 of them" in part.cut[-1]
    for resource in ("cpu", "pods"):
        room = [
            each.nodes[0].allocatable[resource]
            - used(each.nodes[0], Snapshot.of(each.pods, each.nodes), resource, NO_FAULTS)
            for each in (whole, part)
        ]
        assert room[0] == room[1]


def test_a_pod_that_may_be_evicted_stays_but_no_longer_completes() -> None:
    whole = replace(crowd(priority=-1))
    part = cut(whole, keys("asked"))
    assert len(part.pods) == 21
    assert part.rules == ()
    assert "20 bound pods (0 of them" in part.cut[-1]


def test_pods_are_not_merged_if_an_affinity_term_could_select_the_occupant() -> None:
    """A term that selects pods without a label, in any namespace, would select only the occupant, which has no labels."""
    unlabelled = term("zone", selector(Requirement("app", "DoesNotExist")), namespace_selector=selector())
    small = [pod(f"small-{number:02}", 1, on="n", priority=5, labels={"app": "web"}) for number in range(20)]
    every = " ".join(each.name for each in small)
    whole = scenario(
        *small,
        pod("asked", 1, affinity=apart(unlabelled)),
        node("n", 21, labels={"zone": "z"}),
        rules=[on_pods("complete", every)],
    )
    assert len(cut(whole, keys("asked")).pods) == 21


def test_in_a_small_cluster_bound_pods_are_not_assumed_to_stay() -> None:
    whole = scenario(
        pod("there", 1, on="n"), pod("asked", 1), node("n", 1), rules=[on_pods("complete", "there")]
    )  # fmt: skip
    part = cut(whole, keys("asked"))
    assert (part.cut, part.rules) == ((), whole.rules)


def test_a_cut_without_the_bound_pods_gives_another_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken twin: a cut that ignores the pods bound on the nodes reports a stranded pod as safe."""
    whole = scenario(pod("there", 1, on="n"), pod("asked", 1), node("n", 1))
    question = replace(whole, properties=("pod_can_still_be_bound(asked)",))
    assert check(cut(question, keys("asked"))).result.verdict is Verdict.VIOLATED
    monkeypatch.setattr(module.Closure, "_places", lambda self, key: set())
    assert names(cut(question, keys("asked")))[0] == ["asked"]
