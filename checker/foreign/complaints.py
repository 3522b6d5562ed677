"""Something wrong with a scheduler, in its smallest form: `Complaint`."""

from dataclasses import dataclass, field, fields

from schedcheck.checker.foreign.answered import Answered
from schedcheck.spec.objects import Namespace


@dataclass(frozen=True)
class Complaint:
    """Something wrong with the answers of a scheduler.

    kind
        "refused": a decision that is not allowed; "fails": no answer; "remembers": an answer that depends on the
        questions before it.
    clause
        The clause that refuses it, or the way in which it fails.
    answered
        The smallest question that was found, with the answer of a process that was asked only `before` and this one.
    before
        The questions that have to be asked before it.
    questions
        How many of the questions had it.
    confirmed
        Whether the smallest question was asked again in a process of its own, and answered so.
    """

    kind: str
    clause: str
    answered: Answered = field(repr=False)
    before: tuple[Answered, ...] = field(repr=False)
    questions: int
    confirmed: bool

    @property
    def objects(self) -> int:
        """The number of objects in the last question beside the pod, without its namespace."""
        snapshot = self.answered.snapshot
        others = (*snapshot.nodes, *snapshot.pods, *snapshot.budgets, *snapshot.services, *snapshot.controllers)
        spaces = [each for each in snapshot.namespaces if not _plain(each)]
        stored = sum(len(getattr(snapshot.storage, each.name)) for each in fields(snapshot.storage))
        return len(others) + len(spaces) + stored - 1


def _plain(namespace: Namespace) -> bool:
    return {*namespace.labels} <= {"kubernetes.io/metadata.name"}
