"""Compare the cluster autoscaler itself with its model on random clusters: `make cluster-autoscaler SOURCES=... COUNT=2000 SEED=0`.

SOURCES is a checkout of kubernetes/autoscaler. The loop of the autoscaler runs many times on each cluster, with its lists in
another order each time. The model must allow every decision: the growth that is offered, and the nodes whose deletion
begins. If the loops reached less than the model allows, more of them run, and what they do not reach either is counted as
unseen. Clusters with a difference are kept in .live/. Exit status: 0 no difference, 1 a decision that the model does not
allow, 2 interrupted, 3 the autoscaler cannot be built, or ended.
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

from tests.node_pools.building import VERSION, built
from tests.node_pools.drawn import drawn, drawn_evenly, made
from tests.node_pools.replayed import Allowed, allowed, refused, scenario_of, unseen
from tests.support.go_programs import CannotBuild

Json = dict[str, Any]
KEPT: Final = Path(".live")
RECORDED: Final = Path(__file__).parents[1] / "data" / "node_pools" / f"{VERSION}.jsonl.gz"
CHUNK: Final = 50
LOOPS: Final = 60
MORE_LOOPS: Final = 1500


class Ended(Exception):
    """The program gave no answer to a question; the text says to which, and why."""


def cluster(name: str) -> Json:
    """Return the cluster of this name: a number, every fifth with pods that are spread over hostnames, or one made by hand."""
    kind, _, seed = name.rpartition("-")
    for each in () if seed.isdigit() else made():
        if each["id"] == name:
            return each
    return drawn_evenly(int(seed)) if kind == "even" else drawn(int(seed))


def recorded() -> list[str]:
    """Return the names of the recorded clusters."""
    return [json.loads(line)["id"] for line in gzip.decompress(RECORDED.read_bytes()).splitlines()]


def asked(cases: Sequence[Json], loops: int, command: Sequence[str]) -> Iterator[Json]:
    """Yield each case with the different `decisions` of so many loops. Raises: Ended."""
    lines = "".join(f"{json.dumps({**each, 'times': loops, 'seed': loops})}\n" for each in cases)
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=False)
    answers = {each["id"]: each for each in map(json.loads, done.stdout.splitlines())}
    for case in cases:
        answer = answers.get(case["id"], {"error": done.stderr.strip()[-200:] or "no answer"})
        if answer.get("error"):
            raise Ended(f"{case['id']}: {answer['error']}")
        known = case.get("decisions", [])
        yield {**case, "decisions": [*known, *(each for each in answer["decisions"] if each not in known)]}


class Comparison:
    """A comparison of clusters by their names, with what was found so far."""

    def __init__(self, command: Sequence[str], loops: int, more: int) -> None:
        self._command, self._loops, self._more = command, loops, more
        self.seen = Counter(clusters=0, decisions=0, growths=0, removals=0, differences=0, unseen=0)
        self.told: list[Json] = []

    def compare(self, names: Sequence[str]) -> None:
        """Compare clusters. Raises: Ended."""
        for case in asked([cluster(name) for name in names], self._loops, self._command):
            may = allowed(scenario_of(case))
            told = case
            for more in (self._more // 5, self._more):
                if unseen(told, *may) and not refused(told, *may):
                    (told,) = asked([told], more, self._command)
            self._note(told, may)

    def _note(self, case: Json, may: Allowed) -> None:
        """Count the decisions of a case, print a difference, and keep the case of it."""
        wrong, missing = refused(case, *may), unseen(case, *may)
        self.seen.update(clusters=1, decisions=len(case["decisions"]), differences=bool(wrong), unseen=len(missing))
        self.seen["growths"] += sum("up" in each for each in case["decisions"])
        self.seen["removals"] += sum(bool(each.get("down")) for each in case["decisions"])
        self.told.append(case)
        if wrong or missing:
            KEPT.mkdir(exist_ok=True)
            (KEPT / f"cluster-autoscaler-{case['id']}.json").write_text(json.dumps(case))
            print(f"{case['id']}: {wrong or f'never seen: {missing}'}", flush=True)


def record(cases: Sequence[Json], file: Path) -> None:
    """Write the cases without what the questions alone need, and their decisions in order."""
    kept = ({key: each[key] for key in ("id", "objects", "pools")} | {"decisions": ordered(each)} for each in cases)
    lines = "".join(f"{json.dumps(each, sort_keys=True)}\n" for each in kept)
    file.write_bytes(gzip.compress(lines.encode(), mtime=0))


def ordered(case: Json) -> list[Json]:
    """Return the decisions of a case, sorted."""
    return sorted(case["decisions"], key=lambda each: json.dumps(each, sort_keys=True))


def main(argv: Sequence[str] | None = None) -> int:
    """Compare, and return the exit status."""
    parser = argparse.ArgumentParser(prog="make cluster-autoscaler", description=__doc__)
    parser.add_argument("--sources", type=Path, help="a checkout of kubernetes/autoscaler")
    parser.add_argument("--count", type=int, default=2000, help="the number of clusters")
    parser.add_argument("--seed", type=int, default=0, help="the first seed")
    parser.add_argument("--recorded", action="store_true", help="take the recorded clusters")
    parser.add_argument("--loops", type=int, default=LOOPS, help="the number of loops on each cluster")
    parser.add_argument("--more", type=int, default=MORE_LOOPS, help="the number of further loops if less was seen")
    parser.add_argument("--record", type=Path, help="write the answers to this file")
    parser.add_argument("--witness", help="a program that answers instead of the one that is built")
    given = parser.parse_args(argv)
    seeds = range(given.seed, given.seed + given.count)
    names = (
        recorded()[: given.count]
        if given.recorded
        else [f"even-{each}" if each % 5 == 4 else str(each) for each in seeds]
    )
    try:
        command = given.witness.split() if given.witness else [str(built(given.sources))]
        return compared(names, Comparison(command, given.loops, given.more), given.record)
    except (CannotBuild, Ended) as error:
        print(f"make cluster-autoscaler: {error}", file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        print("make cluster-autoscaler: interrupted while it was built", file=sys.stderr)
        return 2


def compared(names: Sequence[str], comparison: Comparison, file: Path | None) -> int:
    """Compare clusters chunk by chunk, print what was found, and return the exit status. Raises: Ended."""
    try:
        for begin in range(0, len(names), CHUNK):
            comparison.compare(names[begin : begin + CHUNK])
    except KeyboardInterrupt:
        print(f"interrupted after {comparison.seen['clusters']:,} clusters", file=sys.stderr)
        return 2
    print(", ".join(f"{number:,} {what}" for what, number in comparison.seen.items()))
    if file is not None:
        record(comparison.told, file)
    return 1 if comparison.seen["differences"] else 0


if __name__ == "__main__":
    sys.exit(main())
