"""Nodes and pods as arrays that are kept up to date as pods come and go: `StandingCluster`.

A change of one pod changes one entry of each array. A change of a node makes its arrays anew when they are asked for.
`tests/checker/vectors/test_standing.py` checks that all answers equal those of a new `Cluster`.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from schedcheck.checker.derived import given
from schedcheck.checker.vectors.classes import Numbers
from schedcheck.checker.vectors.cluster import LARGE, Cluster, Kind, Terms, demanded, requests_of
from schedcheck.checker.vectors.growing import Kinds
from schedcheck.checker.vectors.tallied import Emptied, Tallied
from schedcheck.spec.binding import completed
from schedcheck.spec.footprints import UNSEEN
from schedcheck.spec.kubernetes.departures import Departures
from schedcheck.spec.kubernetes.filters.pod_topology_spread import there
from schedcheck.spec.kubernetes.node_info import held, host_ports
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget, Snapshot, SpreadConstraint
from schedcheck.spec.terms import LabelSelector

Key = tuple[str, str]

OFTEN = 1000
"""The number of changes after which kinds without pods are looked for."""


class ByNode(dict[object, Emptied]):
    """Nodes without potential victims, by keys that begin with the node's name; all of one node are forgotten at once."""

    def __init__(self) -> None:
        super().__init__()
        self._of: dict[str, list[object]] = {}

    def __setitem__(self, key: object, value: Emptied) -> None:
        assert isinstance(key, tuple)
        self._of.setdefault(key[0], []).append(key)
        super().__setitem__(key, value)

    def forget(self, name: str) -> None:
        """Forget everything about a node."""
        for key in self._of.pop(name, ()):
            self.pop(key, None)

    def forget_guarded(self, budgets: frozenset[PodDisruptionBudget]) -> None:
        """Forget the nodes with potential victims that one of these budgets may protect."""
        for key in [key for key, each in self.items() if not budgets.isdisjoint(each.budgets)]:
            del self[key]


class StandingCluster(Cluster):
    """The nodes of a snapshot with their pods, which change. The snapshot itself has no pods to read."""

    def __init__(self, snapshot: Snapshot) -> None:
        super().__init__(snapshot)
        self.pods: dict[Key, Pod] = {pod.key: pod for pod in self.running.pods}
        """The pods that have not ended, by key."""
        self.changed: list[int] = []
        """The places of all changes so far."""
        self._asked: dict[object, tuple[SpreadConstraint, Pod]] = {}
        self._rated: dict[tuple[object, str, Departures], int] = {}
        self._nominated: dict[str, dict[Key, Pod]] = {}
        for pod in self.running.pods:
            if pod.nominated_node_name and not pod.node_name:
                self._nominated.setdefault(pod.nominated_node_name, {})[pod.key] = pod
        self._freed = self.emptied = ByNode()
        self.running = replace(self.running, pods=UNSEEN)

    # Questions.

    def waits(self, pod: Pod) -> bool:
        """Whether this pod is one of those that have not ended."""
        return self.pods.get(pod.key) == pod

    def snapshot(self) -> Snapshot:
        """Return the snapshot as it is now, without completed pods."""
        return replace(self.running, pods=tuple(self.pods[key] for key in sorted(self.pods)))

    def rated(self, pod: Pod, resource: str, departures: Departures) -> int:
        """Return the amount by which a bound pod is scored, cached for all pods with the same requests."""
        key = requests_of(pod), resource, departures
        if key not in self._rated:
            self._rated[key] = super().rated(pod, resource, departures)
        return self._rated[key]

    @property
    def nominated(self) -> tuple[tuple[str, tuple[Pod, ...]], ...]:
        """The unbound pods nominated to each node, in the order of their keys."""
        return tuple(
            (name, tuple(pods[key] for key in sorted(pods))) for name, pods in self._nominated.items() if pods
        )  # fmt: skip

    @cached_property
    def grown(self) -> Kinds:
        """The pods on the nodes, by kinds."""
        return Kinds(self.infos)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds; some may have no pod now."""
        return self.grown.all()

    def selectable(self, selector: LabelSelector | None) -> Iterator[Kind]:
        """Yield the kinds that the selector may select, found by a label that it requires."""
        pairs = demanded(selector)
        if pairs is None:
            yield from self.grown.all()
        for pair in pairs or ():
            yield from self.grown.labelled(pair)

    @property
    def unwilling(self) -> Terms:
        """The required anti-affinity terms of the pods on the nodes."""
        return self.grown.terms("unwilling", lambda pod: ((0, term) for term in pod.affinity.anti_required))

    def counted(self, constraint: SpreadConstraint, pod: Pod) -> Numbers:
        """Return the number of pods on each node that count for a spread constraint of `pod`."""
        found = super().counted(constraint, pod)
        self._asked[constraint.selector, pod.namespace] = constraint, pod
        if len(self._asked) > 2 * len(self._counts):
            self._asked = {key: self._asked[key] for key in self._counts}
        return found

    # Changes of pods.

    def put(self, pod: Pod) -> None:
        """Add a pod, or replace the pod of its key."""
        before = self.pods.get(pod.key)
        if before is pod:
            return
        if before is not None:
            self._leave(before)
        if completed(pod):
            self.pods.pop(pod.key, None)
            return
        self.pods[pod.key] = pod
        if pod.node_name:
            self._place(pod, 1)
        elif pod.nominated_node_name:
            self._nominated.setdefault(pod.nominated_node_name, {})[pod.key] = pod

    def remove(self, key: Key) -> None:
        """Remove the pod of this key, if there is one."""
        before = self.pods.pop(key, None)
        if before is not None:
            self._leave(before)

    def _leave(self, pod: Pod) -> None:
        if pod.node_name:
            self._place(pod, -1)
        elif pod.nominated_node_name:
            del self._nominated[pod.nominated_node_name][pod.key]

    def _place(self, pod: Pod, sign: int) -> None:
        """Add a bound pod to its node, or remove it."""
        place = self.place.get(pod.node_name)
        if place is None:
            return
        self._freed.forget(pod.node_name)
        infos = list(self.infos)
        infos[place] = _with(infos[place], pod, sign)
        self.infos = tuple(infos)
        self.__dict__.pop("_by_requests", None)
        if "number_of_pods" in self.__dict__:
            self.number_of_pods[place] += sign
        self._add(pod, place, sign)
        self._count(pod, place, sign)
        if host_ports(pod):
            self._classes.pop("ports", None)
        if pod.volumes:
            self.__dict__.pop("_attaching", None)
        self.changed.append(place)
        if len(self.changed) % OFTEN == 0 and "grown" in self.__dict__ and self.grown.wasted:
            del self.grown

    def _add(self, pod: Pod, place: int, sign: int) -> None:
        """Add the pod's requests to the sums. A sum that exceeds 64 bits is computed anew, in Python's integers."""
        for key in list(self._columns):
            what, resource, departures = key
            column = self._columns[key]
            if what == "allocatable":
                continue
            known = what == "requested"
            size = self.amounts(pod, departures).get(resource, 0) if known else self.rated(pod, resource, departures)
            if not size:
                continue
            total = int(column[place]) + sign * size
            if column.dtype == object or abs(total) >= LARGE:
                del self._columns[key]
            else:
                column[place] = total

    def _count(self, pod: Pod, place: int, sign: int) -> None:
        """Count the pod among its kind, and for each spread constraint that selects it."""
        for key, counts in self._counts.items():
            constraint, asking = self._asked[key]
            if asking.namespace == pod.namespace and there(constraint, asking, pod):
                counts[place] += sign
        if "grown" in self.__dict__:
            (self.grown.add if sign > 0 else self.grown.remove)(pod, place)

    # Changes of other objects.

    def put_node(self, node: Node) -> None:
        """Replace a node of this name, which must be there."""
        place = self.place[node.name]
        infos = list(self.infos)
        infos[place] = _moved(infos[place], node)
        self.infos = tuple(infos)
        self._freed.forget(node.name)
        self.running = replace(self.running, nodes=tuple(info.node for info in infos))
        self._seen.clear()
        self._labels.clear()
        self._classes.clear()
        for key in [key for key in self._columns if key[0] == "allocatable"]:
            del self._columns[key]
        for name in ("_holders", "_attaching"):
            self.__dict__.pop(name, None)

    def put_rest(self, snapshot: Snapshot) -> None:
        """Take namespaces, budgets, services, controllers and storage from a snapshot with the same nodes."""
        before = frozenset(self.running.budgets)
        self.running = replace(snapshot, pods=UNSEEN, nodes=self.running.nodes)
        self._seen.clear()
        after = frozenset(snapshot.budgets)
        if {_selecting(each) for each in before} == {_selecting(each) for each in after}:
            self._freed.forget_guarded(before - after)
        else:
            self._freed = self.emptied = ByNode()
        for name in ("_budgets", "_attaching"):
            self.__dict__.pop(name, None)


def _selecting(budget: PodDisruptionBudget) -> tuple[str, str, LabelSelector | None]:
    return budget.namespace, budget.name, budget.selector


def _with(info: Tallied, pod: Pod, sign: int) -> Tallied:
    """Return the node with this pod added, or removed; its pods stay in the order of their keys."""
    place = bisect_left(info.pods, pod.key, key=lambda each: each.key)
    after = info.pods[place:] if sign > 0 else info.pods[place + 1 :]
    pods = (*info.pods[:place], *((pod,) if sign > 0 else ()), *after)
    own = host_ports(pod)
    ports = info.ports if not own else info.ports | own if sign > 0 else held(pods)
    made = Tallied(info.node, pods, ports, amounts=info.amounts)
    return given(made, sums=info.changed((pod,), sign))


def _moved(info: Tallied, node: Node) -> Tallied:
    """Return the pods of a node on another version of it."""
    made = Tallied(node, info.pods, info.ports, amounts=info.amounts)
    return given(made, sums=info.sums)
