"""Random small lives in which pods are deleted and come again in their names: `renewed_live`

Preemptors, their victims and pods that are being tried are made anew: bound or unbound, while a node is sought, while victims
are evicted, or while the watch is broken, so that the scheduler hears of the new pod in place of the old one.
"""

from collections.abc import Callable
from dataclasses import replace

from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.spec.objects import Pod
from tests.checker.differential.enumeration.vocabulary import NAMED
from tests.checker.differential.search.small_lives import CONTENDED, SmallLife

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
        own = [self.cycle, self.cycle, self.cycle, self.evicting, self.evicting, self.advance, self.deliver]
        some = [self.pod_comes, self.pod_comes, self.pod_goes, self.node_changes, self.deliver_all, self.deliver_all]
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

    def victim_is_made_anew(self) -> None:
        """A victim, or else a bound pod, comes again, usually on its node; often the watch is broken before it is heard of."""
        victims = {each for chosen in self.world.chosen.values() for each in chosen}
        one = self._pod(lambda each: each.identity in victims) or self._pod(lambda each: bool(each.node_name))
        if one is None:
            return
        self._anew(one, one.node_name if self.chance.often(0.7) else "")
        match self.chance.randrange(3):
            case 0:
                self.miss()
                self.world.deliver_all()
            case 1:
                self.world.deliver_all()

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
