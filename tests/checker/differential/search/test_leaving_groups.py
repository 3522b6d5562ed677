"""PodGroups of which pods are deleted while they wait: a few cases show nothing, and defects show soon"""

from collections.abc import Callable

import pytest
from pytest import MonkeyPatch

from schedcheck.model.production.cycle import pod_groups
from schedcheck.model.production.cycle.delivery import Delivery
from schedcheck.spec.objects import Pod
from tests.checker.differential.search.gangs import leaving_group


def none_is_skipped(patch: MonkeyPatch) -> None:
    """A pod that terminates is tried with its group."""
    patch.setattr(pod_groups, "_skipped", lambda scheduler, queued: False)


def gone_pods_stay_queued(patch: MonkeyPatch) -> None:
    """A pod that is gone stays in the queue."""
    gone = Delivery._gone

    def left(self: Delivery, pod: Pod) -> None:
        if pod.node_name:
            gone(self, pod)

    patch.setattr(Delivery, "_gone", left)


def found(cases: int) -> bool:
    """Whether one of the first cases shows a difference."""
    for number in range(cases):
        try:
            leaving_group(f"twin {number}")
        except Exception:
            return True
    return False


def test_the_first_cases_show_nothing() -> None:
    assert not found(20)


@pytest.mark.parametrize("defect", [none_is_skipped, gone_pods_stay_queued], ids=lambda each: each.__name__)
def test_a_defect_is_found(defect: Callable[[MonkeyPatch], None], monkeypatch: MonkeyPatch) -> None:
    defect(monkeypatch)
    assert found(200)
