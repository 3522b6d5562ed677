"""The interchangeable objects of a scenario, and the canonical form of states under their permutations.

Two objects are interchangeable if swapping their names, in every value that holds one, leaves the scenario unchanged:
they differ only in name, the same rules apply to both, and no object or property mentions either by name.
Interchangeable objects form classes, and all permutations within the classes are symmetries of every step. The initial
placement of the objects does not matter: a state and its image have the same future up to names, whether or not the
image is reachable (docs/decisions/symmetry.md).
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from frozendict import frozendict

from schedcheck.model.environment import newly_arrived
from schedcheck.model.profiles import has_claims
from schedcheck.model.reference import Reference, State
from schedcheck.model.scenario import AUTOSCALER, JOBS, NODE_POOLS, Scenario, grouping, permitting
from schedcheck.spec.objects import Namespace, Node, Pod
from schedcheck.spec.schedulers import CLASSIC, KUBERNETES, PUBLISHED, Scheduler
from schedcheck.spec.storage import Ephemeral
from schedcheck.spec.terms import LabelSelector, Requirement
from schedcheck.spec.values import Labels
from schedcheck.spec.volumes.csi_migration import ZONES

Slots = tuple[int, ...]
Thing = TypeVar("Thing", Pod, Node)

ITSELF = "\0"
"""The placeholder, in a value, for the name of the object itself; no Kubernetes name or label value equals it."""


def pod_classes(scenario: Scenario, mentions: frozenset[str], *, at_first: bool = False) -> list[Slots]:
    """Return the slots of the interchangeable pods, one tuple per class.

    With `at_first` only pods that start alike are interchangeable. Autoscaled pods have an order, so that each has a class
    of its own.
    """
    if scenario.autoscalers:
        return [(slot,) for slot in range(len(scenario.pods))]
    pools = scenario.node_pools

    def kind(pod: Pod) -> Hashable:
        rules = tuple(pod.key in rule.pods for rule in scenario.rules)
        start = (pod.key in scenario.absent, pod.node_name, pod.phase, pod.terminating) if at_first else ()
        return nameless(newly_arrived(pod)), rules, start, None if pools is None else pools.of(pod)

    return _classes(scenario.pods, kind, mentions | _mentioned(scenario) | _ordered(scenario, scenario.pods))


def node_classes(scenario: Scenario, mentions: frozenset[str]) -> list[Slots]:
    """Return the slots of the interchangeable nodes, one tuple per class. Those that pools may add have slots as well."""
    pools, there = scenario.node_pools, every_node(scenario)
    fixed = mentions | _mentioned(scenario) | _ordered(scenario, there)
    adding = {name: pool.name for pool in (() if pools is None else pools.pools) for name in pool.names}

    def kind(node: Node) -> Hashable:
        of_pool = adding.get(node.name), pools is not None and node.name in pools.kept
        return nameless(node), tuple(node.name in rule.nodes for rule in scenario.rules), of_pool

    return _classes(there, kind, fixed | _uneven(scenario, kind, fixed))


def every_node(scenario: Scenario) -> tuple[Node, ...]:
    """Return the nodes of a scenario with those that node pools may add, in the order of their slots."""
    pools = scenario.node_pools
    return scenario.nodes if pools is None else pools.slots(scenario.nodes)


def every_pod(scenario: Scenario) -> tuple[Pod, ...]:
    """Return the pods of a scenario, and all forms in which the controllers of workloads that change create pods."""
    if not scenario.rollouts:
        return scenario.pods
    return (*scenario.pods, *(form for each in scenario.rollouts for form in (*each.former, *each.forms)))


def _uneven(scenario: Scenario, kind: Callable[[Node], Hashable], fixed: frozenset[str]) -> frozenset[str]:
    """Return the names that each pool may give to a node, unless the nodes that begin with them are all alike.

    A pool gives its first free name. That is a symmetry only if all its names are interchangeable.
    """
    pools, there = scenario.node_pools, {node.name: node for node in every_node(scenario)}
    names = [each.names for each in (() if pools is None else pools.pools)]
    return frozenset(
        name for own in names for name in own if fixed.intersection(own) or len({kind(there[each]) for each in own}) > 1
    )


def indifferent(scenario: Scenario) -> bool:
    """Whether the decisions of the scenario's profile depend on names only in ways that `Canonical` handles.

    Under a scheduler that nominates, a nomination is a second reference from a pod to a node, which `Canonical` does
    not rename; no pod is ever nominated if all priorities are equal. Under kube-scheduler an image has the size that
    the first node by name reports. The rule of an out-of-tree plugin may depend on any name, and so may an extender.
    Claims mention pods and nodes, and a pod that waits on permit a node. Extenders of the early scheduler also cause
    nominations among pods of one priority. A cycle of the descheduler mentions pods and nodes, and so does what Karpenter
    keeps. Node pools take names in order, so that all names of one are interchangeable or none, see `node_classes`.
    The pods of a workload that changes have an order, and each has a class of its own. Autoscaled pods have an order too,
    but what an autoscaler does depends on no node, see `pod_classes`. A guard in TLA+ may tell any objects apart, unless
    its text excludes that.
    A node that shuts down mentions its pods. The pods of one Job are counted alike, and pods of two Jobs differ in their owner.
    """
    named = all(guard.mentions is not None for rule in scenario.rules for guard in rule.guards)
    named = named and not scenario.shutdown_priorities
    return (
        not {*scenario.beside} - {AUTOSCALER, JOBS, NODE_POOLS} and named and INDIFFERENT[scenario.scheduler](scenario)
    )


def _never_nominates(scenario: Scenario) -> bool:
    """Whether no pod is ever nominated, as all priorities are equal."""
    return len({pod.priority for pod in every_pod(scenario)}) <= 1 and all(
        pod.nominated_node_name == "" for pod in scenario.pods
    )


def _classic(scenario: Scenario) -> bool:
    policy = scenario.policy
    return _never_nominates(scenario) and not policy.extenders and not policy.unasked


def _kubernetes(scenario: Scenario) -> bool:
    return (
        _never_nominates(scenario)
        and len({node.images for node in every_node(scenario)}) <= 1
        and all(each.rules == () and each.extenders == () for each in scenario.plugins)
        and not any(has_claims(pod, scenario) for pod in scenario.pods)
        and not permitting(scenario)
        and not grouping(scenario)
    )


INDIFFERENT: Mapping[Scheduler, Callable[[Scenario], bool]] = frozendict(
    {PUBLISHED: lambda scenario: True, KUBERNETES: _kubernetes, CLASSIC: _classic}
)
"""Whether the decisions of each scheduler depend on no name in a scenario."""


def nameless(thing: Thing) -> Thing:
    """Return the object without its name, and with `ITSELF` for every label value equal to the name."""
    return renamed(thing, ITSELF)


def renamed(thing: Thing, name: str) -> Thing:
    """Return the object under another name, in its labels too."""
    labels: Labels = frozendict({key: name if value == thing.name else value for key, value in thing.labels.items()})
    return replace(thing, name=name, labels=labels)


def _classes(things: Sequence[Thing], kind: Callable[[Thing], Hashable], mentions: frozenset[str]) -> list[Slots]:
    """Return the slots of equal kind, in order; a mentioned object has a class of its own."""
    classes: dict[Hashable, list[int]] = {}
    for slot, thing in enumerate(things):
        classes.setdefault(slot if thing.name in mentions else kind(thing), []).append(slot)
    return [tuple(slots) for slots in classes.values()]


def _mentioned(scenario: Scenario) -> frozenset[str]:
    """Return the values in the scenario that may mention a name: labels, values of selectors, nodes of templates."""
    pods = every_pod(scenario)
    things: tuple[Pod | Node | Namespace, ...] = (*pods, *every_node(scenario), *scenario.namespaces)
    carried = (value for thing in things for value in thing.labels.values() if value != thing.name)
    selected = (value for pod in pods for value in pod.node_selector.values())
    required = (value for requirement in _requirements(scenario) for value in requirement.values)
    matched = (value for selector in _selectors(scenario) for value in selector.match_labels.values())
    given = (value for rule in scenario.rules for value in rule.label_values if value is not None)
    guards = (name for rule in scenario.rules for guard in rule.guards for name in guard.mentions or ())
    templates = (pod.template_node_name for pod in pods if pod.template_node_name)
    changing = (name for rollout in scenario.rollouts for _, name in rollout.keys)
    fixed = (*selected, *required, *matched, *given, *guards, *templates, *changing, *_stored(scenario))
    return frozenset((*carried, *fixed))


def _stored(scenario: Scenario) -> Iterator[str]:
    """Yield the nodes and zones that storage objects mention, and the pods whose claims have derived names."""
    storage = scenario.storage
    yield from (each.name for each in storage.nodes)
    yield from (each.node_name for each in storage.attachments)
    yield from (each.selected_node for each in storage.claims if each.selected_node is not None)
    for volume in storage.volumes:
        yield from (zone.strip() for value in volume.labels.values() for zone in value.split(ZONES))
    for pod in scenario.pods:
        yield from (pod.name for volume in pod.volumes if isinstance(volume.source, Ephemeral))


def _ordered(scenario: Scenario, things: Sequence[Thing]) -> frozenset[str]:
    """Return the names that Gt or Lt might compare, as a symmetry does not keep the order of names."""
    compared = {each.key for each in _requirements(scenario) if each.operator in ("Gt", "Lt")}
    return frozenset(
        thing.name
        for thing in things
        if "metadata.name" in compared or any(thing.labels.get(key) == thing.name for key in compared)
    )


def _requirements(scenario: Scenario) -> Iterator[Requirement]:
    """Yield the requirements of every selector in the scenario."""
    for pod in every_pod(scenario):
        for term in (*pod.affinity.node_terms, *pod.annotated_affinity.node_terms):
            yield from (*term.match_expressions, *term.match_fields)
    for selector in _selectors(scenario):
        yield from selector.match_expressions
    for volume in scenario.storage.volumes:
        yield from (each for term in volume.node_affinity or () for each in term.match_expressions)
    for storage_class in scenario.storage.classes:
        yield from (each for term in storage_class.allowed_topologies for each in term)


def _selectors(scenario: Scenario) -> Iterator[LabelSelector]:
    """Yield the label selectors of every object in the scenario, those of pod affinity and spreading included."""
    yield from (budget.selector for budget in scenario.budgets if budget.selector is not None)
    yield from (owner.selector for owner in scenario.owners if owner.selector is not None)
    yield from (LabelSelector(service.selector) for service in scenario.services)
    yield from (each.node_topology for each in scenario.storage.capacities if each.node_topology is not None)
    for pod in every_pod(scenario):
        for term in (*pod.affinity.pod_terms, *pod.annotated_affinity.pod_terms):
            yield from (each for each in (term.label_selector, term.namespace_selector) if each is not None)
        yield from (constraint.selector for constraint in pod.spread if constraint.selector is not None)


class Canonical:
    """The canonical form of a machine's states: equal for two states exactly if a symmetry maps one to the other.

    A pod refers to at most one node. So each node forms a column with the nameless pods bound to it. The columns of
    a class of nodes are sorted; then the pods of a class are sorted by shape and new node.
    """

    def __init__(self, machine: Reference, pods: Iterable[Slots], nodes: Iterable[Slots]) -> None:
        self.machine = machine
        self.pods = [slots for slots in pods if len(slots) > 1]
        self.nodes = [slots for slots in nodes if len(slots) > 1]
        scenario = machine.scenario
        self._class = {slot: number for number, slots in enumerate(self.pods) for slot in slots}
        # A pod alone in its class is identified by its slot, whatever its shape.
        self._class |= {slot: -1 - slot for slot in range(len(scenario.pods)) if slot not in self._class}
        self._every_node = every_node(scenario)
        self._node_slot = {node.name: slot for slot, node in enumerate(self._every_node)}
        self._codes: dict[Hashable, int] = {}
        self._seen: dict[Pod | Node | None, int] = {}
        self._made: dict[tuple[type, int, int, str], Pod | Node | None] = {}
        self._nameless: list[Pod | Node | None] = []

    def __call__(self, state: State) -> State:
        """Return the representative of the orbit of `state`."""
        places = [-1 if pod is None else self._node_slot.get(pod.node_name, -1) for pod in state.pods]
        if self.nodes:
            moved = self._moved(state, places)
            nodes = list(state.nodes)
            for slot, target in moved.items():
                nodes[target] = self._node(state.nodes[slot], target)
            places = [moved.get(place, place) for place in places]
            state = state._replace(nodes=tuple(nodes))
        return state._replace(pods=self._sorted_pods(state, places))

    def _moved(self, state: State, places: list[int]) -> dict[int, int]:
        """Return the target slot of each node that has interchangeable ones."""
        columns: dict[int, list[tuple[int, int]]] = {}
        for slot, place in enumerate(places):
            if place >= 0:
                columns.setdefault(place, []).append((self._class[slot], self._code(state.pods[slot])))
        moved: dict[int, int] = {}
        for slots in self.nodes:
            keyed = sorted((self._code(state.nodes[slot]), sorted(columns.get(slot, ())), slot) for slot in slots)
            moved.update((slot, target) for (_, _, slot), target in zip(keyed, slots, strict=True))
        return moved

    def _sorted_pods(self, state: State, places: list[int]) -> tuple[Pod | None, ...]:
        """Return the pods on their moved nodes; the pods of a class are sorted by node and shape."""
        pods = list(state.pods)
        for slot, pod in enumerate(state.pods):
            if pod is not None and places[slot] >= 0 and self._class[slot] < 0:
                pods[slot] = self._pod(slot, self._code(pod), places[slot], pod.node_name)
        for slots in self.pods:
            found = sorted(
                (places[slot], self._code(state.pods[slot]), self._unknown(state.pods[slot])) for slot in slots
            )
            for slot, (place, code, unknown) in zip(slots, found, strict=True):
                pods[slot] = self._pod(slot, code, place, unknown)
        return tuple(pods)

    def _unknown(self, pod: Pod | None) -> str:
        """Return the node that the pod names if the scenario lacks it, else the empty string."""
        return "" if pod is None or pod.node_name in self._node_slot else pod.node_name

    def _code(self, thing: Pod | Node | None) -> int:
        """Return a number for the shape of a pod (without name and node) or of a node (without name); -1 if absent."""
        if thing is None:
            return -1
        code = self._seen.get(thing)
        if code is None:
            shape = nameless(replace(thing, node_name="")) if isinstance(thing, Pod) else nameless(thing)
            code = self._codes.setdefault(shape, len(self._codes))
            if code == len(self._nameless):
                self._nameless.append(shape)
            self._seen[thing] = code
        return code

    def _pod(self, slot: int, code: int, place: int, unknown: str) -> Pod | None:
        """Return the pod of a slot with the shape `code` on the node of slot `place`."""
        if code < 0:
            return None
        scenario = self.machine.scenario
        node_name = self._every_node[place].name if place >= 0 else unknown
        known = self._made.get((Pod, slot, code, node_name))
        if known is None:
            shape = self._nameless[code]
            assert isinstance(shape, Pod)
            pod = renamed(replace(shape, node_name=node_name), scenario.pods[slot].name)
            known = self._made[Pod, slot, code, node_name] = self.machine.one(pod)
        assert isinstance(known, Pod)
        return known

    def _node(self, node: Node | None, target: int) -> Node | None:
        """Return `node` with the name of the node of slot `target`."""
        if node is None:
            return None
        code = self._code(node)
        known = self._made.get((Node, target, code, ""))
        if known is None:
            known = self._made[Node, target, code, ""] = self.machine.one(renamed(node, self._every_node[target].name))
        assert isinstance(known, Node)
        return known
