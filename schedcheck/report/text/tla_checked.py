"""The result of checking a TLA+ module: the verdict, the counts, the properties, and the trace of each violation."""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.text import Text

from schedcheck.checker.language.checking.checking import Checked
from schedcheck.checker.language.checking.explored import Failed, Found
from schedcheck.checker.language.evaluation.steps import Label
from schedcheck.checker.language.values.showing import shown
from schedcheck.checker.result import Result, Stage, Verdict
from schedcheck.report.text.terminal import Terminal, facts, printed, table

COLOURS = {Verdict.HOLDS: "bold green", Verdict.VIOLATED: "bold red", Verdict.GAVE_UP: "bold yellow"}


def show(checked: Checked, console: Terminal) -> None:
    """Print all results."""
    result = checked.result
    console.show(Text(result.verdict.upper(), style=COLOURS[result.verdict]))
    console.show(Text(bounds(checked)))
    console.show()
    console.show(facts(_counts(result)))
    console.show()
    if result.coverage:
        actions = table("Action", "Taken", numbers=["Taken"])
        for name, count in sorted(result.coverage.items()):
            actions.add_row(Text(printed(name or "the next-state action")), f"{count:,}")
        console.show(actions)
        console.show()
    properties = table("Property", "Verdict")
    for name, verdict in standings(checked).items():
        properties.add_row(Text(printed(name)), f"{verdict}{_times(name, checked)}")
    if properties.row_count:
        console.show(properties)
    alias = checked.exploration.model.asked.alias
    if alias is not None:
        console.show()
        console.show(Text(printed(f"ALIAS {alias.name} is not used: states are shown as their variables.")))
    for found in checked.found:
        _show_found(found, checked, console)


def bounds(checked: Checked) -> str:
    """Return the bounds for which the verdict holds."""
    result = checked.result
    if result.verdict is Verdict.GAVE_UP:
        return f"States were left unexplored: {result.stopped}. No violation was found in the explored states."
    if result.verdict is Verdict.VIOLATED and checked.exploration.search.behaviours is not None:
        return "Found on a random behaviour; states that none of them met are unknown."
    if result.verdict is Verdict.VIOLATED and checked.exploration.search.proceed:
        return f"The search went on after the violations; {_how_far(checked)}"
    if result.verdict is Verdict.VIOLATED:
        return f"Found within {result.depth:,} levels; the level on which it was found is finished."
    if not checked.exploration.model.behaves:
        return "The assumptions hold; the configuration names no behaviour to explore."
    if checked.exploration.cut_off and checked.exploration.temporal:
        return (
            "Every state within the constraints of the configuration was explored; temporal properties are judged on "
            "the behaviours within them."
        )
    return _explored(checked)


def _explored(checked: Checked) -> str:
    if checked.exploration.cut_off:
        return "Every state within the constraints of the configuration was explored."
    return "Every reachable state was explored, with the constants of the configuration."


def _how_far(checked: Checked) -> str:
    """Return how far a search went that a violation did not end."""
    stopped = checked.result.stopped
    explored = _explored(checked)
    return f"states were left unexplored: {stopped}." if stopped else explored[0].lower() + explored[1:]


def standings(checked: Checked) -> Mapping[str, str]:
    """Return the result for each property checked."""
    model = checked.exploration.model
    broken = {found.name for found in checked.found}
    asked = [*model.invariants, *model.properties, *model.possible, *model.postconditions]
    names = [*asked, *(["deadlock"] if model.deadlock and model.behaves else [])]
    proceeded = checked.exploration.search.proceed
    whole = not checked.result.stopped and (proceeded or not broken)
    witnessed = {*model.possible} - {*checked.exploration.witnesses.missing}
    return {
        name: "violated"
        if name in broken
        else "holds"
        if name in witnessed
        else "undecided"
        if name in checked.result.undecided or not whole
        else "holds"
        for name in names
    }


def _times(name: str, checked: Checked) -> str:
    """Return how many states or steps violate a property, if the search went on after the first."""
    times = checked.exploration.times.get(name, 0)
    return f" {times:,} times" if checked.exploration.search.proceed and times > 1 else ""


def _counts(result: Result) -> Iterator[tuple[str, str]]:
    rate = f", {result.generated / result.seconds:,.0f} generated states a second" if result.seconds > 0.001 else ""
    yield "States", f"{result.distinct:,} distinct{', up to symmetry' if result.orbits else ''}"
    yield "Generated", f"{result.generated:,} states"
    yield "Depth", f"{result.depth:,}"
    yield "Queue", f"{result.queue:,} found and not expanded"
    yield "Ends", f"{result.done:,} without a step"
    yield "Time", f"{result.seconds:,.2f} s{rate}"


def _show_found(found: Found, checked: Checked, console: Terminal) -> None:
    """Print a violation with its behaviour."""
    console.show()
    console.show(Text(printed(found.claim), style="bold red"))
    _show_trace(found.trace, checked.exploration.system.names, console)
    if found.loop is not None:
        rests = found.loop == len(found.trace) - 1
        console.show(Text("and stays there forever" if rests else f"and repeats from state {found.loop + 1} forever"))


def _show_trace(trace: tuple[Stage, ...], names: tuple[str, ...], console: Terminal) -> None:
    """Print state by state the action with its position, and the variables that it changed."""
    before: Any = None
    for number, stage in enumerate(trace, 1):
        console.show(Text(printed(f"{number}  {said(stage)}"), style="bold"))
        for index, (name, value) in enumerate(zip(names, stage.state, strict=True)):
            if before is None or before[index] != value:
                console.show(Text(printed(f"     {name} = {shown(value)}")))
        if before is not None and before == stage.state:
            console.show(Text("     nothing changes"))
        before = stage.state


def said(stage: Stage) -> str:
    """Return the action that led to a state, with its position in the module."""
    label = stage.action
    if isinstance(label, Label):
        return f"{label}  ({label.at.module}:{label.at.line}:{label.at.column})"
    return "a step of the next-state action" if label is not None else "-"


def show_failure(error: Failed, console: Terminal) -> None:
    """Print the behaviour that led to an expression that could not be evaluated."""
    if error.trace:
        console.show(Text("The behaviour that leads to the expression that cannot be evaluated:"))
        _show_trace(error.trace, error.names, console)


def checked_json(checked: Checked, code: int) -> dict[str, Any]:
    """Return the result as plain data."""
    result, names = checked.result, checked.exploration.system.names
    found = [
        {
            "property": each.name,
            "says": each.claim,
            "loop": each.loop,
            **({"times": checked.exploration.times[each.name]} if each.name in checked.exploration.times else {}),
            "trace": [
                {
                    "action": None if stage.action is None else said(stage),
                    "state": {name: shown(value) for name, value in zip(names, stage.state, strict=True)},
                }
                for stage in each.trace
            ],
        }
        for each in checked.found
    ]
    return {
        "verdict": result.verdict.value,
        "exitCode": code,
        "bounds": bounds(checked),
        "distinct": result.distinct,
        "generated": result.generated,
        "depth": result.depth,
        "queue": result.queue,
        "stopped": result.stopped,
        "undecided": list(result.undecided),
        "properties": dict(standings(checked)),
        "actions": dict(sorted(result.coverage.items())),
        "violations": found,
    }
