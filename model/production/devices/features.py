"""The features of dynamic resource allocation that a version has: `Features`, `features`."""

from dataclasses import dataclass

from schedcheck.spec.kubernetes.departures import Departure, Departures


@dataclass(frozen=True)
class Features:
    """The feature gates and the behaviour of a version."""

    device_taints: bool = False
    partitionable: bool = False
    consumable: bool = False
    binding_conditions: bool = False
    strict_pools: bool = False
    """Only complete and valid pools serve, and slices for other nodes count for completeness."""
    long_messages: bool = False
    """Errors name the request and the device."""
    long_owners: bool = False
    extended_resources: bool = False
    """Device classes back extended resources."""
    counters_need_gate: bool = False
    """A slice with shared counters is left out while partitionable devices are off."""


def features(departures: Departures) -> Features:
    """Return the features of the version with these departures."""
    newer = Departure.POOLS_IN_ANY_ORDER not in departures
    return Features(
        device_taints=Departure.DEVICE_TAINTS_IGNORED not in departures,
        partitionable=Departure.PARTITIONABLE_DEVICES_UNUSED not in departures,
        consumable=Departure.CONSUMABLE_CAPACITY_UNUSED not in departures,
        binding_conditions=Departure.BINDING_CONDITIONS_IGNORED not in departures,
        strict_pools=Departure.INCOMPLETE_POOLS_SERVE not in departures,
        long_messages=Departure.DEVICES_UNMENTIONED not in departures,
        long_owners=newer,
        extended_resources=Departure.EXTENDED_RESOURCES_UNCLAIMED not in departures,
        counters_need_gate=Departure.INCOMPLETE_POOLS_SERVE not in departures,
    )
