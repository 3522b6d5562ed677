"""The named properties of Jobs whose ended pods are counted: `job_never_fails`, `job_settles`."""

from collections.abc import Sequence

from schedcheck.checker.properties.behaviours import ENVIRONMENT, RESTING
from schedcheck.checker.properties.named import named
from schedcheck.checker.properties.unknown_property import UnknownProperty
from schedcheck.model.controllers.job import has_failed, settled
from schedcheck.model.jobs import Counts, Job, Tallied
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.properties.kinds import Always, Fairness, LeadsTo, Premise, Property

JOB_NEVER_FAILS, JOB_SETTLES = "job_never_fails", "job_settles"
NAMES = (JOB_NEVER_FAILS, JOB_SETTLES)


def of_jobs(name: str, arguments: tuple[str, ...], jobs: Sequence[Job], fairness: Fairness) -> tuple[Property, ...]:
    """Return the property of the Job that the argument names, as job/import; without one, of all. Raises: UnknownProperty."""
    if not jobs:
        raise UnknownProperty("needs the controller jobs")
    asked = named(arguments, jobs, "Job", "no Job is")
    return tuple(_never_fails(job) if name == JOB_NEVER_FAILS else _settles(job, fairness) for job in asked)


def counts_of(job: Job, snapshot: Snapshot) -> Counts:
    """Return the counts of a Job in a snapshot of its scenario."""
    known = dict(snapshot.counts) if isinstance(snapshot, Tallied) else {}
    return known.get(str(job), job.start)


def _never_fails(job: Job) -> Property:
    """Return the property that no more pods of a Job fail than its backoffLimit allows."""

    def holds(snapshot: Snapshot) -> bool:
        return not has_failed(job, counts_of(job, snapshot))

    def counted(snapshot: Snapshot) -> bool:
        return counts_of(job, snapshot).failed > job.start.failed

    pods = "no pod" if job.limit == 0 else f"at most {job.limit:,} {'pod' if job.limit == 1 else 'pods'}"
    claim = f"{job} never fails by its backoffLimit: {pods} of it {'fails' if job.limit < 2 else 'fail'}."
    premise = Premise(f"no pod of {job} ever failed", when=counted)
    return Always(f"{JOB_NEVER_FAILS}({job})", claim, holds, premises=(premise,))


def _settles(job: Job, fairness: Fairness) -> Property:
    """Return the property that a Job has the pods that it should have in the end, all of them bound."""

    def holds(snapshot: Snapshot) -> bool:
        return settled(job, counts_of(job, snapshot), (pod for pod in snapshot.pods if pod.key in job.keys))

    def unsettled(snapshot: Snapshot) -> bool:
        return not holds(snapshot)

    claim = f"{RESTING} {job} has as many pods as it still needs in the end, all of them bound; none if it has ended."
    premise = Premise(f"{job} always had the pods that it needs", when=unsettled)
    return LeadsTo(f"{JOB_SETTLES}({job})", claim, unsettled, holds, fairness, ENVIRONMENT, premises=(premise,))
