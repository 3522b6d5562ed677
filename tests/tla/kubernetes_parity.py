"""Compare TLC with the Python twin on kube-scheduler's filters and scores, on random snapshots

    python -m tests.tla.kubernetes_parity --jar path/to/tla2tools.jar [--snapshots N] [--of-each-departure N]
[--broken]

All answers must be equal with the departures of the newest version, with every departure, with none, with each alone,
and with the plugins configured otherwise. In addition to the first snapshots, N are taken for each departure in which it changes an answer.
With --broken each of the definitions in `BROKEN` is broken in turn, and some answer of TLC must then change.
"""

import argparse
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count, zip_longest
from pathlib import Path

from schedcheck.spec.kubernetes.cycle import cycle
from schedcheck.spec.kubernetes.departures import ALL_DEPARTURES, NO_DEPARTURES, Departure
from schedcheck.spec.kubernetes.filter import verdicts
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.kubernetes.select_host import choice
from schedcheck.spec.kubernetes.versions import NEWEST
from tests.tla.kubernetes_answers import Case, answers, cases
from tests.tla.kubernetes_broken import BROKEN, Broken, broken_module
from tests.tla.kubernetes_configured import CONFIGURED
from tests.tla.kubernetes_module import QUESTIONS, differing
from tests.tla.kubernetes_steps import counted, counted_by_tlc
from tests.tla.random_kubernetes import random_snapshot

# TLC reads this number of cycles at once with ease.
AT_ONCE = 120
# Most broken definitions show in a few cases.
FEW = 70
VOLUMES, WORDS, DEVICES = (
    "tla/ has no volumes but images",
    "tla/ has no messages",
    "of devices: what depends on it is not exported",
)
GROUPS = "of PodGroups: compared by tests/tla/test_pod_groups.py and tests/tla/test_group_preemption.py"
CLAIMS = "of devices: compared by tests/tla/test_devices.py"
EXTENDERS = "of extenders: compared by tests/tla/operators/test_extenders.py"
WITHOUT_MODULE = {
    Departure.CLAIMS_BY_NAME_ALONE: VOLUMES,
    Departure.ATTACHED_COUNTS_TWICE: VOLUMES,
    Departure.MISSING_DRIVERS_IGNORED: VOLUMES,
    Departure.PORTWORX_BY_ANNOTATION: VOLUMES,
    Departure.UNTOLERATED_TAINT_NAMED: WORDS,
    Departure.NOMINATION_UNMENTIONED: WORDS,
    Departure.IDLE_CLAIMS_MENTIONED: WORDS,
    Departure.DEVICE_TAINTS_IGNORED: CLAIMS,
    Departure.PARTITIONABLE_DEVICES_UNUSED: CLAIMS,
    Departure.CONSUMABLE_CAPACITY_UNUSED: CLAIMS,
    Departure.BINDING_CONDITIONS_IGNORED: DEVICES,
    Departure.EXTENDED_RESOURCES_UNCLAIMED: DEVICES,
    Departure.INCOMPLETE_POOLS_SERVE: CLAIMS,
    Departure.POOLS_IN_ANY_ORDER: DEVICES,
    Departure.DEVICES_UNMENTIONED: WORDS,
    Departure.NEEDLESS_PREEMPTION_FAILS: EXTENDERS,
    Departure.MEMBERS_QUEUED_ALONE: GROUPS,
    Departure.MEMBERS_UNALIKE: GROUPS,
    Departure.ASSUMED_TERMS_UNSEEN: GROUPS,
    Departure.MEMBERS_PREEMPT: GROUPS,
    Departure.PRE_FILTERS_FEW: "what NodeName names at preFilter matters for no pod that is pending",
}
"""The departures that random snapshots without devices do not tell, and why."""
DEPARTURES = tuple(departure for departure in Departure if departure not in WITHOUT_MODULE)
"""The departures that the modules know."""
OF_CLAIMS = frozenset(each for each, why in WITHOUT_MODULE.items() if why == CLAIMS)
"""Those that the modules about resource claims know."""
OF_GROUPS = frozenset(each for each, why in WITHOUT_MODULE.items() if why == GROUPS)
"""Those that the module about PodGroups knows."""
OF_EXTENDERS = frozenset(each for each, why in WITHOUT_MODULE.items() if why == EXTENDERS)
"""Those that the module about extenders knows."""
BY_ORDER = frozenset({Departure.UNSCHEDULABLE_BEFORE_NODE_NAME})
"""Those that are an order of plugins, which the constant Enabled has."""


def settings() -> dict[str, Plugins]:
    """The plugins under which every question is asked."""
    departures = {"the newest version": NEWEST.departures}
    departures |= {"all departures": ALL_DEPARTURES, "no departure": NO_DEPARTURES}
    departures |= {str(each): frozenset({each}) for each in DEPARTURES}
    return {name: DEFAULT_PLUGINS.departing(each) for name, each in departures.items()} | CONFIGURED


def where_it_matters(departure: Departure, most: int, first: int = 10_000) -> dict[str, Case]:
    """Cases in which this departure alone changes some answer, from a seed on."""
    found: dict[str, Case] = {}
    alone, none = (DEFAULT_PLUGINS.departing(each) for each in (frozenset({departure}), NO_DEPARTURES))
    for seed in count(first):
        for name, case in cases([seed]).items():
            if answers(case, alone) != answers(case, none):
                found[name] = case
        if len(found) >= most:
            return found
    return found


def mixed(asked: dict[str, Case], more: dict[str, Case]) -> dict[str, Case]:
    """Both alternately, so that the first ones contain some of each."""
    turns = zip_longest(asked.items(), more.items())
    return dict(item for turn in turns for item in turn if item is not None)


def portions(asked: dict[str, Case], at_once: int) -> Iterator[dict[str, Case]]:
    """Yield the cases in portions of this size."""
    names = list(asked)
    for start in range(0, len(names), at_once):
        yield {name: asked[name] for name in names[start : start + at_once]}


def unlike(jar: Path, asked: dict[str, Case]) -> int:
    """Print every different answer under all settings, and return their number."""
    total = 0
    for setting, plugins in settings().items():
        with ThreadPoolExecutor(2) as pool:
            found = [
                each
                for part in pool.map(lambda some: differing(jar, some, plugins), portions(asked, AT_ONCE))  # noqa: B023
                for each in part
            ]
        total += len(found)
        print(f"{setting:<46} {len(asked)} cycles, {len(found)} answers differ {found[:8] or ''}", flush=True)
    return total


def unlike_steps(jar: Path, snapshots: int) -> int:
    """Whether the counts of steps from the first snapshots differ."""
    from_here = {seed: random_snapshot(seed) for seed in range(snapshots)}
    ours, theirs = counted(from_here.values(), DEFAULT_PLUGINS), counted_by_tlc(jar, from_here, DEFAULT_PLUGINS)
    print(f"steps from {snapshots} snapshots: Python {ours}, TLC {theirs}", flush=True)
    return int(ours != theirs)


def seen(asked: dict[str, Case]) -> Counter[str]:
    """How often each end of a cycle and each rejecting plugin occurs, so that the agreement is not vacuous."""
    counted: Counter[str] = Counter()
    for case in asked.values():
        made = cycle(case.pod, case.snapshot - {case.pod}, DEFAULT_PLUGINS)
        end = choice(made)
        counted[f"{end.kind} {end.mode}".strip()] += 1
        for verdict in verdicts(made).values():
            if verdict.refusal is not None:
                counted[f"{verdict.source}: {verdict.refusal.plugin} {verdict.refusal.code}"] += 1
    return counted


def unbroken(jar: Path, asked: dict[str, Case]) -> list[str]:
    """The broken definitions that no case detects; each is tried until an answer changes."""
    shows_nothing = []
    with ThreadPoolExecutor(2) as pool:
        for broken, shown in zip(BROKEN, pool.map(lambda each: shows(jar, asked, each), BROKEN), strict=True):
            print(f"{broken.module}: {broken.claim}: {', '.join(shown[:2]) or 'NOTHING DIFFERS'}", flush=True)
            if not shown:
                shows_nothing.append(broken.claim)
    print(f"{len(shows_nothing)} of {len(BROKEN)} broken definitions show nothing")
    return shows_nothing


def shows(jar: Path, asked: dict[str, Case], broken: Broken) -> list[str]:
    """The changed answers in the first cases in which the broken definition has an effect."""
    changed = broken_module(broken)
    for departures in (ALL_DEPARTURES, NEWEST.departures, NO_DEPARTURES):
        plugins = DEFAULT_PLUGINS.departing(departures)
        for part in portions(asked, FEW):
            # An error of TLC is no answer, and detects nothing.
            shown = [each for each in differing(jar, part, plugins, changed) if each.rpartition(": ")[2] in QUESTIONS]
            if shown:
                return shown
    return []


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare TLC and Python on kube-scheduler's filters and scores.")
    parser.add_argument("--jar", type=Path, required=True, help="tla2tools.jar")
    parser.add_argument("--snapshots", type=int, default=300)
    parser.add_argument("--of-each-departure", type=int, default=6)
    parser.add_argument("--broken", action="store_true", help="break definitions, to see that it shows")
    arguments = parser.parse_args()
    asked = cases(range(arguments.snapshots))
    special = [where_it_matters(departure, arguments.of_each_departure) for departure in DEPARTURES]
    asked = mixed(asked, {name: case for each in special for name, case in each.items()})
    for what, number in sorted(seen(asked).items()):
        print(f"{number:6} {what}")
    if arguments.broken:
        return int(unbroken(arguments.jar, asked) != [])
    total = unlike(arguments.jar, asked) + unlike_steps(arguments.jar, arguments.snapshots)
    print(f"{total} of {len(settings())} x {len(asked)} x {len(QUESTIONS)} answers and 1 count differ")
    return int(total > 0)


if __name__ == "__main__":
    raise SystemExit(main())
