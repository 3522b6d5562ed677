"""Why no further pod fits: `Stop`, `stops`, and the text of the event, `event`."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from schedcheck.checker.capacity.question import Question
from schedcheck.checker.capacity.rooms import Room, holding
from schedcheck.checker.explain.shortages import Shortage, shortages
from schedcheck.checker.vectors.judge import CycleJudge
from schedcheck.spec.fit_error import NO_NODES, fit_error, histogram
from schedcheck.spec.kubernetes.filter import refusals, with_nominated
from schedcheck.spec.refusal import Refusal


@dataclass(frozen=True)
class Stop:
    """A node that takes no further pod: why, the recorded refusal first, and of which resources too little is left."""

    node: str
    refusals: tuple[Refusal, ...]
    short: tuple[Shortage, ...]


def after_rooms(asked: Question, rooms: Mapping[str, Room]) -> tuple[Stop, ...]:
    """Return why each node takes no more pods than its room."""
    infos = zip(asked.judge.there.infos, rooms.values(), strict=True)
    return tuple(
        Stop(
            room.node,
            room.refusals,
            shortages(asked.pod, asked.plugins, holding(info, asked.pod, room.pods), room.refusals),
        )
        for info, room in infos
    )


def after_hosts(asked: Question, hosts: Iterable[str]) -> tuple[Stop, ...]:
    """Return why each node takes no further pod after one is bound to each of these nodes."""
    judge = CycleJudge(asked.after(hosts))
    filtering, _ = judge.profile(asked.plugins)
    cycle = judge.cycle(asked.pod, asked.plugins)
    verdicts = judge.verdicts(filtering.numbers(cycle), filtering)
    found = []
    for info in judge.there.infos:
        verdict = verdicts[info.node.name]
        if verdict.refusal is None:
            continue
        every: tuple[Refusal, ...] = (verdict.refusal,)
        if verdict.source == "filter":
            crowded = with_nominated(cycle, info)
            with_them = tuple(refusals(cycle, crowded)) if crowded is not None else ()
            every = with_them or tuple(refusals(cycle, info))
        found.append(Stop(info.node.name, every, shortages(asked.pod, asked.plugins, info, every)))
    return tuple(found)


def event(asked: Question, found: Iterable[Stop]) -> str:
    """Return the message of kube-scheduler about the next pod, without what preemption adds to it."""
    found, rejection = tuple(found), asked.cycle.rejection
    if not asked.snapshot.nodes:
        return NO_NODES
    first = (each.refusals[0] for each in found if each.refusals)
    why = ", ".join(rejection.reasons) if rejection is not None else histogram(first)
    return fit_error(len(asked.snapshot.nodes), why)
