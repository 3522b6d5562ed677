"""The dump of examples/dump: the reasons why its pods are pending, and whether they can be stranded

Each test derives its answer from the rules. Pods of Jobs and terminating pods may end; the others stay unless they are
evicted, and owners recreate missing pods.
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from schedcheck.checker.check import Checked, check
from schedcheck.checker.explain.published import Explanation, explanation
from schedcheck.checker.result import Bounds, Verdict
from schedcheck.manifests import Cluster, read, scenario, seen
from schedcheck.manifests.cut import cut
from schedcheck.manifests.running import settled
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.budgets import protects
from schedcheck.spec.faults import Fault
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.profiles import CORRECTED
from schedcheck.spec.requests import used

DUMP = Path(__file__).parents[2] / "examples" / "dump"
ITEMS: list[dict[str, Any]] = json.loads((DUMP / "cluster.json").read_text())["items"]
CLUSTER: Cluster = read([DUMP])
SEEN: Cluster = seen(CLUSTER)
SCENARIO: Scenario = scenario(CLUSTER, frozenset(Fault), "corrected")
ENOUGH = Bounds(max_states=10_000, seconds=60)

MASTER, WORKER_1, WORKER_2 = "dev-control-plane", "dev-worker", "dev-worker2"
CORDONED, NOT_READY, JOINING = "dev-worker3", "dev-worker4", "dev-worker5"
CLOSED = {MASTER: "Taints", CORDONED: "Schedulability Taints", NOT_READY: "Taints", JOINING: "Resources Taints"}
"""Why a pod with only the default tolerations is rejected by the nodes that are not ordinary workers.

By default a pod tolerates an unready node for 300 s with the effect NoExecute, but not with NoSchedule.
"""
HIGHER = ["kube-system/metrics-server", "shop/payments"]


def of_kind(kind: str) -> list[dict[str, Any]]:
    return [item for item in ITEMS if item["kind"] == kind]


def named(beginning: str, pods: tuple[Pod, ...] = SEEN.pods, on: str = "") -> Pod:
    """The only pod whose name begins with this text, on this node."""
    (pod,) = (pod for pod in pods if str(pod).startswith(beginning) and pod.node_name == on)
    return pod


def snapshot(cluster: Cluster = SEEN, *more: Node) -> Snapshot:
    return Snapshot.of(cluster.pods, [*cluster.nodes, *more], cluster.namespaces)


def explained(beginning: str) -> Explanation:
    made = explanation(named(beginning), snapshot(), CORRECTED)
    assert made is not None
    return made


def refusals(beginning: str) -> dict[str, str]:
    """For each node the filters that reject the pod, or "feasible"."""
    return {
        each.node.name: " ".join(name for name, reason in each.reasons.items() if reason) or "feasible"
        for each in explained(beginning).nodes
    }


def reasons(beginning: str, node: str) -> list[str]:
    (considered,) = (each for each in explained(beginning).nodes if each.node.name == node)
    return [reason for reason in considered.reasons.values() if reason]


def decisions(beginning: str) -> list[str]:
    """The allowed decisions about the pod now."""
    return [str(each) for each in explained(beginning).decisions or ()]


def waits(beginning: str) -> bool:
    """Whether the only decision about the pod is to wait, and it is behind the two of higher priority."""
    ahead = [str(each).rpartition("-")[0].rpartition("-")[0] for each in explained(beginning).ahead]
    return decisions(beginning) == [f"Wait({named(beginning)})"] and ahead == HIGHER


def asked(question: str, *about: Pod) -> Checked:
    """Check the property on the part of the cluster that is relevant to these pods."""
    keys = frozenset(pod.key for pod in about)
    made = cut(settled(SCENARIO, keys)[0], keys)
    assert made.cut
    checked = check(replace(made, properties=(question,)), bounds=ENOUGH)
    assert checked.result.stopped == ""
    return checked


def stranded(beginning: str) -> bool:
    """Whether some order of events strands the pod; if so, it is already stranded in the initial state."""
    result = asked(f"pod_can_still_be_bound({named(beginning)})", named(beginning)).result
    assert [len(each.trace) for each in result.violations] == [1] * (result.verdict is Verdict.VIOLATED)
    return result.verdict is Verdict.VIOLATED


# The content of the dump.


def test_the_dump_has_the_size_of_a_small_cluster() -> None:
    assert [len(of_kind(kind)) for kind in ("Node", "Pod", "PodDisruptionBudget")] == [6, 63, 4]
    assert (DUMP / "cluster.json").stat().st_size < 2**20


def test_every_object_is_stored_and_its_owners_are_present() -> None:
    uids = {item["metadata"]["uid"]: item["metadata"]["name"] for item in ITEMS}
    assert len(uids) == len({item["metadata"]["resourceVersion"] for item in ITEMS}) == len(ITEMS)
    owners = [owner for item in ITEMS for owner in item["metadata"].get("ownerReferences", ())]
    assert all(uids[owner["uid"]] == owner["name"] for owner in owners)
    assert all(item["metadata"]["managedFields"] for item in ITEMS)


def test_stored_pods_are_not_changed_by_admission() -> None:
    assert len(CLUSTER.live) == len(CLUSTER.pods) == 63
    assert CLUSTER.added == {}


def test_unread_and_unseen_objects_are_noted() -> None:
    notes = [note.partition(" (")[0] for note in SEEN.notes]
    assert notes[0] == "not read: 1 CustomResourceDefinition, 1 Job, 2 Tenant"
    assert notes[1].endswith("node dev-worker5 has neither allocatable nor capacity, so that no pod fits on it")
    assert sorted(notes[4:]) == [
        "not seen: 1 pod deleted before it had a node",
        "not seen: 1 pod held back by its scheduling gates",
        "not seen: 1 pod waiting for the scheduler volcano",
        "not seen: 2 pods on a node that the input lacks",
        "not seen: 8 pods ended",
    ]


@pytest.mark.parametrize(
    "gone", ["ml/finetune", "default/scratch", "ml/train-worker-1", "shop/cache-0", "shop/cache-seed"]
)
def test_pods_that_no_scheduler_sees_are_not_explored(gone: str) -> None:
    # A gated pod, one deleted while pending, a pod of another scheduler, one on a missing node, and one that has
    # ended. The second and the first have a higher priority than most, and would be scheduled before them.
    assert any(str(pod).startswith(gone.removeprefix("default/")) for pod in CLUSTER.pods)
    assert not any(str(pod).startswith(gone.removeprefix("default/")) for pod in (*SEEN.pods, *SCENARIO.pods))


def test_every_bound_pod_counts_even_if_foreign_or_terminating() -> None:
    # On dev-worker2: volcano's train-worker-0 with 200m and a terminating replica of web with 500m; also
    # kindnet 100m, node-exporter 50m, web 500m, checkout 300m, mail 350m, search 1300m, db-1 50m, prometheus 400m; not
    # the 1 cpu of each nightly-report and the 2 of migrate, which have ended there.
    capacity = {node.name: node.allocatable["cpu"] for node in SEEN.nodes if node.name != JOINING}
    on = {node.name: used(node, snapshot(), "cpu", CORRECTED.faults) for node in SEEN.nodes}
    assert on[WORKER_2] == 200 + 500 + 100 + 50 + 500 + 300 + 350 + 1300 + 50 + 400
    assert {name: capacity[name] - on[name] for name in capacity} == {
        MASTER: 3000, WORKER_1: 50, WORKER_2: 250, CORDONED: 2350, NOT_READY: 3050,
    }  # fmt: skip


def test_budgets_with_an_outdated_status_are_named() -> None:
    # Two pods of search run where two must; of web two are ready, and half of three, rounded up, must be.
    assert list(SEEN.notes[2:4]) == [
        "budget shop/search: its status allows 1 disruption, its pods 0; the status counts",
        "budget shop/web: its status allows 1 disruption, its pods 0; the status counts",
    ]
    allowed = {str(each): each.disruptions_allowed for each in read([DUMP], pdb_status="recomputed").budgets}
    assert allowed == {"data/db": 0, "monitoring/prometheus": 1, "shop/search": 0, "shop/web": 0}


def test_eight_pending_pods_are_seen() -> None:
    assert [str(pod).rpartition("/")[2].split("-")[0] for pod in SEEN.pods if not pod.node_name] == [
        "import", "resize", "db", "metrics", "notebook", "backup", "cache", "payments",
    ]  # fmt: skip


# Why each of them is pending, and for how long.


def test_metrics_server_fits_and_is_only_not_bound_yet() -> None:
    # metrics-server needs 100m; dev-worker has 50m left, and dev-worker2, to which it is nominated, 250m.
    # No pod has a higher priority, so it is next, and a pod of kube-system does not end: it is never stranded.
    assert refusals("kube-system/metrics-server") == {**CLOSED, WORKER_1: "Resources", WORKER_2: "feasible"}
    assert decisions("kube-system/metrics") == [f"Bind({named('kube-system/metrics')}, {WORKER_2})"]
    assert explained("kube-system/metrics").ahead == ()
    assert not stranded("kube-system/metrics")


def test_payments_preempts_a_pod_of_search() -> None:
    # payments needs 1300m in zone-a. There dev-worker has 50m left; without search, of priority 0, it has 1350m, and no
    # other pod of lower priority (kindnet 100m, db-0 50m) would be enough. Cordoned and tainted nodes stay infeasible
    # after any eviction. Only metrics-server is scheduled before it, and whenever it is recreated it preempts again.
    zone_b = {
        WORKER_2: "Resources NodeSelector",
        NOT_READY: "NodeSelector Taints",
        JOINING: "Resources NodeSelector Taints",
    }
    assert refusals("shop/payments") == {**CLOSED, WORKER_1: "Resources", **zone_b}
    victim = named("shop/search", on=WORKER_1)
    assert decisions("shop/payments") == [f"Preempt({named('shop/payments')}, {WORKER_1}, {{{victim}}})"]
    assert not stranded("shop/payments")


def test_the_victim_of_payments_violates_its_budget() -> None:
    # metrics-server is bound, then payments evicts a pod of search, of which two run and two must.
    searching = [pod for pod in SEEN.pods if pod.labels.get("app") == "search"]
    never_evicted = asked(f"never_evicted({named('shop/search', on=WORKER_1)})", *searching).result
    kept = asked("budget_kept(shop/search)", *searching).result
    assert [len(each.trace) for each in (*never_evicted.violations, *kept.violations)] == [3, 3]


@pytest.mark.parametrize("budget", ["data/db", "monitoring/prometheus"])
def test_no_order_of_events_violates_the_other_budgets(budget: str) -> None:
    # Of the pods that may arrive, only payments has a higher priority than db-0, and it evicts search, since db-0 has
    # too
    # little to be of use; dev-worker2 is not in its zone. So no pod of these budgets is ever evicted.
    (about,) = (each for each in SEEN.budgets if str(each) == budget)
    protected = [pod for pod in SEEN.pods if protects(about, pod)]
    assert asked(f"budget_kept({budget})", *protected).result.verdict is Verdict.VACUOUS


def test_import_is_larger_than_any_node() -> None:
    # import needs 6 cpus, and no node has more than 4, whatever is evicted or ends.
    everywhere = {
        MASTER: "Resources Taints",
        CORDONED: "Schedulability Resources Taints",
        NOT_READY: "Resources Taints",
    }
    assert refusals("batch/import") == {**CLOSED, **everywhere, WORKER_1: "Resources", WORKER_2: "Resources"}
    assert reasons("batch/import", WORKER_2) == ["insufficient cpu (requests 6, 250m left)"]
    assert waits("batch/import")
    assert stranded("batch/import")


def test_notebook_selects_a_label_that_no_node_has() -> None:
    # notebook-0 needs an accelerator label, and no event here labels a node.
    assert refusals("ml/notebook") == {
        MASTER: "NodeSelector Taints",
        WORKER_1: "NodeSelector",
        WORKER_2: "NodeSelector",
        CORDONED: "Schedulability NodeSelector Taints",
        NOT_READY: "NodeSelector Taints",
        JOINING: "Resources NodeSelector Taints",
    }
    assert waits("ml/notebook")
    assert stranded("ml/notebook")


def test_backup_selects_only_a_node_with_an_untolerated_taint() -> None:
    # backup selects the control plane, which alone has that label, and a selector is no toleration.
    others = {WORKER_1: "NodeSelector", WORKER_2: "NodeSelector", CORDONED: "Schedulability NodeSelector Taints"}
    rest = {NOT_READY: "NodeSelector Taints", JOINING: "Resources NodeSelector Taints"}
    assert refusals("ops/backup") == {MASTER: "Taints", **others, **rest}
    assert reasons("ops/backup", MASTER) == ["untolerated taint node-role.kubernetes.io/control-plane:NoSchedule"]
    assert waits("ops/backup")
    assert stranded("ops/backup")


def test_cache_warmer_requires_affinity_to_pods_that_do_not_count() -> None:
    # cache-warmer requires a pod with app=cache. There are two: cache-0, bound to the missing node dev-worker6, and
    # cache-seed, which has ended on dev-worker. Neither is seen, and cache-0 has no owner, so that it is not recreated.
    # The warmer itself has app=cache-warmer, and so is not the first of its group.
    apart = {node: f"{filters} PodAffinity" for node, filters in CLOSED.items()}
    assert refusals("shop/cache-warmer") == {**apart, WORKER_1: "PodAffinity", WORKER_2: "PodAffinity"}
    assert waits("shop/cache-warmer")
    assert stranded("shop/cache-warmer")


def test_cache_warmer_fits_if_the_node_existed_or_ended_pods_counted() -> None:
    warmer = named("shop/cache-warmer")
    lost = Node(
        "dev-worker6", SEEN.nodes[1].labels.set("kubernetes.io/hostname", "dev-worker6"), SEEN.nodes[1].allocatable
    )
    assert CORRECTED.feasibility(warmer, lost, snapshot(CLUSTER, lost))
    found = explanation(warmer, snapshot(CLUSTER), replace(CORRECTED, faults=frozenset({Fault.COMPLETED_PODS_COUNT})))
    assert found is not None
    assert [each.node.name for each in found.nodes if not each.reasons["PodAffinity"]] == [WORKER_1]


@pytest.mark.medium
def test_db_2_may_not_share_a_node_with_another_replica() -> None:
    # db-2 needs 50m, which both workers have, but db-0 is on one of them and db-1 on the other, with its own priority.
    # Pods of a StatefulSet do not end by themselves, so there is no node for it. If one of them could end, db-2 might
    # be
    # scheduled before its replacement.
    both = "PodAntiAffinity ExistingAntiAffinity"
    assert refusals("data/db-2") == {**CLOSED, WORKER_1: both, WORKER_2: both}
    assert reasons("data/db-2", WORKER_2)[1] == "the required anti-affinity of data/db-1"
    assert waits("data/db-2")
    assert stranded("data/db-2")
    waiting = named("data/db-2")
    question = f"pod_can_still_be_bound({waiting})"
    made = cut(settled(SCENARIO, frozenset({waiting.key}))[0], frozenset({waiting.key}))
    ending = Rule("complete", pods=(named("data/db-0", on=WORKER_1).key,))
    leaving = replace(made, rules=(*made.rules, ending), properties=(question,))
    assert check(leaving, bounds=ENOUGH).result.verdict is Verdict.HOLDS


def test_resize_has_too_low_a_priority_to_preempt() -> None:
    # resize needs 800m, and both workers have less left, dev-worker2 even after the terminating replica of web has
    # ended there and metrics-server is bound: 250m + 500m - 100m. No pod has a priority below its own 0. But it is
    # not stranded: train-worker-0 of a volcano Job is restarted only on failure, and its end leaves 200m more, 850m.
    assert refusals("batch/resize") == {**CLOSED, WORKER_1: "Resources", WORKER_2: "Resources"}
    assert reasons("batch/resize", WORKER_2) == ["insufficient cpu (requests 800m, 250m left)"]
    assert waits("batch/resize")
    assert min(pod.priority for pod in SEEN.pods) == named("batch/resize").priority
    assert not stranded("batch/resize")
