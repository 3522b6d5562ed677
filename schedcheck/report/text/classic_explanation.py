"""The text of an explanation by the early scheduler: the failing nodes with reasons, the other nodes' scores, the
result.
"""

from collections.abc import Iterator

from rich.text import Text

from schedcheck.checker.explain.classic import ClassicExplanation
from schedcheck.report.text.published_explanation import BREAK, Beside, about_pod, alike, names_of
from schedcheck.report.text.terminal import Terminal, facts, listed, printed, table
from schedcheck.spec.classic.failures import Failure
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Snapshot


def show_classic(
    explanation: ClassicExplanation, snapshot: Snapshot, profile: str, beside: Beside, console: Terminal
) -> None:
    """Print all answers of the specification."""
    console.show(facts(about_pod(explanation.pod, explanation.stood, snapshot, profile, NO_FAULTS, beside)))
    console.show()
    _show_failures(explanation, console)
    if explanation.totals:
        console.show()
        _show_scores(explanation, console)
    console.show()
    for sentence in _conclusions(explanation):
        console.show(Text(printed(sentence)))


def _show_failures(explanation: ClassicExplanation, console: Terminal) -> None:
    """Print each node with the predicates that fail there, and whether an eviction could change that."""
    if not explanation.failures:
        console.show("There are no nodes.")
        return
    shown = table("Nodes", "Verdict", "Predicate", "Eviction", "Why")
    for names in alike(explanation.failures, lambda name: tuple(explanation.failures[name].items())):
        found = [(name, failure) for name, each in explanation.failures[names[0]].items() for failure in each]
        if not found:
            shown.add_row(names_of(names), Text("passes", style="green"), "all", "", "no predicate fails")
        for number, (predicate, failure) in enumerate(found):
            first = (names_of(names), Text("fails", style="red")) if number == 0 else (Text(), Text())
            shown.add_row(*first, predicate, _help(failure), Text(printed(failure.words)))
    console.show(shown)


def _help(failure: Failure) -> str:
    return "may help" if failure.resolvable else "cannot help"


def _show_scores(explanation: ClassicExplanation, console: Terminal) -> None:
    """Print the nodes that pass, with each score before and after its weight, and the sum."""
    priorities = explanation.classic.priorities
    headings = [f"{BREAK.sub(chr(10), each.name)}\n×{each.weight}" for each in priorities]
    shown = table("Nodes", "Score", *headings, "Sum", "", numbers=[*headings, "Sum"])
    ordered = sorted(explanation.totals, key=lambda name: (-explanation.totals[name], name))
    for names in alike(ordered, lambda name: tuple(explanation.scores[each.name][name] for each in priorities)):
        scores = [explanation.scores[each.name][names[0]] for each in priorities]
        weighted = [each.weight * score for each, score in zip(priorities, scores, strict=True)]
        best = Text("best", style="bold green") if names[0] in explanation.best else Text()
        shown.add_row(names_of(names), "0 to 10", *map(str, scores), "", "")
        shown.add_row(Text(), "weighted", *map(str, weighted), str(explanation.totals[names[0]]), best)
    console.show(shown)


def _conclusions(explanation: ClassicExplanation) -> Iterator[str]:
    """Yield the result for the pod in words."""
    pod, best, evictions = explanation.pod, explanation.best, explanation.evictions
    if best:
        yield f"{pod} would be bound to {best[0] if len(best) == 1 else f'any one of: {listed(best)}'}."
    elif evictions:
        yield f"No node passes. What may be evicted for {pod}{'' if len(evictions) == 1 else ', any one of'}:"
        for each in evictions:
            victims = sorted(each.victims, key=lambda victim: victim.key)
            yield f"  from {each.node}: {listed([f'{victim} (priority {victim.priority:,})' for victim in victims], ', ')}"
    else:
        yield f"{pod} waits: {explanation.message}"
