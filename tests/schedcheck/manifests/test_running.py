"""The default controllers of a scenario, and the pods on nodes that the input lacks"""

from collections.abc import Callable
from dataclasses import replace

import pytest

from schedcheck.checker.check import check
from schedcheck.checker.result import Verdict
from schedcheck.manifests import Cluster, scenario, seen
from schedcheck.manifests.running import ONLY_SO, settled
from schedcheck.model.scenario import Scenario
from schedcheck.spec.faults import NO_FAULTS

Read = Callable[[str], Cluster]

OWNED = "ownerReferences: [{kind: StatefulSet, name: kafka, controller: true}]"
HEAD = "apiVersion: schedcheck/v1alpha1\nkind: Scenario\nspec: "


KAFKA = frozenset({("default", "kafka-0")})


def objects(ready: str = "True", taint: str = "", where: str = "n1", owner: str = OWNED) -> str:
    taints = f"spec: {{taints: [{{key: gone, effect: {taint}}}]}}," if taint else ""
    condition = f"conditions: [{{type: Ready, status: '{ready}'}}]"
    return (
        f"{{kind: Node, metadata: {{name: n1}}, {taints} status: {{capacity: {{cpu: 9}}, {condition}}}}}\n---\n"
        f"{{kind: Pod, metadata: {{name: kafka-0, uid: u, {owner}}}, spec: {{nodeName: {where}}}}}\n---\n"
    )


def running(made: Scenario) -> str:
    return " ".join(sorted(made.controllers))


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ("fail", "owners podgc"),
        ("{event: fail, nodes: [n1], bound: 1}", "owners podgc"),
        ("unready", "kubelet lifecycle owners podgc"),
        ("unreachable", "kubelet lifecycle owners podgc"),
        ("{event: taint, taint: {key: a, effect: NoExecute}}", "kubelet lifecycle owners podgc"),
        ("{event: taint, taint: {key: a, effect: NoSchedule}}", ""),
        ("cordon", ""),
        ("delete", ""),
    ],
)
def test_a_scenario_without_controllers_gets_those_that_its_events_need(
    read_text: Read, event: str, expected: str
) -> None:
    text = f"{objects()}{HEAD}{{profile: kubernetes, events: [{event}]}}"
    assert running(scenario(read_text(text), NO_FAULTS)) == expected


@pytest.mark.parametrize("said", ["profile: kubernetes, controllers: []", "profile: corrected", "profile: article"])
def test_an_explicit_empty_list_or_the_published_model_has_no_controllers(read_text: Read, said: str) -> None:
    text = f"{objects()}{HEAD}{{{said}, events: [fail]}}"
    assert running(scenario(read_text(text), NO_FAULTS)) == ""


WORK = {
    ("True", ""): "owners",
    ("True", "NoSchedule"): "owners",
    ("True", "NoExecute"): "lifecycle owners",
    ("False", ""): "lifecycle owners",
    ("Unknown", ""): "kubelet lifecycle owners podgc",
}
"""The controllers that have work, by whether the node is ready and by the effect of its taint."""


@pytest.mark.parametrize("seen_of_node", WORK, ids=" ".join)
def test_a_plain_cluster_gets_the_controllers_that_have_work(read_text: Read, seen_of_node: tuple[str, str]) -> None:
    assert running(scenario(read_text(objects(*seen_of_node)), NO_FAULTS)) == WORK[seen_of_node]


def test_an_owned_pod_on_a_missing_node_is_recreated(read_text: Read) -> None:
    for owner, keys in ((OWNED, [("default", "kafka-0")]), ("", [])):
        whole = read_text(objects(where="gone", owner=owner))
        for cluster in (whole, seen(whole)):
            made = scenario(cluster, NO_FAULTS)
            assert [pod.key for pod in made.pods] == sorted(made.absent) == keys
            assert any("on a node that the input lacks" in note for note in seen(whole).notes)


def test_a_question_about_other_pods_assumes_pods_on_unready_nodes_to_stay(read_text: Read) -> None:
    text = objects("False") + "{kind: Pod, metadata: {name: other, uid: o}}\n---\n"
    given = scenario(read_text(text), NO_FAULTS)
    other, granted = settled(given, frozenset({("default", "other")}))
    assert (running(other), granted) == (
        "owners",
        (f"assumed of pods on nodes that fail: 1 that a taint would evict stay; {ONLY_SO}",),
    )
    assert settled(given, frozenset({("default", "kafka-0")})) == (given, ())


def test_a_question_about_other_pods_leaves_out_pods_of_missing_nodes(read_text: Read) -> None:
    text = objects(where="gone") + "{kind: Pod, metadata: {name: other, uid: o}}\n---\n"
    given = scenario(read_text(text), NO_FAULTS)
    other, granted = settled(given, frozenset({("default", "other")}))
    assert ([pod.name for pod in other.pods], granted) == (
        ["other"],
        (f"assumed of pods on nodes that fail: 1 whose nodes are gone are not recreated; {ONLY_SO}",),
    )
    assert settled(given, frozenset({("default", "kafka-0")})) == (given, ())


def test_a_question_about_a_pod_on_an_unready_node_assumes_pods_without_owner_to_stay_there(read_text: Read) -> None:
    bare = "{kind: Pod, metadata: {name: bare, uid: b}, spec: {nodeName: n1}, status: {phase: Running}}\n---\n"
    given = scenario(read_text(objects("False") + bare), NO_FAULTS)
    made, granted = settled(given, KAFKA)
    assert running(made) == "lifecycle owners"
    assert granted == (f"assumed of pods on nodes that fail: 1 that a taint would evict stay; {ONLY_SO}",)
    assert settled(given, KAFKA | {("default", "bare")}) == (given, ())
    assert settled(replace(given, victims="pending"), KAFKA)[1] == ()


IDLE = (
    "{kind: Node, metadata: {name: n2}, spec: {taints: [{key: node.kubernetes.io/not-ready, effect: NoSchedule}]},"
    " status: {capacity: {cpu: 9, pods: 0}, conditions: [{type: Ready, status: 'True'}]}}\n---\n"
)


def states(made: Scenario) -> tuple[Verdict, int]:
    result = check(replace(made, properties=("pod_can_still_be_bound(kafka-0)",))).result
    return result.verdict, result.distinct


def test_the_taints_of_a_node_without_room_for_pods_change_no_answer(read_text: Read) -> None:
    given = scenario(read_text(objects("False") + IDLE), NO_FAULTS)
    made, granted = settled(given, KAFKA)
    assert (granted, [len(node.taints) for node in (given.nodes[1], made.nodes[1])]) == ((), [1, 0])
    verdict, number = states(made)
    assert states(given) == (verdict, 2 * number)


@pytest.mark.parametrize(
    "more",
    [
        IDLE.replace("pods: 0", "pods: 1"),
        IDLE + "{kind: Pod, metadata: {name: here, uid: h}, spec: {nodeName: n2}}\n---\n",
        IDLE
        + "{kind: Pod, metadata: {name: even, uid: e}, spec: {topologySpreadConstraints: [{maxSkew: 1, topologyKey: a,"
        " whenUnsatisfiable: DoNotSchedule, nodeTaintsPolicy: Honor, labelSelector: {}}]}}\n---\n",
    ],
)
def test_the_taints_of_a_node_that_may_matter_change_in_steps(read_text: Read, more: str) -> None:
    given = scenario(read_text(objects("False") + more), NO_FAULTS)
    assert settled(given, KAFKA)[0].nodes == given.nodes
