"""Exploration with at most 0, 1, 2, … events of the environment: `by_events`.

A depth bounds the scheduler as much as the environment. A number of events bounds only what happens around the
scheduler: each behaviour has so many events, in any order and at any moment, and any number of other steps.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import count

from schedcheck.checker.check import Checked
from schedcheck.checker.result import Result, Round
from schedcheck.model.reference import Decided
from schedcheck.model.scenario import ANY, Rule, Scenario
from schedcheck.spec.properties.kinds import Sometimes


def by_events(scenario: Scenario, most: int | None, explore: Callable[[Scenario, str, Decided], Checked]) -> Checked:
    """Explore with at most 0, 1, … events, up to `most` (None: any number), and return the last exploration.

    `explore` is given the scenario, the engine ("direct" once tables were of no use, else empty) and the decisions that
    are known. All ends at the first violation, at a limit, and when one more event leads to no further state.
    """
    rounds: tuple[Round, ...] = ()
    decided: Decided = {}
    engine = why = ""
    for events in count() if most is None else range(most + 1):
        found = explore(at_most(events, scenario), engine, decided)
        result = found.result
        if found.why:
            engine, why = "direct", found.why
        all_seen = rounds != () and rounds[-1].states == result.distinct
        rounds += (Round(events, result.verdict, result.distinct, result.seconds, result.stopped),)
        if all_seen or result.stopped or _violated(result):
            break
    return replace(found, rounds=rounds, all_seen=all_seen and not result.stopped, why=why)


def at_most(events: int, scenario: Scenario) -> Scenario:
    """Return the scenario in which at most so many events happen in all."""
    return replace(scenario, rules=(*scenario.rules, Rule(ANY, bound=events)))


def _violated(result: Result) -> bool:
    """Whether a violation was found that no further event can take back: a witness may need more events."""
    return any(not isinstance(each.property, Sometimes) for each in result.violations)
