"""Rejections that more pods on the node never lift"""

import pytest

from schedcheck.spec.kubernetes.filter import antitone
from schedcheck.spec.published.feasibility import FILTERS
from schedcheck.spec.refusal import Refusal, unresolvable, unschedulable


@pytest.mark.parametrize(
    ("refusal", "expected"),
    [
        (unschedulable("NodeResourcesFit"), True),
        (unresolvable("NodeResourcesFit"), True),
        (unschedulable("InterPodAffinity"), True),
        (unresolvable("InterPodAffinity"), False),
        (unschedulable("NodeVolumeLimits"), False),
    ],
)
def test_only_missing_affinity_and_shared_volumes_can_be_lifted_by_more_pods(refusal: Refusal, expected: bool) -> None:
    assert antitone(refusal) is expected


def test_of_the_printed_filters_only_pod_affinity_is_not_antitone() -> None:
    assert {each.name for each in FILTERS if not each.antitone} == {"PodAffinity"}
