"""The kubelet: it starts bound pods, and ends deleted ones.

Not modelled: readiness of a pod apart from its being started, and pod admission by the kubelet.
"""

from collections.abc import Iterator
from dataclasses import replace

from schedcheck.model.environment import PodEvent
from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Node, Pod


class Start(PodEvent):
    """The start of a bound pod by the kubelet of its ready node."""


class End(PodEvent):
    """The end of a deleted pod, by the kubelet of its node."""


def run(pod: Pod, node: Node | None) -> Iterator[tuple[Start | End, Pod | None]]:
    """Yield what the kubelet of `node` does to `pod`; `node` is None if the pod's node does not exist.

    The kubelet starts pods while the node is ready, and ends deleted pods even while it is not. The kubelet of an
    unreachable node does nothing.
    """
    if node is None or node.ready == "Unknown" or completed(pod):
        return
    if pod.terminating:
        yield End(str(pod)), None
    elif pod.phase == "Pending" and node.ready == "True":
        yield Start(str(pod)), replace(pod, phase="Running")
