"""The answers of a scheduler that is a program, as JSON: `answered_json`, `explored_json`."""

from collections.abc import Sequence

from schedcheck.checker.foreign.answered import Answered
from schedcheck.checker.foreign.program import Failure
from schedcheck.report.json.judged import judged_json
from schedcheck.report.json.pieces import Json, reference


def answered_json(answered: Answered) -> Json:
    """Return an answer: the pod, the reply as it was told, its judgement, or the failure."""
    return {
        "pod": reference(answered.pod),
        "reply": answered.told,
        "judgement": None if answered.judged is None else judged_json(answered.judged),
        "failure": None if answered.failure is None else failure_json(answered.failure),
    }


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
    }
