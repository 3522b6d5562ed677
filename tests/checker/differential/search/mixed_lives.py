"""Random small lives in which some pods are of another scheduler: `mixed_life`

They take room, and are nominated and bound by somebody else. The scheduler never tries them, and knows no nomination of theirs.
"""

from collections.abc import Callable
from dataclasses import replace

from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.spec.objects import Pod
from tests.checker.differential.enumeration.vocabulary import NAMED
from tests.checker.differential.search.small_flips import BARRING
from tests.checker.differential.search.small_lives import CONTENDED, SmallLife

FOREIGN = "another-scheduler"


class MixedLife(SmallLife):
    """A life of pods of two schedulers, of which one is somebody else's."""

    def _begun(self, start: int | str, calm: bool) -> Chance:
        chance = Chance(f"mixed life {start}")
        names = (*chance.some(CONTENDED, 1, 2), *chance.some(("ports", *BARRING), 0, 1))
        self.chosen = tuple(NAMED[each] for each in dict.fromkeys(names))
        chance.features = frozenset(
            {"nominations"} | {each for each in ("late", "restarts", "waiting") if chance.often(0.3)}
        )
        return chance

    def _new_pod(self, name: str, on: str) -> Pod:
        made = super()._new_pod(name, on)
        return replace(made, scheduler_name=FOREIGN) if self.chance.often(0.35) else made

    def _steps(self, calm: bool) -> list[Callable[[], None]]:
        own = [self.cycle, self.cycle, self.advance, self.advance, self.evicting, self.wait]
        some = [
            self.pod_comes,
            self.pod_comes,
            self.pod_comes_bound,
            self.pod_goes,
            self.pod_changes,
            self.node_changes,
        ]
        others = [self.pod_is_bound_by_another, self.nomination_changes, self.pod_is_made_anew, self.node_goes]
        late = [self.deliver, self.deliver_all, self.miss] if "late" in self.chance.features else []
        return [*own, *some, *others, *late, *([self.restart] if "restarts" in self.chance.features else [])]


def mixed_life(start: str, steps: int = 30) -> None:
    """Live one life of pods of two schedulers. Raises: AssertionError at the first violation."""
    MixedLife(start).run(steps)
