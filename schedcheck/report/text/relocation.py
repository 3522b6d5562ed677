"""The text of what happens if nodes are drained or fail: `show`."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rich.text import Text

from schedcheck.checker.check import Checked
from schedcheck.checker.relocation.beside import BROKEN, HOLDS, UNDECIDED, outcomes, told, why_open
from schedcheck.checker.relocation.left import Left, left
from schedcheck.checker.relocation.questions import PLACED, not_asked
from schedcheck.checker.relocation.relocation import Relocation
from schedcheck.checker.relocation.sets import Sets
from schedcheck.checker.result import Verdict
from schedcheck.model.nominations import EvictVictim
from schedcheck.report.text.lines import show_facts, show_text
from schedcheck.report.text.profiles import departures
from schedcheck.report.text.terminal import MOST_NAMES, Terminal, counted, listed
from schedcheck.report.text.trace import show_violations
from schedcheck.report.text.verdict import COLOURS
from schedcheck.spec.budgets import protects

MOST_SETS = 20
"""The most sets of nodes that are listed."""

MEANWHILE = "nothing else happens: no other pod completes or is deleted, and no other node changes"
BESIDE = "nothing happens but what these controllers do: no pod completes, and nothing else changes nodes"


SAID = {
    "ends": ("The drain ends in every behaviour.", "whether the drain ends"),
    "placed": (
        "Every pod that leaves the nodes or is moved is bound in the end in every behaviour.",
        "whether every pod that leaves the nodes or is moved is bound in the end",
    ),
    "rests": (
        "The scheduler and the controllers come to rest in every behaviour.",
        "whether the scheduler and the controllers come to rest",
    ),
}
"""What an answer beside other controllers says if it holds, and what it is about."""


def show(asked: str, found: Relocation, profile: str, console: Terminal) -> None:
    """Print the answer for one set of nodes."""
    show_facts(list(_facts(asked, found, profile)), console)
    console.show()
    console.show(Text(found.verdict.upper(), style=COLOURS[found.verdict]))
    for sentence in conclusions(asked, found):
        show_text(sentence, console)
    if found.explored is not None and found.violations:
        show_violations(_one_of_each(found) if found.leaving.running else _one_trace(found), console)


def show_sets(
    cases: Sequence[Relocation], verdict: Verdict, sets: Sets, controllers: Sequence[str], console: Terminal
) -> None:
    """Print for which sets of nodes not all ends well while these controllers act; the first was shown before."""
    if cases:
        console.show()
    of = counted(sets.groups, "node") if sets.kind == "node" else f"{counted(sets.groups, 'value')} of {sets.kind}"
    meanwhile = (
        [("Controllers", " ".join(controllers)), ("Assumed", BESIDE)] if controllers else [("Assumed", MEANWHILE)]
    )
    show_facts([("Fail", f"any {sets.any} of {of}"), *meanwhile], console)
    console.show()
    console.show(Text(verdict.upper(), style=COLOURS[verdict]))
    well = "every pod that leaves the nodes or is moved is bound in the end, and all come to rest"
    told = (
        f"In {sets.held:,} of {counted(sets.total, 'set')} {well if controllers else 'every pod finds another place'}."
    )
    if sets.total > sets.asked:
        told += f" {sets.total - sets.asked:,} were not judged."
    show_text(told, console)
    if cases:
        console.show()
        show_facts([(str(case.verdict), listed(list(case.leaving.nodes))) for case in cases[:MOST_SETS]], console)
    if len(cases) > MOST_SETS:
        show_text(f"and {len(cases) - MOST_SETS:,} more", console)


def _facts(asked: str, found: Relocation, profile: str) -> Iterator[tuple[str, str]]:
    leaving = found.leaving
    yield asked.capitalize(), listed(list(leaving.nodes))
    yield "Profile", departures(profile)
    if leaving.movers:
        yield "Moves", f"{counted(len(leaving.movers), 'pod')}: {listed([str(pod) for pod in leaving.movers])}"
    else:
        yield "Moves", "no pod"
    if leaving.lost:
        pods = listed([str(pod) for pod in leaving.lost])
        which = "an owner that creates it again" if len(leaving.lost) == 1 else "owners that create them again"
        force = ", which kubectl drain evicts only with --force" if leaving.drain else ""
        yield "Lost", f"{counted(len(leaving.lost), 'pod')} without {which}{force}: {pods}"
    if leaving.staying:
        pods = listed([str(pod) for pod in leaving.staying])
        yield "Stays", f"{counted(len(leaving.staying), 'pod')} of DaemonSets, or static: {pods}"
    for each in found.budgets:
        yield "Budget", f"{each.budget}: {each.why}"
    for gone in () if leaving.drain else left(leaving):
        yield "Budget", f"{gone.budget}: {remaining(gone)}"
    if leaving.running:
        yield "Controllers", " ".join(leaving.scenario.running)
        if others := not_asked(leaving):
            verb = "is" if len(others) == 1 else "are"
            pods = listed([str(pod) for pod in others])
            yield "Not asked", f"{counted(len(others), 'pod')} that {verb} on no node at first: {pods}"
    yield "Assumed", BESIDE if leaving.running else MEANWHILE
    for note in found.explored.scenario.cut if found.explored is not None else ():
        yield "Cut", note


def remaining(found: Left) -> str:
    """Return what a budget allows once the nodes have failed, before any pod is bound again."""
    pods = f"{found.healthy:,} of {counted(found.budget.expected, 'pod')} left, {found.desired:,} must stay"
    if found.allowed:
        return f"{pods}: {counted(found.allowed, 'eviction')} allowed meanwhile"
    if found.desired >= found.budget.expected:
        return f"{pods}: no eviction allowed, even with all of them"
    return f"{pods}: no eviction allowed until {found.lacking:,} {'is' if found.lacking == 1 else 'are'} back"


def conclusions(asked: str, found: Relocation) -> Iterator[str]:
    """Yield what the verdict says, and how it is known."""
    if found.leaving.running:
        yield from _beside(found)
        return
    whole = "the drain ends and " if asked == "drain" else ""
    if found.verdict is Verdict.HOLDS:
        yield f"Whatever the order and the ties, {whole}every pod that is created again is bound; {_how(found)}."
        if found.explored is None and not found.evicting:
            yield "No other pod is evicted for them."
        if found.peace:
            yield f"Meanwhile {found.peace}."
    for each in found.blocked:
        yield f"The drain does not end: {each.budget}: {each.why}."
    if found.violations:
        yield from _harm(found)
        victims = sorted(
            {stage.action.pod for stage in found.violations[0].trace if isinstance(stage.action, EvictVictim)}
        )
        if victims:
            yield f"In it other pods are evicted: {listed(victims)}."
        if found.explored is not None and found.explored.result.stopped:
            yield "It is the shortest of the behaviours that were followed to their end; a shorter one may exist."
    if why := why_open(found):
        yield f"Not decided: {why}."
    if not found.known:
        yield from unproved_places(found)


def _beside(found: Relocation) -> Iterator[str]:
    """Yield the answers beside other controllers: whether the drain ends, the pods have places, and all comes to rest."""
    answers = outcomes(found)
    for each in found.blocked:
        yield f"The drain does not end: {each.budget}: {each.why}."
    if answers.get("ends") == BROKEN and not found.blocked:
        yield from _harm(found, places=False)
    for name, said in SAID.items():
        if answers.get(name) == HOLDS:
            yield said[0]
    if answers["placed"] == BROKEN:
        pods = [
            each.property.name.partition("(")[2][:-1]
            for each in found.violations
            if each.property.name.startswith(PLACED)
        ]
        yield f"{counted(len(pods), 'pod')} may find no place: {listed(pods)}."
    if answers["rests"] == BROKEN:
        yield "The scheduler and the controllers may act on and on: the trace below shows the round."
    for name, said in SAID.items():
        if answers.get(name) == UNDECIDED:
            yield f"Not decided is {said[1]}: {why_open(found)}."
    if found.explored is not None and not found.explored.result.stopped and not found.explored.result.queue:
        yield f"Every state was explored ({found.explored.result.distinct:,})."


def unproved_places(found: Relocation) -> Iterator[str]:
    """Yield what counting says of each pod for which it proves no place; of many, how many more there are."""
    unproved = [(key, place) for key, place in sorted(found.places.items()) if not place.proved]
    shown = unproved if len(unproved) <= MOST_NAMES + 1 else unproved[:MOST_NAMES]
    for key, place in shown:
        yield f"{'/'.join(key).removeprefix('default/')}: {place.unproved}."
    if len(unproved) > len(shown):
        yield f"No place is proved for {len(unproved) - len(shown):,} more pods."


def _harm(found: Relocation, places: bool = True) -> Iterator[str]:
    """Yield how the first violation ends."""
    for each in found.returned:
        yield f"{each.pod} may be bound to {each.node} again: the cordon does not keep it off."
    for pod in found.stuck:
        refusing = [budget for budget in found.leaving.scenario.budgets if protects(budget, pod)]
        why = f", as {listed([str(each) for each in refusing])} allows no eviction" if refusing else ""
        yield f"The drain may get stuck: {pod} stays on {pod.node_name}{why}."
    if found.waiting and places:
        pods = listed([str(pod) for pod in found.waiting])
        yield f"{counted(len(found.waiting), 'pod')} may find no place: {pods}."


def _how(found: Relocation) -> str:
    if found.explored is None:
        return "proved by counting"
    return f"every state was explored ({found.explored.result.distinct:,})"


def _one_of_each(found: Relocation) -> Checked:
    """Return the exploration with the first violation of each kind."""
    assert found.explored is not None
    return replace(found.explored, result=replace(found.explored.result, violations=told(found)))


def _one_trace(found: Relocation) -> Checked:
    """Return the exploration with its first violation only: the others end in the same state, or are told by it.

    Why pods are pending at its end is told of all pods that leave.
    """
    assert found.explored is not None
    first = found.violations[0]
    told = first.property.mentions | {pod.name for pod in found.waiting}
    first = replace(first, property=replace(first.property, mentions=told))
    return replace(found.explored, result=replace(found.explored.result, violations=(first,)))
