"""The differences between two snapshots, object by object."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from schedcheck.checker.extenders.unasked import assumption
from schedcheck.checker.result import Stage
from schedcheck.model.controllers import AddNode, Provision, ReplaceNodes
from schedcheck.model.controllers.job import has_failed
from schedcheck.model.machine import Machine
from schedcheck.model.reference import State as Plain
from schedcheck.model.scenario import Scenario
from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget, Snapshot

if TYPE_CHECKING:
    from schedcheck.checker.check import Checked

Thing = Pod | Node | PodDisruptionBudget


@dataclass(frozen=True)
class Change:
    """An object that was added (`before` None), removed (`after` None) or changed, with a description in words."""

    before: Thing | None
    after: Thing | None
    text: str

    @property
    def thing(self) -> Thing:
        """The object after the change, or before it if it was removed."""
        thing = self.before if self.after is None else self.after
        assert thing is not None
        return thing


@dataclass(frozen=True)
class Step:
    """A step of a trace: its number (0 is the initial state), the action, and the changes.

    `noted` are, in words, the changes in the scheduler's memory, if it has one, and the answers assumed of extenders
    that were not asked.
    """

    number: int
    action: object
    changes: tuple[Change, ...]
    snapshot: Snapshot
    noted: tuple[str, ...] = ()


def steps(trace: Sequence[Stage], checked: "Checked") -> tuple[Step, ...]:
    """Return the steps of a behaviour."""
    return steps_of(trace, checked.machine, checked.scenario)


def steps_along(trail: Sequence[tuple[object, Snapshot]]) -> tuple[Step, ...]:
    """Return the steps of a behaviour given by its actions, None at first, each with the cluster after it."""
    before = (trail[0][1], *(after for _, after in trail))
    return tuple(
        Step(number, action, tuple(changes(first, after)), after)
        for number, (first, (action, after)) in enumerate(zip(before, trail, strict=False))
    )


def steps_of(trace: Sequence[Stage], machine: Machine[Any], scenario: Scenario) -> tuple[Step, ...]:
    """Return the steps of a behaviour of this machine, which is that of the scenario."""
    snapshots = [machine.view(stage.state) for stage in trace]
    stories = zip(trace, snapshots[:1] + snapshots, snapshots, strict=False)
    noted = [(), *(_noted(before.state, after.state, scenario) for before, after in pairwise(trace))]
    return tuple(
        Step(
            number,
            stage.action,
            tuple(changes(before, after, added=isinstance(stage.action, AddNode | Provision | ReplaceNodes))),
            after,
            (*noted[number], *_assumed(before, stage.action, scenario)),
        )
        for number, (stage, before, after) in enumerate(stories)
    )


def _assumed(before: Snapshot, action: object, scenario: Scenario) -> tuple[str, ...]:
    """Return the answers of unasked extenders on which the action depends, in words."""
    said = assumption(before, action, scenario)
    return (f"assumed: {said}",) if said else ()


def _progressed(before: Plain, after: Plain) -> Iterator[str]:
    """Yield the changes of what Karpenter reads beside the objects, in words."""
    if before.progress is None or after.progress is None:
        return
    known = set(before.progress.unschedulable)
    for namespace, name in after.progress.unschedulable:
        if (namespace, name) not in known:
            pod = name if namespace in ("default", "") else f"{namespace}/{name}"
            yield f"{pod} is marked as unschedulable"
    for node, replacement in after.progress.replaced:
        if (node, replacement) not in before.progress.replaced:
            yield f"{node} waits for {replacement}"


def _noted(before: object, after: object, scenario: Scenario) -> tuple[str, ...]:
    """Return the changes in the memory of a scheduler that has one, of replicas, of Karpenter's progress, and of the ended pods of Jobs."""
    if isinstance(before, Plain) and isinstance(after, Plain):
        return (
            *_scaled(before, after, scenario),
            *_revised(before, after, scenario),
            *_progressed(before, after),
            *_ended(before, after, scenario),
        )
    from schedcheck.model.production.machine.machine import State
    from schedcheck.report.text.scheduler_changes import scheduler_changes

    return tuple(scheduler_changes(before, after)) if isinstance(before, State) and isinstance(after, State) else ()


def _ended(before: Plain, after: Plain, scenario: Scenario) -> Iterator[str]:
    """Yield the changed numbers of pods of Jobs that have ended."""
    for job, old, new in zip(scenario.jobs, before.jobs, after.jobs, strict=True):
        if old.succeeded != new.succeeded:
            yield f"{job}: {new.succeeded:,} succeeded"
        if old.failed != new.failed:
            yield f"{job}: {new.failed:,} failed" + (", more than its backoffLimit" if has_failed(job, new) else "")


def _scaled(before: Plain, after: Plain, scenario: Scenario) -> Iterator[str]:
    """Yield the changed replicas of autoscaled workloads and of their ReplicaSets, and the pods that have settled."""
    for number, (old, new) in enumerate(zip(before.scalings, after.scalings, strict=True)):
        rollout, asked, now = scenario.rollouts[number], before.scales[number][1], after.scales[number][1]
        if old.replicas != new.replicas:
            yield f"{rollout}: {old.replicas:,} -> {new.replicas:,} replicas"
        if asked != now:
            yield f"its ReplicaSet: {asked:,} -> {now:,} replicas"
        for slot in sorted({*old.fresh} - {*new.fresh}):
            if before.pods[slot] is after.pods[slot]:
                yield f"{after.pods[slot]} has settled"


def _revised(before: Plain, after: Plain, scenario: Scenario) -> Iterator[str]:
    """Yield the workloads whose manifests were applied, the replicas asked of their ReplicaSets, and the pods that became available."""
    if before.revisions is None or after.revisions is None:
        return
    for number, rollout in enumerate(scenario.rollouts):
        if rollout.before is None:
            continue
        if before.revisions.applied[number] != after.revisions.applied[number]:
            yield f"{rollout}: its manifest is applied"
        elif before.scales[number] != after.scales[number]:
            former, present = (
                f"{old:,} -> {new:,}" for old, new in zip(before.scales[number], after.scales[number], strict=True)
            )
            yield f"its ReplicaSets: {former} former, {present} present"
    for slot in sorted({*before.revisions.timed} - {*after.revisions.timed}):
        if before.pods[slot] is after.pods[slot]:
            yield f"{after.pods[slot]} is available"


READINESS = {"True": "ready", "False": "not ready", "Unknown": "unknown"}
"""The text for each status of the condition Ready."""


def changes(before: Snapshot, after: Snapshot, added: bool = False) -> Iterator[Change]:
    """Yield the changed pods, then the changed nodes, then the changed budgets, each in order.

    With `added` a node that was not there before is new, and has not returned.
    """
    old_pods, new_pods = ({pod.key: pod for pod in snapshot.pods} for snapshot in (before, after))
    for key in sorted(old_pods.keys() | new_pods.keys()):
        old_pod, new_pod = old_pods.get(key), new_pods.get(key)
        if old_pod is not new_pod and old_pod != new_pod:
            yield Change(old_pod, new_pod, _pod_text(old_pod, new_pod))
    old_nodes, new_nodes = ({node.name: node for node in snapshot.nodes} for snapshot in (before, after))
    for name in sorted(old_nodes.keys() | new_nodes.keys()):
        old_node, new_node = old_nodes.get(name), new_nodes.get(name)
        if old_node != new_node:
            yield Change(old_node, new_node, _node_text(old_node, new_node, added))
    yield from _budget_changes(before, after)


def _budget_changes(before: Snapshot, after: Snapshot) -> Iterator[Change]:
    """Yield the budgets whose number of allowed disruptions has changed."""
    for old, new in zip(before.budgets, after.budgets, strict=True):
        if old != new:
            allowed = f"{old.disruptions_allowed:,} -> {new.disruptions_allowed:,}"
            yield Change(old, new, f"budget {new}: {allowed} disruptions allowed")


def place(pod: Pod) -> str:
    """Return the node of the pod, or the one for which it waits on permit, in words."""
    return pod.node_name or (f"waits on permit for {pod.waits_on}" if pod.waits_on else "unbound")


def _pod_text(before: Pod | None, after: Pod | None) -> str:
    """Return the change of a pod in words."""
    if before is None:
        return f"{after} arrives"
    if after is None:
        return f"{before}: {place(before)} -> gone"
    differences = []
    if (before.node_name, before.waits_on) != (after.node_name, after.waits_on):
        differences.append(f"{place(before)} -> {place(after)}")
    if before.phase != after.phase:
        differences.append(f"{before.phase} -> {after.phase}")
    if before.terminating != after.terminating:
        left = "deleted" if completed(after) else "deleted, still there"
        differences.append(left if after.terminating else "recreated")
    if before.nominated_node_name != after.nominated_node_name and before.node_name == after.node_name:
        nominated = after.nominated_node_name
        differences.append(f"nominated to {nominated}" if nominated else "no longer nominated")
    return f"{before}: {', '.join(differences) or 'changed'}"


def _node_text(before: Node | None, after: Node | None, new: bool) -> str:
    """Return the change of a node in words."""
    if before is None:
        return f"{after} is {'added' if new else 'back'}"
    if after is None:
        return f"{before} is gone"
    if before.unschedulable != after.unschedulable:
        return f"{before} {'cordoned' if after.unschedulable else 'uncordoned'}"
    if before.ready != after.ready:
        return f"{before} {READINESS.get(after.ready, after.ready)}"
    added = ", ".join(str(taint) for taint in after.taints if taint not in before.taints)
    removed = ", ".join(str(taint) for taint in before.taints if taint not in after.taints)
    taints = [f"{verb} {some}" for verb, some in (("tainted", added), ("untainted", removed)) if some]
    return f"{before}: {', '.join([*taints, *_label_texts(before, after)]) or 'changed'}"


def _label_texts(before: Node, after: Node) -> Iterator[str]:
    """Yield each changed label in words."""
    for key in sorted(before.labels.keys() | after.labels.keys()):
        old, new = before.labels.get(key), after.labels.get(key)
        if old != new:
            yield f"label {key} {'none' if old is None else old} -> {'none' if new is None else new}"
