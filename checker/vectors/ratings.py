"""Raw scores by the resources and the images of all nodes: `fit`, `balances`, `localities`.

A resource is rated once for all nodes with the same amounts of it, and a node once for all with the same ratings.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Protocol

import numpy as np

from schedcheck.checker.vectors.classes import Mask, Numbers, combined
from schedcheck.checker.vectors.cluster import LARGE, Cluster
from schedcheck.spec.kubernetes.departures import Departure, Departures
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.kubernetes.scores.arithmetic import HIGHEST
from schedcheck.spec.kubernetes.scores.balanced_allocation import balance
from schedcheck.spec.kubernetes.scores.image_locality import image_size, locality, worth
from schedcheck.spec.kubernetes.scores.node_resources_fit import Strategy, looked_at, rating_of
from schedcheck.spec.objects import Snapshot


class Rooms(Protocol):
    """Nodes, and amounts on each of them."""

    @property
    def infos(self) -> Sequence[NodeInfo]:
        """The nodes."""

    def __len__(self) -> int:
        """Return the number of nodes."""

    def allocatable(self, resource: str) -> Numbers:
        """Return the allocatable amounts."""

    def requested(self, resource: str, departures: Departures) -> Numbers:
        """Return the sums of what the pods use."""

    def rated_use(self, resource: str, departures: Departures) -> Numbers:
        """Return the sums of the amounts by which the pods are scored."""


Wanted = Mapping[str, int]
"""The amount that the pod wants of each rated resource."""


def fit(there: Rooms, wanted: Wanted, strategy: Strategy, departures: Departures) -> Numbers:
    """Return the scores of NodeResourcesFit."""
    use = {name: there.rated_use(name, departures) for name in wanted}

    def rated(name: str) -> Iterator[Numbers | Mask]:
        room = there.allocatable(name)
        alike = combined((use[name], room), len(there))
        amounts = ((int(use[name][place]), int(room[place])) for place in alike.first)
        yield alike.expanded([strategy.rating(used + wanted[name], size) if size else 0 for used, size in amounts])
        yield room == 0

    alike = combined(chain.from_iterable(map(rated, wanted)), len(there))
    found = (({name: int(use[name][place]) for name in wanted}, there.infos[place].node) for place in alike.first)
    return alike.expanded([rating_of(used, wanted, node, strategy) for used, node in found])


def balances(there: Rooms, wanted: Wanted, departures: Departures) -> Numbers:
    """Return the scores of NodeResourcesBalancedAllocation.

    Nodes with two rated resources are rated together, in the floats of the definition; other nodes in classes.
    """
    taken = {name: there.requested(name, departures) for name in wanted}
    room = {name: there.allocatable(name) for name in wanted}
    rated = [name for name in wanted if looked_at(name, wanted[name])]
    if len(rated) == 2 and not any(_large(taken[name], room[name], wanted[name]) for name in rated):
        both = (room[rated[0]] != 0) & (room[rated[1]] != 0)
        whole = {name: np.where(both, room[name], 1) for name in rated}
        found = _closeness([_shares(taken[name] + wanted[name], whole[name]) for name in rated])
        if Departure.BALANCED_WITH_THE_POD_ALONE not in departures:
            before = _closeness([_shares(taken[name], whole[name]) for name in rated])
            found = HIGHEST // 2 + (HIGHEST // 2 + found - before) // 2
    else:
        both, found = np.zeros(len(there), np.bool_), np.zeros(len(there), np.int64)
    left = np.flatnonzero(~both)
    alike = combined((column[left] for name in wanted for column in (taken[name], room[name])), len(left))

    def rating(place: int) -> int:
        used = {name: int(taken[name][place]) for name in wanted}
        return balance(used, wanted, there.infos[place].node, tuple(wanted), departures)

    found[left] = alike.expanded([rating(place) for place in left[alike.first].tolist()])
    return found


def _closeness(shares: "list[np.typing.NDArray[np.float64]]") -> Numbers:
    """Return how close two shares of each node are to each other."""
    one, other = shares
    return ((1 - np.abs((one - other) / 2)) * float(HIGHEST)).astype(np.int64)


def _large(taken: Numbers, room: Numbers, wanted: int) -> bool:
    return wanted >= LARGE or taken.dtype == object or room.dtype == object


def _shares(used: Numbers, room: Numbers) -> "np.typing.NDArray[np.float64]":
    return np.minimum(used.astype(np.float64) / room.astype(np.float64), 1.0)


def localities(there: Cluster, wanted: tuple[str, ...], number: int, snapshot: Snapshot) -> Numbers:
    """Return the scores of ImageLocality for a pod with these images, of which `number` count."""
    here = np.zeros(len(there), np.int64)
    for name in wanted:
        holders = there.holders(name)
        if len(holders):
            first = replace(snapshot, nodes=(there.infos[holders[0]].node,))
            here[holders] += worth(image_size(name, first), len(holders), len(there))
    alike = combined((here,), len(there))
    return alike.expanded([locality(int(here[place]), number) for place in alike.first])
