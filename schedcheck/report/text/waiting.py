"""Why pods are pending in a snapshot: `waiting`, the refusals of each node and the scheduler's message, by pod."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from frozendict import frozendict

from schedcheck.checker.check import Checked
from schedcheck.checker.explain.classic import classic_explanation
from schedcheck.checker.explain.extenders import refuser
from schedcheck.checker.explain.kubernetes import CycleExplanation, cycle_explanation
from schedcheck.checker.explain.published import Explanation, explanation
from schedcheck.checker.explain.shortages import NOTHING_SHORT, Shortage
from schedcheck.checker.extenders.wording import not_asked
from schedcheck.model.profiles import plugins_of, profile_of
from schedcheck.model.scenario import Scenario, grouping
from schedcheck.report.text.published_explanation import alike, no_eviction
from schedcheck.spec.binding import completed, unbound
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.pod_groups import fewest, group_refusal, pod_group, scheduled
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.properties.kinds import Property
from schedcheck.spec.refusal import Refusal
from schedcheck.spec.schedulers import CLASSIC, KUBERNETES, PUBLISHED, Scheduler

Refusals = tuple[tuple[str, str], ...]
"""The filters that refuse a node, each with its reason; empty if the node is feasible."""


@dataclass(frozen=True)
class Waiting:
    """A pending pod: the nodes grouped by their refusals, and the scheduler's message, a sentence.

    `short` is what each node has too little of, with the amounts, where the scheduler's reasons name only the resource.
    `at_most`: a node may have less left, as pods that take room too were left out.
    """

    pod: Pod
    nodes: tuple[tuple[tuple[str, ...], Refusals], ...]
    said: str
    short: frozendict[str, tuple[Shortage, ...]] = NOTHING_SHORT
    at_most: bool = False


def those_waiting(snapshot: Snapshot) -> list[Pod]:
    """Return the pending pods, highest priority first."""
    return sorted(unbound(snapshot, NO_FAULTS), key=lambda pod: (-pod.priority, pod.key))


def waiting(snapshot: Snapshot, checked: Checked, question: Property | None = None) -> tuple[Waiting, ...]:
    """Return why pods are pending: the pods that the property names, or all if no property is given."""
    pods = (pod for pod in those_waiting(snapshot) if question is None or pod.name in question.mentions)
    return tuple(_waiting(pod, snapshot, checked.scenario) for pod in pods)


def _waiting(pod: Pod, snapshot: Snapshot, scenario: Scenario) -> Waiting:
    if pod.terminating:
        return Waiting(pod, (), "It is being deleted: no scheduler tries it.")
    if pod.waits_on:
        until = "until minCount members of its gang have a node, or its time limit ends"
        return Waiting(pod, (), f"It waits on permit for {pod.waits_on}, {until}.")
    if pod.scheduling_group and grouping(scenario):
        return Waiting(pod, (), _in_its_group(pod, snapshot, plugins_of(pod, scenario)))
    return WAITING[scenario.scheduler](pod, snapshot, scenario)


def _in_its_group(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> str:
    """Return why a pod of a PodGroup that is tried in one cycle waits."""
    refused, group = group_refusal(pod, snapshot, plugins), pod_group(pod, snapshot)
    if refused is not None or group is None:
        return f"It does not enter the queue: {refused.reasons[0] if refused else 'it has no pod group'}."
    if len(scheduled(group, snapshot)) >= fewest(group):
        return f"No node is left for it; its pod group {group} has as many pods with a node as it needs."
    return (
        f"Its pod group {group} is tried in one cycle and does not fit: {fewest(group)} of its pods must have a node."
    )


def _to_published(pod: Pod, snapshot: Snapshot, scenario: Scenario) -> Waiting:
    made = explanation(pod, snapshot, profile_of(scenario))
    assert made is not None, "it has not ended"
    reasons = {each.node.name: _reasons(each.reasons) for each in made.nodes}
    return Waiting(pod, _folded(reasons), " ".join(_of_the_printed_model(made)))


def _told(refusal: Refusal | None) -> tuple[str, ...]:
    """Return the reasons of a refusal, or that it gives none; nothing if there is no refusal."""
    return () if refusal is None else tuple(refusal.reasons) or ("no reason is given",)


def _to_classic(pod: Pod, snapshot: Snapshot, scenario: Scenario) -> Waiting:
    early = classic_explanation(pod, snapshot, scenario.policy)
    assert early is not None, "it has not ended"
    refused = {} if early.consulted is None else early.consulted.refused
    failures = {
        name: (
            *((predicate, each.words) for predicate, found in by.items() for each in found),
            *(("an extender", each) for each in _told(refused.get(name))),
        )
        for name, by in early.failures.items()
    }
    unknown = f"What becomes of it is unknown: {not_asked(early.unknown)}." if early.unknown else ""
    short = frozendict(early.short)
    return Waiting(pod, _folded(failures), unknown or early.message, short, _is_part(scenario))


def _to_kubernetes(pod: Pod, snapshot: Snapshot, scenario: Scenario) -> Waiting:
    plugins = plugins_of(pod, scenario)
    if pod.scheduler_name != plugins.scheduler_name:
        return Waiting(pod, (), f"No profile of the scheduler is called {pod.scheduler_name}.")
    seen = snapshot - frozenset(each for each in snapshot.pods if completed(each))
    made = cycle_explanation(pod, seen, plugins)
    assert made is not None, "it has not ended"
    refusals = {
        name: tuple(
            (refuser(name, each, made.consulted), reason)
            for each in made.refusals.get(name, ())
            for reason in each.reasons or ("no reason is given",)
        )
        for name in made.verdicts
    }
    return Waiting(pod, _folded(refusals), " ".join(_of_the_cycle(made)), frozendict(made.short), _is_part(scenario))


WAITING: Mapping[Scheduler, Callable[[Pod, Snapshot, Scenario], Waiting]] = frozendict(
    {PUBLISHED: _to_published, KUBERNETES: _to_kubernetes, CLASSIC: _to_classic}
)
"""Why a pod is pending under each scheduler."""


def _is_part(scenario: Scenario) -> bool:
    """Whether pods of the cluster may have been left out of the scenario."""
    return any(not note.startswith("nothing was left out") for note in scenario.cut)


def _of_the_cycle(made: CycleExplanation) -> Iterator[str]:
    """Yield kube-scheduler's message about the pod."""
    if made.gated is not None:
        yield f"It is not in the queue: {'; '.join(made.gated.reasons)}."
    elif made.choice.kind == "unknown" and made.consulted is not None:
        yield f"What becomes of it is unknown: {not_asked(made.consulted.unknown)}."
    elif made.choice.kind == "error":
        yield f"Its cycle ends in an error: {made.choice.error}"
    elif made.evictions is not None:
        yield made.evictions.event


def _of_the_printed_model(made: Explanation) -> Iterator[str]:
    """Yield why the published model neither binds the pod nor evicts for it."""
    if made.decisions is not None and not made.best and not made.evictions:
        yield f"No node is feasible, and {no_eviction(made)}."
    if made.ahead:
        names = ", ".join(f"{each} (priority {each.priority:,})" for each in made.ahead)
        yield f"Scheduled before it, because of their higher priority: {names}."


def _reasons(reasons: dict[str, str | None]) -> Refusals:
    return tuple((name, reason) for name, reason in reasons.items() if reason is not None)


def _folded(refusals: dict[str, Refusals]) -> tuple[tuple[tuple[str, ...], Refusals], ...]:
    """Return the nodes grouped by their refusals."""
    return tuple((tuple(names), refusals[names[0]]) for names in alike(refusals, lambda name: refusals[name]))
