"""Exploration with at most 0, 1, 2, … events of the environment: `by_events`, `whole_or_by_events`.

A depth bounds the scheduler as much as the environment. A number of events bounds only what happens around the
scheduler: each behaviour has so many events, in any order and at any moment, and any number of other steps.

Where events are unlimited, the whole space is explored first, up to a number of states. A number of states, unlike a
time, gives every machine the same answer.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import count

from schedcheck.checker.check import Checked, asked_by_default, by_text
from schedcheck.checker.exploring.cycles import KeptCycles
from schedcheck.checker.followed import bad_end, soon, worth_following
from schedcheck.checker.limits.parameters import parameter
from schedcheck.checker.limits.timer import reason
from schedcheck.checker.result import Result, Round, Verdict
from schedcheck.model.profiles import judging
from schedcheck.model.reference import Kept
from schedcheck.model.scenario import ANY, Rule, Scenario
from schedcheck.spec.properties.kinds import Always, Can, LeadsTo, Once, Progresses, Property, Sometimes, Step

Explore = Callable[[Scenario, str, Kept | None, int | None], Checked]
Prove = Callable[[int], Checked | None]

WHOLE, WHOLE_BY_TABLES = 100_000, 20_000_000
"""The pods and nodes of all states together that are explored before events are bounded; and the states by tables."""

RESTING = ("eventually_bound", "bound_once_feasible")
"""Properties that are violated only by a condition that lasts forever once no event happens any more."""

CAN, RECOVERS = "pod_can_still_be_bound", "eventually_bound"


def whole_or_by_events(scenario: Scenario, explore: Explore, seconds: float | None) -> Checked:
    """Explore the whole space; if it is large, with at most 0, 1, … events instead.

    In the second case it is asked whether a pod recovers, not whether it can still be bound: an event that is out of reach
    could help the pod.
    """
    bounded = rounds_of(scenario)
    if bounded is None:
        return explore(scenario, "", None, None)
    kept = KeptCycles()
    most = max(1, WHOLE // (len(scenario.pods) + len(scenario.nodes)))
    found = explore(scenario, "", kept, most)
    if _at(found, WHOLE_BY_TABLES):
        most = WHOLE_BY_TABLES
    elif _at(found, most) and not found.why:
        # Tables hold the answers, even if so few states were not worth them.
        most = WHOLE_BY_TABLES
        found = explore(scenario, "", kept, most)
    if not _at(found, most) or found.result.violations:
        return found
    return replace(by_events(bounded, None, explore, seconds, kept), whole=most)


def rounds_of(scenario: Scenario) -> Scenario | None:
    """Return the scenario that is explored with at most 0, 1, … events if it is large; None if that says nothing.

    Events must be unlimited. Whether something can still happen is not asked of a bounded number of events.
    """
    if all(rule.bound is not None for rule in scenario.rules) or any(rule.event == ANY for rule in scenario.rules):
        return None
    if scenario.fairness == "none" or scenario.constraints:
        return None
    asked_now = scenario.properties or asked_by_default(scenario)
    texts = tuple(text.replace(CAN, RECOVERS, 1) if text.startswith(CAN) else text for text in asked_now)
    bounded = replace(scenario, properties=texts)
    asked = [each for group in by_text(bounded, judging(bounded), symmetry=False) for each in group]
    return None if any(isinstance(each, Can | Progresses | Sometimes) for each in asked) else bounded


def _at(found: Checked, states: int) -> bool:
    """Whether an exploration ended at this number of states."""
    return found.result.stopped == f"{parameter('limits.states')} {states}"


def by_events(
    scenario: Scenario,
    most: int | None,
    explore: Explore,
    seconds: float | None = None,
    kept: Kept | None = None,
    prove: Prove | None = None,
) -> Checked:
    """Explore with at most 0, 1, … events, up to `most` (None: any number), and return the last exploration.

    `explore` is given the scenario, the engine ("direct" once tables were of no use, else empty), what is kept of
    explorations before (`kept`, and that of each round), and a number of states after which it stops, or None. In large
    rounds, `prove` gives the answer without exploring, if it can, and else behaviours are followed for so many seconds.
    All ends at the first violation, at a limit, and when one more event leads to nothing new.
    """
    rounds: tuple[Round, ...] = ()
    kept = kept or KeptCycles()
    engine = why = ""
    for events in count() if most is None else range(most + 1):
        try:
            found = _round(events, scenario, engine, kept, explore, seconds, prove)
        except KeyboardInterrupt as end:
            if not rounds:
                raise
            # The rounds that are over are kept.
            stopped = replace(found.result, verdict=Verdict.GAVE_UP, stopped=reason(end), vacuous=(), proof="")
            rounds += (Round(events, Verdict.GAVE_UP, 0, 0.0, reason(end)),)
            return replace(found, result=stopped, rounds=rounds, all_seen=False, why=why)
        result = found.result
        if found.why:
            engine, why = "direct", found.why
        all_seen = rounds != () and _no_more(rounds[-1], found)
        rounds += (
            Round(
                events,
                result.verdict,
                result.distinct,
                result.seconds,
                result.stopped,
                result.regardless,
                result.proof,
            ),
        )
        if all_seen or result.stopped or _violated(result):
            break
    return replace(found, rounds=rounds, all_seen=all_seen and not result.stopped, why=why)


def _no_more(before: Round, found: Checked) -> bool:
    """Whether the last event has led to nothing new, so that no further one does.

    Either no behaviour has as many events. Or no state is new regardless of how many events may still happen: then all
    states of all behaviours were seen, each with every step, and with all that follows without events.
    """
    result = found.result
    if before.proof or result.proof:
        return False
    if before.states == result.distinct:
        return True
    return 0 < before.regardless == result.regardless and all(map(_of_states, found.properties))


def _of_states(question: Property) -> bool:
    """Whether a behaviour violates the property by one state or step, or by what follows from one once no event happens."""
    if isinstance(question, LeadsTo):
        return question.name.partition("(")[0] in RESTING
    return isinstance(question, Always | Step | Sometimes | Once)


def _round(
    events: int,
    scenario: Scenario,
    engine: str,
    kept: Kept,
    explore: Explore,
    seconds: float | None,
    prove: Prove | None,
) -> Checked:
    """Explore one round; if it is large, try to prove it, and follow some behaviours first."""
    limited = at_most(events, scenario)
    first = soon(limited)
    found = explore(limited, engine, kept, first)
    if not _at(found, first) or found.result.violations:
        return found
    if prove is not None and (proved := prove(events)) is not None:
        return proved
    if worth_following(found.properties, limited):
        bad = bad_end(found, found.properties, seconds)
        if bad is not None:
            return bad
    return explore(limited, engine, kept, None)


def at_most(events: int, scenario: Scenario) -> Scenario:
    """Return the scenario in which at most so many events happen in all."""
    return replace(scenario, rules=(*scenario.rules, Rule(ANY, bound=events)))


def _violated(result: Result) -> bool:
    """Whether a violation was found that no further event can take back: a witness may need more events."""
    return any(not isinstance(each.property, Sometimes) for each in result.violations)
