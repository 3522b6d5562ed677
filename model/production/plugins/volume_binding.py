"""The plugin VolumeBinding: each claim of a pod must be bound, find a volume, or be provisioned on the node.

Kubernetes 1.37: pkg/scheduler/framework/plugins/volumebinding. Differs: Reserve matches the claims on the node again.
When a reservation is undone, pods that may need the volumes are requeued; in kube-scheduler they wait for another
event.

Not modelled: writing what is assumed, and waiting for the binding. Volumes stay assumed after the pod is bound.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from schedcheck.model.production.framework.cycle_state import CycleState, NotFoundError
from schedcheck.model.production.framework.events import Action, ClusterEvent, EventOfInterest, Resource
from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.status import SKIP, SUCCESS, Status, error, unresolvable
from schedcheck.model.production.framework.verdicts import FAILED, PASSED, UNRESOLVED, Verdicts, failing
from schedcheck.model.production.plugins.resource_scores import by_shape
from schedcheck.model.production.plugins.volume_events import EVENTS
from schedcheck.model.production.snapshot.claims import claims_of, not_found, not_made_for
from schedcheck.model.production.snapshot.labels import Mask, Numbers
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Nodes, Snapshot
from schedcheck.model.production.volumes.assumed import Reserved
from schedcheck.model.production.volumes.matching import (
    NO_SPACE,
    NO_VOLUME,
    NONE_TO_BIND,
    Waiting,
    matched,
    room_for,
    unmade,
    waiting,
    within_reach,
)
from schedcheck.model.production.volumes.migration import Plugin, UntranslatableError, plugin_of, translated
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.plugins import Arguments
from schedcheck.spec.objects import Pod
from schedcheck.spec.storage import (
    WAIT_FOR_FIRST_CONSUMER,
    ClaimReference,
    Ephemeral,
    PersistentVolume,
    PersistentVolumeClaim,
    Storage,
    Volume,
)

KEY, RESERVED = "VolumeBinding", "ReservedVolumeBinding"
OUT_OF_REACH = "node(s) didn't match PersistentVolume's node affinity"
GONE = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)"
WAITING_REASONS = {
    NONE_TO_BIND: "node(s) didn't find available persistent volumes to bind",
    NO_SPACE: "node(s) did not have enough free storage",
}
REACHED, BEYOND, MISSING, UNTRANSLATED = range(4)
"""Codes for the volumes of bound claims. Numbers from the last one on index the texts of untranslatable volumes."""


@dataclass(frozen=True)
class Claims:
    """The bound claims of a pod, and those that wait for their first consumer, in the order of its volumes."""

    bound: tuple[PersistentVolumeClaim, ...] = ()
    waiting: tuple[Waiting, ...] = ()

    def begun(self) -> list[PersistentVolumeClaim]:
        """Return the waiting claims whose provisioning has begun on a selected node."""
        return [each.claim for each in self.waiting if each.claim.selected_node is not None]

    def matched(self, nodes: Nodes) -> list[tuple[Waiting, Numbers]]:
        """Return the volumes that the other waiting claims take on each node."""
        return matched([each for each in self.waiting if each.claim.selected_node is None], nodes)


NO_CLAIMS = Claims()


class VolumeBinding:
    """A plugin that rejects nodes where a bound volume is out of reach, or an unbound claim gets no volume.

    It prefers the volumes and the storage that are used by the shape of its arguments, by default the least.
    """

    name = "VolumeBinding"

    def __init__(self, arguments: Arguments, handle: Handle) -> None:
        self._handle = handle
        self._shape = arguments.storage_shape
        self._unrated = Departure.STORAGE_CAPACITY_UNRATED in handle.departures

    @property
    def _filters(self) -> bool:
        """Whether the plugin is enabled at filter, where the volumes of each node are found."""
        return any(self in each.at("filter") for each in self._handle.frameworks.values())

    @property
    def _storage(self) -> Storage:
        """Return the delivered storage with the assumed volumes and claims."""
        return self._handle.assumed.over(self._handle.listers.storage)

    def pre_filter(self, state: CycleState, pod: PodInfo, snapshot: Snapshot) -> tuple[Status, frozenset[str] | None]:
        """Skip without claims; reject if a claim is unusable, or unbound with immediate binding."""
        if not pod.pod.volumes:
            state.write(KEY, NO_CLAIMS)
            return SKIP, None
        storage = self._storage
        claims = []
        for volume, name in claims_of(pod.pod):
            claim = storage.claim(pod.pod.namespace, name)
            if claim is None:
                return unresolvable(_absent(volume, name)), None
            reason = _unusable(volume, pod.pod, claim)
            if reason:
                return unresolvable(reason), None
            claims.append(claim)
        bound = tuple(claim for claim in claims if is_bound(claim))
        unbound = [claim for claim in claims if not is_bound(claim)]
        if not all(_may_wait(claim, storage) for claim in unbound):
            return unresolvable("pod has unbound immediate PersistentVolumeClaims"), None
        state.write(KEY, Claims(bound, tuple(waiting(claim, storage) for claim in unbound)))
        return (SUCCESS if claims else SKIP), None

    def filter(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Verdicts:
        """Reject nodes that a bound volume does not reach, or on which a waiting claim gets no volume."""
        try:
            claims = state.read(KEY, Claims)
        except NotFoundError:
            return failing(nodes, "not found")
        storage = self._storage
        there, texts = _bound(claims, nodes, storage)
        lacking = _lacking(claims, nodes, storage)
        codes = np.where((there != REACHED) | (lacking != 0), UNRESOLVED, PASSED).astype(np.int8)
        codes[there >= UNTRANSLATED] = FAILED

        def reasons(number: int) -> tuple[str, ...]:
            bound, waiting = divmod(number, len(WAITING_REASONS) + 1)
            if bound >= UNTRANSLATED:
                return (texts[bound - UNTRANSLATED],)
            found = (
                OUT_OF_REACH if bound == BEYOND else "",
                WAITING_REASONS.get(waiting, ""),
                GONE if bound == MISSING else "",
            )
            return tuple(filter(None, found))

        return Verdicts(codes, there * (len(WAITING_REASONS) + 1) + lacking, reasons)

    def pre_score(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Status:
        """Skip if storage is not rated; fail if PreFilter did not run."""
        return SKIP if self._unrated else SUCCESS if self._claims(state) is not None else error("not found")

    def score(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Numbers | Status:
        """Return the scores of the volumes that the claims take, or of the storage from which they are provisioned.

        Fail if PreFilter did not run.
        """
        claims = self._claims(state)
        if not self._unrated and claims is None:
            return error("not found")
        if self._unrated or claims is None or not claims.waiting or not self._filters:
            return np.zeros(len(nodes), np.int64)
        return rated(claims, self._shape, nodes, self._storage)

    def _claims(self, state: CycleState) -> Claims | None:
        try:
            return state.read(KEY, Claims)
        except NotFoundError:
            return None

    def reserve(self, state: CycleState, pod: Pod, node: str) -> Status:
        """Assume the volumes that the claims take on the node, and the provisioning of the other claims there."""
        try:
            claims = state.read(KEY, Claims)
        except NotFoundError:
            return error("not found")
        if not claims.waiting:
            return SUCCESS
        nodes = self._handle.snapshot.some([node])
        taken, made = _chosen(claims, nodes, node) if len(nodes) else ([], [])
        state.write(RESERVED, self._handle.assumed.assume(taken, made))
        return SUCCESS

    def unreserve(self, state: CycleState, pod: Pod, node: str) -> None:
        """Forget what was assumed, and requeue pods that may have been rejected for it."""
        try:
            reserved = state.read(RESERVED, Reserved)
        except NotFoundError:
            return
        state.delete(RESERVED)
        handle = self._handle
        volumes, claims = handle.assumed.forget(reserved)
        for volume in volumes:
            there = handle.listers.storage.volume(volume.name)
            handle.happened(ClusterEvent(Resource.PERSISTENT_VOLUME, Action.UPDATE), volume, there)
        for claim in claims:
            now = handle.listers.storage.claim(*claim.key)
            handle.happened(ClusterEvent(Resource.PERSISTENT_VOLUME_CLAIM, Action.UPDATE), claim, now)

    def pre_bind(self, state: CycleState, pod: Pod, node: str) -> Status:
        """Do nothing: nothing is written or waited for."""
        return SUCCESS

    def events(self) -> Sequence[EventOfInterest]:
        """Return the events of interest: changes of volume objects; nodes added or relabelled."""
        return EVENTS


def is_bound(claim: PersistentVolumeClaim) -> bool:
    """Whether the claim names a volume, and its binding is completed."""
    return claim.volume_name != "" and claim.bind_completed


def _may_wait(claim: PersistentVolumeClaim, storage: Storage) -> bool:
    """Whether an unbound claim may wait for its first consumer."""
    made_by = storage.storage_class(claim.storage_class or "")
    return not claim.volume_name and made_by is not None and made_by.binding_mode == WAIT_FOR_FIRST_CONSUMER


def _absent(volume: Volume, name: str) -> str:
    """Return the reason for a missing claim."""
    if isinstance(volume.source, Ephemeral):
        return f'waiting for ephemeral volume controller to create the persistentvolumeclaim "{name}"'
    return not_found("persistentvolumeclaim", name)


def _unusable(volume: Volume, pod: Pod, claim: PersistentVolumeClaim) -> str:
    """Return why the claim cannot be used for the volume; empty if it can."""
    if claim.phase == "Lost":
        return f'persistentvolumeclaim "{claim.name}" bound to non-existent persistentvolume "{claim.volume_name}"'
    if claim.terminating:
        return f'persistentvolumeclaim "{claim.name}" is being deleted'
    return not_made_for(pod, volume, claim)


def _bound(claims: Claims, nodes: Nodes, storage: Storage) -> tuple[Numbers, list[str]]:
    """Return for each node the code of its first unusable bound volume (REACHED for none), and the texts."""
    found = np.full(len(nodes), REACHED, np.int64)
    texts: list[str] = []
    for claim in claims.bound:
        volume = storage.volume(claim.volume_name)
        if volume is None:
            found[found == REACHED] = MISSING
            break
        said = np.where(within_reach(volume.node_affinity, nodes), REACHED, BEYOND)
        plugin = plugin_of(volume.source)
        if plugin is not None and plugin.replaced:
            driven = _driven(plugin, nodes, storage)
            said[driven] = _as_driver_sees(volume, plugin, nodes.only(np.flatnonzero(driven)), texts)
        found = np.where(found == REACHED, said, found)
    return found, texts


def _driven(plugin: Plugin, nodes: Nodes, storage: Storage) -> Mask:
    """Return for each node whether its CSINode says that the plugin is migrated."""
    on = (storage.node(name) for name in nodes.names())
    return np.array([node is not None and plugin.name in node.migrated for node in on], bool)


def _as_driver_sees(volume: PersistentVolume, plugin: Plugin, nodes: Nodes, texts: list[str]) -> Numbers:
    """Return for each node whether the CSI driver reaches the volume; add an error of translation to `texts`."""
    try:
        return np.where(within_reach(translated(volume, plugin), nodes), REACHED, BEYOND)
    except UntranslatableError as wrong:
        texts.append(f"could not translate pv: {wrong}")
        return np.full(len(nodes), UNTRANSLATED + len(texts) - 1, np.int64)


def _lacking(claims: Claims, nodes: Nodes, storage: Storage) -> Numbers:
    """Return for each node the code of the first waiting claim that gets no volume there, 0 for none."""
    found = np.zeros(len(nodes), np.int64)
    for claim in claims.begun():
        found[nodes.rows != nodes.table.row_of.get(claim.selected_node or "", -1)] = NONE_TO_BIND
    wanting = [(claim, np.ones(len(nodes), bool)) for claim in claims.begun()]
    wanting += [(each.claim, places == NO_VOLUME) for each, places in claims.matched(nodes)]
    for claim, wants in wanting:
        if (wants & (found == 0)).any():
            found = np.where(wants & (found == 0), unmade(claim, nodes, storage), found)
    return found


def _chosen(
    claims: Claims, nodes: Nodes, name: str
) -> tuple[list[PersistentVolume], list[PersistentVolumeClaim]]:  # fmt: skip
    """Return the volumes taken on the one node, with their claims, and the claims to be provisioned there."""
    taken, made = [], []
    for each, places in claims.matched(nodes):
        claim, place = each.claim, int(places[0])
        if place == NO_VOLUME:
            made.append(replace(claim, selected_node=name))
            continue
        volume, reference = each.volumes[place], ClaimReference(claim.namespace, claim.name, claim.uid)
        if volume.claim != reference:
            taken.append(replace(volume, claim=reference))
    return taken, made


def rated(claims: Claims, shape: tuple[tuple[int, int], ...], nodes: Nodes, storage: Storage) -> Numbers:
    """Return for each node the mean score of the storage classes: of the volumes taken there, else of the capacities."""
    found = claims.matched(nodes)
    if not found and not claims.begun():
        return np.zeros(len(nodes), np.int64)
    volumes, capacities = Uses(nodes), Uses(nodes)
    for each, places in found:
        for place, volume in enumerate(each.volumes):
            volumes.add(volume.storage_class, each.claim.request, volume.capacity, places == place)
    wanting = [(claim, np.ones(len(nodes), bool)) for claim in claims.begun()]
    for claim, wants in wanting + [(each.claim, places == NO_VOLUME) for each, places in found]:
        for capacity, there in room_for(claim, nodes, storage):
            capacities.put(claim.storage_class or "", claim.request, capacity, there & wants)
    return np.where(volumes.any(), volumes.mean(shape), capacities.mean(shape))


class Uses:
    """Amounts requested and capacities on each node, by storage class."""

    def __init__(self, nodes: Nodes) -> None:
        self._size = len(nodes)
        self._of: dict[str, tuple[Mask, Numbers, Numbers]] = {}

    def _class(self, name: str) -> tuple[Mask, Numbers, Numbers]:
        empty = np.zeros(self._size, bool), np.zeros(self._size, np.int64), np.zeros(self._size, np.int64)
        return self._of.setdefault(name, empty)

    def add(self, name: str, requested: int, capacity: int, there: Mask) -> None:
        """Add an amount requested of a capacity, to both sums."""
        known, asked, room = self._class(name)
        known |= there
        asked += there * requested
        room += there * capacity

    def put(self, name: str, requested: int, capacity: int, there: Mask) -> None:
        """Add an amount requested of the one capacity of the class."""
        known, asked, room = self._class(name)
        known |= there
        asked += there * requested
        room[there] = capacity

    def any(self) -> Mask:
        """Return for each node whether there is a class."""
        found = np.zeros(self._size, bool)
        for known, _, _ in self._of.values():
            found |= known
        return found

    def mean(self, shape: tuple[tuple[int, int], ...]) -> Numbers:
        """Return for each node the mean of the scores, rounded; 0 without any class."""
        total, number = np.zeros(self._size, np.int64), np.zeros(self._size, np.int64)
        for known, asked, room in self._of.values():
            full = (room == 0) | (asked > room)
            scores = by_shape(shape, np.where(full, 1, asked), np.where(full, 1, room))
            total += known * scores
            number += known
        return np.floor(total / np.maximum(number, 1) + 0.5).astype(np.int64)
