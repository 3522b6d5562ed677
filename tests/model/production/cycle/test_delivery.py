"""What the delivery of a change moves in the queue"""

from dataclasses import replace

import pytest

from schedcheck.model.production.framework.status import unschedulable
from schedcheck.model.production.plugins.default_registry import default_registry
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from tests.model.production.api_server import started
from tests.model.production.framework.made_up import Made, factory
from tests.support.building import node, pod


@pytest.mark.parametrize("name", ["A", "Z"])
def test_a_new_pod_moves_no_pod_without_gangs_whatever_else_is_at_permit(name: str) -> None:
    """The plugin registers no events, so that every event that is delivered to the queue would move the pod."""
    registry = default_registry()
    registry.register(name, factory(Made(name, {"filter": unschedulable("no")})))
    points = DEFAULT_PLUGINS.points.set("filter", (name,)).set("permit", (name,)).set("postFilter", ())
    running = started(node("n1", 1), pod("p", 1), registry=registry, profiles=[replace(DEFAULT_PLUGINS, points=points)])
    running.step()
    assert running.place("p") == ["unschedulable"]
    running.put(pod("q", 1))
    assert running.place("p") == ["unschedulable"]
    running.put(pod("r", 0, "n1"))
    assert running.place("p") == ["backing off"]
