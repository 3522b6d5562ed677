"""Compare the horizontal autoscaler itself with its model: `make horizontal-autoscaler COUNT=2000 SEED=0`.

Each case is a HorizontalPodAutoscaler with one to three metrics, and what three to eight synchronizations find. The
replicas after each of them must be those of the model. Cases with a difference are kept in .live/. Exit status: 0 no
difference, 1 a difference, 2 interrupted, 3 the autoscaler cannot be built, or ended.
"""

import argparse
import gzip
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from tests.horizontal_autoscaler.building import built
from tests.horizontal_autoscaler.drawn import drawn
from tests.horizontal_autoscaler.replayed import differences, outcomes, scenario_of
from tests.support.go_programs import CannotBuild

Json = dict[str, Any]
KEPT: Final = Path(".live")
CHUNK: Final = 200


class Ended(Exception):
    """The program gave no answer to a question; the text says to which, and why."""


def asked(cases: Sequence[Json], command: Sequence[str]) -> Iterator[Json]:
    """Yield each case with what the autoscaler `told` of its synchronizations. Raises: Ended."""
    lines = "".join(f"{json.dumps(each)}\n" for each in cases)
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=False)
    answers = {each["id"]: each for each in map(json.loads, done.stdout.splitlines())}
    for case in cases:
        answer = answers.get(case["id"], {"error": done.stderr.strip()[-200:] or "no answer"})
        if answer.get("error"):
            raise Ended(f"{case['id']}: {answer['error']}")
        yield {**case, "told": answer["syncs"]}


def compare(seeds: range, command: Sequence[str], recorded: Path | None) -> int:
    """Compare, print what was found, and return the exit status."""
    seen = Counter(cases=0, synchronizations=0, scalings=0, steps=0, differences=0)
    told: list[Json] = []
    try:
        for begin in range(seeds.start, seeds.stop, CHUNK):
            for case in asked(list(map(drawn, range(begin, min(begin + CHUNK, seeds.stop)))), command):
                made = scenario_of(case)
                found = differences(case, made)
                seen["cases"] += 1
                seen["synchronizations"] += len(case["told"])
                seen["scalings"] += sum(each["scaled"] for each in case["told"])
                seen["steps"] += sum(each.compared for each in outcomes(case, made))
                seen["differences"] += len(found)
                told.append(case)
                if found:
                    KEPT.mkdir(exist_ok=True)
                    (KEPT / f"horizontal-autoscaler-{case['id']}.json").write_text(json.dumps(case))
                    print(f"{case['id']}: {found[0]}", flush=True)
    except KeyboardInterrupt:
        print(f"interrupted after {seen['cases']:,} cases", file=sys.stderr)
        return 2
    print(", ".join(f"{number:,} {what}" for what, number in seen.items()))
    if recorded is not None:
        record(told, recorded)
    return 1 if seen["differences"] else 0


def record(cases: Sequence[Json], file: Path) -> None:
    """Write the cases."""
    lines = "".join(f"{json.dumps(each, sort_keys=True)}\n" for each in cases)
    file.write_bytes(gzip.compress(lines.encode(), mtime=0))


def main(argv: Sequence[str] | None = None) -> int:
    """Compare, and return the exit status."""
    parser = argparse.ArgumentParser(prog="make horizontal-autoscaler", description=__doc__)
    parser.add_argument("--count", type=int, default=2000, help="the number of cases")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--record", type=Path, help="write the answers to this file")
    parser.add_argument("--witness", help="a program that answers instead of the one that is built")
    given = parser.parse_args(argv)
    try:
        command = given.witness.split() if given.witness else [str(built())]
        return compare(range(given.seed, given.seed + given.count), command, given.record)
    except (CannotBuild, Ended) as error:
        print(f"make horizontal-autoscaler: {error}", file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        print("make horizontal-autoscaler: interrupted while it was built", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
