"""The affinity of a pod as the API writes it

The expected objects are written by hand from the fields of PodAffinityTerm and WeightedPodAffinityTerm in
k8s.io/api/core/v1/types.go.
"""

from typing import Any

import pytest

from schedcheck.model.production.extenders.kubernetes_objects import pod_object
from schedcheck.spec.terms import Affinity, PodAffinityTerm, PreferredPodTerm, Requirement
from tests.support.building import pod, selector

REQUIRED, PREFERRED = (
    f"{kind}DuringSchedulingIgnoredDuringExecution" for kind in ("required", "preferred")
)  # fmt: skip
TERMS: list[tuple[PodAffinityTerm, dict[str, Any]]] = [
    (PodAffinityTerm("zone", None), {"topologyKey": "zone"}),
    (PodAffinityTerm("zone", selector()), {"topologyKey": "zone", "labelSelector": {}}),
    (
        PodAffinityTerm("zone", selector(app="a"), namespaces=frozenset({"x"})),
        {"topologyKey": "zone", "namespaces": ["x"], "labelSelector": {"matchLabels": {"app": "a"}}},
    ),
    (
        PodAffinityTerm("zone", None, namespace_selector=selector(team="b")),
        {"topologyKey": "zone", "namespaceSelector": {"matchLabels": {"team": "b"}}},
    ),
    (
        PodAffinityTerm("zone", selector(Requirement("app", "In", ("a", "b"))), namespace_selector=selector()),
        {
            "topologyKey": "zone",
            "labelSelector": {"matchExpressions": [{"key": "app", "operator": "In", "values": ["a", "b"]}]},
            "namespaceSelector": {},
        },
    ),
]


@pytest.mark.parametrize(("term", "expected"), TERMS)
def test_a_term_has_its_key_and_the_selectors_that_it_has(term: PodAffinityTerm, expected: dict[str, Any]) -> None:
    weighted = (PreferredPodTerm(7, term),)
    told = {REQUIRED: [expected]}
    for field, name in (("pod", "podAffinity"), ("anti", "podAntiAffinity")):
        fields: dict[str, Any] = {f"{field}_required": (term,)}
        assert pod_object(pod(affinity=Affinity(**fields)))["spec"]["affinity"] == {name: told}
        fields = {f"{field}_preferred": weighted}
        assert pod_object(pod(affinity=Affinity(**fields)))["spec"]["affinity"] == {
            name: {PREFERRED: [{"weight": 7, "podAffinityTerm": expected}]}
        }
