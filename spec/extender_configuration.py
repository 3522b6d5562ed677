"""The configuration of an extender, in the words that every scheduler with extenders shares: `Extender`.

Kubernetes 1.34: Extender in pkg/scheduler/apis/config/types.go; 1.17: the same in Policy.
"""

from dataclasses import dataclass

EXTENDER_TIMEOUT = 5 * 10**9
"""The default timeout of a call to an extender, in nanoseconds."""


@dataclass(frozen=True)
class ManagedResource:
    """An extended resource that an extender manages; if `ignored`, NodeResourcesFit does not check it."""

    name: str
    ignored: bool = False


@dataclass(frozen=True)
class Tls:
    """The TLS settings for the connection to an extender. Given data take precedence over the corresponding file."""

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
    """The configuration of an extender, a web service that is called in addition to the plugins."""

    url_prefix: str
    filter_verb: str = ""  # a verb that is empty is not offered
    preempt_verb: str = ""
    prioritize_verb: str = ""
    bind_verb: str = ""
    weight: int = 0  # multiplies its scores
    enable_https: bool = False
    tls: Tls | None = None
    timeout: int = EXTENDER_TIMEOUT  # in nanoseconds
    node_cache_capable: bool = False
    managed_resources: tuple[ManagedResource, ...] = ()  # empty: every pod concerns it
    ignorable: bool = False  # its errors are ignored
