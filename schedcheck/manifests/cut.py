"""A question about one object, and the part of the cluster that can influence its answer: `cut`.

Two steps. The closure drops what has no influence, and changes no answer: a pod that is not bound may go to any node
that could ever take it, meets there whoever is bound or may come, waits behind every higher priority, and may be near
to or far from the pods that a term speaks of; all those in turn do the same. Then, where still more than `MOST_MOVING`
pods would move, bound pods that nobody asks about, nor any term of who is asked about, are taken to stay: they no longer complete, and those whom nobody
can evict become one occupant a node. That is an approximation, and `Scenario.cut` says in which direction.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace

from frozendict import frozendict

from schedcheck.model.controllers import RECREATING, conditioned
from schedcheck.model.environment import unplaced
from schedcheck.model.scenario import Scenario
from schedcheck.spec.binding import completed
from schedcheck.spec.budgets import protects
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Container, Node, Pod, Snapshot, Toleration
from schedcheck.spec.published.affinity import concerns, node_affinity
from schedcheck.spec.published.node_selector import node_selector
from schedcheck.spec.published.resources import request, requested, resources
from schedcheck.spec.published.schedulability import schedulability
from schedcheck.spec.published.taints import taints

MOST_MOVING = 16
"""Beyond how many pods that may move the bound ones are taken to stay."""

HIGHEST = 2**31 - 1
CHANGING = frozenset({"uncordon", "untaint", "label", "ready", "return"})

Key = tuple[str, str]


def cut(scenario: Scenario, asked: frozenset[Key]) -> Scenario:
    """The part of `scenario` that can influence what is asked of the pods named in `asked`; its `cut` says what it is."""
    closure = Closure(scenario)
    if asked and all(key in closure.unbound and not closure.hosts[key] for key in asked):
        nowhere = "no node could ever take the pod, were it empty, so that nothing else influences the answer"
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
    notes.append(staying_note(staying, f", {folded:,} of them, whom nobody can evict, as one occupant a node"))
    return replace(fixed, cut=tuple(notes))


def staying_note(staying: int, folded: str = "") -> str:
    """What follows where so many bound pods are taken to stay; `folded` says how many are one occupant a node."""
    return (
        f"taken to stay where they are, unless they are evicted: {staying:,} bound pods{folded};"
        " a broken step or an eviction that is found is real, but what holds, and what can no longer happen, is said"
        " only of a cluster in which they stay"
    )


def counted(count: int, noun: str) -> str:
    """So many of something, in words."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


class Closure:
    """What influences what in a scenario."""

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
        """The pods and nodes that may influence the pods that are asked about, these included."""
        pods: set[Key] = set()
        nodes: set[str] = set()
        more = set(asked) & set(self.pods)
        while more:
            pods |= more
            fresh = {name for key in more for name in self._places(key)} - nodes
            nodes |= fresh
            more = {key for name in fresh for key in self.by_node[name]}
            more |= {key for key in self.movable if self.hosts[key] & nodes}
            more |= {other for key in pods for other in self.near[key]} | self._first_in_turn(pods)
            more -= pods
        return pods, nodes

    def _first_in_turn(self, pods: set[Key]) -> set[Key]:
        """The pods that come before one of these in the queue: the control loop takes up the highest priority alone."""
        lowest = min((self.pods[key].priority for key in pods & self.movable), default=HIGHEST)
        return {key for key in self.movable if self.pods[key].priority > lowest}

    def _places(self, key: Key) -> Iterable[str]:
        """The nodes that a pod is on, or may come to."""
        there = {self.pods[key].node_name} - {""}
        return there | self.hosts[key] if key in self.movable else there

    def _returns(self, pod: Pod) -> bool:
        """Whether a bound pod may have to be placed again: evicted, or completed, and made anew."""
        arrives = any(rule.event == "arrive" and pod.key in rule.pods for rule in self.scenario.rules)
        owned = "owners" in self.scenario.controllers and pod.owner[0] in RECREATING
        return arrives or owned or self.scenario.victims == "pending"

    def _hosts(self, pod: Pod) -> frozenset[str]:
        """The nodes that could ever take `pod`, were they empty; asked once for pods that ask for the same."""
        if pod.template_node_name:
            return self._named_by_template(pod)
        wants = (pod.node_selector, pod.affinity.node_required, pod.tolerations, pod.containers, pod.init_containers,
                 pod.overhead, pod.pod_requests)  # fmt: skip
        if wants not in self.hosts_of:
            fresh = unplaced(pod)
            self.hosts_of[wants] = frozenset(node.name for node in self.scenario.nodes if self._may_host(fresh, node))
        return self.hosts_of[wants]

    def _named_by_template(self, pod: Pod) -> frozenset[str]:
        """The node on which every pod of the template is created, whatever a filter says of it."""
        return frozenset(node.name for node in self.scenario.nodes if node.name == pod.template_node_name)

    def _may_host(self, pod: Pod, node: Node) -> bool:
        """Whether the empty node admits `pod`; one whose taints, labels or cordon may change, if it is large enough."""
        if not resources(pod, node, Snapshot(nodes=(node,)), NO_FAULTS):
            return False
        filters = (schedulability, node_selector, taints, node_affinity)
        return node.name in self.changing or any(
            all(admits(pod, form, Snapshot(nodes=(form,)), NO_FAULTS) for admits in filters)
            for form in self.forms(node)
        )

    def forms(self, node: Node) -> tuple[Node, Node]:
        """The node as it is, and as the node lifecycle controller, if it runs, taints it by its condition."""
        return node, conditioned(node) if "lifecycle" in self.scenario.controllers else node

    def _related(self) -> dict[Key, set[Key]]:
        """For each pod the pods that a term of either speaks of; asked once for pods with the same labels."""
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
    """The scenario of these pods and nodes alone."""
    rules = (
        replace(
            rule,
            pods=tuple(key for key in rule.pods if key in pods),
            nodes=tuple(name for name in rule.nodes if name in nodes),
        )
        for rule in scenario.rules
    )
    return replace(
        scenario,
        pods=tuple(pod for pod in scenario.pods if pod.key in pods),
        nodes=tuple(node for node in scenario.nodes if node.name in nodes),
        absent=scenario.absent & pods,
        rules=tuple(rule for rule in rules if rule.pods or rule.nodes),
    )


def moving_keys(scenario: Scenario) -> set[Key]:
    """The pods that some event may befall, or that are not bound."""
    befallen = {key for rule in scenario.rules for key in rule.pods}
    return befallen | {pod.key for pod in scenario.pods if not pod.node_name}


def still(scenario: Scenario, asked: frozenset[Key]) -> tuple[Scenario, frozenset[Key]]:
    """The scenario in which nothing happens to bound pods that are not asked about, and which these are."""
    staying = frozenset(pod.key for pod in scenario.pods if pod.node_name and pod.key not in asked | scenario.absent)
    rules = (replace(rule, pods=tuple(key for key in rule.pods if key not in staying)) for rule in scenario.rules)
    return replace(scenario, rules=tuple(rule for rule in rules if rule.pods or rule.nodes)), staying


def _fixed(scenario: Scenario, asked: frozenset[Key]) -> tuple[Scenario, int, int]:
    """The scenario in which bound pods that are not asked about stay; how many do, and how many of them were folded."""
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
        folding = set()  # a term that asks for the lack of a label would take an occupant for what it asks for
    return _folded(kept, folding), len(staying), len(folding)


def _watched(scenario: Scenario, moving: list[Pod]) -> Callable[[Pod], bool]:
    """Whether a budget of the scenario, or a term of a pod that moves, looks at a pod; asked once for like labels.

    The terms of pods that stay are not asked, save the required anti-affinity for whose sake they are not folded:
    every other term matters only where its pod is placed.
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
    """The scenario with one occupant a node in the place of these pods, and room for as many fewer."""
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
    """A pod that takes the room of all of these, and that nobody and no taint can evict."""
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
    """`node` with room for as many pods fewer as are now counted as one."""
    if count < 2 or "pods" not in node.allocatable:
        return node
    return replace(node, allocatable=node.allocatable.set("pods", node.allocatable["pods"] - count + 1))
