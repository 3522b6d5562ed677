"""What the events of a scenario may do to its pods and nodes in one behaviour: `Disturbances`, `disturbances`.

It is an upper bound: more pods may be counted as moving, and more nodes as lost, than any behaviour moves or loses.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from schedcheck.checker.relocation.counting import Case
from schedcheck.model.controllers import bears, conditioned
from schedcheck.model.environment import CONDITIONS, in_order, newly_arrived
from schedcheck.model.scenario import ANY, POD_EVENTS, Rule, Scenario
from schedcheck.spec.binding import completed
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.tolerations import match

Key = tuple[str, str]

CLOSING = ("fail", "cordon", "taint", "unready", "unreachable")
OPENING = ("return", "uncordon", "untaint", "ready")
HARD = ("NoSchedule", "NoExecute")


@dataclass(frozen=True)
class Disturbances:
    """The pods and nodes that events may touch, and how many of them one behaviour can."""

    waiting: tuple[Pod, ...]
    """Pods that wait at first, or may come to wait without an event. Those that do not wait yet are in fresh form."""
    moving: tuple[Pod, ...]
    """Bound pods that may come to wait after an event, in fresh form."""
    bound: tuple[Pod, ...]
    """The moving pods as they are at first."""
    leaving: frozenset[Key]
    """Those of the waiting pods that are bound at first."""
    cases: tuple[Case, ...]
    """The combinations of events. The number of others is that of moving pods that have left their nodes."""
    closing: frozenset[str]
    """Nodes that an event may close."""
    emptying: frozenset[str]
    """Those of them whose pods may leave when it does: a cordoned node keeps its pods."""
    unsettled: frozenset[str]
    """Nodes whose taints the node lifecycle controller is about to change."""
    tainted: tuple[Node, ...]
    """Nodes that have or may get NoExecute taints, each in such a form."""
    touched: frozenset[Key]
    """Pods to which an event may happen."""
    most: int | None
    """The most events of a behaviour; None is any number."""

    def placed(self, pods: Sequence[Pod]) -> int:
        """Return how many of these pods, which wait or move, are placed in one behaviour at most."""
        keys = {pod.key for pod in pods}
        waiting = sum(pod.key in keys for pod in self.waiting)
        return waiting + max(self.departures(pods), default=0)

    def departures(self, pods: Iterable[Pod]) -> list[int]:
        """Return how many of these pods at most leave the nodes that they are on at first, by events alone, for each case."""
        keys = {pod.key for pod in pods}
        bound = [pod for pod in self.bound if pod.key in keys]
        return [self.moved(bound, case.lost) for case in self.cases]

    def moved(self, pods: Iterable[Pod], closings: int, other: int = 0) -> int:
        """Return how many of these pods at most leave the nodes that they are on at first, if so many events close nodes.

        So many other events move none of them; there are none if the number of events is not bounded.
        """
        most = None if self.most is None else self.most - other
        return _moved(list(pods), self.touched, self.emptying, closings, most)


def disturbances(scenario: Scenario, events: int | None) -> Disturbances | None:
    """Return the disturbances by at most `events` events (None: any number); None if they are not bounded here."""
    if any(rule.event not in (*POD_EVENTS, *CLOSING, *OPENING, ANY) for rule in scenario.rules):
        return None
    nodes = {node.name: node for node in scenario.nodes}
    there = [pod for pod in scenario.pods if pod.key not in scenario.absent and not completed(pod)]
    absent = [pod for pod in scenario.pods if pod.key in scenario.absent]
    bound = [pod for pod in there if pod.node_name]
    leaving = [pod for pod in bound if _leaves(pod, nodes.get(pod.node_name), scenario)]
    closing = frozenset(name for rule in scenario.rules if rule.event in CLOSING for name in rule.nodes)
    emptying = frozenset(name for rule in scenario.rules if _empties(rule) for name in rule.nodes)
    touched = frozenset(key for rule in scenario.rules if rule.event in POD_EVENTS for key in rule.pods)
    gone = {pod.key for pod in leaving}
    moving = [pod for pod in bound if pod.key not in gone and (pod.key in touched or pod.node_name in emptying)]
    together = [rule.bound for rule in scenario.rules if rule.event == ANY and rule.bound is not None]
    most = min((*together, *(() if events is None else (events,))), default=None)
    controlled = "lifecycle" in scenario.controllers
    return Disturbances(
        waiting=(*(pod for pod in there if not pod.node_name), *map(newly_arrived, (*absent, *leaving))),
        moving=tuple(map(newly_arrived, moving)),
        bound=tuple(moving),
        cases=tuple(_cases(moving, touched, closing, emptying, scenario.rules, most)),
        leaving=frozenset(gone),
        closing=closing,
        emptying=emptying,
        unsettled=frozenset(node.name for node in scenario.nodes if controlled and conditioned(node) != in_order(node)),
        tainted=tuple(_tainted(scenario)) if controlled else (),
        touched=touched,
        most=most,
    )


def _leaves(pod: Pod, node: Node | None, scenario: Scenario) -> bool:
    """Whether a bound pod may leave its node without an event: it terminates, or a controller deletes it."""
    if node is None or pod.terminating:
        return True
    return "lifecycle" in scenario.controllers and not (bears(pod, node) and bears(pod, conditioned(node)))


def _empties(rule: Rule) -> bool:
    """Whether this event closes nodes so that pods may leave them."""
    lasts = rule.taint is not None and rule.taint.effect != "NoExecute"
    return rule.event in CLOSING and rule.event != "cordon" and not lasts


def _cases(
    moving: Iterable[Pod],
    touched: frozenset[Key],
    closing: frozenset[str],
    emptying: frozenset[str],
    rules: Iterable[Rule],
    most: int | None,
) -> Iterator[Case]:
    """Yield a case for 0, 1, … events that close nodes; all other events are events of pods."""
    pods = list(moving)
    closings = _closings(closing, rules, most)
    # Without a bound on events, more events that close nodes leave no fewer of other kinds.
    for number in range(closings if most is None else 0, closings + 1):
        yield Case(number, closing, _moved(pods, touched, emptying, number, most))


def _moved(
    pods: Sequence[Pod], touched: frozenset[Key], emptying: frozenset[str], closings: int, most: int | None
) -> int:
    """Return how many of these pods leave their nodes at most, by events that close nodes and by those of pods."""
    on = Counter(pod.node_name for pod in pods if pod.node_name in emptying)
    lost = sum(sorted(on.values(), reverse=True)[:closings])
    alone = sum(pod.key in touched for pod in pods)
    return min(len(pods), lost + (alone if most is None else min(alone, most - closings)))


def _closings(closing: frozenset[str], rules: Iterable[Rule], most: int | None) -> int:
    """Return how many events may close nodes; or, without a bound, how many nodes there are to close."""
    bounds = [rule.bound for rule in rules if rule.event in CLOSING]
    of_rules = None if None in bounds else sum(each or 0 for each in bounds)
    return min((each for each in (of_rules, most) if each is not None), default=len(closing))


def _tainted(scenario: Scenario) -> Iterator[Node]:
    """Yield each node with NoExecute taints, and a bare node with those that events may add."""
    for node in scenario.nodes:
        for form in {node, conditioned(node)}:
            if any(taint.effect == "NoExecute" for taint in form.taints):
                yield form
    for rule in scenario.rules:
        if rule.taint is not None and rule.event == "taint":
            yield Node(f"after {rule.event}", taints=(rule.taint,))
        elif rule.event in CONDITIONS and rule.event in CLOSING:
            yield conditioned(Node(f"after {rule.event}", ready=CONDITIONS[rule.event][1]))


def drawn_to_taints(pod: Pod, disturbed: Disturbances) -> bool:
    """Whether a fresh pod may be bound to a node whose NoExecute taints evict it afterwards, again and again."""
    return any(not bears(pod, node) and not _kept_off(pod, node) for node in disturbed.tainted)


def _kept_off(pod: Pod, node: Node) -> bool:
    """Whether a taint of the node keeps fresh pods like this one off it."""
    return any(
        taint.effect in HARD and not any(match(each, taint, NO_FAULTS) for each in pod.tolerations)
        for taint in node.taints
    )
