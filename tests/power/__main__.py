"""How many defects search finds that nobody points it to: `make power`

    python -m tests.power [--seconds 8] [--seed 0] [--jobs 2] [--count 147] [--again] [--write]
    python -m tests.power --held-back-again [--seconds 20] [--seed 1]
    python -m tests.power --held-back-third [--seconds 20] [--seed 1]
    python -m tests.power --held-back-fourth [--seconds 20] [--seed 1]
    python -m tests.power --held-back-fifth [--seconds 20] [--seed 1]
    python -m tests.power --only 'minDomains is ignored' --parts small [--seconds 1200]

Each defect of `tests/corpus` and of `tests/power/fresh.py` is put in alone, and searched for with this many seconds of
CPU. Results are kept in `.power/`, so an interrupted run resumes; `--again` tries only what is not found yet, with these
seconds. `--write` writes the table into docs/power.md.

With `--parts` only these kinds are tried, each for the part of the seconds that it has in a whole search. Their cases are those
of the whole search, so what is found here is found there in as many seconds, or something else is found before.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pytest import MonkeyPatch

from tests.checker.differential.search.parts import PARTS
from tests.corpus.__main__ import defects
from tests.power.fresh import FRESH
from tests.power.held_back import HELD_BACK
from tests.power.held_back_again import HELD_BACK_AGAIN
from tests.power.held_back_fifth import HELD_BACK_FIFTH
from tests.power.held_back_fourth import HELD_BACK_FOURTH
from tests.power.held_back_third import HELD_BACK_THIRD
from tests.power.table import PAGE, Measured, areas, table, written
from tests.power.trial import Defect, Tried, tried

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / ".power"


def chosen(count: int | None) -> list[tuple[str, Defect]]:
    """The defects with names: the number in the corpus, and a letter if it has several; spread over all if fewer."""
    often: dict[str, int] = {}
    named: list[tuple[str, Defect]] = []
    for each in defects():
        often[each[0]] = often.get(each[0], 0) + 1
        named.append((each[0] + ("" if often[each[0]] == 1 else f" ({often[each[0]]})"), each))
    every = (*FRESH, *HELD_BACK, *HELD_BACK_AGAIN, *HELD_BACK_THIRD, *HELD_BACK_FOURTH, *HELD_BACK_FIFTH)
    named += [(each.name, (each.name, each.defect, lambda: False)) for each in every]
    if count is None or count >= len(named):
        return named
    return [named[place * len(named) // count] for place in range(count)]


def on_its_scenario(name: str, defect: Defect) -> bool | None:
    """Whether the defect is detected on the scenario that was built for it; None if it has none."""
    if name not in areas():
        return None
    with MonkeyPatch.context() as patch:
        defect[1](patch)
        return defect[2]()


def searched(defect: Defect, seconds: float, seed: int, parts: tuple[str, ...]) -> Tried:
    """Search with some kinds for their part of the time; the seconds of the result are those of a whole search."""
    part = sum(PARTS[each].share for each in parts) / sum(each.share for each in PARTS.values())
    result = tried(defect, seconds * part, seed, parts)
    return result._replace(seconds=round(result.seconds / part, 1))


def _asked(arguments: argparse.Namespace) -> list[str]:
    """The names of the defects that are asked for; empty for all."""
    sets = (
        (HELD_BACK, arguments.held_back),
        (HELD_BACK_AGAIN, arguments.held_back_again),
        (HELD_BACK_THIRD, arguments.held_back_third),
        (HELD_BACK_FOURTH, arguments.held_back_fourth),
        (HELD_BACK_FIFTH, arguments.held_back_fifth),
    )
    return [*(arguments.only or ()), *(each.name for some, wanted in sets if wanted for each in some)]


def trials(arguments: argparse.Namespace) -> Iterator[tuple[str, Tried]]:
    """Yield the defects with their results, those of an earlier run first."""
    arguments.kept.mkdir(exist_ok=True)
    file = arguments.kept / f"{arguments.seed}.jsonl"
    known = [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []
    done = {name: Tried(*result) for name, result in known}
    wanted = [(name, each) for name, each in chosen(arguments.count) if name in (_asked(arguments) or [name])]
    left = [
        (name, each)
        for name, each in wanted
        if name not in done or (arguments.again and not done[name].found and done[name].seconds < arguments.seconds)
    ]
    yield from ((name, done[name]) for name, _ in wanted if name not in dict(left))
    with ThreadPoolExecutor(arguments.jobs) as pool, file.open("a") as kept:

        def one(each: tuple[str, Defect]) -> tuple[str, Tried]:
            return each[0], searched(each[1], arguments.seconds, arguments.seed, tuple(arguments.parts))

        for result in pool.map(one, left):
            if result[1].found or len(arguments.parts) == len(PARTS):
                kept.write(json.dumps(result) + "\n")
                kept.flush()
            print(f"  {result[0]}: {result[1]}", file=sys.stderr, flush=True)
            yield result


def main(given: list[str] | None = None) -> None:
    """Try all, print the table, and write it if asked to."""
    parser = argparse.ArgumentParser(description="Count the defects that search finds.")
    parser.add_argument("--seconds", type=float, default=8.0, help="CPU seconds for each defect")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--count", type=int, default=None, help="how many defects; all if not given")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only these defects")
    parser.add_argument("--held-back", action="store_true", help="only the defects that were held back")
    parser.add_argument("--held-back-again", action="store_true", help="only the second set of them")
    parser.add_argument("--held-back-third", action="store_true", help="only the third set of them")
    parser.add_argument("--held-back-fourth", action="store_true", help="only the fourth set of them")
    parser.add_argument("--held-back-fifth", action="store_true", help="only the fifth set of them")
    parser.add_argument("--parts", nargs="+", choices=sorted(PARTS), default=list(PARTS), help="the kinds of search")
    parser.add_argument("--again", action="store_true", help="search again for what was not found in less time")
    parser.add_argument("--kept", type=Path, default=KEPT)
    parser.add_argument("--write", action="store_true", help=f"write the table into {PAGE.name}")
    arguments = parser.parse_args(given)
    unknown = sorted(set(arguments.only or ()) - {name for name, _ in chosen(None)})
    if unknown:
        parser.error(f"--only: no defect is named {', '.join(unknown)}")
    found = dict(trials(arguments))
    wanted = [(name, each) for name, each in chosen(arguments.count) if name in found]
    said = table(
        [Measured(name, on_its_scenario(name, each), found[name]) for name, each in wanted],
        f"At most {arguments.seconds:g} seconds of CPU for each defect, seed {arguments.seed}.",
    )
    print(said)
    if arguments.write:
        written(said)


if __name__ == "__main__":
    main()
