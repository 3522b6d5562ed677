"""Random pods that are activated while they and others are queued or in flight, beside an account of their places: `activations`

A pod that is activated in flight is tried again after its backoff, should it be rejected, and nobody else in flight is. Whoever waits is active at
once, unless a gate holds it.
"""

from collections.abc import Callable

from schedcheck.checker.differential.standing import informed
from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.model.production.cycle.scheduler import Attempt, Binding
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Pod, Snapshot
from tests.support.building import node, pod

Key = tuple[str, str]
ACTIVE, BACKING_OFF, UNSCHEDULABLE, IN_FLIGHT = "active", "backing off", "unschedulable", "in flight"
LARGE = 9
"""More cpus than any node has."""


def _pods(chance: Chance) -> list[Pod]:
    """Return pods of which most fit on no node, and some have a gate."""

    def one(name: str) -> Pod:
        return pod(
            name,
            chance.one(1, LARGE, LARGE, LARGE),
            node_selector={"disk": "ssd"} if chance.often(0.2) else {},
            scheduling_gates=("wait",) if chance.often(0.15) else (),
        )

    return [one(f"p{number}") for number in range(chance.one(2, 3, 3, 4))]


class Activations:
    """A scheduler with some attempts at once, and the account of the place of each pod.

    Kubernetes 1.37: Activate and determineSchedulingHintForInFlightPod in pkg/scheduler/backend/queue/scheduling_queue.go, popBackoff in
    backoff_queue.go.
    """

    def __init__(self, chance: Chance) -> None:
        self.chance, self.now, self.pods = chance, 0.0, _pods(chance)
        there = Snapshot.of(self.pods, [node(name, 4) for name in ("n1", "n2")[: chance.one(1, 2)]])
        self.scheduler = informed(self.pods, there, (DEFAULT_PLUGINS,), clock=lambda: self.now)
        self.place = {each.key: UNSCHEDULABLE if each.scheduling_gates else ACTIVE for each in self.pods}
        self.attempts: list[Attempt] = []
        self.bindings: list[Binding] = []
        self.activated: set[Key] = set()
        """The pods that were activated since they were popped."""

    def begins(self) -> None:
        """The next pod is popped, and its cycle decides about it."""
        attempt = self.scheduler.decide()
        first = {key for key, place in self.place.items() if place == ACTIVE}
        first = first or {key for key, place in self.place.items() if place == BACKING_OFF}
        if attempt is None:
            assert not first, f"{sorted(first)} are not tried"
            return
        key = attempt.queued.key
        assert key in first, f"{key} is tried before {sorted(first)}"
        self.place[key] = IN_FLIGHT
        self.activated.discard(key)
        self.attempts.append(attempt)

    def ends(self) -> None:
        """The decision about a pod is carried out."""
        if self.attempts:
            attempt = self.attempts.pop(self.chance.randrange(len(self.attempts)))
            key, binding = attempt.queued.key, self.scheduler.carry_out(attempt)
            if binding is not None:
                self.bindings.append(binding)
            else:
                self.place[key] = BACKING_OFF if key in self.activated else UNSCHEDULABLE

    def binds(self) -> None:
        """A pod is bound."""
        if self.bindings:
            binding = self.bindings.pop()
            self.scheduler.finish(binding)
            del self.place[binding.pod.key]

    def activates(self) -> None:
        """Somebody activates a pod, wherever it is."""
        one = self.chance.choice(self.pods)
        self.scheduler.handle.activate(one)
        match self.place.get(one.key):
            case "in flight":
                self.activated.add(one.key)
            case "backing off" | "unschedulable" if not one.scheduling_gates:
                self.place[one.key] = ACTIVE

    def waits(self) -> None:
        """Time passes, so that all backoffs end."""
        self.now += 20.0
        self.scheduler.queue.flush_backoff()
        self.place = {key: ACTIVE if place == BACKING_OFF else place for key, place in self.place.items()}

    def run(self, steps: int) -> None:
        """Take this number of random steps; look after each where the pods are."""
        kinds: list[Callable[[], None]] = [*[self.begins, self.activates] * 2, self.ends, self.binds]
        for _ in range(steps):
            step = self.waits if self.chance.often(0.05) else self.chance.choice(kinds)
            step()
            found = sorted(self.scheduler.queue.places())
            assert found == sorted(self.place.items()), f"{step.__name__}: {found}, not {sorted(self.place.items())}"


def activations(start: str, steps: int = 30) -> None:
    """Activate pods, and judge where all of them are. Raises: AssertionError at the first difference."""
    Activations(Chance(f"activations {start}")).run(steps)
