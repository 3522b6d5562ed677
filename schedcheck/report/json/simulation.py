"""The runs of a simulation as JSON: `simulation_json`."""

from dataclasses import asdict

from schedcheck.checker.simulating.running import Finding, Run
from schedcheck.checker.simulating.summary import OfResource, OfWorkload, Outcome, Spread, Summary
from schedcheck.model.simulation.delays import FLUSH, FLUSH_UNSCHEDULABLE, GRACE, RETRY
from schedcheck.report.json.pieces import FORMAT, Json
from schedcheck.version import __version__

DIGITS = 6
"""The digits after the point of a time in seconds, or of a share."""


def simulation_json(found: Outcome) -> Json:
    """Return the runs and their summary."""
    start, pods = found.start, found.start.snapshot.pods
    return {
        "format": FORMAT,
        "schedcheck": __version__,
        "profile": "kubernetes",
        "sampled": True,
        "seed": found.seed,
        "until": start.until,
        "nodes": len(start.snapshot.nodes),
        "pods": {"all": len(pods), "pending": sum(not pod.node_name for pod in pods)},
        "events": len(start.timeline),
        "delays": {name: asdict(each) for name, each in start.delays.bounds.items()},
        "fixed": {
            "podInitialBackoff": start.backoff.initial,
            "podMaxBackoff": start.backoff.most,
            "flushBackoff": FLUSH,
            "flushUnschedulable": FLUSH_UNSCHEDULABLE,
            "longestUnschedulable": 300.0,
            "terminationGracePeriod": GRACE,
            "drainRetry": RETRY,
        },
        "runsAsked": list(found.asked),
        "stopped": found.stopped or None,
        "summary": _summary(found.together),
        "runs": [_run(each) for each in found.runs],
    }


def _spread(found: Spread | None) -> list[float] | None:
    return None if found is None else [_rounded(found.least), _rounded(found.greatest)]


def _rounded(value: float) -> float:
    return round(value, DIGITS)


def _summary(found: Summary) -> Json:
    return {
        "workloads": [_workload(each) for each in found.workloads],
        "budgets": [
            {
                "name": each.name,
                "evicted": _spread(each.evicted),
                "refused": _spread(each.refused),
                "unasked": _spread(each.unasked),
                "leastAllowed": _spread(each.least),
            }
            for each in found.budgets
        ],
        "resources": [_resource(each) for each in found.resources],
        "evictions": {kind: _spread(each) for kind, each in found.evicted.items()},
    }


def _workload(each: OfWorkload) -> Json:
    return {
        "name": each.name,
        "bound": _spread(each.bound),
        "waiting": _spread(each.waiting),
        "median": _spread(each.median),
        "percentile95": _spread(each.late),
        "longest": _spread(each.longest),
        "message": each.example.message if each.example else None,
    }


def _resource(each: OfResource) -> Json:
    return {"name": each.name, "start": _spread(each.start), "peak": _spread(each.peak), "end": _spread(each.end)}


def _run(run: Run) -> Json:
    names = sorted(name for name, most in run.peak.items() if most)
    return {
        "run": run.number,
        "ended": _rounded(run.ended),
        "stopped": run.stopped or None,
        "actions": run.actions,
        "decisions": run.decisions,
        "judged": {
            "sample": run.sample,
            "judged": run.judged,
            "findings": [_finding(each) for each in run.findings],
            "unknown": [{"decision": number, "why": why} for number, why in run.unknown],
        },
        "workloads": [
            {
                "name": name,
                "seconds": [_rounded(each) for each in waits.seconds],
                "waiting": [
                    {"pod": each.pod, "since": _rounded(each.since), "message": each.message} for each in waits.waiting
                ],
                "deleted": waits.deleted,
            }
            for name, waits in run.waits.items()
        ],
        "evictions": dict(run.evicted),
        "preempted": [
            {"time": _rounded(each.time), "victim": each.victim, "preemptor": each.preemptor, "node": each.node}
            for each in run.preempted
        ],
        "budgets": [
            {
                "name": each.name,
                "evicted": each.evicted,
                "refused": each.refused,
                "unasked": each.unasked,
                "leastAllowed": each.least,
            }
            for each in run.budgets
        ],
        "peak": {name: run.peak[name] for name in names},
        "series": {
            "time": [_rounded(point.time) for point in run.points],
            "unbound": [point.unbound for point in run.points],
            "used": {name: [point.used.get(name, 0) for point in run.points] for name in names},
            "offered": {name: [point.offered.get(name, 0) for point in run.points] for name in names},
        },
        "story": [{"time": _rounded(time), "text": text} for time, text in run.story],
    }


def _finding(each: Finding) -> Json:
    found = asdict(each)
    return {**found, "time": _rounded(found["time"])}
