"""Extenders of the early scheduler, as in Kubernetes 1.17: filter, scores, preemption, and resources that they count"""

from collections.abc import Callable, Mapping
from dataclasses import replace

from frozendict import frozendict

from schedcheck.spec.classic.decision import decision, judgement, message
from schedcheck.spec.classic.extenders import Kept, agreed, kept, points
from schedcheck.spec.classic.filtering import failures, feasible
from schedcheck.spec.classic.policy import DEFAULT, Classic, Weighted
from schedcheck.spec.classic.preemption import NO_DAMAGE, Candidate, damage
from schedcheck.spec.classic.ranking import best, viability
from schedcheck.spec.extender_configuration import Extender as Offer
from schedcheck.spec.extender_configuration import ManagedResource
from schedcheck.spec.extenders import Extender, Failed, Filtered, MetaVictims, Nodes, Offered, Victims, binder
from schedcheck.spec.objects import Pod, PodDisruptionBudget, Snapshot
from tests.support.building import container, node, pod, selector, snapshot

P = pod("p", 1, priority=5)
N1, N2, N3 = node("n1", 4), node("n2", 4), node("n3", 4)
FILTER = Offer("http://a", filter_verb="filter")
SCORE = Offer("http://a", prioritize_verb="prioritize", weight=1)
EVICT = Offer("http://a", preempt_verb="preempt")
GPU = "example.com/gpu"


def asking(*extenders: Extender, **fields: object) -> Classic:
    return replace(DEFAULT, extenders=extenders, **fields)  # type: ignore[arg-type]


def keeping(*names: str, offer: Offer = FILTER, **reasons: str) -> Extender:
    """An extender that keeps these nodes; `reasons` are those against others, by name."""
    return Extender(offer, lambda pod, nodes: Filtered(frozenset(names), frozendict(reasons)))


def failing(offer: Offer = FILTER) -> Extender:
    down = Failed("down")
    return Extender(offer, lambda *_: down, lambda *_: down, lambda *_: down)


def scoring(weight: int = 1, **scores: int) -> Extender:
    return Extender(replace(SCORE, weight=weight), prioritize=lambda pod, nodes: scores)


def choosing(choose: Callable[[Offered], Mapping[str, MetaVictims]], offer: Offer = EVICT) -> Extender:
    return Extender(offer, preempt=lambda pod, offered: choose(offered))


def as_offered(*names: str) -> Callable[[Offered], Mapping[str, MetaVictims]]:
    return lambda offered: {
        name: MetaVictims(tuple(victim.key for victim in each.pods), each.violations)
        for name, each in offered.items()
        if name in names
    }


def decided(there: Snapshot, classic: Classic, wanted: Pod = P) -> set[str]:
    return {str(each) for each in decision(wanted, there, classic)}


ROOMY = snapshot(P, N1, N2, N3)
FULL = snapshot(P, node("n1", 1), node("n2", 1), pod("a", 1, "n1", priority=1), pod("b", 1, "n2", priority=2))


def test_extenders_are_asked_in_turn_about_the_nodes_left_so_far() -> None:
    asked: list[tuple[str, ...]] = []

    def second(pod: Pod, nodes: Nodes) -> Filtered:
        asked.append(tuple(each.name for each in nodes))
        return Filtered(frozenset({"n2", "n3"}))

    left = kept(P, ROOMY.nodes, (keeping("n1", "n2"), Extender(FILTER, second)))
    assert ([each.name for each in left.nodes], asked) == (["n2"], [("n1", "n2")])
    assert left.refused == {"n1": (), "n3": ()}


def test_no_extender_is_asked_once_no_node_is_left() -> None:
    assert kept(P, ROOMY.nodes, (keeping(), failing())).error is None
    assert kept(P, (), (failing(),)) == Kept(())


def test_an_extender_without_a_filter_verb_or_without_interest_keeps_every_node() -> None:
    of_gpus = replace(FILTER, managed_resources=(ManagedResource(GPU),))
    for extender in (keeping(offer=SCORE), keeping(offer=of_gpus)):
        assert kept(P, ROOMY.nodes, (extender,)).nodes == ROOMY.nodes
    wanting = pod("p", containers=(container(1, **{GPU: 1}),))
    assert kept(wanting, ROOMY.nodes, (keeping(offer=of_gpus),)).nodes == ()


def test_an_error_ends_the_cycle_without_preemption_unless_the_extender_is_ignorable() -> None:
    there = snapshot(P, N1, pod("low", 1, "n1"))
    assert decided(there, asking(failing())) == {"Wait(p)"}
    assert decided(there, asking(failing(replace(FILTER, ignorable=True)))) == {"Bind(p, n1)"}
    nominated = replace(P, nominated_node_name="n1")
    assert decided(snapshot(nominated, N1), asking(failing()), nominated) == {"Wait(p)"}


def test_points_are_added_to_the_priorities_after_the_weight_and_are_not_scaled() -> None:
    """10 by SelectorSpreadPriority; by LeastRequestedPriority half of 5 on n1 and half of 7 on n2, truncated."""
    there = snapshot(P, N1, N2, pod("other", 1, "n1"))
    assert [viability(P, each, there, DEFAULT) for each in there.nodes] == [12, 13]
    assert points(P, there.nodes, (scoring(2, n1=3), scoring(1, n1=1, n2=4))) == {"n1": 7, "n2": 4}
    for score, names in ((0, ["n2"]), (1, ["n1", "n2"]), (2, ["n1"])):
        assert [each.name for each in best(P, there, asking(scoring(n1=score)))] == names
    assert [viability(P, each, there, asking(scoring(n1=1))) for each in there.nodes] == [13, 13]


def test_an_extender_that_fails_to_score_adds_nothing() -> None:
    assert points(P, ROOMY.nodes, (failing(SCORE), scoring(n2=1))) == {"n1": 0, "n2": 1, "n3": 0}
    assert decided(ROOMY, asking(failing(SCORE))) == decided(ROOMY, DEFAULT)


def test_points_decide_where_no_priority_is_on() -> None:
    assert decided(ROOMY, asking(scoring(n2=1), priorities=())) == {"Bind(p, n2)"}


def test_priorities_compare_only_the_nodes_that_extenders_keep() -> None:
    """The count of pods of the service is highest on n3, which is refused; then n2 has the most and gets 0, not 5."""
    from schedcheck.spec.objects import Service

    labelled = [pod(f"s{number}", 0, where, labels={"app": "a"}) for number, where in enumerate(("n2", "n3", "n3"))]
    wanted = pod("p", 0, labels={"app": "a"})
    there = replace(snapshot(wanted, N1, N2, N3, *labelled), services=(Service("s", selector=frozendict(app="a")),))
    spread = (Weighted("SelectorSpreadPriority"),)
    more = scoring(n2=8)
    assert decided(there, asking(more, priorities=spread), wanted) == {"Bind(p, n2)"}
    assert decided(there, asking(keeping("n1", "n2"), more, priorities=spread), wanted) == {"Bind(p, n1)"}


def test_an_extender_cannot_admit_a_node_that_a_predicate_fails() -> None:
    assert decided(snapshot(P, node("n1", 0)), asking(keeping("n1"))) == {"Wait(p)"}


def test_a_node_that_only_an_extender_refuses_is_nominated_without_victims() -> None:
    """In 1.17 every refusal of an extender counts as resolvable, and a candidate without victims is taken at once."""
    there = snapshot(P, N1, node("n2", 1), pod("low", 1, "n2"))
    assert decided(there, asking(keeping())) == {"Nominate(p, n1, {})"}
    assert decided(there, asking(keeping(n1="no licence"))) == {"Nominate(p, n1, {})"}
    hopeless = Extender(FILTER, lambda pod, nodes: Filtered(frozenset(), unresolvable=frozendict(n1="never")))
    assert decided(there, asking(hopeless)) == {"Nominate(p, n1, {})"}


def test_a_node_that_a_predicate_fails_for_good_is_not_nominated() -> None:
    there = snapshot(P, node("n1", 4, ready="False"), pod("low", 1, "n1"))
    nominated = replace(P, nominated_node_name="n1")
    assert decided(there, asking(keeping())) == {"Wait(p)"}
    assert decided(snapshot(nominated, node("n1", 4, ready="False")), asking(keeping()), nominated) == {
        "Wait(p, unnominated)"
    }


def test_the_damage_of_no_victims_is_less_than_any_other() -> None:
    assert damage(Candidate(N1, (), 0)) == NO_DAMAGE
    assert damage(Candidate(N1, (pod("a", priority=-(2**31)),), 0)) > NO_DAMAGE


def test_a_preempting_extender_keeps_some_candidates() -> None:
    assert decided(FULL, DEFAULT) == {"Nominate(p, n1, {a})"}
    assert decided(FULL, asking(choosing(as_offered("n2")))) == {"Nominate(p, n2, {b})"}
    assert decided(FULL, asking(choosing(as_offered()))) == {"Wait(p)"}
    assert decided(FULL, asking(choosing(as_offered("n1", "n2")))) == {"Nominate(p, n1, {a})"}


def test_a_preempting_extender_may_name_other_victims_or_none() -> None:
    there = snapshot(P, node("n1", 1), node("n2", 1), pod("a", 1, "n1"), pod("b", 1, "n2"), pod("more", 0, "n2"))
    both = MetaVictims((("default", "b"), ("default", "more")))
    assert decided(there, asking(choosing(lambda offered: {"n2": both}))) == {"Nominate(p, n2, {b, more})"}
    nobody = {"n1": MetaVictims((("default", "a"),)), "n2": MetaVictims(())}
    assert decided(there, asking(choosing(lambda offered: nobody))) == {"Nominate(p, n2, {})"}


def test_a_victim_that_is_not_there_or_a_missing_node_is_an_error() -> None:
    for named in ({"n1": MetaVictims((("default", "b"),))}, {"gone": MetaVictims(())}):
        extender = choosing(lambda offered, named=named: named)  # type: ignore[misc]
        assert decided(FULL, asking(extender)) == {"Wait(p)"}
        tolerated = replace(extender, offer=replace(EVICT, ignorable=True))
        assert decided(FULL, asking(tolerated)) == {"Nominate(p, n1, {a})"}


def test_violations_of_budgets_are_forgotten_once_an_extender_is_asked() -> None:
    """Node n1 has a victim of lower priority that a budget protects; without the violation it does less damage."""
    guarded = pod("a", 1, "n1", priority=1, labels={"app": "a"})
    there = replace(
        snapshot(P, node("n1", 1), node("n2", 1), guarded, pod("b", 1, "n2", priority=2)),
        budgets=(PodDisruptionBudget("b", selector=selector(app="a")),),
    )
    assert decided(there, DEFAULT) == {"Nominate(p, n2, {b})"}
    assert decided(there, asking(choosing(as_offered("n1", "n2")))) == {"Nominate(p, n1, {a})"}


def test_an_extender_that_caches_nodes_is_not_told_of_violations() -> None:
    offered = {"n1": Victims((FULL.pods[0],), 1)}
    told: list[int] = []

    def choose(offered: Offered) -> Mapping[str, MetaVictims]:
        told.extend(each.violations for each in offered.values())
        return {}

    for caching in (False, True):
        agreed(P, offered, FULL, (choosing(choose, replace(EVICT, node_cache_capable=caching)),))
    assert told == [1, 0]


def test_the_next_extender_is_asked_about_what_the_last_one_named() -> None:
    said = agreed(
        P,
        {"n1": Victims((FULL.pods[0],)), "n2": Victims((FULL.pods[1],))},
        FULL,
        (choosing(as_offered("n2")), choosing(as_offered("n1", "n2"))),
    )
    assert not isinstance(said, Failed) and set(said) == {"n2"}


def test_a_resource_ignored_by_the_scheduler_is_counted_by_its_extender_alone() -> None:
    wanting = pod("p", containers=(container(1, **{GPU: 1}),))
    there = snapshot(wanting, N1)
    offer = replace(FILTER, managed_resources=(ManagedResource(GPU, ignored=True),))
    counted = replace(FILTER, managed_resources=(ManagedResource(GPU),))
    assert [str(each.words) for each in failures(wanting, N1, there, replace(DEFAULT, unasked=(counted,)))] == [
        f"Insufficient {GPU}"
    ]
    for classic in (asking(keeping("n1", offer=offer)), replace(DEFAULT, unasked=(offer,))):
        assert feasible(wanting, there, classic) == (N1,)


def test_a_resource_that_is_ignored_and_that_the_pod_does_not_request_is_not_compared() -> None:
    offer = replace(FILTER, managed_resources=(ManagedResource(GPU, ignored=True),))
    over = snapshot(P, N1, pod("there", containers=(container(0, **{GPU: 1}),), on="n1"))
    assert failures(P, N1, over, replace(DEFAULT, unasked=(offer,))) == ()


def test_a_pod_that_requests_only_an_ignored_resource_still_has_the_others_compared() -> None:
    wanting = pod("p", containers=(container(0, **{GPU: 1}),))
    offer = replace(FILTER, managed_resources=(ManagedResource(GPU, ignored=True),))
    over = snapshot(wanting, node("n1", 1), pod("there", 2, "n1"))
    found = failures(wanting, over.nodes[0], over, replace(DEFAULT, unasked=(offer,)))
    assert [each.words for each in found] == ["Insufficient cpu"]


def test_the_message_counts_the_reasons_of_extenders_and_no_refusal_without_one() -> None:
    there = snapshot(P, N1, N2, node("n3", 0))
    nodes = feasible(P, there, DEFAULT)
    left = judgement(P, nodes, there, asking(keeping(n1="no licence"))).left
    assert message(P, there, DEFAULT, left) == "0/3 nodes are available: 1 Insufficient cpu, 1 no licence."
    failed = judgement(P, nodes, there, asking(failing())).left
    assert message(P, there, DEFAULT, failed) == "down"


def test_the_extender_with_a_bind_verb_binds_the_pods_that_concern_it() -> None:
    of_gpus = Offer("http://b", bind_verb="bind", managed_resources=(ManagedResource(GPU),))
    extenders = (Extender(FILTER), Extender(of_gpus))
    assert binder(P, extenders) is None
    found = binder(pod("p", containers=(container(1, **{GPU: 1}),)), extenders)
    assert found is not None and found.offer == of_gpus
