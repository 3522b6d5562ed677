"""Names as kubectl takes them: pods, workloads, budgets and nodes, with and without kind and namespace; label selectors"""

import itertools
from dataclasses import replace

import pytest

from schedcheck.api.label_selectors import label_selector, nearest_labels
from schedcheck.api.naming import budget_named, in_namespace, pod_named
from schedcheck.errors import InputError
from schedcheck.manifests import read
from schedcheck.manifests.names import nearest_three, node_named
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
        with pytest.raises(InputError) as refused:
            pod_named(text, namespace, dump("openshift"), "POD")
        near = str(refused.value).partition("no pod has this name; the nearest: ")[2].split(", ")
        assert near[0] == "shop-prod/deployment/search"
        assert len(near) == 3 and all(each.startswith("shop-prod/search-") for each in near[1:])
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
    with pytest.raises(InputError, match="NODES: 'n9': no node has this name; the nearest: n1, n2, n3"):
        node_named("n9", names, "NODES")


@pytest.mark.parametrize(
    ("asked", "names", "near"),
    [
        # The name itself in another place, then names that begin with it, numbers as numbers.
        ("shop/web", ["shop/web-10", "shop/web-2", "shop/cobweb", "blog/web"], "blog/web, shop/web-2, shop/web-10"),
        # Of two that are equally like it, the one in the same namespace.
        ("shop/web", ["blog/web-1", "shop/web-1"], "shop/web-1, blog/web-1"),
        ("shop/WEB", ["shop/web-1", "shop/db-1"], "shop/web-1"),
        ("deploy/webb", ["shop/deployment/redis", "shop/deployment/web"], "shop/deployment/web"),
    ],
)
def test_the_nearest_names_begin_with_the_asked_one(asked: str, names: list[str], near: str) -> None:
    assert nearest_three(asked, names) == f"; the nearest: {near}"


def test_names_that_are_not_alike_are_not_called_near() -> None:
    assert nearest_three("web", ["kafka-0", "postgres-0"]) == "; the input has kafka-0, postgres-0"
    assert nearest_three("web", ["a1", "a10", "a2", "a3"]) == "; the input has a1, a2, a3, …"
    assert nearest_three("web", []) == "; the input has none"


def test_the_nearest_label_has_the_same_value() -> None:
    there = [{"app.kubernetes.io/name": "web", "app": "dns"}, {"app.kubernetes.io/name": "api"}]
    assert nearest_labels(label_selector("app=web", "-l"), there) == (
        "; the nearest: app.kubernetes.io/name=web, app=dns"
    )


@pytest.mark.parametrize(
    ("text", "namespace", "wrong"),
    [
        ("svc/frontend", "serving", "svc"),
        ("svc/frontend", None, "svc"),
        ("deplyo/frontend", "serving", "deplyo"),
        ("serving/service/frontend", None, "service"),
        ("serving/foo/frontend", None, "foo"),
        ("pdb/frontend", "serving", "pdb"),
    ],
)
def test_another_type_is_refused_with_the_types(text: str, namespace: str | None, wrong: str) -> None:
    with pytest.raises(InputError) as refused:
        pod_named(text, namespace, dump("gke"), "POD")
    assert str(refused.value) == (
        f"POD: {text!r}: expected a type (pod, deploy, rs, sts, ds, rc, dc, job, cj), not {wrong!r}"
    )


def test_another_type_of_a_budget_is_refused() -> None:
    for text in ("deploy/frontend", "svc/frontend"):
        with pytest.raises(InputError, match=r"expected a type \(pdb\), not '(deploy|svc)'"):
            budget_named(text, None, dump("gke").budgets, "--budget")
    with pytest.raises(InputError, match=r"--pod: 'svc/frontend': expected a type \(pod, deploy, "):
        in_namespace("svc/frontend", "serving", "--pod")


def test_a_namespace_that_is_called_like_a_type_is_one() -> None:
    pods = [replace(pod, namespace="service") for pod in dump("k3s").pods[:1]]
    cluster = replace(dump("k3s"), pods=tuple(pods), workloads=())
    assert pod_named(f"service/{pods[0].name}", None, cluster, "POD") == pods[0]
    with pytest.raises(InputError, match="no pod has this name"):
        pod_named("service/nothing", None, cluster, "POD")


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
