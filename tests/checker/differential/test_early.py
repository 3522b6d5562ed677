"""The early production scheduler decides as its definitions allow on random clusters, and its broken twins do not"""

from collections import Counter
from dataclasses import dataclass, replace

import pytest
from frozendict import frozendict
from hypothesis import Phase, given, seed, settings

from schedcheck.checker.differential import early
from schedcheck.checker.differential.early import (
    STOPS,
    early_compared,
    early_difference,
    informed,
    unworded,
)
from schedcheck.checker.differential.early_judgement import judged
from schedcheck.model.classic.scheduler import Result
from schedcheck.spec.classic.decision import decision
from schedcheck.spec.classic.policy import Classic, LabelPresence, Ratio, ServiceAffinity, Weighted
from schedcheck.spec.extender_configuration import Extender as Offer
from schedcheck.spec.objects import Pod, Service, Snapshot, Taint
from tests.checker.differential.early_twins import TWINS
from tests.checker.differential.test_random import SLOW
from tests.support.building import claiming, near, node, pod, selector, snapshot, term
from tests.support.early import ASKED, Question


def found(question: Question) -> tuple[Result, Result]:
    """What is found with all predicates, and stopping at a failure."""
    asked, there, classic = question
    return informed(there, classic, check_all=True).schedule(asked), informed(there, classic).schedule(asked)


def agree(question: Question) -> None:
    _, there, classic = question
    differing = early_difference(found(question), there, classic)
    assert differing is None or differing.rows == (STOPS,), differing


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", ASKED)
def test_every_decision_of_the_early_scheduler_is_allowed(kind: str) -> None:
    settings(max_examples=60, suppress_health_check=SLOW)(given(ASKED[kind])(agree))()


SEEDS = {
    "init_containers_do_not_count": 7,
    "a_label_that_is_liked_is_disliked": 0,
    "company_in_one_domain_suffices": 11,
    "the_weight_of_required_terms_is_fixed": 2,
    "the_last_pod_of_a_service_decides": 12,
    "the_annotation_does_not_count": 10,
    "an_unknown_condition_is_false": 1,
    "the_largest_volume_is_taken": 8,
}
"""Seeds whose first clusters show a twin; without them, clusters with thousands of orders of victims come first."""


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", TWINS)
def test_a_small_mistake_in_the_early_scheduler_is_found(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    twin, kind = TWINS[name]
    twin(monkeypatch)
    often = settings(
        max_examples=1500, suppress_health_check=SLOW, report_multiple_bugs=False, phases=[Phase.generate]
    )  # fmt: skip
    asked = often(given(ASKED[kind])(agree))
    with pytest.raises(AssertionError):
        (seed(SEEDS[name])(asked) if name in SEEDS else asked)()


def test_every_outcome_is_drawn() -> None:
    kinds: Counter[str] = Counter()

    def count(question: Question) -> None:
        everything = found(question)[0]
        kinds.update(
            {
                "bind": bool(everything.hosts),
                "several": len(everything.hosts) > 1,
                "nominate": bool(everything.nominated),
                "error": bool(everything.errors),
                "cleared": everything.cleared,
                "outranked": any(everything.outranked.values()),
                "guarded": any(each.violations for each in everything.tried.values()),
            }
        )

    for kind, number in (
        ("early contests", 60),
        ("early volumes", 30),
        ("early questions", 10),
        ("early evictions", 100),
    ):
        settings(max_examples=number, suppress_health_check=SLOW)(given(ASKED[kind])(count))()
    assert min(kinds.values()) >= 1, kinds


@settings(max_examples=80, suppress_health_check=SLOW)
@given(ASKED["early contests"] | ASKED["early groups"])
def test_the_judgement_with_all_predicates_is_that_of_the_definitions(question: Question) -> None:
    asked, there, classic = question
    assert unworded(judged(*question)[0].decisions) == decision(asked, there, classic)


FULL = snapshot(
    node("n1", 1, taints=(Taint("t", "NoSchedule"),)),
    pod("low", 1, on="n1"),
    pod("p", 1, priority=1, nominated_node_name="n1"),
)
"""One node: it has too little cpu, which an eviction resolves, and a taint, which none does."""


def both(there: Snapshot, name: str = "p") -> tuple[Result, Result]:
    (asked,) = (each for each in there.pods if each.name == name)
    return found((asked, there, Classic()))


def test_a_node_that_fails_first_for_a_resolvable_reason_is_tried_only_when_stopping() -> None:
    """1.17 tries the node in vain and returns nothing to clear; with all predicates no node is worth trying."""
    everything, stopping = both(FULL)
    assert (everything.cleared, stopping.cleared) == (True, False)
    assert everything.message == (
        "0/1 nodes are available: 1 Insufficient cpu, 1 node(s) had taints that the pod didn't tolerate."
    )
    assert stopping.message == "0/1 nodes are available: 1 Insufficient cpu."
    (difference,) = early_compared(FULL, Classic()).differences
    assert difference.rows == (STOPS,) and difference.excused


def test_an_error_behind_the_first_failure_is_not_seen_when_stopping() -> None:
    """The pod's claim is lost. CheckVolumeBinding errs on every node, and only the taint keeps it from being evaluated."""
    there = snapshot(node("n1", 1, taints=(Taint("t", "NoSchedule"),)), claiming("gone"))
    classic = Classic(predicates=("CheckNodeCondition", "PodToleratesNodeTaints", "CheckVolumeBinding"))
    everything, stopping = found((there.pods[0], there, classic))
    assert everything.errors == {"n1": ("CheckVolumeBinding", 'persistentvolumeclaim "gone" not found')}
    assert stopping.errors == {} and list(stopping.failed["n1"]) == ["PodToleratesNodeTaints"]
    compared = early_compared(there, classic)
    assert (len(compared.agreed), compared.differences) == (1, ())


def test_a_preemptor_that_becomes_the_first_of_its_group_is_nominated_only_when_stopping() -> None:
    """The node lacks one of the keys. Once its only matching pod is evicted, the preemptor needs no company."""
    web = selector(app="a")
    there = snapshot(
        node("n1", 1, labels={"zone": "a"}),
        pod("low", 1, on="n1", labels={"app": "a"}),
        pod("p", 1, priority=1, labels={"app": "a"}, affinity=near(term("zone", web), term("rack", web))),
    )
    everything, stopping = both(there)
    assert (everything.nominated, stopping.nominated) == ((), ("n1",))
    assert [each.name for each in stopping.tried["n1"].pods] == ["low"]
    (difference,) = early_compared(there, Classic()).differences
    assert difference.rows == (STOPS,)


def test_a_predicate_or_priority_that_production_lacks_makes_every_pod_unknown() -> None:
    there = snapshot(node("n1", 1), pod("p"), pod("q"))
    odd = Classic(predicates=("CheckNodeCondition", "CheckTheMoon"), priorities=(Weighted("MoonPriority"),))
    compared = early_compared(there, odd)
    why = "the production scheduler has no CheckTheMoon, MoonPriority"
    assert [(str(each), said) for each, said in compared.unknown] == [("p", why), ("q", why)]
    assert (compared.agreed, compared.differences) == ((), ())


def test_an_argument_that_production_does_not_read_makes_every_pod_unknown() -> None:
    @dataclass(frozen=True)
    class Extended(Classic):
        extenders: tuple[str, ...] = ()

    there = snapshot(node("n1", 1), pod("p"))
    assert early.missing(Extended()) == ""
    compared = early_compared(there, Extended(extenders=("http://e",)))
    assert [why for _, why in compared.unknown] == ["the production scheduler has no extenders"]


def test_a_named_label_presence_is_evaluated_at_the_place_of_its_kind() -> None:
    classic = Classic(label_presence=(LabelPresence("Region", ("region",), True),))
    there = snapshot(node("n1", 1, taints=(Taint("t", "NoSchedule"),)), node("n2", 1), pod("p"))
    everything, stopping = found((there.pods[0], there, classic))
    assert list(everything.failed["n1"]) == ["PodToleratesNodeTaints", "Region"]
    assert list(stopping.failed["n1"]) == ["PodToleratesNodeTaints"] and list(stopping.failed["n2"]) == ["Region"]


def test_pods_with_too_many_orders_are_unknown() -> None:
    there = snapshot(node("n1", 1), pod("p", 1, priority=1), *(pod(f"v{i}", 0.1 + i / 1000, on="n1") for i in range(9)))
    compared = early_compared(there, Classic())
    assert [str(each) for each, _ in compared.unknown] == ["p"] and "too many orders" in compared.unknown[0][1]


def test_every_pod_is_left_after_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(early, "early_difference", interrupted)
    compared = early_compared(snapshot(node("n1", 1), pod("p"), pod("q")), Classic())
    assert (compared.left, compared.stopped) == (2, "interrupted")


def test_an_ended_pod_keeps_no_room_and_no_nomination() -> None:
    ended = [pod(f"e{priority}", 1, phase="Failed", priority=priority, nominated_node_name="n1") for priority in (0, 9)]
    there = snapshot(node("n1", 1), pod("v", 1, on="n1"), pod("p", 1, priority=1), *ended)
    compared = early_compared(there, Classic())
    assert compared.differences == ()
    assert [str(each) for _, made in compared.agreed for each in made] == ["Nominate(p, n1, {v})"]


def test_the_pods_are_compared_in_order_and_without_those_that_are_not_tried() -> None:
    there = snapshot(
        node("n1", 4), pod("b"), pod("a"), pod("bound", on="n1"), pod("ended", phase="Failed"), pod("gone", terminating=True)
    )  # fmt: skip
    assert [str(each) for each, _ in early_compared(there, Classic()).agreed] == ["a", "b"]


def test_a_difference_names_the_score_and_the_victims(monkeypatch: pytest.MonkeyPatch) -> None:
    TWINS["the_balance_is_rounded"][0](monkeypatch)
    half = snapshot(node("n1", 3, allocatable={"memory": 2**30}), pod("p", 1))
    (difference,) = early_compared(half, Classic()).differences
    assert [what for what, _, _ in difference.details] == ["BalancedResourceAllocation on n1", "the sum on n1"]
    monkeypatch.undo()
    TWINS["no_pod_is_put_back"][0](monkeypatch)
    crowded = snapshot(node("n1", 2), pod("v", 1, on="n1"), pod("w", 1, on="n1", priority=1), pod("p", 1, priority=2))
    (difference,) = early_compared(crowded, Classic()).differences
    assert difference.details == (("the victims on n1", "{v, w}", "{v}"),)
    assert "Nominate(p, n1, {v, w})" in str(difference)


def test_the_pod_alone_is_judged_beside_other_pending_pods() -> None:
    asked: Pod = pod("p", 1, priority=0)
    there = snapshot(node("n1", 1), asked, pod("first", 1, priority=0, nominated_node_name="n1"))
    everything, _ = both(there)
    assert everything.message == "0/1 nodes are available: 1 Insufficient cpu."


@pytest.mark.parametrize(
    ("classic", "lacking"),
    [
        (Classic(predicates=("EvenPodsSpread",)), "EvenPodsSpread"),
        (Classic(priorities=(Weighted("Packed", ratio=Ratio(((0, 0),))),)), "Packed, ratio"),
        (Classic(unasked=(Offer("http://a", bind_verb="bind"),)), "extenders"),
    ],
)
def test_a_pod_is_unknown_if_the_production_scheduler_lacks_what_the_policy_names(
    classic: Classic, lacking: str
) -> None:
    one = pod("p")
    said = early_compared(snapshot(one, node("n")), classic)
    assert said.unknown == ((one, f"the production scheduler has no {lacking}"),)
    assert (said.agreed, said.differences) == ((), ())


def test_a_node_that_avoids_the_controller_of_a_pod_scores_0() -> None:
    owned = pod("p", owner=("ReplicaSet", "web"), owner_uid="1")
    avoiding = replace(node("n1"), avoids=(("ReplicaSet", "1"),))
    there = snapshot(owned, avoiding, replace(node("n2"), avoids=(("ReplicationController", "1"),)))
    reading = Classic(priorities=(Weighted("NodePreferAvoidPodsPriority"),))
    assert found((owned, there, reading))[0].scores.totals == {"n1": 0, "n2": 10}
    assert early_compared(there, reading).differences == ()


def test_a_service_keeps_to_the_values_of_its_first_pod() -> None:
    labels = {"app": "a"}
    there = replace(
        snapshot(
            node("n1", labels={"zone": "a"}), node("n2", labels={"zone": "b"}), node("n3"),
            pod("first", on="n1", labels=labels), pod("second", on="n2", labels=labels), pod("p", labels=labels),
        ),
        services=(Service("s", selector=frozendict(labels)),),
    )  # fmt: skip
    zoned = Classic(service_affinity=(ServiceAffinity("Zoned", ("zone",)),))
    assert found((pod("p", labels=labels), there, zoned))[0].hosts == ("n1",)
    assert (early_compared(there, zoned).differences, early_compared(there, zoned).unknown) == ((), ())
