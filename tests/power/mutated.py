"""How many random mutants of the production scheduler the search finds: `python -m tests.power.mutated`

    python -m tests.power.mutated [--size 60] [--seed 1] [--seconds 60] [--jobs 2]
    python -m tests.power.mutated --only labels.py:37 --parts 'large labels' [--seconds 1200]

Nobody chose these defects, and nobody tuned the search to them. A mutant is one small change that cosmic-ray's operators can
make (`tests/mutants`), each in a process of its own with so many seconds of CPU. A case that differs is tried again without
the mutant; if it differs there too, nothing is found. Mutants that break the import are left out: nobody would ship them. Some of those
that are not found change nothing that can be seen; each is listed, for somebody to read. Results are kept in `.power/`.

With `--parts` only these kinds are tried, for the part of the seconds that they have in a whole search.
"""

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

from tests.checker.differential.search.effort import of_sources
from tests.checker.differential.search.parts import PARTS
from tests.mutants.drawn import drawn
from tests.mutants.enumeration import Mutant, files
from tests.mutants.report import told
from tests.power.mutant import AT_IMPORT
from tests.power.trial import without

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("spec", "model/production")
MUTATED = "model/production"
KEPT = ROOT / ".power"
GRACE = 10.0
"""Seconds of CPU, beside twice its time, after which a search has a case that does not end."""
LONGEST = 100.0
"""Seconds on the clock, for each second of CPU, after which a process is ended."""

Told = dict[str, Any]


def chosen(size: int, seed: int) -> list[tuple[Mutant, str]]:
    """Return so many mutants, evenly spread over a draw that has some of each file."""
    texts = files(ROOT, FOLDERS)
    among = {file: text for file, text in texts.items() if file.startswith(MUTATED)}
    found = drawn(KEPT, texts, among, max(size, 4 * len(among)), seed)
    return [found[number * len(found) // size] for number in range(size)]


def searched(mutant: Mutant, made: str, seconds: float, seed: int, parts: Sequence[str] = ()) -> Told:
    """Return what the search finds with this mutant in so many seconds; with all kinds unless some are given."""
    with TemporaryDirectory() as folder:
        asked = Path(folder) / "asked.json"
        of_mutant = {"path": str(ROOT / mutant.file), "text": made}
        limits = {"seconds": seconds, "seed": seed, "longest": 2 * seconds + GRACE, "parts": list(parts)}
        asked.write_text(json.dumps({**of_mutant, **limits}))
        command = [sys.executable, "-m", "tests.power.mutant", str(asked)]
        try:
            done = subprocess.run(
                command, cwd=ROOT, capture_output=True, check=False, text=True, timeout=seconds * LONGEST + 60
            )
        except subprocess.TimeoutExpired:
            return {"how": "the process did not end", "seconds": seconds}
    if done.returncode or not done.stdout:
        return {"how": f"the process died with {done.returncode}", "seconds": seconds}
    answer: Told = json.loads(done.stdout.splitlines()[-1])
    if answer.get("case") and without(*answer["case"]):
        answer |= {"how": "", "also": answer["how"]}
    return answer


def tried(
    some: Sequence[tuple[Mutant, str]], seconds: float, seed: int, jobs: int, record: Path, parts: Sequence[str] = ()
) -> list[Told]:
    """Return what is found of each mutant; those of an earlier run of the same sources are not tried again."""
    known: dict[str, Told] = json.loads(record.read_text()) if record.exists() else {}
    lock = Lock()

    def one(which: tuple[Mutant, str]) -> Told:
        name = f"{which[0].file} {which[0].operator} {which[0].occurrence}"
        if name not in known:
            found = searched(*which, seconds, seed, parts)
            with lock:
                known[name] = found
                written = record.with_suffix(".written")
                written.write_text(json.dumps(known, indent=1))
                written.replace(record)
        return known[name]

    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(one, some))


def report(some: Sequence[tuple[Mutant, str]], results: Sequence[Told], texts: dict[str, str]) -> str:
    """Return a line for each package, the mutants that were not found, and the sum."""
    whole = [(mutant, made, each) for (mutant, made), each in zip(some, results, strict=True) if not at_import(each)]
    all_of, found = Counter[str](), Counter[str]()
    lines = []
    for mutant, made, each in whole:
        package = "/".join(mutant.file.split("/")[:3]).removesuffix(".py")
        all_of[package] += 1
        found[package] += bool(each["how"])
        if not each["how"]:
            lines.append(told(mutant, texts[mutant.file], made))
    table = [f"{package}: {found[package]} of {count}" for package, count in sorted(all_of.items())]
    end = f"{found.total()} of {len(whole)} found; {len(some) - len(whole)} left out, which break the import"
    return "\n".join([*table, "", "not found:", *lines, "", end])


def _wanted(mutant: Mutant, places: Sequence[str] | None) -> bool:
    """Whether the mutant is at one of these places, if any are given."""
    place = f"{mutant.file}:{mutant.start[0]}"
    return places is None or any(place.endswith(each) for each in places)


def at_import(each: Told) -> bool:
    """Whether the mutant breaks the import."""
    return str(each["how"]).startswith(AT_IMPORT)


def main(given: Sequence[str] | None = None) -> int:
    """Try the mutants, and print what was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.power.mutated", description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60.0, help="CPU for each")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", nargs="+", metavar="FILE:LINE", help="only mutants of places that end so")
    parser.add_argument("--parts", nargs="+", choices=sorted(PARTS), default=(), help="the kinds of search")
    asked = parser.parse_args(given)
    KEPT.mkdir(exist_ok=True)
    some = [each for each in chosen(asked.size, asked.seed) if _wanted(each[0], asked.only)]
    part = sum(PARTS[each].share for each in asked.parts or PARTS) / sum(each.share for each in PARTS.values())
    with_kinds = "-".join(("", *asked.parts))
    record = KEPT / f"mutated-{of_sources()}-{asked.seed}-{asked.seconds:g}{with_kinds}.json".replace(" ", "_")
    results = tried(some, asked.seconds * part, asked.seed, asked.jobs, record, asked.parts)
    print(report(some, results, files(ROOT, [MUTATED])))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
