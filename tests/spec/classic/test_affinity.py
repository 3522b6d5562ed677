"""Affinity of the classic scheduler: each part is read from the field, or from the annotation if the field does not set
it
"""

from itertools import combinations
from typing import Any

import pytest

from schedcheck.spec.classic.affinity import affinity
from schedcheck.spec.terms import Affinity, PodAffinityTerm, PreferredNodeTerm, PreferredPodTerm, Requirement
from tests.support.building import node_term, pod, selector, term

PARTS = (("node_required", "node_preferred"), ("pod_required", "pod_preferred"), ("anti_required", "anti_preferred"))


def one(field: str, value: str) -> tuple[Any, ...]:
    """A term for a field of the affinity, identified by a value."""
    if field.startswith("node"):
        wanted = node_term(Requirement("key", "In", (value,)))
        return (wanted,) if field == "node_required" else (PreferredNodeTerm(1, wanted),)
    other: PodAffinityTerm = term("zone", selector(app=value))
    return (other,) if field.endswith("required") else (PreferredPodTerm(1, other),)


ANNOTATED = Affinity(**{field: one(field, "annotated") for part in PARTS for field in part})
GIVEN = [chosen for size in range(4) for chosen in combinations([field for part in PARTS for field in part], size)]


@pytest.mark.parametrize("given", GIVEN, ids=lambda given: ",".join(given) or "nothing")
def test_each_part_of_the_affinity_is_read_from_a_single_place(given: tuple[str, ...]) -> None:
    found = affinity(
        pod(affinity=Affinity(**{field: one(field, "given") for field in given}), annotated_affinity=ANNOTATED)
    )
    for part in PARTS:
        spoken_of = any(field in given for field in part)
        for field in part:
            expected = one(field, "given") if field in given else () if spoken_of else one(field, "annotated")
            assert tuple(getattr(found, field) or ()) == expected
