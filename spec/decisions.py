"""What a scheduler may do in one step: Bind, Preempt or Wait, as values that read as a story."""

from dataclasses import dataclass

from schedcheck.spec.objects import Node, Pod


@dataclass(frozen=True)
class Bind:
    """`pod` is placed on `node`."""

    pod: Pod
    node: Node

    def __str__(self) -> str:
        return f"Bind({self.pod}, {self.node})"


@dataclass(frozen=True)
class Preempt:
    """`victims` are evicted from `node` so that `pod` may fit there later; all of them at once."""

    pod: Pod
    node: Node
    victims: frozenset[Pod]

    def __str__(self) -> str:
        names = ", ".join(str(victim) for victim in sorted(self.victims, key=lambda victim: victim.key))
        return f"Preempt({self.pod}, {self.node}, {{{names}}})"


@dataclass(frozen=True)
class Wait:
    """`pod` was taken up, and nothing can be done for it: the objects stay as they are."""

    pod: Pod

    def __str__(self) -> str:
        return f"Wait({self.pod})"


Decision = Bind | Preempt | Wait
