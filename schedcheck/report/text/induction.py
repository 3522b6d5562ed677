"""The answer of `induct` as text: a verdict for each property, then the counterexamples."""

from collections import Counter
from collections.abc import Iterator, Sequence

from rich.text import Text

from schedcheck.checker.induction.induction import Answer, Standing
from schedcheck.model.scenario import Scenario
from schedcheck.report.text.terminal import Terminal, counted, facts, printed, table
from schedcheck.spec.objects import Pod, Snapshot


def show(scenario: Scenario, answers: Sequence[Answer], not_asked: Sequence[str], console: Terminal) -> None:
    """Print all results."""
    console.show(facts(_head(scenario, not_asked)))
    console.show()
    shown = table("Property", "Verdict")
    for each in answers:
        shown.add_row(Text(printed(each.name)), Text(printed(_verdict(each))))
    console.show(shown)
    for each in answers:
        for line in _counterexample(each):
            console.show(Text(printed(line)))


def _head(scenario: Scenario, not_asked: Sequence[str]) -> Iterator[tuple[str, str]]:
    yield "Profile", scenario.profile
    yield (
        "States",
        f"{counted(len(scenario.nodes), 'node')}, any number of copies of {counted(len(scenario.pods), 'pod')}",
    )
    if not_asked:
        it = "it" if len(not_asked) == 1 else "them"
        yield "Not asked", f"{', '.join(not_asked)}: there is no induction for {it}"


def _verdict(answer: Answer) -> str:
    if answer.assumed:
        return f"{answer.standing}, with the invariant: {answer.assumed}"
    return f"{answer.standing}: {answer.why}" if answer.why else str(answer.standing)


def _counterexample(answer: Answer) -> Iterator[str]:
    """Yield the state from which the property is lost, and the steps."""
    if answer.replay is None:
        return
    yield ""
    if answer.standing is Standing.VIOLATED:
        yield f"{answer.name} does not hold at first."
        return
    steps = " and then ".join(answer.replay.steps)
    yield f"{answer.name} is not inductive: {steps} violates it in this state, which need not be reachable."
    yield from _state(answer.replay.before)


def _state(snapshot: Snapshot) -> Iterator[str]:
    """Yield a line for each place with pods, for each node that does not admit every pod, and for each budget."""
    placed = Counter((pod.node_name, pod.terminating) for pod in snapshot.pods)
    for (node, terminating), number in sorted(placed.items()):
        first = min(_there(snapshot, node, terminating), key=lambda pod: pod.key)
        ending = "terminating " if terminating else ""
        where = f"on {node}" if node else "unbound"
        there = "" if not node or any(each.name == node for each in snapshot.nodes) else ", which is absent"
        yield f"  {counted(number, f'{ending}pod')} {where}{there}: {first}{', …' if number > 1 else ''}"
    for each in sorted(snapshot.budgets, key=lambda budget: budget.key):
        yield f"  the status of budget {each} allows {counted(each.disruptions_allowed, 'disruption')}"


def _there(snapshot: Snapshot, node: str, terminating: bool) -> list[Pod]:
    return [pod for pod in snapshot.pods if (pod.node_name, pod.terminating) == (node, terminating)]
