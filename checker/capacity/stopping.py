"""Why no further pod fits: `Stop`, `stops`, and the text of the event, `event`."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from schedcheck.checker.capacity.question import Question
from schedcheck.checker.capacity.rooms import Room, holding
from schedcheck.checker.vectors.judge import CycleJudge
from schedcheck.checker.vectors.tallied import Tallied
from schedcheck.spec.fit_error import NO_NODES, fit_error, histogram
from schedcheck.spec.kubernetes.filter import refusals, with_nominated
from schedcheck.spec.kubernetes.filters.node_resources_fit import looked_for, short, too_many_pods
from schedcheck.spec.refusal import Refusal
from schedcheck.spec.requests import allocatable


@dataclass(frozen=True)
class Shortage:
    """A resource of which a node has less left than the pod asks for, in its smallest unit; `pods` counts as one."""

    resource: str
    asked: int
    free: int


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
        Stop(room.node, room.refusals, shortages(asked, holding(info, asked.pod, room.pods), room.refusals))
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
        found.append(Stop(info.node.name, every, shortages(asked, info, every)))
    return tuple(found)


def shortages(asked: Question, info: Tallied, said: tuple[Refusal, ...]) -> tuple[Shortage, ...]:
    """Return the resources that are short on the node, if NodeResourcesFit refuses it."""
    if all(each.plugin != "NodeResourcesFit" for each in said):
        return ()
    wants = looked_for(asked.pod, asked.plugins.arguments)
    lacking = [
        Shortage(name, wants[name], allocatable(info.node, name) - info.requested.get(name, 0))
        for name in short(wants, info)
    ]
    slots = [Shortage("pods", 1, allocatable(info.node, "pods") - len(info.pods))] if too_many_pods(info) else []
    return (*slots, *lacking)


def event(asked: Question, found: Iterable[Stop]) -> str:
    """Return the message of kube-scheduler about the next pod, without what preemption adds to it."""
    found, rejection = tuple(found), asked.cycle.rejection
    if not asked.snapshot.nodes:
        return NO_NODES
    first = (each.refusals[0] for each in found if each.refusals)
    why = ", ".join(rejection.reasons) if rejection is not None else histogram(first)
    return fit_error(len(asked.snapshot.nodes), why)
