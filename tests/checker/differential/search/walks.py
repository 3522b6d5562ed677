"""Random walks through the production machine, of which every step on the way is judged: `walk`

In each state every possible next step is judged, and a random one is taken. So a walk is as strict as an exploration,
and reaches states that are far from the first. Which steps are possible is judged too (`possible`).
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from schedcheck.checker.differential.execution import Ledger, balanced, with_ledger
from schedcheck.checker.differential.exploration import fails_nowhere
from schedcheck.checker.differential.properties import properties
from schedcheck.checker.drawing.quick.chance import FEATURES, Chance
from schedcheck.checker.drawing.quick.pods import node, pod
from schedcheck.checker.drawing.quick.questions import budgets, tight
from schedcheck.checker.drawing.quick.storage import storage
from schedcheck.checker.drawing.quick.terms import NODE_NAMES, taint
from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.registry import Registry
from schedcheck.model.production.framework.status import SUCCESS, Code, Status, unresolvable
from schedcheck.model.production.machine.actions import KINDS, Try
from schedcheck.model.production.machine.machine import Production, State
from schedcheck.model.reference import Reference
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.properties.kinds import Always, Property, Step
from schedcheck.spec.storage import NO_STORAGE
from tests.checker.differential.scenarios import KUBERNETES
from tests.checker.differential.search.possible import wrong_steps
from tests.support.gang import GANGS, together, with_gangs
from tests.support.gang import of as of_gang

WALKED = (*(each for each in FEATURES if each not in
            {"versions", "configurations", "devices", "image-sizes", "arguments", "terminating", "ports"}),
          "waiting", "gates", "faults", "interrupted", "gangs")  # fmt: skip
EVENTS = ("arrive", "arrive", "delete", "delete", "complete", "fail", "return", "cordon", "uncordon", "taint", "untaint",
          "label")  # fmt: skip


class Own:
    """An out-of-tree plugin: labelled pods wait for a permit, and others have a gate while a pod named door is there."""

    name = "Own"

    def __init__(self, arguments: object, handle: Any) -> None:
        self._handle = handle

    def permit(self, state: CycleState, one: Pod, host: str) -> tuple[Status, float]:
        """Let a pod of this label wait."""
        return (Status(Code.WAIT), 60.0) if one.labels.get("tier") == "1" else (SUCCESS, 0.0)

    def pre_enqueue(self, one: Pod) -> Status:
        """Refuse a labelled pod while another pod of the same label is bound."""
        others = self._handle.listers.pods.values()
        shut = one.labels.get("tier") == "2" and any(
            each.node_name and each.key != one.key and each.labels.get("tier") == "2" for each in others
        )
        return unresolvable("another is there") if shut else SUCCESS


def registry() -> Registry:
    """Return the default registry with the plugin and the ledger."""
    made = with_gangs()
    made.register(Own.name, Own)
    made.register(Ledger.name, Ledger)
    return made


def scenario(chance: Chance) -> Scenario:
    """Return a small scenario: two to four pods, one or two nodes, and a few bounded events."""
    names = NODE_NAMES[: chance.one(1, 2, 2)]
    nodes = [node(chance, name) for name in names]
    pods: list[Pod] = []
    for number in range(chance.randint(2, 4)):
        on = chance.choice(names) if chance.often(0.4) else ""
        one = pod(chance, f"p{number}", on)
        if pods and chance.often(0.4):
            one = replace(chance.choice(pods), name=f"p{number}", node_name=on, priority=one.priority)
        if chance.has("gangs", 0.8):
            one = replace(one, labels=one.labels | of_gang(chance.one("g", "g", "h"), 2))
        pods.append(replace(one, phase="Pending", terminating=False, preempted=False, start_time=None))
    there = Snapshot.of(pods, nodes)
    waits = [each for each in pods if not each.node_name]
    if waits and chance.often(0.6):
        nodes = [tight(chance, each, waits[0], there) for each in nodes]
    profile = GANGS if "gangs" in chance.features else DEFAULT_PLUGINS
    points = with_ledger(profile).points
    for point, feature in (("permit", "waiting"), ("preEnqueue", "gates")):
        if profile is not GANGS and chance.has(feature, 0.9):
            points = points.set(point, (*profile.at(point), Own.name))
    keys = tuple(sorted(each.key for each in pods))
    rules = tuple(_rule(chance, keys, names) for _ in range(chance.randint(1, 3)))
    return Scenario(
        "walk",
        there.pods,
        tuple(nodes),
        absent=frozenset(key for key in keys if chance.often(0.2)),
        rules=rules,
        profile="kubernetes",
        budgets=budgets(chance),
        storage=storage(chance, names),
        plugins=(replace(profile, points=points),),
    )


def _rule(chance: Chance, keys: Sequence[tuple[str, str]], names: Sequence[str]) -> Rule:
    event, bound = chance.choice(EVENTS), chance.one(1, 1, 2)
    if event in ("arrive", "delete", "complete"):
        return Rule(event, pods=tuple(sorted(chance.some(keys, 1, 2))), bound=bound)
    rule = Rule(event, nodes=tuple(sorted(chance.some(names, 1, 2))), bound=bound)
    if event in ("taint", "untaint"):
        return replace(rule, taint=taint(chance))
    return (
        replace(rule, label_key="zone", label_values=chance.one(("a",), (None,), ("b",))) if event == "label" else rule
    )


def none_waits_for_a_rejected_one(state: State) -> bool:
    """When nothing is left to do but wait, no pod waits for a permit while a pod of its gang is unschedulable.

    Whenever a pod waits, the others of its gang are tried, and if one of them is rejected, all that wait are.
    """
    memory = state.memory
    waiting = [pod for pod, _, signal in memory.permits if signal is None]
    at_rest = not (state.pods or state.nodes or memory.evictions) and all(
        each.pod.key in {pod.key for pod in waiting} for each in memory.bindings
    )
    rejected = [waiter.pod for waiter in memory.waiters]
    at_rest = at_rest and all(waiter.place == "unschedulable" for waiter in memory.waiters)
    return not (at_rest and any(together(one, other) for one in waiting for other in rejected))


def comes_last(before: State, action: Any, after: State) -> bool:
    """A pod that enters the queue, or is put back after an attempt, is behind all that wait already.

    Kubernetes 1.37: Add and AddUnschedulableIfNotPresent in pkg/scheduler/backend/queue/scheduling_queue.go.
    """
    waited = {waiter.pod.identity for waiter in before.memory.waiters}
    tried = {action.concluded.pod.identity} if isinstance(action, Try) and action.concluded is not None else set()
    new = [each.rank for each in after.memory.waiters if each.pod.identity not in waited - tried]
    old = [each.rank for each in after.memory.waiters if each.pod.identity in waited - tried]
    return not new or not old or min(new) > max(old)


def judged(before: State, action: Any, after: State, rules: Sequence[Property]) -> None:
    """Fail if the step or its end violates a property."""
    for each in rules:
        if isinstance(each, Step) and isinstance(action, each.kinds):
            assert each.holds(before, action, after), f"{each.name} is violated by {action}"
        if isinstance(each, Always):
            assert each.holds(after), f"{each.name} is violated after {action}"


def machine(of: Scenario, *, faults: int, interrupted: bool) -> Production:
    """Return the production machine of a scenario, with the plugins of `registry`."""
    environment = Reference(of, replace(KUBERNETES, plugins=of.plugins))
    return Production(of, environment, faults=faults, registry=registry, interrupted=interrupted)


Taken = tuple[Any, State]


def walked(
    chance: Chance, made: Production, steps: int, choose: Callable[[Chance, Sequence[Taken]], Taken] = Chance.choice
) -> None:
    """Walk this number of steps; judge every possible one. Raises: AssertionError at the first violation."""
    rules = [*properties(made), fails_nowhere(made), Always("balanced", "", balanced)]
    rules.append(Step(comes_last.__name__, "", KINDS, comes_last))
    if GANGS.at("permit")[0] in made.scenario.plugins[0].at("permit"):
        rules.append(Always(none_waits_for_a_rejected_one.__name__, "", none_waits_for_a_rejected_one))
    state = chance.choice(list(made.initial_states()))
    for each in rules:
        assert not isinstance(each, Always) or each.holds(state), f"{each.name} is violated at first"
    for _ in range(steps):
        every = list(made.steps(state))
        wrong = wrong_steps(state, every)
        assert not wrong, wrong
        found = [(action, after) for action, after in every if after != state]
        for action, after in found:
            judged(state, action, after, rules)
        if not found:
            return
        state = choose(chance, found)[1]


def walk(start: int | str, steps: int = 25) -> None:
    """Walk this number of steps through a random scenario. Raises: AssertionError at the first violation."""
    chance = Chance.of(f"walk {start}", WALKED)
    of = scenario(chance)
    faults = int(chance.has("faults"))
    # A binding that is delivered while its call lasts looks to `assumes_and_releases_volumes` like one that failed.
    walked(
        chance, machine(of, faults=faults, interrupted=chance.has("interrupted") and of.storage == NO_STORAGE), steps
    )
