"""A Ray cluster and this process as its driver: `connected`, `cluster`"""

import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

from schedcheck.checker.limits.cores import cores
from schedcheck.checker.machines.machines import ClusterFailed, Machines

SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_DEDUP_LOGS": "0",
    "RAY_task_oom_retries": "5",
    "RAY_raylet_start_wait_time_s": "120",
}
"""Ray's settings: no statistics are sent, and processors other than the main one are left alone. What needs more memory
than a machine has is not tried without end, and a busy machine has time to start (Ray's own limit is 30 s)."""

LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
"""Ray's setting for a single machine: its servers listen on the loopback interface only."""

WAIT = 10.0
"""The seconds in which the cluster must accept a connection."""


def reached(machines: Machines) -> None:
    """Raises ClusterFailed if Ray is not installed, or nothing listens at the address."""
    if find_spec("ray") is None or find_spec("fsspec") is None:
        raise ClusterFailed("ray is not installed; it comes with schedcheck[ray]")
    if ":" in machines.address:
        _answering(machines.address)


def number_of(machines: Machines) -> int:
    """Return the number of workers, once connected."""
    import ray

    return machines.workers or max(1, int(ray.cluster_resources().get("CPU", 1)))


def with_cores(machines: Machines) -> None:
    """Raises ClusterFailed if no machine of the cluster offers a core, as cases would wait for one without end."""
    import ray

    if ray.cluster_resources().get("CPU", 0) < 1:
        raise ClusterFailed(f"no machine of the Ray cluster at {machines.address} offers a core")


@contextmanager
def cluster(machines: Machines) -> Iterator[None]:
    """Connect to the cluster, and end it if it was started for this. Raises ClusterFailed."""
    reached(machines)
    own = connected(machines)
    try:
        yield
    finally:
        if own:
            import ray

            ray.shutdown()


def connected(machines: Machines) -> bool:
    """Connect to the cluster; return whether this process was not connected before. Raises ClusterFailed."""
    settings = SETTINGS if machines.address else SETTINGS | LOOPBACK
    os.environ.update({name: value for name, value in settings.items() if name not in os.environ})
    import ray

    if ray.is_initialized():
        return False
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if machines.address:
        options["address"] = machines.address
    else:
        # Otherwise a cluster that happens to run on this machine would be taken.
        options |= {"address": "local", "include_dashboard": False, "num_cpus": machines.workers or cores()}
    try:
        ray.init(**options)
    # Ray has no kind of its own for a cluster that does not start: some of its errors are bare exceptions.
    except Exception as error:
        raise ClusterFailed(f"no Ray cluster at {machines.address or 'this machine'}: {first_line(error)}") from None
    _silent()
    return True


def _silent() -> None:
    """Let Ray not print on standard output, which is for the answer, that a worker was lost. No option of it does so."""
    from ray._private import worker

    worker.print_to_stdstream = lambda *given, **options: None


def first_line(error: BaseException) -> str:
    """Return the first line of what is wrong; the kind of the error if it has no text."""
    return next(filter(None, map(str.strip, str(error).splitlines())), type(error).__name__)


def _answering(address: str) -> None:
    """Raises ClusterFailed if there is no server at HOST:PORT; Ray itself would wait some minutes for one."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), WAIT).close()
    except (OSError, OverflowError) as error:
        raise ClusterFailed(f"no Ray cluster at {address}: {getattr(error, 'strerror', None) or error}") from None
