"""A divergence: two witnesses that do not say the same, and the smallest cluster that shows it: `Row`, `Undecidable`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from schedcheck.checker.divergences.case import Case
from schedcheck.checker.divergences.domain import Domain
from schedcheck.spec.objects import Snapshot

Answers = tuple[frozenset[str], frozenset[str]]
"""What each of the two witnesses allows, as texts."""


@dataclass(frozen=True)
class Row:
    """A divergence that a function of the cluster decides.

    `answers` are those of the two `witnesses`; they differ on the smallest case of the `domain`. `covers` is asked of what
    is done with a pod (a decision, or in a machine any action), and the snapshot in which it is: whether this row may
    be why the witnesses do not agree on it. `source` is the path in kubernetes/kubernetes 1.34, and the issue where one
    is known. `quick`: the domain is searched in a few seconds. `shown`: commands show the smallest case. `asks` is the property that a machine is asked, if that is
    where it shows.
    """

    name: str
    title: str
    code: str
    documentation: str
    source: str
    witnesses: tuple[str, str]
    answers: Callable[[Case], Answers]
    covers: Callable[[Any, Snapshot], bool]
    domain: Domain
    quick: bool = True
    shown: bool = True
    asks: str = ""

    def differs(self, case: Case) -> bool:
        """Whether the two witnesses do not say the same of the case."""
        first, second = self.answers(case)
        return first != second


@dataclass(frozen=True)
class Undecidable:
    """A divergence that no function of the cluster decides, and `why` there is no predicate for it."""

    name: str
    title: str
    code: str
    documentation: str
    source: str
    why: str
