"""The plugin RemoveDuplicates: it evicts pods of one owner, with the same images, of which a node has too many.

Pods are duplicates on a node if they have the same owner and images. Of the nodes to which the duplicates could go,
each should have at most the rounded-up share of the owner's pods. The lists of pods come from a hash table of the
descheduler, so that every choice of the pods that are kept is possible.

descheduler 0.36: pkg/framework/plugins/removeduplicates/removeduplicates.go, Balance.

Not modelled: pods with several owners, which the reader of the policy refuses.
"""

from collections.abc import Callable, Iterator
from itertools import combinations, product

from schedcheck.model.controllers.descheduler.listing import considered
from schedcheck.model.controllers.descheduler.plan import Group, Plan
from schedcheck.model.controllers.descheduler.view import View
from schedcheck.model.descheduling import RemoveDuplicates
from schedcheck.spec.kubernetes.filters.node_affinity import required_node_affinity
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.tolerations import untolerated

OwnerKey = tuple[str, str, str, tuple[str, ...]]
"""Namespace, kind and name of an owner, and the sorted images of its pods."""

Evictable = Callable[[Pod], bool]


def plans(arguments: RemoveDuplicates, view: View, evictable: Evictable, slot: Callable[[Pod], int]) -> Iterator[Plan]:
    """Yield each possible plan of one run: for each owner, and for each node, the duplicates in excess."""
    owners = sorted(_pods_of_owners(arguments, view, evictable).items())
    for of_owners in product(*(tuple(_groups(by_node, view, slot)) for _, by_node in owners)):
        wanted = tuple(sorted((group,) for group in of_owners if group))
        yield (wanted,) if wanted else ()


def _pods_of_owners(
    arguments: RemoveDuplicates, view: View, evictable: Evictable
) -> dict[OwnerKey, dict[str, tuple[Pod, ...]]]:
    """Return the evictable pods of each owner, by the names of their nodes."""
    found: dict[OwnerKey, dict[str, tuple[Pod, ...]]] = {}
    for node in view.nodes:
        for pod in view.pods_on(node):
            owners = view.descheduler.of(pod).owners
            kinds = {kind for kind, _, _ in owners}
            if not owners or kinds & arguments.exclude_owner_kinds:
                continue
            if considered(pod, arguments.namespaces) and evictable(pod):
                by_node = found.setdefault(owner_key(pod, owners[0]), {})
                by_node[node.name] = (*by_node.get(node.name, ()), pod)
    return found


def owner_key(pod: Pod, owner: tuple[str, str, str]) -> OwnerKey:
    """Return what duplicates have in common."""
    kind, name, _ = owner
    return pod.namespace, kind, name, tuple(sorted(container.image for container in pod.containers))


def _groups(by_node: dict[str, tuple[Pod, ...]], view: View, slot: Callable[[Pod], int]) -> Iterator[Group]:
    """Yield each possible group of evictions of one owner: a plan for each of its nodes.

    One pod of a node, any of them, counts as the original, the others are duplicates. The duplicates decide on the
    nodes to which they could go. Pods that could go to the same nodes are not told apart.
    """
    number = sum(map(len, by_node.values()))
    alike = len({(pod.tolerations, pod.node_selector, pod.affinity.node_required) for pod in _all(by_node)}) == 1
    found: set[Group] = set()
    for originals in product(*(pods[:1] if alike else pods for pods in by_node.values())):
        duplicates = tuple(pod for pod in _all(by_node) if pod not in originals)
        targets = target_nodes(duplicates, view)
        most = -(-number // len(targets)) if len(targets) > 1 else number
        excess = (
            combinations(sorted(slot(pod) for pod in pods if alike or pod not in originals), max(0, len(pods) - most))
            for pods in by_node.values()
        )
        found |= {tuple(sorted((slots,) for slots in chosen if slots)) for chosen in product(*excess)}
    yield from sorted(found)


def _all(by_node: dict[str, tuple[Pod, ...]]) -> tuple[Pod, ...]:
    return tuple(pod for pods in by_node.values() for pod in pods)


def target_nodes(duplicates: tuple[Pod, ...], view: View) -> tuple[Node, ...]:
    """Return the nodes to which some of the duplicates could go, of those that have more than one such node.

    descheduler 0.36: removeduplicates.go, getTargetNodes.
    """
    found: set[Node] = set()
    for pod in duplicates:
        matching = {node for node in view.nodes if not untolerated(pod, node) and required_node_affinity(pod, node)}
        found |= matching if len(matching) > 1 else set()
    return tuple(sorted(found, key=lambda node: node.name))
