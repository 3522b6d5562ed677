"""The names of the nodes by zone, and their list, zone by zone in turn: `NodeTree`.

Kubernetes 1.34: pkg/scheduler/backend/cache/node_tree.go, GetZoneKey in k8s.io/component-helpers/node/topology.
"""

from itertools import chain, zip_longest

from schedcheck.spec.objects import Node

REGIONS = ("failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region")
ZONES = ("failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone")


def zone(node: Node) -> tuple[str, str]:
    """Return region and zone from the node's labels, empty if missing; the older label names are read first."""
    region = next((node.labels[key] for key in REGIONS if key in node.labels), "")
    return region, next((node.labels[key] for key in ZONES if key in node.labels), "")


class NodeTree:
    """Zones in the order in which they were added, and the nodes of each in the same way."""

    def __init__(self) -> None:
        self._zones: dict[tuple[str, str], dict[str, None]] = {}

    def __len__(self) -> int:
        return sum(map(len, self._zones.values()))

    def add(self, node: Node) -> None:
        """Add a node to its zone, if it is not there."""
        self._zones.setdefault(zone(node), {}).setdefault(node.name)

    def remove(self, node: Node) -> None:
        """Remove a node from its zone if it is there, and the zone if it is empty."""
        names = self._zones.get(zone(node), {})
        names.pop(node.name, None)
        if not names:
            self._zones.pop(zone(node), None)

    def update(self, before: Node | None, after: Node) -> None:
        """Move a node to its new zone; a node whose zone stays the same keeps its place."""
        if before is not None and zone(before) == zone(after) and before.name in self._zones.get(zone(before), {}):
            return
        if before is not None:
            self.remove(before)
        self.add(after)

    def names(self) -> list[str]:
        """Return the first node of each zone, then the second of each, and so on."""
        rounds = zip_longest(*self._zones.values())
        return [name for name in chain.from_iterable(rounds) if name is not None]
