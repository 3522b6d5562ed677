"""The reference scenario as numbers, which each program is given in its own form."""

from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks.explore import PRIORITIES, REQUESTS, ROOMS, SELECTING, TOLERANT
from benchmarks.kivi import Json, write_files


class Space(NamedTuple):
    """The scenario with this many pods, numbered from 1. The property of behaviours is about the pod `asked`."""

    pods: int

    @property
    def priorities(self) -> tuple[int, ...]:
        """The priority of each pod."""
        return PRIORITIES[: self.pods]

    @property
    def requests(self) -> tuple[int, ...]:
        """The cpus that each pod requests."""
        return REQUESTS[: self.pods]

    @property
    def asked(self) -> int:
        """The first pod of the highest priority, which no other pod keeps from its turn for good."""
        return 1 + self.priorities.index(max(self.priorities))

    def admits(self, pod: int) -> tuple[int, ...]:
        """Return the numbers of the nodes whose labels and taints admit the pod, from 1."""
        return tuple(
            node for node in (1, 2, 3) if (pod not in SELECTING or node > 1) and (pod in TOLERANT or node < len(ROOMS))
        )

    def alike(self) -> tuple[tuple[int, ...], ...]:
        """Return the classes of several pods that differ in their numbers alone."""
        classes: dict[tuple[int, int, tuple[int, ...]], list[int]] = {}
        for pod in range(1, self.pods + 1):
            form = (self.priorities[pod - 1], self.requests[pod - 1], self.admits(pod))
            classes.setdefault(form, []).append(pod)
        return tuple(tuple(each) for each in classes.values() if len(each) > 1)


def manifests(space: Space) -> list[Json]:
    """Return the nodes and pods as manifests."""
    return [*map(_node, range(1, len(ROOMS) + 1)), *map(partial(_pod, space), range(1, space.pods + 1))]


def _node(number: int) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": f"n{number}", "labels": {"disk": "ssd"} if number > 1 else {}},
        "spec": {"taints": [{"key": "gpu", "effect": "NoSchedule"}] if number == len(ROOMS) else []},
        "status": {"allocatable": {"cpu": str(ROOMS[number - 1]), "memory": "16Gi", "pods": "110"}},
    }


def _pod(space: Space, number: int) -> Json:
    container = {
        "name": "main",
        "image": "pause:3.10",
        "resources": {"requests": {"cpu": str(space.requests[number - 1])}},
    }
    tolerations = [{"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}] if number in TOLERANT else []
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"p{number}"},
        "spec": {
            "priority": space.priorities[number - 1],
            "nodeSelector": {"disk": "ssd"} if number in SELECTING else {},
            "tolerations": tolerations,
            "containers": [container],
        },
    }


def write(space: Space, asked: str, folder: Path) -> None:
    """Write the scenario that asks for this property, and its objects, into a folder."""
    rules = {"absent": "all", "events": ["arrive", "complete", "cordon", "uncordon"]}
    spec = {"profile": "corrected", "ratedResource": "cpu", **rules, "properties": [asked]}
    write_files(manifests(space), "reference", spec, folder)
