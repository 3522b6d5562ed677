"""Chance and the API server, as branches: `Choices` answers draws from a list, `Api` lets calls go wrong."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from schedcheck.model.production.framework.handle import ClientError
from schedcheck.spec.objects import Node, Pod

Key = tuple[str, str]
Change = tuple[Pod | Node | None, Pod | Node | None]
"""An object before and after, None where it is not there."""


@dataclass
class Choices:
    """Draws that are answered from a list, and with the first where it ends; how many answers each had is noted."""

    given: tuple[int, ...]
    sizes: list[int] = field(default_factory=list)

    def pick(self, size: int) -> int:
        """The next answer, below `size`."""
        place = len(self.sizes)
        self.sizes.append(size)
        return self.given[place] if place < len(self.given) else 0

    def choice(self, names: Sequence[str], /) -> str:
        """One of the names."""
        return names[self.pick(len(names))]

    def randrange(self, size: int, /) -> int:
        """A number below `size`."""
        return self.pick(size)

    def others(self) -> Iterator[tuple[int, ...]]:
        """The lists that go another way at a draw that this one did not speak of."""
        taken = [*self.given, *(0 for _ in self.sizes[len(self.given) :])]
        for place in range(len(self.given), len(self.sizes)):
            yield from ((*taken[:place], other) for other in range(1, self.sizes[place]))


@dataclass
class Api:
    """The API server of one step: the objects, the changes that are to be delivered, and which calls go wrong.

    `meanwhile` is what happens while a call is under way that has come through.
    """

    pods: dict[Key, Pod]
    choices: Choices
    faults: int
    changes: list[Change] = field(default_factory=list)
    node_changes: list[Change] = field(default_factory=list)
    meanwhile: Callable[[], None] = lambda: None
    wrong: list[str] = field(default_factory=list)

    def bind(self, pod: Pod, node: str) -> None:
        """Write the name of the node, unless the pod is on one already or is being deleted."""

        def bound(known: Pod) -> Pod:
            if known.node_name or known.terminating:
                raise ClientError(f"pod {known} is already assigned to a node, or is being deleted")
            return replace(known, node_name=node, nominated_node_name="")

        self._call("bind", pod, bound)

    def nominate(self, pod: Pod, node: str) -> None:
        """Write the name of the nominated node."""
        self._call("nominate", pod, lambda known: replace(known, nominated_node_name=node))

    def evict(self, pod: Pod, preemptor: Pod) -> None:
        """Mark the pod as preempted and as being deleted."""
        self._call("evict", pod, lambda known: replace(known, terminating=True, preempted=True))

    def _call(self, verb: str, pod: Pod, changed: Callable[[Pod], Pod]) -> None:
        fate = self.choices.pick(3) if self.faults else 0
        known = self.pods.get(pod.key)
        if fate:
            self.faults -= 1
            self.wrong.append(f"{verb} {('fails', 'is lost')[fate - 1]}")
        if known is None or known.uid != pod.uid or fate == 1:
            raise ClientError(f"{verb} of pod {pod} failed")
        after = changed(known)
        if after != known:
            self.pods[pod.key] = after
            self.changes.append((known, after))
        self.meanwhile()
        if fate == 2:
            raise ClientError(f"the answer to {verb} of pod {pod} is lost")
