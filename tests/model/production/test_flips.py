"""A pod that was rejected on every node is moved by an event after which it fits somewhere"""

from dataclasses import replace
from typing import Any

import pytest
from frozendict import frozendict
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schedcheck.checker.drawing import objects as strategies
from schedcheck.checker.drawing.questions import questions, richer_pods
from schedcheck.model.production.cycle.algorithm import Search, Suggestion, scheduled
from schedcheck.model.production.cycle.diagnosis import CycleError
from schedcheck.model.production.queue.hints import Hints
from schedcheck.model.production.queue.scheduling_queue import LONGEST_UNSCHEDULABLE
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.objects import HostPort, Node, Pod, Snapshot, SpreadConstraint, Taint, Toleration
from tests.model.production.api_server import Running, started
from tests.model.production.cluster import cluster
from tests.support.building import HOSTNAME, apart, container, near, node, pod, resized, selector, snapshot, term

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
CHANGES = ("delete", "relabel", "bind", "add", "change", "tolerate", "shrink", "remove")


@st.composite
def flips(draw: st.DrawFn, change: str) -> tuple[Pod, Snapshot, Plugins, str, Any]:
    """A question with an event of this kind: its name, and the object that it creates or removes.

    The API server must allow the event: a pod on a node loses no container, nor a port of one.
    """
    asked, there, plugins = draw(questions())
    asked = replace(asked, nominated_node_name="", preemption_policy="Never")
    there = replace(there, pods=tuple(pod for pod in there.pods if pod.node_name))
    match change:
        case "delete" | "relabel" | "shrink":
            thing: Any = draw(st.sampled_from(there.pods)) if there.pods else None
        case "bind":
            thing = draw(richer_pods(draw(strategies.pods("new", tuple(node.name for node in there.nodes)))))
            thing = replace(thing, phase="Pending", terminating=False)
        case "add" | "change":
            name = "new" if change == "add" else draw(st.sampled_from(there.nodes)).name
            made: Node = draw(strategies.nodes(name))
            thing = replace(made, labels=frozendict({**made.labels, HOSTNAME: name}))
        case "remove":
            thing = draw(st.sampled_from(there.nodes))
        case _:
            thing = replace(
                asked, tolerations=(*asked.tolerations, *draw(strategies.tuples(strategies.tolerations(), 2)))
            )
    return asked, there, plugins, change, thing


def happen(running: Running, change: str, thing: Any) -> None:
    """Apply the event and deliver it."""
    if thing is None:
        return
    match change:
        case "delete" | "remove":
            running.delete(thing)
        case "relabel":
            running.put(replace(thing, labels=frozendict({**thing.labels, "app": "b"})))
        case "shrink":
            running.put(resized(thing))
        case _:
            running.put(thing)


def fits(running: Running, asked: Pod, there: Snapshot, plugins: Plugins) -> bool:
    """Whether the pod fits on some node with the current objects."""
    server = running.server
    objects = Snapshot.of(
        [pod for pod in server.pods.values() if pod.node_name], server.nodes.values(), there.namespaces
    )  # fmt: skip
    latest = server.pods[asked.key]
    here = cluster(objects, plugins, pending=[latest])
    framework, state, info = here.cycle(latest)
    try:
        found = scheduled(framework, state, info, here.handle.snapshot, Search(percentage=100))
    except CycleError:
        return False
    return isinstance(found, Suggestion)


def moved_if_it_fits(flip: tuple[Pod, Snapshot, Plugins, str, Any], *, certainly: bool = False) -> None:
    """Fail if the pod fits and was not moved; with `certainly` also if it was not rejected, or does not fit."""
    asked, there, plugins, change, thing = flip
    running = started(profiles=[plugins])
    running.scheduler.handle.listers.namespaces = {each.name: each.labels for each in there.namespaces}
    running.put(*there.nodes, *there.pods, asked)
    running.step()
    key = asked.key
    if key not in running.scheduler.queue.unschedulable:
        assert not certainly
        return
    happen(running, change, thing)
    assert not certainly or fits(running, asked, there, plugins)
    if fits(running, asked, there, plugins):
        assert key not in running.scheduler.queue.unschedulable, change


def test_a_pod_that_is_not_moved_is_tried_again_after_a_timeout() -> None:
    running = started(TWO[0], ALIKE, pod("p", affinity=apart(term(selected=A)), preemption_policy="Never"))
    running.step()
    assert running.place("p") == ["unschedulable"]
    running.wait(LONGEST_UNSCHEDULABLE + 1)
    assert running.place("p") == ["active"]


@pytest.mark.parametrize("change", CHANGES)
def test_an_event_that_makes_a_pod_schedulable_moves_it(change: str) -> None:
    often = settings(max_examples=25, deadline=None, suppress_health_check=SLOW)

    @often
    @given(flips(change))
    def asked(flip: tuple[Pod, Snapshot, Plugins, str, Any]) -> None:
        moved_if_it_fits(flip)

    asked()


def test_a_resize_in_place_keeps_containers_ports_and_devices() -> None:
    held = replace(container(2, **{"example.com/gpu": 1}), ports=(HostPort(80),))
    (after,) = resized(pod("q", on="n1", containers=(held,))).containers
    assert after == replace(container(1, **{"example.com/gpu": 1}), ports=(HostPort(80),))


A = selector(app="a")
TAINTED = node("n1", 4, taints=(Taint("t", "NoSchedule"),))
PORT = (replace(container(), ports=(HostPort(80),)),)
SPREAD = (SpreadConstraint(1, HOSTNAME, selector=A),)
TWO = (node("n1", 4, labels={HOSTNAME: "n1"}), node("n2", 4, labels={HOSTNAME: "n2"}))
ALIKE = pod("q", on="n1", labels={"app": "a"})
FLIPS: tuple[tuple[str, Pod, Snapshot, str, Any], ...] = (
    ("NodeResourcesFit", pod("p", 2), snapshot(node("n1", 1)), "change", node("n1", 2)),
    ("NodeResourcesFit", pod("p", 2), snapshot(node("n1", 1)), "add", node("n2", 2)),
    ("NodeResourcesFit", pod("p", 2), snapshot(node("n1", 2), pod("q", 1, "n1")), "delete", pod("q", 1, "n1")),
    ("NodeResourcesFit", pod("p", 1.5), snapshot(node("n1", 2), pod("q", 1, "n1")), "shrink", pod("q", 1, "n1")),
    ("TaintToleration", pod("p"), snapshot(TAINTED), "change", node("n1", 4)),
    ("TaintToleration", pod("p"), snapshot(TAINTED), "tolerate", pod("p", tolerations=(Toleration("t", "Exists"),))),
    ("NodeUnschedulable", pod("p"), snapshot(node("n1", unschedulable=True)), "change", node("n1")),
    ("NodeAffinity", pod("p", node_selector={"a": "1"}), snapshot(node("n1")), "change", node("n1", labels={"a": "1"})),
    ("NodeName", pod("p"), snapshot(node("n1", unschedulable=True)), "add", node("n2")),
    (
        "NodePorts",
        pod("p", containers=PORT),
        snapshot(node("n1"), pod("q", on="n1", containers=PORT)),
        "delete",
        pod("q", on="n1", containers=PORT),
    ),
    (
        "PodTopologySpread",
        pod("p", labels={"app": "a"}, spread=SPREAD),
        snapshot(TWO[0], replace(TWO[1], unschedulable=True), ALIKE),
        "delete",
        ALIKE,
    ),
    (
        "PodTopologySpread",
        pod("p", labels={"app": "a"}, spread=SPREAD),
        snapshot(TWO[0], replace(TWO[1], unschedulable=True), ALIKE),
        "relabel",
        ALIKE,
    ),
    ("InterPodAffinity", pod("p", affinity=near(term(selected=A))), snapshot(*TWO), "bind", ALIKE),
    ("InterPodAffinity", pod("p", affinity=apart(term(selected=A))), snapshot(TWO[0], ALIKE), "delete", ALIKE),
    ("InterPodAffinity", pod("p", affinity=apart(term(selected=A))), snapshot(TWO[0], ALIKE), "relabel", ALIKE),
    (
        "InterPodAffinity",
        pod("p", labels={"app": "a"}),
        snapshot(TWO[0], pod("q", on="n1", affinity=apart(term(selected=A)))),
        "delete",
        pod("q", on="n1", affinity=apart(term(selected=A))),
    ),
)


@pytest.mark.parametrize("flip", FLIPS, ids=lambda flip: f"{flip[0]}-{flip[3]}")
def test_each_hint_moves_the_pod_that_now_fits(flip: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    plugin, asked, there, change, thing = flip
    asked = replace(asked, preemption_policy="Never")
    thing = replace(thing, preemption_policy="Never") if change == "tolerate" else thing
    moved_if_it_fits((asked, there, DEFAULT_PLUGINS, change, thing), certainly=True)
    hints: Any = Hints.of
    monkeypatch.setattr(
        Hints,
        "of",
        lambda self, profile, name: () if name in (plugin, "NodeUnschedulable") else hints(self, profile, name),
    )
    with pytest.raises(AssertionError, match=change):
        moved_if_it_fits((asked, there, DEFAULT_PLUGINS, change, thing), certainly=True)
