"""The plugin DynamicResources: it allocates devices to the resource claims of a pod.

Not modelled: writing allocations to the API server. An allocation is assumed when the pod is reserved. Without any
object of dynamic resource allocation a pod with claims is rejected as not modelled, and so is always a pod that requests
an extended resource of a device class.

Kubernetes 1.37: pkg/scheduler/framework/plugins/dynamicresources.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from schedcheck.model.production.devices.allocator import AllocationError, Allocator, NodeError
from schedcheck.model.production.devices.features import features
from schedcheck.model.production.devices.pools import DeviceKey, Inventory
from schedcheck.model.production.framework.cycle_state import CycleState, NotFoundError
from schedcheck.model.production.framework.events import EventOfInterest
from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.plugin import PostFilterResult
from schedcheck.model.production.framework.status import SKIP, SUCCESS, Status, error, unresolvable, unschedulable
from schedcheck.model.production.framework.verdicts import FAILED, PASSED, UNRESOLVED, NodeStatuses, Verdicts, failing
from schedcheck.model.production.plugins.normalizing import proportional
from schedcheck.model.production.snapshot.labels import Numbers
from schedcheck.model.production.snapshot.node_affinity import matching
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Nodes, Snapshot
from schedcheck.spec.device_objects import (
    MOST_ALTERNATIVES,
    NO_DEVICES,
    Allocation,
    Consumer,
    Devices,
    PodClaim,
    ResourceClaim,
)
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.plugins import Arguments
from schedcheck.spec.objects import Pod

UNPREPARED = "not found"
IMPLICIT = "deviceclass.resource.kubernetes.io/"
"""What begins the name of the extended resource that every device class backs."""


class WaitingForClaims(Exception):
    """A claim of a pod that cannot be used yet; the message says why."""


@dataclass
class Progress:
    """What the plugin knows of a pod in one cycle: its claims, allocations by node, and unavailable claims."""

    claims: list[ResourceClaim] = field(default_factory=list)
    allocations: dict[str, list[Allocation]] = field(default_factory=dict)
    unavailable: set[int] = field(default_factory=set)

    def waiting(self) -> list[ResourceClaim]:
        """Return the claims that have to be allocated."""
        return [claim for claim in self.claims if claim.allocation is None]


class DynamicResources:
    """A plugin that rejects nodes on which the claims of a pod cannot be met."""

    name = "DynamicResources"

    def __init__(self, arguments: Arguments, handle: Handle) -> None:
        self._handle, self._departures = handle, handle.departures
        self._features = features(handle.departures)

    @property
    def _devices(self) -> Devices:
        return self._handle.listers.devices

    def _claims(self, pod: Pod) -> list[ResourceClaim]:
        """Return the claims of the pod. Raises: WaitingForClaims."""
        found = []
        for each in pod.resource_claims:
            name = self._name(pod, each)
            if name is None:
                continue
            claim = self._devices.claim(pod.namespace, name)
            if claim is None:
                raise WaitingForClaims(f'could not find ResourceClaim "{pod.namespace}/{name}"')
            if claim.terminating:
                raise WaitingForClaims(f'resourceclaim "{name}" is being deleted')
            if each.template and claim.owner_uid != each.pod_uid:
                who = "Pod" if self._features.long_owners else "pod"
                raise WaitingForClaims(
                    f"ResourceClaim {pod.namespace}/{name} was not created for {who} {pod.namespace}/{pod.name} "
                    f"({who} is not owner)"
                )
            found.append(claim)
        return found

    def _name(self, pod: Pod, each: PodClaim) -> str | None:
        """Return the name of the claim object, None if none is needed. Raises: WaitingForClaims."""
        whose = f'pod "{pod.namespace}/{pod.name}"'
        if each.template:
            if not each.generated:
                raise WaitingForClaims(f"{whose}: ResourceClaim not created yet")
            return each.claim or None
        if not each.claim:
            raise WaitingForClaims(f'{whose}, spec.resourceClaim "{each.name}": none of the supported fields are set')
        return each.claim

    def pre_enqueue(self, pod: Pod) -> Status:
        """Keep a pod out of the queue while a claim of it is missing."""
        if self._devices == NO_DEVICES or self._unread(pod):
            return SUCCESS
        try:
            self._claims(pod)
        except WaitingForClaims as why:
            return unresolvable(str(why))
        return SUCCESS

    def pre_filter(self, state: CycleState, pod: PodInfo, snapshot: Snapshot) -> tuple[Status, frozenset[str] | None]:
        """Record the claims; reject the pod if one is missing, or its class; skip without claims."""
        progress = Progress()
        state.write(self.name, progress)
        if not pod.pod.resource_claims and not self._devices.classes:
            return SKIP, None
        if pod.pod.resource_claims and self._devices == NO_DEVICES:
            return unresolvable("not modelled: resource claims"), None
        unread = self._unread(pod.pod)
        if unread:
            return unresolvable(f"no {unread} are given"), None
        backed = self._backed(pod.pod)
        if backed:
            return unresolvable(f"not modelled: the extended resource {backed} of a device class"), None
        try:
            claims = self._claims(pod.pod)
        except WaitingForClaims as why:
            return unresolvable(str(why)), None
        if not claims:
            return SKIP, None
        missing = self._without_class(claims)
        if missing:
            return unresolvable(missing), None
        progress.claims = claims
        return SUCCESS, None

    def _unread(self, pod: Pod) -> str:
        """Return the kind of objects, in the plural, that this scheduler has not been given and the pod depends on."""
        unread, waiting = self._devices.lacking, False
        for each in pod.resource_claims if unread else ():
            if "ResourceClaimTemplate" in unread and each.template and not each.generated:
                return "ResourceClaimTemplates"
            claim = self._devices.claim(pod.namespace, each.claim) if each.claim else None
            if "ResourceClaim" in unread and each.claim and claim is None:
                return "ResourceClaims"
            waiting |= claim is not None and claim.allocation is None
        kinds = {"DeviceClass": "DeviceClasses", "ResourceSlice": "ResourceSlices", "ResourceClaim": "ResourceClaims"}
        return next((plural for kind, plural in kinds.items() if waiting and kind in unread), "")

    def _backed(self, pod: Pod) -> str:
        """Return an extended resource that the pod requests and a device class backs; empty if there is none."""
        if not self._features.extended_resources:
            return ""
        names = {name for each in self._devices.classes for name in (each.extended_resource, IMPLICIT + each.name)}
        asked = {name for each in (*pod.init_containers, *pod.containers) for name in each.requests}
        return min(asked & names, default="")

    def _without_class(self, claims: Sequence[ResourceClaim]) -> str:
        for claim in claims:
            for request in claim.requests if claim.allocation is None else ():
                for name, part in request.parts:
                    if self._devices.device_class(part.device_class) is None:
                        return f"request {name}: device class {part.device_class} does not exist"
        return ""

    def _progress(self, state: CycleState) -> Progress | None:
        """Return what PreFilter of this plugin recorded in this cycle, None if it did not run."""
        try:
            return state.read(self.name, Progress)
        except NotFoundError:
            return None

    def filter(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Verdicts:
        """Reject nodes where a claim is not available, or devices cannot be allocated; fail if PreFilter did not run."""
        progress = self._progress(state)
        if progress is None:
            return failing(nodes, UNPREPARED)
        codes, numbers = np.full(len(nodes), PASSED, np.int8), np.zeros(len(nodes), np.int64)
        texts: list[str] = [""]
        if progress.claims:
            reached = [self._reached(claim, nodes) for claim in progress.claims]
            inventory = Inventory(self._devices.slices, nodes, self._features)
            in_use, shares = self._in_use()
            for where, node in enumerate(nodes.names()):
                code, text = self._on_node(progress, inventory, where, node, in_use, shares)
                gone = {place for place, mask in enumerate(reached) if not mask[where]}
                if code == PASSED and gone:
                    progress.unavailable |= gone
                    code, text = UNRESOLVED, "resourceclaim not available on the node"
                codes[where] = code
                if text not in texts:
                    texts.append(text)
                numbers[where] = texts.index(text)
        return Verdicts(codes, numbers, lambda number: (texts[number],))

    def _reached(self, claim: ResourceClaim, nodes: Nodes) -> np.ndarray:
        """Return for each node whether the claim, if it is allocated, can be used there."""
        if claim.allocation is None or claim.allocation.terms is None:
            return np.ones(len(nodes), bool)
        found = np.zeros(len(nodes), bool)
        for term in claim.allocation.terms:
            found |= matching(term, nodes)
        return found

    def _in_use(self) -> tuple[frozenset[DeviceKey], dict[DeviceKey, Counter[str]]]:
        """Return the devices that claims hold, and what they take of those that they share."""
        held: set[DeviceKey] = set()
        shares: dict[DeviceKey, Counter[str]] = {}
        for claim in self._devices.claims:
            for each in claim.allocation.results if claim.allocation is not None else ():
                if each.shared and self._features.consumable and not each.admin:
                    shares.setdefault(each.id, Counter()).update(each.consumed)
                elif not each.admin:
                    held.add(each.id)
        return frozenset(held), shares

    def _on_node(
        self,
        progress: Progress,
        inventory: Inventory,
        where: int,
        node: str,
        in_use: frozenset[DeviceKey],
        shares: dict[DeviceKey, Counter[str]],
    ) -> tuple[int, str]:
        """Allocate devices on the node, and return a code and a reason."""
        waiting = progress.waiting()
        if not waiting:
            return PASSED, ""
        classes = {each.name: each for each in self._devices.classes}
        try:
            found = Allocator(inventory, where, node, classes, waiting, in_use, self._features, shares).allocate()
        except AllocationError as problem:
            return FAILED, str(problem)
        except NodeError as problem:
            return UNRESOLVED, str(problem)
        if found is None:
            return UNRESOLVED, "cannot allocate all claims"
        progress.allocations[node] = found
        return PASSED, ""

    def post_filter(
        self, state: CycleState, pod: PodInfo, statuses: NodeStatuses
    ) -> tuple[PostFilterResult | None, Status]:
        """Deallocate an unavailable claim that is reserved for no other pod; fail if PreFilter did not run."""
        progress = self._progress(state)
        if progress is None:
            return None, error(UNPREPARED)
        mentioned = Departure.IDLE_CLAIMS_MENTIONED in self._departures
        if not progress.claims:
            return None, unschedulable("no new claims to deallocate") if mentioned else unschedulable()
        for place in sorted(progress.unavailable):
            claim = progress.claims[place]
            if not claim.reserved_for or [each.uid for each in claim.reserved_for] == [_uid(pod.pod)]:
                self._put(replace(claim, allocation=None, reserved_for=()))
                return None, unschedulable("deallocation of ResourceClaim completed")
        return None, unschedulable("still not schedulable") if mentioned else unschedulable()

    def normalize(self, state: CycleState, pod: PodInfo, nodes: Nodes, scores: Numbers) -> Numbers:
        """Map the highest score to 100."""
        return proportional(scores, reverse=False)

    def score(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Numbers | Status:
        """Return how early the alternatives are that the claims got; an error if PreFilter did not run."""
        scores = np.zeros(len(nodes), np.int64)
        if Departure.CLAIMS_UNRATED in self._departures:
            return scores
        progress = self._progress(state)
        if progress is None:
            return error(UNPREPARED)
        for where, node in enumerate(nodes.names() if progress.allocations else ()):
            if node in progress.allocations:
                scores[where] = _rated(progress.claims, progress.allocations[node])
        return scores

    def reserve(self, state: CycleState, pod: Pod, node: str) -> Status:
        """Assume the allocations of the claims on the node."""
        progress = self._progress(state)
        if progress is None or not progress.waiting():
            return SUCCESS
        made = progress.allocations.get(node)
        if made is None:
            return error("claim allocation not found for node")
        for claim, allocation in zip(progress.waiting(), made, strict=True):
            self._put(replace(claim, allocation=allocation))
        return SUCCESS

    def unreserve(self, state: CycleState, pod: Pod, node: str) -> None:
        """Forget the allocations, and the reservations for the pod."""
        progress = self._progress(state)
        for claim in progress.claims if progress is not None else ():
            self._put(claim)

    def pre_bind(self, state: CycleState, pod: Pod, node: str) -> Status:
        """Reserve the claims for the pod."""
        progress = self._progress(state)
        for claim in progress.claims if progress is not None else ():
            now = self._devices.claim(*claim.key)
            if now is not None and all(each.uid != _uid(pod) for each in now.reserved_for):
                self._put(replace(now, reserved_for=(*now.reserved_for, Consumer(pod.name, _uid(pod)))))
        return SUCCESS

    def _put(self, claim: ResourceClaim) -> None:
        """Replace the claim of this name in the devices that this scheduler knows."""
        listers = self._handle.listers
        claims = tuple(claim if each.key == claim.key else each for each in listers.devices.claims)
        listers.devices = replace(listers.devices, claims=claims)

    def events(self) -> Sequence[EventOfInterest]:
        """Return no event: changes of claims and slices are not delivered."""
        return ()


def _uid(pod: Pod) -> str:
    return next((each.pod_uid for each in pod.resource_claims), "")


def _rated(claims: Sequence[ResourceClaim], made: Sequence[Allocation]) -> int:
    """Return 8 less the place of the alternative, summed over the requests that got one."""
    left, total = list(made), 0
    for claim in claims:
        allocation = claim.allocation if claim.allocation is not None else left.pop(0)
        got = {each.request for each in allocation.results}
        for request in claim.requests:
            for place, (name, _) in enumerate(request.parts if request.alternatives else ()):
                if name in got:
                    total += MOST_ALTERNATIVES - place
    return total
