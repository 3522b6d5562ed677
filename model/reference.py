"""The specification as a machine: the events of a scenario, and every decision that the control loop allows.

A state holds a place for each pod and each node of the scenario, None while the object is not there, and how often
each bounded rule may still be used. What never changes stays in the scenario.
"""

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from schedcheck.model.environment import EVENTS, Event, in_order, newly_arrived, node_events, pod_events
from schedcheck.model.scenario import Scenario
from schedcheck.spec.binding import unbound
from schedcheck.spec.decisions import Bind, Decision, Preempt, Wait
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.profiles import Profile
from schedcheck.spec.scheduling import scheduler

Action = Event | Decision
Thing = TypeVar("Thing", bound=Hashable)


class State(NamedTuple):
    """Where everything is: a slot a pod, a slot a node, and the uses left of the bounded rules."""

    pods: tuple[Pod | None, ...]
    nodes: tuple[Node | None, ...]
    left: tuple[int, ...] = ()

    def __repr__(self) -> str:
        """Everything that may change, and nothing else: what tells the states of one scenario apart, and orders them."""
        pods = ("-" if pod is None else f"{pod}@{pod.node_name}:{pod.phase}" for pod in self.pods)
        nodes = (
            "-"
            if node is None
            else f"{node}:{node.unschedulable}:{','.join(map(str, node.taints))}:{dict(node.labels)}"
            for node in self.nodes
        )
        return f"State({' '.join(pods)} | {' '.join(nodes)} | {' '.join(map(str, self.left))})"


class Reference:
    """The machine of `scenario` under `profile`, one of whose `faults` and rated resource are the scenario's."""

    def __init__(self, scenario: Scenario, profile: Profile) -> None:
        self.scenario = scenario
        self.profile = profile
        self._slot = {pod.key: slot for slot, pod in enumerate(scenario.pods)}
        self._bounded = [number for number, rule in enumerate(scenario.rules) if rule.bound is not None]
        # What an event makes of an object, and a pod on a node, is asked for in every state and always the same.
        self._pod_moves: dict[tuple[int, Pod | None], list[tuple[Event, Pod | None, int, str]]] = {}
        self._node_moves: dict[tuple[int, Node | None], list[tuple[Event, Node | None, int]]] = {}
        self._placed: dict[tuple[Pod, str], Pod] = {}
        self._made: dict[Hashable, Any] = {}

    def initial_states(self) -> Iterable[State]:
        """The one state in which the absent pods are absent and everything else is as given."""
        pods = tuple(self.one(pod) if pod.key not in self.scenario.absent else None for pod in self.scenario.pods)
        left = tuple(rule.bound for rule in self.scenario.rules if rule.bound is not None)
        yield State(pods, tuple(self.one(in_order(node)) for node in self.scenario.nodes), left)

    def kinds(self) -> tuple[type, ...]:
        """The events of the scenario's rules, then the decisions."""
        named = {rule.event for rule in self.scenario.rules}
        return (*(event for name, event in EVENTS.items() if name in named), Bind, Preempt, Wait)

    def view(self, state: State) -> Snapshot:
        """The snapshot that the scheduler sees in `state`."""
        return Snapshot(
            tuple([pod for pod in state.pods if pod is not None]),
            tuple([node for node in state.nodes if node is not None]),
            self.scenario.namespaces,
        )

    def unfinished(self, state: State) -> bool:
        """Whether some pod waits for a node."""
        return unbound(self.view(state), self.profile.faults) != frozenset()

    def steps(self, state: State) -> Iterator[tuple[Action, State]]:
        """The events of each pod, then of each node, then the scheduler's decisions in the order of their texts."""
        yield from self._pod_steps(state)
        yield from self._node_steps(state)
        for decision in sorted(scheduler(self.view(state), self.profile), key=str):
            yield decision, self.carried_out(decision, state)

    def carried_out(self, decision: Decision, state: State) -> State:
        """The state after `decision`; victims become what the scenario says of them."""
        match decision:
            case Bind(pod, node):
                slot = self._slot[pod.key]
                return State(_put(state.pods, slot, self._bound(pod, node)), state.nodes, state.left)
            case Preempt(_, _, victims):
                pods = list(state.pods)
                for victim in victims:
                    pods[self._slot[victim.key]] = self._evicted(victim)
                return State(tuple(pods), state.nodes, state.left)
            case Wait():
                return state

    def _pod_steps(self, state: State) -> Iterator[tuple[Action, State]]:
        pods, nodes, left = state
        for slot, pod in enumerate(pods):
            moves = self._pod_moves.get((slot, pod))
            if moves is None:
                moves = self._pod_moves[slot, pod] = self._moves_of_pod(slot, pod)
            for event, moved, rule, where in moves:
                if rule >= 0 and not left[rule]:
                    continue
                if where and all(node is None or node.name != where for node in nodes):
                    continue
                yield event, State(_put(pods, slot, moved), nodes, left if rule < 0 else _spent(left, rule))

    def _node_steps(self, state: State) -> Iterator[tuple[Action, State]]:
        pods, nodes, left = state
        for slot, node in enumerate(nodes):
            moves = self._node_moves.get((slot, node))
            if moves is None:
                moves = self._node_moves[slot, node] = self._moves_of_node(slot, node)
            for event, moved, rule in moves:
                if rule < 0 or left[rule]:
                    yield event, State(pods, _put(nodes, slot, moved), left if rule < 0 else _spent(left, rule))

    def _moves_of_pod(self, slot: int, pod: Pod | None) -> list[tuple[Event, Pod | None, int, str]]:
        """Each event, the pod after it, the counter that it uses (-1: none), and the node that must be there."""
        return [
            (event, self.one(moved), self._counter(number), pod.node_name if pod and rule.event == "complete" else "")
            for number, rule in enumerate(self.scenario.rules)
            for event, moved in pod_events(rule, self.scenario.pods[slot], pod, self.scenario)
        ]

    def _moves_of_node(self, slot: int, node: Node | None) -> list[tuple[Event, Node | None, int]]:
        """Each event, the node after it, and the counter that it uses (-1: none)."""
        return [
            (event, self.one(moved), self._counter(number))
            for number, rule in enumerate(self.scenario.rules)
            for event, moved in node_events(rule, self.scenario.nodes[slot], node)
        ]

    def _counter(self, rule: int) -> int:
        """Where in `left` the rule of this number counts, -1 where it is not bounded."""
        return self._bounded.index(rule) if rule in self._bounded else -1

    def _bound(self, pod: Pod, node: Node) -> Pod:
        """`pod` with the name of `node`; pods are made once, so that equal states share their parts."""
        placed = self._placed.get((pod, node.name))
        if placed is None:
            placed = self._placed[pod, node.name] = self.one(replace(pod, node_name=node.name))
        return placed

    def _evicted(self, victim: Pod) -> Pod | None:
        r"""What becomes of a victim.

        TLA+: Recreated(Victims) ==
                IF VictimsBecome = "pending" THEN {NewlyArrived(Pod) : Pod \in Victims} ELSE {}
        """
        return self.one(newly_arrived(victim)) if self.scenario.victims == "pending" else None

    def one(self, thing: Thing) -> Thing:
        """The one copy of an object that all states share."""
        made: Thing = self._made.setdefault(thing, thing)
        return made


def _put(slots: tuple[Thing, ...], slot: int, thing: Thing) -> tuple[Thing, ...]:
    """`slots` with `thing` in one of them."""
    return (*slots[:slot], thing, *slots[slot + 1 :])


def _spent(left: tuple[int, ...], rule: int) -> tuple[int, ...]:
    """`left` after one more use of the rule that counts there."""
    return _put(left, rule, left[rule] - 1)
