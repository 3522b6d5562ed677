"""The text of the nodes that are needed, and of those that could be spared."""

from collections.abc import Iterator, Sequence

from schedcheck.checker.capacity.adding import Fewest
from schedcheck.checker.capacity.emptying import Emptied
from schedcheck.checker.capacity.following import SEED
from schedcheck.checker.capacity.stopping import Stop
from schedcheck.manifests.names import natural
from schedcheck.report.json.room import Needed, Spare
from schedcheck.report.text.capacity import reasons
from schedcheck.report.text.lines import show_facts, show_text
from schedcheck.report.text.profiles import departures
from schedcheck.report.text.terminal import Terminal, counted, listed
from schedcheck.spec.objects import Pod

HEADINGS = {
    "scheduler": "can be emptied, each by itself: the scheduler places the pods elsewhere, in one order of ties",
    "best": "can be emptied by other choices than the scheduler's",
    "no": "cannot be emptied, whichever nodes are chosen",
    "unknown": "not known",
}
MOST_ROWS = 40


def show_needed(found: Needed, console: Terminal) -> None:
    """Print how many nodes of a shape are needed."""
    show_facts(_needed(found), console)
    if found.made.hopeless:
        _show_left("Neither a node that is there nor a new one has room for these pods; of a new node:",
                   found.made.hopeless, console)  # fmt: skip
    if found.made.left:
        tried = counted(found.made.scheduler.tried, "new node")
        which = f"not all {found.number:,} pods are placed" if found.of else "these pods find no node"
        _show_left(f"With {tried} {which}; of a new node:", found.made.left, console)
    first = found.made.first
    if first is not None and first.ways:
        console.out("", highlight=False)
        by_node: dict[str, list[str]] = {}
        for pod, host in first.ways:
            by_node.setdefault(host, []).append(str(pod))
        for host in sorted(by_node, key=natural)[:MOST_ROWS]:
            show_text(f"{host}: {listed(by_node[host])}", console, later="  ")
        judged = "every placement was" if first.judged == len(first.ways) else f"{first.judged:,} placements were"
        show_text(f"{judged[0].upper()}{judged[1:]} judged by the specification.", console)


def _show_left(heading: str, left: Sequence[tuple[Pod, Stop]], console: Terminal) -> None:
    """Print pods that find no node, each with the reason."""
    console.out("", highlight=False)
    show_text(heading, console)
    for pod, why in left[:MOST_ROWS]:
        show_text(f"{pod}: {reasons([why])}", console, "  ", "    ")
    if len(left) > MOST_ROWS:
        show_text(f"and {counted(len(left) - MOST_ROWS, 'more pod')}", console, "  ")


def _needed(found: Needed) -> Iterator[tuple[str, str]]:
    waiting = "the one that waits" if found.number == 1 else f"all {found.number:,} that wait"
    pods = f"{found.number:,} like those of {found.of}" if found.of else waiting
    yield "Pods", pods
    yield "Profile", departures(found.profile)
    yield "Node", found.shape.replace(",", ", ")
    if found.daemons:
        yield "Daemons", f"{counted(len(found.daemons), 'pod')} of DaemonSets on each new node"
    ties = "whatever the ties" if found.every_order else f"in one order of ties (seed {SEED})"
    yield "Scheduler", _fewest(found.made.scheduler, ties)
    yield "Best", _fewest(found.made.best, "proved to be the fewest")
    if found.made.stopped:
        yield "Stopped", found.made.stopped


def _fewest(found: Fewest, known: str) -> str:
    if found.never:
        return "no number of such nodes is enough"
    if found.number is not None:
        return f"{counted(found.number, 'node')}, {known}"
    if found.enough is not None:
        return f"unknown; {counted(found.enough, 'node')} are enough, and fewer may be"
    return (
        f"unknown; more than {counted(found.tried, 'node')}, if any number is enough" if found.tried >= 0 else "unknown"
    )


def show_spare(found: Spare, console: Terminal) -> None:
    """Print which nodes could be emptied."""
    show_facts([("Profile", departures(found.profile))], console)
    for verdict, heading in HEADINGS.items():
        nodes = [each for each in found.made if found.verdicts[each.node.name] == verdict]
        if nodes:
            console.out("", highlight=False)
            show_text(f"{counted(len(nodes), 'node')} {heading}:", console)
            for each in nodes[:MOST_ROWS]:
                show_text(f"{each.node.name}: {_pods(each)}", console, "  ", "    ")
            if len(nodes) > MOST_ROWS:
                show_text(f"and {counted(len(nodes) - MOST_ROWS, 'more node')}", console, "  ")
    if found.stopped:
        console.out("", highlight=False)
        left = found.nodes - len(found.made)
        show_text(f"{counted(left, 'node')} not examined ({found.stopped}).", console)


def _pods(found: Emptied) -> str:
    """Return what happens to the pods of a node, in words."""
    said = [f"{counted(len(found.moved), 'pod')} to move" if found.moved else "no pod to move"]
    left = () if found.placed is None else found.placed.left
    if left:
        said.append(f"without a node {listed([str(pod) for pod in left[:3]], ', ')}{', …' if len(left) > 3 else ''}")
    unowned = [str(pod) for pod in found.moved if not pod.owner[0]]
    if unowned:
        said.append(f"not recreated by an owner: {listed(unowned[:3], ', ')}{', …' if len(unowned) > 3 else ''}")
    if found.unknown or found.best.stopped:
        said.append(found.unknown or found.best.stopped)
    return "; ".join(said)
