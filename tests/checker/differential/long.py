"""Compare the production scheduler with the specification in a long run: `make comparisons`

    python -m tests.checker.differential.long [--scale 1.0] [--seed 0]

Random clusters of every kind and beyond the domain of each departure are compared decision by decision, also with the
early scheduler, followed by live schedulers. Then the distance from the best is measured: casualty and the least, score and the highest, the end and
the optimum. The script prints how many clusters were compared and which row excused what, and fails at the first
difference. An interrupt ends the current part.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any

from hypothesis import given, seed, settings

from schedcheck.checker.differential.decisions import concluded, difference
from schedcheck.checker.differential.early import early_difference, informed
from schedcheck.checker.differential.optimality import Rest, at_rest, damage, rating
from schedcheck.checker.divergences.domains import DOMAINS
from schedcheck.checker.divergences.victims import CHOOSING
from schedcheck.checker.drawing.questions import FAMILIES
from schedcheck.checker.drawing.volumes import Question
from schedcheck.checker.limits.effort import Effort, Spent
from schedcheck.model.scenario import Scenario
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.kubernetes.versions import FROM_THE_DOCUMENTATION
from schedcheck.spec.objects import Snapshot
from tests.checker.differential import configurations
from tests.checker.differential.scenarios import KUBERNETES, machine
from tests.checker.differential.test_random import SLOW
from tests.checker.divergences.clusters import larger
from tests.checker.liveness.waiting import waiting
from tests.model.production.test_live import lived
from tests.support import early
from tests.support.building import node, pod

EXAMPLES = {
    "contests": 3000,
    "questions": 1500,
    "contested": 1500,
    "stored": 1500,
    "storing contests": 1000,
    "storing questions": 1000,
    "resizing": 1500,
}
"""The number of clusters of each kind of `FAMILIES`."""
EARLY = {
    "early contests": 3000,
    "early questions": 1000,
    "early groups": 3000,
    "early stored": 500,
    "early storing contests": 1000,
    "early volumes": 2000,
    "early evictions": 2000,
}
"""The number of clusters of each kind of `tests.support.early.ASKED`."""
COSTED = ("contests", "questions")
"""The kinds in which the cost of a decision is compared with the least: those without volumes.

For kube-scheduler a ReadWriteOncePod claim used by several pods on a node is one claim in use, and in its dry run each
of them releases one: it evicts one pod where all would have to go. No row of the divergences covers this.
"""
CLUSTERS = 600
LIVES = 600
CROWDED = 500
LARGE = 150
"""The number of clusters with so many nodes that not all are examined."""
CONFIGURATIONS = 3000
ENDS = 400
SECONDS_BETWEEN_REPORTS = 15.0


class Tally:
    """The counts so far, printed repeatedly."""

    def __init__(self, name: str, goal: int) -> None:
        self.name, self.goal = name, goal
        self.counted: Counter[str] = Counter()
        self.done = 0
        self.began = self.told = time.monotonic()

    def one(self) -> None:
        """Count one more compared cluster."""
        self.done += 1
        if time.monotonic() - self.told > SECONDS_BETWEEN_REPORTS:
            self.told = time.monotonic()
            print(
                f"  {self.name}: {self.done:,} of {self.goal:,}, {self.told - self.began:.0f} s",
                file=sys.stderr,
                flush=True,
            )

    def line(self) -> str:
        """All counts."""
        counted = ", ".join(f"{what} {number:,}" for what, number in sorted(self.counted.items()))
        return f"{self.name}: {self.done:,} clusters in {time.monotonic() - self.began:.0f} s{': ' if counted else ''}{counted}"


def decided_as_allowed(question: Question, tally: Tally) -> None:
    """Fail if the decision is not allowed, or departs from the documentation without a row that covers it."""
    _, snapshot, plugins = question
    made = concluded(*question)
    found = difference(made, snapshot, plugins)
    assert found is None, found
    as_documented = plugins.departing(plugins.departures - FROM_THE_DOCUMENTATION)
    departing = difference(made, snapshot, as_documented)
    assert departing is None or departing.excused, departing
    tally.counted.update(f"excused by {row}" for row in (departing.rows if departing is not None else ()))


def decided_as_early(question: early.Question, tally: Tally) -> None:
    """Fail if what the early scheduler finds is not allowed, and does not follow from stopping at a failure."""
    asked, there, classic = question
    results = informed(there, classic, check_all=True).schedule(asked), informed(there, classic).schedule(asked)
    found = early_difference(results, there, classic)
    assert found is None or found.excused, found
    tally.counted.update(f"excused by {row}" for row in (found.rows if found is not None else ()))


def cost_accounted(question: Question, tally: Tally) -> None:
    """Fail if a nomination or a choice is not the best and no row explains it."""
    _, snapshot, plugins = question
    made = concluded(*question)
    harm, worth = damage(made, snapshot, plugins, Spent(Effort(seconds=20.0))), rating(made, snapshot, plugins)
    if harm is not None:
        assert harm.accounted, harm
        tally.counted["nominations"] += 1
        tally.counted["nominations of the least casualty" if harm.equal else "nominations of more casualty"] += (
            harm.proved
        )
        tally.counted["nominations whose least is not known"] += not harm.proved
        if harm.proved and harm.least is not None:
            tally.counted["victims beyond those of the least casualty"] += harm.victims - harm.fewest
        tally.counted["nominations that do not help"] += harm.proved and harm.least is None
        tally.counted.update(f"by {row}" for row in harm.rows)
    if worth is not None:
        assert worth.accounted, worth
        tally.counted["choices"] += 1
        tally.counted["choices of the highest score"] += worth.lost == 0
        tally.counted["points lost to nominations"] += worth.lost


def end_accounted(found: Rest, tally: Tally) -> None:
    """Fail if the end is not one of the specification, or is better than the best."""
    assert found.accounted, found
    tally.counted["ends with evictions"] += found.evicted > 0
    if found.proved and not found.evicted:
        tally.counted["ends as good as the optimum"] += found.equal
        tally.counted["ends that place fewer pods"] += found.missing > 0
        tally.counted["pods that the optimum places beyond them"] += found.missing
        if not found.missing:
            tally.counted["points that the optimum scores beyond those that place as many"] += (
                found.best.score - found.made.score
            )
    tally.counted["ends whose optimum is not known"] += not found.proved


def random_clusters(kind: str, number: int, start: int, judge: Callable[[Any, Tally], None]) -> None:
    """Judge this number of clusters drawn by Hypothesis, which shows the smallest failing one."""
    tally = Tally(kind, number)

    def one(question: Any) -> None:
        judge(question, tally)
        tally.one()

    often = settings(max_examples=number, suppress_health_check=SLOW, deadline=None, database=None)
    told(tally, seed(start)(often(given((FAMILIES | early.ASKED)[kind])(one))))


def listed_clusters(name: str, given_ones: Iterable[Any], number: int, judge: Callable[[Any, Tally], None]) -> None:
    """Judge these clusters in turn."""
    tally = Tally(name, number)

    def all_of_them() -> None:
        for each in given_ones:
            judge(each, tally)
            tally.one()

    told(tally, all_of_them)


def told(tally: Tally, run: Callable[[], None]) -> None:
    """Run, and print the counts even if interrupted."""
    try:
        run()
    except KeyboardInterrupt:
        print(f"{tally.line()} (interrupted)", flush=True)
        return
    print(tally.line(), flush=True)


def beyond(domain: Any, number: int, start: int) -> Iterator[Question]:
    """Yield random clusters of a domain, beyond its bounds."""
    for case in larger(domain, number, nodes=5, seed=start):
        yield case.pod, case.snapshot, DEFAULT_PLUGINS


def large(number: int, start: int) -> Iterator[Question]:
    """Yield clusters of 110 to 300 nodes, on each of which some of the room is taken."""
    chance = Random(start)
    for _ in range(number):
        sizes = [chance.randint(10, 100) for _ in range(chance.randint(110, 300))]
        nodes = [node(f"n{number:03}", cpu) for number, cpu in enumerate(sizes)]
        running = [pod(f"p{number:03}", chance.randrange(cpu), f"n{number:03}") for number, cpu in enumerate(sizes)]
        yield pod("asked", 1), Snapshot.of(running, nodes), DEFAULT_PLUGINS


def searched(question: Question, tally: Tally) -> None:
    """Count the cost of not examining all nodes."""
    _, snapshot, plugins = question
    worth = rating(concluded(*question, percentage=0), snapshot, plugins)
    assert worth is not None
    tally.counted["choices of the highest score"] += worth.lost == 0
    tally.counted["points lost"] += worth.lost


def ends(number: int, start: int) -> Iterator[Rest]:
    """Yield the final states of the scheduler in clusters with up to three pending pods."""
    for each in range(start, start + number):
        snapshot = waiting(each, 3)
        of = Scenario("waiting", snapshot.pods, snapshot.nodes, profile="kubernetes")
        yield at_rest(machine(of), KUBERNETES, Random(each), Spent(Effort(seconds=20.0)))


def main(given_arguments: list[str] | None = None) -> None:
    """Compare until everything is compared or a difference is found."""
    parser = argparse.ArgumentParser(
        description="Hold the production scheduler to the specification on many random clusters."
    )
    parser.add_argument("--scale", type=float, default=1.0, help="how many times as many clusters")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args(given_arguments)
    start = arguments.seed

    def many(number: int) -> int:
        return max(1, round(number * arguments.scale))

    for kind in FAMILIES:
        random_clusters(kind, many(EXAMPLES[kind]), start, decided_as_allowed)
    for which, domain in sorted(DOMAINS.items()):
        listed_clusters(which, beyond(domain, many(CLUSTERS), start), many(CLUSTERS), decided_as_allowed)
    for kind in early.ASKED:
        random_clusters(kind, many(EARLY[kind]), start, decided_as_early)
    lived(many(LIVES), 60, start, database=None)
    print(f"live: {many(LIVES):,} clusters, nothing wrong", flush=True)
    print("How far from the best:", flush=True)
    for row in CHOOSING:
        listed_clusters(row.name, beyond(row.domain, many(CROWDED), start), many(CROWDED), cost_accounted)
    for kind in COSTED:
        random_clusters(kind, many(CROWDED), start, cost_accounted)
    listed_clusters("large", large(many(LARGE), start), many(LARGE), searched)
    listed_clusters("ends", ends(many(ENDS), start), many(ENDS), end_accounted)
    print(configurations.line(configurations.compared(many(CONFIGURATIONS), start)), flush=True)


if __name__ == "__main__":
    main()
