"""Trusted tests: `Trusted`. A test that fails or does not end on the unchanged tree says nothing about a mutant."""

from dataclasses import dataclass, field
from pathlib import Path

from tests.mutants.enumeration import Mutant
from tests.mutants.reach import Witness
from tests.mutants.selection import Selection
from tests.mutants.trial import Outcome, TrialError, Verdict, tried

NO_CHANGE = "spec/__init__.py"
"""The file that is rewritten unchanged if nothing is to be changed."""


@dataclass
class Trusted:
    """The tests of a copy without those found to fail there by themselves."""

    copy: Path
    selection: Selection
    sound: set[str] = field(default_factory=set)

    def unchanged(self) -> None:
        """Run the quickest tests on the unchanged tree, and leave out those that fail.

        Raises:
            TrialError: none is left.
        """
        while self.selection.quickest():
            asked = [each for each in self.selection.quickest() if each.name not in self.sound]
            verdict = self.as_it_is(asked) if asked else Verdict(Outcome.SURVIVED)
            names = [each.name for each in asked]
            if verdict.outcome is Outcome.SURVIVED:
                self.sound.update(names)
                return
            if not self.left_out(verdict):
                raise TrialError(f"without a mutant: {verdict.outcome} by {verdict.by or 'no test'}")
            # The tests run in this order, so that those before it have passed.
            self.sound.update(names[: names.index(verdict.by)])
        raise TrialError("without a mutant: no test passes")

    def tried(self, mutant: Mutant, made: str) -> Verdict:
        """The verdict about a mutant by tests that pass without it."""
        while True:
            verdict = tried(self.copy, mutant.file, made, self.selection.asked(mutant))
            by = self.selection.named(verdict.by)
            if by is None or by.name in self.sound:
                return verdict
            alone = self.as_it_is([by])
            if alone.outcome is Outcome.SURVIVED:
                self.sound.add(by.name)
                return verdict
            self.left_out(alone)

    def as_it_is(self, tests: list[Witness]) -> Verdict:
        """The verdict of tests on the tree without a mutant."""
        return tried(self.copy, NO_CHANGE, (self.copy / NO_CHANGE).read_text("utf-8"), tests)

    def left_out(self, verdict: Verdict) -> bool:
        """Leave out the test of a verdict and report it; return False if there is none."""
        if self.selection.named(verdict.by) is None:
            return False
        print(f"left out: without a mutant: {verdict.outcome} by {verdict.by}", flush=True)
        self.selection.without(verdict.by)
        return True
