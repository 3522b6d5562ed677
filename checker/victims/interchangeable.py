"""The classes of interchangeable potential victims, which a search for victims counts.

Two pods are in one class if they agree in everything that a definition reads for this question. The definitions are
the filters, evaluated for the preemptor alone, and the casualty. Of another pod on the node the filters read

- its requests of each resource that the preemptor requests, and its host ports that the preemptor requests: the
  amounts that it frees of each limit;
- its labels, only through the label selectors of the preemptor's affinity terms and spread constraints: the answers of
  these selectors;
- its own required anti-affinity, its namespace, phase, volumes, and whether it is terminating: kept as they are.

Each criterion of the casualty declares what it reads. All other fields of a pod (its owner, images, node selector,
tolerations, its own preferred or required affinity) matter only for its own placement or for scores. Names are read
by budgets, as their criterion declares, and by the volume filters, as some claims are named after their pod: pods with
volumes keep their names, and so are alone in their classes.
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
    """Return the classes of the pods in `endangered`; members and classes are in the order of their keys."""
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
    """Return the label selectors by which `pod` selects other pods."""
    return [
        *(term.label_selector for term in (*pod.affinity.pod_terms, *pod.annotated_affinity.pod_terms)),
        *(constraint.selector for constraint in pod.spread),
    ]


def _kept(pod: Pod) -> Pod:
    """Return the pod without the fields that are not read, or are compared separately."""
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
