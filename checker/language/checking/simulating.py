"""Random behaviours of a module: `Simulation`, which judges every state and step that it meets.

Each behaviour begins in a random initial state and takes random steps, up to the bound on its length. What is met is
kept, so each counterexample is a behaviour of the module; it may be shorter than the one on which it was met.
"""

from random import Random

from schedcheck.checker.language.checking.exploring import Exploration

LONGEST = 100
"""The length of a behaviour without a bound, in states, as for TLC."""


class Simulation(Exploration):
    """An exploration that follows random behaviours."""

    def _search(self) -> None:
        random, longest, wanted = Random(self.search.seed), self.bounds.depth or LONGEST, self.search.behaviours or 0
        self.after: dict[int, list[int]] = {}
        self.deepest = self.depth
        followed = all(self._follow(random, longest) for _ in range(wanted))
        self.depth = self.deepest
        if not followed:
            return
        self._judge()
        self.stopped = f"{wanted} random behaviours were followed, of at most {longest} states"

    def _follow(self, random: Random, longest: int) -> bool:
        """Follow one behaviour; return whether no bound and no violation ends the search."""
        number = random.choice(self.initial) if self.initial else -1
        for level in range(1, longest + 1):
            self.depth, self.deepest = level, max(level, self.deepest)
            if number not in self.after and (number < 0 or self._stop()):
                break
            if number not in self.after:
                self.after[number] = self._expand(number)
                self.expanded += 1
            if self._ended():
                return False
            if not self.after[number]:
                break
            number = random.choice(self.after[number])
        self._judge_now()
        return not self.stopped and not self._ended()
