"""Exploration with at most 0, 1, 2, … events of the environment: `by_events`.

A depth bounds the scheduler as much as the environment. A number of events bounds only what happens around the
scheduler: each behaviour has so many events, in any order and at any moment, and any number of other steps.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import count

from schedcheck.checker.check import Checked
from schedcheck.checker.followed import bad_end, soon
from schedcheck.checker.limits.parameters import parameter
from schedcheck.checker.result import Result, Round
from schedcheck.model.reference import Decided
from schedcheck.model.scenario import ANY, Rule, Scenario
from schedcheck.spec.properties.kinds import LeadsTo, Sometimes

Explore = Callable[[Scenario, str, Decided, int | None], Checked]


def by_events(
    scenario: Scenario,
    most: int | None,
    explore: Explore,
    seconds: float | None = None,
) -> Checked:
    """Explore with at most 0, 1, … events, up to `most` (None: any number), and return the last exploration.

    `explore` is given the scenario, the engine ("direct" once tables were of no use, else empty), the decisions that
    are known, and a number of states after which it stops, or None. Behaviours are followed for so many seconds. All ends
    at the first violation, at a limit, and when one more event leads to no further state.
    """
    rounds: tuple[Round, ...] = ()
    decided: Decided = {}
    engine = why = ""
    for events in count() if most is None else range(most + 1):
        found = _round(at_most(events, scenario), engine, decided, explore, seconds)
        result = found.result
        if found.why:
            engine, why = "direct", found.why
        all_seen = rounds != () and rounds[-1].states == result.distinct
        rounds += (Round(events, result.verdict, result.distinct, result.seconds, result.stopped),)
        if all_seen or result.stopped or _violated(result):
            break
    return replace(found, rounds=rounds, all_seen=all_seen and not result.stopped, why=why)


def _round(limited: Scenario, engine: str, decided: Decided, explore: Explore, seconds: float | None) -> Checked:
    """Explore one round; if it is large and all is asked of the ends of behaviours, follow some of them first."""
    first = soon(limited)
    found = explore(limited, engine, decided, first)
    if found.result.stopped != f"{parameter('limits.states')} {first}" or found.result.violations:
        return found
    if all(isinstance(each, LeadsTo) for each in found.properties):
        bad = bad_end(found, found.properties, seconds)
        if bad is not None:
            return bad
    return explore(limited, engine, decided, None)


def at_most(events: int, scenario: Scenario) -> Scenario:
    """Return the scenario in which at most so many events happen in all."""
    return replace(scenario, rules=(*scenario.rules, Rule(ANY, bound=events)))


def _violated(result: Result) -> bool:
    """Whether a violation was found that no further event can take back: a witness may need more events."""
    return any(not isinstance(each.property, Sometimes) for each in result.violations)
