"""Names as kubectl takes them: pods, workloads, budgets and nodes, with and without kind and namespace; label selectors"""

import itertools

import pytest

from schedcheck.api.label_selectors import label_selector
from schedcheck.api.naming import budget_named, in_namespace, pod_named
from schedcheck.errors import InputError
from schedcheck.manifests import read
from schedcheck.manifests.names import node_named
from schedcheck.manifests.objects import Cluster
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.selectors import selects
from schedcheck.spec.values import Labels
from tests.questions.write import FOLDER


def dump(name: str) -> Cluster:
    return read([FOLDER / name])


@pytest.mark.parametrize("text", ["search", "deploy/search", "deployment.apps/search", "shop-prod/deployments/search"])
def test_a_deployment_stands_for_its_pod_that_waits(text: str) -> None:
    namespace = None if text.startswith("shop-prod/") else "shop-prod"
    if text == "search":
        with pytest.raises(InputError, match=r"POD: 'search': no pod has this name; the nearest: shop-prod/search-"):
            pod_named(text, namespace, dump("openshift"), "POD")
        return
    found = pod_named(text, namespace, dump("openshift"), "POD")
    assert found.name.startswith("search-") and not found.node_name


@pytest.mark.parametrize(
    ("text", "begun"),
    [
        ("shop-prod/dc/frontend", "frontend-7-"),
        ("shop-prod/rc/frontend-7", "frontend-7-"),
        ("shop-prod/sts/mongodb", "mongodb-0"),
        ("shop-prod/mongodb-1", "mongodb-1"),
        ("shop-prod/pod/mongodb-2", "mongodb-2"),
        ("openshift-dns/ds/dns-default", "dns-default-"),
    ],
)
def test_each_kind_of_workload_stands_for_one_of_its_pods(text: str, begun: str) -> None:
    found = pod_named(text, None, dump("openshift"), "POD")
    assert found.name.startswith(begun) and found.phase == "Running"


def test_a_deployment_whose_replicaset_is_not_in_the_input_is_found_by_the_name_of_the_pods_owner(
    tmp_path: pytest.TempPathFactory,
) -> None:
    cluster = read([FOLDER / "openshift" / "pods.yaml", FOLDER / "openshift" / "nodes.yaml"])
    assert pod_named("deploy/search", "shop-prod", cluster, "POD").name.startswith("search-")
    assert pod_named("dc/frontend", "shop-prod", cluster, "POD").name.startswith("frontend-7-")


def test_a_workload_without_a_pod_is_refused() -> None:
    with pytest.raises(InputError, match=r"POD: 'ml/job/finetune-7b': it has no pod"):
        pod_named("ml/job/finetune-7b", None, dump("gke"), "POD")


def test_a_wrong_name_gives_the_three_nearest() -> None:
    cluster = dump("gke")
    with pytest.raises(InputError) as refused:
        pod_named("feature-store-0", None, cluster, "POD")
    assert "the nearest: serving/feature-store-0, " in str(refused.value) and str(refused.value).count("/") == 3
    with pytest.raises(InputError, match="no Deployment has this name; the nearest: serving/deployment/recommend, "):
        pod_named("serving/deploy/recomend", None, cluster, "POD")
    with pytest.raises(InputError, match="no PodDisruptionBudget has this name; the nearest: serving/frontend"):
        budget_named("frontend", None, cluster.budgets, "--budget")
    with pytest.raises(InputError, match="names another namespace than POD"):
        pod_named("serving/feature-store-0", "batch", cluster, "POD")


@pytest.mark.parametrize(
    ("text", "namespace"),
    [
        ("recommend", "serving"),
        ("pdb/recommend", "serving"),
        ("serving/recommend", None),
        ("serving/pdb/recommend", None),
    ],
)
def test_a_budget_is_named_with_or_without_its_kind(text: str, namespace: str | None) -> None:
    assert str(budget_named(text, namespace, dump("gke").budgets, "--budget")) == "serving/recommend"


def test_a_node_is_named_with_or_without_its_kind() -> None:
    names = ["n1", "n2", "n3", "n4"]
    assert [node_named(text, names, "NODES") for text in ("n2", "node/n2", "no/n2")] == ["n2"] * 3
    with pytest.raises(InputError, match="NODES: 'n9': no node has this name; the nearest: n4, n3, n2"):
        node_named("n9", names, "NODES")


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("web-1", "shop/web-1"),
        ("deploy/web", "shop/deploy/web"),
        ("shop/web-1", "shop/web-1"),
        ("pdb/web", "shop/pdb/web"),
    ],
)
def test_the_namespace_goes_before_the_name(text: str, made: str) -> None:
    assert in_namespace(text, "shop", "--pod") == made
    assert in_namespace(text, None, "--pod") == text


SELECTORS = {
    "zone=a": lambda labels: labels.get("zone") == "a",
    "zone==a,disk=ssd": lambda labels: labels.get("zone") == "a" and labels.get("disk") == "ssd",
    "zone!=a": lambda labels: labels.get("zone") != "a",
    "zone in (a, b),disk": lambda labels: labels.get("zone") in ("a", "b") and "disk" in labels,
    "zone notin (a,b)": lambda labels: labels.get("zone") not in ("a", "b"),
    "!disk": lambda labels: "disk" not in labels,
    "disk=": lambda labels: labels.get("disk") == "",
}


@pytest.mark.parametrize("text", SELECTORS)
def test_a_label_selector_selects_what_kubectl_selects(text: str) -> None:
    selector = label_selector(text, "-l")
    for zone, disk in itertools.product((None, "a", "b", "c"), (None, "", "ssd")):
        labels = {key: value for key, value in (("zone", zone), ("disk", disk)) if value is not None}
        assert selects(selector, Labels(labels), NO_FAULTS) == SELECTORS[text](labels), labels


@pytest.mark.parametrize("text", ["", "zone=a b", "zone in a", "=a", "zone=a,,disk=b"])
def test_another_text_is_no_label_selector(text: str) -> None:
    with pytest.raises(InputError, match="expected labels"):
        label_selector(text, "-l")
