"""What is left open by extenders that are not asked, and what is said once they keep no candidate"""

from dataclasses import replace

import pytest

from schedcheck.spec.decisions import Wait
from schedcheck.spec.extender_configuration import Extender as Offer
from schedcheck.spec.extender_configuration import ManagedResource
from schedcheck.spec.kubernetes.control_loop import decision
from schedcheck.spec.kubernetes.cycle import cycle
from schedcheck.spec.kubernetes.extended_cycle import undecided
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.kubernetes.versions import VERSIONS
from schedcheck.spec.objects import Node, Taint
from schedcheck.spec.terms import Affinity, Requirement
from tests.spec.kubernetes.test_extenders import FULL, A, P, choosing
from tests.support.building import node, node_term, pod, snapshot

FILTER = Offer("http://a", filter_verb="filter")
FOREIGN = replace(FILTER, managed_resources=(ManagedResource("example.com/gpu"),))


@pytest.mark.parametrize(
    ("nodes", "offers", "left"),
    [
        ((node("n1", 4), node("n2", 4)), (FILTER,), (FILTER,)),
        ((node("n1", 4), node("n2", 4)), (FOREIGN,), ()),
        ((node("n1", 4), node("n2", 4)), (FOREIGN, FILTER), (FILTER,)),
        ((node("n1", 4), node("n2", 4)), (), ()),
        ((node("n1", 0),), (FILTER,), ()),
    ],
)
def test_an_extender_is_left_open_if_its_answers_lead_to_several_ends(
    nodes: tuple[Node, ...], offers: tuple[Offer, ...], left: tuple[Offer, ...]
) -> None:
    assert undecided(cycle(P, snapshot(P, *nodes), replace(DEFAULT_PLUGINS, unasked=offers))) == left


@pytest.mark.parametrize(("version", "claims"), [("1.36", "no new claims to deallocate, "), ("1.37", "")])
def test_each_plugin_of_post_filter_says_its_own_once_extenders_drop_all_candidates(version: str, claims: str) -> None:
    """RunPostFilterPlugins joins the reasons of all plugins; up to 1.36 DynamicResources has one without claims."""
    plugins = DEFAULT_PLUGINS.departing(VERSIONS[version].departures)
    (only,) = decision(P, FULL, replace(plugins, extenders=(choosing(),)))
    assert isinstance(only, Wait)
    assert only.message.partition(". ")[2] == f"{claims}preemption: no candidate node for preemption"


def test_an_error_of_the_first_plugin_of_post_filter_keeps_extenders_from_being_offered_candidates() -> None:
    """PostFilter of DynamicResources does not find what its PreFilter, which this profile leaves out, would record."""
    points = DEFAULT_PLUGINS.points
    for point in ("preFilter", "filter"):
        points = points.set(point, tuple(each for each in points[point] if each != "DynamicResources"))
    profile = replace(DEFAULT_PLUGINS, points=points)
    (only,) = decision(P, FULL, replace(profile, extenders=(choosing(n1=(A,)),)))
    assert isinstance(only, Wait) and only.message.endswith("not found")


@pytest.mark.parametrize("nominated", ["n1", "n2", "n3"])
def test_the_plugin_that_rejects_the_nominated_node_is_named_with_those_that_narrow_and_no_other(
    nominated: str,
) -> None:
    """Kubernetes 1.34: the set of plugins in the diagnosis is shared with the message of the nodes left out."""
    taint = (Taint("a", "NoSchedule", "b"),)
    named = Affinity(node_required=(node_term(fields=(Requirement("metadata.name", "In", ("n4",)),)),))
    asked = pod("p", 1, affinity=named, nominated_node_name=nominated)
    nodes = (node("n1", 4, unschedulable=True), node("n2", 4, taints=taint), node("n3", 4), node("n4", 0))
    (only,) = decision(asked, snapshot(*nodes, asked), DEFAULT_PLUGINS)
    assert isinstance(only, Wait)
    also = {"n1": " NodeUnschedulable", "n2": " TaintToleration", "n3": ""}[nominated]
    assert f"node(s) didn't satisfy plugin(s) [NodeAffinity{also}]" in only.message
