"""How many defects random search finds that nobody points it to: `make power`

    python -m tests.power [--seconds 20] [--seed 0] [--jobs 2] [--count 97] [--searches long swarm] [--write]

Each defect of `tests/corpus` is put back alone, and searched for with this many seconds of CPU. Results are kept in
`.power/`, so an interrupted run resumes. `--write` writes the table into docs/power.md.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from pytest import MonkeyPatch

from tests.corpus.__main__ import defects
from tests.power.table import PAGE, table, written
from tests.power.trial import SEARCHES, Defect, Tried, tried

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / ".power"


def chosen(count: int | None) -> list[tuple[str, Defect]]:
    """The defects with names: the number in the corpus, and a letter if it has several; spread over all if fewer."""
    every = list(defects())
    often: dict[str, int] = {}
    named: list[tuple[str, Defect]] = []
    for each in every:
        often[each[0]] = often.get(each[0], 0) + 1
        named.append((each[0] + ("" if often[each[0]] == 1 else f" ({often[each[0]]})"), each))
    if count is None or count >= len(named):
        return named
    return [named[place * len(named) // count] for place in range(count)]


def on_its_scenario(defect: Defect) -> bool:
    """Whether the defect is detected on the scenario that was built for it."""
    with MonkeyPatch.context() as patch:
        defect[1](patch)
        return defect[2]()


def trials(arguments: argparse.Namespace) -> Iterator[tuple[str, str, Tried]]:
    """Yield the defects with a search and its result, those of an earlier run first."""
    arguments.kept.mkdir(exist_ok=True)
    file = arguments.kept / f"{arguments.seconds:g}-{arguments.seed}.jsonl"
    known = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    done = {(name, search): Tried(*result) for name, search, result in known}
    wanted = [(name, defect, search) for name, defect in chosen(arguments.count) for search in arguments.searches]
    yield from ((name, search, done[name, search]) for name, _, search in wanted if (name, search) in done)
    left = [each for each in wanted if (each[0], each[2]) not in done]
    with ThreadPoolExecutor(arguments.jobs) as pool, file.open("a") as kept:

        def one(each: tuple[str, Defect, str]) -> tuple[str, str, Tried]:
            name, defect, search = each
            return name, search, tried(defect, search, arguments.seconds, arguments.seed)

        for result in pool.map(one, left):
            kept.write(json.dumps(result) + "\n")
            kept.flush()
            print(f"  {result[1]} {result[0]}: {result[2]}", file=sys.stderr, flush=True)
            yield result


def main(given: list[str] | None = None) -> None:
    """Try all, print the table, and write it if asked to."""
    parser = argparse.ArgumentParser(description="Count the defects that random search finds.")
    parser.add_argument("--seconds", type=float, default=20.0, help="CPU seconds for each search of each defect")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--count", type=int, default=None, help="how many defects; all if not given")
    parser.add_argument("--searches", nargs="+", choices=sorted(SEARCHES), default=list(SEARCHES))
    parser.add_argument("--kept", type=Path, default=KEPT)
    parser.add_argument("--write", action="store_true", help=f"write the table into {PAGE.name}")
    arguments = parser.parse_args(given)
    own = {name: on_its_scenario(defect) for name, defect in chosen(arguments.count)}
    found: dict[str, dict[str, Any]] = {name: {} for name in own}
    for name, search, result in trials(arguments):
        found[name][search] = result
    said = table(own, found, arguments)
    print(said)
    if arguments.write:
        written(said)


if __name__ == "__main__":
    main()
