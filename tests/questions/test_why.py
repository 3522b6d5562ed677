"""Questions 1, 13, 15: why a pod is pending, whether a DaemonSet is on every node, and which node would help."""

import pytest

from tests.questions import eks, judged
from tests.questions.asking import asked

PENDING = {
    "EKS": ("analytics/report",),
    "GKE": ("ml/notebook-anna-0",),
    "K3S": ("gitea/gitea-postgres-0", "kube-system/svclb-traefik-5b8c1d6e"),
    "OPENSHIFT": ("shop-prod/search",),
}


def waiting(dump: str, key: str) -> judged.Object:
    """Return the pod without a node whose namespace/name begins with `key`."""
    pods = judged.of_kind(dump.lower(), "Pod")
    return next(each for each in pods if judged.full(each).startswith(key) and not each["spec"].get("nodeName"))


@pytest.mark.parametrize(("dump", "key"), [(dump, key) for dump, keys in PENDING.items() for key in keys])
def test_why_is_this_pod_pending_is_answered_by_the_event_and_each_node(dump: str, key: str) -> None:
    pod = waiting(dump, key)
    said = asked(f"schedcheck explain {judged.full(pod)} {dump}")
    assert said.code == 0
    assert judged.event(dump.lower(), pod) in said.text
    found = asked(f"schedcheck explain {judged.full(pod)} {dump} --format json").json
    first = {each["node"]: each["refusals"][0]["reasons"] for each in found["nodes"]}
    nodes = judged.of_kind(dump.lower(), "Node")
    assert first == {judged.name(node): judged.refusal(dump.lower(), pod, node) for node in nodes}


def quantity(size: int, resource: str) -> str:
    """Return thousandths as Kubernetes writes an amount of cpu."""
    assert resource == "cpu"
    return f"{size // 1000}" if size % 1000 == 0 else f"{size}m"


@pytest.mark.parametrize("profile", ["kubernetes", "classic"])
def test_what_lacks_is_said_with_both_amounts_and_not_in_the_event(profile: str) -> None:
    pod = waiting("EKS", "analytics/report")
    said = asked(f"schedcheck explain {judged.full(pod)} EKS --profile {profile}")
    free = {judged.name(node): judged.free("eks", node)["cpu"] for node in judged.of_kind("eks", "Node")}
    on_demand = [free[name] for name, _ in eks.GENERAL.values()]
    assert f"Insufficient cpu (asked 1500m, free {min(on_demand)}m to {max(on_demand)}m)" in said.text
    # The early scheduler counts the spot node too that has less than 1500m left, as it names every failure.
    assert ("6 Insufficient cpu. preemption" if profile == "kubernetes" else "7 Insufficient cpu") in said.text
    found = asked(f"schedcheck explain {judged.full(pod)} EKS --profile {profile} --format json").json
    for each in found["nodes"]:
        short = free[each["node"]] < 1500
        lacking = {"resource": "cpu", "asked": "1500m", "free": quantity(free[each["node"]], "cpu")}
        assert each["short"] == ([lacking] if short else []), each["node"]


@pytest.mark.medium
def test_what_lacks_at_the_end_of_a_failure_is_what_the_nodes_have_left_then() -> None:
    said = asked("schedcheck fail -l topology.kubernetes.io/zone=eu-west-1a EKS --format json")
    (violated, *_) = said.json["cases"][0]["violations"]
    (why,) = violated["waitingBecause"]
    pods = [each for each in violated["end"] if each["kind"] == "Pod" and each["spec"].get("nodeName")]
    wanted = next(each for each in judged.of_kind("eks", "Pod") if judged.name(each) == why["pod"]["name"])
    number = 0
    for each in (lacking for group in why["nodes"] for lacking in group["short"]):
        node = next(node for node in violated["end"] if node["kind"] == "Node" and judged.name(node) == each["node"])
        taken = sum(judged.requests(pod)["cpu"] for pod in pods if pod["spec"]["nodeName"] == each["node"])
        left = judged.amount(node["status"]["allocatable"]["cpu"]) - taken
        assert each["free"] == quantity(left, "cpu") and each["asked"] == quantity(
            judged.requests(wanted)["cpu"], "cpu"
        )
        number += 1
    assert number >= 4
    text = asked("schedcheck fail -l topology.kubernetes.io/zone=eu-west-1a EKS").text
    assert f"Insufficient cpu (asked {quantity(judged.requests(wanted)['cpu'], 'cpu')}, free " in text


def test_a_daemonset_is_not_on_every_node_and_the_pod_in_its_way_is_named() -> None:
    found = asked("schedcheck lint K3S --format json").json["findings"]
    (one,) = (each for each in found if each["rule"].startswith("daemonset"))
    assert one["rule"] == "daemonset-pod-waits" and one["object"]["name"].startswith("svclb-traefik")
    holders = [judged.full(each) for each in judged.there("k3s", "pi4-office") if 80 in judged.ports(each)]
    assert one["witness"] == [f"pi4-office: host port 80 is held by {', '.join(holders)}"]


@pytest.mark.parametrize("dump", ["EKS", "GKE", "OPENSHIFT"])
def test_a_daemonset_that_is_on_every_node_that_it_should_be_on_is_no_finding(dump: str) -> None:
    found = asked(f"schedcheck lint {dump} --format json").json["findings"]
    missing = {each["object"]["name"]: each for each in found if each["rule"].startswith("daemonset")}
    nodes = {judged.name(each) for each in judged.of_kind(dump.lower(), "Node")}
    for each in judged.of_kind(dump.lower(), "DaemonSet"):
        prefix = f"{judged.full(each)}-"
        there = {
            node for node in nodes for pod in judged.there(dump.lower(), node) if judged.full(pod).startswith(prefix)
        }
        # A note of the nodes that the pod leaves out itself, and no other finding.
        assert (judged.name(each) in missing) == (there != nodes), judged.full(each)
        if judged.name(each) in missing:
            assert missing[judged.name(each)]["severity"] == "note"
