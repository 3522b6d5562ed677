"""The scheduler: it learns of objects and, for one pod at a time, finds the nodes it may choose: `Scheduler`, `Result`.

Kubernetes 1.17: Schedule, findNodesThatFit, selectHost and FitError in pkg/scheduler/core/generic_scheduler.go,
scheduleOne in pkg/scheduler/scheduler.go, addAllEventHandlers in pkg/scheduler/eventhandlers.go. Differs: all nodes are
examined, and a choice that 1.17 draws is a list. An error is that of the first node that has one.

Not modelled: the order of the queue, extenders, binding.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from schedcheck.model.classic.fitting import Fitting
from schedcheck.model.classic.listers import Listers
from schedcheck.model.classic.metadata import Metadata
from schedcheck.model.classic.nodes.cache import Cache, Snapshot
from schedcheck.model.classic.nodes.nominated import Nominated
from schedcheck.model.classic.nodes.pod_info import PodInfo
from schedcheck.model.classic.predicates.arguments import Arguments
from schedcheck.model.classic.preemption import Victims, may_preempt, picked, victims_on, worth_trying
from schedcheck.model.classic.priorities.rating import Rating
from schedcheck.model.classic.prioritizing import Scores, prioritized
from schedcheck.model.classic.reasons import PredicateError, Reasons
from schedcheck.spec.classic.policy import Classic
from schedcheck.spec.objects import Node, Pod

NO_NODES: Final = "no nodes available to schedule pods"
ENDED: Final = ("Succeeded", "Failed")


@dataclass(frozen=True)
class Result:
    """What the scheduler finds for a pod.

    hosts
        The nodes of the highest score, any of which it may choose.
    scores
        The scores of the nodes on which the pod fits.
    failed
        For each other node the reasons by predicate; none after an error.
    errors
        For each node on which a predicate could not be evaluated its name and the error.
    tried
        The victims on each node on which preemption succeeds.
    nominated
        The nodes between which preemption may choose.
    outranked
        The pods that lose their nomination to each of these nodes.
    cleared
        Whether the pod loses its own nomination, because no eviction could help.
    message
        Why the pod fits on no node; empty if it fits.
    """

    pod: Pod
    hosts: tuple[str, ...] = ()
    scores: Scores = field(default_factory=Scores)
    failed: Mapping[str, Mapping[str, Reasons]] = field(default_factory=dict)
    errors: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    tried: Mapping[str, Victims] = field(default_factory=dict)
    nominated: tuple[str, ...] = ()
    outranked: Mapping[str, tuple[Pod, ...]] = field(default_factory=dict)
    cleared: bool = False
    message: str = ""


class Scheduler:
    """A scheduler with a policy. With `check_all` it evaluates all predicates on each node, as before 1.9."""

    def __init__(self, classic: Classic, check_all: bool = False) -> None:
        self.classic = classic
        self.cache = Cache()
        self.nominated = Nominated()
        self.listers = Listers(self.cache)
        arguments = Arguments(self.listers, classic.by_allocatable, classic.most_volumes)
        self.fitting = Fitting(classic, arguments, self.nominated, check_all)
        self.snapshot = Snapshot()

    def node(self, old: Node | None, new: Node | None) -> None:
        """Learn that a node was added, changed, or removed (`new` is None)."""
        if new is not None:
            self.cache.set_node(new)
        elif old is not None:
            self.cache.remove_node(old)

    def pod(self, old: Pod | None, new: Pod | None) -> None:
        """Learn that a pod was added, changed, or removed (`new` is None). A pod that has ended is not seen."""
        if old is not None and old.phase not in ENDED:
            if old.node_name:
                self.cache.remove_pod(old)
            else:
                self.nominated.forget(old)
        if new is not None and new.phase not in ENDED:
            if new.node_name:
                self.cache.add_pod(new)
            else:
                self.nominated.put(new)

    def schedule(self, pod: Pod) -> Result:
        """Find the nodes for a pending pod or, if it fits on none, those on which it may preempt."""
        self.cache.update(self.snapshot)
        if not self.snapshot.infos:
            return Result(pod, message=NO_NODES)
        meta = Metadata(PodInfo(pod), self.snapshot)
        failed, errors = self._filtered(meta)
        if errors:
            return Result(pod, failed=failed, errors=errors, message=next(iter(errors.values()))[1])
        if len(failed) < len(self.snapshot.infos):
            return self._rated(meta, failed)
        return self._preempted(meta, failed)

    def _filtered(self, meta: Metadata) -> tuple[dict[str, Mapping[str, Reasons]], dict[str, tuple[str, str]]]:
        """Return the reasons of the nodes on which the pod does not fit, and the errors."""
        failed: dict[str, Mapping[str, Reasons]] = {}
        errors: dict[str, tuple[str, str]] = {}
        for name, node in self.snapshot.infos.items():
            try:
                reasons = self.fitting.fits(meta, node)
            except PredicateError as error:
                errors[name] = error.predicate, str(error)
            else:
                if reasons:
                    failed[name] = reasons
        return failed, errors

    def _rated(self, meta: Metadata, failed: Mapping[str, Mapping[str, Reasons]]) -> Result:
        """Rate the nodes on which the pod fits."""
        nodes = tuple(node for name, node in self.snapshot.infos.items() if name not in failed)
        classic = self.classic
        rating = Rating(meta.info, nodes, self.snapshot, self.listers, classic.by_allocatable, classic.hard_weight)
        scores = prioritized(rating, classic.priorities)
        most = max(scores.totals.values())
        hosts = tuple(name for name, score in scores.totals.items() if score == most)
        return Result(meta.info.pod, hosts, scores, failed)

    def _preempted(self, meta: Metadata, failed: Mapping[str, Mapping[str, Reasons]]) -> Result:
        """Try to make room for a pod that fits on no node."""
        pod, message = meta.info.pod, fit_error(failed)
        if not may_preempt(pod, self.snapshot):
            return Result(pod, failed=failed, message=message)
        names = worth_trying(failed)
        if not names:
            return Result(pod, failed=failed, cleared=pod.nominated_node_name != "", message=message)
        found = {}
        for name in names:
            victims = victims_on(self.snapshot.infos[name], meta, self.fitting, self.listers.budgets)
            if victims is not None:
                found[name] = victims
        nominated = tuple(picked(found))
        outranked = {
            name: tuple(other.pod for other in self.nominated.on(name) if other.pod.priority < pod.priority)
            for name in nominated
        }
        return Result(pod, failed=failed, tried=found, nominated=nominated, outranked=outranked, message=message)


def fit_error(failed: Mapping[str, Mapping[str, Reasons]]) -> str:
    """Return the message about a pod that fits on none of these nodes: how many nodes have each reason."""
    counts = Counter(reason.words for each in failed.values() for reasons in each.values() for reason in reasons)
    told = ", ".join(sorted(f"{number} {words}" for words, number in counts.items()))
    return f"0/{len(failed)} nodes are available: {told}."
