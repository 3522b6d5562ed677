"""Questions 1, 13, 15: why a pod is pending, whether a DaemonSet is on every node, and which node would help."""

import pytest

from tests.questions import judged
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
