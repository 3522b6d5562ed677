"""Which pods of Jeopardy nobody can tell apart: the classes that a search for victims counts.

Two pods are in one class if what any definition looks at in them, for this question, is equal. The definitions are
the filters, asked of the preemptor alone, and the casualty. Of another pod on the node the filters look at

- what it takes of each resource that the preemptor requests, and the ports of those that the preemptor asks for: the
  amounts that it frees of each limit;
- its labels, only through the label selectors of the preemptor's affinity terms and spread constraints: the answers of
  these selectors;
- its own required anti-affinity, its namespace, phase, volumes, and whether it is terminating: kept as they are.

The casualty looks at what each criterion says that it looks at. Everything else of a pod (its owner, images, node
selector, tolerations, what it itself prefers or requires of company) concerns only where it may be placed itself, or how
a node is rated. Names are looked at by budgets, of which the criterion tells, and by the filters of volumes, as some claims are
named after their pod: pods with volumes keep their names, and so are alone in their classes.
"""

from collections.abc import Hashable, Iterable
from dataclasses import replace

from schedcheck.checker.victims.casualty import Criterion
from schedcheck.checker.victims.judges import Limit
from schedcheck.spec.faults import Faults
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.selectors import selects
from schedcheck.spec.terms import Affinity, LabelSelector
from schedcheck.spec.values import NO_AMOUNTS, NO_LABELS


def interchangeable(
    pod: Pod,
    endangered: Iterable[Pod],
    snapshot: Snapshot,
    limits: tuple[Limit, ...],
    criteria: tuple[Criterion, ...],
    faults: Faults,
) -> tuple[tuple[Pod, ...], ...]:
    """The classes of the pods that `pod` endangers, each in the order of their keys, in the order of their first."""
    others = tuple(sorted(endangered, key=lambda other: other.key))
    looks = [criterion.looks_at(others, snapshot) for criterion in criteria]
    classes: dict[Hashable, list[Pod]] = {}
    for other in others:
        freed = tuple(limit.freed.get(other, 0) for limit in limits)
        selected = tuple(selects(each, other.labels, faults) for each in _selectors(pod))
        counted = tuple(seen[other] for seen in looks)
        classes.setdefault((freed, selected, counted, _kept(other)), []).append(other)
    return tuple(tuple(members) for members in classes.values())


def _selectors(pod: Pod) -> list[LabelSelector | None]:
    """The label selectors with which `pod` looks at others."""
    return [
        *(term.label_selector for term in (*pod.affinity.pod_terms, *pod.annotated_affinity.pod_terms)),
        *(constraint.selector for constraint in pod.spread),
    ]


def _kept(pod: Pod) -> Pod:
    """The pod without what is not looked at, or is looked at only as said above."""
    return replace(
        pod,
        name=pod.name if pod.volumes or pod.resource_claims else "",
        labels=NO_LABELS,
        priority=0,
        start_time=None,
        preemption_policy="",
        scheduler_name="",
        node_selector=NO_LABELS,
        empty_node_selector=False,
        affinity=Affinity(anti_required=pod.affinity.anti_required),
        tolerations=(),
        init_containers=(),
        containers=(),
        overhead=NO_AMOUNTS,
        pod_requests=NO_AMOUNTS,
        owner=("", ""),
        spread=(),
    )
