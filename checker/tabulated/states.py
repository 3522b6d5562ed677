"""What is asked of states, asked of the new ones of a level: `Judging`."""

from collections.abc import Sequence

import numpy as np

from schedcheck.checker.tabulated.layout import Words
from schedcheck.checker.tabulated.program import Plan
from schedcheck.spec.properties import Always, Sometimes


class Judging:
    """The properties of states; `broken` has the least state of the level that breaks each.

    A property that looks at nodes one by one is asked once of each node with the pods on it, another of every state.
    """

    def __init__(self, plan: Plan, questions: Sequence[Always | Sometimes]) -> None:
        self.plan = plan
        self.broken: dict[str, Words] = {}
        self.unwitnessed = {each.name for each in questions if isinstance(each, Sometimes)}
        self.sometimes = [each for each in questions if isinstance(each, Sometimes)]
        self.always = [each for each in questions if isinstance(each, Always)]

    def __call__(self, states: Words) -> bool:
        """Judge the new states of a level: whether one breaks a property."""
        for words in states[np.lexsort(tuple(states[:, word] for word in reversed(range(states.shape[1]))))]:
            snapshot = self.plan.machine.view(self.plan.unpacked(words))
            for question in self.always:
                if question.name not in self.broken and not question.holds(snapshot):
                    self.broken[question.name] = words
            for question in self.sometimes:
                if question.name in self.unwitnessed and question.holds(snapshot):
                    self.unwitnessed.discard(question.name)
        return bool(self.broken)


