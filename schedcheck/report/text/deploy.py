"""The text of what happens if manifests are applied: `show`, and the row of one object, `row`."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.text import Text

from schedcheck.checker.deploying.deployed import Deployed
from schedcheck.checker.deploying.reasons import MOST, pending
from schedcheck.checker.relocation.beside import UNCOUNTED
from schedcheck.checker.result import Verdict
from schedcheck.manifests.names import natural
from schedcheck.manifests.rollouts import Change
from schedcheck.report.text.capacity import show_stops
from schedcheck.report.text.changes import steps_along
from schedcheck.report.text.lines import show_facts, show_text
from schedcheck.report.text.profiles import departures
from schedcheck.report.text.rounds import turns
from schedcheck.report.text.steps import first_evicted, show_steps
from schedcheck.report.text.terminal import Terminal, counted, listed
from schedcheck.report.text.trace import show_round
from schedcheck.report.text.verdict import COLOURS

MEANWHILE = (
    "nothing else happens: no other pod completes or is deleted, no node changes, and every pod on a ready node becomes"
    " available sooner or later"
)
BESIDE = (
    "nothing happens but what these controllers do: no pod completes, nothing else changes nodes, and every pod on a ready"
    " node becomes available sooner or later"
)
EVICTING = "other pods may evict some, and these may then take its places"
MOST_PREEMPTORS = 3
"""The most preemptors of one workload that are named one by one."""


@dataclass(frozen=True)
class Row:
    """What is known of the pods of one object.

    - `least`, `greatest`: the numbers of its pods on nodes at the end; None if not known. - `nodes`: those to which its
    pods to come were bound in the behaviours that were seen; `exact` if in none to another. - `at_most`: the nodes that
    are feasible at best; None if not known. - `proved`: every pod finds a place; else `unproved` says why not.
    """

    least: int | None
    greatest: int | None
    nodes: tuple[str, ...]
    exact: bool
    at_most: tuple[str, ...] | None
    proved: bool
    unproved: tuple[str, ...]


def row(change: Change, found: Deployed) -> Row:
    """Return what is known of the pods of one object."""
    rollout, seen, proof = change.rollout, found.seen, found.counted
    keys = [key for key in (*change.pods, *(sorted(rollout.keys) if rollout else ())) if key in found.asked.forms]
    nodes = frozenset[str]().union(*(seen.nodes.get(key, ()) for key in keys))
    hosts = [proof.hosts.get(key) for key in keys]
    at_most = None if None in hosts else sorted(frozenset[str]().union(*(each for each in hosts if each)))
    proved = proof.proved_of(keys)
    least, greatest = _numbers(change, found, proved)
    reasons = [proof.places[key].unproved for key in keys if proof.places[key].unproved]
    unproved = () if proved else tuple(dict.fromkeys(reasons or [UNCOUNTED if found.asked.running else EVICTING]))
    return Row(
        least, greatest, tuple(sorted(nodes)), found.exact, None if at_most is None else tuple(at_most), proved, unproved
    )  # fmt: skip


def _numbers(change: Change, found: Deployed, proved: bool) -> tuple[int | None, int | None]:
    """Return the least and the greatest number of pods on nodes at the end of the behaviours seen."""
    if change.rollout is None:
        if change.what == "unchanged" or change.unknown or not change.pods:
            return None, None
        there = {pod.key for pod in found.asked.scenario.pods if pod.node_name}
        places = [key in there or bool(found.seen.nodes.get(key)) for key in change.pods]
        left = found.bad is not None and {pod.key for pod in found.bad.end.pods if not pod.node_name} & set(change.pods)
        return (0 if left else int(all(places))), int(any(places))
    if proved and change.rollout.replicas and found.bad is None:
        return change.replicas, change.replicas
    return found.seen.bound.get(str(change.rollout), (None, None))


def show(
    changes: Sequence[Change], found: Deployed, hooks: Iterable[str], verdict: Verdict, console: Terminal
) -> None:  # fmt: skip
    """Print the answer."""
    show_facts(list(_facts(changes, found, list(hooks))), console)
    console.show()
    for change in changes:
        _show_change(change, found, console)
    console.show()
    console.show(Text(verdict.upper(), style=COLOURS[verdict]))
    for sentence in conclusions(changes, found, verdict):
        show_text(sentence, console, later="  " if sentence.startswith("- ") else "")
    if verdict is Verdict.VIOLATED:
        _show_bad(found, console)


def _facts(changes: Sequence[Change], found: Deployed, hooks: list[str]) -> Iterator[tuple[str, str]]:
    counts = {what: sum(each.what == what for each in changes) for what in ("added", "updated", "scaled", "unchanged")}
    yield (
        "Deploy",
        ", ".join(f"{number:,} {what}" for what, number in counts.items() if number) or "nothing that makes pods",
    )
    yield "Profile", departures(found.asked.scenario.profile)
    if hooks:
        yield "Left out", f"{counted(len(hooks), 'hook')} of Helm: {'; '.join(hooks)}"
    if found.asked.running:
        yield "Controllers", " ".join(found.asked.scenario.running)
    yield "Assumed", BESIDE if found.asked.running else MEANWHILE
    for note in found.explored.scenario.cut if found.explored is not None else ():
        yield "Cut", note


def _show_change(change: Change, found: Deployed, console: Terminal) -> None:
    """Print what becomes of one object."""
    told = row(change, found)
    replicas = change.replicas
    moved = (
        f"{change.before:,} -> {replicas:,} replicas"
        if change.before not in (None, replicas)
        else counted(replicas, "pod")
    )
    show_text(
        f"{change}: {change.what}{'' if change.what == 'unchanged' else f', {moved}'}{_strategy(change)}", console
    )
    if told.least is not None and told.greatest is not None and change.what != "unchanged":
        number = f"{told.least:,}" if told.least == told.greatest else f"{told.least:,} to {told.greatest:,}"
        done = "updated and on nodes" if change.rollout is not None and change.rollout.rolling else "on nodes"
        how = "" if told.proved or told.exact else " in the behaviours that were followed"
        show_text(f"{number} of {replicas:,} {done} at the end{how}", console, "  ", "  ")
    for line in _nodes(told):
        show_text(line, console, "  ", "    ")
    for note in (*change.notes, *([f"not known: {change.unknown}"] if change.unknown else [])):
        show_text(note, console, "  ", "    ")


def _strategy(change: Change) -> str:
    """Return how the rollout goes on, in words."""
    rollout = change.rollout
    if rollout is None or not rollout.rolling:
        return ""
    if rollout.recreate:
        return ", Recreate"
    if rollout.kind == "StatefulSet":
        order = "OrderedReady" if rollout.ordered else "Parallel"
        return f", one by one, {order}" + (f", partition {rollout.partition:,}" if rollout.partition else "")
    return f", maxSurge {rollout.surge:,}, maxUnavailable {rollout.unavailable:,}"


def _nodes(told: Row) -> Iterator[str]:
    if told.nodes:
        yield f"{'may be bound to' if told.exact else 'bound to, among others' if not _all(told) else 'may be bound to'}: " \
            f"{listed(list(told.nodes))}"  # fmt: skip
    if told.at_most and not told.exact and not _all(told):
        yield f"{counted(len(told.at_most), 'node')} feasible at most: {listed(list(told.at_most))}"


def _all(told: Row) -> bool:
    return told.at_most is not None and set(told.at_most) == set(told.nodes)


def conclusions(changes: Sequence[Change], found: Deployed, verdict: Verdict) -> Iterator[str]:
    """Yield what the verdict says, and how it is known."""
    if not found.asked.keys and not found.asked.running:
        yield "No pod is created or deleted." if verdict is Verdict.HOLDS else "What is not known is named above."
        return
    if verdict is Verdict.UNKNOWN and found.verdict is Verdict.HOLDS:
        yield f"What is not known is named above. All other pods are bound, whatever the order and the ties; {_how(found)}."
    if verdict is Verdict.HOLDS and not found.asked.keys:
        yield (
            "What is applied creates and deletes no pod. Whatever the order and the ties, every pod that the controllers move"
            f" is bound again, and the controllers come to rest; {_how(found)}."
        )
    elif verdict is Verdict.HOLDS:
        rest = ", and the controllers come to rest" if found.asked.running else ""
        and_ = "," if rest else " and"
        yield f"Whatever the order and the ties, every pod of what is applied is bound{and_} every rollout completes{rest}; {_how(found)}."
    if found.counted.hopeless:
        yield f"In every behaviour {counted(len(found.counted.hopeless), 'pod stays', 'pods stay')} pending; proved by counting."
    elif found.bad is not None:
        yield from _harm(found)
    if verdict in (Verdict.GAVE_UP, Verdict.UNKNOWN) and found.verdict is not Verdict.HOLDS:
        number = found.followed.number if found.followed is not None else 0
        well = ", and all ended well" if number else ""
        yield f"Not decided: {_stopped(found)}. {counted(number, 'behaviour was', 'behaviours were')} followed to the end{well}."
    yield from _evicted(found)
    if found.counted.peace:
        yield f"Meanwhile {found.counted.peace}."
    if not found.asked.others:
        pods = listed([str(pod) for pod in found.counted.evicting if pod.key not in found.asked.keys], ", ")
        yield f"Pods that wait already may evict others too, so no claim is made about evicted pods: {pods}."
    for each in changes:
        told = row(each, found)
        if verdict in (Verdict.GAVE_UP, Verdict.UNKNOWN) and told.unproved and each.what != "unchanged":
            yield f"{each}: {'; '.join(told.unproved)}."


def _stopped(found: Deployed) -> str:
    if found.followed is not None and found.followed.stopped:
        return found.followed.stopped
    if found.explored is not None and found.explored.result.unknown:
        return "; ".join(dict.fromkeys(why for _, why in found.explored.result.unknown))
    if found.explored is not None:
        return f"more than {found.explored.result.distinct:,} states"
    size = len(found.asked.scenario.pods) + len(found.asked.scenario.nodes)
    return f"{size:,} pods and nodes are too many to explore"


def _evicted(found: Deployed) -> Iterator[str]:
    if found.asked.running and not found.exact and not found.seen.evicted:
        return
    if not found.counted.evicting and not found.asked.running:
        yield "No pod is evicted."
        return
    evicted = found.seen.evicted
    many = "" if found.exact else " in the behaviours that were followed"
    if not evicted:
        yield f"No pod is evicted{' by preemption' if found.asked.running else ''}{many}."
        return
    yield f"{counted(len(evicted), 'pod')} may be evicted by preemption{many}:"
    for victim, preemptors in sorted(evicted.items()):
        yield f"- {victim}, for {_preemptors(preemptors, found)}"
    first = first_evicted(found.bad.actions if found.bad is not None else ())
    if first:
        yield f"The behaviour below evicts {first[0]} first, for {first[1]}."


def _preemptors(names: Iterable[str], found: Deployed) -> str:
    """Return the pods that evict; many pods of one workload as their number."""
    left, said = set(names), []
    for rollout in found.asked.scenario.rollouts:
        own = left & {str(found.asked.forms[key]) for key in rollout.keys if key in found.asked.forms}
        if len(own) > MOST_PREEMPTORS:
            said.append(f"{len(own):,} pods of {rollout}")
            left -= own
    return listed([*said, *sorted(left, key=natural)], ", ")


def _harm(found: Deployed) -> Iterator[str]:
    assert found.bad is not None
    for each in found.bad.broken:
        yield f"Not so in every behaviour: {each.claim}"
    if found.followed is not None and found.bad is found.followed.bad:
        number = counted(found.followed.number, "behaviour")
        yield f"It is the shortest of {number} that were followed to their end; a shorter one may exist."
    elif not found.complete:
        yield "A shorter one may exist."


def _how(found: Deployed) -> str:
    if found.counted.anywhere:
        closed = max(each.closed for each in found.counted.anywhere.values())
        evicting = any(each.evicting for each in found.counted.anywhere.values())
        others = "all pods that it may not evict" if evicting else "all other pods"
        return (
            f"proved by counting: wherever {others} are, however often some are evicted, they close at most {closed:.0%} of"
            " the nodes that could take a pod, by what it takes to close each"
        )
    if found.explored is None or found.counted.proved:
        return "proved by counting"
    return f"every state was explored ({found.explored.result.distinct:,})"


def _show_bad(found: Deployed, console: Terminal) -> None:
    """Print the behaviour that ends badly, and why pods stay pending at its end."""
    if found.bad is not None:
        console.show()
        asked = (str(pod) for pod in found.asked.scenario.pods if pod.key in found.asked.keys)
        show_steps(found.bad.actions, asked, console)
        console.show()
        if found.bad.loop is None:
            console.show("No further step changes anything.")
        else:
            console.show(f"The behaviour may repeat the steps after {found.bad.loop:,} forever.")
            if found.asked.running:
                taken = steps_along(found.bad.trail())
                show_round(turns(found.bad.loop, taken), taken, console)
    groups = pending(found)
    for each in groups[:MOST]:
        console.show()
        names = listed(sorted(map(str, each.pods), key=natural))
        show_text(f"{names}: {each.event or 'why it waits depends on what is not modelled'}", console)
        show_stops(each.stops, console)
    if left := sum(len(each.pods) for each in groups[MOST:]):
        console.show()
        show_text(f"and {counted(left, 'more pod stays', 'more pods stay')} pending", console)
