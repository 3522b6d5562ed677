"""Which tolerations match which taints"""

import pytest

from schedcheck.spec.faults import NO_FAULTS, Fault
from schedcheck.spec.objects import Taint, Toleration
from schedcheck.spec.tolerations import match, tolerated
from tests.support.building import pod

TAINT = Taint("k", "NoSchedule", "v")
EXACT = frozenset({Fault.EXACT_TOLERATION})


@pytest.mark.parametrize(
    ("toleration", "covers", "as_printed"),
    [
        (Toleration("k", "Equal", "v", "NoSchedule"), True, True),
        (Toleration("k", "Equal", "w", "NoSchedule"), False, False),
        (Toleration("k", "Equal", "", "NoSchedule"), False, False),
        (Toleration("j", "Equal", "v", "NoSchedule"), False, False),
        (Toleration("k", "Equal", "v", "NoExecute"), False, False),
        (Toleration("k", "Equal", "v", ""), True, False),
        (Toleration("k", "", "v", "NoSchedule"), True, False),
        (Toleration("k", "", "w", "NoSchedule"), False, False),
        (Toleration("k", "Exists", "", "NoSchedule"), True, True),
        (Toleration("k", "Exists", "w", "NoSchedule"), True, True),
        (Toleration("j", "Exists", "", "NoSchedule"), False, False),
        (Toleration("k", "Exists", "", "PreferNoSchedule"), False, False),
        (Toleration("", "Exists", "", "NoSchedule"), True, False),
        (Toleration("", "Exists", "", ""), True, False),
        (Toleration("", "Exists", "", "NoExecute"), False, False),
        (Toleration("", "Equal", "v", "NoSchedule"), True, False),
        (Toleration("", "", "", ""), False, False),
        (Toleration("k", "exists", "v", "NoSchedule"), False, False),
    ],
)
def test_a_toleration_matches_a_taint_by_key_value_and_effect(
    toleration: Toleration, covers: bool, as_printed: bool
) -> None:
    assert match(toleration, TAINT, NO_FAULTS) == covers
    assert match(toleration, TAINT, EXACT) == as_printed


def test_a_missing_value_equals_an_empty_one() -> None:
    assert match(Toleration("k", "Equal"), Taint("k", "NoSchedule"), NO_FAULTS)


def test_one_matching_toleration_is_enough() -> None:
    one = pod(tolerations=(Toleration("j", "Exists"), Toleration("k", "Exists")))
    assert tolerated(TAINT, one, NO_FAULTS)
    assert not tolerated(Taint("l", "NoSchedule"), one, NO_FAULTS)
    assert not tolerated(TAINT, pod(), NO_FAULTS)
