"""What tla/ does not know of resource claims and devices: `refuse_devices` names the first thing that it finds."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from schedcheck.model.scenario import Scenario, grouping, permitting
from schedcheck.spec.device_objects import ALL, MOST_CONSUMERS, NO_DEVICES, Devices, ResourceSlice
from schedcheck.spec.devices.effects import deallocated
from schedcheck.spec.kubernetes.departures import NO_DEPARTURES, Departure, Departures
from schedcheck.spec.kubernetes.filters.dynamic_resources import unmodelled
from schedcheck.spec.values import Amounts
from schedcheck.tla_export.devices import claiming
from schedcheck.tla_export.text import NotExportable

NO_MODULE = "which no module of tla/ knows"


def refuse_devices(scenario: Scenario, departures: Departures) -> None:
    """Raises: NotExportable if the decisions depend on something about devices that tla/ does not know."""
    if scenario.devices == NO_DEVICES:
        return
    for why in _unmodelled(scenario, departures):
        raise NotExportable(why)
    if not claiming(scenario):
        return
    for what in (*_of_pods(scenario), *_of_slices(scenario.devices), *_of_claims(scenario)):
        raise NotExportable(f"{what}, {NO_MODULE}")
    if Departure.INCOMPLETE_POOLS_SERVE in departures:
        for what in _ending_searches(scenario.devices, departures):
            raise NotExportable(f"{what}, {NO_MODULE}")


def _ending_searches(devices: Devices, departures: Departures) -> Iterator[str]:
    """Yield what may make a pool invalid where a search that comes to it ends in an error."""
    every = ((each.driver, each.pool, device.name) for each in devices.slices for device in each.devices)
    names = Counter(every)
    for name in sorted("/".join(name) for name, number in names.items() if number > 1):
        yield f"the device {name} occurs twice, which ends a search in an error"
    if Departure.PARTITIONABLE_DEVICES_UNUSED not in departures:
        counting = (each for each in devices.slices if each.counters or any(one.consumes for one in each.devices))
        yield from (
            f"shared counters in the slice {each.name}, which may end a search in an error" for each in counting
        )


def _unmodelled(scenario: Scenario, departures: Departures) -> Iterator[str]:
    """Yield what the definitions in Python do not model, with the departures and without, while claims are allocated or not."""
    free = replace(scenario.devices, claims=tuple(map(deallocated, scenario.devices.claims)))
    for pod in scenario.pods:
        for devices in (scenario.devices, free):
            for some in (departures, NO_DEPARTURES):
                feature = unmodelled(pod, devices, some)
                if feature:
                    yield f"pod {pod} depends on what is not modelled: {feature}"


def _of_pods(scenario: Scenario) -> Iterator[str]:
    if permitting(scenario) or grouping(scenario):
        yield "resource claims beside gangs"
    for pod in scenario.pods:
        names = [each.claim for each in pod.resource_claims if each.claim]
        if len(set(names)) < len(names):
            yield f"pod {pod} has a resource claim twice"
    for claim in scenario.devices.claims:
        if len(claim.reserved_for) + len(scenario.pods) >= MOST_CONSUMERS:
            yield f"the claim {claim} may be reserved for {MOST_CONSUMERS} pods"


def _of_slices(devices: Devices) -> Iterator[str]:
    for each in devices.slices:
        of = f"in the slice {each.name}"
        if _repeated(each.counters):
            yield f"a counter set that occurs twice {of}"
        yield from _of_devices(each, of)


def _of_devices(each: ResourceSlice, of: str) -> Iterator[str]:
    for device in each.devices:
        if any(list(policy.values) != sorted(policy.values) for policy in device.policies.values()):
            yield f"validValues out of order of the device {device.name} {of}"
        if _repeated(device.consumes):
            yield f"a counter set that occurs twice in consumesCounters of the device {device.name} {of}"
        if device.conditional:
            yield f"bindingConditions of the device {device.name} {of}"


def _of_claims(scenario: Scenario) -> Iterator[str]:
    for claim in scenario.devices.claims:
        parts = [part for request in claim.requests for _, part in request.parts]
        for part in parts:
            if part.mode == ALL and claim.constraints:
                yield f"allocationMode All beside constraints of the claim {claim}"


def _repeated(counters: tuple[tuple[str, Amounts], ...]) -> bool:
    names = [name for name, _ in counters]
    return len(set(names)) < len(names)
