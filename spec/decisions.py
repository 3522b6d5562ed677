"""What a scheduler may do in one step, as values that read as a story: Bind, Preempt or Wait.

Where a decision is not atomic, as in Kubernetes: Bind, Nominate or Refuse.
"""

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
        return f"Preempt({self.pod}, {self.node}, {_names(self.victims)})"


@dataclass(frozen=True)
class Wait:
    """`pod` was taken up, and nothing can be done for it: the objects stay as they are."""

    pod: Pod

    def __str__(self) -> str:
        return f"Wait({self.pod})"


@dataclass(frozen=True)
class Nominate:
    """`node` is to become free for `pod`: `victims` are to be evicted there, one by one, and `pod` waits for it."""

    pod: Pod
    node: Node
    victims: frozenset[Pod]

    def __str__(self) -> str:
        return f"Nominate({self.pod}, {self.node}, {_names(self.victims)})"


@dataclass(frozen=True)
class Refuse:
    """`pod` was taken up in vain, for the reason that `message` tells. `unnominated`: it loses its nomination."""

    pod: Pod
    message: str
    unnominated: bool = False

    def __str__(self) -> str:
        return f"Refuse({self.pod})"


def _names(victims: frozenset[Pod]) -> str:
    return f"{{{', '.join(str(victim) for victim in sorted(victims, key=lambda victim: victim.key))}}}"


KubernetesDecision = Bind | Nominate | Refuse
Decision = Bind | Preempt | Wait | KubernetesDecision
