"""Tries a sample of mutants of the specification and of the production scheduler: `make mutants`.

File by file; what was found is kept in `.mutants/`, so that a run that was interrupted goes on where it was. Ends with 1 if
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
from tests.mutants.trial import Outcome, TrialError, Verdict, copied, tried

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / ".mutants"
SEED = 6
SIZE = 600
LEAST = 90

Drawn = tuple[Mutant, str]
Tried = tuple[Mutant, str, Verdict]


def main(arguments: Sequence[str] | None = None) -> int:
    """Try the sample, and print what became of it."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--seed", type=int, default=SEED, help="decides which mutants are drawn")
    parser.add_argument("--size", type=int, default=SIZE, help="how many mutants are drawn")
    parser.add_argument("--within", default="", help="only files whose path begins so")
    asked = parser.parse_args(arguments)
    texts = enumeration.files(ROOT)
    drawn = sample(enumeration.enumerated(texts), texts, asked.size, asked.seed)
    chosen = [each for each in drawn if each[0].file.startswith(asked.within)]
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        found = run(chosen, texts)
    except KeyboardInterrupt:
        print("interrupted; the next run goes on from here")
        return 130
    return summary(found, texts)


def run(chosen: Sequence[Drawn], texts: Mapping[str, str]) -> list[Tried]:
    """Try what is not known yet, file by file."""
    session = Session(ROOT, KEPT / "verdicts.jsonl")
    found: list[Tried] = []
    with copied(ROOT) as copy:
        selection = Selection(texts, reach(copy, KEPT / "reach"))
        unchanged(copy, selection)
        for file, those in groupby(chosen, key=lambda each: each[0].file):
            for mutant, made in those:
                verdict = session.known(mutant)
                if verdict is None:
                    verdict = tried(copy, file, made, selection.asked(mutant))
                    session.keep(mutant, verdict)
                found.append((mutant, made, verdict))
                if verdict.outcome is Outcome.SURVIVED:
                    print(told(mutant, texts[file], made), flush=True)
            own = Counter(verdict.outcome for mutant, _, verdict in found if mutant.file == file)
            print(f"[{len(found)}/{len(chosen)}] {file}: {counted(own)}", flush=True)
    return found


def unchanged(copy: Path, selection: Selection) -> None:
    """Ask the quickest tests of all about the tree as it is: a mutant is killed only by what it changes.

    Raises:
        TrialError: they fail when they are run as they are about to be.
    """
    verdict = tried(copy, "spec/__init__.py", (ROOT / "spec" / "__init__.py").read_text("utf-8"), selection.quickest())
    if verdict.outcome is not Outcome.SURVIVED:
        raise TrialError(f"without a mutant: {verdict.outcome} by {verdict.by}")


def summary(found: Iterable[Tried], texts: Mapping[str, str]) -> int:
    """Print the numbers by folder; 1 if too few are killed or one survives that is not listed."""
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
    """A mutant as the place and two lines of a difference."""
    place = f"  {mutant.file}:{mutant.start[0]} {mutant.within} {mutant.operator}"
    return f"{place}\n    - {mutant.line}\n    + {enumeration.becomes(mutant, source, made)}"


if __name__ == "__main__":
    raise SystemExit(main())
