"""One scheduler that schedules pod after pod reaches the same conclusions as a new one for each pod"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import Phase, given, settings

from schedcheck.checker.differential.decisions import concluded
from schedcheck.checker.differential.standing import Standing, may_stand
from schedcheck.checker.drawing.questions import FAMILIES
from schedcheck.checker.drawing.volumes import Question
from schedcheck.checker.refinement.mapping import with_pod
from schedcheck.model.production.cycle.conclusion import Conclusion
from schedcheck.model.production.framework.registry import Registry
from schedcheck.model.production.machine.state import remembered
from schedcheck.model.production.plugins.default_registry import default_registry
from schedcheck.model.production.plugins.node_name import NodeName
from schedcheck.model.production.queue.queued_pod import QueuedPod
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.spec.extender_configuration import Extender
from schedcheck.spec.kubernetes.control_loop import turn
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Node, Pod, Snapshot
from tests.checker.differential.test_random import SLOW

Told = tuple[object, ...]


def told(made: Conclusion, snapshot: Snapshot) -> Told:
    """All that a conclusion contains, with the status of each node."""
    statuses = tuple((node.name, made.status(node.name)) for node in snapshot.nodes) if made.statuses else None
    return made.pod, made.hosts, made.message, made.nominated, made.victims, statuses


def waiting(question: Question) -> tuple[Snapshot, list[Pod]]:
    """The snapshot with the pod of the question, and its pods that may be scheduled."""
    pod, snapshot, plugins = question
    there = with_pod(pod, snapshot)
    return there, sorted(turn(there, plugins), key=lambda each: each.key)


def agree(question: Question, counted: Counter[str]) -> None:
    """Fail if the order of pods, or an earlier pod, changes the conclusion or the memory of the standing scheduler."""
    there, pods = waiting(question)
    plugins = question[2]
    alone = {pod.key: told(concluded(pod, there, plugins), there) for pod in pods}
    standing = Standing(there, [plugins])
    before = remembered(standing.scheduler, ())
    for pod in (*pods, *reversed(pods)):
        made = standing.concluded(pod)
        assert told(made, there) == alone[pod.key]
        assert remembered(standing.scheduler, ()) == before
        counted["bind" if made.hosts else "nominate" if made.nominated else "wait"] += 1
    counted["several"] += len(pods) > 1


@pytest.mark.sampled(1)
@pytest.mark.parametrize("kind", FAMILIES)
def test_a_standing_scheduler_reaches_the_conclusions_of_a_new_one(kind: str) -> None:
    counted: Counter[str] = Counter()
    settings(max_examples=60, suppress_health_check=SLOW)(given(FAMILIES[kind])(lambda each: agree(each, counted)))()
    assert counted["bind"] >= 5
    assert counted["several"] >= (kind != "contested")  # where a second pod waits too seldom


def carrying_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every pod is assumed on its node or returned to the queue, and nothing of that is undone."""

    def taken_up(standing: Standing, pod: Pod) -> Conclusion:
        standing.scheduler.queue.active.put(QueuedPod(PodInfo(pod), 0.0))
        standing.scheduler.schedule_one()
        made = standing.scheduler.concluded
        assert made is not None
        standing.undo()
        return made

    monkeypatch.setattr(Standing, "concluded", taken_up)


def without_undoing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The effects of a cycle remain."""
    monkeypatch.setattr(Standing, "undo", lambda standing: None)


@pytest.mark.parametrize("twin", [carrying_out, without_undoing], ids=lambda twin: str(twin.__name__))
def test_a_standing_scheduler_that_keeps_state_is_detected(
    twin: Callable[[pytest.MonkeyPatch], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = settings(max_examples=200, suppress_health_check=SLOW, report_multiple_bugs=False, phases=[Phase.generate])(
        given(FAMILIES["contests"])(lambda each: agree(each, Counter()))
    )
    twin(monkeypatch)
    with pytest.raises(AssertionError):
        found()


def with_another() -> Registry:
    """The plugins of kube-scheduler and one more."""
    made = default_registry()
    made.register("Own", NodeName)
    return made


def test_a_scheduler_may_stand_only_if_no_cycle_can_leave_hidden_state() -> None:
    there = Snapshot.of([Pod("p")], [Node("n")])
    unasked = replace(DEFAULT_PLUGINS, unasked=(Extender("http://one", "one"),))
    assert may_stand(there, [DEFAULT_PLUGINS], default_registry)
    assert not may_stand(there, [DEFAULT_PLUGINS, unasked], default_registry)
    assert not may_stand(there, [DEFAULT_PLUGINS], with_another)
    assert not may_stand(Snapshot.of([Pod("p", uid="1"), Pod("p", uid="2")]), [DEFAULT_PLUGINS], default_registry)
