"""Try a sample of mutants of the specification and of the production scheduler: `make mutants`.

The run goes file by file; results are kept in `.mutants/`, so that an interrupted run is resumed. It exits with 1 if
fewer than 90 % are killed, or if one survives that `survivors.toml` does not list.
"""

import argparse
import signal
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path, PurePosixPath

from tests.mutants import enumeration, survivors
from tests.mutants.enumeration import Mutant
from tests.mutants.reach import reach
from tests.mutants.sample import sample
from tests.mutants.selection import Selection
from tests.mutants.session import Session
from tests.mutants.trial import Outcome, Verdict, copied
from tests.mutants.trusting import Trusted

ROOT = Path(__file__).resolve().parents[2]
KEPT = ".mutants"
SEED = 6
SIZE = 600
LEAST = 90

Drawn = tuple[Mutant, str]
Tried = tuple[Mutant, str, Verdict]


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Try the sample, and print the results."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--seed", type=int, default=SEED, help="decides which mutants are drawn")
    parser.add_argument("--size", type=int, default=SIZE, help="how many mutants are drawn")
    parser.add_argument(
        "--only", action="append", default=[], help="draw from files whose path begins so; may be repeated"
    )
    parser.add_argument(
        "--tests", action="append", default=[], help="ask the tests of files whose path begins so; may be repeated"
    )
    asked = parser.parse_args(arguments)
    texts = enumeration.files(root)
    among = {file: text for file, text in texts.items() if not asked.only or file.startswith(tuple(asked.only))}
    possible = [each for each in enumeration.enumerated(texts) if each.file in among]
    chosen = sample(possible, among, asked.size, asked.seed)
    print(f"seed {asked.seed}: {len(chosen)} mutants of {len(among)} files", flush=True)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        found = run(chosen, texts, root, tuple(sorted(asked.tests)))
    except KeyboardInterrupt:
        print("interrupted; the next run goes on from here")
        return 130
    return summary(found, texts)


def run(chosen: Sequence[Drawn], texts: Mapping[str, str], root: Path, among: tuple[str, ...]) -> list[Tried]:
    """Try mutants without a known result, file by file; results with different sets of tests are kept separately."""
    kept = root / KEPT
    session = Session(root, kept / ("-".join(["verdicts", *(each.replace("/", ".") for each in among)]) + ".jsonl"))
    found: list[Tried] = []
    with copied(root) as copy:
        trusted = Trusted(copy, Selection(texts, reach(copy, kept / "reach", among)))
        trusted.unchanged()
        for file, those in groupby(chosen, key=lambda each: each[0].file):
            for mutant, made in those:
                verdict = session.known(mutant)
                if verdict is None:
                    verdict = trusted.tried(mutant, made)
                    session.keep(mutant, verdict)
                found.append((mutant, made, verdict))
                if verdict.outcome is Outcome.SURVIVED:
                    print(told(mutant, texts[file], made), flush=True)
            own = Counter(verdict.outcome for mutant, _, verdict in found if mutant.file == file)
            print(f"[{len(found)}/{len(chosen)}] {file}: {counted(own)}", flush=True)
    return found


def summary(found: Iterable[Tried], texts: Mapping[str, str]) -> int:
    """Print the numbers by folder; return 1 if too few are killed or an unlisted one survives."""
    folders: dict[str, Counter[Outcome]] = {}
    known = survivors.listed(survivors.LISTED.read_text("utf-8"))
    missed = 0
    for mutant, made, verdict in found:
        folders.setdefault(str(PurePosixPath(mutant.file).parent), Counter())[verdict.outcome] += 1
        of_the_list = [each for each in known if each.describes(mutant, texts[mutant.file], made)]
        if verdict.outcome is Outcome.SURVIVED and not of_the_list:
            missed += 1
            print(f"survives, and is not listed:\n{told(mutant, texts[mutant.file], made)}")
        elif verdict.outcome is not Outcome.SURVIVED and of_the_list:
            print(f"is listed as a survivor, and is {verdict.outcome}:\n{told(mutant, texts[mutant.file], made)}")
    for folder, those in sorted(folders.items()):
        print(f"{folder}: {counted(those)}")
    every: Counter[Outcome] = sum(folders.values(), Counter())
    caught = every.total() - every[Outcome.SURVIVED]
    print(f"all: {counted(every)}; {100 * caught / max(1, every.total()):.1f} % killed, {missed} survivors not listed")
    return 0 if 100 * caught >= LEAST * every.total() and not missed else 1


def counted(those: Mapping[Outcome, int]) -> str:
    """Numbers in words: `7 killed, 1 survived`."""
    return ", ".join(f"{those[outcome]} {outcome}" for outcome in Outcome if those.get(outcome))


def told(mutant: Mutant, source: str, made: str) -> str:
    """A mutant as its place and two lines of a difference."""
    place = f"  {mutant.file}:{mutant.start[0]} {mutant.within} {mutant.operator}"
    return f"{place}\n    - {mutant.line}\n    + {enumeration.becomes(mutant, source, made)}"


if __name__ == "__main__":
    raise SystemExit(main())
