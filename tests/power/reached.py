"""Which conditions of the production scheduler no kind of search has seen both ways: `python -m tests.power.reached`

    python -m tests.power.reached [--seconds 600] [--seed 1] [--parts small lives]

Each kind has its share of the seconds of CPU. What is printed is a place where a defect cannot be found: a condition of
model/production/ that was always true, or always false, or never asked.
"""

import argparse
import time
from collections import Counter

from tests.power.conditions import Condition, Conditions, watch

UNDER = "schedcheck.model.production."
AROUND = ("machine", "invariants", "early", "opinions")
"""Packages that are no part of the scheduler itself."""


def around(name: str) -> bool:
    """Whether a module is around the scheduler, not of it."""
    return name.removeprefix(UNDER).split(".")[0] in AROUND


def run(seconds: float, seed: int, names: tuple[str, ...], conditions: Conditions) -> Counter[str]:
    """Search with each kind for its share; return how many outcomes each has seen first."""
    from tests.checker.differential.search.parts import PARTS, searched

    parts = names or tuple(PARTS)
    whole = sum(PARTS[each].share for each in parts)
    first: Counter[str] = Counter()
    for each in parts:
        before = sum(map(len, conditions.seen))
        _, found = searched(str(seed), seconds * PARTS[each].share / whole, (each,), time.process_time)
        first[each] = sum(map(len, conditions.seen)) - before
        if found is not None:
            print(f"{each} {found.start}: {found.what!s:.200}", flush=True)
    return first


def shown(missed: list[tuple[Condition, bool]]) -> list[str]:
    """Return a line for each condition without both outcomes."""
    lacking: dict[Condition, list[bool]] = {}
    for each, outcome in missed:
        lacking.setdefault(each, []).append(outcome)
    names = {(True, False): "never asked", (True,): "never true", (False,): "always true"}
    return [
        f"{each.module.removeprefix(UNDER)}:{each.line}: {names[tuple(outcomes)]}: {each.text}"
        for each, outcomes in sorted(lacking.items())
    ]


def main(given: list[str] | None = None) -> None:
    """Search, and print what was not reached."""
    parser = argparse.ArgumentParser(
        description="Show the conditions of the scheduler that no kind has seen both ways."
    )
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--parts", nargs="+", default=[])
    arguments = parser.parse_args(given)
    conditions = watch(UNDER, around)
    first = run(arguments.seconds, arguments.seed, tuple(arguments.parts), conditions)
    missed = conditions.missed()
    print(*shown(missed), sep="\n")
    for name, count in first.most_common():
        print(f"{name}: {count:,} outcomes first")
    print(f"{2 * len(conditions.listed) - len(missed):,} of {2 * len(conditions.listed):,} outcomes were seen")


if __name__ == "__main__":
    main()
