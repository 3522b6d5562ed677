"""Every change of a simulated cluster that is not the scheduler's is an event of the specification's environment.

The scheduler's own changes follow from its decisions, which tests/checker/simulating judges.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from schedcheck.model.reference import Reference, State
from schedcheck.model.scenario import CONTROLLERS, Rule, Scenario
from schedcheck.model.simulation.kubelet import Kubelets
from schedcheck.model.simulation.simulation import Simulation
from schedcheck.model.simulation.timeline import Start
from schedcheck.model.simulation.world import Happening
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Node, Pod, Toleration
from schedcheck.spec.profiles import kubernetes
from tests.model.simulation.drawn import EVICTING, a_node, a_pod, drawn_start, start_of

OF_THE_SCHEDULER = ("Bind", "Nominate", "Unnominate", "EvictVictim")
Key = tuple[str, str]


def plain(pod: Pod) -> Pod:
    """The pod without what the specification's environment leaves out: the uid and the start time."""
    return replace(pod, uid="", start_time=None)


def forms(start: Start, seed: int) -> tuple[dict[Key, Pod], dict[str, Node]]:
    """Every pod and node of a run, in its first form."""
    simulation = Simulation(start)
    pods = {pod.key: plain(pod) for pod in start.snapshot.pods}
    nodes = {node.name: node for node in start.snapshot.nodes}

    def pod_watcher(before: Pod | None, after: Pod | None) -> None:
        if after is not None:
            pods.setdefault(after.key, plain(after))

    def node_watcher(before: Node | None, after: Node | None) -> None:
        if after is not None:
            nodes.setdefault(after.name, after)

    simulation.world.pod_watchers.append(pod_watcher)
    simulation.world.node_watchers.append(node_watcher)
    simulation.seed(seed, 0)
    while simulation.step():
        pass
    return pods, nodes


def environment(start: Start, pods: dict[Key, Pod], nodes: dict[str, Node]) -> Reference:
    """The machine in which every event may happen to every object, and every controller runs."""
    keys, names = tuple(sorted(pods)), tuple(sorted(nodes))
    rules = [Rule(event, pods=keys) for event in ("arrive", "complete", "delete", "evict")]
    events = ("fail", "return", "cordon", "uncordon", "unready", "unreachable", "ready")
    rules += [Rule(event, nodes=names) for event in events]
    rules += [Rule(event, nodes=names, taint=EVICTING) for event in ("taint", "untaint")]
    rules.append(Rule("label", nodes=names, label_key="zone", label_values=("z",)))
    scenario = Scenario(
        "simulated",
        tuple(pods[key] for key in keys),
        tuple(nodes[name] for name in names),
        absent=frozenset(keys) - {pod.key for pod in start.snapshot.pods},
        rules=tuple(rules),
        profile="kubernetes",
        completed="kept",
        budgets=start.snapshot.budgets,
        controllers=frozenset(CONTROLLERS),
    )
    return Reference(scenario, kubernetes("kubernetes", (DEFAULT_PLUGINS,)))


@dataclass
class Following:
    """A simulation with the state of the environment that it has reached.

    `strange` are changes that are no events, `checked` the actions that were compared.
    """

    simulation: Simulation
    machine: Reference
    pods: dict[Key, Pod] = field(default_factory=dict)
    nodes: dict[str, Node] = field(default_factory=dict)
    allowed: tuple[int, ...] = ()
    last: str = ""
    strange: list[str] = field(default_factory=list)
    checked: set[str] = field(default_factory=set)

    def begin(self) -> None:
        world, budgets = self.simulation.world, self.simulation.budgets
        self.pods = {key: plain(pod) for key, pod in world.pods.items()}
        self.nodes = dict(world.nodes)
        world.heard = self.hear
        world.pod_watchers.append(self.pod)
        world.node_watchers.append(self.node)
        allow = budgets.allow

        def asked(pod: Pod) -> bool:
            self.allowed = tuple(each.disruptions_allowed for each in budgets.budgets)
            return allow(pod)

        budgets.allow = asked  # type: ignore[method-assign]

    def hear(self, happening: Happening) -> None:
        self.last = happening.action

    def state(self) -> State:
        scenario = self.machine.scenario
        allowed = self.allowed or tuple(0 for _ in scenario.budgets)
        return State(
            tuple(self.pods.get(pod.key) for pod in scenario.pods),
            tuple(self.nodes.get(node.name) for node in scenario.nodes),
            allowed=allowed,
        )

    def pod(self, before: Pod | None, after: Pod | None) -> None:
        key = (after or before).key  # type: ignore[union-attr]
        self._change(self.pods, key, None if after is None else plain(after))

    def node(self, before: Node | None, after: Node | None) -> None:
        name = (after or before).name  # type: ignore[union-attr]
        self._change(self.nodes, name, after)

    def _change(self, there: dict[Any, Any], key: Any, after: Any) -> None:
        came_from = self.state()
        there.pop(key, None)
        if after is not None:
            there[key] = after
        if self.last in OF_THE_SCHEDULER:
            return
        self.checked.add(self.last)
        reached = self.state()
        if not any((each.pods, each.nodes) == (reached.pods, reached.nodes) for each in self._next(came_from)):
            self.strange.append(f"{self.simulation.agenda.now}: {self.last}: {key}: {after}")

    def _next(self, state: State) -> Iterator[State]:
        return (reached for _, reached in self.machine.events(state))


def followed(start: Start, seed: int) -> Following:
    found = Following(Simulation(start), environment(start, *forms(start, seed)))
    found.begin()
    found.simulation.seed(seed, 0)
    while found.simulation.step():
        pass
    return found


@pytest.mark.medium
def test_every_change_around_the_scheduler_is_an_event_of_the_specification() -> None:
    seen: set[str] = set()
    for seed in range(10):
        found = followed(drawn_start(seed, 400.0), seed)
        assert found.strange == []
        seen |= found.checked
    assert seen >= {
        "Arrive", "Create", "Start", "Complete", "End", "Delete", "Evict", "TaintEvict", "Collect", "TaintByCondition",
        *("Unreachable", "Unready", "Ready", "Fail", "Return", "Add", "Cordon", "Uncordon", "Drain", "Taint", "Untaint"),
        "Label",
    }  # fmt: skip


def test_a_kubelet_that_starts_pods_on_nodes_that_are_not_ready_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def start_anyway(self: Kubelets, pod: Pod) -> None:
        self._world.tell("Start", pod, pod.node_name)
        self._world.change(pod, phase="Running")

    start = start_of(
        [a_node("n1", ready="False")], [a_pod("p", node_name="n1", tolerations=(Toleration("", "Exists"),))], until=30.0
    )
    assert followed(start, 0).strange == []
    monkeypatch.setattr(Kubelets, "_start", start_anyway)
    assert next(each.partition(": ")[2] for each in followed(start, 0).strange).startswith("Start")
