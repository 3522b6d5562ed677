"""PodTopologySpread as a predicate and with its reason, on counts that are worked out by hand"""

from dataclasses import replace

import pytest

from schedcheck.spec.kubernetes.cycle import cycle
from schedcheck.spec.kubernetes.filters.pod_topology_spread import in_scope, pod_topology_spread, refusal
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import SpreadConstraint, Taint, Toleration
from tests.support.building import node, pod, selector, snapshot

ZONED = SpreadConstraint(1, "zone", True, selector(app="x"))
X = {"app": "x"}
TAINT = Taint("a", "NoSchedule", "b")


@pytest.mark.parametrize(
    ("in_a", "in_b", "skew", "allowed"),
    [
        (0, 0, 1, {"a", "b"}),
        (1, 0, 1, {"b"}),
        (1, 1, 1, {"a", "b"}),
        (2, 1, 1, {"b"}),
        (1, 0, 2, {"a", "b"}),
        (2, 0, 2, {"b"}),
        (3, 3, 1, {"a", "b"}),
    ],
)
def test_a_node_is_refused_once_its_domain_would_exceed_the_least_by_more_than_the_skew(
    in_a: int, in_b: int, skew: int, allowed: set[str]
) -> None:
    asked = pod("p", labels=X, spread=(replace(ZONED, max_skew=skew),))
    nodes = (node("a", labels={"zone": "a"}), node("b", labels={"zone": "b"}), node("c"))
    others = [
        pod(f"{on}{number}", on=on, labels=X) for on, many in (("a", in_a), ("b", in_b)) for number in range(many)
    ]
    made = cycle(asked, snapshot(*nodes, *others, asked), DEFAULT_PLUGINS)
    for info in made.infos:
        given = made.spreading, info, made.spread, made.plugins.departures
        assert pod_topology_spread(*given) is (info.node.name in allowed)
        assert (refusal(*given) is None) is (info.node.name in allowed)


@pytest.mark.parametrize(
    ("honored", "tolerates", "tainted", "counts"),
    [
        (False, False, False, True),
        (False, False, True, True),
        (True, False, False, True),
        (True, False, True, False),
        (True, True, True, True),
    ],
)
def test_a_tainted_node_is_out_of_scope_only_if_taints_are_honored_and_not_tolerated(
    honored: bool, tolerates: bool, tainted: bool, counts: bool
) -> None:
    constraint = replace(ZONED, taints_honored=honored)
    asked = pod("p", spread=(constraint,), tolerations=(Toleration("a", "Exists"),) if tolerates else ())
    there = node("n", labels={"zone": "a"}, taints=(TAINT,) if tainted else ())
    assert in_scope(constraint, asked, there) is counts
    assert not in_scope(constraint, asked, replace(there, labels=pod().labels))
