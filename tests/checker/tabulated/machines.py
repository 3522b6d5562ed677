"""Two nodes of a Ray cluster on this machine, of which the second can be lost: `Cluster`"""

import logging
import os
from collections.abc import Sequence
from typing import Any

from schedcheck.checker.machines.cluster import LOOPBACK, SETTINGS

OBJECTS = 80 << 20
"""The memory for objects of each node, in bytes: the least that Ray takes, with some room."""

NODE = {"num_cpus": 1, "object_store_memory": OBJECTS}


class Cluster:
    """Ray's own class for tests, and this process as its driver."""

    def __init__(self) -> None:
        # On a busy machine the start takes long.
        os.environ.update({**SETTINGS, **LOOPBACK, "RAY_raylet_start_wait_time_s": "300"})
        from ray import cluster_utils

        head = {**NODE, "include_dashboard": False}
        self._made = cluster_utils.Cluster(
            initialize_head=True, head_node_args=head, connect=False, shutdown_at_exit=False
        )
        self._second: Any = None

    def __enter__(self) -> "Cluster":
        import ray

        self.again()
        ray.init(address=self._made.address, log_to_driver=False, logging_level=logging.ERROR)
        return self

    def __exit__(self, *raised: object) -> None:
        import ray

        nodes = self._made.list_all_nodes()
        processes = [each.process for node in nodes for some in node.all_processes.values() for each in some]
        ray.shutdown()
        self._made.shutdown()
        for process in processes:
            process.wait()

    def again(self) -> None:
        """Start the second node unless it is there."""
        if self._second is None:
            self._second = self._made.add_node(**NODE)

    def lose(self) -> None:
        """Kill the second node."""
        self._second, node = None, self._second
        self._made.remove_node(node, allow_graceful=False)

    def second(self) -> str:
        """Return the name of the second node; "none" if it is lost."""
        return "none" if self._second is None else str(self._second.node_id)

    def ready(self) -> None:
        """Wait until the second node has a worker."""
        import ray
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        there = NodeAffinitySchedulingStrategy(self.second(), soft=False)
        ray.get(ray.remote(num_cpus=1, scheduling_strategy=there)(lambda: None).remote())

    def second_node(self, actors: Sequence[Any]) -> list[int]:
        """Return the processes of those actors that are on the second node."""
        import ray

        def place(part: Any) -> tuple[str, int]:
            return ray.get_runtime_context().get_node_id(), os.getpid()

        places = ray.get([actor.__ray_call__.remote(place) for actor in actors])
        return [process for node, process in places if node == self.second()]

    def interface(self) -> str:
        """Return the addresses of the nodes."""
        import ray

        return ", ".join(sorted({each["NodeManagerAddress"] for each in ray.nodes()}))
