"""A scheduling cycle's explanation as JSON: every verdict with all refusals, every score in three steps, the choice."""

from collections.abc import Iterable, Mapping
from typing import Any

from schedcheck import __version__
from schedcheck.checker.explain.extenders import Consulted, open_nodes
from schedcheck.checker.explain.kubernetes import CycleExplanation, Evictions
from schedcheck.report.json.answers import FORMAT, reference
from schedcheck.spec.kubernetes.refusal import Refusal

Json = dict[str, Any]


def cycle_json(explanation: CycleExplanation, profile: str, added: Iterable[str]) -> Json:
    """Return all answers of the specification; `added` are the fields that admission added to the pod."""
    pod, plugins = explanation.pod, explanation.cycle.plugins
    return {
        "format": FORMAT,
        "schedcheck": __version__,
        "pod": reference(pod) | {"priority": pod.priority, "node": explanation.stood or None},
        "profile": profile,
        "departures": sorted(departure.value for departure in plugins.departures),
        "completed": False,
        "added": list(added),
        "gated": None if explanation.gated is None else refusal_json(explanation.gated),
        "nodes": [_node_json(name, explanation) for name in explanation.verdicts],
        "weights": dict(plugins.weights),
        "skippedScores": list(explanation.scores.skipped),
        "scoreError": explanation.scores.error,
        "choice": {
            "kind": explanation.choice.kind,
            "mode": explanation.choice.mode or None,
            "nodes": list(explanation.choice.hosts),
            "error": explanation.choice.error or None,
        },
        "unmodelled": explanation.unmodelled or None,
        "possible": sorted(map(str, explanation.possible)),
        "extenders": None if explanation.consulted is None else _extenders_json(explanation.consulted),
        "preemption": None if explanation.evictions is None else _evictions_json(explanation.evictions),
    }


def _extenders_json(asked: Consulted) -> Json:
    """Return the extenders' answers; or the unasked extenders on which the result depends, and the possible results."""
    return {
        "asked": list(asked.asked),
        "refused": {name: refusal_json(each) for name, each in sorted(asked.refused.items())},
        "points": dict(sorted(asked.points.items())),
        "unknown": list(asked.unknown),
        "complete": asked.complete,
        "possible": sorted({str(each) for each in asked.possible}) if asked.unknown else [],
    }


def _evictions_json(evictions: Evictions) -> Json:
    """Return the result of preemption, if no node is feasible."""
    return {
        "event": evictions.event,
        "ineligible": evictions.ineligible,
        "candidates": [
            {
                "node": candidate.node.name,
                "victims": [reference(victim) | {"priority": victim.priority} for victim in candidate.victims],
                "violations": candidate.violations,
            }
            for candidate in evictions.candidates
        ],
        "statuses": {name: refusal_json(refusal) for name, refusal in evictions.statuses.items()},
        "selected": list(dict.fromkeys(candidate.node.name for candidate in evictions.selected)),
        "allowed": [
            {"node": each.node.name, "victims": [reference(victim) for victim in each.victims]}
            for each in evictions.selected
        ],
        "allAllowed": evictions.all_orders,
    }


def refusal_json(refusal: Refusal) -> Json:
    """Return a plugin's refusal."""
    return {"plugin": refusal.plugin or None, "code": refusal.code.value, "reasons": list(refusal.reasons)}


def _node_json(name: str, explanation: CycleExplanation) -> Json:
    """Return a node: all its refusals, the one recorded first, and its scores if it is feasible."""
    verdict, scores = explanation.verdicts[name], explanation.scores
    if verdict.refusal is not None:
        refusals = [refusal_json(each) for each in explanation.refusals[name]]
        return {"node": name, "feasible": False, "source": verdict.source, "refusals": refusals, "scores": None}
    steps: dict[str, Mapping[str, Mapping[str, int]]] = {
        "raw": scores.raw,
        "normalised": scores.normalised,
        "weighted": scores.weighted,
    }
    rated: Json = {
        plugin: {step: by_plugin[plugin][name] for step, by_plugin in steps.items()} for plugin in scores.weighted
    }
    return {
        "node": name,
        "feasible": "unknown"
        if explanation.unmodelled or open_nodes(explanation.cycle, explanation.consulted)
        else True,
        "source": verdict.source,
        "refusals": [],
        "scores": rated,
        "total": scores.total.get(name),
    }
