"""Capacities and counters of devices as numbers of TLA+: `divisors`.

TLC's integers have 32 bits. So the amounts of each capacity and of each counter are divided by their greatest common
divisor, in slices, requests, policies and allocations alike. This changes no comparison and no rounding to a policy. A
capacity that is nowhere requested, consumed or under a policy, and no capacity of a device that is allocated several
times, decides nothing and is left out.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import gcd

from frozendict import frozendict

from schedcheck.spec.device_objects import MOST_RESULTS, Device, Devices, Policy, Request
from schedcheck.spec.values import Amounts
from schedcheck.tla_export.amounts import within
from schedcheck.tla_export.text import Function, Record, Set, Value

Named = tuple[str, int]
"""An amount with the name of its capacity or counter."""


@dataclass(frozen=True)
class Divisors:
    """The divisors of the amounts of each capacity that matters, and of each counter."""

    capacities: Amounts
    counters: Amounts

    def capacity(self, amounts: Amounts) -> Function:
        """Return the amounts of capacities."""
        return _divided(amounts, self.capacities)

    def counter(self, amounts: Amounts) -> Function:
        """Return the amounts of counters."""
        return _divided(amounts, self.counters)

    def policies(self, device: Device) -> Function:
        """Return the request policies of the device."""
        return Function({name: _policy(each, self.capacities[name]) for name, each in device.policies.items()})

    def sets(self, counters: Iterable[tuple[str, Amounts]]) -> Set:
        """Return counter sets, or what a device consumes of them."""
        records = (Record({"Name": name, "Amounts": self.counter(amounts)}) for name, amounts in counters)
        return Set(tuple(records))


@lru_cache(maxsize=64)
def divisors(devices: Devices) -> Divisors:
    """Return the greatest divisors. Raises: NotExportable if a sum in TLC still exceeds its integers."""
    capacities, counters = tuple(_capacities(devices)), tuple(_counters(devices))
    found = Divisors(_greatest(capacities), _greatest(counters))
    results = MOST_RESULTS * max(1, len(devices.claims))
    # A request is rounded up to at most twice the greatest amount.
    _refuse("the capacity", capacities, found.capacities, 2 * results)
    number = sum(len(each.devices) for each in devices.slices)
    _refuse("the counter", counters, found.counters, number + results)
    return found


def _capacities(devices: Devices) -> Iterator[Named]:
    """Yield the amounts of capacities that matter."""
    every = [device for each in devices.slices for device in each.devices]
    asked = [_parts(request) for claim in devices.claims for request in claim.requests]
    held = [each.allocation.results for each in devices.claims if each.allocation is not None]
    told = [
        *((name, amount) for parts in asked for part in parts for name, amount in (part.capacity or {}).items()),
        *((name, amount) for results in held for result in results for name, amount in result.consumed.items()),
        *((name, amount) for device in every for name, each in device.policies.items() for amount in _amounts(each)),
        *((name, amount) for device in every if device.multiple for name, amount in device.capacity.items()),
    ]
    names = {name for name, _ in told}
    yield from told
    yield from ((name, amount) for device in every for name, amount in device.capacity.items() if name in names)


def _parts(request: Request) -> tuple[Request, ...]:
    return tuple(part for _, part in request.parts)


def _amounts(policy: Policy) -> Iterator[int]:
    """Yield every amount of a policy; zero for one without any."""
    yield 0
    yield from policy.values
    yield from (each for each in (policy.default, policy.minimum, policy.maximum, policy.step) if each is not None)


def _counters(devices: Devices) -> Iterator[Named]:
    for each in devices.slices:
        for _, amounts in (*each.counters, *(part for device in each.devices for part in device.consumes)):
            yield from amounts.items()


def _greatest(amounts: Iterable[Named]) -> Amounts:
    found: dict[str, int] = {}
    for name, amount in amounts:
        found[name] = gcd(found.get(name, 0), amount)
    return frozendict({name: divisor or 1 for name, divisor in found.items()})


def _refuse(what: str, amounts: Iterable[Named], by: Amounts, times: int) -> None:
    """Raises: NotExportable if this many amounts of one name may exceed TLC's integers."""
    for name, amount in amounts:
        within(times * amount // by[name], f"the amounts of {what} {name}")


def _divided(amounts: Amounts, by: Amounts) -> Function:
    return Function({name: amount // by[name] for name, amount in amounts.items() if name in by})


def _policy(policy: Policy, divisor: int) -> Record:
    def written(amount: int | None) -> Value:
        return None if amount is None else amount // divisor

    return Record(
        {
            "Default": written(policy.default),
            "Values": Set(tuple(amount // divisor for amount in policy.values)),
            "Minimum": written(policy.minimum),
            "Maximum": written(policy.maximum),
            "Step": written(policy.step),
        }
    )
