"""Affinity terms of existing pods that select a pod: lookup by label compared with a linear scan"""

from collections.abc import Iterable, Sequence

import pytest
from frozendict import frozendict
from hypothesis import given
from hypothesis import strategies as st

from schedcheck.checker.drawing import objects as strategies
from schedcheck.model.production.snapshot.labels import BySelector
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.pod_table import PodKinds
from schedcheck.model.production.snapshot.terms import CarriedTerm, NamespaceLabels
from schedcheck.spec.objects import Pod
from schedcheck.spec.terms import Affinity, LabelSelector, PodAffinityTerm, Requirement
from tests.support.building import pod

NAMESPACES: list[NamespaceLabels] = [{}, {"default": frozendict({"a": "1"}), "b": frozendict({"b": "1"})}]
Carried = dict[CarriedTerm, dict[int, int]]


def found_one_by_one_too(owners: Sequence[Pod], asked: Pod, namespaces: NamespaceLabels) -> None:
    """Assert that a table of these pods finds the same terms as a linear scan over all terms."""
    kinds = PodKinds()
    infos = {kinds.number(info): info for info in map(PodInfo, owners)}

    def once(terms: Iterable[CarriedTerm]) -> list[tuple[CarriedTerm, int]]:
        return [(term, 1) for term in terms]

    every = (
        (kinds.required, {number: once(info.required) for number, info in infos.items()}),
        (kinds.required_anti, {number: once(info.required_anti) for number, info in infos.items()}),
        (kinds.preferred, {number: list(info.preferred) for number, info in infos.items()}),
    )
    for bearers, carried in every:
        expected: Carried = {}
        for number, terms in carried.items():
            for term, weight in terms:
                if term.matches(asked, namespaces):
                    weights = expected.setdefault(term, {})
                    weights[number] = weights.get(number, 0) + weight
        found = list(bearers.speaking_of(asked, namespaces))
        assert len(found) == len(expected) and dict(found) == expected


@given(st.lists(strategies.pods(), max_size=5), strategies.pods(), st.sampled_from(NAMESPACES))
def test_the_terms_that_select_a_pod_are_found_by_its_labels(
    owners: list[Pod], asked: Pod, namespaces: NamespaceLabels
) -> None:
    found_one_by_one_too(owners, asked, namespaces)


def far_from(*requirements: Requirement) -> Pod:
    term = PodAffinityTerm("zone", LabelSelector(match_expressions=requirements))
    return pod("owner", affinity=Affinity(anti_required=(term,)))


OWNERS = [
    far_from(Requirement("app", "In", ("a", "b"))), far_from(Requirement("app", "In", ("b", "b"))),
    far_from(Requirement("app", "Exists")), far_from(Requirement("tier", "NotIn", ("x",))), far_from(),
    far_from(Requirement("app", "NotIn", ("a",)), Requirement("tier", "In", ("x",))),
]  # fmt: skip
ASKED = [pod("p", labels=labels) for labels in ({}, {"app": "a"}, {"app": "b"}, {"app": "b", "tier": "x"})]


@pytest.mark.parametrize("asked", ASKED, ids=lambda each: str(dict(each.labels)))
def test_a_term_is_found_whatever_its_selector(asked: Pod) -> None:
    found_one_by_one_too(OWNERS, asked, {})


def test_looking_up_a_term_under_only_one_value_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    every = BySelector._lists
    monkeypatch.setattr(BySelector, "_lists", lambda self, selector: every(self, selector)[:1])
    with pytest.raises(AssertionError):
        found_one_by_one_too(OWNERS, ASKED[2], {})
