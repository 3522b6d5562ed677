"""Record what 1.35.8 and 1.36.4 answer about pods with resource claims: `python -m tests.live.claims`

The claims and devices have what is new since 1.34: counters, consumable capacities, taints without an effect. The same
cases go to each version, as they are, so that the versions and their feature gates tell them apart. `told` reads them.
"""

import sys
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from random import Random
from typing import Any, Final

from schedcheck.spec.objects import Pod
from tests.live.building import built
from tests.live.claiming import claiming
from tests.live.drawn import content
from tests.live.recording import DATA, lines, settled, write
from tests.live.witness import Witness
from tests.support.building import node, pod, snapshot

Json = dict[str, Any]
FOLDER: Final = DATA / "devices" / "plugin"
PATCHES: Final = ("1.35.8", "1.36.4")
DRAWN: Final = 1200
KEPT: Final = 200
SEED: Final = 1936


def drawn() -> Iterator[Json]:
    """Yield the cases; the same seed gives the same ones."""
    for place in range(DRAWN):
        chance = Random(SEED + place)
        nodes = [node(f"n{number}", 9, labels={"zone": chance.choice("xy")}) for number in range(2)]
        there = [imaged(pod(f"b{number}", on=chance.choice(("n0", "n1")))) for number in range(2)]
        mine = imaged(pod("p", 1))
        yield {
            "id": f"claims-{place}",
            **content(claiming((mine, snapshot(mine, *nodes, *there)), chance, newest=True)),
        }


def imaged(one: Pod) -> Pod:
    """Return the pod with an image, which the API demands."""
    return replace(one, containers=tuple(replace(each, image="x") for each in one.containers))


def told(version: str) -> Iterator[tuple[Json, Json]]:
    """Yield each recorded case with the answer of that version."""
    yield from zip(lines(FOLDER / "cases.jsonl.gz"), lines(FOLDER / f"{version}.jsonl.gz"), strict=True)


def main() -> int:
    """Record the cases and the answers."""
    with Witness([str(built(PATCHES[-1]))]) as witness:
        stored = (witness.stored(each) for each in drawn())
        cases = list(islice((each for each in stored if "error" not in each), KEPT))
    write(FOLDER / "cases.jsonl.gz", cases)
    for version in PATCHES:
        with Witness([str(built(version))]) as witness:
            answers = [settled(witness.answer(each)) for each in cases]
        write(FOLDER / f"{version}.jsonl.gz", answers)
        wrong = sum("selfCheck" in each for each in answers)
        print(f"{version}: {len(answers)} answers, {wrong} of which fail the self-check", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
