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
        random, deepest = Random(self.manner.seed), self.depth
        after: dict[int, list[int]] = {}
        behaviours = self.manner.behaviours or 0
        for _ in range(behaviours):
            if not self.initial or self._ended():
                break
            number = random.choice(self.initial)
            for self.depth in range(1, (self.bounds.depth or LONGEST) + 1):
                deepest = max(deepest, self.depth)
                if number not in after and self._unless_stopped(number, after):
                    self.depth = deepest
                    return
                if not after[number] or self._ended():
                    break
                number = random.choice(after[number])
            self._judge_now()
        self.depth = deepest
        if self.temporal and not self.lasting and self.judge is not None:
            self.lasting = self.judge(self)
        self.stopped = f"{behaviours} random behaviours were followed, of at most {self.bounds.depth or LONGEST} states"

    def _unless_stopped(self, number: int, after: dict[int, list[int]]) -> bool:
        """Take every step from a state that was not met before; return whether a bound is reached instead."""
        if self._stop():
            return True
        after[number] = self._expand(number)
        self.expanded += 1
        return False
