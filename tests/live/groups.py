"""Compare the cycles of PodGroups with kube-scheduler's own: `python -m tests.live.groups [--count 1000] [--seed 0] [--record]`

With --record the first cases and their answers are kept for tests without Go. The exit status is 1 if something differs.
"""

import argparse
import sys
from collections import Counter
from random import Random
from typing import Any, Final

from tests.live.building import built
from tests.live.grouping import PREEMPTING, differs, drawn, text
from tests.live.recording import DATA, write
from tests.live.witness import Program, plain

Json = dict[str, Any]
PATCH: Final = "1.37.2"
FOLDER: Final = DATA / "groups"
RECORDED: Final = 250


def kind(answer: Json) -> str:
    """Return what became of the group, in a word."""
    if answer.get("kept"):
        return "kept out"
    if answer.get("error"):
        return "error"
    if PREEMPTING in answer.get("said", ""):
        return "preempting"
    return "placed" if answer["nodes"] else "not placed"


def main(arguments: list[str] | None = None) -> int:
    """Draw, ask and compare."""
    options = argparse.ArgumentParser(prog="python -m tests.live.groups")
    options.add_argument("--count", type=int, default=1000)
    options.add_argument("--seed", type=int, default=0)
    options.add_argument("--record", action="store_true", help="keep the first cases and answers")
    given = options.parse_args(arguments)
    witness = Program([str(built(PATCH)), "--groups"])
    counts: Counter[str] = Counter()
    kept: list[tuple[Json, Json]] = []
    differing = 0
    for place in range(given.count):
        asked = drawn(Random(f"{given.seed}/{place}"), place)
        answer = plain(witness.ask(asked))
        if "nodes" not in answer:
            counts[answer["error"]] += 1
            print(answer, file=sys.stderr) if answer["error"] != "illegal" else None
            continue
        kept.append((asked, answer))
        said = list(differs(asked, answer))
        counts["unknown" if "unknown" in said else kind(answer)] += 1
        for each in said:
            if each != "unknown":
                differing += 1
                print(f"{asked['id']}: {each}\n{text(asked)}\n{answer}", flush=True)
    witness.close()
    print(", ".join(f"{number:,} {name}" for name, number in sorted(counts.items())) + f"; {differing:,} differ")
    if given.record:
        write(FOLDER / "cases.jsonl.gz", (asked for asked, _ in kept[:RECORDED]))
        write(FOLDER / f"{PATCH}.jsonl.gz", (answer for _, answer in kept[:RECORDED]))
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
