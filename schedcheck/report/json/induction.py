"""The answer of `induct` as JSON: a verdict for each property, with the counterexample to induction."""

from collections.abc import Sequence

from schedcheck.checker.induction.induction import Answer
from schedcheck.checker.induction.replaying import Replay
from schedcheck.model.scenario import Scenario
from schedcheck.report.json.pieces import FORMAT, Json, reference
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget
from schedcheck.version import __version__


def induction_json(scenario: Scenario, answers: Sequence[Answer], not_asked: Sequence[str]) -> Json:
    """Return all results as JSON."""
    return {
        "format": FORMAT,
        "schedcheck": __version__,
        "profile": scenario.profile,
        "properties": [_answer_json(each) for each in answers],
        "notAsked": list(not_asked),
    }


def _answer_json(answer: Answer) -> Json:
    return {
        "name": answer.name,
        "claim": answer.claim,
        "verdict": answer.standing.value,
        "assumed": answer.assumed or None,
        "why": answer.why or None,
        "counterexample": None if answer.replay is None else _replay_json(answer.replay),
    }


def _replay_json(replay: Replay) -> Json:
    before = replay.before
    return {
        "nodes": [_node_json(each) for each in sorted(before.nodes, key=lambda node: node.name)],
        "pods": [_pod_json(each) for each in sorted(before.pods, key=lambda pod: pod.key)],
        "budgets": [_budget_json(each) for each in sorted(before.budgets, key=lambda budget: budget.key)],
        "steps": list(replay.steps),
    }


def _node_json(node: Node) -> Json:
    return {
        **reference(node),
        "labels": dict(sorted(node.labels.items())),
        "taints": list(map(str, node.taints)),
        "unschedulable": node.unschedulable,
    }


def _pod_json(pod: Pod) -> Json:
    return {**reference(pod), "node": pod.node_name or None, "phase": pod.phase, "terminating": pod.terminating}


def _budget_json(budget: PodDisruptionBudget) -> Json:
    return {**reference(budget), "disruptionsAllowed": budget.disruptions_allowed}
