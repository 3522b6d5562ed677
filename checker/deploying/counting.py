"""What counting proves of the pods that are to come: `counted`, `Counted`.

The cluster is taken at its fullest, with all pods that a rollout is going to delete, to prove that a pod finds a place;
and at its freest, without them, to prove that it never does. `relocation.counting` says how the others are counted.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from frozendict import frozendict

from schedcheck.checker.deploying.question import Deploying
from schedcheck.checker.limits.timer import doing
from schedcheck.checker.recovery.shares import Certain
from schedcheck.checker.relocation.counting import Counting, Place, beyond_counting
from schedcheck.checker.relocation.others import Others
from schedcheck.model.controllers.daemon_set import host
from schedcheck.model.profiles import plugins_of
from schedcheck.model.rollouts import Key, Rollout, deletable
from schedcheck.model.scenario import Scenario, snapshot_of
from schedcheck.spec.binding import completed
from schedcheck.spec.kubernetes.control_loop import turn
from schedcheck.spec.kubernetes.filters.pod_topology_spread import required
from schedcheck.spec.objects import Pod, Snapshot

NOT_READY = "a node that is not ready may take it, and it would not become available there"


@dataclass(frozen=True)
class Counted:
    """What is proved by counting."""

    places: Mapping[Key, Place]
    """The place of each pod to come, by its key."""
    hosts: Mapping[Key, frozenset[str] | None]
    """The nodes that are feasible for it at the cluster's freest: it is bound to no other; None if they are not known."""
    hopeless: tuple[Pod, ...]
    """The pods that stay pending in every behaviour."""
    evicting: tuple[Pod, ...]
    """The pods that may evict others."""
    anywhere: Mapping[Key, Certain] = frozendict()
    """The proof for each pod to come that it is bound in the end, however often pods are evicted; empty if one has none."""

    @property
    def proved(self) -> bool:
        """Whether every pod finds a place; none is evicted unless `evicting` says so."""
        return self.proved_of(self.places)

    def proved_of(self, keys: Iterable[Key]) -> bool:
        """Whether these pods to come find a place."""
        if self.anywhere:
            return True
        return not self.evicting and all(self.places[key].proved for key in keys)


def freest(asked: Deploying) -> Snapshot:
    """Return the cluster without the pods that a rollout may delete."""
    return _snapshot(asked.scenario, {key for each in asked.scenario.rollouts for key in deletable(each)})


def counted(asked: Deploying) -> Counted:
    """Return what counting proves."""
    doing("counting the places of the pods to come")
    forms, count = asked.forms, Count(asked)
    found = {key: count.judged(form) for key, form in forms.items()}
    unplaced = [
        pod for pod in (*forms.values(), *count.waiting) if pod.key not in found or not found[pod.key][0].proved
    ]
    everyone = (*count.there.values(), *forms.values())
    lowest = min((pod.priority for pod in everyone if not completed(pod)), default=0)
    evicting = tuple(
        pod
        for pod in unplaced
        if pod.priority > lowest and pod.preemption_policy != "Never" and not (pod.key in found and found[pod.key][2])
    )
    # The room of pods that others evict could help a pod that nothing else helps.
    hopeless = () if evicting else tuple(forms[key] for key, each in found.items() if each[2])
    return Counted(
        {key: place for key, (place, _, _) in found.items()},
        {key: None if evicting else hosts for key, (_, hosts, _) in found.items()},
        hopeless,
        evicting,
    )


class Count:
    """The cluster at its freest and at its fullest, and the pods that may be placed meanwhile."""

    def __init__(self, asked: Deploying) -> None:
        self.scenario = scenario = asked.scenario
        self.free = Counting(freest(asked), ())
        self.deletable = {key for each in asked.scenario.rollouts for key in deletable(each)}
        self.there = {pod.key: pod for pod in scenario.pods if pod.key not in scenario.absent}
        self.unready = frozenset(node.name for node in scenario.nodes if node.ready != "True")
        self.rollouts = {form.key: each for each in scenario.rollouts for form in (*each.forms, *each.former)}
        self.waiting = [pod for pod in _waiting(asked, self.free) if pod.key not in asked.forms]
        self.pinned: dict[str, list[Pod]] = {}
        for form in asked.forms.values():
            self.pinned.setdefault(pin(form), []).append(form)
        self._full: dict[tuple[frozenset[Key], bool], Counting] = {}
        self._known: dict[tuple[frozenset[Key], Pod], Judged] = {}

    def judged(self, pod: Pod) -> "Judged":
        """Return what is known of a pod to come; pods that are alike but for their names have one answer."""
        rollout = self.rollouts.get(pod.key)
        gone = frozenset(_gone_before(rollout)) if rollout else frozenset[Key]()
        key = gone, replace(pod, name="", uid="")
        if key not in self._known:
            self._known[key] = self._judge(pod, rollout, gone)
        return self._known[key]

    def _judge(self, pod: Pod, rollout: Rollout | None, gone: frozenset[Key]) -> "Judged":
        plugins = plugins_of(pod, self.scenario)
        company = pod.affinity.pod_required or required(self.free.judge.cycle(pod, plugins).spreading)
        if company and gone and pin(pod):
            return Place(0, 0, "its pods on other nodes are replaced meanwhile"), None, False
        # Pods of DaemonSets that are not there yet are no company, and count in no domain.
        counting = self._counting(gone, pinned=pin(pod) != "" or bool(company))
        near = self.pinned[pin(pod)] if pin(pod) else ()
        everywhere = [each for name, forms in self.pinned.items() if name for each in forms] if company else near
        others = [*self.pinned.get("", ()), *everywhere, *self.waiting]
        others = [each for each in others if each.key != pod.key]
        # Former pods elsewhere may still be there, and exclude a domain.
        others += [left for key in gone if (left := self.there.get(key)) and _excludes(pod, left)]
        leaving = (self.there[key] for key in self.deletable if key in self.there and key not in gone)
        place = counting.place(pod, plugins, Others(others, leaving))
        hosts = (
            None
            if company or beyond_counting(pod, plugins, counting.snapshot.devices)
            else self.free.judge.feasible(pod, plugins)
        )
        waits = rollout is not None and (rollout.rolling or rollout.ordered)
        if place.proved and waits and (self.unready if hosts is None else hosts & self.unready):
            place = replace(place, unproved=NOT_READY)
        return place, hosts, hosts == frozenset() and self.free.waits_for_good(pod, plugins)

    def _counting(self, gone: frozenset[Key], *, pinned: bool) -> Counting:
        """Return the fullest cluster without some pods; for a pod that may be anywhere, with all pods of DaemonSets."""
        if (gone, pinned) not in self._full:
            daemons = () if pinned else tuple(
                replace(form, node_name=name, name=f"{form.name} to come")
                for name, forms in self.pinned.items() if name for form in forms
            )  # fmt: skip
            self._full[gone, pinned] = Counting(_snapshot(self.scenario, gone, daemons), ())
        return self._full[gone, pinned]


Judged = tuple[Place, frozenset[str] | None, bool]
"""The place, the nodes that are feasible at best (None if not known), and whether the pod waits in every behaviour."""


def _excludes(one: Pod, other: Pod) -> bool:
    return bool(one.affinity.anti_required or other.affinity.anti_required)


def _gone_before(rollout: Rollout) -> Iterable[Key]:
    """Return the keys of the pods that are gone before a pod to come is created."""
    if rollout.recreate or (rollout.kind == "DaemonSet" and not rollout.surge):
        return (pod.key for pod in rollout.former)
    return ()


def pin(pod: Pod) -> str:
    """Return the one node of a pod of a DaemonSet; empty for other pods."""
    return host(pod) if pod.owner[0].endswith("DaemonSet") else ""


def _waiting(asked: Deploying, free: Counting) -> list[Pod]:
    """Return the pods that wait now, without those that stay pending even in the freest cluster."""
    scenario = asked.scenario
    snapshot = _snapshot(scenario, ())
    found = {pod for plugins in scenario.plugins for pod in turn(snapshot, plugins)}
    return [
        pod
        for pod in sorted(found, key=lambda each: each.key)
        if pod.key in asked.keys or not free.waits_for_good(pod, plugins_of(pod, scenario))
    ]


def _snapshot(scenario: Scenario, gone: Collection[Key], more: Collection[Pod] = ()) -> Snapshot:
    present = tuple(pod for pod in scenario.pods if pod.key not in scenario.absent and pod.key not in gone)
    if more:
        present = tuple(sorted((*present, *more), key=lambda each: each.key))
    return snapshot_of(scenario, present, scenario.nodes, scenario.budgets)
