"""What a KubeSchedulerConfiguration comes to once its defaults are filled in: `Configuration`, `Extender`.

Kubernetes 1.34: pkg/scheduler/apis/config/types.go.
"""

from dataclasses import dataclass

from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins

EXTENDER_TIMEOUT = 5 * 10**9
"""How long an extender is waited for, in nanoseconds, unless the configuration says."""


@dataclass(frozen=True)
class ManagedResource:
    """An extended resource that an extender manages; `ignored` by NodeResourcesFit if it says so."""

    name: str
    ignored: bool = False


@dataclass(frozen=True)
class Tls:
    """How an extender is reached over TLS. What is given as data goes before the file of the same."""

    insecure: bool = False
    server_name: str = ""
    cert_file: str = ""
    key_file: str = ""
    ca_file: str = ""
    cert_data: bytes = b""
    key_data: bytes = b""
    ca_data: bytes = b""


@dataclass(frozen=True)
class Extender:
    """A web service that is asked beside the plugins. An empty verb is one that it does not offer.

    `weight` multiplies its scores, `timeout` is in nanoseconds. Without managed resources every pod concerns it.
    """

    url_prefix: str
    filter_verb: str = ""
    preempt_verb: str = ""
    prioritize_verb: str = ""
    bind_verb: str = ""
    weight: int = 0
    enable_https: bool = False
    tls: Tls | None = None
    timeout: int = EXTENDER_TIMEOUT
    node_cache_capable: bool = False
    managed_resources: tuple[ManagedResource, ...] = ()
    ignorable: bool = False


@dataclass(frozen=True)
class Configuration:
    """The profiles, each for the pods of its scheduler name, and what they share.

    `extenders` are in the order in which they are asked: those that may be ignored come last. The backoffs are in
    seconds. `notes` say in one line each what in the file is not as it is meant to be today.
    """

    profiles: tuple[Plugins, ...] = (DEFAULT_PLUGINS,)
    extenders: tuple[Extender, ...] = ()
    parallelism: int = 16
    pod_initial_backoff: int = 1
    pod_max_backoff: int = 10
    notes: tuple[str, ...] = ()
