"""Scheduler extenders as values, for every scheduler that has them: their configuration and their answers.

An `Extender` is its configuration and four functions. `filter` maps a pod and nodes to the nodes that it keeps, and
`prioritize` to scores. `preempt` maps the candidates of preemption to those that it keeps, with their victims. `bind`
binds a pod to a node. Each may answer `Failed` instead. Operators: `interested`, `ignored`, `preempting`, `binder`.

Kubernetes 1.34: pkg/scheduler/extender.go; 1.17: pkg/scheduler/core/extender.go.

Not modelled: side effects of an extender.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from frozendict import frozendict

from schedcheck.spec.extender_configuration import Extender as Offer
from schedcheck.spec.objects import Node, Pod, Snapshot

Nodes = tuple[Node, ...]
Key = tuple[str, str]
"""The key of a pod, in place of its UID: namespace and name."""

NO_REASONS: frozendict[str, str] = frozendict()


@dataclass(frozen=True)
class Failed:
    """An error returned by an extender instead of an answer."""

    reason: str


@dataclass(frozen=True)
class Filtered:
    """An extender's answer to filter: the names of the nodes that it keeps, and its reasons against others.

    Evictions may resolve a refusal in `failed`, but none in `unresolvable`, which takes precedence for a node in both.
    A node in none of the three is refused without a reason. What that means for evictions depends on the scheduler.
    """

    kept: frozenset[str]
    failed: frozendict[str, str] = NO_REASONS
    unresolvable: frozendict[str, str] = NO_REASONS


@dataclass(frozen=True)
class MetaVictims:
    """The keys of the victims on a node, and how many of them violate a disruption budget."""

    pods: tuple[Key, ...]
    violations: int = 0


@dataclass(frozen=True)
class Victims:
    """The victims on a node, the most important first, and how many of them violate a disruption budget."""

    pods: tuple[Pod, ...]
    violations: int = 0


Offered = Mapping[str, Victims]
"""The candidates of preemption, by node name."""


def _all(pod: Pod, nodes: Nodes) -> Filtered | Failed:
    return Filtered(frozenset(node.name for node in nodes))


def _none(pod: Pod, nodes: Nodes) -> Mapping[str, int] | Failed:
    return frozendict()


def _as_offered(pod: Pod, offered: Offered) -> Mapping[str, MetaVictims] | Failed:
    return {
        name: MetaVictims(tuple(victim.key for victim in each.pods), each.violations) for name, each in offered.items()
    }  # fmt: skip


def _bound(pod: Pod, node: str) -> Failed | None:
    return None


@dataclass(frozen=True)
class Extender:
    """An extender: `offer` is its configuration, the functions are its answers.

    A function whose verb the configuration leaves empty is never called.
    """

    offer: Offer
    filter: Callable[[Pod, Nodes], Filtered | Failed] = _all
    prioritize: Callable[[Pod, Nodes], Mapping[str, int] | Failed] = _none
    preempt: Callable[[Pod, Offered], Mapping[str, MetaVictims] | Failed] = _as_offered
    bind: Callable[[Pod, str], Failed | None] = _bound


Extenders = tuple[Extender, ...]


def interested(offer: Offer, pod: Pod) -> bool:
    r"""Whether the extender is called for `pod`: it manages no resource, or a container requests one that it manages.

    TLA+: Interested(Extender, Pod) ==
            LET Containers == Pod.Spec.InitContainers \o Pod.Spec.Containers
            IN \/ Extender.Manages = {}
               \/ \E i \in DOMAIN Containers : Extender.Manages \intersect DOMAIN Containers[i].Requests # {}
    """
    managed = {each.name for each in offer.managed_resources}
    return managed == set() or any(
        managed & set(container.requests) for container in (*pod.containers, *pod.init_containers)
    )


def ignored(offers: Sequence[Offer]) -> frozenset[str]:
    """Return the resources that NodeResourcesFit ignores because an extender manages them with ignoredByScheduler."""
    return frozenset(each.name for offer in offers for each in offer.managed_resources if each.ignored)


def preempting(pod: Pod, extenders: Extenders) -> Extenders:
    """Return the extenders that are called about the victims for `pod`."""
    return tuple(each for each in extenders if each.offer.preempt_verb and interested(each.offer, pod))


def victims_named(
    extender: Extender, said: Mapping[str, MetaVictims], offered: Offered, snapshot: Snapshot
) -> Offered | Failed:
    """Return the pods that an extender's answer names as victims; an error if one of them is not on its node."""
    there = {
        name: {pod.key: pod for pod in (*snapshot.pods_by_node.get(name, ()), *_pods(offered, name))} for name in said
    }
    unknown = [(name, key) for name, each in said.items() for key in each.pods if key not in there[name]]
    if unknown:
        name, key = unknown[0]
        return Failed(
            f"extender: {extender.offer.url_prefix} claims to preempt pod (UID: {'/'.join(key)}) on node: {name},"
            " but the pod is not found on that node"
        )
    return {
        name: Victims(tuple(there[name][key] for key in each.pods), each.violations) for name, each in said.items()
    }  # fmt: skip


def _pods(offered: Offered, name: str) -> tuple[Pod, ...]:
    return offered[name].pods if name in offered else ()


def binder(pod: Pod, extenders: Extenders) -> Extender | None:
    """Return the extender that binds `pod` instead of the scheduler: the first interested with a bind verb, or None."""
    return next((each for each in extenders if each.offer.bind_verb and interested(each.offer, pod)), None)
