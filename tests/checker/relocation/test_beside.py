"""Drains and failures beside controllers: the answers are those of an exploration of the same as a scenario of `check`"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

import schedcheck
from schedcheck.api.preparing import Prepared, prepared
from schedcheck.api.values import Observer, Profile
from schedcheck.checker import check as checking
from schedcheck.checker.followed import violations
from schedcheck.checker.relocation import beside as answers
from schedcheck.checker.relocation import leaving as starts
from schedcheck.checker.relocation import questions
from schedcheck.checker.relocation.beside import outcomes
from schedcheck.checker.result import Stage, Verdict
from schedcheck.model.environment import Evict
from schedcheck.model.pooling import NodePool, NodePools
from schedcheck.model.provisioning import Karpenter, Pool
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Node, Snapshot
from schedcheck.spec.properties.kinds import Eventually, Fairness
from tests.checker.relocation.judging import Space, comes_to_rest, eventually, leads_to, space
from tests.support import building

HOST, POOL = "kubernetes.io/hostname", "node-pool"
MOST = 1500
"""The most states of a cluster that is compared."""

Document = dict[str, Any]


def node(name: str, cpu: int, **fields: Any) -> Document:
    return {
        "apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {HOST: name, POOL: "b"}},
        "spec": fields, "status": {"allocatable": {"cpu": str(cpu), "memory": "8Gi", "pods": "9"}, "conditions": [{"type": "Ready", "status": "True"}]},
    }  # fmt: skip


def pod(name: str, on: str, cpu: int, kind: str, **spec: Any) -> Document:
    owner = {"apiVersion": "apps/v1", "kind": kind, "name": "web", "uid": "web", "controller": True}
    containers = [{"name": "main", "image": "a", "resources": {"requests": {"cpu": f"{cpu}00m"}}}]
    return {
        "apiVersion": "v1", "kind": "Pod",
        "metadata": {"name": name, "uid": name, "labels": {"app": "web"}, "ownerReferences": [owner], "creationTimestamp": "2024-01-01T00:00:00Z"},
        "spec": {"nodeName": on, "containers": containers, **spec},
        "status": {"phase": "Running", "startTime": "2024-01-01T00:00:00Z"},
    }  # fmt: skip


def budget(least: int, pods: int) -> Document:
    """A budget with the status that it has before the node goes."""
    return {
        "apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "web"},
        "spec": {"minAvailable": least, "selector": {"matchLabels": {"app": "web"}}},
        "status": {"disruptionsAllowed": max(0, pods - least), "currentHealthy": pods, "desiredHealthy": least, "expectedPods": pods},
    }  # fmt: skip


def policy(plugin: str, args: Document | None = None, fit: bool = False) -> Document:
    own = {"name": plugin, **({"args": args} if args else {})}
    point = "deschedule" if plugin == "RemovePodsViolatingNodeAffinity" else "balance"
    evictor = [{"name": "DefaultEvictor", "args": {"nodeFit": True}}] if fit else []
    profile = {"name": "p", "pluginConfig": [*evictor, own], "plugins": {point: {"enabled": [plugin]}}}
    return {"apiVersion": "descheduler/v1alpha2", "kind": "DeschedulerPolicy", "profiles": [profile]}


def pools(most: int) -> Document:
    template = {"status": {"allocatable": {"cpu": "2", "memory": "8Gi", "pods": "9"}}}
    return {
        "apiVersion": "schedcheck/v1alpha1", "kind": "NodePools",
        "pools": [{"name": "b", "min": 0, "max": most, "scaleDownUtilizationThreshold": 0.6, "template": template}],
    }  # fmt: skip


def scaled(most: int) -> list[Document]:
    """A Deployment of one pod and its autoscaler."""
    container = {"name": "main", "image": "a", "resources": {"requests": {"cpu": "900m"}}}
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}}
    metric = {
        "type": "Resource",
        "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}},
    }
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}
    return [
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
         "spec": {"replicas": 1, "selector": {"matchLabels": {"app": "web"}}, "template": template}},
        {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "web"},
         "spec": {"scaleTargetRef": target, "minReplicas": 1, "maxReplicas": most, "metrics": [metric]}},
    ]  # fmt: skip


def drawn(seed: int) -> tuple[list[Document], list[str], Document | None, str]:
    """The objects of a cluster, the controllers, the file of one of them, and the node that goes."""
    chance = Random(seed)
    names = [f"n{number}" for number in range(1, chance.choice((2, 3, 3)) + 1)]
    objects = [node(name, chance.randint(1, 3)) for name in names]
    kind = chance.choice(("ReplicaSet", "ReplicaSet", "StatefulSet"))
    preferred = {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": {
        "matchExpressions": [{"key": HOST, "operator": "In", "values": [names[0]]}]}}]}  # fmt: skip
    spec = chance.choice(({}, {}, {"affinity": {"nodeAffinity": preferred}}, {"tolerations": [{"operator": "Exists"}]}))
    going, way = chance.choice(names), chance.choice((0, 0, 1, 1, 2, 3, 3, 4, 5))
    tolerant = way == 3 and "tolerations" in spec
    pods = chance.randint(1, 3)
    for number in range(pods):
        objects.append(
            pod(
                f"web-{number}",
                chance.choice((*names, going, going)),
                chance.choice((5, 9, 14)),
                kind,
                **({} if tolerant else spec),
            )
        )
    if chance.random() < 0.4:
        objects.append(budget(chance.randint(0, 2), pods))
    match way:
        case 0:
            return objects, ["descheduler"], policy("RemoveDuplicates", fit=chance.random() < 0.3), going
        case 1:
            args = {"thresholds": {"cpu": 40}}
            return objects, ["descheduler"], policy("HighNodeUtilization", args), going
        case 2:
            args = {"nodeAffinityType": ["preferredDuringSchedulingIgnoredDuringExecution"]}
            return objects, ["descheduler"], policy("RemovePodsViolatingNodeAffinity", args), going
        case 3:
            return objects, ["nodePools"], pools(chance.randint(2, 4)), going
        case 4:
            own = [node(name, chance.randint(1, 3)) for name in names]
            maker = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-5d9c", "controller": True}
            first = pod("web-0", chance.choice((*names, going)), 9, kind)
            first["metadata"]["ownerReferences"] = [maker]
            return [*own, first, *scaled(2)], ["autoscaler=20,50,90"], None, going
        case _:
            return objects, [chance.choice(("kubelet", "podgc"))], None, going


def written(folder: Path, objects: list[Document], names: list[str], file: Document | None) -> list[str]:
    """Write the cluster and the file of a controller; return the controllers as `--controllers` takes them."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cluster.yaml").write_text(yaml.safe_dump_all(objects))
    if file is None:
        return names
    (folder / "given.yml").write_text(yaml.safe_dump(file))
    return [f"{names[0]}={folder / 'given.yml'}"]


def as_scenario(
    objects: list[Document], names: list[str], file: Document | None, going: str, asked: str
) -> list[Document]:
    """The same as a scenario of `check`: the node is cordoned and its pods are evicted, or it is not there."""
    pods = [each["metadata"]["name"] for each in objects if each["kind"] == "Pod" and each["spec"]["nodeName"] == going]
    kept = [each for each in objects if asked == "drain" or each["metadata"]["name"] != going or each["kind"] != "Node"]
    if asked == "drain":
        kept = [
            {**each, "spec": {**each["spec"], "unschedulable": True}} if each["metadata"]["name"] == going else each
            for each in kept
        ]
    own: list[Any] = ["owners", "disruption" if asked == "drain" else "podgc"]
    # A controller that evicts asks the API, which keeps budgets.
    evicts = names[0].partition("=")[0] in ("descheduler", "nodePools", "autoscaler")
    own += ["disruption"] if evicts and any(each["kind"] == "PodDisruptionBudget" for each in objects) else []
    for name in names:
        head, _, readings = name.partition("=")
        if head == "autoscaler":
            own += ["kubelet", {"autoscaler": {"readings": [*map(int, readings.split(","))]}}]
        else:
            own.append({head: file} if file else head)
    own = [each for place, each in enumerate(own) if each not in own[:place]]
    events = [{"event": "evict", "pods": pods, "nodes": [going]}] if asked == "drain" and pods else []
    spec = {"controllers": own, "events": events}
    return [
        *kept,
        {"apiVersion": "schedcheck/v1alpha1", "kind": "Scenario", "metadata": {"name": "same"}, "spec": spec},
    ]


def judged(there: Space, asked: schedcheck.Relocated, going: str) -> dict[str, str]:
    """The answers by the definitions; a pod that may return to the node makes the drain one that does not end well."""
    (case,) = asked.cases
    leaving = case.leaving

    def on(name: str, nodes: set[str]) -> Callable[[Snapshot], bool]:
        return lambda view: any(each.name == name and each.node_name in nodes for each in view.pods)

    def waits(name: str) -> Callable[[Snapshot], bool]:
        return lambda view: any(each.name == name and not each.node_name for each in view.pods)

    def says(well: bool) -> str:
        return "holds" if well else "violated"

    found = {}
    if leaving.drain:
        evicted = [each.name for each in (*leaving.movers, *leaving.lost)]
        back = any(
            instance[0].__name__ == "Bind" and instance[1] == f"Bind({name}, {going})"
            for _, instance, _ in there.edges
            for name in evicted
        )
        gone = all(eventually(there, lambda view, name=name: not on(name, {going})(view)) for name in evicted)  # type: ignore[misc]
        found["ends"] = says(gone and not back)
    pods = {each.name for each in leaving.scenario.pods}
    found["placed"] = says(
        all(leads_to(there, waits(name), lambda view, name=name: not waits(name)(view)) for name in pods)
    )  # type: ignore[misc]
    found["rests"] = says(comes_to_rest(there))
    return found


def compared(seeds: range, tmp_path: Path) -> Counter[tuple[str, str, str]]:
    """Hold each answer against the judge; return how often each controller had each answer."""
    seen: Counter[tuple[str, str, str]] = Counter()
    for seed in seeds:
        objects, names, file, going = drawn(seed)
        asked = "fail" if seed % 4 == 3 and names != ["nodePools"] else "drain"
        controllers = written(tmp_path / str(seed), objects, names, file)
        folder = tmp_path / str(seed) / "same"
        written(folder, as_scenario(objects, names, file, going, asked), [], None)
        there = space(_scenario(folder / "cluster.yaml"), MOST)
        if there is None:
            continue
        cluster = schedcheck.read(tmp_path / str(seed) / "cluster.yaml", whole=True)
        found = getattr(schedcheck, asked)(cluster, [going], controllers=controllers)
        expected = judged(there, found, going)
        case = found.cases[0]
        if case.explored is None:
            # A budget that refuses for good: nothing else is said.
            assert outcomes(case)["ends"] == expected["ends"] == "violated", seed
            continue
        if case.explored.result.queue == 0:
            assert case.explored.result.distinct == len(there.views), seed
            assert outcomes(case) == expected, seed
        assert found.verdict is (Verdict.VIOLATED if "violated" in expected.values() else Verdict.HOLDS), seed
        seen.update((names[0].partition("=")[0], what, answer) for what, answer in expected.items())
    return seen


def _scenario(file: Path) -> Scenario:
    return _prepared(file).scenario


def _prepared(file: Path) -> Prepared:
    return prepared(schedcheck.read(file, whole=True), Profile(), Observer(), scaled=True)


def test_random_answers_are_those_of_the_same_scenario(tmp_path: Path) -> None:
    seen = compared(range(40, 70), tmp_path)
    answers = [
        ("ends", "holds"),
        ("ends", "violated"),
        ("placed", "violated"),
        ("rests", "holds"),
        ("rests", "violated"),
    ]
    assert all(seen["descheduler", *each] for each in answers), seen
    assert seen["nodePools", "ends", "violated"] and seen["autoscaler", "rests", "violated"], seen


Patch = Callable[[pytest.MonkeyPatch], None]


def _without_descheduler(patch: pytest.MonkeyPatch) -> None:
    original = starts._quiet
    patch.setattr(
        starts, "_quiet", lambda scenario, running: replace(original(scenario, running), descheduler=None)
    )  # fmt: skip


BROKEN: dict[str, tuple[int, Patch]] = {
    "the descheduler does not run": (30, _without_descheduler),
    "kubectl drain gives up": (0, lambda patch: patch.setattr(questions, "FAIR", Fairness(weak=questions.FAIR.weak))),
    "nothing need act": (24, lambda patch: patch.setattr(questions, "FAIR", Fairness(strong=(Evict,)))),
    "no pod comes back": (22, lambda patch: patch.setattr(questions, "away", lambda leaving: ())),
    "other pods are not asked about": (28, lambda patch: patch.setattr(questions, "asked_beside", lambda leaving: ())),
    "rest is not asked about": (
        30,
        lambda patch: patch.setattr(questions, "rests", lambda fairness: questions.placed(POD)),
    ),
}
POD = building.pod("nobody")


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_answer_is_detected(broken: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seed, break_it = BROKEN[broken]
    break_it(monkeypatch)
    with pytest.raises(AssertionError, match=rf"^{seed}\b"):
        compared(range(seed, seed + 1), tmp_path)


# A budget that refuses for good is proved without exploring, if nothing but the API takes pods off the node.


def blocked(taint: bool, preempting: bool) -> list[Document]:
    """A pod that its budget never lets go, on a node with a NoExecute taint, or beside a pod that may preempt it."""
    taints = [{"key": "gone", "effect": "NoExecute"}] if taint else []
    own = pod("web-0", "n1", 9, "ReplicaSet", priority=1)
    pods = [own, budget(1, 1)]
    if preempting:
        other = pod("big", "n1", 9, "ReplicaSet", priority=9, tolerations=[{"operator": "Exists"}])
        del other["spec"]["nodeName"]
        other["metadata"]["labels"], other["status"] = {}, {"phase": "Pending"}
        pods.append(other)
    return [node("n1", 1, taints=taints), node("n2", 2 if taint else 1), *pods]


@pytest.mark.parametrize(
    ("case", "names", "condition"),
    [
        ((True, False), ["kubelet", "lifecycle"], "_evicted_by_the_api_alone"),
        ((False, True), ["kubelet"], "_none_preempts"),
    ],
)
def test_a_budget_refuses_for_good_only_if_nothing_else_takes_its_pod(
    case: tuple[bool, bool], names: list[str], condition: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(tmp_path, blocked(*case), [], None)
    cluster = schedcheck.read(tmp_path / "cluster.yaml")

    def ends() -> str:
        (found,) = schedcheck.drain(cluster, ["n1"], controllers=names).cases
        return outcomes(found)["ends"]

    assert ends() == ("holds" if case[0] else "violated")
    explored = schedcheck.drain(cluster, ["n1"], controllers=names).cases[0].explored
    assert explored is not None, "it is no proof here"
    monkeypatch.setattr(answers, condition, lambda leaving: True)
    (found,) = schedcheck.drain(cluster, ["n1"], controllers=names).cases
    assert found.explored is None and outcomes(found)["ends"] == "violated"


def test_a_budget_that_refuses_for_good_is_proved_beside_a_descheduler(tmp_path: Path) -> None:
    names = written(tmp_path, blocked(False, False), ["descheduler"], policy("RemoveDuplicates"))
    found = schedcheck.drain(schedcheck.read(tmp_path / "cluster.yaml", whole=True), ["n1"], controllers=names)
    assert found.verdict is Verdict.VIOLATED and found.cases[0].explored is None
    assert outcomes(found.cases[0]) == {"ends": "violated", "placed": "undecided", "rests": "undecided"}


def test_a_budget_refuses_no_pod_that_its_kubelet_has_still_to_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = {**pod("web-0", "n1", 9, "ReplicaSet"), "status": {"phase": "Pending"}}
    written(
        tmp_path, [node("n1", 1), node("n2", 1), own, {**budget(1, 1), "status": {"disruptionsAllowed": 0}}], [], None
    )
    cluster = schedcheck.read(tmp_path / "cluster.yaml")
    (found,) = schedcheck.drain(cluster, ["n1"], controllers=["kubelet"]).cases
    assert found.explored is not None, "it is no proof here"
    assert found.explored.result.coverage["Evict"] > 0
    assert outcomes(found)["ends"] == "violated", "once it is started, the budget refuses for good"
    monkeypatch.setattr(answers, "starts_later", lambda pod, scenario: False)
    (found,) = schedcheck.drain(cluster, ["n1"], controllers=["kubelet"]).cases
    assert found.explored is None and outcomes(found)["ends"] == "violated"


# A node that is removed and one that is added later are two nodes.


def pooled(tmp_path: Path) -> tuple[list[str], schedcheck.Cluster]:
    """One pod on the only node of a pool of at most two, and room for it on a node of no pool."""
    other = node("other", 1)
    del other["metadata"]["labels"][POOL]
    objects = [node("b-1", 2), other, pod("web-0", "b-1", 14, "ReplicaSet")]
    return written(tmp_path, objects, ["nodePools"], pools(2)), schedcheck.read(tmp_path / "cluster.yaml", whole=True)


def test_a_new_node_is_not_taken_for_the_drained_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names, cluster = pooled(tmp_path)
    (found,) = schedcheck.drain(cluster, ["b-1"], controllers=names).cases
    added = {each for each in found.explored.result.coverage if found.explored.result.coverage[each]}  # type: ignore[union-attr]
    assert {"AddNode", "RemoveNode"} <= added and outcomes(found)["ends"] == "holds"
    monkeypatch.setattr(NodePools, "without_names", lambda pools, spent: pools)
    (wrong,) = schedcheck.drain(cluster, ["b-1"], controllers=names).cases
    assert outcomes(wrong)["ends"] == "violated"


def test_a_pool_has_no_more_nodes_though_a_name_is_spent() -> None:
    given = Karpenter((Pool("b"),), (), 2).without_names(frozenset({"b-1"}))
    assert given.names(given.pools[0]) == ("b-2", "b-3")
    assert given.free_name(given.pools[0], {"b-1"}) == "b-2"
    assert given.free_name(given.pools[0], {"b-1", "b-2"}) is None
    assert given.free_name(given.pools[0], {"b-2"}) == "b-3"
    assert given.free_name(given.pools[0], {"b-2", "b-3"}) is None
    plain = NodePool("b", 0, 2, Node("b"))
    assert plain.names == ("b-1", "b-2") and replace(plain, spent=frozenset({"b-2"})).names == ("b-1", "b-3")


# A round that is found early.


def chasing(tmp_path: Path) -> tuple[list[str], schedcheck.Cluster]:
    objects = [node("n1", 4), node("n2", 1), node("n3", 4)]
    objects += [pod(f"web-{number}", on, 15, "ReplicaSet") for number, on in enumerate(("n1", "n3"))]
    names = written(tmp_path, objects, ["descheduler"], policy("RemoveDuplicates"))
    return names, schedcheck.read(tmp_path / "cluster.yaml", whole=True)


def test_a_round_that_is_found_early_does_not_hide_the_other_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names, cluster = chasing(tmp_path)

    def found() -> dict[str, str]:
        (case,) = schedcheck.drain(cluster, ["n3"], controllers=names).cases
        return outcomes(case)

    whole = found()
    assert whole == {"ends": "holds", "placed": "holds", "rests": "violated"}
    monkeypatch.setattr(checking, "directed_at", lambda scenario: 6)
    assert found() == whole
    monkeypatch.setattr(answers, "_rests_alone", lambda made: False)
    assert found() == {"ends": "undecided", "placed": "undecided", "rests": "violated"}


def test_a_round_is_shown_with_its_steps(tmp_path: Path) -> None:
    names, cluster = chasing(tmp_path)
    (case,) = schedcheck.drain(cluster, ["n3"], controllers=names).cases
    (violation,) = case.violations
    round_ = [str(stage.action) for stage in violation.trace[(violation.loop or 0) + 1 :]]
    assert sorted(round_) == [
        "Bind(web-1, n1)", "Create(web-1)", "Deschedule(RemoveDuplicates: web-1)", "EvictDescheduled(web-1)"
    ]  # fmt: skip


def test_counting_is_not_used_beside_controllers(tmp_path: Path) -> None:
    names, cluster = chasing(tmp_path)
    plain = schedcheck.drain(cluster, ["n3"])
    assert plain.verdict is Verdict.HOLDS and plain.cases[0].explored is None
    assert schedcheck.drain(cluster, ["n3"], controllers=names).cases[0].explored is not None


def test_an_end_that_a_behaviour_reached_before_is_no_violation() -> None:
    """A pod may leave, and be back at the end of a behaviour: that it leaves in the end was kept."""
    before, away = building.snapshot(building.pod("a", on="n1")), building.snapshot(building.pod("a"))
    gone = Eventually("gone", "", lambda view: not any(each.node_name for each in view.pods))

    class Machine:
        def view(self, state: Snapshot) -> Snapshot:
            return state

    def broken(*states: Snapshot) -> list[Any]:
        trace = tuple(Stage(None, state) for state in states)
        return list(violations([gone], trace, Machine()))  # type: ignore[arg-type]

    assert broken(before, away, before) == []
    assert len(broken(before, before)) == 1
