"""Compare Karpenter itself with its model on random clusters: `make karpenter CLUSTERS=2000 SEED=0`.

Karpenter decides a few times on each cluster, and the model must allow every decision: the nodes that the provisioner
would create, where it counts on existing ones, and the nodes that are disrupted next. Clusters with a difference are kept
in .live/. Exit status: 0 no difference, 1 a difference, 2 interrupted, 3 Karpenter cannot be built, or ended.
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

from tests.karpenter.building import built
from tests.karpenter.drawn import drawn
from tests.karpenter.replayed import Looks, few, scenario_of, why_not
from tests.support.go_programs import CannotBuild

Json = dict[str, Any]
KEPT: Final = Path(".live")
CHUNK: Final = 200
CYCLES: Final = 3


class Ended(Exception):
    """The program gave no answer to a question; the text says to which, and why."""


def asked(cases: Sequence[Json], command: Sequence[str]) -> Iterator[Json]:
    """Yield each case with the `cycles` of Karpenter. Raises: Ended."""
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
    looks = Looks(scenario_of(case))
    return [found for cycle in case["cycles"] if (found := why_not(looks, cycle))]


def kinds(case: Json) -> Iterator[str]:
    """Yield what happens in the first cycle of a case."""
    cycle = case["cycles"][0]
    if cycle["claims"]:
        yield "provisioned"
    command = cycle["command"]
    if command is not None:
        yield "empty" if command["reason"] == "Empty" else "replaced" if command["replacement"] else "consolidated"
        if command["reason"] != "Empty" and len(command["nodes"]) > 1:
            yield "several"


def compare(seeds: range, command: Sequence[str], recorded: Path | None) -> int:
    """Compare, print what was found, and return the exit status."""
    seen = Counter(clusters=0, cycles=0, provisioned=0, empty=0, consolidated=0, replaced=0, several=0, differences=0)
    told: list[Json] = []
    try:
        for begin in range(seeds.start, seeds.stop, CHUNK):
            chunk = [{**drawn(seed), "times": CYCLES} for seed in range(begin, min(begin + CHUNK, seeds.stop))]
            for case in asked(chunk, command):
                found = differences(case)
                seen.update(["clusters", *kinds(case)])
                seen["cycles"] += len(case["cycles"])
                seen["differences"] += len(found)
                told.append(case)
                if found:
                    KEPT.mkdir(exist_ok=True)
                    (KEPT / f"karpenter-{case['id']}.json").write_text(json.dumps(case))
                    print(f"{case['id']}: {found[0]}", flush=True)
    except KeyboardInterrupt:
        print(f"interrupted after {seen['clusters']:,} clusters", file=sys.stderr)
        return 2
    print(", ".join(f"{number:,} {what}" for what, number in seen.items()))
    if recorded is not None:
        record(told, recorded)
    return 1 if seen["differences"] else 0


def record(cases: Sequence[Json], file: Path) -> None:
    """Write the cases with a consolidation, as many in which nodes are created or empty ones go, and half as many others."""
    cases = [each for each in cases if few(each)]
    rare = [each for each in cases if {"consolidated", "replaced"} & {*kinds(each)}]
    busy = [each for each in cases if any(kinds(each)) and each not in rare][: len(rare)]
    idle = [each for each in cases if not any(kinds(each))][: len(rare) // 2]
    lines = "".join(f"{json.dumps(each, sort_keys=True)}\n" for each in (*rare, *busy, *idle))
    file.write_bytes(gzip.compress(lines.encode(), mtime=0))


def main(argv: Sequence[str] | None = None) -> int:
    """Compare, and return the exit status."""
    parser = argparse.ArgumentParser(prog="make karpenter", description=__doc__)
    parser.add_argument("--clusters", type=int, default=2000, help="the number of clusters")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--record", type=Path, help="write the answers to this file")
    parser.add_argument("--witness", help="a program that answers instead of the one that is built")
    given = parser.parse_args(argv)
    try:
        command = given.witness.split() if given.witness else [str(built())]
        return compare(range(given.seed, given.seed + given.clusters), command, given.record)
    except (CannotBuild, Ended) as error:
        print(f"make karpenter: {error}", file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        print("make karpenter: interrupted while it was built", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
