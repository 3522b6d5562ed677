"""Unasked extenders: the few answers that are tried lead to all decisions that any answer leads to"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest
from frozendict import frozendict
from hypothesis import assume, given, settings

from schedcheck.checker.drawing.contests import contests
from schedcheck.spec.decisions import Decision, Wait
from schedcheck.spec.extender_configuration import Extender as Offer
from schedcheck.spec.extender_configuration import ManagedResource
from schedcheck.spec.extenders import Extender, Failed, Filtered, MetaVictims, Nodes, Offered
from schedcheck.spec.kubernetes.control_loop import decision, taken_up
from schedcheck.spec.kubernetes.filter import verdicts
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.kubernetes.unasked_extenders import answers
from schedcheck.spec.objects import Pod, Snapshot, Taint
from schedcheck.spec.unasked_extenders import concerned
from tests.checker.differential.test_random import SLOW
from tests.support.building import another, node, pod, snapshot

OFFERS = (
    Offer("http://a", filter_verb="filter"),
    Offer("http://a", prioritize_verb="prioritize", weight=2),
    Offer("http://a", preempt_verb="preempt"),
    Offer("http://a", filter_verb="f", prioritize_verb="r", preempt_verb="p", weight=1),
    Offer("http://a", filter_verb="f", preempt_verb="p", ignorable=True),
)


def unasked(*offers: Offer) -> Plugins:
    return replace(DEFAULT_PLUGINS, unasked=offers)


def asked(*extenders: Extender) -> Plugins:
    return replace(DEFAULT_PLUGINS, extenders=extenders)


def without_texts(decisions: frozenset[Decision]) -> frozenset[Decision]:
    return frozenset(replace(each, message="") if isinstance(each, Wait) else each for each in decisions)


def filters(names: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """Yield every filter answer: each node kept, failed, or failed and unresolvable."""
    return (dict(zip(names, said, strict=True)) for said in product(("kept", "failed", "for good"), repeat=len(names)))


def every(offer: Offer, there: Snapshot) -> Iterator[Extender]:
    """Yield every extender whose answers are a fixed table."""
    names = tuple(sorted(each.name for each in there.nodes))
    tables = [*filters(names), None] if offer.filter_verb else [dict.fromkeys(names, "kept")]
    scores = list(product((0, 1, 5, 10), repeat=len(names))) if offer.prioritize_verb else [(0,) * len(names)]
    choices = list(product((True, False), repeat=len(names))) if offer.preempt_verb else [(True,) * len(names)]
    for table, rated, chosen in product(tables, scores, [*choices, None] if offer.preempt_verb else choices):
        yield answering(offer, names, table, rated, chosen)


def answering(
    offer: Offer,
    names: tuple[str, ...],
    table: dict[str, str] | None,
    rated: tuple[int, ...],
    chosen: tuple[bool, ...] | None,
) -> Extender:
    def filtered(pod: Pod, nodes: Nodes) -> Filtered | Failed:
        if table is None:
            return Failed("down")
        by = {
            said: [each.name for each in nodes if table[each.name] == said] for said in ("kept", "failed", "for good")
        }
        return Filtered(
            frozenset(by["kept"]),
            frozendict(dict.fromkeys(by["failed"], "x")),
            frozendict(dict.fromkeys(by["for good"], "x")),
        )

    def evicting(pod: Pod, offered: Offered) -> dict[str, MetaVictims] | Failed:
        if chosen is None:
            return Failed("down")
        left = {name for name, taken in zip(names, chosen, strict=True) if taken}
        return {
            name: MetaVictims(tuple(victim.key for victim in each.pods), each.violations)
            for name, each in offered.items()
            if name in left
        }

    return Extender(offer, filtered, lambda pod, nodes: dict(zip(names, rated, strict=True)), evicting)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("offer", OFFERS)
def test_the_tried_answers_lead_to_every_decision_of_some_answer(
    offer: Offer,
) -> None:
    @settings(max_examples=25, suppress_health_check=SLOW)
    @given(contests())
    def holds(contest: tuple[Pod, Snapshot]) -> None:
        one, there = contest
        there = replace(there, pods=Snapshot.of([*(each for each in there.pods if each.key != one.key), one]).pods)
        assume(len(there.nodes) <= 2)
        found = frozenset[Decision]().union(
            *(without_texts(decision(one, there, asked(each))) for each in every(offer, there))
        )
        assert without_texts(decision(one, there, unasked(offer))) == found

    holds()


P = pod(cpu=1, priority=5)
FILTER, SCORE, EVICT, *_ = OFFERS


def decided(there: Snapshot, *offers: Offer) -> set[str]:
    return {str(each) for each in decision(P, there, unasked(*offers))}


def test_an_unasked_extender_may_keep_or_reject_each_feasible_node() -> None:
    there = snapshot(P, node("n1", 4), node("n2", 4), node("small", 0))
    assert decided(there, FILTER) == {"Bind(p, n1)", "Bind(p, n2)", "Wait(p)"}


def test_extender_scores_up_to_10_decide_only_between_close_nodes() -> None:
    there = snapshot(P, node("n1", 4), node("n2", 4), pod("other", 1, "n1"))
    assert decided(there) == {"Bind(p, n2)"}
    assert decided(there, replace(SCORE, weight=1)) == {"Bind(p, n1)", "Bind(p, n2)"}
    tolerant = snapshot(P, node("n1", 4), node("full", 4), pod("other", 4, "full"))
    assert decided(tolerant, SCORE) == {"Bind(p, n1)"}


def test_an_uninterested_extender_changes_nothing() -> None:
    manages = replace(FILTER, managed_resources=(ManagedResource("example.com/gpu"),))
    there = snapshot(P, node("n1", 4), node("n2", 1))
    assert concerned(P, (manages,)) == ()
    assert decided(there, manages) == decided(there)


def test_an_extender_cannot_admit_a_node_that_the_plugins_reject() -> None:
    there = snapshot(P, node("small", 0))
    assert decided(there, FILTER) == {"Wait(p)"}


def test_a_preempting_extender_may_drop_candidates() -> None:
    full = snapshot(P, node("n1", 1), node("n2", 1), pod("a", 1, "n1", priority=1), pod("b", 1, "n2", priority=2))
    assert decided(full, EVICT) == {"Nominate(p, n1, {a})", "Nominate(p, n2, {b})", "Wait(p)"}
    assert decided(full, FILTER) == {"Nominate(p, n1, {a})"}


def test_only_nodes_that_can_become_the_best_are_given_high_scores() -> None:
    there = snapshot(P, node("n1", 4), node("n2", 4), node("full", 4), pod("other", 4, "full"))
    made = taken_up(P, there, unasked(SCORE))
    assert [each.says for each in answers(made, verdicts(made))] == [
        "http://a changes nothing",
        "http://a scores n1 10 and every other node 0",
        "http://a scores n2 10 and every other node 0",
    ]


def test_the_points_of_an_extender_count_as_often_as_its_weight_says() -> None:
    """Ten points of weight 2 are 200 in the sum, and a taint to be avoided costs 300."""
    tainted = node("n2", 4, taints=(Taint("old", "PreferNoSchedule"),))
    for weight, scored in ((2, ["n1"]), (3, ["n1", "n2"])):
        made = taken_up(P, snapshot(P, node("n1", 4), tainted), unasked(replace(SCORE, weight=weight)))
        assert [each.says for each in answers(made, verdicts(made))][1:] == [
            f"http://a scores {name} 10 and every other node 0" for name in scored
        ]


def test_the_node_to_which_the_pod_is_nominated_may_be_refused_for_now() -> None:
    nominated = replace(P, nominated_node_name=another("n2"))
    made = taken_up(nominated, snapshot(nominated, node("n1", 4), node("n2", 4)), unasked(FILTER))
    says = [each.says for each in answers(made, verdicts(made))]
    assert [each for each in says if "for now" in each] == ["http://a refuses n2 for now and every other node for good"]


def test_each_answer_is_described_in_words() -> None:
    there = snapshot(P, node("n1", 4), node("n2", 4), pod("low", 1, "n2"))
    made = taken_up(P, there, unasked(FILTER))
    assert [each.says for each in answers(made, verdicts(made))] == [
        "http://a keeps every node",
        "http://a keeps n1 alone",
        "http://a keeps n2 alone",
        "http://a fails to filter",
        "http://a refuses every node for good",
        "http://a refuses n2 for now and every other node for good",
    ]
    made = taken_up(P, there, unasked())
    assert [each.says for each in answers(made, verdicts(made))] == [""]
