"""The features of dynamic resource allocation that are on, and older behaviour: `Gates`."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Gates:
    """What the allocator supports; the defaults are those of Kubernetes 1.37.

    `taints`: DRADeviceTaints. `partitionable`: DRAPartitionableDevices. `consumable`: DRAConsumableCapacity.
    `binding_conditions`: DRADeviceBindingConditions. `extended_resources`: DRAExtendedResource. The other fields are
    behaviour of old versions.
    """

    taints: bool = True
    partitionable: bool = True
    consumable: bool = True
    binding_conditions: bool = True
    extended_resources: bool = True
    incomplete_pools_serve: bool = False
    """An exact count takes devices of incomplete pools too, and only the slices for the node count as the pool's."""
    invalid_pools_fail: bool = False
    """A search that comes to an invalid pool ends in an error."""
    pools_in_any_order: bool = False
    """Pools are searched in random order, and alternatives that ask for all devices are mixed up."""
    plain_messages: bool = False
    """Errors name the claim alone, neither the request nor the device; up to 1.36."""
    plain_owners: bool = False
    """A claim of another pod is refused in the words of 1.34 and 1.35."""
    counters_alone_serve: bool = False
    """A slice with shared counters counts as one without them while DRAPartitionableDevices is off; in 1.34."""
    alternatives_unrated: bool = False
    """Which of its alternatives a request gets does not matter for the choice of the node; in 1.34."""


NEWEST = Gates()
