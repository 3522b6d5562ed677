"""The Job controller: it creates pods until a Job has its completions, or has failed by its backoffLimit.

Kubernetes 1.37: pkg/controller/job/job_controller.go, syncJob, manageJob, isPodFailed and deleteActivePods. A pod that is
deleted counts as failed, whoever deletes it: by eviction, preemption, a taint, a drain, or by hand. Differs: an ended pod is
counted in the step that ends it, as its finalizer keeps it until the controller has counted it; pods are created and
deleted one by one; a pod takes the name of one that has ended, whose object is forgotten.

Not modelled: the delay before a failed pod is replaced; a pod that exists at the same time as its replacement; a pod that
succeeds while it is being deleted; Indexed Jobs, suspend, activeDeadlineSeconds, podFailurePolicy, successPolicy,
backoffLimitPerIndex, and podReplacementPolicy Failed, which are refused.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from schedcheck.model.controllers.owners import Create
from schedcheck.model.controllers.replica_set import active, ready
from schedcheck.model.controllers.rollouts import Remove
from schedcheck.model.environment import deleted, newly_arrived
from schedcheck.model.jobs import Counts, Job
from schedcheck.model.scenario import Scenario
from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Pod

Slots = Sequence[Pod | None]
Step = tuple[Create | Remove, int, Pod | None]
"""An action, and a slot with the pod that it then holds."""


def has_failed(job: Job, counts: Counts) -> bool:
    """Whether more pods have failed than the backoffLimit allows. Kubernetes 1.37: syncJob, exceedsBackoffLimit."""
    return counts.failed > job.limit


def has_completed(job: Job, counts: Counts, running: int) -> bool:
    """Whether the Job has its completions and no active pod; `running` are its active pods. Kubernetes 1.37: syncJob."""
    enough = 1 if job.completions is None else job.completions
    return not has_failed(job, counts) and counts.succeeded >= enough and running == 0


def wanted(job: Job, counts: Counts, running: int) -> int:
    """Return how many active pods the Job should have; `running` are those that it has. Kubernetes 1.37: manageJob, wantActive."""
    if has_failed(job, counts):
        return 0
    if job.completions is None:
        return running if counts.succeeded > 0 else job.parallelism
    return max(0, min(job.parallelism, job.completions - counts.succeeded))


def settled(job: Job, counts: Counts, pods: Iterable[Pod]) -> bool:
    """Whether the Job has as many active pods as it should have, all of them bound; `pods` are its pods."""
    there = [pod for pod in pods if active(pod)]
    return len(there) == wanted(job, counts, len(there)) and all(pod.node_name for pod in there)


def counted(job: Job, counts: Counts, before: Pod | None, after: Pod | None) -> Counts:
    """Return the counts after a step that changed one pod of the Job. Kubernetes 1.37: getNewFinishedPods, isPodFailed."""
    if has_failed(job, counts) or not active(before):
        return counts
    assert before is not None
    if after is not None and after.phase == "Succeeded":
        most = 1 if job.completions is None else max(job.completions, counts.succeeded)
        return counts._replace(succeeded=min(counts.succeeded + 1, most))
    # A bound pod without a node was deleted, and created again in the same step.
    lost = not active(after) or (after is not None and before.node_name != "" and after.node_name == "")
    return counts._replace(failed=counts.failed + 1) if lost else counts


def surplus(job: Job, counts: Counts, pods: Collection[Pod]) -> list[Pod]:
    """Return the pods of which any may be deleted next; none if there are not too many.

    All pods of a Job that has failed are deleted at once, in any order. Kubernetes 1.37: deleteActivePods,
    activePodsForRemoval; controller_utils.go, ActivePods.Less.
    """
    there = [pod for pod in pods if active(pod)]
    if len(there) <= wanted(job, counts, len(there)):
        return []
    if has_failed(job, counts):
        return there

    def rank(pod: Pod) -> tuple[bool, bool]:
        return pod.node_name != "", ready(pod)

    least = min(map(rank, there))
    return [pod for pod in there if rank(pod) == least]


class Jobs:
    """The Jobs of a scenario, on slots of pods; `slots` are those of all their pods."""

    def __init__(self, scenario: Scenario, slot: Mapping[tuple[str, str], int]) -> None:
        self.scenario = scenario
        self._own = tuple(tuple(sorted(slot[key] for key in job.keys)) for job in scenario.jobs)
        self.slots = frozenset(each for own in self._own for each in own)

    def start(self) -> tuple[Counts, ...]:
        """Return the counts at first."""
        return tuple(job.start for job in self.scenario.jobs)

    def counted(self, before: Slots, after: Slots, counts: tuple[Counts, ...]) -> tuple[Counts, ...]:
        """Return the counts after a step that changed pods."""
        found = []
        for job, own, count in zip(self.scenario.jobs, self._own, counts, strict=True):
            now = count
            for slot in own:
                now = counted(job, now, before[slot], after[slot]) if before[slot] is not after[slot] else now
            found.append(now)
        return tuple(found)

    def steps(self, pods: Slots, counts: tuple[Counts, ...]) -> Iterator[Step]:
        """Yield the steps of the controller: any pod without an object, or that has ended, may be the next that is created."""
        for job, own, count in zip(self.scenario.jobs, self._own, counts, strict=True):
            if self._lacks(job, own, count, pods):
                for slot in own:
                    if (there := pods[slot]) is None or completed(there):
                        origin = self.scenario.pods[slot]
                        yield Create(str(origin)), slot, newly_arrived(origin)
            chosen = surplus(job, count, [pod for slot in own if (pod := pods[slot]) is not None])
            for slot in own:
                pod = pods[slot]
                if pod is not None and pod in chosen:
                    yield Remove(str(pod)), slot, deleted(pod, self.scenario)

    def lacks(self, slot: int, pods: Slots, counts: tuple[Counts, ...]) -> bool:
        """Whether the Job of the pod in this slot creates a pod now; True for other pods."""
        for job, own, count in zip(self.scenario.jobs, self._own, counts, strict=True):
            if slot in own:
                return self._lacks(job, own, count, pods)
        return True

    @staticmethod
    def _lacks(job: Job, own: Iterable[int], counts: Counts, pods: Slots) -> bool:
        running = sum(active(pods[slot]) for slot in own)
        return running < wanted(job, counts, running)
