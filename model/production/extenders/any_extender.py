"""An extender of which only what it may answer is known: `AnyExtender`, a small family to branch over."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from schedcheck.model.production.framework.extender import ExtenderError, ExtenderFiltered, Victims
from schedcheck.spec.objects import Node, Pod


@dataclass
class AnyExtender:
    """It keeps all nodes, refuses one, refuses one for good, or fails, be it by an error or by being late.

    `pick` answers with a number below the one that it is given, and decides which. With `answers_with_objects` it does not
    name the nodes but sends them back.
    """

    pick: Callable[[int], int]
    ignorable: bool = False
    name: str = "extender"
    weight: int = 1
    filters: bool = True
    prioritizes: bool = False
    preempts: bool = False
    binds: bool = False
    answers_with_objects: bool = False

    def interested(self, pod: Pod) -> bool:
        """Every pod concerns it."""
        return True

    def filter(self, pod: Pod, nodes: Sequence[Node]) -> ExtenderFiltered:
        """One of its answers: the nodes in turn, first refused and then refused for good, come after keeping all."""
        names = [node.name for node in nodes]
        number = self.pick(2 * len(names) + 3)
        if number > 2 * len(names):
            raise ExtenderError("out of order" if number == 2 * len(names) + 1 else "timed out")
        if number == 0:
            return ExtenderFiltered(tuple(names), bare=self.answers_with_objects)
        good, place = divmod(number - 1, len(names))
        told = {names[place]: "refused outside"}
        kept = tuple(name for name in names if name not in told)
        failed, hopeless = ({}, told) if good else (told, {})
        return ExtenderFiltered(kept, failed, hopeless, self.answers_with_objects)

    def prioritize(self, pod: Pod, nodes: Sequence[Node]) -> Mapping[str, int]:
        """It does not rate."""
        return {}

    def preempt(self, pod: Pod, victims: Mapping[str, Victims]) -> Mapping[str, Victims]:
        """It agrees."""
        return victims

    def bind(self, pod: Pod, node: str) -> None:
        """It does not bind.

        Raises: ExtenderError.
        """
        raise ExtenderError("it does not bind")
