"""What happens if manifests are applied, as JSON: `deployed_json`."""

from collections.abc import Iterable

from schedcheck.checker.deploying.behaviours import Ending
from schedcheck.checker.deploying.deployed import Deployed
from schedcheck.checker.deploying.reasons import Pending, pending
from schedcheck.checker.result import Verdict
from schedcheck.manifests.rollouts import Change
from schedcheck.report.json.answers import along_json, step_json
from schedcheck.report.json.pieces import FORMAT, Json, reference
from schedcheck.report.text.changes import Step, steps_along
from schedcheck.report.text.deploy import row
from schedcheck.report.text.left_aside import left_aside_json
from schedcheck.version import __version__


def deployed_json(
    changes: Iterable[Change], found: Deployed, hooks: Iterable[str], verdict: Verdict, exit_code: int
) -> Json:  # fmt: skip
    """Return the answer."""
    explored, bad = found.explored, found.bad
    return {
        "format": FORMAT,
        "schedcheck": __version__,
        "profile": found.asked.scenario.profile,
        "verdict": verdict.value,
        "exitCode": exit_code,
        "by": found.by,
        "applied": [_change(each, found) for each in changes],
        "hooks": list(hooks),
        "controllers": list(found.asked.scenario.running) if found.asked.running else [],
        "rests": found.rests,
        "mayEvict": [reference(pod) for pod in found.counted.evicting],
        "evicted": [
            {"pod": victim, "for": sorted(preemptors)} for victim, preemptors in sorted(found.seen.evicted.items())
        ],
        "states": None if explored is None else explored.result.distinct,
        "stopped": None if explored is None else explored.result.stopped or None,
        "behaviours": None if found.followed is None else found.followed.number,
        "cut": [] if explored is None else list(explored.scenario.cut),
        "bad": None
        if bad is None
        else {
            "violated": [{"property": each.name, "claim": each.claim} for each in bad.broken],
            "steps": list(bad.actions),
            "repeatsAfter": bad.loop,
        },
        "pending": [_pending(each) for each in (pending(found) if verdict is Verdict.VIOLATED else ())],
        **left_aside_json(found.asked.scenario),
    }


def steps_of_ending(bad: Ending) -> tuple[Step, ...]:
    """Return the steps of a behaviour that ends badly."""
    return steps_along(bad.trail())


def behaviour_json(bad: Ending) -> Json:
    """Return a behaviour as in a violation of `check`: the first cluster, its amounts, the steps, and where they repeat."""
    loop = len(bad.actions) if bad.loop is None else bad.loop
    return {**along_json(steps_of_ending(bad), _step), "loop": loop}


def _step(step: Step) -> Json:
    """Return a step; an action may be known by its text alone."""
    if not isinstance(step.action, str):
        return step_json(step)
    told = {"kind": step.action.partition("(")[0], "text": step.action}
    return {**step_json(Step(0, None, step.changes, step.snapshot)), "step": step.number, "action": told}


def _change(change: Change, found: Deployed) -> Json:
    told = row(change, found)
    return {
        "kind": change.kind,
        "namespace": change.namespace,
        "name": change.name,
        "what": change.what,
        "replicasBefore": change.before,
        "replicas": change.replicas,
        "least": told.least,
        "greatest": told.greatest,
        "nodes": list(told.nodes),
        "nodesAtMost": None if told.at_most is None else list(told.at_most),
        "nodesExact": told.exact,
        "proved": told.proved,
        "unproved": list(told.unproved),
        "unknown": change.unknown or None,
        "notes": list(change.notes),
    }


def _pending(each: Pending) -> Json:
    return {
        "pods": [reference(pod) for pod in each.pods],
        "event": each.event,
        "nodes": [
            {
                "node": stop.node,
                "refusals": [
                    {"filter": refusal.plugin, "reason": reason}
                    for refusal in stop.refusals
                    for reason in refusal.reasons
                ],
                "short": [{"resource": lack.resource, "asked": lack.asked, "free": lack.free} for lack in stop.short],
            }
            for stop in each.stops
        ],
    }
