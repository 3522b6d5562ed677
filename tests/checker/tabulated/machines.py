"""Two nodes of a Ray cluster on this machine"""

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from schedcheck.checker.tabulated.distributed.team import SETTINGS

OBJECTS = 80 << 20
"""The memory for objects of each node, in bytes: the least that Ray takes, with some room."""


@contextmanager
def two_nodes() -> Iterator[Any]:
    """A cluster of two nodes of one core each, to which this process is connected."""
    os.environ.update({**SETTINGS, "RAY_raylet_start_wait_time_s": "300"})  # on a busy machine it takes long
    import ray
    from ray.cluster_utils import Cluster

    node = {"num_cpus": 1, "object_store_memory": OBJECTS}
    cluster = Cluster(
        initialize_head=True, head_node_args={**node, "include_dashboard": False}, connect=False, shutdown_at_exit=False
    )
    try:
        cluster.add_node(**node)
        ray.init(address=cluster.address, log_to_driver=False, logging_level=logging.ERROR)
        yield cluster
    finally:
        processes = [
            each.process for made in cluster.list_all_nodes() for some in made.all_processes.values() for each in some
        ]
        ray.shutdown()
        cluster.shutdown()
        for process in processes:
            process.wait()
