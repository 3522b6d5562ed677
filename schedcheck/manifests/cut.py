"""The part of a cluster that can influence the answer to a question about one object: `cut`.

The first step drops objects without influence; it changes no answer. It is a closure from the pods asked about:
an unbound pod may be bound to any node that could ever take it. It interacts with the pods that are or may come there,
and with the pods that a term of either selects. Pods of higher priority are scheduled before it.

The second step applies if more than `MOST_MOVING` of these pods may move. Bound pods are then assumed to stay, unless
they are asked about or a term relates them to such a pod: they no longer complete. Those that cannot be evicted are
merged into one occupant per node. This is an approximation, and `Scenario.cut` says in which direction.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable
from dataclasses import replace

from frozendict import frozendict

from schedcheck.model.controllers import RECREATING, conditioned
from schedcheck.model.environment import unplaced
from schedcheck.model.scenario import ANY, Scenario
from schedcheck.spec.binding import completed
from schedcheck.spec.budgets import protects
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.node_selector import node_selector
from schedcheck.spec.objects import Container, Node, Pod, Snapshot, Toleration
from schedcheck.spec.pod_terms import concerns
from schedcheck.spec.published.affinity import node_affinity
from schedcheck.spec.published.resources import resources
from schedcheck.spec.published.schedulability import schedulability
from schedcheck.spec.published.taints import taints
from schedcheck.spec.requests import request, requested

MOST_MOVING = 16
"""The most pods that may move before bound pods are assumed to stay."""

HIGHEST = 2**31 - 1
CHANGING = frozenset({"uncordon", "untaint", "label", "ready", "return"})

Key = tuple[str, str]


def cut(scenario: Scenario, asked: frozenset[Key]) -> Scenario:
    """Return the part of `scenario` that can influence the answer about the pods `asked`; its `cut` describes it."""
    closure = Closure(scenario)
    if asked and all(key in closure.unbound and not closure.hosts[key] for key in asked):
        nowhere = "no node could hold the pod even when empty, so nothing else influences the answer"
        return replace(kept_part(scenario, set(asked), set()), cut=(nowhere,))
    pods, nodes = closure.of(asked)
    kept = kept_part(scenario, pods, nodes)
    notes = []
    if len(pods) < len(scenario.pods) or len(nodes) < len(scenario.nodes):
        gone = (
            f"{counted(len(scenario.pods) - len(pods), 'pod')} and {counted(len(scenario.nodes) - len(nodes), 'node')}"
        )
        notes.append(f"left out, as they cannot influence the answer: {gone}")
    if len(moving_keys(kept)) <= MOST_MOVING:
        return replace(kept, cut=tuple(notes))
    near = frozenset(other for key in asked for other in closure.near.get(key, ()))
    fixed, staying, folded = _fixed(kept, asked | near)
    notes.append(
        staying_note(staying, f" ({folded:,} of them cannot be evicted, and are merged into one occupant per node)")
    )
    return replace(fixed, cut=tuple(notes))


def staying_note(staying: int, folded: str = "") -> str:
    """Return the note on bound pods that are assumed to stay; `folded` says how many are merged into occupants."""
    return (
        f"assumed to stay unless they are evicted: {staying:,} bound pods{folded}; a violation that is found is real,"
        " but what holds, or can no longer happen, is proved only under this assumption"
    )


def counted(count: int, noun: str) -> str:
    """Return a count with its noun, singular or plural."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


class Closure:
    """The relation of influence between the pods and nodes of a scenario, and its closure."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.pods = {pod.key: pod for pod in scenario.pods if not completed(pod)}
        self.by_node: dict[str, set[Key]] = defaultdict(set)
        for pod in self.pods.values():
            if pod.node_name and pod.key not in scenario.absent:
                self.by_node[pod.node_name].add(pod.key)
        self.changing = {name for rule in scenario.rules if rule.event in CHANGING for name in rule.nodes}
        self.hosts_of: dict[Hashable, frozenset[str]] = {}
        self.hosts = {key: self._hosts(pod) for key, pod in self.pods.items()}
        self.unbound = {key for key, pod in self.pods.items() if not pod.node_name or key in scenario.absent}
        self.near = self._related()
        self.movable = self.unbound | {key for key, pod in self.pods.items() if self._returns(pod)}

    def of(self, asked: frozenset[Key]) -> tuple[set[Key], set[str]]:
        """Return the pods and nodes that may influence the pods `asked`, these included."""
        pods: set[Key] = set()
        nodes: set[str] = set()
        more = set(asked) & set(self.pods)
        while more:
            pods |= more
            near = self._near(more)
            fresh = self._places(more) - nodes
            nodes |= fresh
            more = {key for name in fresh for key in self.by_node[name]}
            more |= {key for key in self.movable if not self.hosts[key].isdisjoint(fresh)}
            more |= near | self._first_in_turn(pods)
            more -= pods
        return pods, nodes

    def _near(self, pods: set[Key]) -> set[Key]:
        """Return the pods related to one of these."""
        return {other for key in pods for other in self.near[key]}

    def _first_in_turn(self, pods: set[Key]) -> set[Key]:
        """Return the movable pods of higher priority than one of these, as the control loop schedules them first."""
        lowest = min((self.pods[key].priority for key in pods & self.movable), default=HIGHEST)
        return {key for key in self.movable if self.pods[key].priority > lowest}

    def _places(self, pods: set[Key]) -> set[str]:
        """Return the nodes that one of these pods is on or may be bound to; pods with equal requirements share a set."""
        hosts = {id(self.hosts[key]): self.hosts[key] for key in pods & self.movable}
        return ({self.pods[key].node_name for key in pods} - {""}).union(*hosts.values())

    def _returns(self, pod: Pod) -> bool:
        """Whether a bound pod may need scheduling again, because it may be evicted, or complete and be recreated."""
        arrives = any(rule.event == "arrive" and pod.key in rule.pods for rule in self.scenario.rules)
        owned = "owners" in self.scenario.controllers and pod.owner[0] in RECREATING
        return arrives or owned or self.scenario.victims == "pending"

    def _hosts(self, pod: Pod) -> frozenset[str]:
        """Return the nodes that could ever take `pod` if they were empty.

        The result is cached by the pod's requirements.
        """
        if pod.template_node_name:
            return self._named_by_template(pod)
        wants = (pod.node_selector, pod.affinity.node_required, pod.tolerations, pod.containers, pod.init_containers,
                 pod.overhead, pod.pod_requests)  # fmt: skip
        if wants not in self.hosts_of:
            fresh = unplaced(pod)
            self.hosts_of[wants] = frozenset(node.name for node in self.scenario.nodes if self._may_host(fresh, node))
        return self.hosts_of[wants]

    def _named_by_template(self, pod: Pod) -> frozenset[str]:
        """Return the node that the pod's template names.

        Every pod of the template is created there, whatever the filters say.
        """
        return frozenset(node.name for node in self.scenario.nodes if node.name == pod.template_node_name)

    def _may_host(self, pod: Pod, node: Node) -> bool:
        """Whether the empty node admits `pod`. If its taints, labels or cordon may change, only its size counts."""
        if not resources(pod, node, Snapshot(nodes=(node,)), NO_FAULTS):
            return False
        filters = (schedulability, node_selector, taints, node_affinity)
        return node.name in self.changing or any(
            all(admits(pod, form, Snapshot(nodes=(form,)), NO_FAULTS) for admits in filters)
            for form in self.forms(node)
        )

    def forms(self, node: Node) -> tuple[Node, Node]:
        """Return the node as it is, and as the node lifecycle controller, if it runs, taints it by its condition."""
        return node, conditioned(node) if "lifecycle" in self.scenario.controllers else node

    def _related(self) -> dict[Key, set[Key]]:
        """Return for each pod the pods related to it by a term of either.

        Terms are evaluated once for pods with equal labels.
        """
        related: dict[Key, set[Key]] = {key: set() for key in self.pods}
        snapshot = Snapshot(namespaces=self.scenario.namespaces)
        alike: dict[Hashable, list[Key]] = defaultdict(list)
        for key, pod in self.pods.items():
            alike[pod.namespace, pod.labels].append(key)
        spoken_of: dict[Hashable, list[Key]] = {}
        for key, pod in self.pods.items():
            for term in pod.affinity.pod_terms:
                if (term, pod.namespace) not in spoken_of:
                    spoken_of[term, pod.namespace] = [
                        other
                        for others in alike.values()
                        if concerns(term, pod, self.pods[others[0]], snapshot, NO_FAULTS)
                        for other in others
                    ]
                related[key].update(spoken_of[term, pod.namespace])
                for other in spoken_of[term, pod.namespace]:
                    related[other].add(key)
        return related


def kept_part(scenario: Scenario, pods: set[Key], nodes: set[str]) -> Scenario:
    """Return the scenario reduced to these pods and nodes."""
    rules = (
        replace(
            rule,
            pods=tuple(key for key in rule.pods if key in pods),
            nodes=rule.nodes if rule.event == "evict" else tuple(name for name in rule.nodes if name in nodes),
        )
        for rule in scenario.rules
    )
    return replace(
        scenario,
        pods=tuple(pod for pod in scenario.pods if pod.key in pods),
        nodes=tuple(node for node in scenario.nodes if node.name in nodes),
        absent=scenario.absent & pods,
        rules=tuple(rule for rule in rules if rule.pods or rule.nodes or rule.event == ANY),
    )


def moving_keys(scenario: Scenario) -> set[Key]:
    """Return the pods that are unbound or that an event may affect."""
    befallen = {key for rule in scenario.rules for key in rule.pods}
    return befallen | {pod.key for pod in scenario.pods if not pod.node_name}


def still(scenario: Scenario, asked: frozenset[Key]) -> tuple[Scenario, frozenset[Key]]:
    """Return the scenario without events on bound pods that are not asked about, and the keys of these pods."""
    moving = asked | scenario.absent
    staying = frozenset(pod.key for pod in scenario.pods if pod.node_name and pod.key not in moving)
    rules = (replace(rule, pods=tuple(key for key in rule.pods if key not in staying)) for rule in scenario.rules)
    return replace(
        scenario, rules=tuple(rule for rule in rules if rule.pods or rule.nodes or rule.event == ANY)
    ), staying


def _fixed(scenario: Scenario, asked: frozenset[Key]) -> tuple[Scenario, int, int]:
    """Return the scenario in which bound pods not asked about stay, their number, and how many of them are merged."""
    kept, staying = still(scenario, asked)
    moving = [pod for pod in scenario.pods if pod.key not in staying]
    preempting = max((pod.priority for pod in moving), default=-HIGHEST)
    watched = _watched(scenario, moving)
    folding = {
        pod.key
        for pod in scenario.pods
        if pod.key in staying and pod.priority >= preempting and not pod.affinity.anti_required and not watched(pod)
    }
    if watched(_occupant("", [])):
        folding = set()  # a term that requires a label to be absent would match an occupant
    return _folded(kept, folding), len(staying), len(folding)


def _watched(scenario: Scenario, moving: list[Pod]) -> Callable[[Pod], bool]:
    """Whether a budget, or a term of a moving pod, selects a pod; evaluated once for pods with the same labels.

    Terms of staying pods are not evaluated: pods with required anti-affinity are not merged, and every other term
    matters only while its pod is scheduled.
    """
    snapshot = Snapshot(namespaces=scenario.namespaces)
    looking = {(term, pod.namespace): pod for pod in moving for term in pod.affinity.pod_terms}
    known: dict[Hashable, bool] = {}

    def watched(pod: Pod) -> bool:
        alike = (pod.namespace, pod.labels)
        if alike not in known:
            known[alike] = any(protects(budget, pod) for budget in scenario.budgets) or any(
                concerns(term, owner, pod, snapshot, NO_FAULTS) for (term, _), owner in looking.items()
            )
        return known[alike]

    return watched


def _folded(scenario: Scenario, folding: set[Key]) -> Scenario:
    """Return the scenario with these pods merged into one occupant per node, and with the pod capacity reduced."""
    groups: dict[str, list[Pod]] = defaultdict(list)
    for pod in scenario.pods:
        if pod.key in folding:
            groups[pod.node_name].append(pod)
    occupants = [_occupant(name, pods) for name, pods in groups.items()]
    pods = [pod for pod in scenario.pods if pod.key not in folding] + occupants
    return replace(
        scenario,
        pods=tuple(sorted(pods, key=lambda pod: pod.key)),
        nodes=tuple(_narrowed(node, len(groups.get(node.name, ()))) for node in scenario.nodes),
    )


def _occupant(node: str, pods: list[Pod]) -> Pod:
    """Return a pod that requests as much as all of these, and that no preemptor and no taint can evict."""
    names = frozenset[str]().union(*(requested(pod) for pod in pods))
    room = {name: sum(request(pod, name, NO_FAULTS) for pod in pods) for name in sorted(names)}
    exact = {name: amount * (10**6 if name == "cpu" else 10**9) for name, amount in room.items()}
    return Pod(
        f"{len(pods)}-others-on-{node}",
        "",
        node_name=node,
        phase="Running",
        priority=HIGHEST,
        tolerations=(Toleration(operator="Exists"),),
        containers=(Container(frozendict(exact)),),
    )


def _narrowed(node: Node, count: int) -> Node:
    """Return `node` with its pod capacity reduced: `count` pods are now one."""
    if count < 2 or "pods" not in node.allocatable:
        return node
    return replace(node, allocatable=node.allocatable.set("pods", node.allocatable["pods"] - count + 1))
