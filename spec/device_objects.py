"""The objects of dynamic resource allocation: resource slices with devices, device classes, and resource claims.

A driver publishes the devices of a pool in resource slices. A claim requests devices, by class and by expressions of CEL.
The scheduler allocates devices to a claim, and reserves the claim for the pods that use it. `Devices` holds all objects
of these kinds. Capacities and counters are in billionths of a unit.

Kubernetes 1.37: k8s.io/api/resource/v1.
"""

from dataclasses import dataclass
from functools import cached_property

from frozendict import frozendict

from schedcheck.spec.terms import NodeSelectorTerm
from schedcheck.spec.values import NO_AMOUNTS, Amounts, HashedOnce, Namespaced

CLASSES, SLICES, CLAIMS, TEMPLATES = "DeviceClass", "ResourceSlice", "ResourceClaim", "ResourceClaimTemplate"
"""The kinds of object."""

EXACT_COUNT = "ExactCount"
ALL = "All"
MOST_RESULTS = 32
"""The greatest number of devices that can be allocated to one claim.

TLA+: MostResults == 32
"""
MOST_ALTERNATIVES = 8
"""The greatest number of alternatives of a request.

TLA+: MostAlternatives == 8
"""
MOST_CONSUMERS = 256
"""The greatest number of pods for which one claim can be reserved."""


@dataclass(frozen=True)
class Attribute:
    """An attribute of a device: its type (bool, int, string or version) and its value; a version is a text."""

    type: str
    value: bool | int | str


Attributes = frozendict[str, Attribute]
NO_ATTRIBUTES: Attributes = frozendict()


@dataclass(frozen=True)
class DeviceTaint:
    """key=value:effect of a device, where the effect is NoSchedule, NoExecute or None."""

    key: str
    effect: str
    value: str = ""


@dataclass(frozen=True)
class DeviceToleration:
    """A toleration of a request. An empty key or effect stands for every key or effect; the operator is Equal or Exists."""

    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""


@dataclass(frozen=True)
class Place:
    """The nodes from which devices are accessible: one node by name, all nodes, or those that match a term.

    `terms` None: no node selector. Without any of the three, the devices are accessible from no node.
    """

    node_name: str = ""
    all_nodes: bool = False
    terms: tuple[NodeSelectorTerm, ...] | None = None


NOWHERE = Place()


@dataclass(frozen=True)
class Policy:
    """How requests for a capacity are rounded up: to one of `values`, or to `minimum` plus a multiple of `step`.

    `default` is consumed without a request. None: not set.
    """

    default: int | None = None
    values: tuple[int, ...] = ()
    minimum: int | None = None
    maximum: int | None = None
    step: int | None = None


NO_POLICIES: frozendict[str, Policy] = frozendict()


@dataclass(frozen=True)
class Device:
    """A device of a slice. Names of attributes and capacities without a domain belong to the domain of the driver.

    `place` is set only in slices with perDeviceNodeSelection. `multiple` is allowMultipleAllocations. `conditional`: the
    device has binding conditions. `unmodelled` names a field of the device that no definition models, if there is one.
    """

    name: str
    attributes: Attributes = NO_ATTRIBUTES
    capacity: Amounts = NO_AMOUNTS
    place: Place = NOWHERE
    taints: tuple[DeviceTaint, ...] = ()
    consumes: tuple[tuple[str, Amounts], ...] = ()
    """What it takes of the counter sets of its pool: the name of each set with amounts by counter."""
    multiple: bool = False
    conditional: bool = False
    binds_to_node: bool = False
    policies: frozendict[str, Policy] = NO_POLICIES
    """The request policies of capacities of a device that is allocated several times."""
    unmodelled: str = ""


@dataclass(frozen=True)
class ResourceSlice:
    """A part of a pool: of a generation of a pool of a driver, which has `slices` slices in all."""

    name: str
    driver: str
    pool: str
    generation: int = 1
    slices: int = 1
    place: Place = NOWHERE
    per_device: bool | None = None  # perDeviceNodeSelection; None if absent
    devices: tuple[Device, ...] = ()
    counters: tuple[tuple[str, Amounts], ...] = ()
    """The shared counter sets: the name of each, with amounts by counter."""


@dataclass(frozen=True)
class DeviceClass:
    """A device class; a device must satisfy each of the expressions in `selectors`."""

    name: str
    selectors: tuple[str, ...] = ()
    extended_resource: str = ""


@dataclass(frozen=True)
class Request:
    """A request of a claim for `count` devices (All: for every device) of a class, which satisfy each selector.

    A request with `alternatives` (firstAvailable) has none of its own fields but the name. `admin` is adminAccess.
    `capacity` is what it requests of the capacities of each device; None if it says nothing of capacity. `unmodelled`
    names a field of it that no definition models, if there is one.
    """

    name: str
    device_class: str = ""
    mode: str = EXACT_COUNT
    count: int = 1
    selectors: tuple[str, ...] = ()
    admin: bool = False
    tolerations: tuple[DeviceToleration, ...] = ()
    alternatives: tuple["Request", ...] = ()
    capacity: Amounts | None = None
    unmodelled: str = ""

    @property
    def parts(self) -> tuple[tuple[str, "Request"], ...]:
        """The alternatives, or the request itself; each with its name in results."""
        if not self.alternatives:
            return ((self.name, self),)
        return tuple((f"{self.name}/{each.name}", each) for each in self.alternatives)


@dataclass(frozen=True)
class Constraint:
    """All devices of these requests (empty: of all requests) have the attribute, with one value or with distinct values."""

    attribute: str
    requests: tuple[str, ...] = ()
    distinct: bool = False


@dataclass(frozen=True)
class Result:
    """A device allocated to a request; the request of an alternative is `request/alternative`."""

    request: str
    driver: str
    pool: str
    device: str
    admin: bool = False
    shared: bool = False  # has a shareID: the device is allocated several times
    consumed: Amounts = NO_AMOUNTS

    @property
    def id(self) -> tuple[str, str, str]:
        """The device: its driver, pool and name."""
        return self.driver, self.pool, self.device


@dataclass(frozen=True)
class Allocation:
    """The devices allocated to a claim, and the nodes on which it can be used: those that match one term (None: all)."""

    results: tuple[Result, ...] = ()
    terms: tuple[NodeSelectorTerm, ...] | None = None


@dataclass(frozen=True)
class Consumer:
    """An object for which a claim is reserved: the resource (pods), its name and its uid."""

    name: str
    uid: str
    resource: str = "pods"


@dataclass(frozen=True)
class ResourceClaim(Namespaced):
    """A resource claim; `allocation` None: not allocated. `owner_uid` is the uid of its controller, empty without one."""

    name: str
    namespace: str = "default"
    uid: str = ""
    requests: tuple[Request, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    allocation: Allocation | None = None
    reserved_for: tuple[Consumer, ...] = ()
    owner_uid: str = ""
    terminating: bool = False


@dataclass(frozen=True)
class PodClaim:
    """A resource claim of a pod: by the name of the claim, or from a template.

    For a template, `generated` says whether the status of the pod names the claim made from it; `claim` is then its name,
    empty if none was needed. `pod_uid` is the uid of the pod, by which reservations and owners know it.
    """

    name: str
    claim: str = ""
    template: str = ""
    generated: bool = False
    pod_uid: str = ""


@dataclass(frozen=True, eq=True)
class Devices(HashedOnce):
    r"""All objects of dynamic resource allocation: claims by namespace and name, the others by name.

    `lacking` names the kinds of which nothing is known, in alphabetical order. Of the others all objects are here.

    TLA+: ResourceClaims(Snapshot) == {Object \in Snapshot : Object.Kind = "ResourceClaim"}

    TLA+: ResourceSlices(Snapshot) == {Object \in Snapshot : Object.Kind = "ResourceSlice"}
    """

    slices: tuple[ResourceSlice, ...] = ()
    classes: tuple[DeviceClass, ...] = ()
    claims: tuple[ResourceClaim, ...] = ()
    lacking: tuple[str, ...] = ()

    __hash__ = HashedOnce.__hash__

    def claim(self, namespace: str, name: str) -> ResourceClaim | None:
        """Return the claim of this namespace and name, or None."""
        return self._claims.get((namespace, name))

    def device_class(self, name: str) -> DeviceClass | None:
        """Return the device class of this name, or None."""
        return self._classes.get(name)

    def near(self, node_name: str) -> tuple[ResourceSlice, ...]:
        """Return the slices of the pools that have a slice for the node of this name, or for no single node."""
        return tuple(each for pool in self._near.get(node_name, self._near[""]) for each in self._pools[pool])

    @cached_property
    def _pools(self) -> frozendict[tuple[str, str], tuple[ResourceSlice, ...]]:
        index: dict[tuple[str, str], list[ResourceSlice]] = {}
        for each in self.slices:
            index.setdefault((each.driver, each.pool), []).append(each)
        return frozendict({pool: tuple(slices) for pool, slices in index.items()})

    @cached_property
    def _near(self) -> frozendict[str, tuple[tuple[str, str], ...]]:
        """The pools by the node of which they have a slice, with those that have one for no single node; "": only these."""
        index: dict[str, set[tuple[str, str]]] = {"": set()}
        for each in self.slices:
            index.setdefault(each.place.node_name, set()).add((each.driver, each.pool))
        return frozendict({name: tuple(sorted(pools | index[""])) for name, pools in index.items()})

    @cached_property
    def _claims(self) -> frozendict[tuple[str, str], ResourceClaim]:
        return frozendict({each.key: each for each in self.claims})

    @cached_property
    def _classes(self) -> frozendict[str, DeviceClass]:
        return frozendict({each.name: each for each in self.classes})


NO_DEVICES = Devices(lacking=(CLASSES, CLAIMS, SLICES))
"""Nothing is known of devices."""
