"""PodDisruptionBudget manifests to budgets, with the recorded status or a recomputed one: `budgets`.

Kubernetes 1.34: pkg/apis/policy/validation, pkg/controller/disruption. Differs: if the input lacks an owner, the number
of its pods stands for its scale; if the input lacks the pods, expectedPods of the status stands for their number.
"""

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace

from schedcheck.manifests.affinity import label_selector
from schedcheck.manifests.fields import INT32, Field
from schedcheck.manifests.labelled import Labelled
from schedcheck.manifests.pods import Entry
from schedcheck.manifests.workloads import Owner, Workload, owner_key
from schedcheck.spec.binding import completed
from schedcheck.spec.budgets import desired_healthy, healthy
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget, Snapshot

PERCENTAGE = re.compile(r"[0-9]{1,9}%", re.ASCII)
STATUSES = ("recorded", "recomputed")
"""The source of a budget's allowed disruptions: its status, if it has one, or a count of its pods."""

MOST_NOTES = 3


@dataclass(frozen=True)
class _Context:
    """The objects by which the status of a budget is counted: pods, nodes, and workloads with their scales."""

    labelled: Labelled
    nodes: Mapping[str, Node]
    scales: Mapping[Owner, int]
    parents: Mapping[Owner, Owner]
    owned: Counter[Owner]


def budgets(
    manifests: Iterable[Field],
    entries: Iterable[Entry],
    nodes: Iterable[Node],
    workloads: Iterable[Workload],
    status: str,
) -> tuple[tuple[PodDisruptionBudget, ...], tuple[str, ...]]:
    """Return the budgets in the order of namespace and name, and notes on budgets whose status is out of date."""
    fields = list(manifests)
    if not fields:
        return (), ()
    context = _context(list(entries), nodes, list(workloads))
    read = sorted((_counted(field, context, status) for field in fields), key=lambda each: each[0].key)
    return tuple(each for each, _ in read), _first([note for _, note in read if note])


def _first(notes: list[str]) -> tuple[str, ...]:
    """Return the notes, or the first few of them with a count of the others."""
    more = len(notes) - MOST_NOTES
    return (*notes[:MOST_NOTES], f"{more} more budgets have a status that is out of date") if more > 1 else tuple(notes)


def budget(field: Field) -> PodDisruptionBudget:
    """Return the budget of a manifest, with what its status records."""
    metadata, spec, status = field["metadata"], field["spec"], field["status"]
    if spec["minAvailable"] and spec["maxUnavailable"]:
        raise spec["maxUnavailable"].error("expected one of minAvailable and maxUnavailable, not both")
    return PodDisruptionBudget(
        name=metadata["name"].text(),
        namespace=metadata["namespace"].text() or "default",
        selector=label_selector(spec["selector"]),
        min_available=_count_or_percentage(spec["minAvailable"]),
        max_unavailable=_count_or_percentage(spec["maxUnavailable"]),
        expected=_number(status["expectedPods"]),
        disruptions_allowed=status["disruptionsAllowed"].integer() if status["disruptionsAllowed"] else 0,
        disrupted=frozenset(name for name, _ in status["disruptedPods"].entries()),
    )


def _number(field: Field) -> int:
    return field.integer(0) if field else 0


def _count_or_percentage(field: Field) -> int | str | None:
    """Return a count, or a percentage from 0% to 100%; None if it is absent."""
    if not field:
        return None
    if not isinstance(field.value, str):
        return field.integer(0, INT32 - 1)
    if not PERCENTAGE.fullmatch(field.value) or int(field.value[:-1]) > 100:
        raise field.error("expected a count, or a percentage from 0% to 100%")
    return field.value


def _context(entries: list[Entry], nodes: Iterable[Node], workloads: list[Workload]) -> _Context:
    return _Context(
        labelled=Labelled(entries),
        nodes={node.name: node for node in nodes},
        scales={each.key: each.replicas for each in workloads if each.kind != "DaemonSet"},
        parents={each.key: owner_key(each) for each in workloads if each.owner[0]},
        owned=Counter(owner_key(each.pod) for each in entries if not completed(each.pod)),
    )


def _counted(field: Field, context: _Context, status: str) -> tuple[PodDisruptionBudget, str]:
    """Return the budget with its expected pods and allowed disruptions, and a note if its status is out of date."""
    recorded = budget(field)
    protected = context.labelled.selected(recorded.namespace, recorded.selector)
    expected = _expected(recorded, [entry.pod for entry in protected], context)
    recounted = replace(recorded, expected=expected)
    allowed = max(0, _healthy(recounted, protected, context) - desired_healthy(recounted))
    has_status = bool(field["status"]["disruptionsAllowed"])
    counts = recorded.disruptions_allowed if has_status and status == "recorded" else allowed
    note = ""
    if has_status and protected and allowed != recorded.disruptions_allowed:
        note = (
            f"budget {recorded}: its status allows {_disruptions(recorded.disruptions_allowed)}, its pods "
            f"{allowed}; {'the status' if status == 'recorded' else 'what its pods allow'} counts"
        )
    return replace(recounted, disruptions_allowed=counts), note


def _disruptions(number: int) -> str:
    return f"{number} disruption" if number == 1 else f"{number} disruptions"


def _healthy(budget: PodDisruptionBudget, protected: Iterable[Entry], context: _Context) -> int:
    """Return how many protected pods are healthy. A pod counts only if its status, where it has conditions, says Ready.

    `healthy` depends only on the node, the phase and the deletion of a pod. It is evaluated once for pods that are
    alike in these.
    """
    asked: dict[Hashable, bool] = {}
    number = 0
    for entry in protected:
        pod = entry.pod
        alike = pod.node_name in context.nodes, pod.phase, pod.terminating
        if alike not in asked:
            node = context.nodes.get(pod.node_name)
            asked[alike] = healthy(budget, Snapshot((pod,), (node,) if node else ()), kubelet=False) != frozenset()
        number += asked[alike] and entry.recorded_ready()
    return number


def _expected(budget: PodDisruptionBudget, protected: list[Pod], context: _Context) -> int:
    """Return the expected number of pods: their count if minAvailable is a number, else the scales of their owners.

    Without any pod it is the recorded number.
    """
    if not protected:
        return budget.expected
    if isinstance(budget.min_available, int):
        return len(protected)
    owners = {_at_the_top(owner_key(pod), context) for pod in protected if pod.owner[0]}
    return sum(_scale(owner, context) for owner in owners)


def _scale(owner: Owner, context: _Context) -> int:
    return context.scales[owner] if owner in context.scales else context.owned[owner]


def _at_the_top(owner: Owner, context: _Context) -> Owner:
    """Return the Deployment that owns a ReplicaSet, found by reference or by name; else the owner itself."""
    namespace, kind, name = owner
    if kind != "ReplicaSet":
        return owner
    deployment = context.parents.get(owner, (namespace, "Deployment", name.rpartition("-")[0]))
    return deployment if deployment in context.scales else owner
