"""Random small lives in which pods are deleted and come again in their names: `renewed_live`

Preemptors, their victims and pods that are being tried are made anew: bound or unbound, while a node is sought, while victims
are evicted, or while the watch is broken, so that the scheduler hears of the new pod in place of the old one.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.spec.objects import Pod
from tests.checker.differential.enumeration.vocabulary import NAMED
from tests.checker.differential.search.lives import POD_NAMES
from tests.checker.differential.search.small_lives import CONTENDED, SmallLife

PRIORITY = 100
LEFT_OUT = {"preemption", "room for pods"}


class RenewedLife(SmallLife):
    """A life of preemptors and victims whose names are used again, behind its events."""

    def _begun(self, start: int | str, calm: bool) -> Chance:
        chance = Chance(f"renewed life {start}")
        others = chance.some([each for each in CONTENDED if each not in LEFT_OUT], 0, 1)
        self.chosen = (NAMED["preemption"], *(NAMED[each] for each in others))
        chance.features = frozenset({"late"} | ({"waiting"} if chance.often(0.3) else set()))
        return chance

    def _steps(self, calm: bool) -> list[Callable[[], None]]:
        own = [self.cycle, self.cycle, self.evicting, self.evicting, self.advance, self.deliver, self.preemptor_comes]
        some = [self.pod_comes, self.pod_comes_bound, self.pod_goes, self.deliver_all, self.preemptor_comes]
        return [
            *own,
            *some,
            self.victim_is_made_anew,
            self.victim_is_made_anew,
            self.tried_is_made_anew,
            self.miss,
            self.wait,
        ]

    def _heard(self) -> None:
        """Deliver nothing: that is a step of its own."""

    def _anew(self, one: Pod, on: str) -> None:
        """Delete a pod, and create another one of its name."""
        again = replace(self._made(one.name, on), namespace=one.namespace, scheduling_gates=())
        self.world.delete(one)
        self.world.put(again)

    def preemptor_comes(self) -> None:
        """A pod that outranks all others comes and is tried, and often its victims are evicted at once."""
        name = self.chance.choice(POD_NAMES)
        if self._key(name) is None:
            one = replace(self._made(name), priority=PRIORITY, preemption_policy="PreemptLowerPriority")
            self.world.put(replace(one, scheduling_gates=()))
        self.world.deliver_all()
        self.world.cycle()
        for _ in range(self.chance.randint(0, 3)):
            self.world.evicting()

    def victim_is_made_anew(self) -> None:
        """A victim whose end is awaited, or another bound pod, comes again, usually on its node; often a watch breaks before."""
        world: Any = self.world
        running = [each for background in world.scheduler.handle.background for each in background.running.values()]
        awaited = {each.last for each in running if not each.victims}
        victims = awaited or {each for chosen in world.chosen.values() for each in chosen}
        one = self._pod(lambda each: each.identity in victims) or self._pod(lambda each: bool(each.node_name))
        if one is None:
            return
        self._anew(one, one.node_name if self.chance.often(0.7) else "")
        match self.chance.randrange(3):
            case 0 if not world.listed:
                world.miss("pod")
                world.deliver_all()
            case 1:
                world.deliver_all()

    def tried_is_made_anew(self) -> None:
        """The pod that is tried next comes again, which is told while a node is sought for it."""
        first = self.world.scheduler.queue.active.first()
        one = None if first is None else self.world.objects["pod"].get(first.key)
        if one is not None and not one.node_name:
            self._anew(one, self.chance.one("", "", "", one.nominated_node_name))
            self.world.cycle(self.world.tell_all)


def renewed_live(start: str, steps: int = 30) -> None:
    """Live one life of names that are used again. Raises: AssertionError at the first violation."""
    RenewedLife(start).run(steps)
