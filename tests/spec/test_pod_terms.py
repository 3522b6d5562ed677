"""The namespaces and the domains of a term, and the pods that it selects"""

import pytest

from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.pod_terms import concerns, in_namespaces, same_domain
from schedcheck.spec.terms import LabelSelector, Requirement
from tests.support.building import namespace, node, pod, selector, snapshot, term

OWNER, SAME, OTHER = pod("o", namespace="one"), pod("s", namespace="one"), pod("x", namespace="two")
KNOWN = snapshot(namespace("one", team="a"), namespace("two", team="b"))


@pytest.mark.parametrize(
    ("fields", "of_same", "of_other"),
    [
        ({}, True, False),
        ({"namespaces": ("two",)}, False, True),
        ({"namespaces": ("one", "two")}, True, True),
        ({"namespaces": ("three",)}, False, False),
        ({"namespace_selector": LabelSelector()}, True, True),
        ({"namespace_selector": selector(team="b")}, False, True),
        ({"namespace_selector": selector(team="c")}, False, False),
        ({"namespace_selector": selector(team="b"), "namespaces": ("one",)}, True, True),
        ({"namespace_selector": selector(Requirement("team", "DoesNotExist"))}, False, False),
    ],
)
def test_a_term_selects_pods_in_its_namespaces(fields: dict[str, object], of_same: bool, of_other: bool) -> None:
    each = term(**fields)  # type: ignore[arg-type]
    assert in_namespaces(each, OWNER, SAME, KNOWN, NO_FAULTS) == of_same
    assert in_namespaces(each, OWNER, OTHER, KNOWN, NO_FAULTS) == of_other


def test_an_unknown_namespace_has_no_labels() -> None:
    unknown = snapshot(namespace("one", team="a"))
    for chosen, looks in (
        (LabelSelector(), True),
        (selector(Requirement("team", "DoesNotExist")), True),
        (selector(team="a"), False),
    ):
        assert in_namespaces(term(namespace_selector=chosen), OWNER, OTHER, unknown, NO_FAULTS) == looks


@pytest.mark.parametrize(
    ("chosen", "speaks"),
    [
        (None, False),
        (LabelSelector(), True),
        (selector(app="x"), True),
        (selector(app="y"), False),
        (selector(Requirement("app", "NotIn", ("y",))), True),
    ],
)
def test_a_term_selects_the_pods_that_match_its_selector(chosen: LabelSelector | None, speaks: bool) -> None:
    other = pod("q", labels={"app": "x"})
    assert concerns(term(selected=chosen), pod("p"), other, snapshot(), NO_FAULTS) == speaks
    assert not concerns(term(selected=chosen), OWNER, other, snapshot(), NO_FAULTS)


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [({"z": "1"}, {"z": "1"}, True), ({"z": "1"}, {"z": "2"}, False), ({"z": "1"}, {}, False), ({}, {}, False)],
)
def test_nodes_share_a_domain_if_both_have_the_same_label_value(
    one: dict[str, str], other: dict[str, str], shared: bool
) -> None:
    assert same_domain("z", node("m", labels=one), node("n", labels=other)) == shared
