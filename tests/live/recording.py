"""Record what the live witnesses answer, for tests without Go: `python -m tests.live.recording [--count 500] [VERSION …]`

tests/data/live/cases holds random cases of each family as the newest version stores them. For each version a folder holds the answers
to them, and to the cases of tests/data/conformance (`recorded-FAMILY`), line by line. `recorded` reads them back.
"""

import argparse
import gzip
import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from tests.live.building import built
from tests.live.drawn import STRATEGIES, cases
from tests.live.versions import KNOWN, patch
from tests.live.witness import Witness

Json = dict[str, Any]
DATA: Final = Path(__file__).parents[1] / "data"
LIVE: Final = DATA / "live"
FIRST: Final = DATA / "conformance"
EARLIER: Final = (
    "affinity", "images", "interpod", "mixed", "ports", "preemption", "quirks", "resources", "spread", "taints",
)  # fmt: skip
"""The families of tests/data/conformance."""
PREFIX: Final = "recorded-"
OF_RECORDED: Final = tuple(PREFIX + each for each in EARLIER)
SEED: Final = 4242
COUNT: Final = 500
DRAWN: Final = {"real": ("host",), "preemption": ("realNominated", "realMessage")}
"""The fields that hold one draw from a set."""


def lines(file: Path) -> Iterator[Json]:
    """Yield the lines of a file."""
    with gzip.open(file, "rt") as text:
        yield from map(json.loads, text)


def write(file: Path, values: Iterable[Json]) -> None:
    """Write the lines of a file; the same lines give the same bytes."""
    file.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(json.dumps(each, separators=(",", ":")) + "\n" for each in values)
    file.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def name(family: str) -> str:
    """Return the name of a family's file."""
    return f"{family.replace(' ', '-')}.jsonl.gz"


def asked(family: str) -> Iterator[Json]:
    """Yield the cases of a family, those of tests/data/conformance too."""
    if family.startswith(PREFIX):
        yield from (each["case"] for each in lines(FIRST / name(family.removeprefix(PREFIX))))
    else:
        yield from lines(LIVE / "cases" / name(family))


def recorded(version: str, family: str) -> Iterator[tuple[Json, Json]]:
    """Yield each case of a family with the answer of that version."""
    yield from zip(asked(family), lines(LIVE / version / name(family)), strict=True)


def settled(answer: Json) -> Json:
    """Return the answer without what is drawn from a set."""
    for part, fields in DRAWN.items():
        if answer.get(part):
            answer[part] = {key: value for key, value in answer[part].items() if key not in fields}
    return answer


def record_cases(count: int, witness: Witness) -> None:
    """Write the cases of every family that has none, as far as the API server admits them."""
    for family in STRATEGIES:
        if (LIVE / "cases" / name(family)).exists():
            continue
        drawn = (witness.stored({"id": each.name, **each.content}) for each in cases(family, SEED, count))
        write(LIVE / "cases" / name(family), (each for each in drawn if "error" not in each))


def main(argv: list[str] | None = None) -> int:
    """Record the cases, unless they are there, and the answers of each version."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("versions", nargs="*", default=list(KNOWN))
    parser.add_argument("--count", type=int, default=COUNT)
    given = parser.parse_args(argv)
    with Witness([str(built(KNOWN[-1]))]) as witness:
        record_cases(given.count, witness)
    for version in map(patch, given.versions):
        with Witness([str(built(version))]) as witness:
            for family in (*STRATEGIES, *OF_RECORDED):
                answers = [settled(witness.answer(each)) for each in asked(family)]
                wrong = [each["id"] for each in answers if "selfCheck" in each]
                if wrong:
                    print(f"{version}: the self-check of {', '.join(wrong)} fails", file=sys.stderr)
                    return 1
                write(LIVE / version / name(family), answers)
                print(f"{version} {family}: {len(answers)} answers", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
