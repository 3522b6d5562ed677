"""Events of `hinted`: a few cases show nothing, and defects of hints, of both directions, show soon"""

from collections.abc import Callable
from typing import Any

import pytest
from pytest import MonkeyPatch

from schedcheck.model.production.cycle import delivery
from schedcheck.model.production.framework.events import Action, ClusterEvent, Resource
from schedcheck.model.production.plugins import node_ports, volume_events, volume_restrictions, volume_zone
from schedcheck.model.production.plugins.inter_pod_affinity import InterPodAffinity
from schedcheck.model.production.plugins.pod_topology_spread import PodTopologySpread
from schedcheck.model.production.queue import hints
from schedcheck.model.production.queue.hints import Hints, Strategy
from schedcheck.spec.objects import Node
from tests.checker.differential.search.hinted import hinted
from tests.checker.differential.search.hinted_changes import READ
from tests.checker.differential.search.waking import DEFINED, Event, events, heard
from tests.support.building import node, pod

Patch = Callable[[MonkeyPatch], None]


def always(module: Any, name: str) -> Patch:
    """Return a defect: the hint of this name says yes to every event."""

    def made(patch: MonkeyPatch) -> None:
        patch.setattr(module, name, lambda *given: True)

    made.__name__ = name
    return made


def after_backoff(patch: MonkeyPatch) -> None:
    """A pod that waits for an answer of a plugin backs off as all others."""
    worth = Hints.worth
    patch.setattr(Hints, "worth", lambda *given: min(worth(*given), Strategy.AFTER_BACKOFF))


def failing_says_no(patch: MonkeyPatch) -> None:
    """A hint that fails says no."""

    def says(interest: Any, *given: Any) -> bool:
        try:
            return interest.hint is None or bool(interest.hint(*given))
        except Exception:
            return False

    patch.setattr(hints, "_says_yes", says)


def any_namespace(patch: MonkeyPatch) -> None:
    """A disk that is freed in another namespace wakes a pod."""
    frees = volume_restrictions.frees_a_volume

    def freed(one: Any, before: Any, after: Any) -> bool:
        return frees(one, _in(before, one.namespace), after)

    patch.setattr(volume_restrictions, "frees_a_volume", freed)


def _in(thing: Any, namespace: str) -> Any:
    return type(thing)(**{**vars(thing), "namespace": namespace}) if hasattr(thing, "volumes") else thing


def deaf_to_tolerations(patch: MonkeyPatch) -> None:
    """New tolerations wake no pod that is spread."""
    patch.setattr(PodTopologySpread, "tolerations_matter", lambda *given: False)


def any_node(patch: MonkeyPatch) -> None:
    """Any relabelled node wakes a pod that InterPodAffinity rejected."""
    patch.setattr(InterPodAffinity, "node_matters", lambda *given: True)


def heard_by_all(patch: MonkeyPatch) -> None:
    """A nomination that ends wakes more important pods, too."""
    patch.setattr(delivery, "no_more_important_than", lambda pod: lambda other: True)


def no_more_room(patch: MonkeyPatch) -> None:
    """A capacity that grows wakes nobody."""
    patch.setattr(volume_events, "largest", lambda capacity: None)


DEFECTS: tuple[Patch, ...] = (
    always(node_ports, "frees_a_port"),
    always(volume_zone, "waits"),
    always(volume_zone, "has_moved"),
    heard_by_all,
    no_more_room,
    after_backoff,
    failing_says_no,
    any_namespace,
    deaf_to_tolerations,
    any_node,
)


def found(cases: int) -> bool:
    """Whether one of the first cases shows a difference."""
    for number in range(cases):
        try:
            hinted(f"twin {number}")
        except AssertionError:
            return True
    return False


def test_the_first_cases_show_nothing() -> None:
    assert not found(100)


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda each: each.__name__)
def test_a_hint_that_says_yes_or_no_wrongly_is_found(defect: Patch, monkeypatch: MonkeyPatch) -> None:
    defect(monkeypatch)
    assert found(2500)


def test_every_plugin_with_features_has_a_definition() -> None:
    assert set(READ) < set(DEFINED)


def test_a_node_whose_cordon_is_lifted_changes_taints_first() -> None:
    before, after = node("n", 1, unschedulable=True), node("n", 2)
    assert [each.what for each in events(before, after, frozenset())] == ["taints", "allocatable"]


@pytest.mark.parametrize(
    ("before", "after", "wanted"),
    [
        (None, pod("p", 1), []),
        (None, pod("p", 1, "n"), ["comes"]),
        (pod("p", 1), pod("p", 1, "n"), ["comes"]),
        (pod("p", 1, "n"), None, ["goes"]),
        (pod("p", 1), None, []),
        (pod("p", 1, "n"), pod("p", 1, "n", labels={"a": "b"}), ["labels"]),
        (pod("p", 1, "n"), pod("p", 1, "n", start_time=9), ["other"]),
        (pod("p", 1, nominated_node_name="n"), None, ["goes"]),
        (pod("p", 1, nominated_node_name="n"), pod("p", 1), ["other", "goes"]),
        (pod("p", 1, "n"), pod("p", 1, "n", phase="Failed"), ["goes"]),
        (pod("p", 1, "n", uid="1"), pod("p", 1, "n", uid="2"), ["goes", "comes"]),
    ],
)
def test_events_of_pods(before: Any, after: Any, wanted: list[str]) -> None:
    assert [each.what for each in events(before, after, frozenset())] == wanted


def test_a_nomination_that_ends_is_heard_by_pods_that_are_no_more_important() -> None:
    (event,) = events(pod("q", 1, nominated_node_name="n", priority=3), None, frozenset())
    low, high = pod("p", 1, priority=3), pod("p", 1, priority=4)
    assert heard(event, low, in_flight=False) and not heard(event, high, in_flight=False)
    assert heard(event, high, in_flight=True)


def test_names_of_resources_are_those_of_events() -> None:
    assert {"Node", "AssignedPod", "UnschedulablePod"} <= {each.value for each in Resource}
    assert ClusterEvent(Resource.NODE, Action.ADD).resource == type(Node("n")).__name__
    assert Event("Node", "comes", None, Node("n")).limit is None
