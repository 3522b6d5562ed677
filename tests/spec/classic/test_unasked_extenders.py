"""Unasked extenders of the early scheduler: the few answers that are tried lead to all decisions of any answer"""

from dataclasses import replace

import pytest
from hypothesis import assume, given, settings

from schedcheck.checker.drawing.contests import contests
from schedcheck.spec.classic.decision import decision, undecided
from schedcheck.spec.classic.filtering import feasible
from schedcheck.spec.classic.policy import DEFAULT, Classic, Weighted
from schedcheck.spec.classic.unasked_extenders import answers
from schedcheck.spec.decisions import Decision
from schedcheck.spec.extender_configuration import Extender as Offer
from schedcheck.spec.extender_configuration import ManagedResource
from schedcheck.spec.objects import Pod, Snapshot
from tests.checker.differential.test_random import SLOW
from tests.spec.kubernetes.test_unasked_extenders import EVICT, FILTER, OFFERS, SCORE, every
from tests.support.building import node, pod, snapshot

P = pod(cpu=1, priority=5)


def unasked(*offers: Offer) -> Classic:
    return replace(DEFAULT, unasked=offers)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("offer", OFFERS)
def test_the_tried_answers_lead_to_every_decision_of_some_answer(offer: Offer) -> None:
    @settings(max_examples=12, suppress_health_check=SLOW)
    @given(contests())
    def holds(contest: tuple[Pod, Snapshot]) -> None:
        one, there = contest
        there = replace(there, pods=Snapshot.of([*(each for each in there.pods if each.key != one.key), one]).pods)
        assume(len(there.nodes) <= 2)
        found = frozenset[Decision]().union(
            *(decision(one, there, replace(DEFAULT, extenders=(each,))) for each in every(offer, there))
        )
        assert decision(one, there, unasked(offer)) == found

    holds()


def decided(there: Snapshot, *offers: Offer) -> set[str]:
    return {str(each) for each in decision(P, there, unasked(*offers))}


def test_an_unasked_extender_may_keep_or_refuse_each_node_that_passes() -> None:
    """If it refuses both, the pod is nominated to one of them, as in 1.17; if it fails, the pod waits."""
    there = snapshot(P, node("n1", 4), node("n2", 4), node("small", 0))
    assert decided(there, FILTER) == {
        "Bind(p, n1)", "Bind(p, n2)", "Nominate(p, n1, {})", "Nominate(p, n2, {})", "Wait(p)",
    }  # fmt: skip
    assert decided(there, replace(FILTER, ignorable=True)) == {
        "Bind(p, n1)", "Bind(p, n2)", "Nominate(p, n1, {})", "Nominate(p, n2, {})",
    }  # fmt: skip


def test_scores_up_to_10_decide_only_between_close_nodes() -> None:
    """Node n1 has 12 points and n2 has 13, as in test_extenders; a priority with the weight 20 sets others apart."""
    there = snapshot(P, node("n1", 4), node("n2", 4), pod("other", 1, "n1"))
    assert decided(there) == {"Bind(p, n2)"}
    assert decided(there, replace(SCORE, weight=1)) == {"Bind(p, n1)", "Bind(p, n2)"}
    apart = replace(unasked(replace(SCORE, weight=1)), priorities=(Weighted("LeastRequestedPriority", 20),))
    assert {str(each) for each in decision(P, there, apart)} == {"Bind(p, n2)"}
    even = replace(apart, unasked=(replace(SCORE, weight=2),))
    assert {str(each) for each in decision(P, there, even)} == {"Bind(p, n1)", "Bind(p, n2)"}


def test_an_extender_without_interest_changes_nothing_and_leaves_nothing_open() -> None:
    manages = replace(FILTER, managed_resources=(ManagedResource("example.com/gpu"),))
    there = snapshot(P, node("n1", 4), node("n2", 4), pod("other", 1, "n1"))
    assert decided(there, manages) == decided(there) == {"Bind(p, n2)"}
    assert undecided(P, there, unasked(manages)) == ()
    assert undecided(P, there, unasked(FILTER)) == (FILTER,)
    assert undecided(P, snapshot(P, node("n1", 0)), unasked(FILTER)) == ()


def test_a_preempting_extender_may_drop_candidates() -> None:
    full = snapshot(P, node("n1", 1), node("n2", 1), pod("a", 1, "n1", priority=1), pod("b", 1, "n2", priority=2))
    assert decided(full, EVICT) == {"Nominate(p, n1, {a})", "Nominate(p, n2, {b})", "Wait(p)"}
    assert decided(full, FILTER) == {"Nominate(p, n1, {a})"}


def test_each_answer_is_described_in_words() -> None:
    there = snapshot(P, node("n1", 4), node("n2", 4))
    said = [each.says for each in answers(P, feasible(P, there, DEFAULT), there, unasked(FILTER))]
    assert said == [
        "http://a keeps every node",
        "http://a keeps n1 alone",
        "http://a keeps n2 alone",
        "http://a fails to filter",
        "http://a refuses every node",
    ]
    both = replace(FILTER, preempt_verb="preempt", ignorable=True)
    said = [each.says for each in answers(P, feasible(P, there, DEFAULT), there, unasked(both))]
    assert said[3:] == [
        "http://a refuses every node and keeps every candidate of preemption",
        "http://a refuses every node and keeps the candidate n1 alone",
        "http://a refuses every node and keeps the candidate n2 alone",
        "http://a refuses every node and keeps no candidate of preemption",
    ]
    assert [each.says for each in answers(P, there.nodes, there, DEFAULT)] == [""]
