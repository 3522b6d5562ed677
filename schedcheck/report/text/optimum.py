"""The answer of `optimum`, as text and as JSON: the best placement, the reachable outcomes, and the gap between
both.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

from rich.text import Text

from schedcheck.checker.extenders.wording import not_asked
from schedcheck.checker.placement.optimum import Optimum
from schedcheck.checker.placement.outcomes import Outcomes, histogram
from schedcheck.checker.placement.worth import Worth
from schedcheck.report.json.pieces import FORMAT, reference
from schedcheck.report.text.terminal import Terminal, counted, facts, joined, listed, printed, table
from schedcheck.spec.objects import Pod
from schedcheck.spec.placement import Placement
from schedcheck.spec.schedulers import VARIANTS
from schedcheck.version import __version__

Json = dict[str, Any]


class Answer(NamedTuple):
    """The pending pods, their best placement with its worth, and the outcomes that the scheduler can reach.

    `unasked` names the extenders that decide about these pods and were not asked; `unmodelled` is an unmodelled
    feature, and `claiming` lists the pods that need it.
    """

    profile: str
    waiting: tuple[Pod, ...]
    best: Optimum
    worth: Worth
    reached: Outcomes
    unasked: tuple[str, ...] = ()
    unmodelled: str = ""
    claiming: tuple[Pod, ...] = ()


def show(answer: Answer, console: Terminal) -> None:
    """Print all results."""
    console.show(facts(_head(answer)))
    console.show()
    if not answer.waiting:
        console.show("No pod waits.")
        return
    shown = table("Pod", "Priority", "Best node", numbers=["Priority"])
    for pod in sorted(answer.waiting, key=lambda pod: (-pod.priority, pod.key)):
        node = answer.best.placement.get(pod)
        shown.add_row(Text(printed(str(pod))), f"{pod.priority:,}", Text(printed(str(node)) if node else "none"))
    console.show(shown)
    console.show()
    if answer.reached.found:
        _show_outcomes(answer, console)
    for sentence in _conclusions(answer):
        console.show(Text(printed(sentence)))


def _head(answer: Answer) -> Iterator[tuple[str, str]]:
    yield "Profile", answer.profile
    standing = (
        "proved to be best" if answer.best.proved else f"best found, not proved to be best ({answer.best.stopped})"
    )
    known = ", as far as is known" if answer.unasked or answer.unmodelled else ""
    yield "Optimum", f"{_worth(answer.worth)}; {standing}{known}"
    if answer.best.most is not None and not answer.best.proved:
        yield "Bound", f"no placement is better than {_worth(answer.best.most)}; proved{known}"
    explored = f"{counted(len(answer.reached.found), 'outcome')} in {counted(answer.reached.states, 'state')}"
    yield "Scheduler", explored + (f", not all ({answer.reached.stopped})" if answer.reached.stopped else "")


def _worth(worth: Worth) -> str:
    """Return the pods placed and the score, in words."""
    placed = [f"{number} of priority {priority:,}" for priority, number in worth.placed]
    return f"{joined(placed) or 'nothing'} placed, score {worth.score}"


def _show_outcomes(answer: Answer, console: Terminal) -> None:
    shown = table("Outcomes", "Placed and score", "Evicted", "Behind the optimum", numbers=["Outcomes", "Evicted"])
    for worth, evictions, number in histogram(answer.reached):
        shown.add_row(f"{number:,}", _worth(worth), str(evictions), gap(worth, answer.worth))
    console.show(shown)
    console.show()


def gap(worth: Worth, best: Worth) -> str:
    """Return the distance of an outcome from the best, by the first criterion that differs."""
    for (priority, number), (_, most) in zip(worth.placed, best.placed, strict=True):
        if number != most:
            difference = f"{counted(abs(most - number), 'pod')} of priority {priority:,}"
            return f"{difference} {'fewer' if number < most else 'more, by eviction'}"
    if worth.score == best.score:
        return "none"
    return f"score {abs(best.score - worth.score)} {'less' if worth.score < best.score else 'more'}"


def _judges(answer: Answer) -> str:
    return "predicates and priorities" if VARIANTS[answer.profile].scheduler.has_policy else "plugins"


def _conclusions(answer: Answer) -> Iterator[str]:
    """Yield whether the scheduler can reach the optimum, and whether it can miss it."""
    if answer.unmodelled and not answer.claiming:
        yield f"Unknown: {answer.unmodelled}. The outcomes are those without what they decide."
        return
    if answer.unmodelled:
        claiming = joined([str(pod) for pod in answer.claiming])
        yield f"Unknown: {answer.unmodelled}. The optimum and the outcomes leave {claiming} waiting."
        return
    if answer.unasked:
        yield (
            f"Unknown: {not_asked(answer.unasked)}. The optimum is that of the {_judges(answer)} alone, if every extender"
            " keeps every node and scores them alike; the outcomes are those of any answers."
        )
        return
    if answer.reached.stopped or not answer.best.proved:
        yield "What was not explored, or not proved, may change the gap."
        return
    reaching = [each for each in answer.reached.found if each.worth == answer.worth]
    if not answer.reached.found:
        yield "The scheduler never comes to rest."
    elif len(reaching) == len(answer.reached.found):
        yield "The scheduler always reaches an optimum."
    elif reaching:
        yield "The scheduler may reach an optimum or miss it."
    else:
        yield "The scheduler cannot reach an optimum."
    if answer.reached.timed_out:
        yield "Before that members of gangs may wait on permit until their time limits end, any number of times."
    evicted = sorted({str(pod) for each in answer.reached.found for pod in each.evicted})
    if evicted:
        yield f"Before that it may evict: {listed(evicted)}."


def optimum_json(answer: Answer) -> Json:
    """Return all results as JSON."""
    return {
        "format": FORMAT,
        "schedcheck": __version__,
        "profile": answer.profile,
        "optimum": {
            "placement": _placement_json(answer.best.placement),
            **_worth_json(answer.worth),
            "proved": answer.best.proved,
            "stopped": answer.best.stopped or None,
            "most": None if answer.best.most is None else _worth_json(answer.best.most),
            "lessons": len(answer.best.lessons),
        },
        "outcomes": [
            {
                "placement": _placement_json(each.placement),
                **_worth_json(each.worth),
                "evicted": [reference(pod) for pod in each.evicted],
                "behind": gap(each.worth, answer.worth),
            }
            for each in answer.reached.found
        ],
        "states": answer.reached.states,
        "stopped": answer.reached.stopped or None,
        "unknown": [*answer.unasked, *([answer.unmodelled] if answer.unmodelled else [])],
    }


def _worth_json(worth: Worth) -> Json:
    return {"placed": {str(priority): number for priority, number in worth.placed}, "score": worth.score}


def _placement_json(placement: Placement) -> list[Json]:
    ordered = sorted(placement.items(), key=lambda pair: pair[0].key)
    return [reference(pod) | {"node": node.name} for pod, node in ordered]
