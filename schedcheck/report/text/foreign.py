"""What a scheduler that is a program decides, judged, as text: `show`; one complaint: `about`."""

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.table import Table
from rich.text import Text

from schedcheck.checker.foreign.answered import Answered
from schedcheck.checker.foreign.complaints import Complaint
from schedcheck.checker.foreign.outcome import Outcome
from schedcheck.checker.foreign.tallies import Tallies
from schedcheck.checker.judging.judged import CLAUSES
from schedcheck.report.json.judged import decision_json
from schedcheck.report.json.pieces import Json
from schedcheck.report.text.terminal import Terminal, counted, facts, listed, printed, table

MOST_ALLOWED = 5
"""The most allowed decisions that are named."""

MOST_LINES = 5
"""The most lines of standard error that are shown."""


def show(found: Outcome, console: Terminal) -> None:
    """Print the verdicts, how far the decisions are from the best, and what is wrong."""
    tallies = found.tallies
    console.show(facts(_facts(found)))
    console.show()
    console.show(_verdicts(tallies))
    if tallies.scores or tallies.casualties or tallies.ends:
        console.show()
        console.show(_distributions(tallies))
    for number, each in enumerate(found.complaints, 1):
        console.show()
        asked = f"{counted(each.questions, 'question')} of {tallies.asked:,}"
        console.show(Text(f"{number}. {title(each)}: {asked}", style="bold red"))
        for line in about(each):
            console.show(Text(printed(line)))
    for failure in found.late:
        console.show()
        console.show(Text(printed(f"After its reply to question {failure.question} the scheduler {failure.why}")))


def _facts(found: Outcome) -> Iterator[tuple[str, str]]:
    tallies, clusters, seconds = found.tallies, found.clusters, found.seconds
    yield "Scheduler", " ".join(found.command)
    yield "Held to", found.strictness
    if found.kinds:
        yield "Clusters", f"{clusters:,} random ones from seed {found.seed}"
        yield "Kinds", ", ".join(found.kinds)
    yield "Questions", f"{tallies.asked:,}"
    drawn = f"{clusters / seconds:,.0f} clusters and " if clusters and seconds else ""
    rate = f": {drawn}{tallies.asked / seconds:,.0f} questions a second" if seconds > 0.001 else ""
    yield "Time", f"{seconds:,.2f} s{rate}"
    if found.stopped:
        yield "Gave up", f"at {found.stopped}: other questions were not asked"


def _verdicts(tallies: Tallies) -> Table:
    shown = table("Allowed", "Refused", "Unknown", "No reply", numbers=["Allowed", "Refused", "Unknown", "No reply"])
    shown.add_row(*(f"{tallies.verdicts[name]:,}" for name in ("allowed", "refused", "unknown", "failed")))
    return shown


def _distributions(tallies: Tallies) -> Table:
    shown = table("Beside the best", "", "Number", numbers=["Number"])
    for place, (behind, number) in enumerate(sorted(tallies.scores.items())):
        shown.add_row("" if place else "score of the node", f"{behind} below" if behind else "the best", f"{number:,}")
    for place, (name, number) in enumerate(sorted(tallies.casualties.items())):
        shown.add_row("" if place else "casualty of the victims", name, f"{number:,}")
    for place, (name, number) in enumerate(sorted(tallies.ends.items())):
        shown.add_row("" if place else "pods placed in the end", name, f"{number:,}")
    return shown


def title(complaint: Complaint) -> str:
    """Return what is wrong, in a line."""
    if complaint.kind == "fails":
        return f"no reply ({complaint.clause})"
    if complaint.kind == "remembers":
        return "an answer depends on more than its question"
    return f"refused by {complaint.clause}"


def about(complaint: Complaint) -> Iterator[str]:
    """Yield lines: what the scheduler does, why that is wrong, what is allowed, and in which cluster."""
    answered = complaint.answered
    if complaint.kind == "remembers":
        for each in complaint.before:
            yield f"Asked first: {each.pod}, in a cluster of {cluster_of(each)}. It says: {said(each)}."
        yield "A process that is asked nothing before answers the next question otherwise."
    yield from decided(answered)
    yield f"Cluster: {cluster_of(answered)} ({counted(complaint.objects, 'object')} beside the pod)."
    if not complaint.confirmed:
        yield "Not confirmed: a process of its own that was asked this did not answer so, or was not asked."


def decided(answered: Answered) -> Iterator[str]:
    """Yield lines about an answer: the decision, why it is refused, and what is allowed; or the failure."""
    if answered.failure is not None:
        yield f"About {answered.pod} there is no reply: {answered.failure.why}."
        lines = answered.failure.stderr.splitlines()[-MOST_LINES:]
        if lines:
            yield "Its standard error ends with:"
            yield from (f"  {line}" for line in lines)
        return
    assert answered.judged is not None
    judged = answered.judged
    yield f"About {answered.pod} the scheduler says: {said(answered)}."
    if judged.clause:
        yield f"Refused by {judged.clause}: {CLAUSES[judged.clause]}."
    for reason in judged.reasons:
        yield f"Why: {reason}."
    allowed = [phrase(decision_json(each)) for each in judged.allowed]
    if allowed:
        more = len(allowed) - MOST_ALLOWED
        yield f"Allowed: {'; or '.join(allowed[:MOST_ALLOWED])}{f'; or {more:,} more' if more > 0 else ''}."
    numbers = judged.numbers
    if numbers.casualty is not None and numbers.specified is not None:
        pairs = zip(numbers.criteria, numbers.casualty, numbers.specified, strict=False)
        for name, made, wanted in pairs:
            if made != wanted:
                times = isinstance(made, tuple)
                yield (
                    f"Casualty: another {name}." if times else f"Casualty: {name} {made}, and {wanted} of the allowed."
                )
                break


def shown_again(
    command: Sequence[str], strictness: str, options: Sequence[str], before: Sequence[Path], cluster: Path, pod: str
) -> str:
    """Return the command that asks a scheduler about the pod of a cluster again."""
    held = [] if strictness == "best" else ["--strictness", strictness]
    first = [word for each in before for word in ("--before", str(each))]
    asked = ("schedcheck", "diff", "--scheduler", shlex.join(command))
    return shlex.join([*asked, *held, *options, *first, "--pod", pod, str(cluster)])


def said(answered: Answered) -> str:
    """Return what the scheduler decides, in words."""
    return "nothing" if answered.told is None else phrase(answered.told)


def phrase(reply: Json) -> str:
    """Return a decision in words."""
    kind = reply.get("kind")
    if kind == "bind":
        return f"bind to {reply.get('node')}"
    if kind in ("nominate", "evict"):
        victims = reply.get("victims")
        named = "victims that are not told" if victims is None else ", ".join(map(str, victims)) or "no pod"
        return f"nominate to {reply.get('node')} and evict {named}" if kind == "nominate" else f"evict {named}"
    return str(kind)


def cluster_of(answered: Answered) -> str:
    """Return the kinds and names of the objects of the question."""
    items = answered.question["cluster"]["items"]
    names = [
        f"{each['kind']} {each['metadata']['name']}" for each in items if each["kind"] != "Namespace"
    ]  # fmt: skip
    return listed(names, ", ")
