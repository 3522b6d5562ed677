"""An in-memory API server with a scheduler that watches it, for tests: `ApiServer`, `started`."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from schedcheck.model.production.cycle.delivery import Delivery
from schedcheck.model.production.cycle.scheduler import Binding, Scheduler
from schedcheck.model.production.framework.handle import ClientError
from schedcheck.model.production.framework.registry import Registry
from schedcheck.model.production.plugins.default_registry import default_registry
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.objects import Node, Pod


@dataclass
class ApiServer:
    """The objects, the recorded calls, and the changes that are not yet delivered to the scheduler.

    `failing` names the calls that fail, `lost` those that succeed although their answer is an error. With `graceful` an
    evicted pod keeps running until it is deleted again.
    """

    pods: dict[tuple[str, str], Pod] = field(default_factory=dict)
    nodes: dict[str, Node] = field(default_factory=dict)
    changes: deque[tuple[str, Any, Any]] = field(default_factory=deque)
    calls: list[tuple[str, str, str]] = field(default_factory=list)
    told: list[tuple[str, str, str]] = field(default_factory=list)
    failing: set[str] = field(default_factory=set)
    lost: set[str] = field(default_factory=set)
    graceful: bool = False
    now: float = 0.0

    def put(self, thing: Pod | Node) -> None:
        """Create or change an object."""
        if isinstance(thing, Node):
            self.changes.append(("node", self.nodes.get(thing.name), thing))
            self.nodes[thing.name] = thing
        else:
            self.changes.append(("pod", self.pods.get(thing.key), thing))
            self.pods[thing.key] = thing

    def delete(self, thing: Pod | Node) -> None:
        """Delete an object."""
        if isinstance(thing, Node):
            self.changes.append(("node", self.nodes.pop(thing.name), None))
        else:
            self.changes.append(("pod", self.pods.pop(thing.key), None))

    def pod(self, name: str) -> Pod:
        return self.pods["default", name]

    def _called(self, verb: str, pod: Pod, what: str) -> None:
        self.calls.append((verb, pod.name, what))
        if verb in self.failing or pod.key not in self.pods:
            raise ClientError(f"{verb} failed")

    def bind(self, pod: Pod, node: str) -> None:
        self._called("bind", pod, node)
        self.put(replace(self.pods[pod.key], node_name=node))
        if "bind" in self.lost:
            raise ClientError("bind timed out")

    def nominate(self, pod: Pod, node: str) -> None:
        self._called("nominate", pod, node)
        self.put(replace(self.pods[pod.key], nominated_node_name=node))

    def evict(self, pod: Pod, preemptor: Pod) -> None:
        self._called("evict", pod, preemptor.name)
        victim = self.pods[pod.key]
        if self.graceful:
            self.put(replace(victim, terminating=True, preempted=True))
        else:
            self.delete(victim)

    def record(self, pod: Pod, reason: str, message: str) -> None:
        self.told.append((pod.name, reason, message))


@dataclass
class Running:
    """A scheduler, its API server, and the binding cycles in progress."""

    server: ApiServer
    scheduler: Scheduler
    delivery: Delivery
    bindings: list[Binding] = field(default_factory=list)

    def deliver(self) -> None:
        """Deliver all changes to the scheduler."""
        while self.server.changes:
            kind, before, after = self.server.changes.popleft()
            (self.delivery.node if kind == "node" else self.delivery.pod)(before, after)

    def put(self, *things: Pod | Node) -> None:
        """Create or change objects, and deliver the changes."""
        for thing in things:
            self.server.put(thing)
        self.deliver()

    def delete(self, *things: Pod | Node) -> None:
        """Delete objects, and deliver the changes."""
        for thing in things:
            self.server.delete(thing)
        self.deliver()

    def cycle(self) -> Binding | None:
        """Run one scheduling cycle and nothing else."""
        binding = self.scheduler.schedule_one()
        if binding is not None:
            self.bindings.append(binding)
        return binding

    def step(self) -> None:
        """Run one scheduling cycle, then all asynchronous work."""
        self.cycle()
        self.settle()

    def settle(self) -> None:
        """Finish the bindings that can be finished, run the evictions, and deliver everything."""
        for binding in list(self.bindings):
            self.scheduler.finish(binding)
            if self.scheduler.handle.waiting.get(binding.pod) is None:
                self.bindings.remove(binding)
        self.scheduler.run_background()
        self.deliver()

    def wait(self, seconds: float) -> None:
        """Advance the clock."""
        self.server.now += seconds
        for waiting in self.scheduler.handle.waiting:
            waiting.expired(self.server.now)
        self.scheduler.queue.flush_backoff()
        self.scheduler.queue.flush_unschedulable()

    def place(self, name: str) -> list[str]:
        """The places of a pod in the queue."""
        return [place for key, place in self.scheduler.queue.places() if key == ("default", name)]


def started(
    *things: Pod | Node,
    registry: Registry | None = None,
    profiles: Sequence[Plugins] = (DEFAULT_PLUGINS,),
    **options: Any,
) -> Running:
    """Start a scheduler at time 0 to which these objects are delivered."""
    server = ApiServer()
    scheduler = Scheduler(
        registry or default_registry(), profiles, server, lambda: server.now, recorder=server.record, **options
    )
    running = Running(server, scheduler, Delivery(scheduler))
    running.put(*things)
    return running
