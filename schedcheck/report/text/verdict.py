"""The text of a verdict: the scenario, the results, and the bounds that it holds for."""

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.text import Text

from schedcheck.checker.check import Checked, Search
from schedcheck.checker.result import Result, Verdict
from schedcheck.model.scenario import Scenario
from schedcheck.report.text import profiles, statement
from schedcheck.report.text.left_aside import left_aside
from schedcheck.report.text.speed import speed
from schedcheck.report.text.terminal import Terminal, counted, facts, listed, printed, table
from schedcheck.spec.properties.kinds import Property

MOST_ROWS = 8
"""The most properties of the same name and verdict that have a row each."""

MOST_CLAIMS = 2
"""The most properties whose claims are printed above the verdict."""

OVER = {
    "tabulated": ", over tables",
    "ray": ", over tables, divided among workers",
    "gpu": ", over tables, on a graphics processor",
}
"""What is said of the explorers other than the direct one."""

COLOURS = {
    Verdict.HOLDS: "bold green",
    Verdict.VACUOUS: "bold yellow",
    Verdict.VIOLATED: "bold red",
    Verdict.GAVE_UP: "bold yellow",
    Verdict.UNKNOWN: "bold yellow",
    statement.HOLDS: "green",
    statement.VACUOUS: "yellow",
    statement.VIOLATED: "bold red",
    statement.UNDECIDED: "yellow",
    statement.UNKNOWN: "yellow",
}


def show(checked: Checked, search: Search, console: Terminal) -> None:
    """Print all results."""
    result = checked.result
    console.show(facts([*_scenario(checked.scenario), *_fairness(checked), *_search(search), *_question(checked)]))
    console.show()
    console.show(Text(result.verdict.upper(), style=COLOURS[result.verdict]))
    console.show(Text(statement.bounds(checked)))
    if result.verdict is Verdict.VACUOUS:
        console.show(Text(f"Warning: {statement.warning(checked)}", style="yellow"))
    console.show()
    if said := statement.switched(checked):
        console.show(Text(said))
        console.show()
    if checked.rounds:
        _show_rounds(checked, console)
        console.show()
    if not result.proof:
        console.show(facts(_counts(checked)))
        console.show()
        _show_coverage(result, console)
        console.show()
    _show_properties(checked, console)
    if result.violations or checked.stuck:
        from schedcheck.report.text.trace import show_stuck, show_violations

        show_violations(checked, console)
        show_stuck(checked, console)


def _scenario(scenario: Scenario) -> Iterator[tuple[str, str]]:
    """Yield facts about the explored scenario."""
    absent = [str(pod) for pod in scenario.pods if pod.key in scenario.absent]
    at_first = "all" if absent and len(absent) == len(scenario.pods) else listed(absent) or "none"
    yield "Scenario", scenario.name
    yield "Profile", profiles.faults(scenario)
    yield "Pods", f"{len(scenario.pods):,}: {listed([str(pod) for pod in scenario.pods])}\nabsent at first: {at_first}"
    nodes = listed([node.name for node in scenario.nodes])
    yield "Nodes", f"{len(scenario.nodes):,}: {nodes}" if nodes else "none"
    if scenario.node_pools is not None:
        yield (
            "Node pools",
            ", ".join(f"{each.name} ({each.least} to {each.most})" for each in scenario.node_pools.pools),
        )
    if scenario.karpenter is not None:
        yield "Karpenter", f"NodePools {listed(sorted(pool.name for pool in scenario.karpenter.pools))}"
    yield "Events", "\n".join(_events(scenario)) or "none but the decisions of the scheduler"
    if scenario.running:
        yield "Controllers", listed(list(scenario.running))
    if scenario.budgets:
        yield (
            "Budgets",
            listed(
                [f"{budget} (allows {counted(budget.disruptions_allowed, 'eviction')})" for budget in scenario.budgets]
            ),
        )
    for sentence in statement.blocking(scenario).values():
        yield "", sentence
    yield from left_aside(scenario)
    for note in scenario.cut:
        yield "Cut", note
    if said := statement.extenders(scenario):
        yield "Extenders", said
    if said := statement.uncounted(scenario):
        yield "Not counted", said
    if any(pod.priority != scenario.pods[0].priority for pod in scenario.pods):
        yield "Victims", "are pending again at once" if scenario.victims == "pending" else "are gone"
    if scenario.completed == "kept":
        yield "Completed", "pods stay as objects"
    if scenario.constraints:
        yield "Constraints", " ".join(scenario.constraints)


def _fairness(checked: Checked) -> Iterator[tuple[str, str]]:
    """Yield the fairness assumed of behaviours, if it matters."""
    if said := statement.fairness(checked):
        yield "Fairness", said


def _show_rounds(checked: Checked, console: Terminal) -> None:
    """Print what was found with at most 0, 1, … events."""
    shown = table("Events at most", "Verdict", "States", numbers=["Events at most", "States"])
    for each in checked.rounds:
        verdict = Text(str(each.verdict), style=COLOURS[each.verdict])
        shown.add_row(f"{each.events:,}", verdict, "proved by counting" if each.proof else f"{each.states:,}")
    console.show(shown)


def _question(checked: Checked) -> Iterator[tuple[str, str]]:
    """Yield what is asked, if events are bounded one after the other and few properties are asked."""
    if (checked.rounds or checked.result.proof) and len(checked.properties) <= MOST_CLAIMS:
        for each in checked.properties:
            yield "Asked", each.claim


def _search(search: Search) -> Iterator[tuple[str, str]]:
    """Yield the search order, unless it is breadth first."""
    if search.order == "depth":
        yield "Search", "depth first; a trace need not be the shortest"
    if search.order == "walk":
        walks = f"{search.walks:,} random walks of at most {search.length:,} steps, seed {search.seed}"
        yield "Search", f"{walks}; a trace need not be the shortest"


def _events(scenario: Scenario) -> Iterator[str]:
    """Yield each rule with the objects that it may affect, and its bound."""
    for rule in scenario.rules:
        objects = statement.rule_objects(rule, scenario)
        guards = "".join(f", while {guard.text}" for guard in rule.guards)
        yield f"{rule.event}{statement.rule_change(rule)}: {objects}, {statement.rule_bound(rule)}{guards}"


def _counts(checked: Checked) -> Iterator[tuple[str, str]]:
    """Yield the numbers of states and the speed."""
    result = checked.result
    yield "States", f"{result.distinct:,} distinct{', up to symmetry' if result.orbits else ''}"
    if result.orbits:
        classes = [listed(names) for names in statement.symmetry(checked)]
        yield "Symmetry", f"interchangeable: {listed(classes, '; ')}"
    yield "Generated", f"{result.generated:,} states"
    yield "Depth", f"{result.depth:,}"
    yield "Queue", f"{counted(result.queue, 'state')} found and not expanded"
    over = OVER.get(checked.engine, "")
    yield "Time", f"{speed(result.generated, result.seconds)}{over}"
    yield "At rest", f"{result.done:,} done (no step changes anything, no pod waits)"
    yield "", f"{result.stuck:,} stuck (no step changes anything, a pod waits)"


def _show_coverage(result: Result, console: Terminal) -> None:
    """Print how often each kind of action was taken."""
    shown = table("Action", "Taken", numbers=["Taken"])
    for action, count in result.coverage.items():
        shown.add_row(action, f"{count:,}" if count else Text("never taken", style="yellow"))
    console.show(shown)


def _folded(standings: Sequence[tuple[Property, str]]) -> Iterator[tuple[str, str, str]]:
    """Yield a row for each property; one row for many that differ only in their argument."""

    def alike(each: tuple[Property, str]) -> tuple[str, str, str]:
        question, standing = each
        return question.name.partition("(")[0], statement.kind(question), standing

    for (name, kind, standing), found in groupby(standings, key=alike):
        names = [question.name for question, _ in found]
        if len(names) > MOST_ROWS:
            arguments = listed([each.removeprefix(f"{name}(").removesuffix(")") for each in names])
            yield f"{name} of {len(names):,}: {arguments}", kind, standing
        else:
            yield from ((each, kind, standing) for each in names)


def _show_properties(checked: Checked, console: Terminal) -> None:
    """Print each property with its result."""
    shown = table("Property", "Kind", "Verdict")
    standings = [(question, statement.standing(question, checked.result)) for question in checked.properties]
    for name, kind, standing in _folded(standings):
        shown.add_row(Text(printed(name)), kind, Text(standing, style=COLOURS[standing]))
    console.show(shown)
    if any(standing == statement.UNDECIDED for _, standing in standings):
        console.show(Text("undecided: not violated in the explored states, which are not all", style="dim"))
    for why in statement.unknown(checked.result):
        console.show(Text(printed(f"unknown: {why}"), style="dim"))
    reasons = statement.untested(checked)
    for why in dict.fromkeys(reasons.values()):
        names = [name for name, reason in reasons.items() if reason == why]
        console.show(Text(printed(f"vacuously: {listed(names, ', ')}: {why}"), style="dim"))
    if statement.one_for_all(checked):
        console.show(Text("checked for one pod of each interchangeable class", style="dim"))
