"""How the cycle of a gang may end, and all that is told of a gang: `GroupEnd`, `GroupExplanation`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from schedcheck.checker.explain.group_likeness import NONE_ALIKE, Likeness, alone
from schedcheck.checker.explain.group_ways import Way
from schedcheck.spec.kubernetes.pod_groups import NAME, Ending, Pairs, by_name
from schedcheck.spec.objects import Pod
from schedcheck.spec.refusal import Refusal, unresolvable

Kind = Literal["placed", "waits", "error", "alone", "preempts"]
"""The end of a way, or that the group preempts after it."""


@dataclass(frozen=True)
class GroupEnd:
    """One end of a group's cycle: the way in which its pods are tried, and what follows it.

    If the group preempts, `second` is the way without the pods of lower priority, `nominated` are its pods with the
    nodes that they wait for, and `victims` those that are evicted. `awaits`: victims of an earlier preemption still end.
    `unable`: why the group may not preempt.
    """

    kind: Kind
    way: Way
    second: Way | None = None
    nominated: Pairs = ()
    victims: frozenset[Pod] = frozenset()
    awaits: bool = False
    unable: str = ""

    @property
    def ending(self) -> Ending:
        """The end as the specification writes it, without the nominations that are lost."""
        placed = by_name(self.way.placed) if self.kind == "placed" else ()
        return Ending(placed, self.kind == "error", self.kind == "alone", by_name(self.nominated), self.victims)

    def words(self, like: Likeness, first: Mapping[Pod, str]) -> str:
        """Return the essence as text, in which the first pod of each kind stands for the others."""
        placed = self.way.placed if self.kind == "placed" else ()
        return f"{self.kind} {self.awaits} {like.told(first, placed, self.nominated, like.where(self.victims))}"

    def essence(self, like: Likeness) -> object:
        """Return all that tells this end from others, but for which of several pods or nodes that are alike it concerns."""
        placed = self.way.placed if self.kind == "placed" else ()
        return self.kind, self.awaits, like.arranged(placed, self.nominated, like.where(self.victims))


@dataclass(frozen=True)
class GroupExplanation:
    """The pods of a gang, and every end that their cycle may have.

    - `name`, `least`, `policy`: the group, how many of its pods must have a node, and None for the policy basic.
    - `exist`, `bound`: its pods, and those of them that have a node.
    - `refusal`, `gated`: why its pods are not in the queue, and those that keep the others out of it.
    - `pods`: those that are tried. `ends`: the possible ends; all of them, unless `unknown` says why not.
    - `error`: why the cycle ends before a pod is tried.
    """

    name: str
    least: int
    policy: int | None
    together: bool
    exist: frozenset[Pod]
    bound: frozenset[Pod]
    refusal: Refusal | None = None
    gated: tuple[Pod, ...] = ()
    pods: tuple[Pod, ...] = ()
    ends: tuple[GroupEnd, ...] = ()
    error: str = ""
    unknown: str = ""
    like: Likeness = NONE_ALIKE

    @property
    def words(self) -> frozenset[str]:
        """All ends as texts that tell different ones apart, by the names of pods; and why there is none."""
        first: dict[Pod, str] = {}
        for pod in sorted(
            (*self.pods, *(each for end in self.ends for each in end.victims)), key=lambda each: each.key
        ):
            first.setdefault(alone(pod), str(pod))
        return frozenset({*(each.words(self.like, first) for each in self.ends), *self.reasons, self.error})

    @property
    def shown(self) -> GroupEnd | None:
        """The end that is shown pod by pod: the first in which the group is not placed, else the first one."""
        return next((each for each in self.ends if each.kind != "placed"), next(iter(self.ends), None))

    @property
    def kept(self) -> bool:
        """Whether its pods are not in the queue."""
        return self.refusal is not None or self.gated != ()

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why its pods are not in the queue."""
        return (*(self.refusal.reasons if self.refusal is not None else ()), *map(held_back, self.gated))

    @property
    def held(self) -> Refusal | None:
        """Why a pod that is not gated itself is not in the queue; None if it is."""
        return unresolvable(NAME, ", ".join(self.reasons)) if self.gated else self.refusal

    @property
    def verdict(self) -> str:
        """The word for it: that of all ends, "depends" on the order and the choices, "kept" or "unknown"."""
        words = {each.kind for each in self.ends}
        if self.kept or self.unknown:
            return "kept" if self.kept else "unknown"
        if self.error or not words:
            return "error" if self.error else "waits"
        return words.pop() if len(words) == 1 else "depends"


def held_back(pod: Pod) -> str:
    """Return why a pod that keeps its group out of the queue is not in it."""
    return f"{pod} has scheduling gates" if pod.scheduling_gates else f"a resource claim of {pod} does not exist"
