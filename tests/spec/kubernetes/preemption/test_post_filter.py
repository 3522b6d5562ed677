"""The message about an unschedulable pod, word for word, and the effect on its nomination"""

from dataclasses import replace

import pytest

from schedcheck.spec.fit_error import fit_error, histogram
from schedcheck.spec.kubernetes.cycle import Cycle
from schedcheck.spec.kubernetes.filter import filtered
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.kubernetes.preemption import dry_run as dry_runs
from schedcheck.spec.kubernetes.preemption.post_filter import PostFiltered, message, post_filter
from schedcheck.spec.kubernetes.versions import VERSIONS
from schedcheck.spec.objects import Node, Pod, SpreadConstraint
from schedcheck.spec.refusal import Refusal, failed, unresolvable, unschedulable
from schedcheck.spec.terms import Affinity, NodeSelectorTerm, Requirement
from tests.support.building import node, pod, snapshot
from tests.support.preempting import dry_run

TOP = pod("top", 2, priority=5)
LOW = pod("low", 1, on="n")
FULL = node("n", 2)
OLD = DEFAULT_PLUGINS.departing(VERSIONS["1.36"].departures)
"""The plugins of the last version that mentions claims, and no nomination."""
CLAIMS = "no new claims to deallocate"
NOWHERE = Affinity(
    node_required=(
        NodeSelectorTerm((), (Requirement("metadata.name", "In", ("n",)), Requirement("metadata.name", "In", ("m",)))),
    )
)


def said(one: Pod, *things: Pod | Node, plugins: Plugins = OLD) -> str:
    return message(dry_run(one, snapshot(*things), plugins))


def after(one: Pod, *things: Pod | Node, plugins: Plugins = OLD) -> PostFiltered:
    return post_filter(dry_run(one, snapshot(*things), plugins))


def with_post_filter(*names: str) -> Plugins:
    return replace(OLD, points=OLD.points.set("postFilter", names))


def test_each_reason_is_counted_and_a_node_may_have_several() -> None:
    refusals = [unschedulable("P", "b", "a"), unresolvable("Q", "b")]
    assert histogram(refusals) == "1 a, 2 b"
    assert histogram([]) == ""


def test_reasons_are_sorted_as_texts_including_their_counts() -> None:
    assert histogram([unschedulable("P", "x")] * 10 + [unschedulable("P", "a")] * 2) == "10 x, 2 a"


def test_the_message_ends_in_a_full_stop_except_after_a_post_filter_text() -> None:
    assert fit_error(2, "2 a") == "0/2 nodes are available: 2 a."
    assert fit_error(2, "2 a", "nothing to say") == "0/2 nodes are available: 2 a. nothing to say"
    assert fit_error(2, "", "nothing to say") == "0/2 nodes are available: nothing to say"


def test_a_nominated_pod_gets_no_post_filter_text() -> None:
    assert said(TOP, LOW, FULL) == "0/1 nodes are available: 1 Insufficient cpu."
    assert after(TOP, LOW, FULL) == PostFiltered("Success")


def test_the_newest_version_mentions_the_nomination_and_no_idle_claims() -> None:
    told = "preemption: found a potential placement for pod on node n, preempting 1 victims"
    assert said(TOP, LOW, FULL, plugins=DEFAULT_PLUGINS) == f"0/1 nodes are available: 1 Insufficient cpu. {told}"
    assert after(TOP, LOW, FULL, plugins=DEFAULT_PLUGINS) == PostFiltered("Success", told)
    waiting = "preemption: not eligible due to preemptionPolicy=Never."
    assert after(replace(TOP, preemption_policy="Never"), LOW, FULL, plugins=DEFAULT_PLUGINS) == PostFiltered(
        "Unschedulable", waiting
    )


def test_without_candidates_every_node_is_counted_and_the_nomination_is_cleared() -> None:
    nodes = (FULL, node("small", 1), node("cordoned", 2, unschedulable=True))
    same = replace(LOW, priority=5)
    assert said(TOP, same, *nodes) == (
        "0/3 nodes are available: 1 node(s) were unschedulable, 2 Insufficient cpu. "
        f"{CLAIMS}, preemption: 0/3 nodes are available: "
        "1 No preemption victims found for incoming pod, 2 Preemption is not helpful for scheduling."
    )
    assert after(TOP, same, *nodes).unnominated


def test_a_failed_preemption_reports_the_rejection_of_the_emptied_node() -> None:
    same = pod("same", 1, on="n", priority=5)
    assert said(TOP, LOW, same, FULL).endswith("preemption: 0/1 nodes are available: 1 Insufficient cpu.")


def test_an_ineligible_preemptor_gets_the_reason_and_keeps_its_nomination() -> None:
    never = replace(TOP, preemption_policy="Never")
    assert said(never, LOW, FULL) == (
        f"0/1 nodes are available: 1 Insufficient cpu. {CLAIMS}, "
        "preemption: not eligible due to preemptionPolicy=Never."
    )
    assert not after(never, LOW, FULL).unnominated


def test_a_pod_rejected_in_pre_filter_gets_an_error_and_keeps_its_nomination() -> None:
    conflict = replace(TOP, affinity=NOWHERE)
    assert said(conflict, LOW, FULL, node("m", 2)) == (
        "0/2 nodes are available: pod affinity terms conflict. not found"
    )
    assert after(conflict, LOW, FULL) == PostFiltered("Error", "not found")


def test_without_dynamic_resources_preemption_is_not_helpful_after_pre_filter() -> None:
    plugins = with_post_filter("DefaultPreemption")
    assert said(replace(TOP, affinity=NOWHERE), FULL, plugins=plugins) == (
        "0/1 nodes are available: pod affinity terms conflict. "
        "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."
    )


def test_without_default_preemption_no_pod_is_evicted() -> None:
    plugins = with_post_filter("DynamicResources")
    assert said(TOP, LOW, FULL, plugins=plugins) == f"0/1 nodes are available: 1 Insufficient cpu. {CLAIMS}"
    assert after(TOP, LOW, FULL, plugins=plugins) == PostFiltered("Unschedulable", CLAIMS)


def test_without_post_filter_plugins_the_nomination_is_cleared() -> None:
    plugins = with_post_filter()
    assert said(TOP, LOW, FULL, plugins=plugins) == "0/1 nodes are available: 1 Insufficient cpu."
    assert after(TOP, LOW, FULL, plugins=plugins) == PostFiltered("Unschedulable", unnominated=True)


def test_without_nodes_the_message_is_fixed_and_the_nomination_is_cleared() -> None:
    assert said(TOP) == "no nodes available to schedule pods"
    assert after(TOP) == PostFiltered("Unschedulable", unnominated=True)


@pytest.mark.parametrize(("nodes", "unhelpful"), [(1, 1), (12, 12)])
def test_nodes_that_were_never_filtered_are_counted_too(nodes: int, unhelpful: int) -> None:
    named = Affinity(node_required=(NodeSelectorTerm((), (Requirement("metadata.name", "In", ("gone",)),)),))
    assert said(replace(TOP, affinity=named), *(node(f"n{number}", 9) for number in range(nodes))) == (
        f"0/{nodes} nodes are available: {nodes} node(s) didn't satisfy plugin(s) [NodeAffinity]. {CLAIMS}, "
        f"preemption: 0/{nodes} nodes are available: {unhelpful} Preemption is not helpful for scheduling."
    )


def test_a_node_without_the_topology_key_is_not_helped_by_preemption() -> None:
    spread = (SpreadConstraint(1, "zone"),)
    one = replace(TOP, spread=spread, containers=())
    assert said(one, LOW, FULL).startswith(
        "0/1 nodes are available: 1 node(s) didn't match pod topology spread constraints (missing required label). "
    )
    assert dry_run(one, snapshot(LOW, FULL)).outcomes == {}


def test_an_error_of_a_filter_in_the_dry_run_keeps_the_nomination(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """No real filter fails on an empty node, so one is replaced here."""

    def broken(cycle: Cycle, info: NodeInfo) -> Refusal | None:
        return failed("NodeResourcesFit", f"no {info.node.name}") if info.pods == () else filtered(cycle, info)

    monkeypatch.setattr(dry_runs, "filtered", broken)
    nodes = (FULL, node("m", 2), node("o", 2))
    there = (LOW, pod("other", 1, on="m"))
    full = pod("same", 1, on="o", priority=5)
    one = 'running "NodeResourcesFit" filter plugin: no '
    assert after(TOP, LOW, FULL) == PostFiltered("Error", f"preemption: {one}n")
    assert after(TOP, *there, full, *nodes) == PostFiltered("Error", f"preemption: [{one}m, {one}n]")
    helped = (pod("much", 2, on="o", priority=1), pod("high", 0, on="o", priority=9))
    assert after(TOP, *there, *helped, *nodes) == PostFiltered("Success")
