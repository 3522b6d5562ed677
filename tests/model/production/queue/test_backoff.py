"""The backoff of a pod"""

import pytest

from schedcheck.model.production.queue.queued_pod import Backoff, QueuedPod
from schedcheck.model.production.snapshot.pod_info import PodInfo
from tests.support.building import pod


@pytest.mark.parametrize(
    ("failures", "seconds"), [(0, 0), (1, 1), (2, 2), (3, 4), (4, 8), (5, 10), (6, 10), (10**6, 10)]
)  # fmt: skip
def test_the_backoff_doubles_up_to_the_maximum(failures: int, seconds: float) -> None:
    assert Backoff().seconds(failures) == seconds


def test_a_maximum_of_0_disables_backoff() -> None:
    assert Backoff(most=0).seconds(5) == 0
    assert not Backoff(most=0).lasts(QueuedPod(PodInfo(pod()), 0.0, refusals=5), 0.0)


def test_the_backoff_ends_at_its_rounded_window() -> None:
    queued = QueuedPod(PodInfo(pod()), 10.5, refusals=2)
    assert Backoff().until(queued) == 12.0
    assert Backoff().lasts(queued, 12.9)
    assert not Backoff().lasts(queued, 13.0)


def test_errors_take_precedence_over_rejections_and_a_new_pod_has_no_backoff() -> None:
    queued = QueuedPod(PodInfo(pod()), 0.0, refusals=4, errors=1)
    assert Backoff().until(queued) == 1.0
    assert not Backoff().lasts(QueuedPod(PodInfo(pod()), 0.0), 0.0)
