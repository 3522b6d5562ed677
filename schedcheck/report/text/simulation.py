"""The runs of a simulation as text: the sample, the workloads, evictions, budgets, and the use of resources: `show`."""

from collections.abc import Iterable, Iterator, Sequence

from schedcheck.checker.simulating.running import Finding, Run
from schedcheck.checker.simulating.summary import OfWorkload, Outcome, Spread, Summary
from schedcheck.report.text.lines import show_facts, show_text
from schedcheck.report.text.profiles import departures
from schedcheck.report.text.terminal import Terminal, counted, table

MOST_ROWS = 20
MOST_MESSAGES = 5
BARS = "▁▂▃▄▅▆▇█"
WIDEST = 30
"""The most bars of a series."""

KINDS = {
    "EvictVictim": "by preemption",
    "Evict": "through the API",
    "TaintEvict": "by taints",
    "Collect": "from missing nodes",
    "Refuse": "refused by budgets",
}


MOST_REASONS = 3
"""The reasons for unknown decisions that are shown."""


def show(found: Outcome, console: Terminal) -> None:
    """Print the answer."""
    show_facts(_head(found), console)
    together = found.together
    workloads = sorted(together.workloads, key=_urgency)
    if workloads:
        console.show()
        _show_workloads(workloads, console)
    if together.waiting:
        console.show()
        _show_waiting(workloads, console)
    if together.budgets:
        console.show()
        _show_budgets(together, console)
    if together.resources:
        console.show()
        _show_resources(together, console)
    _show_preempted(found.runs, console)
    _show_findings(found.runs, console)
    _show_story(found.runs, console)


def _head(found: Outcome) -> Iterator[tuple[str, str]]:
    there = found.start.snapshot
    pending = sum(not pod.node_name for pod in there.pods)
    yield (
        "Cluster",
        f"{counted(len(there.nodes), 'node')}, {counted(len(there.pods), 'pod')}, {pending:,} of them pending",
    )
    yield "Profile", departures("kubernetes")
    events = len(found.start.timeline)
    yield "Time", f"{seconds(found.start.until)}, {counted(events, 'event') if events else 'no event'} in the timeline"
    yield "Runs", _runs(found)
    yield "Judged", _judged(found.runs)
    reasons = sorted({why for run in found.runs for _, why in run.unknown})
    if reasons:
        more = [f"and {counted(len(reasons) - MOST_REASONS, 'other reason')}"] * (len(reasons) > MOST_REASONS)
        yield "Unknown", "\n".join([*reasons[:MOST_REASONS], *more])
    evicted = [f"{whole(each)} {KINDS[kind]}" for kind, each in found.together.evicted.items() if each.greatest]
    yield "Evictions", ", ".join(evicted) or "none"


def _runs(found: Outcome) -> str:
    numbers = f"run {found.asked[0]}" if len(found.asked) == 1 else counted(len(found.asked), "run")
    text = f"{numbers}, seed {found.seed}: a sample, which proves nothing of other orders and delays"
    if not found.stopped:
        return text
    ended = sum(not run.stopped for run in found.runs)
    parts = ", ".join(f"run {run.number} at {seconds(run.ended)}" for run in found.runs if run.stopped)
    return f"{text}\nSTOPPED ({found.stopped}): {ended} of {len(found.asked)} reached the end{'; ' if parts else ''}{parts}"


def _judged(runs: Sequence[Run]) -> str:
    judged, all_of_them = sum(run.judged for run in runs), sum(run.decisions for run in runs)
    unknown = sum(len(run.unknown) for run in runs)
    excused = sum(bool(each.rows) for run in runs for each in run.findings)
    differing = sum(not each.rows for run in runs for each in run.findings)
    if not judged:
        return f"none of {counted(all_of_them, 'decision')}"
    chosen = "" if judged == all_of_them else ", chosen at random"
    said = f"{differing:,} NOT ALLOWED by the specification" if differing else "all allowed by the specification"
    if unknown and not differing:
        said = "the others allowed by the specification" if unknown < judged else ""
    more = [f"{excused:,} excused by a divergence"] * bool(excused) + [f"{unknown:,} unknown"] * bool(unknown)
    return f"{judged:,} of {counted(all_of_them, 'decision')}{chosen}: {', '.join([said, *more] if said else more)}"


def seconds(value: float) -> str:
    """Return a duration as Kubernetes writes it: in whole milliseconds below a second, in tenths below a minute."""
    if value < 1:
        return f"{1000 * value:.0f}ms" if value else "0s"
    if value < 59.95:
        return f"{value:.1f}".removesuffix(".0") + "s"
    minutes, rest = divmod(round(value), 60)
    hours, minutes = divmod(minutes, 60)
    parts = ((hours, "h"), (minutes, "m"), (rest, "s"))
    return "".join(f"{number}{unit}" for number, unit in parts if number)


def whole(each: Spread) -> str:
    """Return the least and the greatest of counts."""
    return f"{each.least:,.0f}" if each.least == each.greatest else f"{each.least:,.0f}–{each.greatest:,.0f}"


def times(each: Spread | None) -> str:
    """Return the least and the greatest of durations."""
    if each is None:
        return "-"
    first, last = seconds(each.least), seconds(each.greatest)
    if each.greatest < 1 or 1 <= each.least <= each.greatest < 59.95:
        first = first if first == last else first.rstrip("ms")
    return first if first == last else f"{first}–{last}"


def shares(each: Spread | None) -> str:
    """Return the least and the greatest of shares in percent."""
    if each is None:
        return "-"
    texts = f"{100 * each.least:.0f}", f"{100 * each.greatest:.0f}"
    return f"{texts[0]}%" if texts[0] == texts[1] else f"{texts[0]}–{texts[1]}%"


def _urgency(each: OfWorkload) -> tuple[float, float, str]:
    """Return the sort key: most unbound pods at the end first, then the longest wait."""
    return -each.waiting.greatest, -(each.longest.greatest if each.longest else 0.0), each.name


def _show_workloads(ordered: Sequence[OfWorkload], console: Terminal) -> None:
    names = ("Bound", "Median", "95th", "Longest", "Unbound")
    made = table("Pods of", *names, numbers=names)
    for column in made.columns[1:]:
        column.no_wrap = True
    for each in ordered[:MOST_ROWS]:
        made.add_row(
            each.name, whole(each.bound), *map(times, (each.median, each.late, each.longest)), whole(each.waiting)
        )
    console.show(made)
    if len(ordered) > MOST_ROWS:
        left = ordered[MOST_ROWS:]
        longest = max((each.longest.greatest for each in left if each.longest), default=0.0)
        more = counted(len(left), "more workload")
        console.out(f"and {more}, which waited at most {seconds(longest)}", highlight=False)


def _show_waiting(workloads: Iterable[OfWorkload], console: Terminal) -> None:
    """Print why pods are unbound at the end, in the scheduler's own words."""
    console.out("Unbound at the end:", highlight=False)
    examples = [each.example for each in workloads if each.example is not None]
    for example in examples[:MOST_MESSAGES]:
        show_text(f"{example.pod}: {example.message}", console, "  ", "    ")
    if len(examples) > MOST_MESSAGES:
        console.out(f"  and pods of {counted(len(examples) - MOST_MESSAGES, 'more workload')}", highlight=False)


def _show_budgets(together: Summary, console: Terminal) -> None:
    """Print the budgets, first those that refused most, then those that allowed least."""
    names = ("Allowed", "Refused", "Not asked", "Least allowed")
    made = table("Budget", *names, numbers=names)
    ordered = sorted(together.budgets, key=lambda each: (-each.refused.greatest, each.least.least if each.least else 0))
    for each in ordered[:MOST_ROWS]:
        least = "-" if each.least is None else whole(each.least)
        made.add_row(each.name, whole(each.evicted), whole(each.refused), whole(each.unasked), least)
    console.show(made)
    if len(together.budgets) > MOST_ROWS:
        console.out(f"and {counted(len(together.budgets) - MOST_ROWS, 'more budget')}", highlight=False)


def _show_resources(together: Summary, console: Terminal) -> None:
    names = ("Start", "Peak", "End")
    made = table("Requested", *names, "Over time, the first run", numbers=names)
    for each in together.resources:
        made.add_row(each.name, shares(each.start), shares(each.peak), shares(each.end), bars(each.series))
    console.show(made)


def bars(series: Sequence[float | None]) -> str:
    """Return a series of shares from 0 to 1 as bars; a blank if nothing is offered."""
    step = max(1, -(-len(series) // WIDEST))
    pieces = [
        [each for each in series[place : place + step] if each is not None] for place in range(0, len(series), step)
    ]
    return "".join(BARS[min(7, int(8 * max(piece)))] if piece else " " for piece in pieces)


def _show_preempted(runs: Sequence[Run], console: Terminal) -> None:
    first = next((run for run in runs if run.preempted), None)
    if first is None:
        return
    console.show()
    console.out(f"Preempted in run {first.number}:", highlight=False)
    for each in first.preempted[:MOST_ROWS]:
        show_text(f"{seconds(each.time)}  {each.victim} on {each.node} for {each.preemptor}", console, "  ", "    ")
    if len(first.preempted) > MOST_ROWS:
        console.out(f"  and {len(first.preempted) - MOST_ROWS:,} more", highlight=False)


def _show_findings(runs: Iterable[Run], console: Terminal) -> None:
    for run in runs:
        for each in run.findings:
            console.show()
            _show_finding(run.number, each, console)


def _show_finding(run: int, each: Finding, console: Terminal) -> None:
    said = f"excused by {', '.join(each.rows)}" if each.rows else "NOT ALLOWED"
    show_text(f"{said}: decision {each.number} of run {run}, at {seconds(each.time)}, on {each.pod}", console)
    for party, decisions in (("production", each.made), ("specification", each.allowed)):
        for text in decisions:
            show_text(text, console, f"  {party:13}  ", " " * 17)


def _show_story(runs: Iterable[Run], console: Terminal) -> None:
    for run in runs:
        if run.story:
            console.show()
            wide = max(len(f"{time:.3f}") for time, _ in run.story)
            console.out(f"{'Seconds':>{wide}}  Step", highlight=False)
            for time, text in run.story:
                show_text(text, console, f"{time:>{max(wide, 7)}.3f}  ", " " * (max(wide, 7) + 2))
