"""The node lifecycle controller: taints by the condition Ready, and the deletion of pods that do not tolerate them.

Not modelled: the duration of tolerationSeconds (any delay is possible), and rate limits of evictions.
"""

from collections.abc import Iterator
from dataclasses import replace

from schedcheck.model.environment import NodeEvent, PodEvent, deleted, in_order
from schedcheck.model.scenario import Scenario
from schedcheck.spec.binding import completed
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Node, Pod, Taint
from schedcheck.spec.tolerations import match

NOT_READY = "node.kubernetes.io/not-ready"
UNREACHABLE = "node.kubernetes.io/unreachable"
EFFECTS = ("NoSchedule", "NoExecute")


class TaintEvict(PodEvent):
    """The deletion of a pod that does not tolerate a NoExecute taint of its node, or no longer does."""


class TaintByCondition(NodeEvent):
    """The update of a node's taints to match its condition Ready."""


def conditioned(node: Node) -> Node:
    """Return `node` with exactly the taints that its condition Ready calls for; its other taints stay."""
    key = {"False": NOT_READY, "Unknown": UNREACHABLE}.get(node.ready)
    others = [taint for taint in node.taints if taint.key not in (NOT_READY, UNREACHABLE)]
    return in_order(replace(node, taints=(*others, *(Taint(key, effect) for effect in EFFECTS if key))))


def tainted_by_condition(node: Node) -> Iterator[tuple[TaintByCondition, Node]]:
    """Yield the update of the node's taints: not-ready and unreachable become taints, and Ready removes them."""
    if (after := conditioned(node)) != in_order(node):
        yield TaintByCondition(node.name), after


def bears(pod: Pod, node: Node) -> bool:
    """Whether `pod` tolerates, without tolerationSeconds, every NoExecute taint of `node`."""
    return unborne(pod, node) == ()


def unborne(pod: Pod, node: Node) -> tuple[Taint, ...]:
    """Return the NoExecute taints of `node` that `pod` does not tolerate, or only for tolerationSeconds."""
    return tuple(
        taint
        for taint in node.taints
        if taint.effect == "NoExecute"
        and not any(
            toleration.seconds is None and match(toleration, taint, NO_FAULTS) for toleration in pod.tolerations
        )
    )


def evicted_by_taints(pod: Pod, node: Node, scenario: Scenario) -> Iterator[tuple[TaintEvict, Pod | None]]:
    """Yield the deletion of a pod that does not tolerate a NoExecute taint, or only for tolerationSeconds."""
    if not pod.terminating and not completed(pod) and not bears(pod, node):
        yield TaintEvict(str(pod)), deleted(pod, scenario)
