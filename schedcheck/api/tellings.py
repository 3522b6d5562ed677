"""The explanations of each scheduler, told in one shape: `TELLINGS`."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from frozendict import frozendict

from schedcheck.api.told import SCHEDULED, UNSCHEDULABLE, NodeExplanation, Refusal, Score, Told
from schedcheck.checker.explain.classic import ClassicExplanation, classic_explanation
from schedcheck.checker.explain.devices import Lack
from schedcheck.checker.explain.extenders import open_nodes
from schedcheck.checker.explain.kubernetes import CycleExplanation, cycle_explanation
from schedcheck.checker.explain.published import Explanation as PublishedExplanation
from schedcheck.checker.explain.published import explanation
from schedcheck.checker.explain.shortages import Shortage
from schedcheck.report.json.cycle_parts import evictions_json, extenders_json, refusal_json
from schedcheck.report.json.pieces import Json, reference
from schedcheck.spec.binding import completed
from schedcheck.spec.decisions import Bind, Decision, Nominate, Preempt, Unknown, Wait
from schedcheck.spec.kubernetes.control_loop import decision
from schedcheck.spec.kubernetes.gangs import as_placed
from schedcheck.spec.kubernetes.pod_groups import in_one_cycle
from schedcheck.spec.kubernetes.select_host import Choice
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.profiles import Profile, by_scheduler_name
from schedcheck.spec.schedulers import CLASSIC, KUBERNETES, PUBLISHED, Scheduler

Made = CycleExplanation | ClassicExplanation | PublishedExplanation | None


class Telling(NamedTuple):
    """The explanation of a scheduler, and how it is told.

    - `explain`: the explanation of a pod of the snapshot; None if it has ended.
    - `told`: the shape that all schedulers share; given are the nodes of the cluster by name.
    - `details`: what some schedulers tell and others do not, as plain data.
    - `seen`: what the cycle of a pod sees of a snapshot.
    """

    explain: Callable[[Pod, Snapshot, Profile], Made]
    told: Callable[[Any, Mapping[str, Node]], Told]
    details: Callable[[Any], Json]
    seen: Callable[[Pod, Snapshot], Snapshot]


NO_DETAILS: Json = {
    "departures": [],
    "gated": None,
    "weights": {},
    "skippedScores": [],
    "scoreError": None,
    "unmodelled": None,
    "possible": [],
    "extenders": None,
    "preemption": None,
    "lowerPriority": {},
    "ahead": [],
}
"""The details of a scheduler that tells none."""


def _by_kubernetes(found: CycleExplanation, there: Mapping[str, Node]) -> Told:
    unknown = bool(found.unmodelled or open_nodes(found.cycle, found.consulted))
    seen = {info.node.name: info.node for info in found.cycle.infos}
    kind = "gated" if found.gated is not None else found.choice.kind
    decisions: tuple[Decision, ...] | None = None
    message = found.choice.error
    if kind == SCHEDULED:
        decisions = tuple(Bind(found.pod, seen[name]) for name in found.choice.hosts)
    elif kind == UNSCHEDULABLE and found.evictions is not None:
        message = found.evictions.event
        chosen = found.evictions.selected
        evicting = [Nominate(found.pod, each.node, frozenset(each.victims)) for each in chosen]
        decisions = tuple(evicting) or (Wait(found.pod),)
    elif kind == "gated" and found.gated is not None:
        message = ", ".join(found.gated.reasons)
        decisions = ()
    best = found.choice.hosts if kind == SCHEDULED else ()
    nodes = {name: _cycle_node(name, found, unknown) for name in found.verdicts}
    made = found.cycle
    first = (made.rejection.plugin,) if made.rejection is not None else ()
    return Told(
        kind=kind,
        best=best,
        nodes=nodes,
        decisions=decisions,
        message=message,
        mode=found.choice.mode or None,
        error=found.choice.error or None,
        filters=(*first, *made.plugins.at("filter")),
        all_decisions=found.evictions is None or found.evictions.all_orders,
    )


def _cycle_node(name: str, found: CycleExplanation, unknown: bool) -> NodeExplanation:
    verdict, scores = found.verdicts[name], found.scores
    if verdict.refusal is not None:
        refusals = tuple(
            Refusal(each.plugin or None, each.code.value, tuple(each.reasons)) for each in found.refusals[name]
        )
        lacking = (*found.short.get(name, ()), *_of_devices(found.devices.get(name, ())))
        return NodeExplanation(name, False, verdict.source, refusals, None, None, lacking)
    rated = {
        plugin: Score(scores.raw[plugin][name], scores.normalised[plugin][name], scores.weighted[plugin][name])
        for plugin in scores.weighted
    }
    return NodeExplanation(name, None if unknown else True, verdict.source, (), rated, scores.total.get(name))


def _of_devices(lacks: Iterable[Lack]) -> Iterator[Shortage]:
    """Yield the devices of which a node has too few left, as resources named after the request."""
    for lack in lacks:
        if lack.asked is not None:
            yield Shortage(f"devices for the request {lack.request} of the claim {lack.claim}", lack.asked, lack.free)


def _by_classic(found: ClassicExplanation, there: Mapping[str, Node]) -> Told:
    decisions: tuple[Decision, ...] = (*(Bind(found.pod, there[name]) for name in found.best), *found.evictions)
    beyond = not decisions and found.message.startswith("its victims are not computed")
    kind = SCHEDULED if found.best else UNSCHEDULABLE
    if found.unknown:
        kind, beyond = "unknown", True
    elif found.consulted is not None and found.consulted.left.error is not None:
        kind = "error"
    nodes = {name: _classic_node(name, found) for name in found.failures}
    decided = None if beyond else decisions or (Wait(found.pod),)
    error = found.message if kind == "error" else None
    return Told(kind, found.best, nodes, decided, found.message, error=error)


def _classic_node(name: str, found: ClassicExplanation) -> NodeExplanation:
    refusals = tuple(
        Refusal(
            predicate,
            "Error" if each.error else "Unschedulable" if each.resolvable else "UnschedulableAndUnresolvable",
            (each.words,),
        )
        for predicate, failures in found.failures[name].items()
        for each in failures
    )
    asked = found.consulted
    if asked is not None and name in asked.refused:
        refusals = (*refusals, Refusal(None, "Unschedulable", tuple(asked.refused[name].reasons)))
    if name not in found.totals:
        lost = asked is not None and asked.left.error is not None and not refusals
        return NodeExplanation(name, None if lost else False, "", refusals, None, None, found.short.get(name, ()))
    rated = {
        each.name: Score(found.scores[each.name][name], None, each.weight * found.scores[each.name][name])
        for each in found.classic.priorities
    }
    unknown = asked is not None and asked.filters != ""
    return NodeExplanation(name, None if unknown else True, "", refusals, rated, found.totals[name])


def _by_published(found: PublishedExplanation, there: Mapping[str, Node]) -> Told:
    best = tuple(node.name for node in found.best)
    nodes = {
        each.node.name: NodeExplanation(
            each.node.name,
            each.feasible,
            "",
            tuple(Refusal(name, None, (reason,)) for name, reason in each.reasons.items() if reason is not None),
            {name: Score(value, None, value) for name, value in each.ratings.items()} if each.feasible else None,
            each.viability,
        )
        for each in found.nodes
    }
    return Told(SCHEDULED if best else UNSCHEDULABLE, best, nodes, found.decisions, "")


def _details_of_kubernetes(found: CycleExplanation) -> Json:
    plugins = found.cycle.plugins
    return {
        "departures": sorted(departure.value for departure in plugins.departures),
        "gated": None if found.gated is None else refusal_json(found.gated),
        "weights": dict(plugins.weights),
        "skippedScores": list(found.scores.skipped),
        "scoreError": found.scores.error,
        "unmodelled": found.unmodelled or None,
        "possible": sorted(map(str, found.possible)),
        "extenders": None if found.consulted is None else extenders_json(found.consulted),
        "preemption": None if found.evictions is None else evictions_json(found.evictions),
    }


def _details_of_classic(found: ClassicExplanation) -> Json:
    return {
        "weights": {each.name: each.weight for each in found.classic.priorities},
        "extenders": None if found.consulted is None else extenders_json(found.consulted),
        "preemption": _preemption(found.evictions),
    }


def _details_of_published(found: PublishedExplanation) -> Json:
    return {
        "lowerPriority": {node.name: count for node, count, _ in found.endangered},
        "ahead": [reference(pod) | {"priority": pod.priority} for pod in found.ahead],
        "preemption": _preemption(found.evictions),
    }


def _preemption(evictions: tuple[Nominate, ...] | tuple[Preempt, ...]) -> dict[str, Any] | None:
    """Return the choices of a scheduler that tells nothing of a dry run; None where it evicts nothing."""
    if not evictions:
        return None
    return {
        "event": None,
        "ineligible": None,
        "candidates": [],
        "statuses": {},
        "selected": list(dict.fromkeys(each.node.name for each in evictions)),
        "allowed": [
            {
                "node": each.node.name,
                "victims": [reference(victim) for victim in sorted(each.victims, key=lambda victim: victim.key)],
            }
            for each in evictions
        ],
        "allAllowed": True,
    }


def _explained_by_kubernetes(pod: Pod, snapshot: Snapshot, profile: Profile) -> CycleExplanation | None:
    plugins = by_scheduler_name(pod, profile.plugins)
    found = cycle_explanation(pod, snapshot, plugins)
    if found is None or found.choice.kind != UNSCHEDULABLE or not in_one_cycle(plugins) or pod.scheduling_group:
        return found
    # In 1.37 it may depend on the groups of its victims what a pod without a group evicts.
    there = replace(snapshot, pods=tuple(found.pod if each == pod else each for each in snapshot.pods))
    why = next((each.why for each in decision(found.pod, there, plugins) if isinstance(each, Unknown)), "")
    return replace(found, choice=Choice("unknown"), evictions=None, unmodelled=why) if why else found


def _explained_by_classic(pod: Pod, snapshot: Snapshot, profile: Profile) -> ClassicExplanation | None:
    return classic_explanation(pod, snapshot, profile.policy)


def _all(pod: Pod, snapshot: Snapshot) -> Snapshot:
    return snapshot


def _seen_by_kubernetes(pod: Pod, snapshot: Snapshot) -> Snapshot:
    """kube-scheduler sees no other pod that has ended, and counts those that wait on permit."""
    return as_placed(snapshot - frozenset(each for each in snapshot.pods if each != pod and completed(each)))


TELLINGS: Mapping[Scheduler, Telling] = frozendict(
    {
        PUBLISHED: Telling(explanation, _by_published, _details_of_published, _all),
        KUBERNETES: Telling(_explained_by_kubernetes, _by_kubernetes, _details_of_kubernetes, _seen_by_kubernetes),
        CLASSIC: Telling(_explained_by_classic, _by_classic, _details_of_classic, _all),
    }
)
"""The explanations of each scheduler."""
