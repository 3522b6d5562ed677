"""Fuzz the command line with inputs that must not cause an internal error: `make fuzz`, `make fuzz SEED=7 COUNT=500`.

Each input starts from an example and is changed a little; commands and options are drawn too. A case that ends in an
internal error, a traceback or an undefined exit code, or that takes too long, is kept in .fuzz/, and the first case of
each kind is minimised. The same seed gives the same cases.
"""

import argparse
import shlex
import shutil
import sys
import time
from collections import Counter
from pathlib import Path

from tests.fuzz.drawing import Case, drawn
from tests.fuzz.minimising import MOST, smaller
from tests.fuzz.running import Found, Worker, problems

COUNT = 10_000
FEW = 100
"""Up to this many cases it is not worthwhile to import everything first."""

KEPT = Path(".fuzz")
EVERY = 30.0


def main(argv: list[str] | None = None) -> int:
    """Run the cases, and return 1 if one of them fails."""
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="what the cases are drawn from")
    parser.add_argument("--count", type=int, default=COUNT, help="how many")
    parser.add_argument("--first", type=int, default=0, help="the number of the first")
    parser.add_argument("--kept", type=Path, default=KEPT, help="where failing cases are kept")
    parser.add_argument("--tries", type=int, default=MOST, help="how many smaller cases are tried of each kind")
    given = parser.parse_args(argv)
    print(f"seed {given.seed}, cases {given.first} to {given.first + given.count - 1}", flush=True)
    worker, found, told = Worker(given.count > FEW), list[Found](), time.monotonic()
    cases = ((number, drawn(given.seed, number)) for number in range(given.first, given.first + given.count))
    try:
        for done, each in enumerate(problems(cases, worker), 1):
            if isinstance(each, Found):
                known = any(other.kind == each.kind for other in found)
                found.append(each)
                if not known:
                    _tell(given.seed, each, given.kept, worker, given.tries)
            if time.monotonic() - told > EVERY:
                told = time.monotonic()
                print(f"{done:,} of {given.count:,} cases, {len(found)} failing", flush=True)
    finally:
        worker.close()
    for kind, number in sorted(Counter(each.kind for each in found).items()):
        print(f"{number} times {kind}")
    print(f"{given.count:,} cases of seed {given.seed}: {len(found) or 'none'} failing")
    return 1 if found else 0


def _tell(seed: int, found: Found, kept: Path, worker: Worker, tries: int) -> None:
    """Keep a failing case and a smaller one that fails alike, and print where."""
    case = drawn(seed, found.number)

    def alike(made: Case) -> bool:
        wrong = worker(made)
        return wrong is not None and wrong[0] == found.kind

    folder = kept / f"{seed}-{found.number}"
    keep(case, found, folder)
    keep(smaller(case, alike, tries), found, folder / "smaller")
    print(f"case {found.number}: {found.kind}: kept in {folder}", flush=True)


def keep(case: Case, found: Found, folder: Path) -> None:
    """Write the files of a case, its command and the problem."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, content in case.files.items():
        (folder / name).write_bytes(content)
    if case.standard_input:
        (folder / "standard-input").write_bytes(case.standard_input)
    command = "schedcheck " + shlex.join(case.argv)
    (folder / "command.txt").write_text(f"{command}\n{found.text}\n", encoding="utf-8", errors="replace")


if __name__ == "__main__":
    sys.exit(main())
