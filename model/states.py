"""The states of a scenario's machine: `State`, `Slots`, `Kept`, and what changes them: `put`, `spent`, `used_up`.

A state holds a slot for each pod and each node of the scenario; None means that the object is absent. It also holds
the remaining uses of each bounded rule; each event also uses the rules `any`. What never changes stays in the scenario.
"""

from collections.abc import Hashable
from typing import Any, NamedTuple, TypeVar

from schedcheck.model.autoscaling import Scaling
from schedcheck.model.claiming import claim_text
from schedcheck.model.controllers import (
    Act,
)
from schedcheck.model.controllers.descheduler import Cycle
from schedcheck.model.controllers.node_shutdown import Shutdown
from schedcheck.model.environment import Event
from schedcheck.model.jobs import Counts
from schedcheck.model.nominations import (
    ToEvict,
)
from schedcheck.model.provisioning import Progress
from schedcheck.model.rollouts import Revisions, Scales
from schedcheck.spec.decisions import Decision
from schedcheck.spec.device_objects import ResourceClaim
from schedcheck.spec.objects import Node, Pod

Action = Event | Act | Decision
Counters = tuple[int, ...]
Thing = TypeVar("Thing", bound=Hashable)


class State(NamedTuple):
    """Slots of pods and nodes, remaining uses of bounded rules, disruptions that budgets allow, due evictions, scales, claims.

    And the cycle of the descheduler that is under way, what autoscalers change, what Karpenter keeps, the nodes that shut down,
    the workloads that events have changed, and the pods of Jobs that have ended.
    """

    pods: tuple[Pod | None, ...]
    nodes: tuple[Node | None, ...]
    left: tuple[int, ...] = ()
    allowed: tuple[int, ...] = ()
    to_evict: ToEvict = ()
    scales: tuple[Scales, ...] = ()
    claims: tuple[ResourceClaim, ...] = ()
    cycle: Cycle | None = None
    scalings: tuple[Scaling, ...] = ()
    progress: Progress | None = None
    shutdowns: tuple[Shutdown, ...] = ()
    revisions: Revisions | None = None
    jobs: tuple[Counts, ...] = ()

    def __repr__(self) -> str:
        """Return a text of everything that may change; it distinguishes and orders the states of one scenario."""
        pods = (
            "-"
            if pod is None
            else f"{pod}{pod.uid}@{pod.node_name}:{pod.phase}{pod.terminating:d}{pod.preempted:d}{pod.nominated_node_name}"
            f"{pod.waits_on and f'~{pod.waits_on}'}{f'*{pod.restarts}' if any(pod.restarts) else ''}"
            for pod in self.pods
        )
        nodes = (
            "-"
            if node is None
            else f"{node}:{node.ready}:{node.unschedulable}:{','.join(map(str, node.taints))}:{dict(node.labels)}"
            for node in self.nodes
        )
        numbered = (self.left, self.allowed, self.to_evict, *((self.scales,) if self.scales else ()))
        counts = " | ".join(" ".join(map(str, numbers)) for numbers in numbered)
        claims = "".join(f" | {claim_text(each)}" for each in self.claims)
        cycle = "" if self.cycle is None else f" | {self.cycle}"
        scalings = "".join(f" | {' '.join(map(str, each))}" for each in self.scalings)
        progress = "" if self.progress is None else f" | {tuple(self.progress)}"
        shutdowns = "".join(f" | {each}" for each in self.shutdowns)
        revisions = "" if self.revisions is None else f" | {tuple(self.revisions)}"
        jobs = "".join(f" | {each.succeeded} succeeded, {each.failed} failed" for each in self.jobs)
        beside = f"{claims}{cycle}{scalings}{progress}{shutdowns}{revisions}{jobs}"
        return f"State({' '.join(pods)} | {' '.join(nodes)} | {counts}{beside})"


class Kept:
    """What is kept for all machines of one scenario that differ in the bounds of rules alone.

    - `steps`: what the controllers, the victims and the scheduler may do next in a state without its counters.
    - `objects`: the one copy of each object and of each such state.
    """

    def __init__(self) -> None:
        self.steps: dict[State, tuple[tuple[Action, State], ...]] = {}
        self.objects: dict[Hashable, Any] = {}


class Slots(tuple[Thing, ...]):
    """Slots that compute their hash once: a state is looked up from each of its predecessors."""

    _hash: int | None = None

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = super().__hash__()
        return self._hash

    def __reduce__(self) -> tuple[type, tuple[tuple[Thing, ...]]]:
        """Return the slots alone: another process hashes strings differently."""
        return Slots, (tuple(self),)


def put(slots: tuple[Thing, ...], slot: int, thing: Thing) -> tuple[Thing, ...]:
    """Return `slots` with `thing` in one of them."""
    return Slots((*slots[:slot], thing, *slots[slot + 1 :]))


def used_up(left: tuple[int, ...], counters: Counters) -> bool:
    """Whether one of these counters has reached zero."""
    return counters != () and any(not left[each] for each in counters)


def spent(left: tuple[int, ...], counters: Counters) -> tuple[int, ...]:
    """Return `left` after one more use of these counters."""
    for each in counters:
        left = put(left, each, left[each] - 1)
    return left
