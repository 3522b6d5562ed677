"""The scheduler of a KubeSchedulerConfiguration: `configured`.

Kubernetes 1.34: New and buildExtenders in pkg/scheduler/scheduler.go.
"""

from collections.abc import Callable, Iterable
from typing import Any

from schedcheck.model.production.cycle.scheduler import Scheduler
from schedcheck.model.production.extenders.as_read import NOT_READ, AsRead
from schedcheck.model.production.extenders.http import HttpExtender, Transport, posted
from schedcheck.model.production.framework.handle import Client
from schedcheck.model.production.framework.registry import Registry
from schedcheck.model.production.plugins.default_registry import default_registry
from schedcheck.model.production.queue.queued_pod import Backoff
from schedcheck.spec.extender_configuration import Extender
from schedcheck.spec.kubernetes.configuration import Configuration
from schedcheck.spec.objects import Pod


def configured(
    configuration: Configuration,
    client: Client,
    clock: Callable[[], float],
    *,
    registry: Registry | None = None,
    transport: Callable[[Extender], Transport] = posted,
    read: AsRead = NOT_READ,
    **options: Any,
) -> Scheduler:
    """Return the scheduler with its profiles, extenders and backoffs; `transport` makes the connection to an extender.

    Extenders get pods and nodes as they were `read`; those that were not read with the fields of their values alone.

    Raises: FrameworkError if a profile cannot be built, ExtenderError if an extender could never be reached.
    """

    def on(node: str) -> Iterable[Pod]:
        info = scheduler.cache.nodes.get(node)
        return () if info is None else [pod.pod for pod in info.pods.values()]

    scheduler = Scheduler(
        registry or default_registry(),
        configuration.profiles,
        client,
        clock,
        extenders=[HttpExtender(each, transport(each), on, read=read) for each in configuration.extenders],
        backoff=Backoff(float(configuration.pod_initial_backoff), float(configuration.pod_max_backoff)),
        **options,
    )
    return scheduler
