"""Filter 1.5: node affinity, matching pods, the first of a group, existing anti-affinity"""

import pytest
from frozendict import frozendict

from schedcheck.spec.faults import NO_FAULTS, Fault, Faults
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.published.affinity import (
    existing_anti_affinity,
    node_affinity,
    p_affinity,
    pod_affinity,
    pod_anti_affinity,
    why_existing_anti_affinity,
    why_no_node_affinity,
    why_no_pod_affinity,
    why_no_pod_anti_affinity,
)
from schedcheck.spec.terms import Affinity, LabelSelector, PodAffinityTerm, Requirement
from tests.support.building import apart, near, node, node_term, pod, preferring, selector, snapshot, term

A, B = node_term(Requirement("a", "Exists")), node_term(Requirement("b", "Exists"))


def wanting(*terms: object) -> Pod:
    return pod("p", affinity=Affinity(node_required=terms))  # type: ignore[arg-type]


# Node affinity.


def test_one_matching_node_term_suffices_and_no_terms_match_every_node() -> None:
    at, seen = node("n", labels={"b": ""}), snapshot()
    assert node_affinity(wanting(A, B), at, seen, NO_FAULTS)
    assert not node_affinity(wanting(A), at, seen, NO_FAULTS)
    assert node_affinity(wanting(), at, seen, NO_FAULTS)
    assert not node_affinity(wanting(), at, seen, frozenset({Fault.NO_TERMS_NO_NODE}))
    assert node_affinity(wanting(B), at, seen, frozenset({Fault.NO_TERMS_NO_NODE}))


def test_preferred_node_terms_reject_no_node() -> None:
    assert node_affinity(pod(affinity=preferring(5, A)), node(), snapshot(), NO_FAULTS)


# Required affinity.

EAST, ALSO_EAST, WEST, NOWHERE = (
    *(node(name, labels={"zone": "east", "kind": "k"}) for name in ("e", "f")),
    node("w", labels={"zone": "west"}),
    node("o"),
)
NODES = (EAST, ALSO_EAST, WEST, NOWHERE)
WEB = term("zone", selector(app="web"))


def web(name: str, on: str = "", **fields: object) -> Pod:
    return pod(name, on=on, labels={"app": "web"}, **fields)  # type: ignore[arg-type]


def where(
    predicate: object, one: Pod, *others: Pod, faults: Faults = NO_FAULTS, nodes: tuple[Node, ...] = NODES
) -> str:
    """The names of the nodes that admit the pod."""
    seen = snapshot(one, *others, *nodes)
    return "".join(each.name for each in nodes if predicate(one, each, seen, faults))  # type: ignore[operator]


def test_required_affinity_counts_in_the_whole_domain() -> None:
    assert where(pod_affinity, pod("p", affinity=near(WEB)), web("q", "e")) == "ef"
    assert where(pod_affinity, pod("p", affinity=near(WEB)), web("q", "w")) == "w"


def test_a_matching_pod_on_a_node_without_the_key_is_in_no_domain() -> None:
    assert where(pod_affinity, pod("p", affinity=near(WEB)), web("q", "o")) == ""


@pytest.mark.parametrize("other", [web("q"), web("q", "gone"), web("q", "e", phase="Failed"), pod("q", on="e")])
def test_pending_lost_ended_and_unselected_pods_do_not_satisfy_affinity(other: Pod) -> None:
    assert where(pod_affinity, pod("p", affinity=near(WEB)), other) == ""


BLUE = term("kind", selector(release="blue"))


def web_of(name: str, on: str, release: str) -> Pod:
    return pod(name, on=on, labels={"app": "web", "release": release})


def test_a_pod_counts_only_if_it_matches_every_required_term() -> None:
    both = pod("p", affinity=near(WEB, BLUE))
    assert where(pod_affinity, both, web("q", "e")) == ""
    assert where(pod_affinity, both, web("q", "f"), pod("r", on="e", labels={"release": "blue"})) == ""
    assert where(pod_affinity, both, web_of("q", "e", "blue")) == "ef"


def test_each_required_term_needs_a_counted_pod_in_its_own_domain() -> None:
    both = pod("p", affinity=near(WEB, BLUE))
    assert where(pod_affinity, both, web_of("q", "w", "blue")) == ""
    assert where(pod_affinity, both, web_of("q", "w", "blue"), web_of("r", "f", "blue")) == "ef"


def test_read_one_by_one_each_term_may_be_met_by_a_different_pod() -> None:
    both = pod("p", affinity=near(WEB, BLUE))
    others = web("q", "f"), pod("r", on="e", labels={"release": "blue"})
    assert where(pod_affinity, both, *others, faults=frozenset({Fault.TERMS_ONE_BY_ONE})) == "ef"


def test_a_pod_matching_only_one_term_does_not_end_the_first_of_group_rule() -> None:
    asking = pod("p", labels={"app": "web", "release": "blue"}, affinity=near(WEB, BLUE))
    assert where(pod_affinity, asking, web("q", "e")) == "ef"
    assert where(pod_affinity, asking, web("q", "e"), faults=frozenset({Fault.TERMS_ONE_BY_ONE})) == ""


def test_without_terms_every_node_satisfies_affinity() -> None:
    assert where(pod_affinity, pod("p")) == "efwo"


def test_a_null_selector_selects_no_pod_and_an_empty_one_every_pod() -> None:
    assert where(pod_affinity, pod("p", affinity=near(term("zone"))), web("q", "w")) == ""
    assert where(pod_affinity, pod("p", affinity=near(term("zone", LabelSelector()))), web("q", "w")) == "w"


# The first of a group.


def test_the_first_of_a_group_may_go_to_any_node_with_the_key() -> None:
    assert where(pod_affinity, web("p", affinity=near(WEB))) == "efw"
    assert where(pod_affinity, web("p", affinity=near(WEB)), faults=frozenset({Fault.NO_FIRST_OF_GROUP})) == ""


def test_the_second_of_a_group_goes_to_the_domain_of_the_first() -> None:
    first = web("q", "w", affinity=near(WEB))
    assert where(pod_affinity, web("p", affinity=near(WEB)), first) == "w"


def test_a_member_in_no_domain_does_not_count_as_first() -> None:
    assert where(pod_affinity, web("p", affinity=near(WEB)), web("q", "o")) == "efw"


def test_a_pod_outside_the_group_is_never_its_first() -> None:
    assert where(pod_affinity, pod("p", affinity=near(WEB))) == ""
    elsewhere = near(term("zone", selector(app="web"), namespaces=("two",)))
    assert where(pod_affinity, web("p", affinity=elsewhere)) == ""
    assert where(pod_affinity, web("p", affinity=near(term("zone")))) == ""


def test_the_first_pod_must_match_all_of_its_terms() -> None:
    other = term("zone", selector(app="db"))
    assert where(pod_affinity, web("p", affinity=near(WEB, other))) == ""
    assert where(pod_affinity, web("p", affinity=near(WEB, other)), pod("q", on="w", labels={"app": "db"})) == ""


def test_the_first_of_a_group_needs_every_topology_key() -> None:
    kind = term("kind", selector(app="web"))
    assert where(pod_affinity, web("p", affinity=near(WEB, kind))) == "ef"


# Required anti-affinity.


def test_anti_affinity_rejects_every_node_of_the_domain() -> None:
    one = pod("p", affinity=apart(WEB))
    assert where(pod_anti_affinity, one) == "efwo"
    assert where(pod_anti_affinity, one, web("q", "e")) == "wo"
    assert where(pod_anti_affinity, one, web("q", "o")) == "efwo"
    assert where(pod_anti_affinity, one, web("q", "e", phase="Succeeded"), web("r")) == "efwo"


def test_each_anti_affinity_term_counts_separately() -> None:
    one = pod("p", affinity=apart(WEB, term("kind", selector(app="db"))))
    assert where(pod_anti_affinity, one, web("q", "w"), pod("r", on="f", labels={"app": "db"})) == "o"


def test_a_pod_may_have_anti_affinity_to_its_own_labels() -> None:
    assert where(pod_anti_affinity, web("p", affinity=apart(WEB))) == "efwo"


def test_anti_affinity_with_a_null_selector_rejects_nothing_and_an_empty_one_all() -> None:
    assert where(pod_anti_affinity, pod("p", affinity=apart(term("zone"))), web("q", "e")) == "efwo"
    assert where(pod_anti_affinity, pod("p", affinity=apart(term("zone", LabelSelector()))), pod("q", on="e")) == "wo"


# Anti-affinity of existing pods.


def shy(name: str, on: str, *terms: PodAffinityTerm, **fields: object) -> Pod:
    return pod(name, on=on, affinity=apart(*(terms or (WEB,))), **fields)  # type: ignore[arg-type]


def test_anti_affinity_of_existing_pods_rejects_their_domain() -> None:
    assert where(existing_anti_affinity, web("p"), shy("q", "e")) == "wo"
    assert where(existing_anti_affinity, web("p"), shy("q", "o")) == "efwo"
    assert where(existing_anti_affinity, pod("p"), shy("q", "e")) == "efwo"
    printed = frozenset({Fault.EXISTING_ANTI_AFFINITY_IGNORED})
    assert where(existing_anti_affinity, web("p"), shy("q", "e"), faults=printed) == "efwo"


@pytest.mark.parametrize("other", [shy("q", ""), shy("q", "gone"), shy("q", "e", phase="Failed")])
def test_anti_affinity_of_pending_lost_or_ended_pods_does_not_count(other: Pod) -> None:
    assert where(existing_anti_affinity, web("p"), other) == "efwo"


def test_existing_anti_affinity_applies_to_the_namespaces_of_its_term() -> None:
    abroad = shy("q", "e", namespace="two")
    assert where(existing_anti_affinity, web("p"), abroad) == "efwo"
    everywhere = shy("q", "e", term("zone", selector(app="web"), namespace_selector=LabelSelector()), namespace="two")
    assert where(existing_anti_affinity, web("p"), everywhere) == "wo"


def test_preferred_terms_reject_no_node() -> None:
    for affinity in (near(WEB), preferring(5, WEB, anti=True)):
        assert where(existing_anti_affinity, web("p"), pod("q", on="e", affinity=affinity)) == "efwo"
        assert where(pod_anti_affinity, pod("p", affinity=affinity), web("q", "e")) == "efwo"


# As printed.


def test_p_affinity_needs_one_matching_pod_in_the_domain() -> None:
    seen: Snapshot = snapshot(web("q", "e"), *NODES)
    assert [p_affinity(WEB, pod("p"), each, seen, NO_FAULTS) for each in NODES] == [True, True, False, False]


# Reasons.


def test_the_reasons_name_topology_keys_and_rejecting_pods() -> None:
    seen = snapshot(shy("q", "e"), shy("r", "f", namespace="two"), shy("b", "f"), web("v", "w"), *NODES)
    near_both = pod("p", affinity=near(WEB, term("kind", selector(app="db"))))
    asked = "no pod that the required affinity asks for in the same"
    assert why_no_pod_affinity(near_both, WEST, seen, NO_FAULTS) == f"{asked} zone, kind"
    assert why_no_pod_affinity(near_both, WEST, seen, frozenset({Fault.TERMS_ONE_BY_ONE})) == f"{asked} kind"
    assert why_no_pod_anti_affinity(pod("p", affinity=apart(WEB)), WEST, seen, NO_FAULTS) == (
        "a pod that the required anti-affinity forbids in the same zone"
    )
    assert why_existing_anti_affinity(web("p"), EAST, seen, NO_FAULTS) == "the required anti-affinity of b, q"
    assert why_no_node_affinity(wanting(A), NOWHERE, seen, NO_FAULTS) == "matches no required node-affinity term"
    assert why_no_node_affinity(pod(), NOWHERE, seen, frozenset({Fault.NO_TERMS_NO_NODE})) == "no term, so none matches"


def test_with_exists_misspelt_a_selector_selects_no_pod() -> None:
    present = selector(Requirement("app", "Exists"))
    printed = frozenset({Fault.EXITS_MISSPELT})
    assert where(pod_affinity, pod("p", affinity=near(term("zone", present))), web("q", "w")) == "w"
    assert where(pod_affinity, pod("p", affinity=near(term("zone", present))), web("q", "w"), faults=printed) == ""
    assert present.match_labels == frozendict()
