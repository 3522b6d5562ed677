"""The operators of Jobs with their twins: `TWINS`

A Job is drawn with pods of the snapshot, and the snapshot before a step with one pod that is another, gone, or not yet there.
"""

from dataclasses import replace
from typing import Any

from frozendict import frozendict

from schedcheck.model.controllers import job as controller
from schedcheck.model.controllers.replica_set import active, ready
from schedcheck.model.jobs import Counts, Job
from schedcheck.spec.objects import Pod, Snapshot
from tests.tla.operators.cases import Case
from tests.tla.operators.told import Fields
from tests.tla.operators.twin import Twin

Ranks = tuple[int, int, int]


def keys(case: Case) -> frozenset[tuple[str, str]]:
    """The identities of most of the pods."""
    return frozenset(pod.key for pod in case.snapshot.pods if case.random.random() < 0.7)


def drawn(case: Case) -> Fields:
    """A Job with most of the pods; it has failed after at most three of them."""
    completions = case.one((None, 0, 1, 2, 3))
    return Fields(
        frozendict(
            Pods=keys(case),
            Parallelism=case.one((0, 1, 2, 3)),
            Completions=completions,
            Limit=case.one((0, 1, 2)),
            Start=counted(Counts(0, 0)),
        )
    )


def counted(counts: Counts) -> Fields:
    return Fields(frozendict(Succeeded=counts.succeeded, Failed=counts.failed))


def counts(case: Case) -> Fields:
    return counted(Counts(case.one((0, 0, 1, 2)), case.one((0, 0, 1, 2, 3))))


def of(job: Fields) -> Job:
    """The Job of a record."""
    given = job.values
    return Job("import", "default", given["Parallelism"], given["Completions"], given["Limit"], given["Pods"])


def numbers(some: Fields) -> Counts:
    return Counts(some.values["Succeeded"], some.values["Failed"])


def own(job: Fields, snapshot: Snapshot) -> list[Pod]:
    return [pod for pod in snapshot.pods if pod.key in job.values["Pods"]]


def running(job: Fields, snapshot: Snapshot) -> int:
    return sum(map(active, own(job, snapshot)))


def changed(case: Case, pod: Pod) -> Pod | None:
    """The pod, or another in its place, or none."""
    ways = {
        "terminating": not pod.terminating,
        "phase": case.one(("Pending", "Running", "Succeeded", "Failed")),
        "node_name": "" if pod.node_name else "n1",
    }
    field = case.one((*ways, "phase", ""))
    return replace(pod, **{field: ways[field]}) if field else None


def either(case: Case) -> Pod | None:
    return case.one((case.pod(), case.pod(), None))


def after(case: Case, before: Pod | None) -> Pod | None:
    return changed(case, case.pod() if before is None else before)


def before(case: Case) -> Snapshot:
    """The snapshot with one pod that is another or absent."""
    pods = list(case.snapshot.pods)
    place = pods.index(case.pod())
    pods[place : place + 1] = filter(None, (changed(case, pods[place]),))
    return replace(case.snapshot, pods=tuple(pods))


def started(case: Case) -> Snapshot:
    """The snapshot with some bound pods that run."""
    pods = (
        replace(pod, phase=case.one(("Running", pod.phase))) if pod.node_name else pod for pod in case.snapshot.pods
    )
    return replace(case.snapshot, pods=tuple(pods))


def counted_between(job: Fields, counts: Fields, before: Snapshot, snapshot: Snapshot) -> Fields:
    found, was, then = numbers(counts), by_key(before), by_key(snapshot)
    for key in job.values["Pods"]:
        found = controller.counted(of(job), found, was.get(key), then.get(key))
    return counted(found)


def by_key(snapshot: Snapshot) -> dict[Any, Pod]:
    return {pod.key: pod for pod in snapshot.pods}


def ranks(case: Case) -> Ranks:
    return case.one((0, 1)), case.one((0, 1)), case.one((-1, 0, 1))


JOB = {"Job": drawn, "Counts": counts}
STARTED = JOB | {"Snapshot": started}
KEYS = {"Keys": keys}
SEEN = {"Key": lambda case: case.one((case.pod().key, ("", ""))), "Snapshot": before}

TWINS = (
    Twin("IsActive", active),
    Twin("IsReady", ready, {"Pod": lambda case: case.one(started(case).pods)}),
    Twin("ActiveAmong", lambda keys, snapshot: frozenset(pod for pod in snapshot.pods if pod.key in keys and active(pod)), KEYS),
    Twin("Precedes", lambda one, other: one < other, {"One": ranks, "Other": ranks}),
    Twin("HasFailed", lambda job, counts: controller.has_failed(of(job), numbers(counts)), JOB),
    Twin("WantedOfJob", lambda job, counts, running: controller.wanted(of(job), numbers(counts), running), JOB | {"Running": lambda case: case.one((0, 1, 2))}),
    Twin("LacksPods", lambda job, counts, snapshot: running(job, snapshot) < controller.wanted(of(job), numbers(counts), running(job, snapshot)), JOB),
    Twin("Settled", lambda job, counts, snapshot: controller.settled(of(job), numbers(counts), own(job, snapshot)), STARTED),
    Twin("CountedAs", lambda job, counts, before, after: counted(controller.counted(of(job), numbers(counts), before, after)), JOB | {"Before": either, "After": after}),
    Twin("PodAs", lambda key, snapshot: by_key(snapshot).get(key), SEEN),
    Twin("CountedBetween", counted_between, JOB | {"Before": before}),
    Twin("SurplusOfJob", lambda job, counts, snapshot: frozenset(controller.surplus(of(job), numbers(counts), own(job, snapshot))), STARTED),
)  # fmt: skip
