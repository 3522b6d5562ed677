"""What a run has found: the numbers by folder, and which test killed what, as `report.txt` beside the results."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from tests.mutants.enumeration import Mutant, becomes
from tests.mutants.trial import Outcome, Verdict

Tried = tuple[Mutant, str, Verdict]
"""A mutant, its text, and the verdict about it."""


def killers(found: Sequence[Tried], texts: Mapping[str, str], files: Iterable[str]) -> str:
    """Which test file, and which test in it, killed how many mutants; then each mutant with the test that killed it.

    Only the first test that fails is known, since none is run after it: a file of `files` that killed nothing may
    detect what another has detected before it.
    """
    of_file: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for _, _, verdict in found:
        if verdict.by:
            file, _, test = verdict.by.partition("::")
            of_file[file][test or "before any test"] += 1
    return "\n".join(
        [
            f"{len(found)} mutants: {counted(Counter(verdict.outcome for _, _, verdict in found))}",
            "\nKilled first by",
            *by_file(of_file),
            "\nKilled nothing first",
            *(f"  {file}" for file in sorted(set(files) - of_file.keys())),
            "\nMutants",
            *(f"{told(mutant, texts[mutant.file], made)}\n    {said(verdict)}" for mutant, made, verdict in found),
            "",
        ]
    )


def by_file(of_file: Mapping[str, Counter[str]]) -> Iterator[str]:
    """The test files, the one that killed most first, each with its tests."""
    for file, those in sorted(of_file.items(), key=lambda each: (-each[1].total(), each[0])):
        yield f"  {those.total()} {file}"
        yield from (
            f"    {number} {test}" for test, number in sorted(those.items(), key=lambda each: (-each[1], each[0]))
        )


def by_folder(found: Iterable[Tried]) -> Iterator[str]:
    """The numbers by the folder of the mutant."""
    folders: defaultdict[str, Counter[Outcome]] = defaultdict(Counter)
    for mutant, _, verdict in found:
        folders[str(PurePosixPath(mutant.file).parent)][verdict.outcome] += 1
    yield from (f"{folder}: {counted(those)}" for folder, those in sorted(folders.items()))


def counted(those: Mapping[Outcome, int]) -> str:
    """Numbers in words: `7 killed, 1 survived`."""
    return ", ".join(f"{those[outcome]} {outcome}" for outcome in Outcome if those.get(outcome))


def said(verdict: Verdict) -> str:
    """A verdict in words: `killed by tests/spec/test_names.py::test_a_name`."""
    return f"{verdict.outcome} by {verdict.by}" if verdict.by else str(verdict.outcome)


def told(mutant: Mutant, source: str, made: str) -> str:
    """A mutant as its place and two lines of a difference."""
    place = f"  {mutant.file}:{mutant.start[0]} {mutant.within} {mutant.operator}"
    return f"{place}\n    - {mutant.line}\n    + {becomes(mutant, source, made)}"
