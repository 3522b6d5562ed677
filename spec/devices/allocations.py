"""The allocations of the claims of a pod on a node: `allocations`, `outcome`.

The definition is a set: the possible choices in which no request could have had an earlier alternative. A request for
which a choice has an alternative could have had an earlier one if some possible choice has that one and gives the same
to all requests before it. Whether the set is empty does not depend on the order in which devices are tried. That order
matters if an expression fails: the search ends in an error when it comes to that device before it has found a choice.

Kubernetes 1.37: Allocate in k8s.io/dynamic-resource-allocation/structured/internal/incubating/allocator_incubating.go.
"""

from collections.abc import Iterable, Iterator

from frozendict import frozendict

from schedcheck.spec.cel.device_selectors import enhanced
from schedcheck.spec.cel.values import CelError
from schedcheck.spec.device_objects import (
    ALL,
    MOST_RESULTS,
    Allocation,
    Devices,
    Request,
    ResourceClaim,
    Result,
)
from schedcheck.spec.devices.capacities import consumption
from schedcheck.spec.devices.choices import (
    Choice,
    Chosen,
    Situation,
    admitted,
    capacities_suffice,
    consistent,
    constraints_hold,
    counters_suffice,
    every_device,
    large_enough,
    selectable,
    separate,
    several,
    small_enough,
    summed,
)
from schedcheck.spec.devices.gates import Gates
from schedcheck.spec.devices.pools import Id, Offered, Pool, pools
from schedcheck.spec.objects import Node
from schedcheck.spec.terms import NodeSelectorTerm, Requirement
from schedcheck.spec.values import NO_AMOUNTS, Amounts


class Failure(Exception):
    """Raised where kube-scheduler's allocator ends in an error; the message is its message."""


class NotOnNode(Exception):
    """Raised where the allocator gives up on this node alone; the message is its message."""


def situation_of(node: Node, devices: Devices, claims: tuple[ResourceClaim, ...], gates: Gates) -> Situation:
    r"""Return the situation in which these claims are to be allocated on the node.

    Devices allocated to any claim with admin access alone count as free.

    TLA+: HeldResults(Snapshot) ==
            LET Holding == {Claim \in ResourceClaims(Snapshot) : Claim.Allocation # Null}
                Places == UNION {{<<Claim, i>> : i \in DOMAIN Claim.Allocation.Results} : Claim \in Holding}
                Result(Place) == Place[1].Allocation.Results[Place[2]]
            IN [Place \in {Each \in Places : ~Result(Each).Admin} |-> Result(Place)]

    TLA+: SharesIn(Held_) ==
            LET Sharing == {Place \in DOMAIN Held_ : Held_[Place].Shared /\ "consumable-capacity-unused" \notin Departures}
            IN [Place \in Sharing |-> Held_[Place]]

    TLA+: SituationOf(Node, Claims, Snapshot) ==
            LET Pools == PoolsOf(Node, Snapshot)
                Held_ == HeldResults(Snapshot)
                Shares == SharesIn(Held_)
            IN [Node |-> Node,
                Claims |-> Claims,
                Slots |-> SlotsFrom(Claims, 1),
                Pools |-> Pools,
                Offered |-> UNION {Pool.Offered : Pool \in Pools},
                Unready |-> \E Pool \in Pools : Pool.Incomplete \/ Pool.Invalid,
                Taken |-> {Held_[Place].Id : Place \in DOMAIN Held_ \ DOMAIN Shares},
                Shares |-> Shares]
    """
    held = (claim.allocation for claim in devices.claims if claim.allocation is not None)
    taken = [result for allocation in held for result in allocation.results if not result.admin]
    shared = [result for result in taken if result.shared and gates.consumable]
    shares: dict[Id, Amounts] = {}
    for result in shared:
        shares[result.id] = summed(shares.get(result.id, NO_AMOUNTS), result.consumed)
    allocated = frozenset(result.id for result in taken if result not in shared)
    return Situation(
        node, devices, claims, pools(node, devices.near(node.name), gates), allocated, gates, frozendict(shares)
    )


def outcome(situation: Situation) -> Choice | None:
    r"""Return the first choice in the order in which devices are tried; None if there is none.

    Raises: Failure if the allocator ends in an error first; NotOnNode if it finds none and a pool is invalid.

    TLA+: Places(Taken_) == <<Taken_.Alternative>> \o [i \in DOMAIN Taken_.Devices |-> Taken_.Devices[i].Device.Number]

    TLA+: Sooner(One, Other) ==
            \E k \in DOMAIN One :
              /\ \A l \in 1..(k - 1) : One[l] = Other[l]
              /\ LET Mine == Places(One[k])
                     Theirs == Places(Other[k])
                 IN \E m \in DOMAIN Mine \intersect DOMAIN Theirs :
                      /\ \A n \in 1..(m - 1) : Mine[n] = Theirs[n]
                      /\ Mine[m] < Theirs[m]

    TLA+: FirstChoice(Situation) ==
            LET Every == Choices(Situation)
            IN CHOOSE Chosen \in Every : \A Other \in Every : Other = Chosen \/ Sooner(Chosen, Other)
    """
    checked(situation)
    first = next(choices(situation), None)
    if first is None and not situation.gates.invalid_pools_fail and any(pool.invalid for pool in situation.pools):
        raise NotOnNode("invalid resource pools were encountered")
    return first


def allocations(situation: Situation) -> frozenset[Choice]:
    r"""Return the allowed choices; empty if there is none or an error comes first.

    TLA+: Allocations(Situation) ==
            LET Every == Choices(Situation)
                Before(Chosen, k) == SubSeq(Chosen, 1, k - 1)
            IN IF Fails(Situation) THEN {}
               ELSE {Chosen \in Every : \A k \in DOMAIN Chosen : \A Other \in Every :
                      Before(Other, k) = Before(Chosen, k) => Chosen[k].Alternative <= Other[k].Alternative}
    """
    try:
        if outcome(situation) is None:
            return frozenset()
        return _preferred(choices(situation), situation)
    except (Failure, NotOnNode):
        return frozenset()


def _preferred(found: Iterator[Choice], situation: Situation) -> frozenset[Choice]:
    every = frozenset(_without_failures(found))
    first: dict[Choice, int] = {}
    for choice in every:
        for place, chosen in enumerate(choice):
            first[choice[:place]] = min(first.get(choice[:place], chosen.alternative), chosen.alternative)
    return frozenset(
        choice
        for choice in every
        if all(chosen.alternative == first[choice[:place]] for place, chosen in enumerate(choice))
    )


def _without_failures(found: Iterator[Choice]) -> Iterator[Choice]:
    try:
        yield from found
    except Failure:
        return


def checked(situation: Situation) -> None:
    r"""Check the requests before the search. Raises: Failure as kube-scheduler does.

    TLA+: Fails(Situation) ==
            \E i \in DOMAIN Situation.Claims :
              LET Asked_ == Situation.Claims[i].Requests
                  Fewest(Asking) == Min({CountOf(Situation, Asking.Parts[n]) : n \in DOMAIN Asking.Parts})
              IN \/ Situation.Unready /\ \E j \in DOMAIN Asked_ : \E n \in DOMAIN Asked_[j].Parts : Asked_[j].Parts[n].Mode = "All"
                 \/ Sum([j \in DOMAIN Asked_ |-> Fewest(Asked_[j])]) > MostResults
    """
    for i, claim in enumerate(situation.claims):
        least = 0
        for j, request in enumerate(claim.requests):
            fewest = min(
                _number(situation, i, situation.request((i, j), alternative))
                for alternative in range(len(request.parts))
            )
            if least + fewest > MOST_RESULTS and not situation.gates.plain_messages:
                raise Failure(
                    f"claim {_key(claim)}, request {request.name}: adding {fewest} devices exceeds the claim limit of "
                    f"{MOST_RESULTS}, with {least} already accounted for"
                )
            least += fewest
        if least > MOST_RESULTS:
            raise Failure(
                f"claim {_key(claim)}: number of requested devices {least} exceeds the claim limit of {MOST_RESULTS}"
            )


def _number(situation: Situation, claim: int, request: Request) -> int:
    r"""Return how many devices the request asks for. Raises: Failure if the devices that "all" means are not known.

    TLA+: CountOf(Situation, Part) ==
            IF Part.Mode # "All" THEN Part.Count
            ELSE Cardinality(EveryDevice(Situation, Part))
    """
    if request.mode != ALL:
        return request.count
    of = f"claim {_key(situation.claims[claim])}, request {request.name}: asks for all devices, but resource pool"
    number = 0
    for pool in situation.pools:
        if pool.incomplete:
            raise Failure(f"{of} {pool} is currently being updated")
        if pool.invalid:
            raise Failure(f"{of} {pool} is currently invalid")
        number += sum(
            _selects(situation, claim, request, each)
            and large_enough(request, each.device, NO_AMOUNTS, situation.gates)
            for each in pool.offered
        )
    return number


def choices(situation: Situation) -> Iterator[Choice]:
    """Yield every possible choice, in the order in which kube-scheduler comes to it.

    Raises: Failure where its search ends in an error.

    TLA+: Choices(Situation) == ChoicesFrom(Situation, <<>>)
    """
    return _completed(situation, ())


def _completed(situation: Situation, begun: Choice) -> Iterator[Choice]:
    r"""Yield the possible choices that begin in this way.

    TLA+: ChoicesFrom(Situation, Begun) ==
            LET Parts == AskingAt(Situation, Len(Begun) + 1).Parts
                More == UNION {{Append(Begun, [Alternative |-> n, Devices |-> Some]) :
                                 Some \in Servings(Situation, Parts[n])} : n \in DOMAIN Parts}
            IN IF Len(Begun) = Len(Situation.Slots) THEN {Begun}
               ELSE UNION {ChoicesFrom(Situation, Chosen) : Chosen \in {Each \in More : Consistent(Situation, Each)}}
    """
    slots = situation.slots()
    if len(begun) == len(slots):
        yield begun
        return
    slot = slots[len(begun)]
    request = situation.claims[slot[0]].requests[slot[1]]
    for alternative in range(len(request.parts)):
        for offered in _taken(situation, begun, alternative):
            yield from _completed(situation, (*begun, Chosen(alternative, offered)))


def _taken(situation: Situation, begun: Choice, alternative: int) -> Iterator[tuple[Offered, ...]]:
    r"""Yield the sets of devices that the next request can be given, in order.

    TLA+: Servings(Situation, Part) ==
            LET Wished == {Offer \in Situation.Offered : Selectable(Part, Offer)}
                Every == EveryDevice(Situation, Part)
                Usable(Some) == {Offer \in Some : Admitted(Part, Offer, Situation)}
            IN IF Part.Mode # "All" THEN Picks(Usable(Wished), Part.Count)
               ELSE IF Every = {} \/ Usable(Every) # Every THEN {}
               ELSE Picks(Every, Cardinality(Every))
    """
    slot = situation.slots()[len(begun)]
    request = situation.request(slot, alternative)
    if request.mode == ALL:
        every = every_device(request, situation)
        if every and _all_taken(situation, begun, alternative, every):
            yield every
        return
    before = zip(situation.slots(), begun, strict=False)
    if request.count + sum(len(chosen.offered) for each, chosen in before if each[0] == slot[0]) > MOST_RESULTS:
        return
    yield from _extended(situation, begun, alternative, (), tuple(_tried(situation)))


def _tried(situation: Situation) -> Iterator[Offered | Pool]:
    """Yield what the search comes to: the devices of each pool, and invalid pools that end it."""
    for pool in situation.pools:
        if pool.invalid and situation.gates.invalid_pools_fail:
            yield pool
        yield from pool.offered


def _extended(
    situation: Situation, begun: Choice, alternative: int, taken: tuple[Offered, ...], rest: tuple[Offered | Pool, ...]
) -> Iterator[tuple[Offered, ...]]:
    r"""Yield the sets of as many devices as the request asks for: `taken` and some of `rest`.

    TLA+: Picks(Among, Count) ==
            IF Count = 0 THEN {<<>>}
            ELSE UNION {{<<First>> \o Rest :
                   Rest \in Picks({Offer \in Among : Offer.Device.Number > First.Device.Number}, Count - 1)} : First \in Among}
    """
    slot = situation.slots()[len(begun)]
    request = situation.request(slot, alternative)
    if len(taken) == request.count:
        yield taken
        return
    for place, each in enumerate(rest):
        if isinstance(each, Pool):
            raise Failure(f"pool {each.name} is invalid: {each.invalid}")
        if not _free(situation, begun, slot[0], request, taken, each):
            continue
        if not _selects(situation, slot[0], request, each) or not admitted(request, each, situation):
            continue
        more = (*taken, each)
        if consistent(situation, (*begun, Chosen(alternative, more))):
            yield from _extended(situation, begun, alternative, more, rest[place + 1 :])


def _free(
    situation: Situation, begun: Choice, claim: int, request: Request, taken: tuple[Offered, ...], offered: Offered
) -> bool:
    """Whether the device is not in use, which is checked before its selectors."""
    if not request.admin and offered.id in situation.allocated:
        return False
    if several(offered.device, situation.gates):
        return True
    earlier = [
        each.id
        for slot, chosen in zip(situation.slots(), begun, strict=False)
        if not request.admin or slot[0] == claim
        for each in chosen.offered
    ]
    return offered.id not in earlier and offered not in taken


def _all_taken(situation: Situation, begun: Choice, alternative: int, every: tuple[Offered, ...]) -> bool:
    """Whether the request can be given every one of these devices. Raises: Failure if a constraint forbids one of them."""
    slot = situation.slots()[len(begun)]
    request = situation.request(slot, alternative)
    if not small_enough(situation, (*begun, Chosen(alternative, every))):
        return False
    for place, each in enumerate(every):
        taken = every[: place + 1]
        if not _free(situation, begun, slot[0], request, taken[:-1], each) or not admitted(request, each, situation):
            return False
        choice = (*begun, Chosen(alternative, taken))
        if not separate(situation, choice) or not counters_suffice(situation, choice):
            return False
        if not constraints_hold(situation, choice):
            raise Failure(
                f"claim {_key(situation.claims[slot[0]])}, request {request.name}: cannot add device "
                f"{'/'.join(each.id)} because a claim constraint would not be satisfied"
            )
        if not capacities_suffice(situation, choice):
            return False
    return True


def _selects(situation: Situation, claim: int, request: Request, offered: Offered) -> bool:
    """Whether the device is selectable. Raises: Failure with kube-scheduler's message if an expression fails."""
    try:
        return selectable(request, offered, situation)
    except CelError as error:
        raise Failure(_explained(situation, claim, request, offered, error)) from error


def _explained(situation: Situation, claim: int, request: Request, offered: Offered, error: CelError) -> str:
    """Return the message about the first expression that fails on the device."""
    found = situation.devices.device_class(request.device_class)
    for whose, expressions in (
        (f"class {request.device_class}", found.selectors if found is not None else ()),
        (f"claim {_key(situation.claims[claim])}", request.selectors),
    ):
        for number, expression in enumerate(expressions):
            alone = Request(request.name, "", selectors=(expression,))
            try:
                selectable(alone, offered, situation)
            except CelError:
                if situation.gates.plain_messages:
                    return f"{whose}: selector #{number}: CEL runtime error: {error}"
                where = f"on device {'/'.join(offered.id)}"
                return f"{whose}: selector #{number} {where}: CEL runtime error: {enhanced(error)}"
    return str(error)


def _key(claim: ResourceClaim) -> str:
    return f"{claim.namespace}/{claim.name}"


def allocated_by(situation: Situation, choice: Choice) -> tuple[Allocation, ...]:
    r"""Return the allocation of each claim that the choice makes.

    TLA+: ResultsFrom(Situation, Chosen, i, k) ==
            IF k > Len(Chosen) THEN <<>>
            ELSE LET Part == PartAt(Situation, Chosen, k)
                     Own == [n \in DOMAIN Chosen[k].Devices |->
                              ResultOf(Part, Chosen[k].Devices[n])]
                 IN (IF Situation.Slots[k][1] = i THEN Own ELSE <<>>) \o ResultsFrom(Situation, Chosen, i, k + 1)

    TLA+: AllocatedBy(Situation, Chosen) ==
            LET Own(i) == UNION {DevicesAt(Chosen, k) : k \in {Each \in DOMAIN Chosen : Situation.Slots[Each][1] = i}}
            IN [i \in DOMAIN Situation.Claims |->
                 [Results |-> ResultsFrom(Situation, Chosen, i, 1), Terms |-> UsableOn(Own(i), Situation.Node)]]
    """
    found = []
    for i, claim in enumerate(situation.claims):
        results: list[Result] = []
        places: list[Offered] = []
        for slot, chosen in zip(situation.slots(), choice, strict=True):
            if slot[0] == i:
                name, part = claim.requests[slot[1]].parts[chosen.alternative]
                results += [_result(name, part, each, situation.gates) for each in chosen.offered]
                places += chosen.offered
        found.append(Allocation(tuple(results), usable_on(places, situation.node)))
    return tuple(found)


def _result(name: str, part: Request, offered: Offered, gates: Gates) -> Result:
    """Return what an allocation says of a device that a request takes.

    TLA+: ResultOf(Part, Offer) ==
            LET Shared == Several(Offer.Device)
            IN [Request |-> Part.Name, Id |-> Offer.Id, Admin |-> Part.Admin, Shared |-> Shared,
                Consumed |-> IF Shared THEN Consumption(Part, Offer.Device) ELSE <<>>]
    """
    if not several(offered.device, gates):
        return Result(name, *offered.id, admin=part.admin)
    return Result(name, *offered.id, admin=part.admin, shared=True, consumed=consumption(part, offered.device))


def usable_on(offered: Iterable[Offered], node: Node) -> tuple[NodeSelectorTerm, ...] | None:
    r"""Return the node selector of an allocation: the node if a device is local to it, else all selectors of the devices.

    None: the devices are usable on every node.

    TLA+: UsableOn(Some, Node) ==
            LET Naming == [Key |-> "metadata.name", Operator |-> "In", Values |-> {Node.Name}]
                Terms == UNION {Offer.Terms : Offer \in Some}
                Expressions == UNION {Term.MatchExpressions : Term \in Terms}
                Fields == UNION {Term.MatchFields : Term \in Terms}
            IN IF \E Offer \in Some : Offer.Local THEN {[MatchExpressions |-> {}, MatchFields |-> {Naming}]}
               ELSE IF Expressions \union Fields = {} THEN Null
               ELSE {[MatchExpressions |-> Expressions, MatchFields |-> Fields]}
    """
    expressions: list[Requirement] = []
    fields: list[Requirement] = []
    for each in offered:
        place = each.device.place if each.slice.per_device else each.slice.place
        if place.node_name or each.device.binds_to_node:
            return (NodeSelectorTerm(match_fields=(Requirement("metadata.name", "In", (node.name,)),)),)
        for term in place.terms or ():
            expressions += [one for one in term.match_expressions if not _listed(one, expressions)]
            fields += [one for one in term.match_fields if not _listed(one, fields)]
    return (NodeSelectorTerm(tuple(expressions), tuple(fields)),) if expressions or fields else None


def _listed(requirement: Requirement, there: list[Requirement]) -> bool:
    return any(
        (each.key, each.operator, set(each.values)) == (requirement.key, requirement.operator, set(requirement.values))
        for each in there
    )
