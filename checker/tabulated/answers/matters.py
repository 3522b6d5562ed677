"""What of a node matters to the end of a cycle of kube-scheduler: `Admitted`, `Evicted`."""

from dataclasses import dataclass

from schedcheck.checker.tabulated.answers.trials import Raw
from schedcheck.spec.kubernetes.filter import Verdict
from schedcheck.spec.kubernetes.preemption.choice import Casualty
from schedcheck.spec.refusal import Refusal
from schedcheck.spec.values import HashedOnce


@dataclass(frozen=True)
class Admitted(HashedOnce):
    """The data about a node that the choice needs: the verdict, raw scores (own and the judge's), and broken properties.

    Scores are None if the node is not feasible; the judge's also if no property compares viability. `fits`: whether the
    node is feasible to the judge.
    """

    verdict: Verdict
    raw: Raw | None
    judged: Raw | None
    breaks: int
    fits: bool

    __hash__ = HashedOnce.__hash__


@dataclass(frozen=True)
class Evicted(HashedOnce):
    """The data about a node that evictions need: the costs of evictions there, or the reason why they do not help.

    If a property compares budgets: the budgets violated at each cost, and the fewest violated by any evictions that
    make room.
    """

    verdict: Verdict
    costs: tuple[Casualty, ...]
    why: Refusal | None
    waits: bool
    feasible: bool
    violated: tuple[int, ...] = ()
    least: int | None = None

    __hash__ = HashedOnce.__hash__
