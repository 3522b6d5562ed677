"""An allocator of devices for one node: a depth-first search that takes the first device that fits and backtracks.

Kubernetes 1.37: k8s.io/dynamic-resource-allocation/structured/internal/incubating/allocator_incubating.go. Not modelled:
binding conditions.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from frozendict import frozendict

from schedcheck.model.production.devices.capacity import share_of
from schedcheck.model.production.devices.features import Features
from schedcheck.model.production.devices.pools import Candidate, DeviceKey, Inventory, NodePool
from schedcheck.spec.cel.device_selectors import enhanced, selected
from schedcheck.spec.cel.values import CelError
from schedcheck.spec.device_objects import (
    ALL,
    MOST_RESULTS,
    Allocation,
    Attribute,
    DeviceClass,
    Request,
    ResourceClaim,
    Result,
)
from schedcheck.spec.terms import NodeSelectorTerm, Requirement


class AllocationError(Exception):
    """An error that ends the scheduling cycle."""


class NodeError(Exception):
    """A problem of this node alone."""


@dataclass
class Taken:
    """A device taken during the search."""

    candidate: Candidate
    request: str
    alternative: str
    admin: bool
    share: dict[str, int] | None = None
    """What it takes of the capacity of a device that is allocated several times."""
    charged: bool = True
    """Whether its counters were charged."""

    @property
    def name(self) -> str:
        """The request as results name it."""
        return f"{self.request}/{self.alternative}" if self.alternative else self.request


@dataclass
class Allocator:
    """The search on one node; `in_use` are the devices that other claims hold."""

    inventory: Inventory
    where: int
    node: str
    classes: Mapping[str, DeviceClass]
    claims: Sequence[ResourceClaim]
    in_use: frozenset[DeviceKey]
    features: Features
    shares: Mapping[DeviceKey, Mapping[str, int]] = field(default_factory=dict)
    taken: list[list[Taken]] = field(default_factory=list)
    pools: list[NodePool] = field(default_factory=list)
    consumed: Counter[tuple[str, str, str, str]] = field(default_factory=Counter)
    matches: dict[tuple[DeviceKey, int, str], bool] = field(default_factory=dict)
    exhaustive: dict[tuple[int, str], list[Candidate]] = field(default_factory=dict)

    def allocate(self) -> list[Allocation] | None:
        """Return an allocation for each claim, None if there is none.

        Raises: AllocationError, NodeError.
        """
        self.pools = self.inventory.pools(self.where)
        self.taken = [[] for _ in self.claims]
        for number, claim in enumerate(self.claims):
            self._check(number, claim)
        if self._claim(0):
            return [Allocation(tuple(map(_result, there)), self._terms(there)) for there in self.taken]
        if self.features.strict_pools and any(pool.problem for pool in self.pools):
            raise NodeError("invalid resource pools were encountered")
        return None

    def _check(self, number: int, claim: ResourceClaim) -> None:
        """Count the devices that the claim needs at least. Raises: AllocationError."""
        key, least = f"{claim.namespace}/{claim.name}", 0
        for request in claim.requests:
            fewest = min(self._wanted(number, key, part, name) for name, part in request.parts)
            if self.features.long_messages and least + fewest > MOST_RESULTS:
                raise AllocationError(
                    f"claim {key}, request {request.name}: adding {fewest} devices exceeds the claim limit of {MOST_RESULTS}, "
                    f"with {least} already accounted for"
                )
            least += fewest
        if least > MOST_RESULTS:
            raise AllocationError(
                f"claim {key}: number of requested devices {least} exceeds the claim limit of {MOST_RESULTS}"
            )

    def _wanted(self, number: int, key: str, request: Request, name: str) -> int:
        """Return how many devices a request wants; for all devices, determine which these are."""
        if request.mode != ALL:
            return request.count
        every: list[Candidate] = []
        for pool in self.pools:
            if pool.incomplete or pool.problem:
                state = "being updated" if pool.incomplete else "invalid"
                raise AllocationError(
                    f"claim {key}, request {request.name}: asks for all devices, but resource pool {'/'.join(pool.key)} is "
                    f"currently {state}"
                )
            suiting = (each for each in pool.candidates if self._suits(each, number, request, name))
            every += [each for each in suiting if self._room(each, request, {})]
        self.exhaustive[number, name] = every
        return len(every)

    def _claim(self, number: int) -> bool:
        return number == len(self.claims) or self._request(number, 0)

    def _request(self, number: int, place: int) -> bool:
        """Allocate from this request of the claim on, its alternatives in order."""
        claim = self.claims[number]
        if place == len(claim.requests):
            return self._claim(number + 1)
        request = claim.requests[place]
        return any(self._part(number, place, part, name) for name, part in request.parts)

    def _part(self, number: int, place: int, part: Request, name: str) -> bool:
        if part.mode == ALL:
            return self._all(number, place, part, name)
        if part.count > MOST_RESULTS - len(self.taken[number]):
            return False
        return self._some(number, place, part, name, part.count, self._searched())

    def _all(self, number: int, place: int, part: Request, name: str) -> bool:
        """Take every device of the request, or none."""
        every = self.exhaustive[number, name]
        if not every or len(every) > MOST_RESULTS - len(self.taken[number]):
            return False
        done = 0
        for each in every:
            if self._used(each, number, part) or not self._take(each, number, place, part, must=True):
                break
            done += 1
        if done == len(every) and self._request(number, place + 1):
            return True
        for _ in range(done):
            self._give_back(number)
        return False

    def _searched(self) -> list[Candidate | NodePool]:
        found: list[Candidate | NodePool] = []
        for pool in self.pools:
            found += [pool] if pool.problem and not self.features.strict_pools else pool.candidates
        return found

    def _some(
        self, number: int, place: int, part: Request, name: str, missing: int, rest: Sequence[Candidate | NodePool]
    ) -> bool:
        """Take `missing` more devices from `rest`, then go on with the next request."""
        if missing == 0:
            return self._request(number, place + 1)
        for index, each in enumerate(rest):
            if isinstance(each, NodePool):
                raise AllocationError(f"pool {each.key[1]} is invalid: {each.problem}")
            if self._used(each, number, part) or not self._suits(each, number, part, name):
                continue
            if self._take(each, number, place, part, must=False):
                if self._some(number, place, part, name, missing - 1, rest[index + 1 :]):
                    return True
                self._give_back(number)
        return False

    def _several(self, candidate: Candidate) -> bool:
        """Whether the device is allocated as often as its capacity allows."""
        return self.features.consumable and candidate.device.multiple

    def _room(self, candidate: Candidate, part: Request, before: Mapping[str, int]) -> bool:
        """Whether the capacity of the device covers one more allocation."""
        if not self.features.consumable:
            return True
        share, size = share_of(part, candidate.device), candidate.device.capacity
        return share is not None and all(before.get(name, 0) + more <= size[name] for name, more in share.items())

    def _load(self, candidate: Candidate) -> Counter[str]:
        """Return what claims and this search take of the capacity of a device in shares.

        Claims may hold shares of a device that is no longer allocated several times.
        """
        found = Counter(dict(self.shares.get(candidate.key, {})))
        for each in (each for there in self.taken for each in there if each.candidate.key == candidate.key):
            found.update(each.share or {})
        return found

    def _used(self, candidate: Candidate, number: int, part: Request) -> bool:
        if self._several(candidate):
            return not part.admin and candidate.key in self.in_use
        if part.admin:
            return any(each.candidate.key == candidate.key for each in self.taken[number])
        return candidate.key in self.in_use or any(
            each.candidate.key == candidate.key for there in self.taken for each in there
        )

    def _suits(self, candidate: Candidate, number: int, part: Request, name: str) -> bool:
        """Whether the expressions of class and request select the device. Raises: AllocationError."""
        if candidate.device.conditional and not self.features.binding_conditions:
            return False
        key = candidate.key, number, name
        if key not in self.matches:
            self.matches[key] = all(self._selects(candidate, number, part)) and (
                not candidate.slice.per_device or self.inventory.reaches(candidate.device.place, self.where)
            )
        return self.matches[key]

    def _selects(self, candidate: Candidate, number: int, part: Request) -> Iterator[bool]:
        claim, found = self.claims[number], self.classes.get(part.device_class)
        for owner, expressions in (
            (f"class {part.device_class}", found.selectors if found else ()),
            (f"claim {claim.namespace}/{claim.name}", part.selectors),
        ):
            for place, expression in enumerate(expressions):
                try:
                    yield selected(expression, candidate.slice.driver, candidate.device)
                except CelError as error:
                    if self.features.long_messages:
                        device = "/".join(candidate.key)
                        raise AllocationError(
                            f"{owner}: selector #{place} on device {device}: CEL runtime error: {enhanced(error)}"
                        ) from error
                    raise AllocationError(f"{owner}: selector #{place}: CEL runtime error: {error}") from error

    def _take(self, candidate: Candidate, number: int, place: int, part: Request, *, must: bool) -> bool:
        """Take the device if counters, taints and constraints allow it."""
        device = candidate.device
        again = self._several(candidate) and self._shared_already(candidate)
        if device.consumes and not again and not (self.features.partitionable and self._counters_cover(candidate)):
            return False
        if self.features.device_taints and not _tolerated(candidate, part):
            return False
        request = self.claims[number].requests[place]
        taken = Taken(candidate, request.name, part.name if request.alternatives else "", part.admin)
        if not self._constraints_hold(number, taken):
            if must:
                claim = self.claims[number]
                raise AllocationError(
                    f"claim {claim.namespace}/{claim.name}, request {part.name}: cannot add device {'/'.join(candidate.key)} "
                    "because a claim constraint would not be satisfied"
                )
            return False
        if not self._room(candidate, part, self._load(candidate)):
            return False
        if self._several(candidate):
            taken.share = share_of(part, device) or {}
        taken.charged = not again
        self.taken[number].append(taken)
        if taken.charged:
            self._consume(candidate, 1)
        return True

    def _shared_already(self, candidate: Candidate) -> bool:
        taken = any(each.candidate.key == candidate.key for there in self.taken for each in there)
        return taken or candidate.key in self.shares

    def _give_back(self, number: int) -> None:
        last = self.taken[number].pop()
        if last.charged:
            self._consume(last.candidate, -1)

    def _consume(self, candidate: Candidate, sign: int) -> None:
        for name, amounts in candidate.device.consumes:
            for counter, amount in amounts.items():
                self.consumed[(*candidate.key[:2], name, counter)] += sign * amount

    def _counters_cover(self, candidate: Candidate) -> bool:
        pool = next(each for each in self.pools if each.key == candidate.key[:2])
        needed: Counter[tuple[str, str]] = Counter()
        held = self.in_use | set(self.shares)
        for each in (candidate, *(sibling for sibling in pool.siblings if sibling.key in held)):
            for name, amounts in each.device.consumes:
                needed.update({(name, counter): amount for counter, amount in amounts.items()})
        return all(needed[key] + self.consumed[(*pool.key, *key)] <= amount for key, amount in pool.counters.items())

    def _constraints_hold(self, number: int, new: Taken) -> bool:
        for constraint in self.claims[number].constraints:
            concerned = [
                each.candidate
                for each in (*self.taken[number], new)
                if not constraint.requests or {each.request, each.name} & set(constraint.requests)
            ]
            if concerned and concerned[-1] is new.candidate:
                values = [_attribute(each, constraint.attribute) for each in concerned]
                distinct = len({(value.type, value.value) for value in values if value is not None})
                if values[-1] is None or distinct != (len(values) if constraint.distinct else 1):
                    return False
        return True

    def _terms(self, taken: Sequence[Taken]) -> tuple[NodeSelectorTerm, ...] | None:
        """Return the node selector of an allocation of these devices."""
        found: dict[tuple[bool, str, str, frozenset[str]], Requirement] = {}
        for each in taken:
            source = each.candidate.device if each.candidate.slice.per_device else each.candidate.slice
            if source.place.node_name or each.candidate.device.binds_to_node:
                return (NodeSelectorTerm((), (Requirement("metadata.name", "In", (self.node,)),)),)
            for term in source.place.terms or ():
                for of_labels, requirements in ((True, term.match_expressions), (False, term.match_fields)):
                    for one in requirements:
                        found.setdefault((of_labels, one.key, one.operator, frozenset(one.values)), one)
        if not found:
            return None
        expressions = tuple(one for key, one in found.items() if key[0])
        return (NodeSelectorTerm(expressions, tuple(one for key, one in found.items() if not key[0])),)


def _result(taken: Taken) -> Result:
    if taken.share is None:
        return Result(taken.name, *taken.candidate.key, admin=taken.admin)
    share = frozendict(taken.share)
    return Result(taken.name, *taken.candidate.key, admin=taken.admin, shared=True, consumed=share)


def _tolerated(candidate: Candidate, part: Request) -> bool:
    for taint in candidate.device.taints:
        if taint.effect == "None":
            continue
        if not any(
            each.effect in ("", taint.effect)
            and each.key in ("", taint.key)
            and (each.operator == "Exists" or each.value == taint.value)
            for each in part.tolerations
        ):
            return False
    return True


def _attribute(candidate: Candidate, name: str) -> Attribute | None:
    attributes = candidate.device.attributes
    if name in attributes:
        return attributes[name]
    return attributes.get(name.removeprefix(f"{candidate.slice.driver}/"))
