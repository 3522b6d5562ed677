"""What a program decided on many questions, judged: `Outcome`."""

from dataclasses import dataclass

from schedcheck.checker.foreign.complaints import Complaint
from schedcheck.checker.foreign.program import Failure
from schedcheck.checker.foreign.tallies import Tallies
from schedcheck.checker.judging.judged import Strictness


@dataclass(frozen=True)
class Outcome:
    """What a program decides, judged.

    command
        The program and its arguments.
    kinds, strictness, seed
        What occurred in random clusters (empty for a given one), what the decisions were held to, and the seed.
    complaints
        Everything wrong that was found, each kind of it once, in its smallest form.
    clusters
        How many random clusters were drawn.
    tallies
        How often each verdict occurred, and how far the decisions were from the best.
    late
        What the program wrote after its replies.
    stopped
        Which limit ended the questions; empty if all were asked.
    seconds
        How long the questions took, without what was asked to make one smaller.
    """

    command: tuple[str, ...]
    kinds: tuple[str, ...]
    strictness: Strictness
    seed: int
    complaints: tuple[Complaint, ...]
    clusters: int
    tallies: Tallies
    late: tuple[Failure, ...]
    stopped: str
    seconds: float

    @property
    def exit_code(self) -> int:
        """1 where something is wrong, 2 where something is unknown or was not asked, else 0."""
        return 1 if self.complaints or self.late else 2 if self.stopped or self.tallies.verdicts["unknown"] else 0
