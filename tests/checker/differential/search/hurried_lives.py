"""Random small lives of preemptors that are tried again before anything is delivered: `hurried_live`

Victims often wait on Permit, or cannot be evicted, so that the preemptor is let in at once. Its nodes change in between, the pods do not hear of their
nominations, and preemptors of several priorities are nominated to the same node.
"""

from collections.abc import Callable
from dataclasses import replace

from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.spec.objects import Pod
from tests.checker.differential.enumeration.vocabulary import NAMED
from tests.checker.differential.search.small_flips import BARRING
from tests.checker.differential.search.small_lives import SmallLife


class HurriedLife(SmallLife):
    """A life of preemptors, of which the scheduler does more than it hears."""

    def _begun(self, start: int | str, calm: bool) -> Chance:
        chance = Chance(f"hurried life {start}")
        self.chosen = (NAMED["preemption"], *(NAMED[each] for each in chance.some(BARRING, 0, 1)))
        chance.features = frozenset({"late", "waiting", "nominations"} | ({"faults"} if chance.often(0.6) else set()))
        return chance

    def _made(self, name: str, on: str = "") -> Pod:
        return replace(super()._made(name, on), priority=self.chance.one(0, 1, 1, 5, 5, 9))

    def _steps(self, calm: bool) -> list[Callable[[], None]]:
        own = [self.cycle, self.cycle, self.evicting, self.advance, self.hurries, self.hurries]
        some = [self.new_pods, self.new_pods, self.new_nodes, self.pod_goes, self.pod_changes]
        return [*own, *some, self.deliver, self.deliver_all, self.wait]

    def _heard(self) -> None:
        """Deliver nothing: that is a step of its own."""

    def new_pods(self) -> None:
        """A pod comes, and the scheduler hears of the pods."""
        self.pod_comes()
        self.world.deliver("pod", 100)

    def new_nodes(self) -> None:
        """A node changes, and the scheduler hears of the nodes alone."""
        self.node_changes()
        self.world.deliver("node", 100)

    def hurries(self) -> None:
        """A pod is tried, its eviction may fail, nodes may be cordoned, and it may be tried again: before anything of it is delivered."""
        self.world.cycle()
        if "faults" in self.chance.features and self.chance.often(0.7):
            self.world.faults["evict"] = "fails"
        for _ in range(self.chance.one(1, 2, 3)):
            self.world.evicting()
        if self.chance.often(0.6):
            nodes = sorted(self.world.objects["node"].values(), key=lambda each: each.name)
            closed = self.chance.often(0.7)
            self.world.put(*(replace(each, unschedulable=closed) for each in self.chance.some(nodes, 0, 2)))
            self.world.deliver("node", 100)
        self.world.cycle()


def hurried_live(start: str, steps: int = 20) -> None:
    """Live one life of this number of steps. Raises: AssertionError at the first violation."""
    HurriedLife(start).run(steps)
