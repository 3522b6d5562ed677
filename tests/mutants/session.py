"""The known results of mutants, and the run that finds the others: `Session`.

A verdict is kept with digests of what it depends on. A killed mutant stays killed while the mutated file and the
killing test are unchanged, for every set of tests that contains the killing one; a surviving one is tried again as soon
as any text has changed, or with other tests.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.asked import Asked
from tests.mutants.enumeration import REACHED, Mutant
from tests.mutants.reach import digest
from tests.mutants.trial import Outcome, Verdict

Key = tuple[str, str, str, int]


@dataclass(frozen=True)
class Kept:
    """A verdict, and the digest of what it depends on."""

    verdict: Verdict
    rests_on: str


class Session:
    """The verdicts about a tree so far, in the files of a folder; each new one is appended to that of the tests asked."""

    def __init__(self, root: Path, folder: Path, asked: Asked) -> None:
        self.root = root
        self.file = folder / asked.verdicts
        self.everything = everything(root)
        self.digests: dict[tuple[str, ...], str] = {}
        self.kept: dict[Key, Kept] = dict(read(self.file))
        self.elsewhere: dict[Key, list[Kept]] = {}
        for file in sorted(set(folder.glob("verdicts*.jsonl")) - {self.file}):
            for mutant, there in read(file):
                if there.verdict.by and asked.contains(there.verdict.by, file.name):
                    self.elsewhere.setdefault(mutant, []).append(there)

    def known(self, mutant: Mutant) -> Verdict | None:
        """The verdict about a mutant, if nothing that it depends on has changed."""
        own = self.kept.get(key(mutant))
        those = [*self.elsewhere.get(key(mutant), ()), *([own] if own is not None else [])]
        return next((each.verdict for each in those if each.rests_on == self.rests_on(mutant, each.verdict)), None)

    def keep(self, mutant: Mutant, verdict: Verdict) -> None:
        """Append the verdict about a mutant."""
        rests_on = self.rests_on(mutant, verdict)
        self.kept[key(mutant)] = Kept(verdict, rests_on)
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.open("a", encoding="utf-8") as lines:
            said = {"mutant": key(mutant), "outcome": verdict.outcome, "by": verdict.by, "restsOn": rests_on}
            lines.write(json.dumps(said) + "\n")

    def rests_on(self, mutant: Mutant, verdict: Verdict) -> str:
        """The digest of the files on which a verdict depends."""
        killer = verdict.by.partition("::")[0]
        files = (mutant.file, killer) if killer else (mutant.file, *self.everything)
        if files not in self.digests:
            self.digests[files] = digest(self.root, *files)
        return self.digests[files]


def key(mutant: Mutant) -> Key:
    """The identity of a mutant while its file stays the same."""
    return (mutant.file, mutant.within, mutant.operator, mutant.occurrence)


def everything(root: Path) -> Sequence[str]:
    """The files that may decide whether a mutant survives: the folders that may be mutated, the others, and the tests."""
    folders = (*REACHED, "schedcheck", "tests")
    found = {path for folder in folders for path in (root / folder).rglob("*.py")}
    return sorted(path.relative_to(root).as_posix() for path in found if "mutants" not in path.parts)


def read(file: Path) -> Iterator[tuple[Key, Kept]]:
    """The verdicts of the file; a line truncated by an interruption is left out."""
    if not file.exists():
        return
    for line in file.read_text("utf-8").splitlines():
        try:
            said = json.loads(line)
        except json.JSONDecodeError:
            continue
        path, within, operator, occurrence = said["mutant"]
        yield (path, within, operator, occurrence), Kept(Verdict(Outcome(said["outcome"]), said["by"]), said["restsOn"])
