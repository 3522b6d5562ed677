"""How often each verdict occurs, and how far the decisions are from the best: `Tallies`."""

from collections import Counter
from dataclasses import dataclass, field

from schedcheck.checker.foreign.answered import Answered


@dataclass
class Tallies:
    """Counts of answered questions.

    verdicts
        "allowed", "refused", "unknown" or "failed".
    kinds
        What was decided: "bind", "nominate", ….
    scores
        By how much the score of the node was below the best; of bindings with a choice between several nodes.
    casualties
        Of evictions: "least" if no victims are better, "more than the least", or "not proved".
    ends
        All pending pods placed one by one, beside the best placement: "best", or how many pods fewer.
    """

    verdicts: Counter[str] = field(default_factory=Counter)
    kinds: Counter[str] = field(default_factory=Counter)
    scores: Counter[int] = field(default_factory=Counter)
    casualties: Counter[str] = field(default_factory=Counter)
    ends: Counter[str] = field(default_factory=Counter)

    @property
    def asked(self) -> int:
        """The number of questions."""
        return self.verdicts.total()

    def add(self, answered: Answered) -> None:
        """Count an answer."""
        if answered.judged is None or answered.reply is None:
            self.verdicts["failed"] += 1
            return
        self.verdicts[answered.judged.verdict] += 1
        self.kinds[answered.reply.kind] += 1
        numbers = answered.judged.numbers
        if numbers.score is not None and numbers.best_score is not None:
            self.scores[numbers.best_score - numbers.score] += 1
        if numbers.casualty is not None:
            if numbers.least is None or not numbers.proved:
                self.casualties["not proved"] += 1
            else:
                self.casualties["least" if numbers.casualty == numbers.least else "more than the least"] += 1
