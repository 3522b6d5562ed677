"""A replay as JSON: `replay_json`."""

from collections.abc import Sequence

from schedcheck.checker.judging.reply import Reply
from schedcheck.checker.replaying.replay import Finding, Options, Outcome
from schedcheck.report.json.judged import judged_json
from schedcheck.report.json.pieces import FORMAT, Json
from schedcheck.version import __version__


def replay_json(
    form: str, profile: str, strictness: str, options: Options, found: Outcome, notes: Sequence[str], exit_code: int
) -> Json:
    """Return what a replay came to."""
    return {
        "format": FORMAT,
        "schedcheck": __version__,
        "form": form,
        "profile": profile,
        "strictness": strictness,
        "lag": options.lag.seconds,
        "changes": found.changes,
        "decisions": found.decisions,
        "verdicts": {
            "allowed": found.verdicts["allowed"],
            "refused": found.verdicts["refused"],
            "unknown": found.verdicts["unknown"],
            "notJudged": found.verdicts["not judged"],
        },
        "explained": found.explained,
        "reasons": [
            {"verdict": verdict, "reason": reason, "decisions": number}
            for (verdict, reason), number in sorted(found.reasons.items())
        ],
        "first": None if found.first is None else finding_json(found.first),
        "findings": [finding_json(each) for each in found.findings],
        "contradictions": found.contradictions,
        "stopped": found.stopped or None,
        "notes": list(notes),
        "exitCode": exit_code,
    }


def finding_json(found: Finding) -> Json:
    """Return a refused or unknown decision."""
    decided = found.decided
    return {
        "number": found.number,
        "line": decided.line,
        "time": decided.time,
        "pod": "/".join(decided.pod),
        "decision": reply_json(decided.reply),
        **judged_json(found.judged),
        "tried": found.tried,
        "wanting": list(found.wanting),
    }


def reply_json(reply: Reply) -> Json:
    """Return the decision in the form of a reply, without what is told beside it."""
    found: Json = {"kind": reply.kind}
    if reply.node:
        found["node"] = reply.node
    if reply.victims is not None:
        found["victims"] = sorted("/".join(key) for key in reply.victims)
    return found
