"""A choice of devices for claims, and whether it is possible: `Choice`, `possible`.

A choice gives each request of each claim an alternative (0 for a request without alternatives) and a set of devices. It is
possible if each device may serve its request, no device serves two requests, and constraints, counters and limits hold.

Kubernetes 1.37: Allocate in k8s.io/dynamic-resource-allocation/structured/internal/incubating/allocator_incubating.go.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from frozendict import frozendict

from schedcheck.spec.cel.device_selectors import selected
from schedcheck.spec.cel.values import CelError
from schedcheck.spec.device_objects import (
    ALL,
    MOST_RESULTS,
    Attribute,
    Constraint,
    Device,
    Devices,
    DeviceTaint,
    DeviceToleration,
    Request,
    ResourceClaim,
)
from schedcheck.spec.devices.capacities import acceptable, consumption
from schedcheck.spec.devices.gates import Gates
from schedcheck.spec.devices.pools import Id, Offered, Pool, at
from schedcheck.spec.objects import Node
from schedcheck.spec.values import NO_AMOUNTS, Amounts

NO_SHARES: frozendict[Id, Amounts] = frozendict()

Slot = tuple[int, int]
"""A request: the number of its claim, and its number in the claim."""


@dataclass(frozen=True)
class Situation:
    """What an allocation depends on: the node and its pools, the claims to be allocated, and devices already allocated."""

    node: Node
    devices: Devices
    claims: tuple[ResourceClaim, ...]
    pools: tuple[Pool, ...]
    allocated: frozenset[Id]
    gates: Gates
    shares: frozendict[Id, Amounts] = NO_SHARES
    """What claims consume already of devices that are allocated several times."""

    def slots(self) -> tuple[Slot, ...]:
        r"""Return every request, in order.

        TLA+: SlotsFrom(Claims, i) ==
                IF i > Len(Claims) THEN <<>>
                ELSE [j \in DOMAIN Claims[i].Requests |-> <<i, j>>] \o SlotsFrom(Claims, i + 1)
        """
        return tuple((i, j) for i, claim in enumerate(self.claims) for j in range(len(claim.requests)))

    def request(self, slot: Slot, alternative: int) -> Request:
        """Return the request, or this alternative of it.

        TLA+: AskingAt(Situation, k) ==
                LET Slot == Situation.Slots[k]
                IN Situation.Claims[Slot[1]].Requests[Slot[2]]

        TLA+: PartAt(Situation, Chosen, k) == AskingAt(Situation, k).Parts[Chosen[k].Alternative]
        """
        _, part = self.claims[slot[0]].requests[slot[1]].parts[alternative]
        return part

    def pool(self, driver: str, name: str) -> Pool:
        """Return the pool of this driver and name."""
        return next(pool for pool in self.pools if (pool.driver, pool.name) == (driver, name))


@dataclass(frozen=True)
class Chosen:
    """The alternative of a request and its devices, in the order in which they are tried."""

    alternative: int
    offered: tuple[Offered, ...]


Choice = tuple[Chosen, ...]
"""One `Chosen` for each request, in order."""


def tolerates(toleration: DeviceToleration, taint: DeviceTaint) -> bool:
    r"""Whether the toleration covers the taint: an empty effect covers all effects, an empty key all keys.

    TLA+: DeviceTolerated(Toleration, Taint) ==
            /\ Toleration.Effect \in {"", Taint.Effect}
            /\ Toleration.Key \in {"", Taint.Key}
            /\ \/ Toleration.Operator = "Exists"
               \/ Toleration.Operator \in {"", "Equal"} /\ Toleration.Value = Taint.Value
    """
    return (
        toleration.effect in ("", taint.effect)
        and toleration.key in ("", taint.key)
        and (
            toleration.operator == "Exists"
            or (toleration.operator in ("", "Equal") and toleration.value == taint.value)
        )
    )


def untainted(device: Device, request: Request, gates: Gates) -> bool:
    r"""Whether the request tolerates each taint of the device that prevents allocation.

    TLA+: DeviceUntainted(Device, Part) ==
            \/ "device-taints-ignored" \in Departures
            \/ \A Taint \in {Each \in Device.Taints : Each.Effect \in {"NoSchedule", "NoExecute"}} :
                 \E Toleration \in Part.Tolerations : DeviceTolerated(Toleration, Taint)
    """
    return not gates.taints or all(
        any(tolerates(toleration, taint) for toleration in request.tolerations)
        for taint in device.taints
        if taint.effect in ("NoSchedule", "NoExecute")
    )


def selectable(request: Request, offered: Offered, situation: Situation) -> bool:
    r"""Whether the device satisfies the selectors of the class, then of the request, and is accessible from the node.

    Raises: CelError if an expression fails.

    TLA+: Selectable(Part, Offer) == Offer.Device.Number \in Part.Selected /\ Offer.Reached
    """
    found = situation.devices.device_class(request.device_class)
    expressions = (*(found.selectors if found is not None else ()), *request.selectors)
    return (
        (situation.gates.binding_conditions or not offered.device.conditional)
        and all(selected(expression, offered.slice.driver, offered.device) for expression in expressions)
        and (not offered.slice.per_device or at(offered.device.place, situation.node))
    )  # fmt: skip


def offers(situation: Situation) -> tuple[Offered, ...]:
    """Return the devices of all pools, in order."""
    return tuple(each for pool in situation.pools for each in pool.offered)


def every_device(request: Request, situation: Situation) -> tuple[Offered, ...]:
    r"""Return the devices that a request for all devices means. Raises: CelError if an expression fails.

    TLA+: EveryDevice(Situation, Part) ==
            {Offer \in Situation.Offered : Selectable(Part, Offer) /\ LargeEnough(Part, Offer.Device, <<>>)}
    """
    return tuple(
        each
        for each in offers(situation)
        if selectable(request, each, situation) and large_enough(request, each.device, NO_AMOUNTS, situation.gates)
    )


def several(device: Device, gates: Gates) -> bool:
    r"""Whether the device may be allocated several times.

    TLA+: Several(Device) == Device.Multiple /\ "consumable-capacity-unused" \notin Departures
    """
    return gates.consumable and device.multiple


def large_enough(request: Request, device: Device, before: Amounts, gates: Gates) -> bool:
    r"""Whether the capacities of the device cover what the request consumes, after what is consumed `before`.

    TLA+: LargeEnough(Part, Device, Before) ==
            \/ "consumable-capacity-unused" \in Departures
            \/ /\ Acceptable(Part, Device)
               /\ \A Name \in DOMAIN Device.Capacity :
                    Given(Before, Name) + Consumption(Part, Device)[Name] <= Device.Capacity[Name]
    """
    return not gates.consumable or (
        acceptable(request, device)
        and all(
            before.get(name, 0) + amount <= device.capacity[name]
            for name, amount in consumption(request, device).items()
        )
    )


def capacities_suffice(situation: Situation, choice: Choice) -> bool:
    r"""Whether the capacities of each chosen device cover all its allocations.

    TLA+: ConsumedBefore(Situation, Chosen, k, Offer) ==
            LET Places == {Place \in DOMAIN Situation.Shares : Situation.Shares[Place].Id = Offer.Id}
                Uses == {l \in 1..(k - 1) : Several(Offer.Device) /\ Offer \in DevicesAt(Chosen, l)}
                Held_(Name) == Sum([Place \in Places |-> Given(Situation.Shares[Place].Consumed, Name)])
                Earlier(Name) == Sum([l \in Uses |-> Consumption(PartAt(Situation, Chosen, l), Offer.Device)[Name]])
            IN [Name \in DOMAIN Offer.Device.Capacity |-> Held_(Name) + Earlier(Name)]

    TLA+: CapacitiesSuffice(Situation, Chosen) ==
            \A k \in DOMAIN Chosen : \A Offer \in DevicesAt(Chosen, k) :
              LargeEnough(PartAt(Situation, Chosen, k), Offer.Device, ConsumedBefore(Situation, Chosen, k, Offer))
    """
    before: dict[Id, Amounts] = dict(situation.shares)
    for slot, chosen in zip(situation.slots(), choice, strict=False):
        request = situation.request(slot, chosen.alternative)
        for each in chosen.offered:
            now = before.get(each.id, NO_AMOUNTS)
            if not large_enough(request, each.device, now, situation.gates):
                return False
            if several(each.device, situation.gates):
                before[each.id] = summed(now, consumption(request, each.device))
    return True


def summed(one: Amounts, other: Amounts) -> Amounts:
    """Return the sums of the amounts of each name."""
    return frozendict({name: one.get(name, 0) + other.get(name, 0) for name in {*one, *other}})


def admitted(request: Request, offered: Offered, situation: Situation) -> bool:
    r"""Whether the device is not allocated (admin access: or is), and its taints and counters allow an allocation.

    TLA+: Admitted(Part, Offer, Situation) ==
            /\ Part.Admin \/ Offer.Id \notin Situation.Taken
            /\ DeviceUntainted(Offer.Device, Part)
            /\ Offer.Device.Consumes = {} \/ "partitionable-devices-unused" \notin Departures
    """
    return (
        (request.admin or offered.id not in situation.allocated)
        and untainted(offered.device, request, situation.gates)
        and (situation.gates.partitionable or offered.device.consumes == ())
    )


def attribute(offered: Offered, name: str) -> Attribute | None:
    """Return the attribute of this qualified name; the domain of the driver may be left out in the device."""
    found = offered.device.attributes.get(name)
    domain, slash, own = name.partition("/")
    if found is None and slash and domain == offered.slice.driver:
        found = offered.device.attributes.get(own)
    return found


def covered(constraint: Constraint, request: str, alternative: str) -> bool:
    r"""Whether the constraint concerns the devices of a request, given by its name and that of its alternative, if any.

    TLA+: Covered(Constraint, Asking, Part) ==
            \/ Constraint.Requests = {}
            \/ Asking.Name \in Constraint.Requests
            \/ Part.Name \in Constraint.Requests
    """
    return (
        constraint.requests == ()
        or request in constraint.requests
        or (alternative != "" and f"{request}/{alternative}" in constraint.requests)
    )  # fmt: skip


def constrained(constraint: Constraint, concerned: Iterable[Offered]) -> bool:
    r"""Whether the devices satisfy the constraint: each has the attribute, all with one value or all with different ones.

    TLA+: Agreeing(Constraint, Uses) ==
            LET Has == {Use \in Uses : Constraint.Attribute \in DOMAIN Use[2].Device.Attributes}
                Values == {Use[2].Device.Attributes[Constraint.Attribute] : Use \in Has}
            IN /\ Has = Uses
               /\ IF Constraint.Distinct THEN Cardinality(Values) = Cardinality(Uses) ELSE Cardinality(Values) <= 1
    """
    values = [attribute(each, constraint.attribute) for each in concerned]
    if None in values:
        return False
    return len(set(values)) == len(values) if constraint.distinct else len(set(values)) <= 1


def constraints_hold(situation: Situation, choice: Choice) -> bool:
    r"""Whether the devices of each claim satisfy its constraints; `choice` may end before the last request.

    TLA+: ConstraintsHold(Situation, Chosen) ==
            \A i \in DOMAIN Situation.Claims : \A Constraint \in Situation.Claims[i].Constraints :
              Agreeing(Constraint, UsesBy(Chosen, {k \in DOMAIN Chosen :
                /\ Situation.Slots[k][1] = i
                /\ Covered(Constraint, AskingAt(Situation, k), PartAt(Situation, Chosen, k))}))
    """
    taken = list(zip(situation.slots(), choice, strict=False))
    return all(
        constrained(constraint, [each for slot, chosen in taken if _covers(situation, i, constraint, slot, chosen)
                                 for each in chosen.offered])
        for i, claim in enumerate(situation.claims)
        for constraint in claim.constraints
    )  # fmt: skip


def _covers(situation: Situation, claim: int, constraint: Constraint, slot: Slot, chosen: Chosen) -> bool:
    request = situation.claims[slot[0]].requests[slot[1]]
    alternative = request.alternatives[chosen.alternative].name if request.alternatives else ""
    return slot[0] == claim and covered(constraint, request.name, alternative)


def separate(situation: Situation, choice: Choice) -> bool:
    r"""Whether no device serves two requests.

    A request with admin access may use a device that an earlier request of another claim takes. A request without it may
    not use a device that any earlier request takes, even one with admin access.

    TLA+: DevicesAt(Chosen, k) == {Chosen[k].Devices[i] : i \in DOMAIN Chosen[k].Devices}

    TLA+: UsesBy(Chosen, Some) ==
            UNION {{<<k, Offer>> : Offer \in DevicesAt(Chosen, k)} : k \in Some}

    TLA+: WholeAt(Chosen, k) ==
            {Offer.Id : Offer \in {Each \in DevicesAt(Chosen, k) : ~Several(Each.Device)}}

    TLA+: Separate(Situation, Chosen) ==
            \A k \in DOMAIN Chosen : \A l \in 1..(k - 1) :
              \/ WholeAt(Chosen, k) \intersect WholeAt(Chosen, l) = {}
              \/ PartAt(Situation, Chosen, k).Admin /\ Situation.Slots[k][1] # Situation.Slots[l][1]
    """
    taken = [
        (slot, situation.request(slot, chosen.alternative).admin, each.id)
        for slot, chosen in zip(situation.slots(), choice, strict=False)
        for each in chosen.offered
        if not several(each.device, situation.gates)
    ]
    return all(
        device != earlier or (admin and slot[0] != before[0])
        for place, (slot, admin, device) in enumerate(taken)
        for before, _, earlier in taken[:place]
    )


def counters_suffice(situation: Situation, choice: Choice) -> bool:
    r"""Whether the counters of each pool cover what its chosen and its allocated devices consume.

    A pool none of whose chosen devices consumes counters may be overdrawn.

    TLA+: SharedDevices(Situation) ==
            {Situation.Shares[Place].Id : Place \in DOMAIN Situation.Shares}

    TLA+: Drawing(Situation, Chosen) ==
            LET Anew(k, Offer) ==
                  /\ Offer.Id \notin SharedDevices(Situation)
                  /\ \A l \in 1..(k - 1) : Offer \notin DevicesAt(Chosen, l)
            IN {Use \in UsesBy(Chosen, DOMAIN Chosen) : Several(Use[2].Device) => Anew(Use[1], Use[2])}

    TLA+: CountersSuffice(Situation, Chosen) ==
            \A Pool \in Situation.Pools :
              LET Uses == {Use \in Drawing(Situation, Chosen) : Use[2].Id[1] = Pool.Driver /\ Use[2].Id[2] = Pool.Name}
              IN (\A Use \in Uses : Use[2].Device.Consumes = {}) \/ CoveredBy(Pool, Situation, Uses)
    """
    every = [each for chosen in choice for each in chosen.offered]
    shared = {each.id: each for each in every if several(each.device, situation.gates)}
    chosen = [each for each in every if each.id not in shared]
    chosen += [each for each in shared.values() if each.id not in situation.shares]
    consuming = {(each.slice.driver, each.slice.pool) for each in chosen if each.device.consumes}
    in_use = situation.allocated | set(situation.shares)
    return all(_covered_by(situation.pool(*pool), in_use, chosen) for pool in sorted(consuming))


def _covered_by(pool: Pool, allocated: frozenset[Id], chosen: list[Offered]) -> bool:
    r"""Whether the counters of the pool cover its allocated devices and the chosen ones.

    TLA+: DrawnBy(Offer, Name, Counter) ==
            Sum([Part \in {Each \in Offer.Device.Consumes : Each.Name = Name} |-> Given(Part.Amounts, Counter)])

    TLA+: CoveredBy(Pool, Situation, Uses) ==
            LET InUse == Situation.Taken \union SharedDevices(Situation)
                Every == Uses \union {<<0, Offer>> : Offer \in {Each \in Pool.Everywhere : Each.Id \in InUse}}
            IN \A Counters \in Pool.Counters : \A Counter \in DOMAIN Counters.Amounts :
                 Sum([Use \in Every |-> DrawnBy(Use[2], Counters.Name, Counter)]) <= Counters.Amounts[Counter]
    """
    using = [each for each in pool.everywhere if each.id in allocated]
    using += [each for each in chosen if (each.slice.driver, each.slice.pool) == (pool.driver, pool.name)]
    return all(
        sum(part.get(counter, 0) for each in using for name, part in each.device.consumes if name == counters) <= amount
        for counters, amounts in pool.counters.items()
        for counter, amount in amounts.items()
    )


def small_enough(situation: Situation, choice: Choice) -> bool:
    r"""Whether no claim gets more than `MOST_RESULTS` devices.

    TLA+: SmallEnough(Situation, Chosen) ==
            \A i \in DOMAIN Situation.Claims :
              LET Own == {k \in DOMAIN Chosen : Situation.Slots[k][1] = i}
              IN Sum([k \in Own |-> Len(Chosen[k].Devices)]) <= MostResults
    """
    return all(
        sum(len(chosen.offered) for slot, chosen in zip(situation.slots(), choice, strict=False) if slot[0] == i)
        <= MOST_RESULTS
        for i in range(len(situation.claims))
    )


def served(situation: Situation, slot: Slot, chosen: Chosen) -> bool:
    """Whether the request gets as many devices as it asks for, each admitted and satisfying its selectors.

    Raises: CelError if an expression fails.
    """
    request = situation.request(slot, chosen.alternative)
    wanted = every_device(request, situation) if request.mode == ALL else ()
    return (
        (set(chosen.offered) == set(wanted) != set() if request.mode == ALL else len(chosen.offered) == request.count)
        and len({each.id for each in chosen.offered}) == len(chosen.offered)
        and all(admitted(request, each, situation) for each in chosen.offered)
        and (request.mode == ALL or all(selectable(request, each, situation) for each in chosen.offered))
    )


def possible(situation: Situation, choice: Choice) -> bool:
    """Whether the choice serves every request. An expression that fails does not select the device."""
    try:
        serves = all(served(situation, *each) for each in zip(situation.slots(), choice, strict=True))
    except (CelError, ValueError):
        return False
    return serves and consistent(situation, choice)


def consistent(situation: Situation, choice: Choice) -> bool:
    r"""Whether the requests that the choice serves, up to some request, can be served together.

    TLA+: Consistent(Situation, Chosen) ==
            /\ Separate(Situation, Chosen)
            /\ ConstraintsHold(Situation, Chosen)
            /\ CountersSuffice(Situation, Chosen)
            /\ CapacitiesSuffice(Situation, Chosen)
            /\ SmallEnough(Situation, Chosen)
    """
    return (
        separate(situation, choice)
        and constraints_hold(situation, choice)
        and counters_suffice(situation, choice)
        and capacities_suffice(situation, choice)
        and small_enough(situation, choice)
    )  # fmt: skip
