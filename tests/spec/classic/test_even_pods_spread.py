"""EvenPodsSpread and EvenPodsSpreadPriority, as in Kubernetes 1.17"""

from dataclasses import replace

import pytest

from schedcheck.spec.classic.filtering import antitone, failures, feasible
from schedcheck.spec.classic.policy import DEFAULT
from schedcheck.spec.classic.predicates.even_pods_spread import even_pods_spread as passes
from schedcheck.spec.classic.preemption import permitted
from schedcheck.spec.classic.priorities.even_pods_spread import even_pods_spread as scores
from schedcheck.spec.objects import Pod, Snapshot, SpreadConstraint
from schedcheck.spec.terms import LabelSelector
from tests.support.building import node, pod, selector, snapshot

WEB = {"app": "web"}
ON = selector(app="web")
A1, A2, B1 = (node(name, 9, labels={"zone": name[0], "host": name}) for name in ("a1", "a2", "b1"))
BARE = node("bare", 9)
SPREADING = replace(DEFAULT, predicates=(*DEFAULT.predicates, "EvenPodsSpread"))


def spreading(*constraints: SpreadConstraint, **fields: object) -> Pod:
    return pod("p", 1, spread=constraints, **{"labels": WEB, **fields})


def hard(key: str = "zone", skew: int = 1, selected: LabelSelector | None = ON) -> SpreadConstraint:
    return SpreadConstraint(skew, key, required=True, selector=selected)


def soft(key: str = "zone", selected: LabelSelector | None = ON) -> SpreadConstraint:
    return SpreadConstraint(1, key, required=False, selector=selected)


def webs(*where: str, **fields: object) -> list[Pod]:
    return [pod(f"w{number}", 0, on, **{"labels": WEB, **fields}) for number, on in enumerate(where)]


def passing(one: Pod, there: Snapshot) -> list[str]:
    return [each.name for each in there.nodes if passes(one, each, there)]


@pytest.mark.parametrize(
    ("where", "skew", "names"),
    [
        ((), 1, ["a1", "a2", "b1"]),
        (("a1",), 1, ["b1"]),
        (("a1", "b1"), 1, ["a1", "a2", "b1"]),
        (("a1",), 2, ["a1", "a2", "b1"]),
        (("a1", "a2"), 2, ["b1"]),
    ],
)
def test_a_node_passes_up_to_the_maximum_skew_of_its_domain(
    where: tuple[str, ...], skew: int, names: list[str]
) -> None:
    one = spreading(hard(skew=skew))
    assert passing(one, snapshot(one, A1, A2, B1, *webs(*where))) == names


def test_the_pod_itself_counts_only_if_the_constraint_selects_it() -> None:
    one = spreading(hard(), labels={})
    assert passing(one, snapshot(one, A1, B1, *webs("a1"))) == ["a1", "b1"]
    assert passing(one, snapshot(one, A1, A2, B1, *webs("a1", "a2"))) == ["b1"]


def test_every_constraint_must_hold_and_every_key_be_there() -> None:
    one = spreading(hard(), hard("host"))
    assert passing(one, snapshot(one, A1, A2, B1, BARE, *webs("a1", "b1"))) == ["a2"]
    assert [each.words for each in failures(one, BARE, snapshot(one, A1, BARE), SPREADING)] == [
        "node(s) didn't match pod topology spread constraints"
    ]


def test_every_node_passes_if_no_node_counts() -> None:
    """As in 1.17; 1.34 refuses a node without the topology key."""
    one = spreading(hard())
    assert passing(one, snapshot(one, BARE)) == ["bare"]
    choosy = spreading(hard(), node_selector={"zone": "c"})
    assert passing(choosy, snapshot(choosy, A1, B1, *webs("a1", "a1"))) == ["a1", "b1"]


def test_only_nodes_that_match_the_node_selector_count() -> None:
    """Zone b is empty, but not in scope, so that it does not make zone a fail."""
    one = spreading(hard(), node_selector={"zone": "a"})
    there = snapshot(one, A1, A2, B1, *webs("a1", "a1"))
    assert passing(one, there)[:2] == ["a1", "a2"]
    assert feasible(one, there, SPREADING) == (A1, A2)


def test_pods_of_other_namespaces_and_ended_pods_do_not_count_and_terminating_ones_do() -> None:
    one = spreading(hard())
    for fields, names in (
        ({"namespace": "other"}, ["a1", "b1"]),
        ({"phase": "Succeeded"}, ["a1", "b1"]),
        ({"terminating": True}, ["b1"]),
    ):
        assert passing(one, snapshot(one, A1, B1, *webs("a1", **fields))) == names


def test_an_empty_selector_selects_every_pod_and_a_missing_one_none() -> None:
    other = pod("other", 0, "a1", labels={"app": "db"})
    for selected, names in ((LabelSelector(), ["b1"]), (None, ["a1", "b1"])):
        one = spreading(hard(selected=selected))
        assert passing(one, snapshot(one, A1, B1, other)) == names


def test_min_domains_and_inclusion_policies_are_unknown() -> None:
    one = spreading(replace(hard(), min_domains=5, affinity_honored=False, taints_honored=True))
    assert passing(one, snapshot(one, A1, B1, *webs("a1"))) == ["b1"]


def test_a_soft_constraint_does_not_filter_and_the_predicate_must_be_named() -> None:
    one = spreading(soft())
    there = snapshot(one, A1, B1, BARE, *webs("a1", "a1"))
    assert feasible(one, there, SPREADING) == there.nodes
    strict = spreading(hard())
    assert feasible(strict, snapshot(strict, A1, B1, *webs("a1")), DEFAULT) == (A1, B1)


def test_evictions_on_a_node_may_resolve_the_failure_there_and_never_cause_it() -> None:
    high = replace(spreading(hard()), priority=9)
    there = snapshot(high, A1, replace(B1, unschedulable=True), *webs("a1"))
    assert {tuple(map(str, each.victims)) for each in permitted(high, there, SPREADING)} == {("w0",)}
    assert antitone("EvenPodsSpread", SPREADING)


def test_the_priority_prefers_the_domain_with_the_fewest_pods() -> None:
    """The counts are 3, 3 and 1, together 7: 10 * 4 / 6 is 6."""
    one = spreading(soft())
    there = snapshot(one, A1, A2, B1, *webs("a1", "a1", "a2", "b1"))
    assert scores(one, there.nodes, there) == {"a1": 6, "a2": 6, "b1": 10}


def test_the_priority_gives_10_to_equal_nodes_and_0_without_a_key_or_a_constraint() -> None:
    one, none = spreading(soft()), spreading(hard())
    there = snapshot(one, A1, B1, BARE)
    assert scores(one, there.nodes, there) == {"a1": 10, "b1": 10, "bare": 0}
    assert scores(none, there.nodes, there) == {"a1": 0, "b1": 0, "bare": 0}


def test_the_priority_counts_pods_of_every_namespace_and_on_nodes_that_are_not_scored() -> None:
    one = spreading(soft())
    there = snapshot(one, A1, A2, B1, *webs("a2", namespace="other"))
    assert scores(one, (A1, B1), there) == {"a1": 0, "b1": 10}
    choosy = spreading(soft(), node_selector={"host": "a1"})
    assert scores(choosy, (A1, B1), there) == {"a1": 10, "b1": 10}


def test_the_counts_of_several_constraints_are_added_up() -> None:
    """On a1 one pod in the zone and one on the host, on a2 one, on b1 none: of 3 in all, 1, 2 and 3 are left."""
    one = spreading(soft(), soft("host"))
    there = snapshot(one, A1, A2, B1, *webs("a1"))
    assert scores(one, there.nodes, there) == {"a1": 3, "a2": 6, "b1": 10}
