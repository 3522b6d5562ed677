"""An extender of which only the possible answers are known: `AnyExtender`, a small family to branch over."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from schedcheck.model.production.framework.extender import ExtenderError, ExtenderFiltered, Victims
from schedcheck.spec.objects import Node, Pod


@dataclass
class AnyExtender:
    """An extender that keeps all nodes, rejects one, rejects one as unresolvable, or fails (by an error or a timeout).

    `pick` returns a number below its argument, which chooses the answer.
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
    """Whether it returns the nodes as objects, not by name."""

    def interested(self, pod: Pod) -> bool:
        """Return true: every pod concerns it."""
        return True

    def filter(self, pod: Pod, nodes: Sequence[Node]) -> ExtenderFiltered:
        """Return the answer that `pick` chooses.

        The answers are numbered: all nodes kept, each node rejected, each node rejected as unresolvable, error,
        timeout.
        """
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
        """Return no scores."""
        return {}

    def preempt(self, pod: Pod, victims: Mapping[str, Victims]) -> Mapping[str, Victims]:
        """Return the victims unchanged."""
        return victims

    def bind(self, pod: Pod, node: str) -> None:
        """Fail: it does not bind.

        Raises: ExtenderError.
        """
        raise ExtenderError("it does not bind")
