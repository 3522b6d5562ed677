"""The scale of the priorities, 0 to 10, and the requests that several use: `Scores`, `HIGHEST`, `nonzero_requested`.

Kubernetes 1.6: plugin/pkg/scheduler/algorithm/priorities/util/non_zero.go.
"""

from collections.abc import Mapping
from typing import Final

from schedcheck.spec.binding import occupants
from schedcheck.spec.classic.predicates.pod_fits_resources import asked
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Container, Node, Pod, Snapshot

HIGHEST: Final = 10
"""The score of the most preferred node; the least preferred has 0."""

Scores = Mapping[str, int]
"""A score for each node, by node name."""

UNSAID: Final = {"cpu": 100, "memory": 200 * 1024 * 1024}
"""The requests assumed for a container that names none: a tenth of a cpu, 200 MiB."""


def nonzero(container: Container, resource: str) -> int:
    """Return the request of a container, even if it is 0; the default if it names none."""
    return asked(container, resource) if resource in container.requests else UNSAID[resource]


def nonzero_requested(pod: Pod, node: Node, snapshot: Snapshot, resource: str) -> int:
    """Return the sum of these requests over the containers of `pod` and the pods on `node`, without init containers."""
    pods = (pod, *occupants(node, snapshot, NO_FAULTS))
    return sum(nonzero(container, resource) for each in pods for container in each.containers)
