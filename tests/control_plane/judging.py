"""An audit log judged decision by decision, with its figures: `judged`"""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import schedcheck


@dataclass(frozen=True)
class Figures:
    """How many decisions of a run are allowed, refused, unknown or not judged, and why not."""

    decisions: int
    verdicts: Counter[str]
    reasons: Counter[tuple[str, str]]
    explained: int
    contradictions: tuple[str, ...]
    refused: str

    def __str__(self) -> str:
        """The figures, a line each."""
        lines = [f"{self.decisions:,} decisions, {self.explained:,} of them allowed by an earlier knowledge"]
        lines += [f"{verdict}: {number:,}" for verdict, number in sorted(self.verdicts.items())]
        lines += [f"  {verdict}: {number:,} {why}" for (verdict, why), number in sorted(self.reasons.items())]
        return "\n".join([*lines, *self.contradictions, self.refused]).strip()


def judged(audit: Path, tries: int = 2000) -> Figures:
    """Return how the specification judges what an audit log tells."""
    found = schedcheck.replay(audit, tries=tries)
    outcome = found.outcome
    return Figures(
        outcome.decisions, outcome.verdicts, outcome.reasons, outcome.explained, tuple(outcome.contradictions),
        str(found) if outcome.first else "",
    )  # fmt: skip
