"""Random lives in which own plugins also answer Pending, at Reserve, Permit and PreBind: `pending_life`

A pod that was rejected so waits for the plugin that said it, and for nobody else, and its events make the pod active before its backoff
ends. What the queue knows of that is compared with what was answered.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from schedcheck.model.production.cycle.scheduler import Binding
from schedcheck.model.production.framework.status import Code, Status
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Pod
from tests.checker.differential.search.failing_lives import (
    FAILS,
    OWN,
    POINTS,
    Failing,
    FailingLife,
    FailingWorld,
    with_failing,
)
from tests.checker.differential.search.own import Profile

PENDING = "pending"


class Awaiting(Failing):
    """A plugin that also answers Pending; the world notes each of its rejections."""

    def _answer(self, point: str, pod: Pod) -> Status:
        told = pod.labels.get(FAILS, "").split(".")
        first = pod.identity not in self.failed
        said = super()._answer(point, pod)
        if not said.success and first and told[2] == PENDING:
            said = Status(Code.PENDING, ("not yet",))
        world = self.world()
        if said.rejected and isinstance(world, PendingWorld):
            counts = point != "preBind"
            pending = counts and said.code is Code.PENDING
            world.rejected[pod.identity] = self.name if counts else "", pending
            # It may be active before its backoff ends.
            world.forced |= {pod.key} if pending else set()
        return said


class PendingWorld(FailingWorld):
    """A live cluster in which the queue has to know which own plugin rejected a pod, and whether it waits for it."""

    def start(self) -> None:
        """Start a scheduler, and no rejection."""
        self.rejected: dict[tuple[str, ...], tuple[str, bool]] = {}
        super().start()

    def cycle(self, meanwhile: Callable[[], None] | None = None) -> None:
        """Run one cycle, and check what the queue knows of a rejection."""
        super().cycle(meanwhile)
        self._blames()

    def _advance(self, binding: Binding) -> bool:
        """Take one step of a binding, and check what the queue knows of a rejection."""
        done = super()._advance(binding)
        self._blames()
        return done

    def _blames(self) -> None:
        """Check the rejections that have ended an attempt. One at PreBind, after Permit, counts as an error.

        Kubernetes 1.37: bindingCycle in pkg/scheduler/schedule_one.go.
        """
        queue = self.scheduler.queue
        waiting = (*queue.unschedulable.values(), *queue.backing_off, *queue.erring, *queue.active)
        there = {each.identity: each for each in waiting}
        for identity, (plugin, pending) in list(self.rejected.items()):
            if any(each.pod.identity == identity for each in self.bindings):
                continue
            del self.rejected[identity]
            queued: Any = there.get(identity)
            if queued is None:
                continue
            found = queued.rejectors - {queued.gate}, queued.pending
            wanted = {plugin} - {""}, {plugin} if pending else set[str]()
            assert found == wanted, f"{queued.pod} waits for {found}, and was rejected by {wanted}"

    def look(self) -> None:
        """Check all invariants, and that no pod backs off that waits for plugins which have answered Pending alone."""
        super().look()
        queue = self.scheduler.queue
        early = [each.pod for each in queue.backing_off if each.pending and each.rejectors == each.pending]
        assert not early, f"{early} back off, although the plugins that they wait for have woken them"


def with_pending(plugins: Plugins, world: Callable[[], PendingWorld]) -> Profile:
    """Return the profile of failing lives, of which the own plugins also answer Pending."""
    return with_failing(plugins, world, Awaiting)


class PendingLife(FailingLife):
    """A life of pods that wait for plugins."""

    made_of = PendingWorld
    world: PendingWorld

    def _profile(self, plugins: Plugins) -> Profile:
        return with_pending(plugins, lambda: self.world)

    def _made(self, name: str, on: str = "") -> Pod:
        made = super()._made(name, on)
        if self.chance.often(0.4):
            return made
        told = ".".join((self.chance.choice(OWN), self.chance.choice(POINTS[:3]), PENDING))
        return replace(made, labels=made.labels | {FAILS: told})


def pending_life(start: str, steps: int = 35) -> None:
    """Live one life of pods that wait for plugins, of this number of steps. Raises: AssertionError at the first violation."""
    PendingLife(f"pending {start}").run(steps)
