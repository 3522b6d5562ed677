"""Questions 2, 7, 9, 20: drains against budgets, budgets that cannot be satisfied, node pools that go, nodes that fail."""

import pytest

import schedcheck
from schedcheck import Observer
from schedcheck.api.preparing import prepared
from schedcheck.checker.relocation.leaving import failed
from schedcheck.checker.relocation.left import left
from tests.questions import eks, gke, judged, openshift
from tests.questions.asking import DUMPS, ROOT, asked

POSTGRES = "shop/postgres: it allows no eviction, even if all its pods are healthy"


def on(dump: str, nodes: tuple[str, ...], key: str) -> list[str]:
    """Return the full names of the pods on these nodes whose namespace/name begins with `key`."""
    pods = (pod for node in nodes for pod in judged.there(dump, node))
    return sorted(judged.full(pod) for pod in pods if judged.full(pod).startswith(key))


def test_a_drain_of_three_nodes_gets_stuck_at_the_budget_that_allows_nothing() -> None:
    # postgres has one replica and minAvailable 1; it is on g4.
    nodes = ",".join(eks.NAMES[short] for short in ("g2", "g4", "g6"))
    said = asked(f"schedcheck drain {nodes} EKS")
    assert said.code == 1 and f"The drain does not end: {POSTGRES}." in said.text


def test_a_drain_of_one_node_gets_stuck_at_a_budget_whose_evicted_pod_finds_no_place() -> None:
    # g5 has two of six web pods, of which five must stay. The zones would count 2, 2 and 0, so that the first evicted pod
    # must stay in its zone, where g6 has 250m and never more than that, while web asks for 300m. So the second stays.
    said = asked(f"schedcheck drain {eks.NAMES['g5']} EKS")
    assert said.code == 1 and "as shop/web allows no eviction" in said.text
    web = on("eks", (eks.NAMES["g5"],), "shop/web")
    assert len(web) == 2 and sum(f"{pod} stays on {eks.NAMES['g5']}" in said.text for pod in web) == 1


def test_a_drain_of_openshift_workers_gets_stuck_at_a_budget_whose_pod_waits() -> None:
    # Two of three replicas of search run, and only two nodes have its disk: its budget allows none now and never will.
    said = asked("schedcheck drain -l disk=nvme OPENSHIFT")
    assert said.code == 1
    for pod in on("openshift", openshift.WORKERS, "shop-prod/search"):
        assert f"{pod} stays on" in said.text
    assert "as shop-prod/search allows no eviction" in said.text


@pytest.mark.parametrize(("dump", "budget"), [("EKS", "shop/postgres"), ("GKE", ""), ("K3S", ""), ("OPENSHIFT", "")])
def test_lint_names_the_budgets_that_can_never_allow_an_eviction(dump: str, budget: str) -> None:
    found = asked(f"schedcheck lint {dump} --format json").json["findings"]
    blocking = [each for each in found if each["rule"] == "budget-blocks-drain"]
    named = [f"{each['object']['namespace']}/{each['object']['name']}" for each in blocking]
    # By hand: minAvailable 1 of one replica; every other budget leaves one replica or more.
    assert named == ([budget] if budget else [])


def test_a_node_pool_that_is_drained_strands_the_pods_that_select_it() -> None:
    said = asked("schedcheck drain -l eks.amazonaws.com/nodegroup=spot EKS")
    waiting = on("eks", tuple(name for name, _ in eks.SPOT.values()), "shop/thumbnailer")
    assert said.code == 1 and len(waiting) == 5
    assert f"5 pods may find no place: {' '.join(waiting)}." in said.text


def test_a_node_pool_that_fails_strands_the_pods_that_select_it() -> None:
    said = asked(f"schedcheck fail -l {gke.POOL}=spot-pool GKE --format json")
    (case,) = said.json["cases"]
    waiting = sorted(f"{each['namespace']}/{each['name']}" for each in case["violations"][0]["waiting"])
    crawlers = on("gke", tuple(gke.SPOT), "batch/crawler")
    assert said.code == 1 and len(crawlers) == 6
    assert [each for each in waiting if each.startswith("batch/")] == crawlers


def test_a_node_whose_pods_fit_elsewhere_can_be_lost() -> None:
    # office has print-proxy, which selects the board, and uptime-kuma; the loss of the other board strands zigbee2mqtt alone.
    said = asked("schedcheck fail pi4-cellar K3S --format json")
    (case,) = said.json["cases"]
    waiting = [f"{each['namespace']}/{each['name']}" for each in case["violations"][0]["waiting"]]
    lost = judged.pod_named("k3s", "home/zigbee2mqtt")
    assert said.code == 1 and [each for each in waiting if each.startswith("home/")] == [lost]


def test_the_failure_of_a_zone_strands_the_replica_whose_volume_is_there() -> None:
    said = asked("schedcheck fail -l topology.kubernetes.io/zone=eu-west-1a EKS --format json")
    (case,) = said.json["cases"]
    waiting = {f"{each['namespace']}/{each['name']}" for each in case["violations"][0]["waiting"]}
    assert said.code == 1 and "shop/kafka-0" in waiting


@pytest.mark.medium
def test_each_zone_in_turn_strands_the_replica_of_that_zone() -> None:
    said = asked("schedcheck fail --each topology.kubernetes.io/zone EKS --format json")
    assert said.code == 1
    for number, case in enumerate(said.json["cases"]):
        waiting = {f"{each['namespace']}/{each['name']}" for each in case["violations"][0]["waiting"]}
        assert f"shop/kafka-{number}" in waiting, number


@pytest.mark.parametrize("dump", ["EKS", "GKE", "OPENSHIFT"])
def test_what_budgets_allow_while_a_node_is_gone_is_counted_from_the_pods_that_are_left(dump: str) -> None:
    cluster = prepared(schedcheck.read(ROOT / DUMPS / dump.lower()), schedcheck.kubernetes(), Observer()).scenario
    pods = [each for each in judged.of_kind(dump.lower(), "Pod") if each["status"]["phase"] == "Running"]
    seen = 0
    for node in (judged.name(each) for each in judged.of_kind(dump.lower(), "Node")):
        found = {str(each.budget): (each.healthy, each.desired, each.allowed) for each in left(failed(cluster, [node]))}
        expected = {}
        for budget in judged.of_kind(dump.lower(), "PodDisruptionBudget"):
            wanted = budget["spec"]["selector"]["matchLabels"].items()
            own = [
                each["spec"]["nodeName"]
                for each in pods
                if wanted <= judged.labels(each).items()
                and each["metadata"]["namespace"] == budget["metadata"]["namespace"]
            ]
            if node in own:
                there = sum(each != node for each in own)
                desired = budget["status"]["desiredHealthy"]
                expected[judged.full(budget)] = (there, desired, max(0, there - desired))
        assert found == expected, node
        seen += len(expected)
    assert seen > 5


def test_the_failure_of_a_node_says_what_its_budgets_allow_meanwhile() -> None:
    # g1 has two of six web pods, of which five must stay; kafka-0, of three, two of which must.
    said = asked(f"schedcheck fail {eks.NAMES['g1']} EKS")
    assert "Budget shop/web: 4 of 6 pods left, 5 must stay: no eviction allowed until 2 are back" in said.text
    assert "Budget shop/kafka: 2 of 3 pods left, 2 must stay: no eviction allowed until 1 is back" in said.text
    # The budget of the GKE service that lets a quarter of eight go: one of its pods is on each node of the pool but two.
    node = next(iter(gke.DEFAULT))
    there = sum(judged.full(each).startswith("serving/frontend-") for each in judged.there("gke", node))
    found = asked(f"schedcheck fail {node} GKE")
    assert f"Budget serving/frontend: {8 - there} of 8 pods left, 6 must stay" in found.text


def test_a_failure_explains_every_pod_that_finds_no_place() -> None:
    said = asked("schedcheck fail -l topology.kubernetes.io/zone=eu-west-1a EKS")
    assert "VolumeBinding: node(s) didn't match PersistentVolume's node affinity" in said.text
    for key in ("shop/kafka-0", "monitoring/prometheus-k8s-0"):
        assert f"{key}: 0/6 nodes are available: 2 node(s) had untolerated taint(s), 4 Insufficient cpu." in said.text
