"""The events of the timeline, and the drains that they begin: `Occurring`."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

from schedcheck.model.environment import CONDITIONS, in_order, relabelled
from schedcheck.model.simulation.agenda import Agenda
from schedcheck.model.simulation.budgets import Budgets
from schedcheck.model.simulation.delays import RETRY
from schedcheck.model.simulation.kubelet import Kubelets
from schedcheck.model.simulation.lifecycle import Lifecycle
from schedcheck.model.simulation.owners import Owners, node_of_daemon
from schedcheck.model.simulation.timeline import Add, Arrive, Event, OnNodes, OnPods, Scale, Timed, When
from schedcheck.model.simulation.world import World
from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.owners import served_kind

STAYING = frozenset({"DaemonSet", "Node"})
"""The kinds of owners whose pods a drain leaves: those of DaemonSets, and static pods."""


class Occurring:
    """What the timeline does to the world. `origins` are the nodes as they return after a failure."""

    def __init__(
        self, world: World, owners: Owners, budgets: Budgets, kubelets: Kubelets, lifecycle: Lifecycle
    ) -> None:
        self._world, self._owners, self._budgets = world, owners, budgets
        self._kubelets, self._lifecycle = kubelets, lifecycle
        self._origins = dict(world.nodes)
        self._draining: set[str] = set()
        self._refused: set[tuple[str, ...]] = set()
        self._repeated: dict[int, int] = {}

    def plan(self, timeline: tuple[Timed, ...]) -> None:
        """Plan every event of the timeline."""
        for number, timed in enumerate(timeline):
            first = timed.when.start + self._interval(timed.when)
            self._at(first, number, timed)

    def _interval(self, when: When) -> float:
        if when.every is not None:
            return when.every
        return self._agenda.gap(when.mean) if when.mean is not None else 0.0

    @property
    def _agenda(self) -> Agenda:
        return self._world.agenda

    def _at(self, time: float, number: int, timed: Timed) -> None:
        if timed.when.until is not None and time > timed.when.until:
            return

        def happen() -> None:
            self._happen(timed.event, self._repeated.setdefault(number, 0))
            self._repeated[number] += 1
            if timed.when.every is not None or timed.when.mean is not None:
                self._at(time + self._interval(timed.when), number, timed)

        self._agenda.at(time, happen)

    def _happen(self, event: Event, before: int) -> None:
        """Let an event happen that has happened so many times `before`."""
        match event:
            case Arrive(pods, traits):
                self._owners.arrive((self._free(copied(pod, before)) for pod in pods), traits)
            case Scale():
                self._world.tell("Scale", words=f"{event.traits.of or event.owner[2]} to {event.replicas}")
                self._owners.scale(event)
            case OnPods():
                for pod in list(self._chosen(event)):
                    self._delete(pod) if event.event == "delete" else self.evict(pod)
            case Add(nodes, like):
                for node in nodes:
                    self._add(node, like)
            case OnNodes():
                for name in event.nodes:
                    self._on_node(event, name)

    def _chosen(self, event: OnPods) -> Iterator[Pod]:
        for pod in self._world.pods.values():
            labelled = event.labels is not None and event.labels.items() <= pod.labels.items()
            if (pod.key in event.keys or labelled) and not pod.terminating and not completed(pod):
                yield pod

    def _free(self, pod: Pod) -> Pod:
        """Return the pod under a name that no pod has had."""
        names = (f"{pod.name}-{number}" for number in count(1))
        taken = self._world.used
        return pod if pod.key not in taken else next(
            made for name in names if (made := replace(pod, name=name)).key not in taken
        )  # fmt: skip

    def _delete(self, pod: Pod) -> None:
        self._world.tell("Delete", pod, pod.node_name)
        self._world.delete(pod)

    def evict(self, pod: Pod) -> bool:
        """Evict a pod through the API; return whether no budget refused it. Only its first refusal is told."""
        if pod.node_name and not self._budgets.allow(pod):
            if pod.identity not in self._refused:
                self._world.tell("Refuse", pod, pod.node_name, "a budget allows no disruption")
                self._refused.add(pod.identity)
            return False
        self._world.tell("Evict", pod, pod.node_name)
        self._world.delete(pod)
        return True

    # Nodes.

    def _add(self, node: Node, like: str) -> None:
        if node.name in self._world.nodes:
            return
        self._world.tell("Add", node=node.name)
        self._origins[node.name] = node
        daemons = [pod for pod in self._world.pods.values() if node_of_daemon(pod) == like and not completed(pod)]
        self._world.put_node(node)
        for pod in daemons:
            self._owners.arrive([moved(pod, like, node.name)], self._world.traits_of(pod))

    def _on_node(self, event: OnNodes, name: str) -> None:
        node = self._world.nodes.get(name)
        if node is None:
            if event.event == "return":
                self._world.tell("Return", node=name)
                self._world.silent.discard(name)
                self._world.put_node(in_order(replace(self._origins[name], ready="True")))
            return
        after = changed(event, node)
        if event.event in ("fail", "uncordon", "return"):
            self._draining.discard(name)
        if event.event == "unreachable" and name not in self._world.silent:
            self._world.tell("StopReporting", node=name)
            self._lifecycle.unreachable(name)
        if event.event in ("ready", "unready"):
            was_silent = name in self._world.silent
            self._world.silent.discard(name)
            if was_silent and after == node:
                self._kubelets.resume(name)
        if after != node:
            self._world.tell(event.event.capitalize(), node=name, words=_words(event))
            if after is None:
                self._world.remove_node(node)
            else:
                self._world.put_node(after)
        if event.event == "drain":
            self._drain(name)

    def _drain(self, name: str) -> None:
        self._draining.add(name)
        for pod in self._world.pods_on(name):
            if served_kind(pod.owner[0]) not in STAYING and not pod.terminating:
                self._agenda.after("call", lambda pod=pod: self._evict_again(pod, name))  # type: ignore[misc]

    def _evict_again(self, planned: Pod, name: str) -> None:
        pod = self._world.current(planned)
        there = pod is not None and pod.node_name == name and not pod.terminating and not completed(pod)
        if pod is not None and there and name in self._draining and not self.evict(pod):
            self._agenda.at(self._agenda.now + RETRY, lambda: self._evict_again(pod, name))


def changed(event: OnNodes, node: Node) -> Node | None:
    """Return an existing node after an event, None if it is gone."""
    match event.event:
        case "fail":
            return None
        case "cordon" | "drain":
            return replace(node, unschedulable=True)
        case "uncordon":
            return replace(node, unschedulable=False)
        case "taint" if event.taint is not None and event.taint not in node.taints:
            return in_order(replace(node, taints=(*node.taints, event.taint)))
        case "untaint":
            return replace(node, taints=tuple(taint for taint in node.taints if taint != event.taint))
        case "label":
            return relabelled(node, event.key, event.value)
        case "ready" | "unready":
            return replace(node, ready=CONDITIONS[event.event][1])
    return node


def _words(event: OnNodes) -> str:
    if event.taint is not None:
        return str(event.taint)
    return "" if not event.key else f"{event.key}-" if event.value is None else f"{event.key}={event.value}"


def copied(pod: Pod, before: int) -> Pod:
    """Return the pod as it arrives after so many repetitions `before`: with names of its own and of its owner."""
    if before == 0:
        return pod
    kind, name = pod.owner
    stem, _, end = pod.name.rpartition("-")
    own = f"{stem}-{before}-{end}" if stem and end.isdigit() else f"{pod.name}-{before}"
    return replace(pod, name=own, owner=(kind, f"{name}-{before}") if kind else pod.owner)


def moved(pod: Pod, before: str, after: str) -> Pod:
    """Return the pod of a DaemonSet that was made for one node as it is made for another."""
    terms = tuple(
        replace(
            term,
            match_fields=tuple(
                replace(each, values=(after,)) if each.key == "metadata.name" else each for each in term.match_fields
            ),
        )
        for term in pod.affinity.node_required
    )
    pinned = any(term.match_fields for term in pod.affinity.node_required)
    stem = pod.name.replace(before, after) if before in pod.name else f"{pod.owner[1]}-{after}"
    return replace(
        pod,
        name=stem,
        affinity=replace(pod.affinity, node_required=terms),
        template_node_name="" if pinned else after,
    )
