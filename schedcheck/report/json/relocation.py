"""What happens if nodes are drained or fail, as JSON: `relocated_json`."""

from collections.abc import Iterable

from schedcheck.checker.relocation.beside import outcomes, why_open
from schedcheck.checker.relocation.left import left
from schedcheck.checker.relocation.questions import not_asked
from schedcheck.checker.relocation.relocation import Relocation
from schedcheck.checker.relocation.turns import Turns
from schedcheck.checker.result import Verdict
from schedcheck.model.scenario import Scenario
from schedcheck.report.json.answers import violation_json
from schedcheck.report.json.pieces import FORMAT, Json, reference
from schedcheck.report.text.left_aside import left_aside_json
from schedcheck.version import __version__


def relocated_json(
    asked: str,
    cases: Iterable[Relocation],
    scenario: Scenario,
    verdict: Verdict,
    exit_code: int,
    sets: dict[str, int | str] | None = None,
    turns: Turns | None = None,
    controllers: Iterable[str] = (),
) -> Json:  # fmt: skip
    """Return the answer for each set of nodes."""
    return {
        "format": FORMAT,
        "schedcheck": __version__,
        "asked": asked,
        "profile": scenario.profile,
        "controllers": list(controllers),
        "verdict": verdict.value,
        "exitCode": exit_code,
        "sets": sets,
        "inTurn": None if turns is None else _turns(turns),
        "cases": [_case(each) for each in cases],
        **left_aside_json(scenario),
    }


def _turns(turns: Turns) -> Json:
    return {
        "nodes": list(turns.nodes),
        "order": list(turns.order),
        "everyOrder": turns.every,
        "unproved": [_case(each) for each in turns.unproved],
        "blocked": [
            {"namespace": each.budget.namespace, "name": each.budget.name, "why": each.why} for each in turns.blocked
        ],
        "stopped": turns.stopped or None,
    }


def _case(found: Relocation) -> Json:
    leaving, explored = found.leaving, found.explored
    return {
        "nodes": list(leaving.nodes),
        "verdict": found.verdict.value,
        "by": "counting" if explored is None else "exploration",
        "pods": [
            {
                **reference(pod),
                "feasibleNodes": found.places[pod.key].feasible,
                "othersNeeded": found.places[pod.key].needed,
                "proved": found.places[pod.key].proved,
                "unproved": found.places[pod.key].unproved or None,
            }
            for pod in leaving.movers
        ],
        "lost": [reference(pod) for pod in leaving.lost],
        "staying": [reference(pod) for pod in leaving.staying],
        "budgets": [
            {"namespace": each.budget.namespace, "name": each.budget.name, "verdict": each.verdict, "why": each.why}
            for each in found.budgets
        ],
        "budgetsLeft": [
            {
                "namespace": each.budget.namespace,
                "name": each.budget.name,
                "expected": each.budget.expected,
                "healthy": each.healthy,
                "desired": each.desired,
                "allowed": each.allowed,
            }
            for each in (() if leaving.drain else left(leaving))
        ],
        "controllers": list(leaving.scenario.running) if leaving.running else [],
        "notAsked": [reference(pod) for pod in not_asked(leaving)] if leaving.running else [],
        **dict.fromkeys(("ends", "placed", "rests")),
        **(outcomes(found) if leaving.running else {}),
        "mayEvict": [reference(pod) for pod in found.evicting],
        "peace": found.peace or None,
        "states": None if explored is None else explored.result.distinct,
        "stopped": None if explored is None else explored.result.stopped or None,
        "undecided": why_open(found) or None,
        "cut": [] if explored is None else list(explored.scenario.cut),
        "violations": [] if explored is None else [violation_json(each, explored) for each in found.violations],
    }
