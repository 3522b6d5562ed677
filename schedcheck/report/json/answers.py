"""Verdicts and explanations as JSON. docs/output.md describes the structure, which only grows within a version."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict

from schedcheck.checker.check import Checked, Search
from schedcheck.checker.result import Verdict, Violation
from schedcheck.manifests import manifest
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.report.json.amounts import all_amounts_json, amounts_json
from schedcheck.report.json.cycle_parts import short_json
from schedcheck.report.json.pieces import FORMAT, Json, action_json, reference
from schedcheck.report.text import statement
from schedcheck.report.text.changes import Change, Step, Thing, steps
from schedcheck.report.text.left_aside import left_aside_json
from schedcheck.report.text.repetition import evicted_twice
from schedcheck.report.text.rounds import rounds
from schedcheck.report.text.waiting import waiting
from schedcheck.spec.binding import unbound
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.properties.kinds import Property
from schedcheck.version import __version__


def checked_json(checked: Checked, search: Search, exit_code: int) -> Json:
    """Return all results of a check."""
    result = checked.result
    return {
        "format": FORMAT,
        "schedcheck": __version__,
        "scenario": scenario_json(checked.scenario),
        "verdict": result.verdict.value,
        "exitCode": exit_code,
        "warnings": [statement.warning(checked)] if result.verdict is Verdict.VACUOUS else [],
        "bounds": {
            "complete": statement.complete(result),
            "stopped": result.stopped,
            "statement": statement.bounds(checked),
            "proof": result.proof or None,
            "directed": result.directed,
        },
        "counts": {
            "distinct": result.distinct,
            "generated": result.generated,
            "depth": result.depth,
            "queue": result.queue,
            "done": result.done,
            "stuck": result.stuck,
            "seconds": round(result.seconds, 3),
        },
        "search": asdict(search),
        "engine": checked.engine,
        "symmetry": statement.symmetry(checked),
        "byEvents": rounds_json(checked),
        "coverage": dict(result.coverage),
        "properties": [
            {
                "name": each.name,
                "kind": each.kind,
                "claim": each.claim,
                "verdict": each.verdict,
                **({} if each.unknown is None else {"unknown": each.unknown}),
                "vacuous": each.vacuous,
            }
            for each in statement.outcomes(checked)
        ],
        "violations": [violation_json(violation, checked) for violation in result.violations],
        "stuck": stuck_json(checked),
    }


def rounds_json(checked: Checked) -> Json | None:
    """Return the explorations with at most 0, 1, … events; None if events were not bounded one after the other."""
    rounds = [
        {
            "events": each.events,
            "verdict": each.verdict.value,
            "distinct": each.states,
            "seconds": round(each.seconds, 3),
            "stopped": each.stopped,
            "proof": each.proof,
        }
        for each in checked.rounds
    ]
    whole = checked.whole or None
    return {"rounds": rounds, "allSeen": checked.all_seen, "wholeStoppedAt": whole} if rounds else None


def scenario_json(scenario: Scenario) -> Json:
    """Return the explored scenario."""
    blocking = statement.blocking(scenario)
    return {
        "name": scenario.name,
        "profile": scenario.profile,
        "faults": sorted(scenario.faults),
        "ratedResource": scenario.rated_resource,
        "pods": [
            {**reference(pod), "priority": pod.priority, "absent": pod.key in scenario.absent} for pod in scenario.pods
        ],
        "nodes": [reference(node) for node in scenario.nodes],
        "events": [rule_json(rule) for rule in scenario.rules],
        "controllers": sorted(scenario.running),
        "budgets": [
            {
                "namespace": budget.namespace,
                "name": budget.name,
                "disruptionsAllowed": budget.disruptions_allowed,
                "blocksEveryDrain": budget in blocking,
            }
            for budget in scenario.budgets
        ],
        "cut": list(scenario.cut),
        **left_aside_json(scenario),
        "victims": scenario.victims,
        "completed": scenario.completed,
        "constraints": list(scenario.constraints),
        "fairness": scenario.fairness,
        "extenders": statement.extenders(scenario),
        "uncounted": statement.uncounted(scenario),
    }


def rule_json(rule: Rule) -> Json:
    """Return an event with the objects that it may affect, and its bound."""
    made: Json = {"event": rule.event, "bound": rule.bound}
    if rule.pods:
        made["pods"] = [{"namespace": namespace, "name": name} for namespace, name in rule.pods]
    if rule.nodes:
        made["nodes"] = list(rule.nodes)
    if rule.workloads:
        made |= {"workloads": list(rule.workloads), "replicas": rule.replicas}
    if rule.taint is not None:
        made["taint"] = str(rule.taint)
    if rule.label_key:
        made |= {"key": rule.label_key, "values": list(rule.label_values)}
    if rule.guards:
        made["when"] = [guard.text for guard in rule.guards]
    return made


def violation_json(violation: Violation, checked: Checked) -> Json:
    """Return a violated property, its trace, the first and last snapshot, and the pods pending at the end."""
    taken = steps(violation.trace, checked)
    left = sorted(unbound(taken[-1].snapshot, NO_FAULTS), key=lambda pod: pod.key) if taken else []
    return {
        "property": violation.property.name,
        "kind": statement.kind(violation.property),
        "claim": violation.property.claim,
        "start": snapshot_json(taken[0].snapshot) if taken else [],
        **({"amounts": all_amounts_json(taken[0].snapshot)} if taken else {}),
        "trace": [step_json(step) for step in taken],
        "loop": violation.loop,
        "round": [asdict(each) for each in rounds(violation, taken)],
        **({"twice": asdict(twice)} if (twice := evicted_twice(violation)) is not None else {}),
        "end": snapshot_json(taken[-1].snapshot) if taken else [],
        "waiting": [reference(pod) for pod in left],
        "waitingBecause": _because(taken, checked, violation.property),
    }


def along_json(taken: Sequence[Step], told: Callable[[Step], Json] | None = None) -> Json:
    """Return a behaviour: the first cluster with its amounts, and the steps, each as `told` gives it."""
    return {
        "start": snapshot_json(taken[0].snapshot),
        "amounts": all_amounts_json(taken[0].snapshot),
        "trace": [(told or step_json)(step) for step in taken],
    }


def stuck_json(checked: Checked) -> Json | None:
    """Return the nearest stuck state, or None: its trace and snapshot, and the pending pods with reasons."""
    taken = steps(checked.stuck, checked)
    if not taken:
        return None
    return {
        "states": checked.result.stuck,
        **along_json(taken),
        "end": snapshot_json(taken[-1].snapshot),
        "waitingBecause": _because(taken, checked),
    }


def _because(taken: Sequence[Step], checked: Checked, question: Property | None = None) -> list[Json]:
    """Return why pods are pending at the end: the refusals of each node, and the scheduler's message."""
    return [
        {
            "pod": reference(each.pod) | {"priority": each.pod.priority},
            "nodes": [
                {
                    "nodes": list(names),
                    "refusals": [{"filter": filter_, "reason": reason} for filter_, reason in refusals],
                    "short": [
                        {"node": name, **lacking, "atMost": each.at_most}
                        for name in names
                        for lacking in short_json(each.short.get(name, ()))
                    ],
                }
                for names, refusals in each.nodes
            ],
            "said": each.said,
        }
        for each in (waiting(taken[-1].snapshot, checked, question) if taken else ())
    ]


def step_json(step: Step) -> Json:
    """Return a step: its number, the action, the objects that it changed, and the changes in the scheduler's memory."""
    return {
        "step": step.number,
        "action": action_json(step.action) if step.number else None,
        "changes": [change_json(change) for change in step.changes],
        **({"noted": list(step.noted)} if step.noted else {}),
    }


def change_json(change: Change) -> Json:
    """Return a changed object: its reference, the change in words, and its manifest, null if it is gone; its amounts."""
    after = None if change.after is None else manifest(change.after)
    amounts = amounts_json(change.after)
    return {**reference(change.thing), "text": change.text, "after": after, **({"amounts": amounts} if amounts else {})}


def snapshot_json(snapshot: Snapshot) -> list[Json]:
    """Return the manifests of a snapshot: namespaces, nodes, budgets, pods, each in order."""
    things: tuple[Thing, ...] = (*snapshot.nodes, *snapshot.budgets, *snapshot.pods)
    return [*_namespaces(snapshot), *(manifest(thing) for thing in things)]


def _namespaces(snapshot: Snapshot) -> Iterator[Json]:
    """Yield the manifests of the namespaces."""
    for namespace in snapshot.namespaces:
        labels = {"labels": dict(namespace.labels)} if namespace.labels else {}
        yield {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace.name, **labels}}
