"""What counting proves of the pods that are to come: `counted`, `Counted`.

The cluster is taken at its fullest, with all pods that a rollout is going to delete, to prove that a pod finds a place;
else with only as many as are left at rest; and at its freest, without them, to prove that it never does.
`relocation.counting` says how the others are counted, and `standing` how many pods are left.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from frozendict import frozendict

from schedcheck.checker.alike import nameless
from schedcheck.checker.deploying.question import Deploying
from schedcheck.checker.deploying.standing import Standing, as_created, limits
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

    at_rest: bool = False
    """Whether some pod is only proved to find a place once nothing else changes."""

    done: bool = True
    """Whether anything was counted: if not, nothing is proved, not even of no pod."""

    peace: str = ""
    """Why the places are proved although pods evict others, in words; empty if they are not, or none does."""

    @property
    def proved(self) -> bool:
        """Whether every pod finds a place; none is evicted unless `evicting` says so."""
        return self.proved_of(self.places)

    def proved_of(self, keys: Iterable[Key]) -> bool:
        """Whether these pods to come find a place."""
        if self.anywhere:
            return True
        return self.done and (self.peace != "" or not self.evicting) and all(self.places[key].proved for key in keys)


def freest(asked: Deploying) -> Snapshot:
    """Return the cluster without the pods that a rollout may delete."""
    return _snapshot(asked.scenario, {key for each in asked.scenario.rollouts for key in deletable(each)})


def counted(asked: Deploying) -> Counted:
    """Return what counting proves."""
    doing("counting the places of the pods to come")
    forms, count = asked.forms, Count(asked)
    found = {key: count.judged(form) for key, form in forms.items()}
    unplaced = [pod for pod in (*forms.values(), *count.waiting) if pod.key not in found or not found[pod.key].always]
    everyone = (*count.there.values(), *forms.values())
    lowest = min((pod.priority for pod in everyone if not completed(pod)), default=0)
    evicting = tuple(
        pod
        for pod in unplaced
        if pod.priority > lowest
        and pod.preemption_policy != "Never"
        and not (pod.key in found and found[pod.key].hopeless)
    )
    # The room of pods that others evict could help a pod that nothing else helps.
    hopeless = () if evicting else tuple(forms[key] for key, each in found.items() if each.hopeless)
    return Counted(
        {key: each.place for key, each in found.items()},
        {key: None if evicting else each.hosts for key, each in found.items()},
        hopeless,
        evicting,
        at_rest=any(each.place.proved and not each.always for each in found.values()),
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
        # A former pod that is still to be created could be bound to a node on which it never ends.
        lasting = (
            each for each in scenario.rollouts
            if not self.unready or not any(pod.key in asked.forms for pod in each.former)
        )  # fmt: skip
        self.limits = limits(lasting)
        self._full: dict[tuple[frozenset[Key], bool], Counting] = {}
        self._known: dict[tuple[frozenset[Key], Pod], Judged] = {}

    def judged(self, pod: Pod) -> "Judged":
        """Return what is known of a pod to come; pods that are alike but for their names have one answer."""
        rollout = self.rollouts.get(pod.key)
        gone = frozenset(_gone_before(rollout)) if rollout else frozenset[Key]()
        key = gone, nameless(pod)
        if key not in self._known:
            self._known[key] = self._judge(pod, rollout, gone)
        return self._known[key]

    def _judge(self, pod: Pod, rollout: Rollout | None, gone: frozenset[Key]) -> "Judged":
        plugins = plugins_of(pod, self.scenario)
        company = pod.affinity.pod_required or required(self.free.judge.cycle(pod, plugins).spreading)
        if company and gone and pin(pod):
            return Judged(Place(0, 0, "its pods on other nodes are replaced meanwhile"), None, hopeless=False)
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
        always = place.proved
        if not always and not company:
            place = self._place_at_rest(pod, rollout, gone, others) or place
        hosts = (
            None
            if company or beyond_counting(pod, plugins, counting.snapshot.devices)
            else self.free.judge.feasible(pod, plugins)
        )
        waits = rollout is not None and (rollout.rolling or rollout.ordered)
        if place.proved and waits and (self.unready if hosts is None else hosts & self.unready):
            place = replace(place, unproved=NOT_READY)
        hopeless = hosts == frozenset() and self.free.waits_for_good(pod, plugins)
        return Judged(place, hosts, hopeless, always and place.proved)

    def _place_at_rest(
        self, pod: Pod, rollout: Rollout | None, gone: frozenset[Key], others: list[Pod]
    ) -> Place | None:
        """Return the place that the pod has once nothing else changes, if it is proved.

        The former pods of the limited rollouts, its own or all, may then be anywhere, but only so many are left.
        """
        plugins = plugins_of(pod, self.scenario)
        own = str(rollout) if rollout else ""
        for most in ({own: self.limits[own]} if own in self.limits else {}, self.limits):
            limited = {key: str(each) for key, each in self.rollouts.items() if str(each) in most}
            # Deleted pods end on ready nodes alone.
            left = {key for key in limited.keys() & self.there.keys() if self.there[key].node_name not in self.unready}
            left = {key for key in left if self.there[key].node_name and not completed(self.there[key])} - gone
            if not left or not all(as_created(self.there[key], plugins) for key in left):
                continue
            away = gone | left
            leaving = (self.there[key] for key in self.deletable if key in self.there and key not in away)
            # The pod that waits is one of them.
            besides = {name: number - (name == own) for name, number in most.items()}
            everyone = Standing((*others, *(self.there[key] for key in left)), leaving, limited, besides)
            place = self._counting(frozenset(away), pinned=pin(pod) != "").place(pod, plugins, everyone)
            if place.proved:
                return place
        return None

    def _counting(self, gone: frozenset[Key], *, pinned: bool) -> Counting:
        """Return the fullest cluster without some pods; for a pod that may be anywhere, with all pods of DaemonSets."""
        if (gone, pinned) not in self._full:
            daemons = () if pinned else tuple(
                replace(form, node_name=name, name=f"{form.name} to come")
                for name, forms in self.pinned.items() if name for form in forms
            )  # fmt: skip
            self._full[gone, pinned] = Counting(_snapshot(self.scenario, gone, daemons), ())
        return self._full[gone, pinned]


@dataclass(frozen=True)
class Judged:
    """What is known of a pod to come.

    - `hosts`: the nodes that are feasible at best; None if not known. - `hopeless`: whether it waits in every behaviour.
    - `always`: whether a node is feasible whenever it waits, and not only once nothing else changes.
    """

    place: Place
    hosts: frozenset[str] | None
    hopeless: bool
    always: bool = False


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
