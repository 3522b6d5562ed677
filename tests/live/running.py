"""Chunks of random cases asked of a witness, in several processes or on several machines: `Chunk`, `Result`, `results`"""

import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

from schedcheck.checker.machines.cases import in_turn
from schedcheck.checker.machines.machines import Machines
from tests.live.comparing import Difference, examined
from tests.live.drawn import FAMILIES, QUICK, cases
from tests.live.witness import Gone, Witness

Json = dict[str, Any]
SIZE: Final = 50
"""The number of cases of a chunk."""
QUICK_SIZE: Final = 1500
"""The number of cases of a chunk of a family that is drawn quickly; so many more of them are compared."""


@dataclass(frozen=True)
class Chunk:
    """The cases of a family that are drawn from one seed."""

    family: str
    seed: int
    size: int = SIZE


@dataclass(frozen=True)
class Result:
    """What the cases of a chunk have shown: numbers, why some are unknown, and of each difference the first case.

    `wrong` are the differences: the place of the case, the kind, and the text.
    """

    chunk: Chunk
    compared: int
    values: int
    illegal: int
    unknown: tuple[str, ...]
    wrong: tuple[tuple[int, tuple[str, str, str], str], ...]

    def as_json(self) -> Json:
        """Return the result as it is kept."""
        return asdict(self)

    @staticmethod
    def of(kept: Json) -> "Result":
        """Return the result that is kept so."""
        wrong = tuple((place, tuple(kind), text) for place, kind, text in kept["wrong"])
        rest = (kept["compared"], kept["values"], kept["illegal"], tuple(kept["unknown"]))
        return Result(Chunk(**kept["chunk"]), *rest, wrong)  # type: ignore[arg-type]


def chunks(count: int, start: int, families: Sequence[str] = tuple(FAMILIES)) -> Iterator[Chunk]:
    """Yield chunks with about `count` cases in all from the seed `start` on, each family by the size of its chunks."""
    size = {family: QUICK_SIZE if family in QUICK else SIZE for family in families}
    of_family = {family: -(-count * size[family] // sum(size.values())) for family in families}
    for number in range(-(-count // sum(size.values()))):
        for family in families:
            if (left := of_family[family] - number * size[family]) > 0:
                yield Chunk(family, start + number, min(size[family], left))


def found(case: Json, witness: Witness, version: str) -> tuple[int, str, tuple[Difference, ...]]:
    """Return how many values of a case were compared, why it is unknown or illegal, and the differences.

    An answer that its own self-check refuses, or none, is a difference too.
    """
    try:
        stored = witness.stored(case)
        if "error" in stored:
            return 0, "illegal", ()
        answer = witness.answer(stored)
    except Gone as end:
        return 0, "", (Difference("witness", "ended", "", str(end), None),)
    if "error" in answer:
        return 0, f"the witness: {answer['error']}", ()
    if answer.get("selfCheck"):
        return 0, "", (Difference("witness", "selfCheck", "", answer["selfCheck"], None),)
    result = examined(stored, answer, version)
    return result.values, result.unknown, result.differences


@cache
def asking(command: tuple[str, ...]) -> Witness:
    """Return the witness that this process asks; it ends with the process, as its input is closed then."""
    return Witness(command)


def result(chunk: Chunk, command: Sequence[str], version: str, drawn: Path | None = None) -> Result:
    """Return what the cases of a chunk show; `drawn` is the folder in which the cases are kept."""
    compared = values = illegal = 0
    unknown: list[str] = []
    wrong: list[tuple[int, tuple[str, str, str], str]] = []
    witness = asking(tuple(command))
    for place, content in enumerate(contents(chunk, drawn)):
        number, why, differences = found(content, witness, version)
        compared, values, illegal = compared + (why == ""), values + number, illegal + (why == "illegal")
        unknown += [why] if why not in ("", "illegal") else []
        known = dict[tuple[str, str, str], str]()
        for each in differences:
            known.setdefault(each.kind, str(each))
        wrong += [(place, kind, text) for kind, text in known.items()]
    return Result(chunk, compared, values, illegal, tuple(unknown), tuple(wrong))


def contents(chunk: Chunk, drawn: Path | None) -> list[Json]:
    """Return the cases of a chunk, read from the folder if they are there, and otherwise drawn and kept there.

    To draw a case takes longer than to ask about it, and all versions are asked about the same cases.
    """
    if drawn is None:
        return [each.content for each in cases(chunk.family, chunk.seed, chunk.size)]
    file = drawn / f"{chunk.family.replace(' ', '-')}-{chunk.seed}-{chunk.size}.jsonl.gz"
    if not file.exists():
        text = "".join(json.dumps(each) + "\n" for each in contents(chunk, None))
        drawn.mkdir(parents=True, exist_ok=True)
        partial = file.with_suffix(f".{uuid4().hex}")
        partial.write_bytes(gzip.compress(text.encode(), 6, mtime=0))
        partial.rename(file)
    with gzip.open(file, "rt") as lines:
        return [json.loads(line) for line in lines]


def results(
    left: Iterable[Chunk],
    command: Sequence[str],
    version: str,
    jobs: int,
    drawn: Path | None = None,
    machines: Machines | None = None,
) -> Iterator[Result]:
    """Yield the results of the chunks as several processes find them; with `machines`, in the order of the chunks.

    Each machine needs the same checkout, and the witness at the same path. Raises ClusterFailed.
    """
    if machines is not None:
        folder = None if drawn is None else drawn.absolute()
        with closing(in_turn(machines, _elsewhere, (tuple(command), version, folder), left)) as found_there:
            yield from found_there
        return
    with ProcessPoolExecutor(jobs) as pool:
        waiting = [pool.submit(result, each, command, version, drawn) for each in left]
        try:
            for each in as_completed(waiting):
                yield each.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _elsewhere(given: tuple[tuple[str, ...], str, Path | None], chunk: Chunk) -> Result:
    return result(chunk, *given)
