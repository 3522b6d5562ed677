"""In every reachable state of small clusters the production scheduler decides as allowed; broken twins do not"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from schedcheck.checker.differential.properties import properties
from schedcheck.checker.exploring.exploration import Exploration
from schedcheck.checker.exploring.search import breadth_first
from schedcheck.checker.refinement.stranded import Watched
from schedcheck.checker.result import Result, Verdict
from schedcheck.model.production.cycle import algorithm
from schedcheck.model.production.framework.filtering import filtered
from schedcheck.model.production.machine.actions import Try
from schedcheck.model.production.machine.machine import State
from schedcheck.model.production.preemption import evaluator, victims, worlds
from schedcheck.model.production.queue.nominator import Nominator
from schedcheck.model.production.queue.scheduling_queue import SchedulingQueue
from schedcheck.model.production.snapshot.lower_pods import LowerPods
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.scenario import Scenario
from schedcheck.spec.properties.kinds import Property
from tests.checker.differential.scenarios import (
    CHOOSES,
    EVICTS_ONE_OF_TWO,
    NOMINATED,
    PORTS,
    SCENARIOS,
    SHUNS,
    SPARES_THE_PROTECTED,
    TWO_PREEMPTORS,
    machine,
)
from tests.support.building import replays

COUNTS = {
    "chooses": (152, 13), "evicts_one_of_two": (49, 12), "spares_the_protected": (49, 12), "nominated": (481, 17),
    "two_preemptors": (294, 15), "ports": (177, 13), "shuns": (1679, 17), "joins": (1443, 16), "spreads": (538, 17),
    "evicts_an_anti_affine_pod": (49, 12), "node_comes": (50, 10), "claim_for_one": (984, 24), "last_place": (145, 13),
    "makes_a_place": (49, 12), "take_volumes": (1261, 18), "share_a_claim": (381, 22),
}  # fmt: skip
"""The distinct states and the levels of each scenario."""


def explored(of: Scenario, faults: int = 0, only: Callable[[Property], bool] = lambda _: True) -> Exploration[State]:
    """The exploration of a scenario with the properties of every scheduler."""
    made = machine(of, faults)
    return Exploration(Watched(made), [each for each in properties(made) if only(each)])


def judged(of: Scenario, faults: int = 0) -> Result:
    return breadth_first(explored(of, faults))


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", SCENARIOS)
def test_every_reachable_decision_is_allowed(name: str) -> None:
    result = judged(*SCENARIOS[name])
    assert (result.verdict, result.distinct, result.depth) == (Verdict.HOLDS, *COUNTS[name])


@pytest.mark.slow
def test_every_kind_of_decision_is_judged() -> None:
    """Otherwise the properties would hold vacuously."""
    kinds = set()
    for of, faults in (SCENARIOS[name] for name in ("evicts_one_of_two", "shuns")):
        met = explored(of, faults, lambda _: False)
        breadth_first(met)
        for state in met.states:
            for action, _ in met.machine.steps(state):
                if isinstance(action, Try) and action.concluded is not None:
                    made = action.concluded
                    kinds.add("bind" if made.hosts else "nominate" if made.nominated else "wait")
    assert kinds == {"bind", "nominate", "wait"}


def second_best(monkeypatch: pytest.MonkeyPatch) -> None:
    rated: Any = algorithm._rated

    def negated(*given: Any) -> Any:
        found = rated(*given)
        return replace(found, total=-found.total)

    monkeypatch.setattr(algorithm, "_rated", negated)


def without_the_nominated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(algorithm, "filtered_with_nominated", filtered)


def forgetting_nominations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Nominator, "add", lambda self, pod, node=None: None)


def sparing_the_least_first(monkeypatch: pytest.MonkeyPatch) -> None:
    def least_first(info: PodInfo) -> tuple[int, int]:
        return -info.importance[0], info.importance[1]

    monkeypatch.setattr(worlds, "importance", least_first)
    monkeypatch.setattr(
        LowerPods, "by_importance", property(lambda lower: tuple(sorted(lower.infos, key=least_first)))
    )  # fmt: skip


def without_budgets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(victims, "violating", lambda infos, budgets, departures: ([], list(infos)))


def from_the_worst_node(monkeypatch: pytest.MonkeyPatch) -> None:
    best: Any = evaluator.best
    worst: Any = lambda kept: tuple(name for name in kept if name not in best(kept)) or best(kept)  # noqa: E731
    monkeypatch.setattr(evaluator, "best", worst)


def last_come_first_served(monkeypatch: pytest.MonkeyPatch) -> None:
    pop: Any = SchedulingQueue.pop

    def last(self: SchedulingQueue) -> Any:
        waiting = sorted(self.active, key=lambda each: (each.pod.priority, each.key))
        for each in waiting[1:]:
            self.active.remove(each.key)
        taken = pop(self)
        for each in waiting[1:]:
            self.active.put(each)
        return taken

    monkeypatch.setattr(SchedulingQueue, "pop", last)


def deaf_to_events(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SchedulingQueue, "move_all", lambda self, event, before, after, check=None: None)


TWINS: tuple[tuple[Callable[[pytest.MonkeyPatch], None], Scenario, str, int], ...] = (
    (second_best, CHOOSES, "decides_as_allowed", 2),
    (without_the_nominated, NOMINATED, "decides_as_allowed", 10),
    (forgetting_nominations, NOMINATED, "nominations_agree", 3),
    (sparing_the_least_first, EVICTS_ONE_OF_TWO, "decides_as_allowed", 2),
    (without_budgets, SPARES_THE_PROTECTED, "decides_as_allowed", 2),
    (from_the_worst_node, EVICTS_ONE_OF_TWO, "decides_as_allowed", 2),
    (last_come_first_served, TWO_PREEMPTORS, "takes_the_first", 2),
    (deaf_to_events, PORTS, "no_lost_wakeup", 9),
    (deaf_to_events, SHUNS, "no_lost_wakeup", 6),
)
"""Each twin with a scenario, the property that it violates there, and the length of the shortest trace."""


@pytest.mark.sampled(4)
@pytest.mark.parametrize("place", range(len(TWINS)), ids=lambda place: f"{TWINS[place][0].__name__}-{place}")
def test_a_broken_twin_is_detected_by_exploration(place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    twin, of, name, length = TWINS[place]
    twin(monkeypatch)
    met = explored(of, 0, lambda each: each.name == name)
    result = breadth_first(met)
    assert [violation.property.name for violation in result.violations] == [name]
    assert len(result.violations[0].trace) == length
    assert replays(met.machine, result.violations[0].trace)
