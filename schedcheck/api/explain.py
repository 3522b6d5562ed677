"""Why a pod is pending, where it would be bound, and what would be evicted for it: `explain`, `Explanation`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from schedcheck.api.answer import Answer, within
from schedcheck.api.preparing import Prepared, named, prepared
from schedcheck.api.values import SILENT, Limits, Observer, Profile, as_profile, noting
from schedcheck.checker.explain.classic import ClassicExplanation, classic_explanation
from schedcheck.checker.explain.extenders import open_nodes
from schedcheck.checker.explain.kubernetes import CycleExplanation, cycle_explanation
from schedcheck.checker.explain.published import Explanation as PublishedExplanation
from schedcheck.checker.explain.published import explanation
from schedcheck.manifests import Cluster
from schedcheck.manifests.seen import why_unseen
from schedcheck.model.scenario import Scenario
from schedcheck.report.json.cycle_parts import evictions_json, extenders_json, refusal_json
from schedcheck.report.json.pieces import FORMAT, Json, action_json, reference
from schedcheck.report.text.left_aside import left_aside_json
from schedcheck.spec.decisions import Bind, Decision, Nominate, Preempt, Wait
from schedcheck.spec.faults import Fault
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.profiles import CLASSIC, KUBERNETES, by_scheduler_name
from schedcheck.spec.profiles import profile as model_of
from schedcheck.version import __version__

Made = CycleExplanation | ClassicExplanation | PublishedExplanation | None

SCHEDULED, UNSCHEDULABLE = "scheduled", "unschedulable"


@dataclass(frozen=True)
class Refusal:
    """Why a node is refused: the plugin (or filter, or predicate), the status code, and the reasons.

    code
        "Unschedulable", "UnschedulableAndUnresolvable" or "Error"; None in the published model, which has none.
    """

    plugin: str | None
    code: str | None
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Score:
    """A score of a node: raw, normalised to 0 to 100 (None in profiles that do not normalise), and times its weight."""

    raw: int
    normalised: int | None
    weighted: int


@dataclass(frozen=True)
class NodeExplanation:
    """A node: whether the pod may be placed there, every refusal, every score and their weighted sum.

    feasible
        None where that depends on what is not known.
    source
        What refused the node first: "preFilter", "filter"; empty elsewhere.
    scores, total
        None where the node is not scored.
    """

    name: str
    feasible: bool | None
    source: str
    refusals: tuple[Refusal, ...]
    scores: Mapping[str, Score] | None
    total: int | None


@dataclass(frozen=True)
class Explanation(Answer):
    """What the scheduler may do with a pod, and why: one shape for every profile.

    stood
        The node that the pod is bound to in the input; it is explained as if it were pending and not there.
    completed
        Whether the pod has ended; nothing more is then said.
    kind
        "scheduled", "unschedulable", "gated", "error" or "unknown".
    best
        The names of the nodes that the pod may be bound to.
    decisions
        Everything that may be done with the pod; None where that is unknown, or too much to compute.
    event
        The text of the event of a pod that cannot be placed; empty without one.
    snapshot
        The cluster as the scheduler sees it, with the pod.
    made, prepared
        The explanation that this was made of; not part of the stable interface.
    """

    pod: Pod
    stood: str
    profile: str
    completed: bool
    added: tuple[str, ...]
    kind: str
    best: tuple[str, ...]
    nodes: Mapping[str, NodeExplanation]
    decisions: tuple[Decision, ...] | None
    event: str
    notes: tuple[str, ...]
    unseen: str
    made: Made = field(repr=False)
    snapshot: Snapshot = field(repr=False)
    prepared: Prepared = field(repr=False)

    @property
    def exit_code(self) -> Literal[0, 2]:
        """0, or 2 where what may be done is unknown."""
        return 2 if self.kind == "unknown" else 0

    @property
    def _mode(self) -> str | None:
        return self.made.choice.mode or None if isinstance(self.made, CycleExplanation) else None

    @property
    def _error(self) -> str | None:
        return self.made.choice.error or None if isinstance(self.made, CycleExplanation) else None

    def to_json(self) -> Json:
        """Return what `schedcheck explain --format json` prints."""
        pod = reference(self.pod) | {"priority": self.pod.priority, "node": self.stood or None}
        head: Json = {"format": FORMAT, "schedcheck": __version__, "pod": pod, "profile": self.profile}
        if self.completed:
            return head | {"pod": pod | {"phase": self.pod.phase}, "completed": True}
        return {
            **head,
            "faults": sorted(self.prepared.scenario.faults),
            "completed": False,
            "added": list(self.added),
            "nodes": [_node_json(each) for each in self.nodes.values()],
            "choice": {"kind": self.kind, "mode": self._mode, "nodes": list(self.best), "error": self._error},
            "decisions": None if self.decisions is None else [action_json(each) for each in self.decisions],
            "message": self.event or None,
            **_details(self.made),
            **left_aside_json(self.prepared.scenario),
        }


def explain(
    cluster: Cluster,
    pod: str,
    *,
    profile: Profile | str | None = None,
    limits: Limits | None = None,
    observer: Observer = SILENT,
) -> Explanation:
    """Say of each node why it is feasible for a pod or not and how it is scored, and what follows.

    Everything in the cluster counts as being there. A bound pod is explained as if it were pending and not there.

    Raises: InputError, Unanswerable, GaveUp.
    """
    with within(limits or Limits()):
        told, said = noting(observer)
        chosen = as_profile(profile)
        wanted = named(pod, cluster)
        made = prepared(cluster, chosen, told)
        return _of(wanted, made, tuple(said))


def _of(pod: Pod, made: Prepared, notes: tuple[str, ...]) -> Explanation:
    """Return the explanation by the profile of the scenario."""
    snapshot = _around(pod, made)
    found = _made(pod, snapshot, made.scenario)
    unseen = why_unseen(pod, made.whole, made.given.schedulers) if pod not in made.cluster.pods else ""
    kind, best, nodes, decisions, event = _told(found, made)
    return Explanation(
        pod=pod if found is None else found.pod,
        stood=pod.node_name,
        profile=made.scenario.profile,
        completed=found is None,
        added=made.whole.added.get(pod.key, ()),
        kind=kind,
        best=best,
        nodes=nodes,
        decisions=decisions,
        event=event,
        notes=notes,
        unseen=unseen,
        made=found,
        snapshot=snapshot,
        prepared=made,
    )


def _around(pod: Pod, made: Prepared) -> Snapshot:
    """Return the cluster as the scheduler of the scenario sees it, with the pod."""
    if made.scenario.profile in KUBERNETES or made.scenario.profile == CLASSIC:
        return made.cluster.snapshot(pod)
    return Snapshot.of({*made.cluster.pods, pod}, made.cluster.nodes, made.cluster.namespaces)


def _made(pod: Pod, snapshot: Snapshot, scenario: Scenario) -> Made:
    """Return the explanation by the profile of the scenario; None for a pod that has ended."""
    if scenario.profile in KUBERNETES:
        plugins = by_scheduler_name(pod, scenario.plugins).departing(KUBERNETES[scenario.profile])
        return cycle_explanation(pod, snapshot, plugins)
    if scenario.profile == CLASSIC:
        return classic_explanation(pod, snapshot, scenario.policy)
    faults = frozenset(Fault(name) for name in scenario.faults)
    return explanation(pod, snapshot, model_of(scenario.profile, faults, scenario.rated_resource))


Told = tuple[str, tuple[str, ...], Mapping[str, NodeExplanation], tuple[Decision, ...] | None, str]


def _told(found: Made, made: Prepared) -> Told:
    """Return how the turn ends, the best nodes, all nodes, the decisions, and the message."""
    match found:
        case None:
            return "", (), {}, (), ""
        case CycleExplanation():
            return _by_kubernetes(found)
        case ClassicExplanation():
            return _by_classic(found, {node.name: node for node in made.cluster.nodes})
    return _by_published(found)


def _by_kubernetes(found: CycleExplanation) -> Told:
    unknown = bool(found.unmodelled or open_nodes(found.cycle, found.consulted))
    there = {info.node.name: info.node for info in found.cycle.infos}
    kind = "gated" if found.gated is not None else found.choice.kind
    decisions: tuple[Decision, ...] | None = None
    message = found.choice.error
    if kind == SCHEDULED:
        decisions = tuple(Bind(found.pod, there[name]) for name in found.choice.hosts)
    elif kind == UNSCHEDULABLE and found.evictions is not None:
        message = found.evictions.event
        chosen = found.evictions.selected
        evicting = [Nominate(found.pod, each.node, frozenset(each.victims)) for each in chosen]
        decisions = tuple(evicting) or (Wait(found.pod),)
    elif kind == "gated" and found.gated is not None:
        message = ", ".join(found.gated.reasons)
        decisions = ()
    nodes = {name: _cycle_node(name, found, unknown) for name in found.verdicts}
    return kind, found.choice.hosts if kind == SCHEDULED else (), nodes, decisions, message


def _cycle_node(name: str, found: CycleExplanation, unknown: bool) -> NodeExplanation:
    verdict, scores = found.verdicts[name], found.scores
    if verdict.refusal is not None:
        refusals = tuple(
            Refusal(each.plugin or None, each.code.value, tuple(each.reasons)) for each in found.refusals[name]
        )
        return NodeExplanation(name, False, verdict.source, refusals, None, None)
    rated = {
        plugin: Score(scores.raw[plugin][name], scores.normalised[plugin][name], scores.weighted[plugin][name])
        for plugin in scores.weighted
    }
    return NodeExplanation(name, None if unknown else True, verdict.source, (), rated, scores.total.get(name))


def _by_classic(found: ClassicExplanation, there: Mapping[str, Node]) -> Told:
    decisions: tuple[Decision, ...] = (*(Bind(found.pod, there[name]) for name in found.best), *found.evictions)
    beyond = not decisions and found.message.startswith("whom it would evict is not computed")
    kind = SCHEDULED if found.best else UNSCHEDULABLE
    nodes = {name: _classic_node(name, found) for name in found.failures}
    return kind, found.best, nodes, None if beyond else decisions or (Wait(found.pod),), found.message


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
    if name not in found.totals:
        return NodeExplanation(name, False, "", refusals, None, None)
    rated = {
        each.name: Score(found.scores[each.name][name], None, each.weight * found.scores[each.name][name])
        for each in found.classic.priorities
    }
    return NodeExplanation(name, True, "", refusals, rated, found.totals[name])


def _by_published(found: PublishedExplanation) -> Told:
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
    return SCHEDULED if best else UNSCHEDULABLE, best, nodes, found.decisions, ""


def _node_json(each: NodeExplanation) -> Json:
    """Return a node as plain data."""
    scores = None
    if each.scores is not None:
        scores = {
            name: {"raw": score.raw, "normalised": score.normalised, "weighted": score.weighted}
            for name, score in each.scores.items()
        }
    return {
        "node": each.name,
        "feasible": "unknown" if each.feasible is None else each.feasible,
        "source": each.source or None,
        "refusals": [
            {"plugin": refusal.plugin, "code": refusal.code, "reasons": list(refusal.reasons)}
            for refusal in each.refusals
        ],
        "scores": scores,
        "total": each.total,
    }


def _details(found: Made) -> Json:
    """Return what some profiles have and others lack; every key is there in each of them."""
    details: Json = {
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
    match found:
        case CycleExplanation():
            details |= _cycle_details(found)
        case ClassicExplanation():
            details["weights"] = {each.name: each.weight for each in found.classic.priorities}
            details["preemption"] = _preemption(found.evictions)
        case PublishedExplanation():
            details["lowerPriority"] = {node.name: count for node, count, _ in found.endangered}
            details["ahead"] = [reference(pod) | {"priority": pod.priority} for pod in found.ahead]
            details["preemption"] = _preemption(found.evictions)
    return details


def _cycle_details(found: CycleExplanation) -> Json:
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
