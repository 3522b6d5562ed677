"""Ask every operator of tla/ and its twin in Python the same questions on many random snapshots

    python -m tests.tla.operators [--snapshots N] [--of-each-other N] [--part PART ...] [--broken]

The parts are the printed model, kube-scheduler, the node pools of the cluster autoscaler, Karpenter, the descheduler,
rollouts and PodGroups. N snapshots are drawn for kube-scheduler and for the corrected model, and others for each fault, departure and
other configuration. Of the two with node pools at least N clusters are drawn. Every operator must be asked on at least
500, or on N if that is less. With --broken each of the definitions in
`tests.tla.kubernetes_broken` is broken in turn, and Python is given each fault of the printed model that TLA+ does not
have; some operator must then answer differently. Broken versions of the printed modules, in
`tests.tla.operators.printed_broken`, must answer differently too, or have other counts or verdicts.
"""

import argparse
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from schedcheck.checker.language.syntax.errors import TlaError
from schedcheck.checker.language.syntax.tree import Definition
from schedcheck.spec.faults import NO_FAULTS, Fault
from tests.tla.kubernetes_broken import BROKEN, WITHIN, Broken, broken_module
from tests.tla.operators import (
    deciding,
    descheduler,
    descheduler_cases,
    jobs,
    karpenter,
    karpenter_cases,
    kubernetes,
    node_pools,
    node_shutdowns,
    pod_groups,
    printed,
    rollouts,
    scores,
)
from tests.tla.operators.asking import Setting, Tally, modules, unlike
from tests.tla.operators.printed_broken import OPERATORS, SYSTEM, found
from tests.tla.operators.reasons import CONSTANT
from tests.tla.operators.settings import all_kubernetes, all_printed
from tests.tla.operators.settings import printed as as_printed
from tests.tla.operators.twin import Twin

ENOUGH = 500
OF_KUBERNETES = (*kubernetes.TWINS, *deciding.TWINS, *scores.TWINS, *node_shutdowns.TWINS, *jobs.TWINS)


def compared(twins: Iterable[Twin], settings: Iterable[Setting], tallies: dict[str, Tally]) -> int:
    """Print the number of different answers for each setting, and return the total."""
    total = 0
    for setting in settings:
        begun = time.monotonic()
        found = list(unlike(twins, setting, tallies))
        total += len(found)
        seconds = time.monotonic() - begun
        print(f"{setting.name:<50} {len(setting.cases):4} snapshots, {len(found)} differ, {seconds:.0f} s", flush=True)
        for each in found[:3]:
            print(f"  {each}", flush=True)
    return total


def compared_in_clusters(
    what: str, twins: Sequence[Twin], settings: Iterable[Setting], snapshots: int, tallies: dict[str, Tally]
) -> int:
    """Print the number of different answers about clusters of one kind, and return it.

    Clusters are drawn until each operator has been asked about so many, or all are. Many lack what an operator needs.
    """
    total, asked, begun = 0, 0, time.monotonic()
    for setting in settings:
        found, asked = list(unlike(twins, setting, tallies)), asked + 1
        total += len(found)
        for each in found[:3]:
            print(f"  {each}", flush=True)
        if asked >= snapshots and all(tallies[each.operator].snapshots >= min(snapshots, ENOUGH) for each in twins):
            break
    seconds = time.monotonic() - begun
    print(f"{what:<50} {asked:4} snapshots, {total} differ, {seconds:.0f} s", flush=True)
    return total


def mixed(number: int) -> Iterator[int]:
    """Yield the seeds of so many clusters with Karpenter, of which every third has pools that leave a label open."""
    yield from (seed if seed % 3 else karpenter_cases.OPEN + seed for seed in range(number))


def lacking(tallies: dict[str, Tally], enough: int = ENOUGH) -> list[str]:
    """Operators that were asked on fewer snapshots, or always gave the same answer."""
    few = [
        f"{name} was asked on {each.snapshots} snapshots" for name, each in tallies.items() if each.snapshots < enough
    ]
    same = [f"{name} never varies" for name, each in tallies.items() if not each.varies and name not in CONSTANT]
    return few + same


def shows(broken: Broken, settings: Iterable[Setting]) -> Iterator[str]:
    """Yield the operators whose answer a broken definition changes; an error of the evaluator is no answer."""
    changed = {name.removesuffix(".tla"): text for name, text in broken_module(broken).items()}
    own = {unit.name for unit in modules()[broken.module].units if isinstance(unit, Definition)}
    twins = sorted(OF_KUBERNETES, key=lambda twin: twin.operator not in own)
    for setting in settings:
        try:
            yield from (each.operator for each in unlike(twins, setting, {}, changed))
        except TlaError:
            continue


def shows_fault(fault: Fault) -> Iterator[str]:
    """Yield the operators that differ if Python has a fault of the printed model that TLA+ does not have."""
    sound, faulty = as_printed(range(200), NO_FAULTS), as_printed(range(200), frozenset({fault}))
    yield from (each.operator for each in unlike(printed.TWINS, replace(sound, cases=faulty.cases), {}))


def differs(broken: Broken) -> Iterator[str]:
    """Yield how a broken version of a printed module differs, if it does."""
    yield from filter(None, (found(broken),))


def unbroken() -> list[str]:
    """The broken definitions and faults that no operator detects."""
    settings = list(all_kubernetes(100, 3))
    tried = {f"{each.module}: {each.claim}": shows(each, settings) for each in (*BROKEN, *WITHIN)}
    tried |= {f"the fault {each}": shows_fault(each) for each in Fault}
    tried |= {f"{each.module}: {each.claim}": differs(each) for each in (*OPERATORS, *SYSTEM)}
    silent = []
    for claim, shown in tried.items():
        first = next(shown, None)
        print(f"{claim}: {first or 'NOTHING DIFFERS'}", flush=True)
        if first is None:
            silent.append(claim)
    print(f"{len(silent)} of {len(tried)} broken definitions show nothing")
    return silent


PARTS: dict[str, Callable[[int, int, dict[str, Tally]], int]] = {
    "printed": lambda many, few, tallies: compared(printed.TWINS, all_printed(many, few), tallies),
    "kubernetes": lambda many, few, tallies: compared(OF_KUBERNETES, all_kubernetes(many, few), tallies),
    "node-pools": lambda many, _, tallies: compared_in_clusters(
        "clusters with node pools", node_pools.TWINS, node_pools.settings(range(2 * many)), many, tallies
    ),
    "karpenter": lambda many, _, tallies: compared_in_clusters(
        "clusters with Karpenter", karpenter.TWINS, karpenter_cases.settings(mixed(4 * many)), many, tallies
    ),
    "descheduler": lambda many, _, tallies: compared_in_clusters(
        "clusters with a descheduler", descheduler.TWINS, descheduler_cases.settings(range(5 * many)), many, tallies
    ),
    "rollouts": lambda many, _, tallies: compared(rollouts.TWINS, rollouts.settings(range(many)), tallies),
    "pod-groups": lambda many, _, tallies: compared_in_clusters(
        "clusters with PodGroups", pod_groups.TWINS, pod_groups.settings(range(4 * many)), many, tallies
    ),
}
"""What is compared, each with the number of snapshots, and of those of every other setting."""


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare the operators of tla/ with their twins in Python.")
    parser.add_argument("--snapshots", type=int, default=600)
    parser.add_argument("--of-each-other", type=int, default=15)
    parser.add_argument("--part", action="append", choices=PARTS, help="compare this part; all without the option")
    parser.add_argument("--broken", action="store_true", help="break definitions, to see that it shows")
    arguments = parser.parse_args()
    if arguments.broken:
        return int(unbroken() != [])
    tallies: dict[str, Tally] = {}
    parts = arguments.part or PARTS
    total = sum(PARTS[part](arguments.snapshots, arguments.of_each_other, tallies) for part in parts)
    least = min(tally.snapshots for tally in tallies.values())
    asked = sum(tally.snapshots for tally in tallies.values())
    print(f"{len(tallies)} operators, each on at least {least} snapshots, {asked} answers, {total} differ")
    missing = lacking(tallies, min(arguments.snapshots, ENOUGH))
    for line in missing:
        print(line)
    return int(total > 0 or missing != [])


if __name__ == "__main__":
    raise SystemExit(main())
