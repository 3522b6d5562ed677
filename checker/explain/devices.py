"""The requests of a pod's claims that a node cannot meet, with the numbers of devices: `Lack`, `lacks`, `together`."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from schedcheck.spec.cel.values import CelError
from schedcheck.spec.device_objects import ALL, Devices, Request, ResourceClaim
from schedcheck.spec.devices.allocations import Failure, NotOnNode, outcome, situation_of
from schedcheck.spec.devices.choices import Situation, admitted, offers, selectable
from schedcheck.spec.devices.claims import unallocated
from schedcheck.spec.devices.pools import Offered
from schedcheck.spec.kubernetes.departures import Departures
from schedcheck.spec.kubernetes.filters.dynamic_resources import gates, known
from schedcheck.spec.objects import Node, Pod


@dataclass(frozen=True)
class Lack:
    """A request, or an alternative of one, that a node cannot meet even alone.

    Of the devices that the pools of the node offer, `selected` satisfy the expressions of class and request, and `free` of
    these are not allocated and have no taint against it. `asked` is None if all devices are asked for.
    """

    claim: str
    request: str
    device_class: str
    selectors: tuple[str, ...]
    asked: int | None
    offered: int
    selected: int
    free: int

    @property
    def what(self) -> str:
        """What the request asks for, in words."""
        number = "all devices" if self.asked is None else f"{self.asked} device{'s' if self.asked > 1 else ''}"
        which = f" with {' and '.join(self.selectors)}" if self.selectors else ""
        return f"{number} of the class {self.device_class}{which}"


def lacks(pod: Pod, node: Node, devices: Devices, departures: Departures) -> tuple[Lack, ...]:
    """Return the requests of the pod's claims that the node cannot meet alone; empty if it can meet each of them."""
    return tuple(
        _lack(claim, name, part, node, devices, departures)
        for claim in unallocated(known(pod, devices, departures))
        for request in claim.requests
        if not _met(_alone(claim, request), node, devices, departures)
        for name, part in request.parts
    )


def _alone(claim: ResourceClaim, request: Request) -> ResourceClaim:
    return replace(claim, requests=(request,), constraints=())


def _met(claim: ResourceClaim, node: Node, devices: Devices, departures: Departures) -> bool:
    try:
        return outcome(situation_of(node, devices, (claim,), gates(departures))) is not None
    except (Failure, NotOnNode):
        return False


def _lack(claim: ResourceClaim, name: str, part: Request, node: Node, devices: Devices, departures: Departures) -> Lack:
    situation = situation_of(node, devices, (claim,), gates(departures))
    every = offers(situation)
    selected = [each for each in every if _selected(part, each, situation)]
    asked = None if part.mode == ALL else part.count
    free = sum(admitted(part, each, situation) for each in selected)
    return Lack(str(claim), name, part.device_class, part.selectors, asked, len(every), len(selected), free)


def _selected(part: Request, offered: Offered, situation: Situation) -> bool:
    """Whether the expressions select the device; one that fails does not."""
    try:
        return selectable(part, offered, situation)
    except CelError:
        return False


def together(found: Iterable[Iterable[Lack]]) -> tuple[Lack, ...]:
    """Return the requests that every one of these nodes lacks devices for, with the greatest numbers that a node has."""
    each_node = [{(lack.claim, lack.request): lack for lack in of_node} for of_node in found]
    common = set.intersection(*(set(of_node) for of_node in each_node)) if each_node else set()
    return tuple(
        replace(
            each_node[0][key],
            offered=max(of_node[key].offered for of_node in each_node),
            selected=max(of_node[key].selected for of_node in each_node),
            free=max(of_node[key].free for of_node in each_node),
        )
        for key in sorted(common)
    )
