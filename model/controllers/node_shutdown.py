"""Graceful node shutdown with priorities: the kubelet ends the pods of its node group by group: `Shutdowns`, `Shutdown`.

Groups follow the priorities of shutdownGracePeriodByPodPriority, from the lowest on. A pod belongs to the greatest
priority that is not above its own, or to the lowest. All pods of a group are killed at once. The next group begins
when they have ended, or when the time of the group is over. A killed pod stays as an object in phase Failed with the
reason Terminated, and its owner replaces it. The node reports that it is not ready, rejects pods that are bound to it from
then on, and is off once the last group is over.

Kubernetes 1.37: pkg/kubelet/nodeshutdown/nodeshutdown_manager.go, killPods and groupByPriority, and
nodeshutdown_manager_linux.go, start, processShutdownEvent and Admit.

Not modelled: a shutdown that is cancelled; a kubelet that has not yet seen a pod that is bound to its node; volumes that
are unmounted after their pods have ended. Differs: time is abstract. The timer of the group that is killed is armed, and
may expire at any step, however long its period is; while a node shuts down, no event changes its condition Ready.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from schedcheck.model.environment import NodeEvent, PodEvent, ShutDown
from schedcheck.model.scenario import SHUTDOWN, Rule
from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Node, Pod

Group = tuple[int, ...]


class Kill(PodEvent):
    """The end of a pod by the kubelet of its node, which shuts down. The pod stays an object, in phase Failed."""


class Reject(PodEvent):
    """The rejection of a pod that was bound to a node which shuts down. It stays an object, in phase Failed."""


class ReportShutdown(NodeEvent):
    """The kubelet of a node that shuts down reports that it is not ready."""


class Expire(NodeEvent):
    """The time of the group that is killed is over, and some of its pods have not ended."""


class PowerOff(NodeEvent):
    """The machine is off: the kubelet no longer reports, and the condition Ready becomes Unknown."""


ACTIONS = (Kill, Reject, ReportShutdown, Expire, PowerOff)
Step = tuple[
    Kill | Reject | ReportShutdown | Expire | PowerOff, "tuple[Shutdown, ...]", int | None, Pod | None, Node | None
]
"""An action, the shutdowns after it, the slot of a pod with what is left of it, or the node after it."""


class Shutdown(NamedTuple):
    """A node that shuts down, by its slot, and slots of its pods that have not ended."""

    node: int
    waiting: tuple[Group, ...]
    """The groups that follow, in order; none is empty."""
    killed: Group = ()
    """The group whose timer is armed; empty once the last group is over."""
    overdue: Group = ()
    """Those of earlier groups, whose time is over."""

    @property
    def seen(self) -> frozenset[int]:
        """Return the slots of all its pods."""
        return frozenset((*self.killed, *self.overdue, *(slot for group in self.waiting for slot in group)))

    def begun(self) -> "Shutdown":
        """Return the shutdown with the next group begun, if no pod is left of the one before."""
        if self.killed or not self.waiting:
            return self
        return self._replace(killed=self.waiting[0], waiting=self.waiting[1:])

    def without(self, gone: frozenset[int]) -> "Shutdown":
        """Return the shutdown without these pods. A group that is left empty takes no time."""

        def left(group: Group) -> Group:
            return tuple(slot for slot in group if slot not in gone)

        waiting = tuple(group for group in map(left, self.waiting) if group)
        return Shutdown(self.node, waiting, left(self.killed), left(self.overdue)).begun()


def group_of(priority: int, priorities: Sequence[int]) -> int:
    """Return the group of a pod with this priority: the greatest one not above it, else the lowest.

    `priorities` are those of the configuration, ascending.

    Kubernetes 1.37: groupByPriority.
    """
    return max((place for place, each in enumerate(priorities) if each <= priority), default=0)


def begin(slot: int, node: Node, pods: Sequence[Pod | None], priorities: Sequence[int]) -> Shutdown:
    """Return the shutdown of the node of this slot as it begins, with the pods that it has then."""
    groups: list[list[int]] = [[] for _ in priorities]
    for place, pod in enumerate(pods):
        if pod is not None and pod.node_name == node.name and not completed(pod):
            groups[group_of(pod.priority, priorities)].append(place)
    return Shutdown(slot, tuple(tuple(group) for group in groups if group)).begun()


class Shutdowns:
    """The shutdowns of a scenario with these priorities, on slots of pods and nodes."""

    def __init__(self, rules: Sequence[Rule], priorities: Sequence[int], slots: Mapping[str, int]) -> None:
        self._priorities = priorities
        self._rules = [(number, rule) for number, rule in enumerate(rules) if rule.event == SHUTDOWN]
        self._slots = slots

    def events(
        self, pods: Sequence[Pod | None], nodes: Sequence[Node | None], shutdowns: tuple[Shutdown, ...]
    ) -> Iterator[tuple[int, ShutDown, Node, tuple[Shutdown, ...]]]:
        """Yield the beginning of each shutdown: the number of its rule, the event, the node, and the shutdowns after it."""
        under_way = {each.node for each in shutdowns}
        for number, rule in self._rules:
            for slot in (self._slots[name] for name in rule.nodes):
                node = nodes[slot]
                if node is not None and node.ready != "Unknown" and slot not in under_way:
                    begun = begin(slot, node, pods, self._priorities)
                    yield number, ShutDown(node.name), node, tuple(sorted((*shutdowns, begun)))

    def steps(
        self, pods: Sequence[Pod | None], nodes: Sequence[Node | None], shutdowns: tuple[Shutdown, ...]
    ) -> Iterator[Step]:
        """Yield what the kubelets of nodes that shut down may do next."""
        for each in shutdowns:
            node = nodes[each.node]
            assert node is not None, "a node that is gone does not shut down"
            others = tuple(other for other in shutdowns if other is not each)
            if node.ready == "True":
                yield ReportShutdown(node.name), shutdowns, None, None, replace(node, ready="False")
            for slot in (*each.killed, *each.overdue):
                pod = pods[slot]
                if pod is not None and not pod.terminating:
                    yield Kill(str(pod)), shutdowns, slot, replace(pod, phase="Failed"), None
            for slot, pod in enumerate(pods):
                if pod is not None and pod.node_name == node.name and slot not in each.seen and _may_be_rejected(pod):
                    yield Reject(str(pod)), shutdowns, slot, replace(pod, phase="Failed"), None
            if each.killed:
                late = tuple(sorted((*each.overdue, *each.killed)))
                after = each._replace(killed=(), overdue=late).begun()
                yield Expire(node.name), tuple(sorted((*others, after))), None, None, None
            elif not each.waiting:
                yield PowerOff(node.name), others, None, None, replace(node, ready="Unknown")

    def lasting(
        self, pods: Sequence[Pod | None], nodes: Sequence[Node | None], shutdowns: tuple[Shutdown, ...]
    ) -> tuple[Shutdown, ...]:
        """Return the shutdowns of nodes that exist, without pods that have ended or have left."""
        found = []
        for each in shutdowns:
            node = nodes[each.node]
            if node is not None:
                found.append(each.without(frozenset(slot for slot in each.seen if not _is_on(pods[slot], node))))
        return tuple(found)


def _is_on(pod: Pod | None, node: Node) -> bool:
    """Whether the pod is on the node and has not ended."""
    return pod is not None and pod.node_name == node.name and not completed(pod)


def _may_be_rejected(pod: Pod) -> bool:
    """Whether the kubelet has not admitted the pod, and its object is neither ended nor deleted."""
    return pod.phase == "Pending" and not pod.terminating
