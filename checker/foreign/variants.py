"""More questions about a random cluster: its other pending pods, and the pod on full nodes: `variants`."""

from collections.abc import Collection, Iterator
from dataclasses import replace

from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Node, Pod, Snapshot

Question = tuple[Pod, Snapshot]


def variants(question: Question, kinds: Collection[str]) -> Iterator[Question]:
    """Yield the question, and others of these kinds about its cluster."""
    yield question
    pod, snapshot = question
    for other in snapshot.pods:
        if other.key != pod.key and not other.node_name and not other.terminating:
            yield other, snapshot
    if "preemption" in kinds and any(each.node_name for each in snapshot.pods):
        yield _crowded(question)


def _crowded(question: Question) -> Question:
    """Return the question with a pod that outranks all others, and with nodes that have room for no pod more."""
    pod, snapshot = question
    highest = replace(pod, priority=max(each.priority for each in snapshot.pods) + 1)
    pods = tuple(highest if each == pod else each for each in snapshot.pods)
    nodes = tuple(_full(node, snapshot) for node in snapshot.nodes)
    return highest, replace(snapshot, pods=pods, nodes=nodes)


def _full(node: Node, snapshot: Snapshot) -> Node:
    there = sum(not completed(each) for each in snapshot.pods_by_node.get(node.name, ()))
    return replace(node, allocatable=node.allocatable.set("pods", there))
