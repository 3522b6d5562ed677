"""Rejections by own plugins, and the blame for a rejection: few cases show nothing, and defects show soon"""

from collections.abc import Callable
from typing import Any

import pytest
from pytest import MonkeyPatch

from schedcheck.checker.drawing.volumes import Question
from schedcheck.model.production.cycle import scheduler as cycles
from schedcheck.model.production.cycle.diagnosis import Diagnosis
from schedcheck.model.production.framework import binding
from schedcheck.model.production.framework.plugin import PostFilterResult
from schedcheck.model.production.framework.status import Code, unschedulable
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Taint
from schedcheck.spec.terms import Affinity, NodeSelectorTerm, Requirement
from tests.checker.differential.enumeration.storage_vocabulary import mounting
from tests.checker.differential.search.aftermath import agree
from tests.checker.differential.search.own_rejections import own_rejection
from tests.support.building import node, pod, snapshot

Patch = Callable[[MonkeyPatch], None]


def _running(change: Callable[..., Any]) -> Patch:
    """Return a defect that puts `change` in the place of PostFilter."""

    def made(patch: MonkeyPatch) -> None:
        patch.setattr(binding, "post_filtered", change)

    made.__name__ = change.__name__
    return made


def the_first_counts(framework: Any, state: Any, pod: Any, statuses: Any) -> Any:
    """The first answer ends PostFilter, whatever it is."""
    for plugin in framework.at("postFilter"):
        return plugin.post_filter(state, pod, statuses)
    return None, unschedulable("")


def vague_results_count(framework: Any, state: Any, pod: Any, statuses: Any) -> Any:
    """A result that keeps the nomination replaces one that does not."""
    result: PostFilterResult | None = None
    for plugin in framework.at("postFilter"):
        found, status = plugin.post_filter(state, pod, statuses)
        if status.success or status.code is Code.UNRESOLVABLE:
            return found, status
        if not status.rejected:
            return None, status
        result = found or result
    return result, unschedulable("")


def unresolvable_goes_on(framework: Any, state: Any, pod: Any, statuses: Any) -> Any:
    """A plugin that says that nothing helps does not end PostFilter."""
    result: PostFilterResult | None = None
    for plugin in framework.at("postFilter"):
        found, status = plugin.post_filter(state, pod, statuses)
        if status.success:
            return found, status
        if status.code is Code.ERROR:
            return None, status
        if found is not None and found.nominated_node is not None:
            result = found
    return result, unschedulable("")


def nobody_is_blamed(patch: MonkeyPatch) -> None:
    """A plugin that rejects the pod at PreFilter is not remembered."""
    patch.setattr(Diagnosis, "blame", lambda self, status: None)


def found(cases: int) -> bool:
    """Whether one of the first cases shows a difference."""
    for number in range(cases):
        try:
            own_rejection(f"twin {number}")
        except AssertionError:
            return True
    return False


def test_the_first_cases_show_nothing() -> None:
    assert cycles.points is binding
    assert not found(100)


@pytest.mark.parametrize(
    "defect",
    [*map(_running, (the_first_counts, vague_results_count, unresolvable_goes_on)), nobody_is_blamed],
    ids=lambda each: each.__name__,
)
def test_a_defect_of_post_filter_or_of_the_blame_is_found(defect: Patch, monkeypatch: MonkeyPatch) -> None:
    defect(monkeypatch)
    assert found(600)


GONE = Affinity(node_required=(NodeSelectorTerm(match_fields=(Requirement("metadata.name", "In", ("gone",)),)),))
REJECTED: tuple[Question, ...] = (
    (pod("asked", affinity=GONE), snapshot(node("n1", 1)), DEFAULT_PLUGINS),
    (mounting("c")(pod("asked")), snapshot(node("n1", 1)), DEFAULT_PLUGINS),
    (pod("asked", 2), snapshot(node("n1", 1), node("n2", 9, taints=(Taint("t", "NoSchedule"),))), DEFAULT_PLUGINS),
)


def _remembering(change: Callable[[set[str]], set[str]], name: str) -> Patch:
    """Return a defect: the queue learns of other plugins than those that rejected the pod."""
    failed = cycles.Scheduler._failed

    def told(self: Any, queued: Any, status: Any, fit: Any, nominated: Any) -> None:
        if fit is not None:
            fit.diagnosis.refused_by = change(fit.diagnosis.refused_by)
        failed(self, queued, status, fit, nominated)

    def made(patch: MonkeyPatch) -> None:
        patch.setattr(cycles.Scheduler, "_failed", told)

    made.__name__ = name
    return made


FORGETTING = (
    _remembering(lambda names: names - {"NodeAffinity"}, "narrowing_is_forgotten"),
    nobody_is_blamed,
    _remembering(lambda names: set(sorted(names)[:1]), "only_the_first"),
    _remembering(lambda names: names | {"NodePorts"}, "one_more"),
)


@pytest.mark.parametrize(
    ("asked", "defect"),
    tuple(zip((*REJECTED, REJECTED[0]), FORGETTING, strict=True)),
    ids=("narrowing", "PreFilter", "several", "one more"),
)
def test_a_plugin_that_the_queue_does_not_know_is_noticed(
    asked: Question, defect: Patch, monkeypatch: MonkeyPatch
) -> None:
    agree(asked)
    defect(monkeypatch)
    with pytest.raises(AssertionError, match=r"was rejected by .* and waits for"):
        agree(asked)
