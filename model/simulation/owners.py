"""Owners: they create and delete pods until they have as many as they are to have: `Owners`.

A StatefulSet or DaemonSet creates a pod again under its name once the old one is gone; the pod of a DaemonSet also waits
for its node. Any other owner creates a pod under a new name as soon as one is deleted. A Job creates none for a pod that
has succeeded.

Kubernetes 1.34: getPodsToDelete in pkg/controller/replicaset, ActivePodsWithRanks in pkg/controller/controller_utils.go.
Not modelled: the order in which a StatefulSet creates pods, updates of a template, other pods of a Deployment.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from schedcheck.model.controllers import RECREATING, REPLACING
from schedcheck.model.environment import newly_arrived
from schedcheck.model.simulation.budgets import Budgets
from schedcheck.model.simulation.timeline import Key, OwnerKey, Scale, Traits
from schedcheck.model.simulation.world import World
from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.owners import served_kind


def owner_of(pod: Pod) -> OwnerKey | None:
    """Return the key of the owner that creates the pod again, None if it has none."""
    kind, name = pod.owner
    return (pod.namespace, served_kind(kind), name) if kind in RECREATING else None


@dataclass
class Owner:
    """An owner: the pods that it is to have, in its slots (by name) or by their number, and a form for the next one."""

    form: Pod
    traits: Traits
    slots: dict[Key, Pod] = field(default_factory=dict)
    desired: int = 0
    members: dict[Key, None] = field(default_factory=dict)
    names: int = 0
    planned: bool = False

    @property
    def by_slots(self) -> bool:
        """Whether its pods keep their names."""
        return self.form.owner[0] not in REPLACING


class Owners:
    """The owners of the pods of the world by their keys."""

    def __init__(self, world: World, budgets: Budgets) -> None:
        self._world, self._budgets = world, budgets
        self.owners: dict[OwnerKey, Owner] = {}
        for pod in world.pods.values():
            key = owner_of(pod)
            if key is not None and not completed(pod):
                own = self._owner(key, pod, world.traits_of(pod))
                own.members[pod.key] = None
                if own.by_slots or not pod.terminating:
                    self._expect(own, pod)
        world.pod_watchers.append(self._pod)
        world.node_watchers.append(self._node)

    def arrive(self, pods: Iterable[Pod], traits: Traits) -> None:
        """Create pods for the first time; their owners keep their number from then on."""
        for pod in pods:
            key = owner_of(pod)
            if key is not None:
                self._expect(self._owner(key, pod, traits), pod)
            self._budgets.expect(pod, 1)
            self._world.create(newly_arrived(pod), traits, "Arrive")

    def scale(self, event: Scale) -> None:
        """Give an owner another number of pods."""
        own = self.owners.get(event.owner)
        if own is None:
            assert event.form is not None
            own = self._owner(event.owner, event.form, event.traits)
        while own.desired < event.replicas:
            if own.by_slots:
                name = next(name for name in self._ordinals(own) if (own.form.namespace, name) not in own.slots)
                self._expect(own, replace(own.form, name=name))
            else:
                own.desired += 1
            self._budgets.expect(own.form, 1)
        while own.desired > event.replicas:
            own.desired -= 1
            if own.by_slots:
                own.slots.pop(max(own.slots, key=_ordinal))
            self._budgets.expect(own.form, -1)
        self._plan(own)

    def _owner(self, key: OwnerKey, pod: Pod, traits: Traits) -> Owner:
        """Return an owner; its next pods are ready and have no deletion cost, whatever this one has."""
        return self.owners.setdefault(key, Owner(pod, replace(traits, cost=0, ready=True)))

    def _expect(self, own: Owner, pod: Pod) -> None:
        own.desired += 1
        if own.by_slots:
            own.slots[pod.key] = pod

    def _pod(self, before: Pod | None, after: Pod | None) -> None:
        pod = after or before
        assert pod is not None
        key = owner_of(pod)
        own = self.owners.get(key) if key is not None else None
        if own is None:
            return
        if before is None:
            own.members[pod.key] = None
        if after is None:
            own.members.pop(pod.key, None)
        succeeded = after is not None and before is not None and completed(after) and not completed(before)
        if succeeded and pod.phase == "Succeeded" and served_kind(pod.owner[0]) == "Job":
            own.desired -= 1
        lost = before is not None and _active(before) and (after is None or not _active(after))
        if lost or (after is None and own.by_slots):
            self._plan(own)

    def _node(self, before: Node | None, after: Node | None) -> None:
        if before is None:
            for own in self.owners.values():
                if own.by_slots:
                    self._plan(own)

    def _plan(self, own: Owner) -> None:
        if not own.planned:
            own.planned = True
            self._world.agenda.after("owner", lambda: self._reconcile(own))

    def _reconcile(self, own: Owner) -> None:
        """Create the pods that are missing, and delete those that are too many."""
        own.planned = False
        pods = [pod for key in own.members if (pod := self._world.pods.get(key)) is not None]
        if own.by_slots:
            for pod in pods:
                if pod.key not in own.slots and _active(pod):
                    self._delete(pod)
            for key, form in list(own.slots.items()):
                if key not in self._world.pods and self._has_its_node(form):
                    self._world.create(newly_arrived(form), own.traits, "Create")
            return
        active = [pod for pod in pods if _active(pod)]
        for _ in range(own.desired - len(active)):
            name = next(name for name in self._ordinals(own) if (own.form.namespace, name) not in self._world.used)
            self._world.create(newly_arrived(replace(own.form, name=name)), own.traits, "Create")
        if len(active) > own.desired:
            for pod in self._least_useful(active)[: len(active) - own.desired]:
                self._delete(pod)

    def _delete(self, pod: Pod) -> None:
        self._world.tell("Delete", pod, pod.node_name, "its owner was scaled down")
        self._world.delete(pod)

    def _has_its_node(self, form: Pod) -> bool:
        """Whether the node exists for which a DaemonSet made the pod; True for any other pod."""
        home = node_of_daemon(form)
        return not home or home in self._world.nodes

    def _ordinals(self, own: Owner) -> Iterable[str]:
        """Yield further names of pods."""
        stem, _, end = own.form.name.rpartition("-")
        base = stem if stem and (end.isdigit() or not own.by_slots) else own.form.name
        if own.by_slots:
            yield from (f"{base}-{number}" for number in range(len(own.slots) + 1))
        while True:
            own.names += 1
            yield f"{base}-{own.names - 1}"

    def _least_useful(self, pods: list[Pod]) -> list[Pod]:
        """Return the pods in the order in which a ReplicaSet deletes them.

        Unbound ones come first, then those that do not run, those of the least deletion cost, those that share their
        node with the most others, and the last started or created.
        """
        together = Counter(pod.node_name for pod in pods)
        place = {pod.key: number for number, pod in enumerate(pods)}
        return sorted(
            pods,
            key=lambda pod: (
                pod.node_name != "",
                pod.phase == "Running",
                self._world.traits_of(pod).cost,
                -together[pod.node_name],
                -(pod.start_time or 0),
                -place[pod.key],
            ),
        )


def node_of_daemon(pod: Pod) -> str:
    """Return the name of the node for which a DaemonSet made the pod; empty if that is not known."""
    if served_kind(pod.owner[0]) != "DaemonSet":
        return ""
    fields = (each for term in pod.affinity.node_required for each in term.match_fields)
    named = next((each.values[0] for each in fields if each.key == "metadata.name" and each.values), "")
    return named or pod.template_node_name or pod.node_name


def _ordinal(key: Key) -> tuple[int, str]:
    end = key[1].rpartition("-")[2]
    return (int(end) if end.isdigit() else -1, key[1])


def _active(pod: Pod) -> bool:
    return not pod.terminating and not completed(pod)
