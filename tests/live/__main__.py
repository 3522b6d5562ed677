"""Compare kube-scheduler itself with the specification and the production scheduler: `make live VERSION=1.36 COUNT=2000`.

Random API-valid clusters of every family are asked of the live witness of a version; every value that two of them tell
is compared. The first case of each kind of difference is made small and kept in .live/. A run that was interrupted is
continued by the same command. `--engine ray` spreads the clusters over machines, each of which needs the same checkout, and
the witness at the same path. Exit status: 0 no difference, 1 a difference, 2 interrupted, 3 the witness cannot be built
or the machines cannot be used.
"""

import argparse
import json
import os
import shlex
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from schedcheck.checker.machines.machines import ClusterFailed, Machines
from tests.live.building import CannotBuild, built
from tests.live.comparing import Difference
from tests.live.running import Chunk, Result, chunks, contents, found, results
from tests.live.shrinking import smaller
from tests.live.versions import KNOWN, PATCHES, patch
from tests.live.witness import Witness

Json = dict[str, Any]
COUNT: Final = 2000
KEPT: Final = Path(".live")
EVERY: Final = 30.0
ROOT: Final = Path(__file__).parents[2]
SOURCES: Final = tuple(
    ROOT / name for name in ("spec", "model", "checker", "schedcheck", "tests/live", "adapters/kube-scheduler")
)
SUFFIXES: Final = (".py", ".go", ".mod", ".sum")
"""The files on which a result depends."""
SHRUNK: Final = 12
"""The most kinds of difference of which a case is made small."""

Kind = tuple[str, str, str]


def main(argv: list[str] | None = None) -> int:
    """Compare, and return the exit status."""
    parser = argparse.ArgumentParser(prog="make live", description=__doc__)
    parser.add_argument("--version", default="1.37", help=f"{', '.join(PATCHES)}, or one of {', '.join(KNOWN)}")
    parser.add_argument("--count", type=int, default=COUNT, help="the number of clusters")
    parser.add_argument("--seed", type=int, default=0, help="the first seed; a chunk of each family has one")
    parser.add_argument("--jobs", type=int, help="the number of processes, or of chunks at once (one a core)")
    parser.add_argument("--engine", choices=("processes", "ray"), default="processes", help="ray: on several machines")
    parser.add_argument("--address", default="", help="the Ray cluster; without it one on this machine")
    parser.add_argument("--kept", type=Path, default=KEPT, help="where results and differences are kept")
    parser.add_argument("--case", type=Path, help="compare only the case of this file, and print what differs")
    parser.add_argument("--witness", help="a command that answers instead of the witness that is built")
    parser.add_argument(
        "--shrunk", type=int, default=SHRUNK, help="of how many kinds of difference a case is made small"
    )
    parser.add_argument("--build", action="store_true", help="only build the witness")
    given = parser.parse_args(argv)
    try:
        version = patch(given.version)
    except KeyError:
        parser.error(f"--version: expected one of {', '.join((*PATCHES, *KNOWN))}: {given.version}")
    if given.address and given.engine != "ray":
        parser.error("--address: belongs to --engine ray")
    try:
        command = shlex.split(given.witness) if given.witness else [str(built(version))]
    except CannotBuild as error:
        print(f"make live: {error}", file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        print("make live: interrupted while the witness was built", file=sys.stderr)
        return 2
    if given.build:
        print(command[0])
        return 0
    if given.case:
        return told(json.loads(given.case.read_text()), command, version)
    try:
        return compare(given, command, version)
    except ClusterFailed as error:
        print(f"make live: {error}", file=sys.stderr)
        return 3
    except KeyboardInterrupt:
        print("interrupted; the same command goes on from here", file=sys.stderr)
        return 2


def told(case: Json, command: Sequence[str], version: str) -> int:
    """Print what differs in one case."""
    with Witness(command) as witness:
        values, why, differences = found(case, witness, version)
    print(f"{values} values compared{f'; {why}' if why else ''}; {len(differences) or 'none'} differing")
    print(*differences, sep="\n")
    return 1 if differences else 0


def compare(given: argparse.Namespace, command: Sequence[str], version: str) -> int:
    """Compare what is left to compare, print the counts by family, and keep a small case of each difference."""
    print(f"kube-scheduler {version}; {given.count:,} clusters from seed {given.seed}")
    digest = digest_of(*SOURCES)
    file, drawn = given.kept / f"{version}-{digest}.jsonl", given.kept / f"drawn-{digest}"
    file.parent.mkdir(parents=True, exist_ok=True)
    known = kept_results(file)
    every = list(chunks(given.count, given.seed))
    done = [known[each] for each in every if each in known]
    left = [each for each in every if each not in known]
    print(f"{len(every)} chunks, {len(done)} of them known", flush=True)
    began = last = time.monotonic()
    machines = Machines(given.address, given.jobs or 0) if given.engine == "ray" else None
    with file.open("a") as output:
        for each in results(left, command, version, given.jobs or os.cpu_count() or 1, drawn, machines):
            output.write(json.dumps(each.as_json()) + "\n")
            output.flush()
            done.append(each)
            if time.monotonic() - last > EVERY:
                last = time.monotonic()
                print(f"  {len(done)} of {len(every)} chunks, {last - began:.0f} s", file=sys.stderr, flush=True)
    show(done)
    print(f"{time.monotonic() - began:.0f} s for {len(left)} chunks")
    kinds = kinds_of(done)
    for kind in sorted(kinds, key=lambda each: (-kinds[each][0], each))[: given.shrunk]:
        keep(kind, *kinds[kind][1:], command, version, given.kept, drawn)
    return 1 if kinds else 0


def digest_of(*folders: Path) -> str:
    """Return a digest of the sources in the folders, and of their names."""
    made = sha256()
    for folder in folders:
        for file in sorted(each for each in folder.rglob("*") if each.suffix in SUFFIXES):
            text = file.read_bytes()
            made.update(f"{file.relative_to(folder.parent)} {len(text)}\n".encode() + text)
    return made.hexdigest()[:12]


def kept_results(file: Path) -> dict[Chunk, Result]:
    """Return the results that a file holds; a line that was not written completely is left out."""
    found_ones = dict[Chunk, Result]()
    for line in file.read_text().splitlines() if file.exists() else ():
        try:
            each = Result.of(json.loads(line))
        except ValueError:
            continue
        found_ones[each.chunk] = each
    return found_ones


def show(done: Sequence[Result]) -> None:
    """Print the counts by family, and what was not compared."""
    print(f"{'family':20}{'compared':>10}{'values':>12}{'illegal':>9}{'unknown':>9}{'differing':>11}")
    for family in dict.fromkeys(each.chunk.family for each in sorted(done, key=lambda each: each.chunk.family)):
        mine = [each for each in done if each.chunk.family == family]
        differing = sum(len({place for place, *_ in each.wrong}) for each in mine)
        numbers = [sum(getattr(each, name) for each in mine) for name in ("compared", "values", "illegal")]
        unknown = sum(len(each.unknown) for each in mine)
        print(f"{family:20}{numbers[0]:10,}{numbers[1]:12,}{numbers[2]:9,}{unknown:9,}{differing:11,}")
    for why, number in Counter(why for each in done for why in each.unknown).most_common():
        print(f"unknown: {number:,} because {why}")


def kinds_of(done: Sequence[Result]) -> dict[Kind, tuple[int, Chunk, int, str]]:
    """Return each kind of difference with its number, and the first chunk, place and text."""
    kinds = dict[Kind, tuple[int, Chunk, int, str]]()
    for each in sorted(done, key=lambda each: (each.chunk.seed, each.chunk.family)):
        for place, kind, text in each.wrong:
            number, *first = kinds.get(kind, (0, each.chunk, place, text))
            kinds[kind] = (number + 1, *first)  # type: ignore[assignment]
    return kinds


def alike(kind: Kind, witness: Witness, version: str) -> Callable[[Json], bool]:
    """Return whether a case shows a difference of this kind."""

    def shows(case: Json) -> bool:
        return any(each.kind == kind for each in found(case, witness, version)[2])

    return shows


def keep(
    kind: Kind, chunk: Chunk, place: int, text: str, command: Sequence[str], version: str, kept: Path, drawn: Path
) -> None:
    """Make the case small, and write it into a folder with the command that shows the difference again."""
    who, field, parts = kind
    name = "-".join(filter(None, (version, who, field.replace(".", "-"), parts.replace(", ", "-"))))[:80]
    folder = kept / name
    label = f"{who}, {field}{f' ({parts})' if parts else ''}"
    if (folder / "case.json").exists():
        print(f"differs: {label}: kept before in {folder}")
        return
    folder.mkdir(parents=True, exist_ok=True)
    with Witness(command) as witness:
        small = smaller(contents(chunk, drawn)[place], alike(kind, witness, version))
        differences = found(small, witness, version)[2]
    (folder / "case.json").write_text(json.dumps(small, indent=1) + "\n")
    (folder / "README.md").write_text(
        page(kind, f"{chunk.family}, seed {chunk.seed}, case {place}", folder, version, differences or (), text)
    )
    objects = sum(len(each) for each in small.values() if isinstance(each, list))
    print(f"differs: {label}: {objects} objects beside the pod in {folder}")


def page(kind: Kind, name: str, folder: Path, version: str, differences: Sequence[Difference], first: str) -> str:
    """Return what is said of a difference in its folder."""
    shown = "\n".join(f"- {each}" for each in differences) or f"- {first}"
    return (
        f"# kube-scheduler {version} and the {kind[0]} differ in {kind[1]}\n\nFound in {name}, and made small:\n\n{shown}\n\n"
        f"    make live VERSION={version} CASE={folder / 'case.json'}\n"
    )


if __name__ == "__main__":
    sys.exit(main())
