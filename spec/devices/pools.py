"""The pools whose devices are accessible from a node: `Pool`, `pools`.

A pool is the set of slices of one driver with one pool name. Only the slices of its newest generation count. A pool is
incomplete while a driver publishes it, and then serves no claim. Devices are in the order in which they are tried: by
driver and pool, name of the slice, and place in the slice.

Kubernetes 1.37: GatherPools in k8s.io/dynamic-resource-allocation/structured/internal/incubating/pools_incubating.go.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from frozendict import frozendict

from schedcheck.spec.device_objects import Device, Place, ResourceSlice
from schedcheck.spec.devices.gates import Gates
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Node
from schedcheck.spec.selectors import match_term
from schedcheck.spec.values import Amounts

Id = tuple[str, str, str]
"""A device: its driver, pool and name."""


NO_COUNTERS: frozendict[str, Amounts] = frozendict()


@dataclass(frozen=True)
class Offered:
    r"""A device that a pool offers to a node, with the slice that lists it.

    TLA+: OffersOf(Slice, Node) ==
            LET Where(Device) == IF Slice.PerDevice THEN Device ELSE Slice
                Terms(Device) == IF Where(Device).Terms = Null THEN {} ELSE Where(Device).Terms
            IN {[Id |-> <<Slice.Driver, Slice.Pool, Device.Name>>,
                 Device |-> Device,
                 Reached |-> ~Slice.PerDevice \/ SliceAt(Device, Node),
                 Local |-> Where(Device).NodeName # "" \/ Device.BindsToNode,
                 Terms |-> Terms(Device)] : Device \in Slice.Devices}
    """

    slice: ResourceSlice
    device: Device

    @property
    def id(self) -> Id:
        """The device: its driver, pool and name."""
        return self.slice.driver, self.slice.pool, self.device.name


@dataclass(frozen=True)
class Pool:
    """A pool as a node sees it.

    `offered` lists the devices in slices for the node, `everywhere` the devices of all slices of the pool. `invalid` says
    why no device may be allocated from it; empty if it is valid.
    """

    driver: str
    name: str
    incomplete: bool = False
    invalid: str = ""
    offered: tuple[Offered, ...] = ()
    everywhere: tuple[Offered, ...] = ()
    counters: frozendict[str, Amounts] = NO_COUNTERS

    def __str__(self) -> str:
        return f"{self.driver}/{self.name}"


def at(place: Place, node: Node) -> bool:
    r"""Whether devices in this place are accessible from the node.

    TLA+: SliceAt(Slice, Node) ==
            IF Slice.NodeName # "" THEN Slice.NodeName = Node.Name
            ELSE IF Slice.AllNodes \/ Slice.Terms = Null THEN Slice.AllNodes
            ELSE \E Term \in Slice.Terms : MatchTerm(Term, Node)
    """
    if place.node_name:
        return place.node_name == node.name
    if place.all_nodes or place.terms is None:
        return place.all_nodes
    return any(match_term(term, node, NO_FAULTS) for term in place.terms)


def relevant(each: ResourceSlice, node: Node, gates: Gates) -> bool:
    r"""Whether the slice has devices for the node.

    TLA+: Relevant(Slice, Node) ==
            /\ \/ "partitionable-devices-unused" \notin Departures
               \/ /\ ~Slice.SelectsNodes
                  /\ Slice.Counters = {} \/ "incomplete-pools-serve" \in Departures
            /\ IF Slice.NodeName # "" \/ Slice.AllNodes \/ Slice.Terms # Null THEN SliceAt(Slice, Node)
               ELSE Slice.PerDevice /\ \E Device \in Slice.Devices : SliceAt(Device, Node)
    """
    if not gates.partitionable and (each.per_device is not None or (each.counters and not gates.counters_alone_serve)):
        return False
    if each.place.node_name or each.place.all_nodes or each.place.terms is not None:
        return at(each.place, node)
    return bool(each.per_device) and any(at(device.place, node) for device in each.devices)


def pools(node: Node, slices: Iterable[ResourceSlice], gates: Gates) -> tuple[Pool, ...]:
    r"""Return the pools that have a slice for the node, ordered by driver and name.

    TLA+: PoolsOf(Node, Snapshot) ==
            LET Those == ResourceSlices(Snapshot)
                Together(Slice) == {Other \in Those : Other.Driver = Slice.Driver /\ Other.Pool = Slice.Pool}
            IN UNION {PoolOf(Every, Node) : Every \in {Together(Slice) : Slice \in Those}}
    """
    of_pool: dict[tuple[str, str], list[ResourceSlice]] = {}
    for each in slices:
        of_pool.setdefault((each.driver, each.pool), []).append(each)
    found = (_pool(sorted(there, key=lambda each: each.name), node, gates) for _, there in sorted(of_pool.items()))
    return tuple(pool for pool in found if pool is not None)


def _pool(slices: list[ResourceSlice], node: Node, gates: Gates) -> Pool | None:
    r"""Return the pool of these slices, ordered by name; None if no slice of its newest generation is for the node.

    TLA+: NewestOf(Some) ==
            {Slice \in Some : \A Other \in Some : Other.Generation <= Slice.Generation}

    TLA+: PoolOf(Every, Node) ==
            LET Here == NewestOf({Slice \in Every : Relevant(Slice, Node)})
                One == CHOOSE Slice \in Here : TRUE
                Serves == "incomplete-pools-serve" \in Departures
                Elsewhere == Cardinality(Here) # One.Slices /\ ~Serves
                Whole == IF Elsewhere THEN {Slice \in Every : Slice.Generation = One.Generation} ELSE Here
                Incomplete == Cardinality(Whole) # One.Slices
                Listing == UNION {OffersOf(Slice, Node) : Slice \in Here}
                Twice == Cardinality({Offer.Id : Offer \in Listing}) < Cardinality(Listing)
                Counted == "partitionable-devices-unused" \notin Departures
                Invalid == Twice \/ (Counted /\ Miscounted(Whole))
                Made(IsInvalid, Offering) ==
                  {[Driver |-> One.Driver, Name |-> One.Pool, Incomplete |-> Incomplete, Invalid |-> IsInvalid,
                    Offered |-> Offering,
                    Everywhere |-> UNION {OffersOf(Slice, Node) : Slice \in Whole},
                    Counters |-> UNION {Slice.Counters : Slice \in Whole}]}
            IN IF Here = {} THEN {}
               ELSE IF Elsewhere /\ \E Slice \in Every : Slice.Generation > One.Generation THEN {}
               ELSE IF Incomplete /\ ~Serves THEN Made(FALSE, {})
               ELSE Made(Invalid, IF Invalid THEN {} ELSE Listing)
    """
    here = [each for each in slices if relevant(each, node, gates)]
    generation = max((each.generation for each in here), default=0)
    here = [each for each in here if each.generation == generation]
    if not here:
        return None
    every = here
    if len(here) != here[0].slices and not gates.incomplete_pools_serve:
        if any(each.generation > generation for each in slices):
            return None
        every = [each for each in slices if each.generation == generation]
    incomplete = len(every) != here[0].slices
    if incomplete and not gates.incomplete_pools_serve:
        return Pool(here[0].driver, here[0].pool, incomplete=True)
    offered = tuple(Offered(each, device) for each in here for device in each.devices)
    counters = frozendict({name: amounts for each in every for name, amounts in each.counters})
    everywhere = tuple(Offered(each, device) for each in every for device in each.devices)
    why = invalid(here, every, gates)
    return Pool(here[0].driver, here[0].pool, incomplete, why, () if why else offered, everywhere, counters)


def invalid(here: list[ResourceSlice], every: list[ResourceSlice], gates: Gates) -> str:
    r"""Return why a pool is invalid: a name occurs twice in slices for the node, or a consumed counter is missing.

    TLA+: Miscounted(Whole) ==
            LET Known == UNION {Slice.Counters : Slice \in Whole}
                Names(Slice) == {Each.Name : Each \in Slice.Counters}
                Devices == UNION {Slice.Devices : Slice \in Whole}
            IN \/ \E One, Other \in Whole : One # Other /\ Names(One) \intersect Names(Other) # {}
               \/ \E Part \in UNION {Device.Consumes : Device \in Devices} : \A Each \in Known :
                    Each.Name # Part.Name \/ ~(DOMAIN Part.Amounts \subseteq DOMAIN Each.Amounts)
    """
    names = [device.name for each in here for device in each.devices]
    twice = next((name for place, name in enumerate(names) if name in names[:place]), None)
    if twice is not None:
        return f"duplicate device name {twice}"
    if not gates.partitionable:
        return ""
    sets = [name for each in every for name, _ in each.counters]
    twice = next((name for place, name in enumerate(sets) if name in sets[:place]), None)
    if twice is not None:
        return f"duplicate counter set name {twice}"
    known = {name: amounts for each in every for name, amounts in each.counters}
    consumed = [part for each in every for device in each.devices for part in device.consumes]
    for name, amounts in consumed:
        if name not in known:
            return f"counter set {name} not found"
        for counter in sorted(amounts):
            if counter not in known[name]:
                return f"counter {counter} not found in counter set {name}"
    return ""
