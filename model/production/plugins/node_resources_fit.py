"""The plugin NodeResourcesFit: a node must have the resources left that a pod requests.

Kubernetes 1.34: pkg/scheduler/framework/plugins/noderesources/fit.go.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from schedcheck.model.production.framework.cycle_state import CycleState, NotFoundError
from schedcheck.model.production.framework.events import Action, ClusterEvent, EventOfInterest, Resource
from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.status import SUCCESS, Status
from schedcheck.model.production.framework.verdicts import REFUSED, UNRESOLVED, Verdicts, failing, passing
from schedcheck.model.production.plugins.resource_scores import scored
from schedcheck.model.production.snapshot.labels import Numbers
from schedcheck.model.production.snapshot.node_table import IN_ORDER, word
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.requests import NATIVE, PODS, counted, occupied
from schedcheck.model.production.snapshot.row_memory import RowMemory
from schedcheck.model.production.snapshot.snapshot import Nodes, Snapshot
from schedcheck.spec.kubernetes.plugins import Arguments
from schedcheck.spec.objects import Node, Pod

KEY = "PreFilterNodeResourcesFit"


class NodeResourcesFit:
    """A plugin that rejects nodes with too little left, and scores nodes by what would be left or used."""

    name = "NodeResourcesFit"

    def __init__(self, arguments: Arguments, handle: Handle) -> None:
        self._strategy = arguments.scoring_strategy
        self._ignored = arguments.ignored_resources
        self._ignored_groups = arguments.ignored_groups
        self._departures = handle.departures
        self._memory = RowMemory()
        self._lacking = RowMemory()

    def pre_filter(self, state: CycleState, pod: PodInfo, snapshot: Snapshot) -> tuple[Status, frozenset[str] | None]:
        """Record the requests in the order in which shortages are reported. Never skip: each pod takes a place."""
        requests = {name: pod.requests[name] for name in _in_order(pod) if not self._is_ignored(name)}
        state.write(KEY, requests)
        return SUCCESS, None

    def filter(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Verdicts:
        """Reject nodes that are short of a resource; as unresolvable if the empty node would be short too."""
        try:
            requests = state.read(KEY, dict)
        except NotFoundError:
            return failing(nodes, f'error reading "{KEY}" from cycleState: not found')
        said = self._lacking.of(tuple(requests.items()), nodes, lambda some: shortages(requests, some))
        if not said.any():
            return passing(nodes)
        texts = ("Too many pods", *(f"Insufficient {resource}" for resource in requests))
        short = np.abs(said)
        codes = (np.where(said < 0, UNRESOLVED, REFUSED) * (said != 0)).astype(np.int8)
        return Verdicts(codes, short, lambda reason: tuple(t for bit, t in enumerate(texts) if reason >> bit & 1))

    def ceilings(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> tuple[list[int], Numbers]:
        """Return what the pods on each node may take if the pod is to fit beside them; one place is the pod's own."""
        table = nodes.table
        asked = {PODS: 1, **state.read(KEY, dict)}
        columns = [table.resource(resource) for resource in asked]
        return columns, nodes.allocatable_of(columns) - np.array([word(amount) for amount in asked.values()])

    def pre_score(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Status:
        """Return a success."""
        return SUCCESS

    def score(self, state: CycleState, pod: PodInfo, nodes: Nodes) -> Numbers:
        """Return the scores of the strategy.

        Pod-level requests of the incoming pod are ignored, as in kube-scheduler 1.34.
        """
        asked = pod.rated_requests
        return self._memory.of(frozenset(asked.items()), nodes, lambda some: scored(self._strategy, asked, some))

    def events(self) -> Sequence[EventOfInterest]:
        """Return the events of interest: pods deleted or scaled down; nodes added or with changed allocatable."""
        node = ClusterEvent(Resource.NODE, Action.ADD | Action.UPDATE_NODE_ALLOCATABLE)
        pod = ClusterEvent(Resource.POD, Action.UPDATE_POD_SCALE_DOWN)
        return (
            EventOfInterest(ClusterEvent(Resource.ASSIGNED_POD, Action.DELETE), was_somewhere),
            EventOfInterest(pod, self.is_smaller),
            EventOfInterest(node, self.may_fit),
        )

    def is_smaller(self, pod: Pod, before: Pod, after: Pod) -> bool:
        """Whether the scaled-down pod is this one, or is bound and now takes less of a resource that this one requests."""
        if pod.key == after.key:
            return True
        if not after.node_name:
            return False
        was, now = (occupied(each, self._departures) for each in (before, after))
        wanted = PodInfo(pod).requests
        return any(amount > 0 and was.get(name, 0) > now.get(name, 0) for name, amount in wanted.items())

    def may_fit(self, pod: Pod, before: Node | None, after: Node) -> bool:
        """Whether the pod fits on the empty node, and the node has more than before of a requested resource."""
        info = PodInfo(pod)
        asked = {name: amount for name, amount in info.requests.items() if amount and not self._is_ignored(name)}
        now = after.allocatable
        if any(now.get(name, 0) < amount for name, amount in asked.items()) or now.get(PODS, 0) < 1:
            return False
        if before is None:
            return True
        return any(now[name] > before.allocatable.get(name, 0) for name in (*asked, PODS))

    def _is_ignored(self, resource: str) -> bool:
        """Whether the arguments exclude this resource; cpu, memory, ephemeral-storage and pods are never excluded."""
        group = resource.split("/", maxsplit=1)[0]
        return resource not in NATIVE and (resource in self._ignored or group in self._ignored_groups)


def shortages(requests: Mapping[str, int], nodes: Nodes) -> Numbers:
    """Return for each node a bit for each shortage, the lowest for places; negative if the empty node is short too."""
    asked = {PODS: 1, **requests}
    columns = [nodes.table.resource(resource) for resource in asked]
    amounts, room = np.array([word(amount) for amount in asked.values()]), nodes.allocatable_of(columns)
    lacking = amounts > room - nodes.requested_of(columns)
    short: Numbers = lacking @ (1 << np.arange(len(asked)))
    hopeless = (lacking & (amounts > room))[:, 1:].any(axis=1)
    return np.where(hopeless, -short, short)


def _in_order(pod: PodInfo) -> Iterator[str]:
    """Yield the resources that the pod requests, in the order in which shortages are reported."""
    names = sorted(name for name, amount in pod.requests.items() if amount > 0 and name != PODS and counted(name))
    yield from (name for name in IN_ORDER if name in names)
    yield from (name for name in names if name not in IN_ORDER)


def was_somewhere(pod: Pod, before: Pod, after: Any) -> bool:
    """Whether the deleted pod was bound or nominated to a node."""
    return before.node_name != "" or before.nominated_node_name != ""
