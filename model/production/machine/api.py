"""Random choices and API calls as branches: `Choices` answers draws from a list, `Api` lets calls fail."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from schedcheck.model.production.framework.handle import ClientError
from schedcheck.spec.objects import Node, Pod

Key = tuple[str, str]
Change = tuple[Pod | Node | None, Pod | Node | None]
"""An object before and after a change, None while it does not exist."""


@dataclass
class Choices:
    """Random draws, answered from a list and with 0 after its end. `sizes` records how many answers each draw had."""

    given: tuple[int, ...]
    sizes: list[int] = field(default_factory=list)

    def pick(self, size: int) -> int:
        """Return the next answer, a number below `size`."""
        place = len(self.sizes)
        self.sizes.append(size)
        return self.given[place] if place < len(self.given) else 0

    def choice(self, names: Sequence[str], /) -> str:
        """Return one of the names."""
        return names[self.pick(len(names))]

    def randrange(self, size: int, /) -> int:
        """Return a number below `size`."""
        return self.pick(size)

    def others(self) -> Iterator[tuple[int, ...]]:
        """Yield, for each draw beyond the given list, the lists that answer it differently."""
        taken = [*self.given, *(0 for _ in self.sizes[len(self.given) :])]
        for place in range(len(self.given), len(self.sizes)):
            yield from ((*taken[:place], other) for other in range(1, self.sizes[place]))


@dataclass
class Api:
    """The API server of one step: the objects, the changes to be delivered, and how many calls may still fail.

    `meanwhile` runs during each call that the server carries out, before the call returns. `wrong` lists the calls that
    failed or whose answer was lost.
    """

    pods: dict[Key, Pod]
    choices: Choices
    faults: int
    changes: list[Change] = field(default_factory=list)
    node_changes: list[Change] = field(default_factory=list)
    meanwhile: Callable[[], None] = lambda: None
    wrong: list[str] = field(default_factory=list)

    def bind(self, pod: Pod, node: str) -> None:
        """Write the node's name into the pod, unless the pod is already bound or terminating."""

        def bound(known: Pod) -> Pod:
            if known.node_name or known.terminating:
                raise ClientError(f"pod {known} is already assigned to a node, or is being deleted")
            return replace(known, node_name=node, nominated_node_name="")

        self._call("bind", pod, bound)

    def nominate(self, pod: Pod, node: str) -> None:
        """Write the name of the nominated node into the pod."""
        self._call("nominate", pod, lambda known: replace(known, nominated_node_name=node))

    def evict(self, pod: Pod, preemptor: Pod) -> None:
        """Mark the pod as preempted and as terminating."""
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
