"""The Jobs whose ended pods a scenario counts: `counted_jobs`, with the pods that they may have; `with_jobs`, the scenario.

Kubernetes 1.37: pkg/apis/batch/v1/defaults.go; pkg/controller/job/job_controller.go. The numbers at first are those of the
status, or of the ended pods in the input if these are more.

Not modelled, and refused: `UNMODELLED`. `ttlSecondsAfterFinished` only deletes pods that have ended, which changes nothing.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from itertools import count
from typing import Final

from schedcheck.manifests.admission import admitted
from schedcheck.manifests.as_read import as_read
from schedcheck.manifests.fields import INT32, Field
from schedcheck.manifests.objects import Cluster, PodKey
from schedcheck.manifests.pods import Entry
from schedcheck.manifests.seen import why_unseen
from schedcheck.manifests.workloads import Workload, formed, own_labels, owner_key
from schedcheck.model.controllers.job import wanted
from schedcheck.model.controllers.replica_set import active
from schedcheck.model.environment import newly_arrived
from schedcheck.model.jobs import Counts, Job
from schedcheck.model.production.extenders.as_read import AsRead
from schedcheck.model.scenario import CRASH, JOBS, RESTART, Rule, Scenario
from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Pod
from schedcheck.spec.owners import served_kind
from schedcheck.spec.schedulers import VARIANTS
from schedcheck.spec.values import Labels

BACKOFF_LIMIT: Final = 6
"""The backoffLimit of a Job without one."""

UNMODELLED: Final = (
    "podFailurePolicy", "successPolicy", "backoffLimitPerIndex", "maxFailedIndexes", "activeDeadlineSeconds", "managedBy",
)  # fmt: skip
"""Fields of a Job that change which pods it has."""

UIDS: Final = ("batch.kubernetes.io/controller-uid", "controller-uid")
"""Labels that the pods of one Job share."""


def counted_jobs(controllers: Field, given: Cluster, cluster: Cluster, profile: str) -> tuple[Cluster, tuple[Job, ...]]:
    """Return the cluster that a scheduler sees with the pods that its Jobs may still create, and these Jobs.

    `given` is the cluster with all its pods. There are no Jobs unless the controller `JOBS` is named. Raises: InputError.
    """
    named = [item for item in controllers.items() if item.value == JOBS]
    if not named:
        return cluster, ()
    if not VARIANTS[profile].scheduler.has_plugins:
        raise named[0].error(f"not modelled together with the profile {profile}")
    own: dict[tuple[str, str, str], list[Pod]] = {}
    for pod in given.pods:
        if served_kind(pod.owner[0]) == "Job":
            own.setdefault(owner_key(pod), []).append(pod)
    read = {(each.namespace, *each.maker): each for each in cluster.workloads if each.job is not None}
    for key, pods in own.items():
        if key not in read and not all(map(completed, pods)):
            raise named[0].error(f"the input lacks Job {key[2]}, of which it has pods")
    jobs = []
    for key, workload in sorted(read.items()):
        if key in own:
            cluster, job = _counted(workload, own[key], given, cluster)
            jobs.append(job)
    if not jobs:
        raise named[0].error(f"the controller {JOBS} needs a Job in the input")
    return cluster, tuple(jobs)


def _counted(workload: Workload, pods: list[Pod], given: Cluster, cluster: Cluster) -> tuple[Cluster, Job]:
    """Return the cluster with the pods that a Job may still create, and the Job."""
    assert workload.job is not None
    spec, status = workload.job
    _refuse(spec)
    seen = {pod.key for pod in cluster.pods}
    for pod in pods:
        if not completed(pod) and pod.key not in seen:
            raise spec.error(f"its pod {pod} is not scheduled here, so that the Job is not modelled")
    job = Job(
        name=workload.maker[1],
        namespace=workload.namespace,
        parallelism=spec["parallelism"].integer(0, INT32 - 1) if spec["parallelism"] else 1,
        completions=_completions(spec),
        limit=spec["backoffLimit"].integer(0, INT32 - 1) if spec["backoffLimit"] else BACKOFF_LIMIT,
        keys=frozenset(pod.key for pod in pods if pod.key in seen),
    )
    job = replace(job, start=_start(job, pods, status))
    most = job.parallelism
    if job.completions is not None:
        most = min(most, max(job.completions - job.start.succeeded, 0))
    elif job.start.succeeded:
        most = 0
    more = list(_more(workload, pods, max(most - len(job.keys), 0), given))
    for entry in more:
        if why := why_unseen(entry.pod, given):
            raise spec.error(f"its pods are {why}, so that the Job is not modelled")
    made = replace(
        cluster,
        pods=tuple(sorted((*cluster.pods, *(entry.pod for entry in more)), key=lambda pod: pod.key)),
        whole=AsRead({**cluster.whole.pods, **as_read(more, ()).pods}, cluster.whole.nodes),
    )
    return made, replace(job, keys=job.keys | {entry.pod.key for entry in more})


def _completions(spec: Field) -> int | None:
    """Return the completions; with neither field a Job has one, with parallelism alone it is a work queue."""
    if spec["completions"]:
        return spec["completions"].integer(0, INT32 - 1)
    return None if spec["parallelism"] else 1


def _refuse(spec: Field) -> None:
    """Raises: InputError for a field that is not modelled."""
    for name in UNMODELLED:
        if spec[name]:
            raise spec[name].error(f"not modelled by the controller {JOBS}")
    if spec["completionMode"].text() not in ("", "NonIndexed"):
        raise spec["completionMode"].error(f"an Indexed Job is not modelled by the controller {JOBS}")
    if spec["podReplacementPolicy"].text() not in ("", "TerminatingOrFailed"):
        raise spec["podReplacementPolicy"].error(f"only TerminatingOrFailed is modelled by the controller {JOBS}")
    if spec["suspend"].boolean():
        raise spec["suspend"].error(f"a suspended Job is not modelled by the controller {JOBS}")


def _start(job: Job, pods: Iterable[Pod], status: Field) -> Counts:
    """Return the pods that have ended at first. A pod that is being deleted counts as failed."""
    pods = list(pods)
    ends = {each["type"].text() for each in status["conditions"].items() if each["status"].text() == "True"}
    succeeded = max(_number(status["succeeded"]), sum(pod.phase == "Succeeded" for pod in pods))
    lost = sum(pod.phase == "Failed" or (pod.terminating and not completed(pod)) for pod in pods)
    failed = min(max(_number(status["failed"]), lost), job.limit + 1)
    if {"Failed", "FailureTarget"} & ends:
        failed = job.limit + 1
    if job.completions is None:
        succeeded = min(succeeded, 1)
    if {"Complete", "SuccessCriteriaMet"} & ends:
        succeeded = max(succeeded, 1 if job.completions is None else job.completions)
    return Counts(succeeded, failed)


def _number(field: Field) -> int:
    return field.integer(0, INT32 - 1) if field else 0


def _more(workload: Workload, pods: list[Pod], number: int, given: Cluster) -> Iterator[Entry]:
    """Yield this many pods of the template, with names that no pod has."""
    taken = {pod.key for pod in given.pods}
    names = (f"{workload.maker[1]}-new-{each}" for each in count())
    free = (name for name in names if (workload.namespace, name) not in taken)
    labels = own_labels(workload) | {key: value for key, value in pods[0].labels.items() if key in UIDS}
    form = formed(workload, labels)
    for name, _ in zip(free, range(number), strict=False):
        entry = admitted(replace(form, pod=replace(form.pod, name=name)), given.admits)
        yield replace(entry, pod=newly_arrived(_of(entry.pod, pods[0])))


def _of(pod: Pod, other: Pod) -> Pod:
    """Return the pod with the owner of another one of its Job."""
    return replace(pod, owner=other.owner, owner_uid=other.owner_uid, labels=Labels(dict(sorted(pod.labels.items()))))


def with_jobs(scenario: Scenario, jobs: tuple[Job, ...], cluster: Cluster, spec: Field) -> Scenario:
    """Return the scenario with these Jobs. Raises: InputError for what is not modelled together with them.

    Their pods do not arrive by themselves: the controller creates them.
    """
    crashes = [rule for rule in scenario.rules if rule.event == CRASH]
    if not jobs:
        if crashes:
            raise spec["events"].error(f"the event {CRASH} belongs to the controller {JOBS}")
        return scenario
    controllers = spec["controllers"]
    if "owners" not in scenario.controllers:
        raise controllers.error(f"the controller {JOBS} needs the controller owners, which creates all other pods")
    if scenario.rollouts:
        raise controllers.error(f"the controller {JOBS} is not modelled together with manifests that events apply")
    if scenario.victims == "pending":
        raise spec["victims"].error(f"the controller {JOBS} creates pods of Jobs itself; expected absent")
    keys = frozenset[PodKey]().union(*(job.keys for job in jobs))
    restarted = {key for key in keys if _restart_policy(key, scenario, cluster) != "Never"}
    rules = tuple(_ruled(rule, keys, restarted, scenario, spec["events"]) for rule in scenario.rules)
    later = frozenset(key for job in jobs for key in _beyond(job, scenario, cluster))
    return replace(scenario, jobs=jobs, rules=rules, absent=scenario.absent | later)


def _beyond(job: Job, scenario: Scenario, cluster: Cluster) -> Iterator[PodKey]:
    """Yield the pods that were made from the manifest of a Job although it needs fewer, by its status."""
    there = [pod for pod in scenario.pods if pod.key in job.keys and pod.key not in scenario.absent and active(pod)]
    most = wanted(job, job.start, len(there))
    made = [pod.key for pod in there if not pod.node_name and pod.key not in cluster.live]
    yield from made[len(made) - min(len(made), max(len(there) - most, 0)) :]


def _ruled(
    rule: Rule, keys: Collection[PodKey], restarted: Collection[PodKey], scenario: Scenario, events: Field
) -> Rule:  # fmt: skip
    """Return the rule for the pods that it may befall; one that names no pod befalls all that it can."""
    every = len(rule.pods) == len(scenario.pods)
    if rule.event == "arrive":
        return replace(rule, pods=tuple(key for key in rule.pods if key not in keys))
    if rule.event == CRASH:
        able = tuple(key for key in rule.pods if key in keys and key not in restarted)
        for key in rule.pods if not every else ():
            if key not in able:
                raise events.error(
                    f"the event {CRASH} is modelled for pods of Jobs with restartPolicy Never alone, not for {'/'.join(key)}"
                )
        return replace(rule, pods=able)
    if rule.event == RESTART and any(key in restarted for key in rule.pods):
        raise events.error(
            f"restarts of pods of a Job count for its backoffLimit, which is not modelled: the event {RESTART} needs other pods"
        )
    return rule


def _restart_policy(key: PodKey, scenario: Scenario, cluster: Cluster) -> str:
    """Return the restartPolicy in the template of the Job of a pod."""
    pod = next(each for each in scenario.pods if each.key == key)
    made = next(each for each in cluster.workloads if (each.namespace, *each.maker) == owner_key(pod))
    return made.template["spec"]["restartPolicy"].text() or "Always"
