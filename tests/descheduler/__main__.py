"""Compare the descheduler itself with its model on random clusters: `make descheduler COUNT=2000 SEED=0`.

Each cluster has a policy of one to three plugins. The descheduler runs a few cycles, each on the cluster as it is drawn,
and the model must allow every one of them: the evictions in their order, and that the cycle ends then. Clusters with a
difference are kept in .live/. Exit status: 0 no difference, 1 a difference, 2 interrupted, 3 the descheduler cannot be
built, or ended.
"""

import argparse
import gzip
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from tests.descheduler.building import built
from tests.descheduler.drawn import drawn
from tests.descheduler.ended import drawn_ended
from tests.descheduler.replayed import scenario_of, why_not
from tests.support.go_programs import CannotBuild

Json = dict[str, Any]
KEPT: Final = Path(".live")
CHUNK: Final = 200
CYCLES: Final = 3


class Ended(Exception):
    """The program gave no answer to a question; the text says to which, and why."""


def asked(cases: Sequence[Json], command: Sequence[str]) -> Iterator[Json]:
    """Yield each case with the `cycles` of the descheduler. Raises: Ended."""
    lines = "".join(f"{json.dumps(each)}\n" for each in cases)
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=False)
    answers = {each["id"]: each for each in map(json.loads, done.stdout.splitlines())}
    for case in cases:
        answer = answers.get(case["id"], {"error": done.stderr.strip()[-200:] or "no answer"})
        if answer.get("error"):
            raise Ended(f"{case['id']}: {answer['error']}")
        yield {**case, "cycles": answer["cycles"]}


def differences(case: Json) -> list[str]:
    """Return what the model does not allow of each cycle of a case."""
    scenario = scenario_of(case)
    return [found for cycle in case["cycles"] if (found := why_not(scenario, cycle))]


def compare(seeds: range, command: Sequence[str], recorded: Path | None, draw: Callable[[int], Json] = drawn) -> int:
    """Compare, print what was found, and return the exit status."""
    seen = Counter(clusters=0, cycles=0, evictions=0, differences=0)
    told: list[Json] = []
    try:
        for begin in range(seeds.start, seeds.stop, CHUNK):
            chunk = [{**draw(seed), "times": CYCLES} for seed in range(begin, min(begin + CHUNK, seeds.stop))]
            for case in asked(chunk, command):
                found = differences(case)
                seen["clusters"] += 1
                seen["cycles"] += len(case["cycles"])
                seen["evictions"] += sum(each["allowed"] for cycle in case["cycles"] for each in cycle)
                seen["differences"] += len(found)
                told.append(case)
                if found:
                    KEPT.mkdir(exist_ok=True)
                    (KEPT / f"descheduler-{case['id']}.json").write_text(json.dumps(case))
                    print(f"{case['id']}: {found[0]}", flush=True)
    except KeyboardInterrupt:
        print(f"interrupted after {seen['clusters']:,} clusters", file=sys.stderr)
        return 2
    print(", ".join(f"{number:,} {what}" for what, number in seen.items()))
    if recorded is not None:
        record(told, recorded)
    return 1 if seen["differences"] else 0


def record(cases: Sequence[Json], file: Path) -> None:
    """Write the cases in which something is evicted, and of the others a third as many."""
    busy = [each for each in cases if any(each["cycles"])]
    idle = [each for each in cases if not any(each["cycles"])][: len(busy) // 3]
    lines = "".join(f"{json.dumps(each, sort_keys=True)}\n" for each in (*busy, *idle))
    file.write_bytes(gzip.compress(lines.encode(), mtime=0))


def main(argv: Sequence[str] | None = None) -> int:
    """Compare, and return the exit status."""
    parser = argparse.ArgumentParser(prog="make descheduler", description=__doc__)
    parser.add_argument("--count", type=int, default=2000, help="the number of clusters")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--record", type=Path, help="write the answers to this file")
    parser.add_argument("--ended", action="store_true", help="clusters with pods that have ended")
    parser.add_argument("--witness", help="a program that answers instead of the one that is built")
    given = parser.parse_args(argv)
    try:
        command = given.witness.split() if given.witness else [str(built())]
        draw = drawn_ended if given.ended else drawn
        return compare(range(given.seed, given.seed + given.count), command, given.record, draw)
    except (CannotBuild, Ended) as error:
        print(f"make descheduler: {error}", file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        print("make descheduler: interrupted while it was built", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
