"""Count in Python what TLC counts: a plain BFS over the reference transition system, without symmetry"""

import re
from typing import NamedTuple

from schedcheck.checker.exploring.constraints import CONSTRAINTS
from schedcheck.checker.exploring.memo import remembering
from schedcheck.model.profiles import profile_of
from schedcheck.model.reference import Reference, State
from schedcheck.model.scenario import Scenario


class Counts(NamedTuple):
    """Distinct states, generated states (repeated and unchanged ones included), levels."""

    distinct: int
    generated: int
    depth: int


def machine_of(scenario: Scenario) -> Reference:
    return Reference(scenario, remembering(profile_of(scenario), scenario.pods))


def counted(scenario: Scenario, limit: int) -> Counts | None:
    """The counts, or None beyond `limit` distinct states."""
    machine = machine_of(scenario)
    level = [state for state in machine.initial_states() if within(scenario, machine, state)]
    seen, generated, depth = set(level), 1, 0
    while level and len(seen) <= limit:
        depth += 1
        successors = [successor for state in level for _, successor in machine.steps(state)]
        generated += len(successors)
        level = [each for each in dict.fromkeys(successors) if each not in seen and within(scenario, machine, each)]
        seen.update(level)
    return Counts(len(seen), generated, depth) if not level else None


def within(scenario: Scenario, machine: Reference, state: State) -> bool:
    """Whether the state satisfies the constraints of the scenario; otherwise it is generated but not stored."""
    calls = [re.fullmatch(r"(\w+)\((\d+)\)", text) for text in scenario.constraints]
    return all(call is not None and CONSTRAINTS[call[1]](machine.view(state)) <= int(call[2]) for call in calls)
