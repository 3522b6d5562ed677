"""A cycle that shares work between the pods of a snapshot equals the cycle of the specification"""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import Phase, given, settings

from schedcheck.checker.drawing.questions import FAMILIES
from schedcheck.checker.drawing.volumes import Question
from schedcheck.checker.extenders import as_values
from schedcheck.checker.extenders.as_values import begun
from schedcheck.checker.refinement.mapping import with_pod
from schedcheck.spec.kubernetes.control_loop import taken_up, turn
from schedcheck.spec.objects import Snapshot
from tests.checker.differential.test_random import SLOW


def crowd(question: Question) -> Snapshot:
    """The snapshot with the pod, an identical pod, and for every other pod on a node one that has ended there."""
    pod, snapshot, _ = question
    ended = (
        replace(each, name=f"{each.name}-ended", phase="Succeeded") for each in snapshot.pods[::2] if each.node_name
    )
    there = with_pod(pod, snapshot)
    alike = replace(pod, name=f"{pod.name}-alike")
    return replace(there, pods=Snapshot.of((*there.pods, alike, *ended)).pods)


def agree(question: Question, counted: Counter[str]) -> None:
    there, plugins = crowd(question), question[2]
    for pod in sorted(turn(there, plugins), key=lambda each: each.key):
        expected, (made, counts) = taken_up(pod, there, plugins), begun(pod, there, plugins)
        assert made == expected
        assert counts.infos == expected.infos
        assert made.snapshot.pods_by_node == expected.snapshot.pods_by_node
        assert with_pod(pod, there) == there
        counted["ended"] += len(expected.snapshot.pods) < len(there.pods) - 1


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", FAMILIES)
def test_a_cycle_with_shared_work_equals_that_of_the_specification(kind: str) -> None:
    counted: Counter[str] = Counter()
    settings(max_examples=60, suppress_health_check=SLOW)(given(FAMILIES[kind])(lambda each: agree(each, counted)))()
    assert counted["ended"] >= 5


def test_a_twin_that_leaves_the_pod_in_its_snapshot_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(as_values, "_without", lambda pod, running: running)
    found = settings(max_examples=50, suppress_health_check=SLOW, report_multiple_bugs=False, phases=[Phase.generate])(
        given(FAMILIES["contests"])(lambda each: agree(each, Counter()))
    )
    with pytest.raises(AssertionError):
        found()


def test_a_twin_that_counts_ended_pods_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(as_values, "completed", lambda pod: False)
    as_values._there.cache_clear()
    found = settings(max_examples=50, suppress_health_check=SLOW, report_multiple_bugs=False, phases=[Phase.generate])(
        given(FAMILIES["contests"])(lambda each: agree(each, Counter()))
    )
    with pytest.raises(AssertionError):
        found()
    as_values._there.cache_clear()
