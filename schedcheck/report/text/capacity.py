"""The text of how many more pods fit: by the scheduler, at best, on which nodes, and what stops the next one."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from schedcheck.checker.capacity.capacity import Capacity
from schedcheck.checker.capacity.following import SEED
from schedcheck.checker.capacity.stopping import Stop, event
from schedcheck.checker.explain.shortages import Shortage
from schedcheck.report.text.amounts import amounts
from schedcheck.report.text.lines import show_facts, show_names, show_text
from schedcheck.report.text.profiles import departures
from schedcheck.report.text.terminal import Terminal, counted, listed
from schedcheck.spec.kubernetes.requests import wanted
from schedcheck.spec.objects import Pod
from schedcheck.spec.quantities import quantity_text

MOST_GROUPS = 40
BY = {
    "each node for itself": "proved: the nodes do not depend on each other",
    "counting": "proved by counting",
    "the room of the nodes": "proved: the nodes have room for no more",
    "z3": "proved by z3",
    "every choice": "proved: every choice of nodes was explored",
}


def show(found: Capacity, of: str, profile: str, beside: Iterable[tuple[str, str]], console: Terminal) -> None:
    """Print the answer; `of` is what the pods are like, `beside` further facts."""
    show_facts([("Pods", f"like those of {of}"), *_head(found, profile), *beside], console)
    if found.by_node is not None:
        console.out("", highlight=False)
        _show_nodes(found, found.by_node, console)
    console.out("", highlight=False)
    for sentence in conclusions(found):
        show_text(sentence, console)
    if found.stops:
        console.out("", highlight=False)
        show_stops(found.stops, console)


def requests(pod: Pod) -> str:
    """Return the requests of a pod in words."""
    amounts = {name: size for name, size in sorted(wanted(pod).items()) if size}
    return ", ".join(f"{name} {quantity_text(name, size)}" for name, size in amounts.items()) or "nothing"


def _head(found: Capacity, profile: str) -> Iterator[tuple[str, str]]:
    yield "Profile", departures(profile)
    yield "Requests", requests(found.asked.pod)
    if found.asked.most is not None:
        yield "Asked", counted(found.asked.most, "pod")
    yield "Scheduler", scheduler(found)
    yield "Best", best(found)
    yield "Gap", gap(found)


def scheduler(found: Capacity) -> str:
    """Return how many more pods the scheduler places, and how that is known."""
    if found.least is None:
        assert found.followed is not None
        reached = len(found.followed.hosts)
        end = "" if found.followed.ended else " or more"
        return f"{reached:,}{end} in one order of ties (seed {SEED}); another order may end with another number"
    number = f"{found.least:,}" if found.least == found.greatest else f"{found.least:,} to {found.greatest:,}"
    if found.least != found.greatest:
        return f"{number}, as ties fall"
    return f"{number}, whatever the ties"


def best(found: Capacity) -> str:
    """Return how many pods fit at best, and whether that is proved."""
    top = found.best
    if top.proved:
        return f"{top.bound:,}, {BY[top.by]}"
    why = f" ({top.stopped})" if top.stopped else ""
    return f"unknown, from {top.reached:,} to {top.bound:,}{why}"


def gap(found: Capacity) -> str:
    """Return how far the scheduler may stay behind the best."""
    if found.gap is None:
        return "unknown"
    least, greatest = found.gap
    if least == greatest:
        return counted(greatest, "pod") if greatest else "none"
    return f"{least:,} to {counted(greatest, 'pod')}"


def conclusions(found: Capacity) -> Iterator[str]:
    """Yield whether as many as asked for fit, and the event of the next pod."""
    most, fits = found.asked.most, found.fits
    if most is not None:
        yield {
            True: f"Yes: {most:,} more fit.",
            False: _no(found, most),
            None: f"Unknown: whether {most:,} more fit depends on ties that were not all explored.",
        }[fits]
    if found.followed is not None:
        where = (
            "Where they go follows one order of ties"
            if found.orders != "one order"
            else "One order of ties was followed"
        )
        judged, number = found.followed.judged, len(found.followed.hosts)
        said = "every placement was" if judged == number else f"{judged:,} of {number:,} placements were"
        if number:
            yield f"{where}; {said} judged by the specification."
    if found.stopped:
        yield f"Not all was looked at ({found.stopped})."
    yield from better(found)
    if found.stops:
        yield f"The next one fits on no node: {event(found.asked, found.stops)}"


def _no(found: Capacity, most: int) -> str:
    if found.best.bound < most:
        return f"No: {most:,} more do not fit, whichever nodes are chosen."
    other = " Another choice of nodes places them." if found.best.reached >= most else ""
    return f"No: the scheduler does not place {most:,} more.{other}"


def better(found: Capacity) -> Iterator[str]:
    """Yield the choices that place more than the scheduler does, by the number on each node."""
    hosts = found.best.hosts
    if hosts:
        numbers = {host: hosts.count(host) for host in sorted(set(hosts))}
        ends = listed([f"{number:,} on {host}" for host, number in numbers.items()], ", ")
        yield f"To place {len(hosts):,}, begin on {hosts[0]}, and end with {ends}; every step was judged by the specification."


def _show_nodes(found: Capacity, by_node: Mapping[str, int], console: Terminal) -> None:
    """Print the nodes by the number of pods that they take, the greatest first."""
    groups: dict[int, list[str]] = {}
    for name in (node.name for node in found.asked.snapshot.nodes):
        groups.setdefault(by_node.get(name, 0), []).append(name)
    numbers = sorted(groups, reverse=True)
    wide = max(4, *(len(f"{number:,}") for number in numbers)) if numbers else 4
    console.out(f"{'Pods':>{wide}}  Nodes", highlight=False)
    for number in numbers[:MOST_GROUPS]:
        show_text(listed(groups[number]), console, f"{number:>{wide},}  ", " " * (wide + 2))
    if len(numbers) > MOST_GROUPS:
        left = sum(len(groups[number]) for number in numbers[MOST_GROUPS:])
        console.out(f"and {counted(left, 'more node')}", highlight=False)


def show_stops(stops: tuple[Stop, ...], console: Terminal) -> None:
    """Print the reasons with the amounts that lack, and the nodes that they refuse."""
    groups: dict[tuple[tuple[str, ...], tuple[str, ...]], list[Stop]] = {}
    for stop in stops:
        reasons_here = tuple(reason for each in stop.refusals for reason in each.reasons)
        groups.setdefault((reasons_here, tuple(each.resource for each in stop.short)), []).append(stop)
    ordered = sorted(groups.items(), key=lambda each: (-len(each[1]), each[0]))
    for _, alike in ordered[:MOST_GROUPS]:
        show_text(f"{counted(len(alike), 'node')}: {reasons(alike)}", console)
        show_names((each.node for each in alike), console)
    if len(ordered) > MOST_GROUPS:
        left = sum(len(alike) for _, alike in ordered[MOST_GROUPS:])
        console.out(f"and {counted(left, 'node')} for other reasons", highlight=False)


def reasons(alike: Sequence[Stop]) -> str:
    """Return why nodes that are refused alike take no further pod, with what is asked and what is free."""
    text = "; ".join(reason for each in alike[0].refusals for reason in each.reasons) or "refused"
    lacking = "; ".join(_lacking([each.short[i] for each in alike]) for i in range(len(alike[0].short)))
    return f"{text} ({lacking})" if lacking else text


def _lacking(short: list[Shortage]) -> str:
    """Return what is asked of a resource, and how much of it the nodes have left."""
    return f"{short[0].resource} {amounts(short)}"
