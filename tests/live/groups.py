"""Compare the cycles of PodGroups with kube-scheduler's own: `make live-groups VERSION=1.36 KIND=storage COUNT=1000 SEED=0`

With --record the first cases and their answers are kept for tests without Go. Exit status: 0 no difference, 1 a
difference, 2 interrupted, 3 the witness cannot be built, or ends.
"""

import argparse
import shlex
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any, Final

from tests.live.allocating import allocating
from tests.live.building import CannotBuild, built
from tests.live.grouping import OF_VERSIONS, PREEMPTING, by_themselves, contested, differs, drawn, text, unalike
from tests.live.intruding import differs_alone, intruding
from tests.live.recording import DATA, write
from tests.live.storing import storing
from tests.live.witness import Gone, Program, plain

Json = dict[str, Any]
PATCH: Final = "1.37.2"
PATCHES: Final = {patch.rpartition(".")[0]: patch for patch in OF_VERSIONS}
FOLDER: Final = DATA / "groups"
RECORDED: Final = 250
FEW: Final = 40
"""How many cycles of the other kinds are recorded."""


def kind(answer: Json) -> str:
    """Return what became of the group, in a word."""
    if answer.get("kept"):
        return "kept out"
    if answer.get("error"):
        return "error"
    if PREEMPTING in answer.get("said", "") or by_themselves(answer):
        return "preempting"
    return "placed" if answer["nodes"] else "not placed"


def main(arguments: list[str] | None = None) -> int:
    """Draw, ask and compare, and return the exit status."""
    options = argparse.ArgumentParser(prog="make live-groups", description=__doc__)
    options.add_argument("--version", choices=sorted(PATCHES), default="1.37", help="the minor version")
    options.add_argument("--count", type=int, default=1000, help="the number of clusters")
    options.add_argument("--seed", type=int, default=0, help="the same seed gives the same clusters")
    options.add_argument("--kind", choices=sorted(KINDS), default="groups", help="what is drawn")
    options.add_argument("--witness", help="a command that answers instead of the witness that is built")
    options.add_argument("--record", action="store_true", help="keep the first cases and answers")
    given = options.parse_args(arguments)
    try:
        command = shlex.split(given.witness) if given.witness else [str(built(PATCHES[given.version])), "--groups"]
        return compared(given, command)
    except CannotBuild as error:
        print(f"make live-groups: {error}", file=sys.stderr)
        return 3
    except Gone as end:
        print(f"make live-groups: the witness ended: {end}", file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        print("make live-groups: interrupted", file=sys.stderr)
        return 2


def compared(given: argparse.Namespace, command: Sequence[str]) -> int:
    """Ask about each cluster, print what differs and the counts, and keep the first cases if that is asked for."""
    with closing(Program(command)) as witness:
        return asked_of(witness, given)


def asked_of(witness: Program, given: argparse.Namespace) -> int:
    """Do so with a program that runs."""
    counts: Counter[str] = Counter()
    kept: list[tuple[Json, Json]] = []
    differing, patch = 0, PATCHES[given.version]
    for place in range(given.count):
        asked = KINDS[given.kind](patch, given.seed, place)
        answer = plain(witness.ask(asked))
        if "nodes" not in answer:
            counts[answer["error"]] += 1
            print(answer, file=sys.stderr) if answer["error"] != "illegal" else None
            continue
        kept.append((asked, answer))
        told = differs_alone if given.kind == "alone" else differs
        said = list(told(asked, answer, OF_VERSIONS[patch]))
        counts["unknown" if "unknown" in said else kind(answer)] += 1
        for each in said:
            if each != "unknown":
                differing += 1
                print(f"{asked['id']}: {each}\n{text(asked)}\n{answer}", flush=True)
    print(", ".join(f"{number:,} {name}" for name, number in sorted(counts.items())) + f"; {differing:,} differ")
    if given.record:
        cases, answers, number = recorded(given.kind, patch)
        write(cases, (asked for asked, _ in kept[:number]))
        write(answers, (answer for _, answer in kept[:number]))
    return 1 if differing else 0


def asked_about(patch: str, seed: int, place: int) -> Json:
    """Return the case of this number that a version is asked about."""
    chance = Random(f"{seed}/{place}")
    if patch == PATCH and place % 2:
        return contested(chance, place)
    asked = drawn(chance, place)
    return asked if patch == PATCH else unalike(asked, Random(f"{seed}/{place}/unalike"))


def alone(patch: str, seed: int, place: int) -> Json:
    """Return the case of this number in which a pod without a group may evict pods of groups."""
    return intruding(Random(f"{seed}/{place}/alone"), place)


def stored(patch: str, seed: int, place: int) -> Json:
    """Return the case of this number in which pods of the group have volume claims."""
    asked = storing(Random(f"{seed}/{place}/storing"), place)
    return asked if patch == PATCH else unalike(asked, Random(f"{seed}/{place}/unalike"))


def devised(patch: str, seed: int, place: int) -> Json:
    """Return the case of this number in which pods of the group have resource claims."""
    asked = allocating(Random(f"{seed}/{place}/allocating"), place)
    return asked if patch == PATCH else unalike(asked, Random(f"{seed}/{place}/unalike"))


KINDS: Final = {"groups": asked_about, "alone": alone, "storage": stored, "devices": devised}
"""What may be drawn."""


def recorded(kind: str, patch: str) -> tuple[Path, Path, int]:
    """Return the files with the recorded cases and answers of a kind, and how many there are."""
    if kind == "groups":
        return cases_of(patch), FOLDER / f"{patch}.jsonl.gz", RECORDED
    return FOLDER / f"{kind}-cases-{patch}.jsonl.gz", FOLDER / f"{kind}-{patch}.jsonl.gz", FEW


def cases_of(patch: str) -> Path:
    """Return the file with the recorded cases of a version."""
    return FOLDER / ("cases.jsonl.gz" if patch == PATCH else f"cases-{patch}.jsonl.gz")


if __name__ == "__main__":
    sys.exit(main())
