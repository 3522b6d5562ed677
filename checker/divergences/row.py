"""A divergence: two witnesses that disagree, and the smallest cluster that shows it: `Row`, `Undecidable`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from schedcheck.checker.divergences.case import Case
from schedcheck.checker.divergences.domain import Domain
from schedcheck.spec.objects import Snapshot

Answers = tuple[frozenset[str], frozenset[str]]
"""The decisions that each of the two witnesses allows, as texts."""

OF_THE_CODE = ("The code", "The documentation")


@dataclass(frozen=True)
class Row:
    """A divergence that a function of the cluster decides.

    - `code`, `documentation`: what the two witnesses do, under the two `heads`.
    - `source`: the path in kubernetes/kubernetes, and the issue if one is known.
    - `answers`: the answers of the two `witnesses`; they differ on the smallest case of the `domain`.
    - `covers`: whether this row may explain a disagreement of the witnesses on an action (a decision, or in a machine any
      action) in a snapshot.
    - `quick`: the domain is searched in a few seconds.
    - `shown`: commands show the smallest case.
    - `asks`: the property that is checked of a machine, if the divergence shows there.
    - `compared`: the command that shows the smallest case compares the two profiles; else each explains it.
    - `folder`: the folder of `examples` with the smallest case.
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
    compared: bool = False
    folder: str = "divergences"
    heads: tuple[str, str] = OF_THE_CODE

    def differs(self, case: Case) -> bool:
        """Whether the two witnesses disagree on the case."""
        first, second = self.answers(case)
        return first != second


@dataclass(frozen=True)
class Undecidable:
    """A divergence that no function of the cluster decides; `why` says why there is no predicate for it.

    `heads` head what `code` and `documentation` say; `instead` stands in the place of a smallest cluster.
    """

    name: str
    title: str
    code: str
    documentation: str
    source: str
    why: str
    heads: tuple[str, str] = OF_THE_CODE
    instead: str = "no function of the cluster"
