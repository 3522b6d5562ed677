"""Extenders as values: which extenders are called, and what they contribute to filtering, scoring, preemption and the
cycle
"""

from collections.abc import Mapping
from dataclasses import replace

import pytest
from frozendict import frozendict

from schedcheck.spec.decisions import Bind, Nominate, Wait
from schedcheck.spec.extender_configuration import Extender as Offer
from schedcheck.spec.extender_configuration import ManagedResource
from schedcheck.spec.extenders import (
    Extender,
    Failed,
    Filtered,
    MetaVictims,
    Nodes,
    Offered,
    Victims,
    binder,
    ignored,
    interested,
)
from schedcheck.spec.kubernetes.control_loop import decision
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.extenders import agreed, kept, points
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.refusal import Code
from tests.support.building import container, node, pod, snapshot

FILTER = Offer("http://a", filter_verb="filter")
SCORE = Offer("http://a", prioritize_verb="prioritize", weight=1)
EVICT = Offer("http://a", preempt_verb="preempt")
GPU = "example.com/gpu"
ON_GPU = replace(FILTER, managed_resources=(ManagedResource(GPU),))
P = pod(cpu=1, priority=5)
ONE, TWO, THREE = node("n1", 4), node("n2", 4), node("n3", 4)
NODES = (ONE, TWO, THREE)
ERROR = Failed("out of order")


def refusing(*names: str, for_good: tuple[str, ...] = (), offer: Offer = FILTER) -> Extender:
    def filtered(pod: Pod, nodes: Nodes) -> Filtered | Failed:
        return Filtered(
            frozenset(each.name for each in nodes) - {*names, *for_good},
            frozendict(dict.fromkeys(names, "refused")),
            frozendict(dict.fromkeys(for_good, "no use")),
        )

    return Extender(offer, filtered)


def failing(offer: Offer) -> Extender:
    return Extender(
        offer, lambda pod, nodes: ERROR, lambda pod, nodes: ERROR, lambda pod, offered: ERROR, lambda pod, node: ERROR
    )


def scoring(offer: Offer = SCORE, **scores: int) -> Extender:
    return Extender(offer, prioritize=lambda pod, nodes: scores)


def choosing(offer: Offer = EVICT, **victims: tuple[tuple[str, str], ...]) -> Extender:
    return Extender(offer, preempt=lambda pod, offered: {name: MetaVictims(keys) for name, keys in victims.items()})


def decided(there: Snapshot, *extenders: Extender) -> set[str]:
    return {str(each) for each in decision(P, there, replace(DEFAULT_PLUGINS, extenders=extenders))}


@pytest.mark.parametrize(
    ("offer", "asking", "asked"),
    [
        (FILTER, P, True),
        (ON_GPU, P, False),
        (ON_GPU, pod(containers=(container(**{GPU: 1}),)), True),
        (ON_GPU, pod(init_containers=(container(**{GPU: 1}),)), True),
        (ON_GPU, pod(containers=(container(**{"example.com/other": 1}),)), False),
    ],
)
def test_an_extender_is_interested_in_pods_that_request_a_managed_resource(
    offer: Offer, asking: Pod, asked: bool
) -> None:
    assert interested(offer, asking) is asked


def test_only_resources_ignored_by_the_scheduler_are_left_to_extenders() -> None:
    both = replace(FILTER, managed_resources=(ManagedResource("a.b/c", ignored=True), ManagedResource("a.b/d")))
    assert ignored((FILTER, both)) == {"a.b/c"}


def test_each_extender_filters_the_nodes_kept_by_the_previous_one() -> None:
    asked: list[Nodes] = []

    def recorded(pod: Pod, nodes: Nodes) -> Filtered | Failed:
        asked.append(nodes)
        return Filtered(frozenset({"n3"}), frozendict({"n2": "second"}))

    left = kept(P, NODES, (refusing("n1"), Extender(FILTER, recorded)))
    assert asked == [(TWO, THREE)]
    assert left.nodes == (THREE,)
    assert {name: each.reasons for name, each in left.refused.items()} == {"n1": ("refused",), "n2": ("second",)}


def test_no_extender_is_called_with_an_empty_list_of_nodes() -> None:
    assert kept(P, NODES, (refusing("n1", "n2", "n3"), failing(FILTER))).error is None


def test_a_node_in_both_failure_lists_is_unresolvable() -> None:
    left = kept(P, (ONE,), (refusing("n1", for_good=("n1",)),))
    assert left.refused["n1"].code == Code.UNRESOLVABLE
    assert left.refused["n1"].reasons == ("no use",)


def test_a_node_neither_kept_nor_failed_is_unresolvable_without_a_reason() -> None:
    left = kept(P, (ONE,), (Extender(FILTER, lambda pod, nodes: Filtered(frozenset())),))
    assert (left.nodes, left.refused["n1"].code, left.refused["n1"].reasons) == ((), Code.UNRESOLVABLE, ())


def test_an_error_of_an_ignorable_extender_changes_nothing() -> None:
    assert kept(P, NODES, (failing(replace(FILTER, ignorable=True)), refusing("n1"))).nodes == (TWO, THREE)


def test_an_error_of_a_non_ignorable_extender_ends_the_cycle() -> None:
    assert kept(P, NODES, (refusing("n1"), failing(FILTER))).error == ERROR
    (only,) = decision(P, snapshot(P, *NODES), replace(DEFAULT_PLUGINS, extenders=(failing(FILTER),)))
    assert isinstance(only, Wait)
    assert only.message == "out of order"


def test_an_extender_that_is_not_interested_is_not_called() -> None:
    assert kept(P, NODES, (failing(ON_GPU),)).nodes == NODES


def test_scores_are_multiplied_by_weight_times_ten_and_errors_add_nothing() -> None:
    heavy = replace(SCORE, weight=3)
    found = points(P, NODES, (scoring(n1=2), scoring(heavy, n1=1, n2=10), failing(heavy)))
    assert found == {"n1": 2 * 10 + 30, "n2": 300, "n3": 0}


def test_extender_scores_decide_between_nodes_of_equal_plugin_score() -> None:
    there = snapshot(P, *NODES)
    assert decided(there) == {f"Bind(p, {name})" for name in ("n1", "n2", "n3")}
    assert decided(there, scoring(n2=1)) == {"Bind(p, n2)"}


def test_a_point_of_an_extender_counts_as_ten_points_of_a_plugin() -> None:
    # The plugins prefer the emptier node by more than ten points and less than a hundred.
    there = snapshot(P, ONE, TWO, pod("other", 1, "n1"))
    assert decided(there) == {"Bind(p, n2)"}
    assert decided(there, scoring(n1=1)) == {"Bind(p, n2)"}
    assert decided(there, scoring(n1=10)) == {"Bind(p, n1)"}


def test_the_nominated_node_is_chosen_only_if_the_extenders_keep_it() -> None:
    nominated = replace(P, nominated_node_name="n2")
    plugins = replace(DEFAULT_PLUGINS, extenders=(refusing("n2"),))
    there = snapshot(nominated, *NODES)
    assert decision(nominated, there, DEFAULT_PLUGINS) == {Bind(nominated, TWO)}
    assert decision(nominated, there, plugins) == {Bind(nominated, ONE), Bind(nominated, THREE)}


def test_an_extender_error_about_the_nominated_node_is_ignored() -> None:
    nominated = replace(P, nominated_node_name="n2")
    fails_alone = Extender(
        FILTER, lambda pod, nodes: ERROR if nodes == (TWO,) else Filtered(frozenset(each.name for each in nodes))
    )
    plugins = replace(DEFAULT_PLUGINS, extenders=(fails_alone,))
    assert len(decision(nominated, snapshot(nominated, *NODES), plugins)) == 3


FULL = snapshot(P, node("n1", 1), node("n2", 1), pod("a", 1, "n1", priority=1), pod("b", 1, "n2", priority=2))
A, B = ("default", "a"), ("default", "b")


@pytest.mark.parametrize(
    ("extenders", "expected"),
    [
        ((), {"Nominate(p, n1, {a})"}),
        ((choosing(n2=(B,)),), {"Nominate(p, n2, {b})"}),
        ((choosing(n1=(A,), n2=(B,)), choosing(n2=(B,))), {"Nominate(p, n2, {b})"}),
        ((choosing(),), {"Wait(p)"}),
        ((choosing(n1=(B,)),), {"Wait(p)"}),
        ((choosing(n1=()),), {"Wait(p)"}),
        ((failing(EVICT),), {"Wait(p)"}),
        ((failing(replace(EVICT, ignorable=True)),), {"Nominate(p, n1, {a})"}),
        ((choosing(replace(EVICT, ignorable=True), n1=(B,)),), {"Nominate(p, n1, {a})"}),
        ((choosing(replace(EVICT, ignorable=True), n1=(), n2=(B,)),), {"Nominate(p, n2, {b})"}),
        ((failing(replace(EVICT, managed_resources=(ManagedResource(GPU),))),), {"Nominate(p, n1, {a})"}),
    ],
)
def test_extenders_drop_candidates_and_name_victims(extenders: tuple[Extender, ...], expected: set[str]) -> None:
    assert decided(FULL, *extenders) == expected


def test_an_unknown_victim_is_an_error_that_names_it() -> None:
    said = agreed(P, {"n1": Victims(())}, FULL, (choosing(n1=(B,)),))
    assert isinstance(said, Failed)
    assert said.reason == (
        "extender: http://a claims to preempt pod (UID: default/b) on node: n1, but the pod is not found on that node"
    )


def test_an_unresolvably_failed_node_is_no_preemption_candidate() -> None:
    there = snapshot(P, node("n1", 4), node("n2", 1), pod("a", 1, "n1", priority=1), pod("b", 1, "n2", priority=2))
    naming = choosing(n1=(A,), n2=(B,))

    def only_offered(pod: Pod, offered: Offered) -> Mapping[str, MetaVictims] | Failed:
        return {name: MetaVictims((A,) if name == "n1" else (B,)) for name in offered}

    assert decided(there, refusing("n1"), naming) == {"Nominate(p, n1, {a})"}
    obedient = Extender(EVICT, preempt=only_offered)
    assert decided(there, refusing("n1"), obedient) == {"Nominate(p, n2, {b})"}
    assert decided(there, refusing(for_good=("n1",)), obedient) == {"Nominate(p, n2, {b})"}


NEEDLESS = snapshot(P, node("n1", 4), pod("a", 1, "n1", priority=1))
NAMING = choosing(n1=(A,))


@pytest.mark.parametrize("extenders", [(refusing("n1"),), (refusing("n1"), NAMING)])
def test_preemption_fails_on_a_node_that_an_extender_alone_refuses(extenders: tuple[Extender, ...]) -> None:
    pending = replace(P, nominated_node_name="gone")
    there = snapshot(pending, *NEEDLESS.nodes, *(each for each in NEEDLESS.pods if each.name == "a"))
    (only,) = decision(pending, there, replace(DEFAULT_PLUGINS, extenders=extenders))
    assert isinstance(only, Wait)
    assert (
        only.message == '0/1 nodes are available: 1 refused. preemption: expected at least one victim pod on node "n1"'
    )
    assert not only.unnominated


def test_without_the_departure_such_a_node_is_a_candidate_only_if_extenders_name_victims() -> None:
    mended = DEFAULT_PLUGINS.departing(DEFAULT_PLUGINS.departures - {Departure.NEEDLESS_PREEMPTION_FAILS})
    (only,) = decision(P, NEEDLESS, replace(mended, extenders=(refusing("n1"),)))
    assert isinstance(only, Wait)
    assert "No preemption victims found" in only.message
    (named,) = decision(P, NEEDLESS, replace(mended, extenders=(refusing("n1"), NAMING)))
    assert str(named) == "Nominate(p, n1, {a})"


def test_the_message_counts_reasons_of_extenders_and_plugins_together() -> None:
    there = snapshot(P, node("n1", 4), node("n2", 0))
    (only,) = decision(P, there, replace(DEFAULT_PLUGINS, extenders=(refusing(for_good=("n1",)),)))
    assert isinstance(only, Wait)
    assert only.message.startswith("0/2 nodes are available: 1 Insufficient cpu, 1 no use. ")


def test_the_first_interested_binder_binds() -> None:
    bind = Offer("http://a", bind_verb="bind")
    others = Extender(replace(bind, managed_resources=(ManagedResource(GPU),))), Extender(FILTER)
    binds = Extender(bind)
    assert binder(P, (*others, binds, Extender(bind))) is binds
    assert binder(P, others) is None


def test_extenders_without_a_verb_are_never_called() -> None:
    mute = failing(Offer("http://a"))
    assert decided(FULL, mute) == {"Nominate(p, n1, {a})"}
    assert decided(snapshot(P, ONE), mute) == {"Bind(p, n1)"}
    assert any(isinstance(each, Nominate) for each in decision(P, FULL, replace(DEFAULT_PLUGINS, extenders=(mute,))))
