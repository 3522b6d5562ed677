"""Each kind of feature is drawn if it is asked for, and only then; witnessed on the objects, not on the values"""

import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from schedcheck import InputError
from schedcheck.checker.drawing import kinds
from schedcheck.spec.kubernetes.control_loop import decision
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.testing import ALL, KINDS, as_objects, asked, clusters, questions, snapshots
from tests.schedcheck.manifests.test_snapshots import read_back

Object = dict[str, Any]
Question = tuple[Object, Object]
DRAWN = 100
ALONE, AMONG_ALL = 1 / 4, 1 / 8
"""The least part of the clusters that has a kind, if it is asked for alone, and with all others."""


def drawn(strategy: st.SearchStrategy[Any], start: int, number: int = DRAWN) -> list[Any]:
    """This number of examples of the strategy, the same for the same seed."""
    found: list[Any] = []

    @seed(start)
    @settings(
        max_examples=number, database=None, derandomize=False, deadline=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(strategy)
    def keep(each: Any) -> None:
        found.append(each)

    keep()
    return found


def of_kind(cluster: Object, *kinds: str) -> list[Object]:
    return [each for each in cluster["items"] if each["kind"] in kinds]


def containers(cluster: Object) -> Iterator[Object]:
    for pod in of_kind(cluster, "Pod"):
        yield from (*pod["spec"].get("initContainers", ()), *pod["spec"]["containers"])


def has(cluster: Object, *fields: str) -> bool:
    """Whether the spec of some pod has one of the fields."""
    return any(field in pod["spec"] for pod in of_kind(cluster, "Pod") for field in fields)


def bound(cluster: Object) -> list[Object]:
    return [pod for pod in of_kind(cluster, "Pod") if pod["spec"].get("nodeName")]


def requests(pod: Object, cluster: Object) -> bool:
    return any(each.get("resources") for each in containers(cluster))


def resources_of_pods(pod: Object, cluster: Object) -> bool:
    statuses = (each.get("status", {}) for each in of_kind(cluster, "Pod"))
    lists = (status.get(name, ()) for status in statuses for name in ("containerStatuses", "initContainerStatuses"))
    return has(cluster, "initContainers", "resources", "overhead") or any(
        "resources" in each for some in lists for each in some
    )


def taints(pod: Object, cluster: Object) -> bool:
    nodes = (node.get("spec", {}) for node in of_kind(cluster, "Node"))
    return has(cluster, "tolerations") or any(spec.get("taints") or spec.get("unschedulable") for spec in nodes)


def outranks(pod: Object, cluster: Object) -> bool:
    """Whether the pod outranks a bound pod, or one is nominated or terminating."""
    return (
        any(each["spec"]["priority"] < pod["spec"]["priority"] for each in bound(cluster))
        or any("nominatedNodeName" in each["status"] for each in of_kind(cluster, "Pod"))
        or any("deletionTimestamp" in each["metadata"] for each in of_kind(cluster, "Pod"))
    )


def images(pod: Object, cluster: Object) -> bool:
    return any("images" in node["status"] for node in of_kind(cluster, "Node")) or any(
        each["image"] != "pause" for each in containers(cluster)
    )


FEATURES: dict[str, Callable[[Object, Object], bool]] = {
    "resources": requests,
    "pod-resources": resources_of_pods,
    "taints": taints,
    "affinity": lambda _, cluster: has(cluster, "affinity", "nodeSelector"),
    "spread": lambda _, cluster: has(cluster, "topologySpreadConstraints"),
    "ports": lambda _, cluster: any("ports" in each for each in containers(cluster)),
    "preemption": outranks,
    "budgets": lambda _, cluster: of_kind(cluster, "PodDisruptionBudget") != [],
    "volumes": lambda _, cluster: has(cluster, "volumes") and of_kind(cluster, "PersistentVolumeClaim") != [],
    "priorities": lambda _, cluster: any(pod["spec"]["priority"] for pod in of_kind(cluster, "Pod")),
    "images": images,
}


def frequencies(chosen: Collection[str], start: int) -> Counter[str]:
    """How often each feature occurs."""
    counted: Counter[str] = Counter()
    for pod, cluster in drawn(questions(chosen), start):
        counted.update(kind for kind, occurs in FEATURES.items() if occurs(pod, cluster))
    return counted


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", ALL)
def test_a_kind_alone_is_drawn_with_what_it_implies_and_nothing_else(kind: str) -> None:
    counted = frequencies({kind}, 1)
    assert counted[kind] >= ALONE * DRAWN
    assert counted.keys() == kinds.with_implied({kind})


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", ALL)
def test_a_kind_that_is_not_asked_for_does_not_occur(kind: str) -> None:
    others = {each for each in ALL if kind not in kinds.with_implied({each})}
    counted = frequencies(others, 2)
    assert counted.keys() == others


@pytest.mark.sampled(1)
@pytest.mark.parametrize("start", range(3))
def test_each_kind_is_drawn_among_all(start: int) -> None:
    counted = frequencies(ALL, start)
    assert counted.keys() == KINDS.keys()
    assert min(counted.values()) >= AMONG_ALL * DRAWN


def left(kind: str) -> bool:
    """Whether the kind is left somewhere if everything without it is asked for."""
    others = [each for each in ALL if kind not in kinds.with_implied({each})]
    reduced = (kinds.reduced(*each, others) for each in drawn(asked(), 2, 60))
    return any(FEATURES[kind](*as_objects(each)) for each in reduced)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", ALL)
def test_a_kind_that_nothing_removes_is_noticed(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not left(kind)
    monkeypatch.setattr(kinds, "WITHOUT", {each: change for each, change in kinds.WITHOUT.items() if each != kind})
    assert left(kind)


@pytest.mark.medium
def test_bindings_nominations_and_rejections_are_allowed_by_what_is_drawn() -> None:
    counted: Counter[str] = Counter()
    for pod, snapshot in drawn(asked(), 1, 3 * DRAWN):
        counted.update({type(each).__name__ for each in decision(pod, snapshot, DEFAULT_PLUGINS)})
    assert min(counted[name] for name in ("Bind", "Nominate", "Wait")) >= 3 * DRAWN / 20


def test_the_pending_pod_is_one_of_the_cluster() -> None:
    for pod, cluster in drawn(questions(), 1, 50):
        assert pod in cluster["items"]
        assert "nodeName" not in pod["spec"]
        assert pod["status"]["phase"] == "Pending"


@pytest.mark.medium
def test_objects_have_names_uids_and_namespaces_of_their_own() -> None:
    for cluster in drawn(clusters(), 1):
        items = cluster["items"]
        keys = Counter((each["kind"], each["metadata"].get("namespace"), each["metadata"]["name"]) for each in items)
        assert set(keys.values()) == {1}
        assert len({each["metadata"]["uid"] for each in items}) == len(items)
        spaces = {each["metadata"]["name"] for each in of_kind(cluster, "Namespace")}
        assert {each["metadata"]["namespace"] for each in of_kind(cluster, "Pod")} <= spaces


@pytest.mark.medium
def test_clusters_are_the_snapshots_as_objects() -> None:
    same = zip(
        drawn(clusters({"taints", "volumes"}), 3, 50), drawn(snapshots({"taints", "volumes"}), 3, 50), strict=True
    )
    assert all(read_back(cluster["items"]) == snapshot for cluster, snapshot in same)


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(InputError, match=r"^kinds: 'gpus': expected some of resources, pod-resources, .*images$"):
        asked({"gpus", "taints"})


def test_the_strategies_are_not_imported_with_the_package() -> None:
    program = "import schedcheck, sys; print({'hypothesis', 'pytest', 'schedcheck.testing'} & set(sys.modules))"
    made = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert made.stdout == "set()\n"
