"""The coupling of the further pods across nodes: `Coupling`, `coupling`.

A filter that reads only the pod's own node cannot couple nodes. Neither can a term or a constraint that does not select
the further pods: its counts stay what they are. What is left is listed here.
"""

from dataclasses import dataclass

from schedcheck.checker.capacity.question import Question
from schedcheck.checker.vectors.counting import honoured
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.kubernetes.filters import inter_pod_affinity, pod_topology_spread, volume_restrictions
from schedcheck.spec.objects import Pod, SpreadConstraint
from schedcheck.spec.pod_terms import concerns


@dataclass(frozen=True)
class Coupling:
    """The ways in which a further pod changes what the filters say of other nodes.

    - `spread`: the DoNotSchedule constraints that count the further pods, by their places among those of the pod.
    - `apart`: the topology keys of required anti-affinity of the pods to each other; at most one pod in each domain.
    - `together`: the topology keys of required affinity, if the first pod decides where the others may be.
    - `once`: the pods share a claim of the access mode ReadWriteOncePod, so that at most one of them is placed.
    - `irregular`: why no law of counting applies; empty if one may.
    """

    spread: tuple[int, ...] = ()
    apart: tuple[str, ...] = ()
    together: tuple[str, ...] = ()
    once: bool = False
    irregular: str = ""

    @property
    def local(self) -> bool:
        """Whether each node is judged for itself."""
        return not (self.spread or self.apart or self.together or self.once)


def coupling(asked: Question) -> Coupling:
    """Return what couples the further pods of a question."""
    pod, cycle, names = asked.pod, asked.cycle, asked.plugins.at("filter")
    spread: tuple[int, ...] = ()
    if pod_topology_spread.NAME in names:
        constraints = pod_topology_spread.required(cycle.spreading)
        spread = tuple(i for i, each in enumerate(constraints) if pod_topology_spread.there(each, cycle.spreading, pod))
    between = inter_pod_affinity.NAME in names
    once = volume_restrictions.NAME in names and bool(volume_restrictions.for_one_pod(pod, cycle.storage))
    made = Coupling(spread, _apart(asked) if between else (), _together(asked) if between else (), once)
    if not made.local and cycle.nominated:
        return Coupling(*_fields(made), "pods that wait for evictions count as well")
    if any(not _all_counted(asked, constraints[i]) for i in spread):
        return Coupling(*_fields(made), "a topology spread constraint does not count all nodes")
    return made


def _fields(made: Coupling) -> tuple[tuple[int, ...], tuple[str, ...], tuple[str, ...], bool]:
    return made.spread, made.apart, made.together, made.once


def _apart(asked: Question) -> tuple[str, ...]:
    """Return the keys of the anti-affinity terms of the pod that select further pods, by either side's reading."""
    pod, snapshot, departures = asked.pod, asked.snapshot, asked.plugins.departures
    found = (
        term.topology_key
        for term in pod.affinity.anti_required
        if inter_pod_affinity.speaks_of(term, pod, pod, snapshot, departures)
        or concerns(term, pod, pod, snapshot, NO_FAULTS)
    )
    return tuple(sorted(set(found)))


def _together(asked: Question) -> tuple[str, ...]:
    """Return the keys of the required affinity, if no pod counts for it yet and the pods themselves do."""
    pod, cycle = asked.pod, asked.cycle
    first = inter_pod_affinity.first_of_its_group(pod, cycle.around, asked.snapshot, asked.plugins.departures)
    return tuple(sorted({term.topology_key for term in pod.affinity.pod_required})) if first else ()


def _all_counted(asked: Question, constraint: SpreadConstraint) -> bool:
    """Whether the constraint counts every node that has room for a pod: its domains then hold all further pods."""
    spreading: Pod = asked.cycle.spreading
    there = asked.judge.there
    keyed = there.has(each.topology_key for each in pod_topology_spread.required(spreading))
    counted = keyed & honoured(constraint, spreading, there)
    passed = [
        verdict.refusal is None or verdict.refusal.plugin == pod_topology_spread.NAME
        for verdict in asked.verdicts.values()
    ]
    return bool(all(inside or not open_ for inside, open_ in zip(counted.tolist(), passed, strict=True)))
