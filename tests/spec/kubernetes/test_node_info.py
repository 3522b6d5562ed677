"""A node without some of its pods: `NodeInfo.removed`"""

from dataclasses import replace

from schedcheck.spec.kubernetes.node_info import node_info
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from tests.support.building import node, pod


def test_a_pod_that_is_removed_leaves_the_other_one_of_its_name() -> None:
    # A deleted pod keeps its room until its binding ends, and its successor may be bound by somebody else (RemovePod of NodeInfo goes by uid).
    old, new = replace(pod("s", 1, "n1"), uid="4"), replace(pod("s", 1, "n1"), uid="9")
    left = node_info(node("n1", 2), [old, new]).removed(new, DEFAULT_PLUGINS.departures)
    assert left.pods == (old,)
