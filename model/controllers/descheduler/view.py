"""What the descheduler sees at one moment: `View`."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from schedcheck.model.descheduling import Descheduler
from schedcheck.spec.binding import completed
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.selectors import selects
from schedcheck.spec.terms import LabelSelector


@dataclass(frozen=True)
class View:
    """A snapshot, as the descheduler looks at it."""

    snapshot: Snapshot
    descheduler: Descheduler

    @cached_property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes of a cycle: those that the policy selects and that are ready, cordoned or not."""
        return self.ready(self.descheduler.node_selector)

    def ready(self, selector: LabelSelector) -> tuple[Node, ...]:
        """Return the ready nodes with these labels.

        descheduler 0.36: pkg/descheduler/node/node.go, ReadyNodes and IsReady.
        """
        return tuple(
            node
            for node in self.snapshot.nodes
            if node.ready == "True" and selects(selector, node.labels, NO_FAULTS)
        )  # fmt: skip

    def pods_on(self, node: Node) -> tuple[Pod, ...]:
        """Return the pods on a node that have not ended.

        descheduler 0.36: pkg/descheduler/pod/pods.go, ListPodsOnANode.
        """
        return tuple(pod for pod in self.snapshot.pods_by_node.get(node.name, ()) if not completed(pod))

    def every_pod_on(self, node: Node) -> tuple[Pod, ...]:
        """Return the pods on a node, also those that have ended, but for those that were deleted since.

        descheduler 0.36: pkg/descheduler/pod/pods.go, ListAllPodsOnANode.
        """
        return tuple(pod for pod in self.snapshot.pods_by_node.get(node.name, ()) if not gone(pod))

    @cached_property
    def _owned(self) -> Counter[str]:
        of = self.descheduler.of
        there = (pod for pod in self.snapshot.pods if not gone(pod))
        return Counter(owned_by(pod.namespace, owner) for pod in there for owner in of(pod).owners)

    def replicas(self, pod: Pod) -> int:
        """Return the number of pods, in any phase, that have the first owner of `pod`."""
        owner = owned_by(pod.namespace, self.descheduler.of(pod).owners[0])
        return self._owned[owner] + self.descheduler.others.get(owner, 0)


def gone(pod: Pod) -> bool:
    """Whether a pod that had ended was deleted: its object stays in the state so that its owner does not create it again."""
    return completed(pod) and pod.terminating


def owned_by(namespace: str, owner: tuple[str, str, str]) -> str:
    """Return the uid of an owner; if it is not known, the namespace, kind and name."""
    kind, name, uid = owner
    return uid or f"{namespace}/{kind}/{name}"
