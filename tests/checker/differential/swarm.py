"""Search for differences in rounds, each with a random subset of the features: part of `make differential`

    python -m tests.checker.differential.swarm [--rounds 60 | --seconds 600] [--seed 0] [--parts clusters lives]

A round runs every part of `PARTS` with a seed of its own, so the same seed and number of rounds give the same search:
clusters of some kinds of feature and at the edges of nodes, clusters with extenders, configurations, clusters beyond
the domains of the divergences, live schedulers, and every state of small scenarios. The script fails at the first
difference and names the round, which `--seed` and `--rounds 1` repeat.
"""

import argparse
import time
from collections.abc import Callable, Mapping
from random import Random
from typing import Any, NamedTuple

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from schedcheck.checker.check import Checked
from schedcheck.checker.differential.decisions import concluded, difference
from schedcheck.checker.differential.exploration import explored
from schedcheck.checker.divergences.domains import DOMAINS
from schedcheck.checker.drawing.questions import FAMILIES
from schedcheck.checker.drawing.scenarios import scenarios
from schedcheck.checker.drawing.swarm import at_the_edge, some_kinds
from schedcheck.checker.drawing.volumes import Question
from schedcheck.checker.result import Bounds
from schedcheck.model.scenario import Scenario
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from tests.checker.differential import configurations
from tests.checker.divergences.clusters import larger
from tests.checker.extenders import test_as_values as extenders
from tests.corpus.configurations import expands_as_it_should, sets
from tests.model.production.test_live import lived

CLUSTERS = 6
"""The number of clusters of each family in a round."""
EXTENDED = 5
CONFIGURED = 4
EXPANDED = 10
BEYOND = 2
LIVES, STEPS = 15, 40
EXPLORED, STATES = 3, 60
"""The number of scenarios of a round, and how many states of each are judged."""
ROUNDS = 60


def drawn(strategy: st.SearchStrategy[Any], number: int, start: int, judge: Callable[[Any], object]) -> None:
    """Judge this number of drawn values; the first failing one ends the round."""
    often = settings(
        max_examples=number,
        suppress_health_check=list(HealthCheck),
        deadline=None,
        database=None,
        phases=[Phase.generate],
        report_multiple_bugs=False,
    )
    seed(start)(often(given(strategy)(lambda value: judge(value) and None)))()


def agree(question: Question) -> None:
    """Fail if the cycle concludes something else than specified."""
    pod, snapshot, plugins = question
    found = difference(concluded(pod, snapshot, plugins), snapshot, plugins)
    assert found is None, found


def clusters(start: int) -> None:
    """Clusters of every family, with a subset of the kinds for each."""
    chance = Random(start)
    for family in FAMILIES:
        drawn(at_the_edge(FAMILIES[family], some_kinds(chance)), CLUSTERS, start, agree)


def extended(start: int) -> None:
    """Clusters with extenders."""
    for strategy in (extenders.extended(), extenders.scored(), extenders.refused_by_all()):
        drawn(strategy, EXTENDED, start, extenders.agree)


def configured(start: int) -> None:
    """Random configurations, and how plugin sets expand."""
    configurations.compared(CONFIGURED, start)
    drawn(sets(), EXPANDED, start, lambda each: expands_as_it_should(*each))


def beyond(start: int) -> None:
    """Clusters beyond the domain of each divergence."""
    for _, domain in sorted(DOMAINS.items()):
        for case in larger(domain, BEYOND, nodes=4, seed=start):
            agree((case.pod, case.snapshot, DEFAULT_PLUGINS))


def lives(start: int) -> None:
    """Schedulers that live through random events."""
    lived(LIVES, STEPS, start, database=None, phases=[Phase.generate], report_multiple_bugs=False)


def judged(scenario: Scenario) -> Checked:
    """The first states of the scenario, with the production scheduler in every order of steps."""
    found = explored(scenario, bounds=Bounds(max_states=STATES), names=())
    assert not found.result.violations, found.result.violations[0]
    return found


def states(start: int) -> None:
    """Every state of small scenarios, up to a number of them."""
    drawn(scenarios(), EXPLORED, start, judged)


PARTS: Mapping[str, Callable[[int], None]] = {
    "clusters": clusters,
    "extended": extended,
    "configured": configured,
    "beyond": beyond,
    "lives": lives,
    "states": states,
}


class Found(NamedTuple):
    """A difference, or an error, with the part and the seed of the round that show it."""

    part: str
    start: int
    what: BaseException


def searched(
    start: int, rounds: int | None, seconds: float | None = None, parts: tuple[str, ...] = tuple(PARTS)
) -> tuple[int, dict[str, float], Found | None]:
    """Return the number of rounds, the seconds of each part, and what ended the search before its end."""
    spent: dict[str, float] = dict.fromkeys(parts, 0.0)
    begun, done = time.monotonic(), 0
    while (rounds is None or done < rounds) and (seconds is None or time.monotonic() - begun < seconds):
        for name in parts:
            since = time.monotonic()
            try:
                PARTS[name](start + done)
            except Exception as error:
                return done, spent, Found(name, start + done, error)
            finally:
                spent[name] += time.monotonic() - since
        done += 1
    return done, spent, None


def main(given_arguments: list[str] | None = None) -> None:
    """Search; raise the first difference."""
    parser = argparse.ArgumentParser(description="Search for differences in rounds with random subsets of features.")
    parser.add_argument("--rounds", type=int, default=None)
    parser.add_argument("--seconds", type=float, default=None)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--parts", nargs="+", choices=sorted(PARTS), default=list(PARTS))
    arguments = parser.parse_args(given_arguments)
    rounds = ROUNDS if arguments.rounds is None and arguments.seconds is None else arguments.rounds
    done, spent, found = searched(arguments.seed, rounds, arguments.seconds, tuple(arguments.parts))
    if found is not None:
        raise AssertionError(f"swarm: round --seed {found.start}, {found.part}: {found.what}") from found.what
    took = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in spent.items())
    print(f"swarm: {done:,} rounds, nothing wrong: {took}", flush=True)


if __name__ == "__main__":
    main()
