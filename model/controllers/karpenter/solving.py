"""The scheduling simulation: `solved` places pods on nodes, on nodes in flight and on nodes that are to come.

Karpenter 1.15: pkg/controllers/provisioning/scheduling/scheduler.go, Solve, and queue.go.
Differs: pods of equal requests and equal age are taken by their uid, and by their name if they have none. A pod that is
created again counts as old as the one in the input.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from schedcheck.model.controllers.karpenter.asking import Asking, amounts, asking, relaxed
from schedcheck.model.controllers.karpenter.choosing import Choices
from schedcheck.model.controllers.karpenter.domains import in_flight
from schedcheck.model.controllers.karpenter.hosts import ExistingNode, NewClaim, left, template
from schedcheck.model.controllers.karpenter.requirements import Requirements
from schedcheck.model.controllers.karpenter.topology import Topology
from schedcheck.model.provisioning import HOSTNAME, NODES, InstanceType, Karpenter, Pool
from schedcheck.spec.objects import Node, Pod, Snapshot


class Claim(NamedTuple):
    """A node that is to come: its pool, its instance types, what it must have, and its pods."""

    pool: Pool
    types: tuple[InstanceType, ...]
    requirements: Requirements
    pods: tuple[Pod, ...]


class Solution(NamedTuple):
    """The result of a simulation."""

    claims: tuple[Claim, ...]
    placed: tuple[tuple[Node, tuple[Pod, ...]], ...]
    """The existing nodes that take pods, in the order in which they are tried."""
    failed: tuple[Pod, ...]
    """The pods without a place."""


class Solving:
    """A simulation: the nodes that it sees, the pods that it places, and what is left of the pools' limits."""

    def __init__(
        self, given: Karpenter, snapshot: Snapshot, nodes: Iterable[Node], pods: Iterable[Pod], choices: Choices
    ) -> None:
        self._given, self._choices = given, choices
        self._tolerate = any(taint.effect == "PreferNoSchedule" for pool in given.pools for taint in pool.taints)
        self._queue = sorted((asking(pod) for pod in pods), key=self._rank)
        ordered = sorted(nodes, key=lambda node: (in_flight(node), node.name))
        self._topology = Topology(given, snapshot, ordered, self._queue, choices)
        for asked in self._queue:
            self._topology.update(asked)
        self._existing = [ExistingNode(node, snapshot, given, self._topology) for node in ordered]
        self._claims: list[NewClaim] = []
        self._types = {pool.name: left(given.types, template(pool), {}, given) for pool in given.pools}
        self._limits = {pool.name: _remaining(pool, given, ordered) for pool in given.pools}
        self._tried = 0

    def run(self) -> Solution:
        """Place the pods one after the other, and try those without a place again while others find one."""
        queue, last, failed = list(self._queue), dict[tuple[str, str], int](), dict[tuple[str, str], Pod]()
        while queue and last.get(queue[0].pod.key) != len(queue):
            asked = queue.pop(0)
            if self._placed(asked):
                failed.pop(asked.pod.key, None)
                continue
            failed[asked.pod.key] = asked.pod
            self._topology.update(asked)
            queue.append(asked)
            last[asked.pod.key] = len(queue)
        claims = tuple(
            Claim(
                each.pool,
                each.types,
                {key: values for key, values in each.requirements.items() if key != HOSTNAME},
                tuple(each.pods),
            )
            for each in self._claims
        )
        placed = tuple((each.node, tuple(each.pods)) for each in self._existing if each.pods)
        return Solution(claims, placed, tuple(failed[key] for key in sorted(failed)))

    def _rank(self, asked: Asking) -> tuple[int, int, str, str, tuple[str, str]]:
        """Return the place in the queue: more cpu, more memory, older. Karpenter: byCPUAndMemoryDescending."""
        wanted, facts = amounts(asked.pod), self._given.of(asked.pod)
        return -wanted.get("cpu", 0), -wanted.get("memory", 0), facts.created, facts.uid, asked.pod.key

    def _placed(self, asked: Asking) -> bool:
        """Whether a pod finds a place, if need be without its preferences. Karpenter: trySchedule."""
        while not self._added(asked):
            fewer = relaxed(asked, self._tolerate)
            if fewer is None:
                return False
            asked = fewer
            self._topology.update(asked)
        return True

    def _added(self, asked: Asking) -> bool:
        """Whether an existing node, then a claim, then a new claim takes a pod. Karpenter: add."""
        if any(each.takes(asked, self._choices) for each in self._existing):
            return True
        self._claims.sort(key=lambda each: len(each.pods))
        return any(each.takes(asked, self._choices) for each in self._claims) or self._claimed(asked)

    def _claimed(self, asked: Asking) -> bool:
        """Whether a new node would take a pod, of the first pool that can have one. Karpenter: addToNewNodeClaim."""
        for pool in self._given.pools:
            limits = self._limits[pool.name]
            types = tuple(each for each in self._types[pool.name] if _within(each, limits))
            self._tried += 1
            claim = NewClaim(pool, types, f"new {self._tried}", self._given, self._topology)
            if limits.get(NODES) != 0 and types and claim.takes(asked, self._choices):
                self._claims.append(claim)
                for name in limits:
                    limits[name] -= max(each.capacity.get(name, 0) for each in claim.types)
                return True
        return False


def solved(
    given: Karpenter, snapshot: Snapshot, nodes: Iterable[Node], pods: Iterable[Pod], choices: Choices
) -> Solution:
    """Return where pods find places on these nodes of the snapshot and on new ones."""
    return Solving(given, snapshot, nodes, pods, choices).run()


def usage(pool: Pool, given: Karpenter, nodes: Iterable[Node]) -> dict[str, int]:
    """Return what the nodes of a pool among these have in all, with their number."""
    made: dict[str, int] = {}
    for node in nodes:
        if given.pool_of(node) is pool:
            for name, number in {**(node.capacity or node.allocatable), NODES: 1}.items():
                made[name] = made.get(name, 0) + number
    return made


def _remaining(pool: Pool, given: Karpenter, nodes: Iterable[Node]) -> dict[str, int]:
    """Return what is left of the limits of a pool. Karpenter: calculateExistingNodeClaims."""
    there = usage(pool, given, nodes)
    return {name: number - there.get(name, 0) for name, number in (pool.limits or {}).items()}


def _within(each: InstanceType, limits: Mapping[str, int]) -> bool:
    """Whether an instance type exceeds no limit. A node counts no "nodes" here. Karpenter: filterByRemainingResources."""
    return all(each.capacity.get(name, 0) <= number for name, number in limits.items())
