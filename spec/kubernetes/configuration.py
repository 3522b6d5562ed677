"""A KubeSchedulerConfiguration with its defaults filled in: `Configuration`.

Kubernetes 1.34: pkg/scheduler/apis/config/types.go.
"""

from dataclasses import dataclass

from schedcheck.spec.extender_configuration import Extender
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins


@dataclass(frozen=True)
class Configuration:
    """The profiles, each for the pods of its schedulerName, and the settings that they share."""

    profiles: tuple[Plugins, ...] = (DEFAULT_PLUGINS,)
    extenders: tuple[Extender, ...] = ()  # in the order in which they are called: ignorable ones last
    parallelism: int = 16
    pod_initial_backoff: int = 1  # in seconds
    pod_max_backoff: int = 10  # in seconds
    notes: tuple[str, ...] = ()  # warnings about the file, one line each
