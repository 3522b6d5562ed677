"""The pods of a group that are alike, and the nodes that are alike for them: `likeness`, `orders`.

Pods are alike if they differ only in their names, and name the same claims; a claim that is made for a pod has the
name of that pod. Nodes are alike if they and their pods are, and no pod of the group refers to a node by its name, or
has claims. To exchange such pods or nodes changes no decision but for their names.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from frozendict import frozendict

from schedcheck.checker.alike import nameless
from schedcheck.spec.binding import completed
from schedcheck.spec.device_objects import NO_DEVICES
from schedcheck.spec.kubernetes.plugins import AddedAffinity, Plugins
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.terms import NodeSelectorTerm
from schedcheck.spec.values import Labels

HOSTNAME = "kubernetes.io/hostname"


def kind(pod: Pod) -> Pod:
    """Return the pod without what tells it from pods that are alike.

    Resource claims know their pods by their uids, which `resource_claims` has.
    """
    return nameless(pod)


def alone(pod: Pod) -> Pod:
    """Return the kind of a pod, wherever it is."""
    return replace(kind(pod), node_name="")


def orders(pods: Sequence[Pod], allowed: Callable[[tuple[Pod, ...]], bool]) -> Iterator[tuple[Pod, ...]]:
    """Yield the orders whose neighbours are `allowed`, one of those that differ only between pods that are alike."""
    by_kind: dict[Pod, list[Pod]] = {}
    for pod in sorted(pods, key=lambda each: each.key):
        by_kind.setdefault(kind(pod), []).append(pod)
    if len(by_kind) < 2:
        return iter([tuple(pod for some in by_kind.values() for pod in some)])

    def onwards(so_far: tuple[Pod, ...], used: Counter[Pod]) -> Iterator[tuple[Pod, ...]]:
        if len(so_far) == len(pods):
            yield so_far
        following = (some[used[each]] for each, some in by_kind.items() if used[each] < len(some))
        for pod in sorted(following, key=lambda each: each.key):
            if allowed((*so_far[-1:], pod)):
                yield from onwards((*so_far, pod), used + Counter([kind(pod)]))

    return onwards((), Counter())


@dataclass(frozen=True)
class Likeness:
    """The nodes by name, each with the first of those that are alike."""

    first: frozendict[str, str]

    def arranged(self, *parts: Iterable[tuple[Pod, Node | str]]) -> object:
        """Return how many pods of each kind, of each part, are together on nodes; nodes that are alike are one."""
        on: dict[str, list[Counter[Pod]]] = {}
        for place, part in enumerate(parts):
            for pod, node in part:
                name = node if isinstance(node, str) else node.name
                on.setdefault(name, [Counter() for _ in parts])[place][kind(pod)] += 1
        rows = (
            (self.first.get(name, name), tuple(frozenset(each.items()) for each in some)) for name, some in on.items()
        )
        return frozenset(Counter(rows).items())

    def told(self, first: Mapping[Pod, str], *parts: Iterable[tuple[Pod, Node | str]]) -> list[str]:
        """Return the same as texts, with the name of the first pod of each kind; a victim has the kind that it has alone."""
        on: dict[str, list[Counter[str]]] = {}
        for place, part in enumerate(parts):
            for pod, node in part:
                name = node if isinstance(node, str) else node.name
                on.setdefault(name, [Counter() for _ in parts])[place][first[alone(pod)]] += 1
        return sorted(
            f"{self.first.get(name, name)}: {[sorted(each.items()) for each in some]}" for name, some in on.items()
        )

    @staticmethod
    def where(pods: Iterable[Pod]) -> Iterator[tuple[Pod, str]]:
        """Yield bound pods as if they were pending, each with its node."""
        return ((replace(pod, node_name=""), pod.node_name) for pod in pods)


NONE_ALIKE = Likeness(frozendict())
"""Every node is like itself alone."""


def likeness(pods: Sequence[Pod], snapshot: Snapshot, plugins: Plugins) -> Likeness:
    """Return which nodes are alike for these pending pods."""
    if not _by_name_alone(pods, snapshot, plugins):
        return NONE_ALIKE
    nominated = {pod.nominated_node_name for pod in snapshot.pods if not pod.node_name}
    there: dict[str, Counter[Pod]] = {}
    for pod in snapshot.pods:
        if pod.node_name and not completed(pod):
            there.setdefault(pod.node_name, Counter())[replace(kind(pod), node_name="")] += 1
    first: dict[object, str] = {}
    found: dict[str, str] = {}
    for node in snapshot.nodes:
        named_alone = node.name not in nominated and node.labels.get(HOSTNAME, node.name) == node.name
        labels = Labels({key: value for key, value in node.labels.items() if key != HOSTNAME})
        shape = replace(node, name="", labels=labels), HOSTNAME in node.labels, frozenset(there.get(node.name, Counter()).items())  # fmt: skip
        found[node.name] = first.setdefault(shape, node.name) if named_alone else node.name
    return Likeness(frozendict(found))


def _by_name_alone(pods: Sequence[Pod], snapshot: Snapshot, plugins: Plugins) -> bool:
    """Whether the cycles of these pods tell nodes by nothing that belongs to their names."""
    plain = not any(pod.volumes or pod.resource_claims or pod.waits_on for pod in pods)
    asked = any(HOSTNAME in pod.node_selector or any(map(_by_name, pod.affinity.node_terms)) for pod in pods)
    added = plugins.arguments.added_affinity != AddedAffinity()
    return plain and not asked and not added and not plugins.rules and snapshot.devices == NO_DEVICES


def _by_name(term: NodeSelectorTerm) -> bool:
    return term.match_fields != () or any(each.key == HOSTNAME for each in term.match_expressions)
