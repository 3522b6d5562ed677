"""A replay as text: the record, the verdicts, and the first decision that nothing explains: `show`."""

from collections.abc import Iterator
from datetime import UTC, datetime

from schedcheck.checker.judging.judged import CLAUSES
from schedcheck.checker.judging.reply import Reply
from schedcheck.checker.replaying.replay import Finding, Options, Outcome
from schedcheck.report.json.judged import decision_json
from schedcheck.report.json.pieces import Json
from schedcheck.report.json.replay import reply_json
from schedcheck.report.text.lines import show_facts, show_text
from schedcheck.report.text.profiles import departures
from schedcheck.report.text.terminal import Terminal, counted

FORMS = {
    "schedcheck": "events and decisions",
    "audit": "the audit log of an API server",
    "events": "Kubernetes events",
    "simulator": "results of kube-scheduler-simulator",
}
MOST_ALLOWED = 5
LEAST_DATE = 10**9
"""The seconds from which on a time is taken as one since 1970."""
LAST_DATE = datetime(9999, 1, 1, tzinfo=UTC).timestamp()


def show(form: str, profile: str, strictness: str, options: Options, found: Outcome, console: Terminal) -> None:
    """Print the answer."""
    show_facts(_head(form, profile, strictness, options, found), console)
    if found.first is not None:
        console.show()
        _show_first(found.first, console)


def _head(form: str, profile: str, strictness: str, options: Options, found: Outcome) -> Iterator[tuple[str, str]]:
    yield "Record", f"{FORMS[form]}: {counted(found.changes, 'change')}, {counted(found.decisions, 'decision')}"
    yield "Profile", departures(profile)
    yield "Held to", f"{strictness}; a change is known after {options.lag.seconds:g} s at the latest"
    yield "Verdicts", _verdicts(found)
    for verdict in ("refused", "unknown", "not judged"):
        reasons = [f"{number:,} {why}" for (of, why), number in found.reasons.most_common() if of == verdict]
        if reasons:
            yield verdict.capitalize(), "\n".join(reasons)
    if found.contradictions:
        more = len(found.contradictions) - MOST_ALLOWED
        shown = "\n".join(found.contradictions[:MOST_ALLOWED])
        yield "Contradictions", shown + (f"\nand {more:,} more" if more > 0 else "")
    if found.stopped:
        yield "Stopped", found.stopped


def _verdicts(found: Outcome) -> str:
    allowed = f"{found.verdicts['allowed']:,} allowed"
    if found.explained:
        allowed += f" ({found.explained:,} by another knowledge than that of the record)"
    others = [
        f"{found.verdicts[each]:,} {each}" for each in ("refused", "unknown", "not judged") if found.verdicts[each]
    ]
    return ", ".join([allowed, *others])


def _show_first(found: Finding, console: Terminal) -> None:
    """Print the first refused decision, what is allowed instead, and what would explain it."""
    decided, judged = found.decided, found.judged
    at = f", {_time(decided.time)}" if decided.time is not None else ""
    console.out(f"The first refused decision is number {found.number:,} (line {decided.line:,}{at}):", highlight=False)
    show_text(f"{'/'.join(decided.pod)}: {_decision(decided.reply)}", console, "  ", "    ")
    show_text(f"{judged.clause}: {CLAUSES[judged.clause]}", console, "  ", "    ")
    for reason in judged.reasons:
        show_text(reason, console, "    ", "      ")
    if judged.allowed:
        shown = [_said(decision_json(each)) for each in judged.allowed[:MOST_ALLOWED]]
        more = len(judged.allowed) - len(shown)
        show_text(f"Allowed: {' or '.join(shown)}{f' or {more:,} more' if more else ''}", console, "  ", "    ")
    tried = f"{counted(found.tried, 'knowledge')} tried" if found.tried != 1 else "no other knowledge was possible"
    show_text(f"Nothing that the scheduler may have known explains it ({tried}).", console, "  ", "    ")
    for each in found.wanting:
        show_text(f"It would be allowed {each}", console, "  ", "    ")


def _time(seconds: float) -> str:
    """Return a time as it is in a log, or the seconds of a record that begins with 0."""
    if not LEAST_DATE <= seconds < LAST_DATE:
        return f"{seconds:g} s"
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


def _decision(reply: Reply) -> str:
    return _said(reply_json(reply))


def _said(reply: Json) -> str:
    """Return a decision as words."""
    kind, node = reply["kind"], reply.get("node", "")
    victims = ", ".join(reply.get("victims") or ())
    if kind == "bind":
        return f"bind to {node}"
    if kind in ("nominate", "evict"):
        evicting = f"evict {victims}" if victims else ""
        return " and ".join(filter(None, (f"nominate to {node}" if kind == "nominate" else "", evicting)))
    return "leave it pending" if kind == "unschedulable" else "end in an error"
