"""The decisions that a scheduler may take in one step, as values: Bind, WaitOnPermit, Preempt, Nominate, Wait, Unknown."""

from dataclasses import dataclass

from schedcheck.spec.objects import Node, Pod

VictimSet = frozenset[Pod]
"""The pods that are evicted for another one, all from one node, or for a PodGroup."""


@dataclass(frozen=True)
class Bind:
    """`pod` is bound to `node`. A machine that follows resource claims says which devices they get: `devices`.

    The members of its gang that waited on permit are bound with it: `allowed`, each to the node for which it waits.
    So are the pods of its PodGroup that were placed in the same cycle: `together`, each with its node.

    TLA+: Bind(Node) == [Kind |-> "Bind", Node |-> Node, Victims |-> {}, Unnominated |-> FALSE]
    """

    pod: Pod
    node: Node
    devices: tuple[str, ...] = ()
    allowed: tuple[Pod, ...] = ()
    together: tuple[tuple[Pod, Node], ...] = ()

    def __str__(self) -> str:
        with_it = (*map(str, self.allowed), *(f"{pod} on {node}" for pod, node in self.together))
        more = (*self.devices, *(f"with {each}" for each in with_it))
        return f"Bind({self.pod}, {self.node}{''.join(f', {each}' for each in more)})"


@dataclass(frozen=True)
class WaitOnPermit:
    """`pod` has a place on `node` and waits on permit: it counts there, and is bound once its gang is complete.

    In TLA+ it is a Bind of another Kind: AfterPermit of `kubernetes/gangs`.
    """

    pod: Pod
    node: Node

    def __str__(self) -> str:
        return f"WaitOnPermit({self.pod}, {self.node})"


@dataclass(frozen=True)
class Preempt:
    """All `victims` are evicted from `node` at once, so that `pod` may be bound there later."""

    pod: Pod
    node: Node
    victims: frozenset[Pod]

    def __str__(self) -> str:
        return f"Preempt({self.pod}, {self.node}, {_set(self.victims)})"


@dataclass(frozen=True)
class Nominate:
    """`pod` is nominated to `node`, and the `victims` are evicted one by one; `pod` is bound in a later turn.

    Pods of lower priority lose their nomination to the node. With `clears_always` they lose it even if all victims are
    already terminating. If a PodGroup preempts, `together` has its other pods that are nominated, each with its node;
    the victims are on any nodes, there may be none, and no other pod loses its nomination. Otherwise it is None.

    TLA+: Nominate(Node, Victims) == [Kind |-> "Nominate", Node |-> Node, Victims |-> Victims, Unnominated |-> FALSE]
    """

    pod: Pod
    node: Node
    victims: frozenset[Pod]
    clears_always: bool = False
    together: tuple[tuple[Pod, Node], ...] | None = None

    def __str__(self) -> str:
        with_it = "".join(f", with {pod} on {node}" for pod, node in self.together or ())
        return f"Nominate({self.pod}, {self.node}, {_set(self.victims)}{with_it})"


@dataclass(frozen=True)
class Wait:
    r"""`pod` was tried and stays unbound; at most its own nomination is cleared.

    `message` is the scheduler's message about the pod, or empty. With `unnominated` the pod loses the nomination that
    it has; the pods of `others`, of the same PodGroup, lose theirs with it. `left`: the cycle of its PodGroup bound or
    nominated others of the group and found no node for it.

    TLA+: Wait(Pod, Unnominated) ==
            [Kind |-> "Wait", Node |-> Null, Victims |-> {},
             Unnominated |-> Unnominated /\ Pod.Status.NominatedNodeName # ""]
    """

    pod: Pod
    message: str = ""
    unnominated: bool = False
    left: bool = False
    others: tuple[Pod, ...] = ()

    def __str__(self) -> str:
        with_it = "".join(f", with {each}" for each in self.others)
        return f"Wait({self.pod}{', unnominated' if self.unnominated else ''}{with_it})"


@dataclass(frozen=True)
class Unknown:
    """`pod` was tried, but the outcome depends on something that is not modelled, named by `why`; nothing changes.

    It has no TLA+ twin: scenarios that lead to it are not exported.
    """

    pod: Pod
    why: str

    def __str__(self) -> str:
        return f"Unknown({self.pod}: {self.why})"


Decision = Bind | WaitOnPermit | Preempt | Nominate | Wait | Unknown


def _set(pods: frozenset[Pod]) -> str:
    """Return the pods written as a set, ordered by namespace and name."""
    return f"{{{', '.join(str(pod) for pod in sorted(pods, key=lambda pod: pod.key))}}}"
