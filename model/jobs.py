"""A Job whose ended pods are counted, as plain data: `Job`, `Counts`. `model.controllers.job` gives it its meaning."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import NamedTuple

from schedcheck.spec.objects import Snapshot

Key = tuple[str, str]


class Counts(NamedTuple):
    """The pods of a Job that have ended, as far as they matter.

    - `succeeded`: at most `completions`, or 1 without completions. - `failed`: at most `limit` + 1, from which on the Job has
    failed and neither number changes.
    """

    succeeded: int
    failed: int


NONE = Counts(0, 0)


@dataclass(frozen=True)
class Job:
    """A Job, the pods that it may have at a time, and the pods of it that had ended at first."""

    name: str
    namespace: str
    parallelism: int
    completions: int | None
    """None for a work queue: one pod that succeeds ends the creation of pods."""
    limit: int
    """The field backoffLimit."""
    keys: frozenset[Key]
    """The keys of its pods. A pod that has ended gives its name to a later one."""
    start: Counts = NONE

    def __str__(self) -> str:
        return f"{'' if self.namespace == 'default' else f'{self.namespace}/'}job/{self.name}"


@dataclass(frozen=True)
class Tallied(Snapshot):
    """A snapshot, and the counts of Jobs, which only properties look at."""

    counts: tuple[tuple[str, Counts], ...] = ()

    __hash__ = Snapshot.__hash__


def tallied(snapshot: Snapshot, jobs: Sequence[Job], counts: Sequence[Counts]) -> Tallied:
    """Return the snapshot with the counts of the Jobs."""
    pairs = tuple((str(job), each) for job, each in zip(jobs, counts, strict=True))
    return Tallied(**{each.name: getattr(snapshot, each.name) for each in fields(Snapshot)}, counts=pairs)
