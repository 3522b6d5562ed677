"""Questions 4, 8, 11, 12: a taint that strands, two configurations, a configuration that is refused, starvation."""

from collections import Counter

from tests.questions import gke, judged
from tests.questions.asking import DUMPS, asked

GIVEN = f"{DUMPS}/given"
MOST = "examples/compare/most-allocated.yaml"


def embedder() -> str:
    return judged.pod_named("gke", "serving/embedder")


def test_a_taint_on_every_gpu_node_strands_the_pod_that_needs_one() -> None:
    said = asked(f'schedcheck check --property "pod_can_still_be_bound({embedder()})" GKE {GIVEN}/gpu-maintenance.yaml')
    assert said.code == 1
    # It is evicted from its node, and needs a GPU, which the other eight nodes lack.
    # Three nodes have the taint of the maintenance, and two that of the spot pool.
    assert "5 node(s) had untolerated taint(s)" in said.text
    assert "6 Insufficient nvidia.com/gpu" in said.text
    for node in gke.GPU:
        assert f"{node}: maintenance:NoExecute" in said.text


def test_a_taint_on_one_gpu_node_does_not_strand_it() -> None:
    said = asked(
        f'schedcheck check --property "pod_can_still_be_bound({embedder()})" GKE {GIVEN}/gpu-maintenance-once.yaml'
    )
    # The other two have two GPUs each, and nobody else asks for one.
    assert said.code == 0 and "Every state of the scenario was explored" in said.text


def test_lint_names_the_taint_that_a_pod_should_tolerate() -> None:
    said = asked("schedcheck lint GKE")
    assert said.code == 1 and "let the pod tolerate the taint nvidia.com/gpu=present:NoSchedule" in said.text


def test_two_configurations_are_compared_pod_by_pod() -> None:
    said = asked(f"schedcheck compare --config {MOST} GKE {GIVEN}/importer.yaml --format json")
    # The three pods of importer are new and ask for 500m and 1Gi; notebook-anna-0 fits nowhere under either.
    same = [each["pod"]["name"] for each in said.json["same"]]
    assert said.code == 1 and same == ["notebook-anna-0"]
    names = [each["pod"]["name"] for each in said.json["differences"]]
    assert names == ["importer-0", "importer-1", "importer-2"]
    for found in said.json["differences"]:
        assert (found["because"]["stage"], found["because"]["plugin"]) == ("score", "NodeResourcesFit")
        for each in found["nodes"]:
            raw = tuple(each[which]["scores"]["NodeResourcesFit"]["raw"] for which in ("first", "second"))
            assert raw == shares(each["node"]), each["node"]


def shares(name: str) -> tuple[int, int]:
    """Return the least and the most allocated share of a node with one more pod of 500m and 1Gi, each of 100.

    For scores a container without a request counts 100m of cpu and 200Mi of memory.
    """
    (node,) = (each for each in judged.of_kind("gke", "Node") if judged.name(each) == name)
    least = most = 0
    for resource, size, default in (("cpu", "500m", "100m"), ("memory", "1Gi", "200Mi")):
        whole = judged.amount(node["status"]["allocatable"][resource])
        containers = [each for pod in judged.there("gke", name) for each in pod["spec"]["containers"]]
        asked_for = [each["resources"].get("requests", {}).get(resource, default) for each in containers]
        taken = sum(map(judged.amount, asked_for)) + judged.amount(size)
        least += (whole - taken) * 100 // whole
        most += taken * 100 // whole
    return least // 2, most // 2


def test_every_error_of_a_configuration_is_found() -> None:
    said = asked(f"schedcheck lint --config {GIVEN}/wrong-configuration.yaml --format json")
    paths = {each["field"] for each in said.json["findings"]}
    # A weight of 0 among the resources becomes 1 by default.
    assert said.code == 1 and paths == {
        "profiles[1].schedulerName",
        "percentageOfNodesToScore",
        "profiles[0].pluginConfig[1].args.hardPodAffinityWeight",
        "profiles[0].plugins.score.enabled[0].name",
    }
    assert "did you mean 'NodeResourcesFit'" in " ".join(each["sentence"] for each in said.json["findings"])
    assert asked(f"schedcheck lint --config {MOST}").code == 0


def test_pods_that_may_starve_are_counted_with_those_that_starve_them() -> None:
    pods = [each for each in judged.of_kind("eks", "Pod") if each["status"]["phase"] != "Succeeded"]
    counts = Counter(each["spec"]["priority"] for each in pods)
    said = asked("schedcheck lint EKS")
    system = f"{counts[2_000_000_000]} of system-cluster-critical (2,000,000,000)"
    node = f"{counts[2_000_001_000]} of system-node-critical (2,000,001,000)"
    assert (
        f"Its {counts[0]} pods of priority 0 may wait forever, if pods of higher priority keep coming: "
        f"{counts[100_000]} of shop-critical (100,000), {system}, {node}." in said.text
    )
    assert (
        f"Its {counts[100_000]} pods of priority 100,000 may evict any of {counts[0]} pods of lower priority"
        in said.text
    )
