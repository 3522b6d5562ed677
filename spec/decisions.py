"""What a scheduler may do in one step: Bind, Preempt or Nominate, Wait, or what is Unknown, as values that read as a story."""

from dataclasses import dataclass

from schedcheck.spec.objects import Node, Pod


@dataclass(frozen=True)
class Bind:
    """`pod` is placed on `node`.

    TLA+: Bind(Node) == [Kind |-> "Bind", Node |-> Node, Victims |-> {}, Unnominated |-> FALSE]
    """

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
        return f"Preempt({self.pod}, {self.node}, {_set(self.victims)})"


@dataclass(frozen=True)
class Nominate:
    """`pod` is nominated to `node`, from which `victims` are yet to be evicted one by one; it is placed in a later turn.

    Pods of lower priority lose their nomination to the node: `clears_always` even if all victims are terminating already.

    TLA+: Nominate(Node, Victims) == [Kind |-> "Nominate", Node |-> Node, Victims |-> Victims, Unnominated |-> FALSE]
    """

    pod: Pod
    node: Node
    victims: frozenset[Pod]
    clears_always: bool = False

    def __str__(self) -> str:
        return f"Nominate({self.pod}, {self.node}, {_set(self.victims)})"


@dataclass(frozen=True)
class Wait:
    r"""`pod` was taken up, and nothing can be done for it: the objects stay as they are, but for a nomination of its own.

    `message` is what is said of it, if anything is; `unnominated`: it loses the nomination that it has.

    TLA+: Wait(Pod, Unnominated) ==
            [Kind |-> "Wait", Node |-> Null, Victims |-> {},
             Unnominated |-> Unnominated /\ Pod.Status.NominatedNodeName # ""]
    """

    pod: Pod
    message: str = ""
    unnominated: bool = False

    def __str__(self) -> str:
        return f"Wait({self.pod}{', unnominated' if self.unnominated else ''})"


@dataclass(frozen=True)
class Unknown:
    """`pod` was taken up, and what becomes of it hangs on what is not modelled, which `why` names; nothing is changed.

    No module of tla/ has it: what leads to it is not exported.
    """

    pod: Pod
    why: str

    def __str__(self) -> str:
        return f"Unknown({self.pod}: {self.why})"


Decision = Bind | Preempt | Nominate | Wait | Unknown


def _set(pods: frozenset[Pod]) -> str:
    """The pods as a set, in the order of namespace and name."""
    return f"{{{', '.join(str(pod) for pod in sorted(pods, key=lambda pod: pod.key))}}}"
