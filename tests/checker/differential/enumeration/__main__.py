"""Compare production with the specification on all small clusters of each feature and of pairs: `make enumerate`

    python -m tests.checker.differential.enumeration [--of taints spread] [--pairs] [--most 500] [--seconds 600]
                                                     [--jobs 2] [--kept .enumerated] [--defects 20] [--write]

A space has all clusters of at most three pods and two nodes over the vocabulary of a feature, or over the first values of
two features. Of each class of symmetric clusters one is tried: its decision, statuses, scores, hosts and victims, and what
the cycle writes. With `--most` only so many clusters of a space are tried, spread over all. Results are kept, so an
interrupted run resumes. `--defects` tries the planted defects instead, each on so many clusters of every space.
"""

import argparse
import json
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import combinations
from math import gcd
from pathlib import Path
from typing import NamedTuple

from tests.checker.differential.enumeration.page import planted_table, table, written
from tests.checker.differential.enumeration.planted import first_finds
from tests.checker.differential.enumeration.spaces import Space
from tests.checker.differential.enumeration.vocabulary import FEATURES, NAMED, THEMES
from tests.checker.differential.search.aftermath import agree

KEPT = Path(__file__).resolve().parents[4] / ".enumerated"
CHUNK = 200
"""The number of clusters after which the results are kept."""


class Tried(NamedTuple):
    """How far a space is tried: the next position, the number of clusters, and the numbers of those that differ."""

    position: int = 0
    clusters: int = 0
    different: tuple[int, ...] = ()


def spaces(names: list[str] | None, *, pairs: bool) -> Iterator[tuple[str, ...]]:
    """Yield the names of the features of each space; pairs are those of one theme."""
    chosen = [each.name for each in FEATURES if names is None or each.name in names]
    if not pairs:
        yield from ((name,) for name in chosen)
        return
    together = {pair for theme in THEMES for pair in combinations(sorted(theme), 2)}
    yield from sorted(pair for pair in together if {*pair} <= {*chosen})


def space_of(names: tuple[str, ...]) -> Space:
    """Return the space of a feature, or of the cores of two."""
    return Space(NAMED[names[0]]) if len(names) == 1 else Space(*(NAMED[name].core for name in names))


def spread(position: int, raw: int) -> int:
    """Return the number of the cluster at this position of an order that jumps about in the space, but omits none."""
    step = max(1, int(raw * 0.618))
    while gcd(step, raw) != 1:
        step += 1
    return position * step % raw


def chunk(names: tuple[str, ...], begun: Tried, most: int) -> Tried:
    """Try some more clusters of a space."""
    space = space_of(names)
    position, clusters, different = begun.position, 0, list(begun.different)
    while position < space.raw and clusters < min(CHUNK, most - begun.clusters):
        for number, code in space.clusters(iter((spread(position, space.raw),))):
            clusters += 1
            try:
                agree(space.question(code))
            except Exception:
                different.append(number)
        position += 1
    return Tried(position, begun.clusters + clusters, tuple(different))


def tries(
    listed: list[tuple[str, ...]], most: int, seconds: float, jobs: int, kept: Path
) -> dict[tuple[str, ...], Tried]:
    """Try the spaces in turn until all are done, or the time is over."""
    kept.mkdir(exist_ok=True)
    done = {names: _read(kept, names) for names in listed}
    end = time.monotonic() + seconds
    left = [names for names in listed if _left(names, done[names], most)]
    with ProcessPoolExecutor(jobs) as pool:
        while left and time.monotonic() < end:
            some = left[:jobs]
            for names, result in zip(
                some, pool.map(chunk, some, [done[each] for each in some], [most] * jobs), strict=True
            ):
                done[names] = result
                _file(kept, names).write_text(json.dumps(result))
            left = [names for names in left if _left(names, done[names], most)]
    return done


def _left(names: tuple[str, ...], so_far: Tried, most: int) -> bool:
    return so_far.clusters < most and so_far.position < space_of(names).raw


def _file(kept: Path, names: tuple[str, ...]) -> Path:
    return kept / f"{' and '.join(names).replace(' ', '-')}.json"


def _read(kept: Path, names: tuple[str, ...]) -> Tried:
    file = _file(kept, names)
    if not file.exists():
        return Tried()
    position, clusters, different = json.loads(file.read_text())
    return Tried(position, clusters, tuple(different))


def main(given: list[str] | None = None) -> int:
    """Try the spaces and print the table; return 1 if a cluster differs."""
    parser = argparse.ArgumentParser(description="Compare production with the specification on all small clusters.")
    parser.add_argument("--of", nargs="+", choices=sorted(NAMED), help="only these features")
    parser.add_argument("--pairs", action="store_true", help="pairs of features instead of single ones")
    parser.add_argument("--most", type=int, default=10**9, help="how many clusters of each space are tried")
    parser.add_argument("--seconds", type=float, default=10**9, help="when to stop, to be resumed later")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--kept", type=Path, default=KEPT)
    parser.add_argument("--defects", type=int, help="try the planted defects on so many clusters of each space")
    parser.add_argument("--write", action="store_true", help="write the table into docs/enumeration.md")
    arguments = parser.parse_args(given)
    listed = list(spaces(arguments.of, pairs=arguments.pairs))
    if arguments.defects:
        both = listed if arguments.of else [*listed, *spaces(None, pairs=True)]
        some = [(names, space_of(names)) for names in both]
        found = first_finds(
            [(" and ".join(names), space, spread) for names, space in some], arguments.defects, arguments.jobs
        )
        said = planted_table(found, arguments.defects)
        code, section = 0, "defects"
    else:
        done = tries(listed, arguments.most, arguments.seconds, arguments.jobs, arguments.kept)
        rows = [(" and ".join(names), space_of(names), done[names]) for names in listed]
        said = table([(name, space.raw, space.size, each.clusters, len(each.different)) for name, space, each in rows])
        code, section = int(any(each.different for each in done.values())), "pairs" if arguments.pairs else "features"
        for names, each in done.items():
            for number in each.different[:3]:
                print(f"{' and '.join(names)}, number {number}: differs")
    print(said)
    if arguments.write:
        written(section, said)
    return code


if __name__ == "__main__":
    raise SystemExit(main())
