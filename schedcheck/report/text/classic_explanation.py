"""The text of an explanation by the early scheduler: the failing nodes with reasons, the other nodes' scores, the
result.
"""

from collections.abc import Iterator

from rich.text import Text

from schedcheck.checker.explain.classic import ClassicExplanation
from schedcheck.checker.explain.extenders import MOST_ANSWERS
from schedcheck.checker.extenders.wording import not_asked
from schedcheck.report.text.amounts import with_amounts
from schedcheck.report.text.kubernetes_explanation import possibilities
from schedcheck.report.text.published_explanation import BREAK, Beside, about_pod, alike, names_of
from schedcheck.report.text.terminal import Terminal, facts, listed, printed, table
from schedcheck.spec.classic.failures import Failure
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Snapshot

NOTHING_FAILS = "no predicate fails"


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
    rows = {name: _rows(name, explanation) for name in explanation.failures}
    for names in alike(rows, lambda name: rows[name]):
        verdict = _verdict(rows[names[0]], explanation)
        for number, row in enumerate(rows[names[0]]):
            first = (names_of(names), verdict) if number == 0 else (Text(), Text())
            why = with_amounts(row[2], names, explanation.short)
            shown.add_row(*first, *(Text(printed(cell)) for cell in (*row[:2], why)))
    console.show(shown)


Row = tuple[str, str, str]


def _rows(name: str, explanation: ClassicExplanation) -> tuple[Row, ...]:
    """Return what fails the node, whether an eviction could help, and why; one row if nothing does."""
    failed = explanation.failures[name].items()
    found = [(predicate, _help(failure), failure.words) for predicate, each in failed for failure in each]
    asked = explanation.consulted
    if asked is not None and name in asked.refused:
        found += [("an extender", "may help", each) for each in asked.refused[name].reasons or ("no reason is given",)]
    return tuple(found) or (("all", "", _open(explanation) or NOTHING_FAILS),)


def _verdict(rows: tuple[Row, ...], explanation: ClassicExplanation) -> Text:
    if rows[0][0] != "all":
        return Text("fails", style="red")
    return Text("unknown", style="yellow") if _open(explanation) else Text("passes", style="green")


def _open(explanation: ClassicExplanation) -> str:
    """Return why it is unknown whether a node that passes every predicate is feasible; empty if it is known."""
    asked = explanation.consulted
    if asked is None:
        return ""
    why = asked.filters or ("an extender fails" if asked.left.error is not None else "")
    return f"{NOTHING_FAILS}; {why}" if why else ""


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
    if explanation.consulted is not None and any(explanation.consulted.points.values()):
        more = [f"{name} {number:+}" for name, number in sorted(explanation.consulted.points.items())]
        console.show()
        console.show(Text(f"Of the sum, from extenders: {printed(listed(more, ', '))}."))


def _conclusions(explanation: ClassicExplanation) -> Iterator[str]:
    """Yield the result for the pod in words."""
    yield from _result(explanation)
    if explanation.consulted is not None and explanation.consulted.binder:
        yield f"Extender {explanation.consulted.binder} binds {explanation.pod}, in place of the scheduler."


def _result(explanation: ClassicExplanation) -> Iterator[str]:
    """Yield what becomes of the pod."""
    pod, best, evictions, asked = explanation.pod, explanation.best, explanation.evictions, explanation.consulted
    if asked is not None and asked.unknown:
        yield f"Unknown: {not_asked(asked.unknown)}; --ask-extenders asks."
        more = f"; that is by the first {MOST_ANSWERS} answers that were tried" if not asked.complete else ""
        yield f"By its answer {pod} would {possibilities(asked.possible)}{more}."
    elif asked is not None and asked.left.error is not None:
        yield f"The cycle of {pod} ends in an error, and it waits: {explanation.message}"
    elif best:
        yield f"{pod} would be bound to {best[0] if len(best) == 1 else f'any one of: {listed(best)}'}."
    elif evictions and not any(each.victims for each in evictions):
        where = listed([each.node.name for each in evictions], " or ")
        yield f"{pod} would be nominated to {where}, and no pod evicted: only an extender refuses it there."
    elif evictions:
        yield f"No node passes. What may be evicted for {pod}{'' if len(evictions) == 1 else ', any one of'}:"
        for each in evictions:
            victims = sorted(each.victims, key=lambda victim: victim.key)
            yield f"  from {each.node}: {listed([f'{victim} (priority {victim.priority:,})' for victim in victims], ', ')}"
    else:
        yield f"{pod} waits: {explanation.message}"
