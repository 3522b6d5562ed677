"""Try a sample of mutants of the specification and of the production scheduler, or of other folders: `make mutants`.

The run goes file by file; results are kept in `.mutants/`, so that an interrupted run is resumed, and a run with more
tests only tries what survived fewer. It exits with 1 if fewer than 90 % are killed, or if one survives that
`survivors.toml` does not list.
"""

import argparse
import signal
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from itertools import groupby
from pathlib import Path

from tests.mutants import enumeration, survivors
from tests.mutants.asked import Asked
from tests.mutants.drawn import drawn
from tests.mutants.enumeration import FOLDERS, REACHED, Mutant
from tests.mutants.reach import reach, test_files
from tests.mutants.report import Tried, by_folder, counted, killers, told
from tests.mutants.selection import Selection
from tests.mutants.session import Session
from tests.mutants.trial import Outcome, copied
from tests.mutants.trusting import Trusted

ROOT = Path(__file__).resolve().parents[2]
KEPT = ".mutants"
REPORT = "report.txt"
SEED = 6
SIZE = 600
LEAST = 90

Drawn = tuple[Mutant, str]


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Try the sample, print the results, and write which test killed what."""
    options = parser().parse_args(arguments)
    folders = tuple(sorted(options.folder)) or FOLDERS
    texts = enumeration.files(root, {*FOLDERS, *folders})
    among = {file: text for file, text in texts.items() if chosen(file, folders) and chosen(file, options.only)}
    if not among:
        raise SystemExit(f"no file of these can be changed: {', '.join((*folders, *options.only))}")
    sampled = drawn(root / KEPT, texts, among, options.size, options.seed)
    print(f"seed {options.seed}: {len(sampled)} mutants of {len(among)} files", flush=True)
    sampled = [each for each in sampled if chosen(each[0].file, options.part)]
    asked = Asked(tuple(sorted(options.tests)), options.quick)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    found: list[Tried] = []
    try:
        for each in run(sampled, texts, root, asked, folders):
            found.append(each)
    except KeyboardInterrupt:
        print("interrupted; the next run goes on from here")
        return 130
    finally:
        if found:
            (root / KEPT / REPORT).write_text(killers(found, texts, test_files(root, asked.among)), "utf-8")
            print(f"which test killed what: {KEPT}/{REPORT}")
    return summary(found, texts)


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    made.add_argument("--seed", type=int, default=SEED, help="decides which mutants are drawn")
    made.add_argument("--size", type=int, default=SIZE, help="how many mutants are drawn")
    several: Mapping[str, str] = {
        "folder": f"mutate this folder, which lies in {', '.join(REACHED)}, instead of {' and '.join(FOLDERS)}",
        "only": "draw from files whose path begins so",
        "part": "of the mutants drawn, try those of files whose path begins so",
        "tests": "ask the tests of files whose path begins so",
    }
    for name, meaning in several.items():
        made.add_argument(f"--{name}", action="append", default=[], help=f"{meaning}; may be repeated")
    made.add_argument("--quick", action="store_true", help="leave out the medium tests")
    return made


def chosen(file: str, begins: Sequence[str]) -> bool:
    """Whether the path of a file begins as one of these, if there are any."""
    return not begins or file.startswith(tuple(begins))


def run(
    sampled: Sequence[Drawn], texts: Mapping[str, str], root: Path, asked: Asked, folders: Sequence[str]
) -> Iterator[Tried]:
    """Try the mutants without a known result, file by file."""
    session = Session(root, root / KEPT, asked)
    known = {mutant: session.known(mutant) for mutant, _ in sampled}
    number = 0
    with trying(texts, root, asked, folders) if None in known.values() else nullcontext() as trusted:
        for file, those in groupby(sampled, key=lambda each: each[0].file):
            own: Counter[Outcome] = Counter()
            for mutant, made in those:
                verdict = known[mutant]
                if verdict is None:
                    assert trusted is not None
                    verdict = trusted.tried(mutant, made)
                    session.keep(mutant, verdict)
                own[verdict.outcome] += 1
                if verdict.outcome is Outcome.SURVIVED:
                    print(told(mutant, texts[file], made), flush=True)
                yield mutant, made, verdict
            number += own.total()
            print(f"[{number}/{len(sampled)}] {file}: {counted(own)}", flush=True)


@contextmanager
def trying(texts: Mapping[str, str], root: Path, asked: Asked, folders: Sequence[str]) -> Iterator[Trusted]:
    """The tests that are asked, in a copy of the tree."""
    with copied(root, test_files(root, asked.among)) as copy:
        trusted = Trusted(copy, Selection(texts, reach(copy, root / KEPT, asked, folders)))
        trusted.unchanged()
        yield trusted


def summary(found: Sequence[Tried], texts: Mapping[str, str]) -> int:
    """Print the numbers by folder; return 1 if too few are killed or an unlisted one survives."""
    known = survivors.listed(survivors.LISTED.read_text("utf-8"))
    missed = 0
    for mutant, made, verdict in found:
        of_the_list = [each for each in known if each.describes(mutant, texts[mutant.file], made)]
        if verdict.outcome is Outcome.SURVIVED and not of_the_list:
            missed += 1
            print(f"survives, and is not listed:\n{told(mutant, texts[mutant.file], made)}")
        elif verdict.outcome is not Outcome.SURVIVED and of_the_list:
            print(f"is listed as a survivor, and is {verdict.outcome}:\n{told(mutant, texts[mutant.file], made)}")
    print("\n".join(by_folder(found)))
    every = Counter(verdict.outcome for _, _, verdict in found)
    caught = every.total() - every[Outcome.SURVIVED]
    print(f"all: {counted(every)}; {100 * caught / max(1, every.total()):.1f} % killed, {missed} survivors not listed")
    return 0 if 100 * caught >= LEAST * every.total() and not missed else 1


if __name__ == "__main__":
    raise SystemExit(main())
