"""The answers of a scheduler that is a program, as JSON: `answered_json`, `explored_json`, `diff_json`."""

from collections.abc import Sequence

from schedcheck.checker.foreign.answered import Answered
from schedcheck.checker.foreign.complaints import Complaint
from schedcheck.checker.foreign.outcome import Outcome
from schedcheck.checker.foreign.program import Failure
from schedcheck.checker.judging.judged import CLAUSES
from schedcheck.report.json.judged import judged_json
from schedcheck.report.json.pieces import FORMAT, Json, reference
from schedcheck.version import __version__


def answered_json(answered: Answered) -> Json:
    """Return an answer: the pod, the reply as it was told, its judgement, or the failure."""
    return {
        "pod": reference(answered.pod),
        "reply": answered.told,
        "judgement": None if answered.judged is None else judged_json(answered.judged),
        "failure": None if answered.failure is None else failure_json(answered.failure),
    }


def manifests(answered: Answered) -> list[Json]:
    """Return the objects of the cluster of a question."""
    items: list[Json] = answered.question["cluster"]["items"]
    return items


def failure_json(failure: Failure) -> Json:
    """Return why a question was not answered."""
    return {"kind": failure.kind, "why": failure.why, "standardError": failure.stderr}


def explored_json(
    checked: Json,
    command: Sequence[str],
    asked: int,
    failed: Sequence[Answered],
    differing: Sequence[tuple[Answered, Answered]],
    why: Answered | None,
    smallest: Answered | None,
) -> Json:
    """Return the results of `check`, with what the program was asked and what it failed to answer."""
    return {
        **checked,
        "scheduler": {
            "command": list(command),
            "questions": asked,
            "failed": [answered_json(each) for each in failed],
            "differing": [{"first": answered_json(one), "afresh": answered_json(other)} for one, other in differing],
        },
        "why": None if why is None else answered_json(why),
        "smallest": None if smallest is None else {**answered_json(smallest), "manifests": manifests(smallest)},
    }


def complaint_json(complaint: Complaint) -> Json:
    """Return something wrong: what it is, the smallest question that shows it, and what has to be asked before."""
    return {
        "kind": complaint.kind,
        "clause": complaint.clause,
        "demands": CLAUSES.get(complaint.clause),
        "questions": complaint.questions,
        "objects": complaint.objects,
        "confirmed": complaint.confirmed,
        **answered_json(complaint.answered),
        "manifests": manifests(complaint.answered),
        "before": [{**answered_json(each), "question": each.question} for each in complaint.before],
    }


def diff_json(found: Outcome) -> Json:
    """Return the judgement of many answers of a program."""
    tallies, clusters, seconds = found.tallies, found.clusters, found.seconds
    return {
        "format": FORMAT,
        "schedcheck": __version__,
        "exitCode": found.exit_code,
        "scheduler": {"command": list(found.command)},
        "kinds": list(found.kinds),
        "strictness": found.strictness,
        "seed": found.seed,
        "clusters": clusters,
        "questions": tallies.asked,
        "seconds": round(seconds, 3),
        "clustersPerSecond": round(clusters / seconds, 1) if seconds > 0 else None,
        "questionsPerSecond": round(tallies.asked / seconds, 1) if seconds > 0 else None,
        "verdicts": {name: tallies.verdicts[name] for name in ("allowed", "refused", "unknown", "failed")},
        "decisions": dict(sorted(tallies.kinds.items())),
        "distributions": {
            "belowBestScore": {str(behind): number for behind, number in sorted(tallies.scores.items())},
            "casualty": dict(sorted(tallies.casualties.items())),
            "end": dict(sorted(tallies.ends.items())),
        },
        "complaints": [complaint_json(each) for each in found.complaints],
        "late": [failure_json(each) for each in found.late],
        "stopped": found.stopped or None,
    }
