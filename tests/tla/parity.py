"""Compare TLC with the Python twin on random snapshots and scenarios

    python -m tests.tla.parity --jar path/to/tla2tools.jar [--snapshots N] [--seeds N] [--of-each-fault N]
[--clusters N]

On snapshots the operators must give equal answers, with no fault of the printed model, with each and with all of them;
on scenarios the three counts must be equal. In addition to the first seeds, N scenarios are taken for each fault in
which it changes the counts, and N clusters each with kube-scheduler, with the classic one, and with controllers.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from pathlib import Path

from schedcheck.model.scenario import Scenario
from schedcheck.spec.faults import ALL_FAULTS, NO_FAULTS, Fault
from schedcheck.tla_export.module import NotExportable, model_module
from tests.tla.answers import differing
from tests.tla.counts import Counts, counted
from tests.tla.random_clusters import controlled, random_classic, random_cluster
from tests.tla.random_scenarios import random_scenario
from tests.tla.run_tlc import TLCError, run

LIMIT = 2000


def first(seeds: int) -> Iterator[Scenario]:
    """Yield scenarios with enough but not too many states."""
    chosen = 0
    for seed in count():
        scenario = random_scenario(seed)
        counts = counted(scenario, LIMIT)
        if counts is not None and counts.distinct > 40:
            chosen += 1
            yield scenario
        if chosen >= seeds:
            return


def clusters(drawn: Callable[[int], Scenario], most: int) -> Iterator[Scenario]:
    """Yield scenarios with kube-scheduler, the classic one, or controllers, with enough but not too many states."""
    chosen, seed = 0, count()
    while chosen < most:
        scenario = drawn(next(seed))
        counts = counted(scenario, LIMIT // 4)
        if counts is not None and counts.distinct > 10 and exportable(scenario):
            chosen += 1
            yield scenario


def exportable(scenario: Scenario) -> bool:
    """Whether the numbers of the scenario can be handled by TLC."""
    try:
        model_module(scenario, "MC_random")
    except NotExportable:
        return False
    return True


def where_it_matters(fault: Fault, most: int) -> Iterator[Scenario]:
    """Yield scenarios with this fault whose counts differ from those without it."""
    chosen = 0
    for seed in count(10_000):
        scenario = random_scenario(seed)
        # Under these two faults hardly any pod is placed, and so no other fault shows.
        kept = scenario.faults - {Fault.PHASE_DEMANDED, Fault.MAX_OF_NONE, Fault.NO_TERMS_NO_NODE, fault}
        with_it, without = replace(scenario, faults=kept | {fault}), replace(scenario, faults=kept)
        counts = counted(with_it, LIMIT)
        if counts is not None and counts != counted(without, LIMIT):
            chosen += 1
            yield replace(with_it, name=f"{scenario.name} with {fault}")
        if chosen >= most:
            return


def tlc(jar: Path, scenario: Scenario) -> Counts | str:
    """TLC's counts when only types are checked, as a violation would end the search early."""
    module, configuration = model_module(replace(scenario, properties=("type_correct",)), "MC_random")
    try:
        return Counts(**run(jar, "MC_random", {"MC_random.tla": module, "MC_random.cfg": configuration}))
    except TLCError as error:
        return error.summary()


def unlike_answers(jar: Path, snapshots: int) -> int:
    """Print the snapshots with different answers, and return their number."""
    settings = [(NO_FAULTS, "memory"), (NO_FAULTS, "pods")]
    settings += [(faults, "cpu") for faults in (NO_FAULTS, *(frozenset({fault}) for fault in Fault), ALL_FAULTS)]
    unlike = 0
    for faults, rated in settings:
        seeds = differing(jar, range(snapshots), faults, rated)
        unlike += len(seeds)
        if seeds:
            print(f"the answers differ on seeds {seeds} with the faults {sorted(faults)}, {rated} rated", flush=True)
    print(f"{unlike} of {len(settings)} x {snapshots} snapshots are answered differently", flush=True)
    return unlike


def unlike_counts(jar: Path, scenarios: list[Scenario]) -> int:
    """Print the scenarios with different counts, and return their number."""
    unlike = 0
    with ThreadPoolExecutor(2) as pool:
        for scenario, theirs in zip(scenarios, pool.map(lambda each: tlc(jar, each), scenarios), strict=True):
            ours = counted(scenario, LIMIT)
            if ours != theirs:
                unlike += 1
                print(f"{scenario.name}: Python {ours}, TLC {theirs}", flush=True)
    events = Counter(rule.event for scenario in scenarios for rule in scenario.rules)
    print(
        f"{unlike} of {len(scenarios)} scenarios are counted differently; their rules: {dict(sorted(events.items()))}"
    )
    return unlike


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare TLC and Python on random snapshots and scenarios.")
    parser.add_argument("--jar", type=Path, required=True, help="tla2tools.jar")
    parser.add_argument("--snapshots", type=int, default=300)
    parser.add_argument("--seeds", type=int, default=60)
    parser.add_argument("--of-each-fault", type=int, default=4)
    parser.add_argument("--clusters", type=int, default=20)
    arguments = parser.parse_args()
    scenarios = list(first(arguments.seeds))
    for fault in Fault:
        scenarios += where_it_matters(fault, arguments.of_each_fault)
    for drawn in (random_cluster, random_classic, controlled):
        scenarios += clusters(drawn, arguments.clusters)
    answers = unlike_answers(arguments.jar, arguments.snapshots)
    counts = unlike_counts(arguments.jar, scenarios)
    return int(answers + counts > 0)


if __name__ == "__main__":
    raise SystemExit(main())
