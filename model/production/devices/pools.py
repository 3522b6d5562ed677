"""The resource pools that nodes see: `Inventory`, which groups slices once for all nodes of a cycle.

Kubernetes 1.37: k8s.io/dynamic-resource-allocation/structured/internal/incubating/pools_incubating.go.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from schedcheck.model.production.devices.features import Features
from schedcheck.model.production.snapshot.labels import Mask
from schedcheck.model.production.snapshot.node_affinity import matching
from schedcheck.model.production.snapshot.snapshot import Nodes
from schedcheck.spec.device_objects import Device, Place, ResourceSlice

PoolKey = tuple[str, str]
DeviceKey = tuple[str, str, str]


@dataclass
class Candidate:
    """A device that may be allocated, with its slice."""

    key: DeviceKey
    device: Device
    slice: ResourceSlice


@dataclass
class NodePool:
    """A pool as one node sees it; `problem` says why it is invalid."""

    key: PoolKey
    incomplete: bool
    problem: str = ""
    candidates: list[Candidate] = field(default_factory=list)
    siblings: list[Candidate] = field(default_factory=list)
    """The devices of every slice of the pool, for the counters that they consume."""
    counters: dict[tuple[str, str], int] = field(default_factory=dict)


class Inventory:
    """The slices by pool, and for which of `nodes` each slice and each device is."""

    def __init__(self, slices: Iterable[ResourceSlice], nodes: Nodes, features: Features) -> None:
        self._nodes, self._features = nodes, features
        self._names = list(nodes.names())
        self._by_pool: dict[PoolKey, list[ResourceSlice]] = {}
        for each in sorted(slices, key=lambda each: each.name):
            self._by_pool.setdefault((each.driver, each.pool), []).append(each)
        self._masks: dict[Place, Mask] = {}

    def reaches(self, place: Place, where: int) -> bool:
        """Whether devices in the place are accessible from the node at this index."""
        mask = self._masks.get(place)
        if mask is None:
            mask = self._masks[place] = self._mask(place)
        return bool(mask[where])

    def _mask(self, place: Place) -> Mask:
        if place.node_name:
            return np.array([name == place.node_name for name in self._names], bool)
        found = np.full(len(self._names), place.all_nodes)
        if not place.all_nodes:
            for term in place.terms or ():
                found |= matching(term, self._nodes)
        return found

    def _concerns(self, each: ResourceSlice, where: int) -> bool:
        partitioned = each.per_device is not None or (self._features.counters_need_gate and each.counters)
        if partitioned and not self._features.partitionable:
            return False
        if each.place != Place():
            return self.reaches(each.place, where)
        return bool(each.per_device) and any(self.reaches(device.place, where) for device in each.devices)

    def pools(self, where: int) -> list[NodePool]:
        """Return the pools of the node at this index, in the order in which they are searched."""
        found = (self._pool(key, slices, where) for key, slices in sorted(self._by_pool.items()))
        return [pool for pool in found if pool is not None]

    def _pool(self, key: PoolKey, slices: list[ResourceSlice], where: int) -> NodePool | None:
        near = [each for each in slices if self._concerns(each, where)]
        if not near:
            return None
        newest = max(each.generation for each in near)
        near = [each for each in near if each.generation == newest]
        every, wanted = near, near[0].slices
        if self._features.strict_pools and len(near) != wanted:
            if max(each.generation for each in slices) > newest:
                return None
            every = [each for each in slices if each.generation == newest]
        pool = NodePool(key, incomplete=len(every) != wanted)
        if pool.incomplete and self._features.strict_pools:
            return pool
        pool.candidates = _candidates(near)
        pool.problem = self._problem(near, every)
        if pool.problem:
            pool.candidates = []
            return pool
        pool.siblings = _candidates(every)
        pool.counters = {
            (name, counter): amount
            for each in every
            for name, amounts in each.counters
            for counter, amount in amounts.items()
        }
        return pool

    def _problem(self, near: list[ResourceSlice], every: list[ResourceSlice]) -> str:
        seen: set[str] = set()
        for device in (device for each in near for device in each.devices):
            if device.name in seen:
                return f"duplicate device name {device.name}"
            seen.add(device.name)
        if not self._features.partitionable:
            return ""
        sets = {name: amounts for each in every for name, amounts in each.counters}
        count = Counter(name for each in every for name, _ in each.counters)
        for name in count:
            if count[name] > 1:
                return f"duplicate counter set name {name}"
        for device in (device for each in every for device in each.devices):
            for name, amounts in device.consumes:
                if name not in sets:
                    return f"counter set {name} not found"
                for counter in sorted(amounts):
                    if counter not in sets[name]:
                        return f"counter {counter} not found in counter set {name}"
        return ""


def _candidates(slices: list[ResourceSlice]) -> list[Candidate]:
    return [
        Candidate((each.driver, each.pool, device.name), device, each) for each in slices for device in each.devices
    ]
