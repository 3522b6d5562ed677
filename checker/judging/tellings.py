"""What a scheduler tells beside its decision, compared with the specification: `tellings`."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from schedcheck.checker.judging.judged import Strictness
from schedcheck.checker.judging.matching import EVICTING, WAITING
from schedcheck.checker.judging.reply import Reply, ToldRefusal
from schedcheck.checker.judging.views import View
from schedcheck.spec.decisions import Wait
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.refusal import Refusal


class Broken(NamedTuple):
    """A clause, and a sentence that says how it is broken."""

    clause: str
    reason: str


def nomination_kept(view: View, reply: Reply) -> Iterator[Broken]:
    """Yield that the pod keeps or loses its nomination otherwise than the reply tells."""
    waits = [each for each in view.decisions if isinstance(each, Wait)]
    if reply.unnominated is not None and waits and all(each.unnominated != reply.unnominated for each in waits):
        yield Broken("unnominated", f"the pod {'keeps' if reply.unnominated else 'loses'} its nomination")


def tellings(snapshot: Snapshot, view: View, reply: Reply) -> Iterator[Broken]:
    """Yield what an exact reply tells otherwise than the specification; its decision is an allowed one."""
    waits = [each for each in view.decisions if isinstance(each, Wait)]
    if reply.kind in WAITING and waits:
        outcome = "error" if view.failing else "unschedulable"
        if reply.kind != outcome:
            yield Broken("outcome", f"the reply says {reply.kind}, the specification {outcome}")
    yield from _scores(view, reply)
    yield from _refusals(snapshot, view, reply)
    if reply.message is not None and waits and all(each.message != reply.message for each in waits):
        yield Broken("event", f"the reply says {reply.message!r}, the specification {waits[0].message!r}")


def _scores(view: View, reply: Reply) -> Iterator[Broken]:
    totals = view.totals
    for name, score in sorted((reply.scores or {}).items() if totals else ()):
        if name not in totals:
            yield Broken("scores", f"{name} is not feasible, and has no score; the reply says {score}")
        elif totals[name] != score:
            yield Broken("scores", f"{name} has the score {totals[name]}; the reply says {score}")


def _refusals(snapshot: Snapshot, view: View, reply: Reply) -> Iterator[Broken]:
    known = {node.name for node in snapshot.nodes}
    for name, told in sorted((reply.refusals or {}).items()):
        if name not in known:
            yield Broken("exists", f"there is no node {name}")
            continue
        found = view.refusals(name)
        if bool(told) != bool(found) or not all(any(_same(each, other) for other in found) for each in told):
            said = "; ".join(map(refusal_text, found)) or "feasible"
            theirs = "; ".join(map(_told_text, told)) or "feasible"
            yield Broken("refusals", f"{name}: {said}; the reply says {theirs}")


def _same(told: ToldRefusal, found: Refusal) -> bool:
    return (
        sorted(told.reasons) == sorted(found.reasons)
        and told.plugin in (None, found.plugin)
        and told.code in (None, found.code.value)
    )


def refusal_text(refusal: Refusal) -> str:
    """Return a refusal as text: the plugin and its reasons."""
    return f"{refusal.plugin}: {', '.join(refusal.reasons)}" if refusal.plugin else ", ".join(refusal.reasons)


def _told_text(told: ToldRefusal) -> str:
    head = " ".join(filter(None, (told.plugin, told.code)))
    return f"{head}: {', '.join(told.reasons)}" if head else ", ".join(told.reasons)


def parts(
    pod: Pod, snapshot: Snapshot, view: View, reply: Reply, strictness: Strictness
) -> Mapping[str, tuple[int, int]]:
    """Return for each part of the reply how much of it was judged, and how much of it there is."""
    exact = strictness == "exact"
    found = {"decision": (1, 1)}
    if reply.kind in EVICTING:
        found["victims"] = (int(reply.victims is not None), 1)
    totals = view.totals
    if totals:
        told = sum(name in totals for name in reply.scores or ()) if exact else 0
        found["scores"] = (told, len(totals))
    if snapshot.nodes:
        told = sum(node.name in reply.refusals for node in snapshot.nodes) if exact and reply.refusals else 0
        found["refusals"] = (told, len(snapshot.nodes))
    if reply.kind in WAITING:
        found["message"] = (int(exact and reply.message is not None), 1)
        if pod.nominated_node_name:
            found["unnominated"] = (int(strictness != "feasible" and reply.unnominated is not None), 1)
    return found
