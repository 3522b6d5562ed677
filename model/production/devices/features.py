"""The features of dynamic resource allocation that a version has: `Features`."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Features:
    """The feature gates and the behaviour of a version; the defaults are those of Kubernetes 1.34."""

    device_taints: bool = False
    partitionable: bool = False
    consumable: bool = False
    binding_conditions: bool = False
    extended_resources: bool = False
    strict_pools: bool = False
    """Only complete and valid pools serve, and slices for other nodes count for completeness."""
    long_messages: bool = False


OF_1_34 = Features()
