"""Pods that wait only because the input lacks their PersistentVolumeClaims: `without_lacking`."""

from collections.abc import Collection
from dataclasses import replace

from schedcheck.checker.relocation.questions import ENDS, PLACED
from schedcheck.checker.relocation.relocation import Key, Relocation
from schedcheck.checker.result import Violation
from schedcheck.spec.budgets import protects
from schedcheck.spec.objects import Pod, Snapshot


def without_lacking(found: Relocation, pods: Collection[Pod]) -> Relocation:
    """Return what is found, where what only the missing claims of these pods show is not decided.

    That is, that such a pod waits, and that a drain gets stuck at a budget that protects a pod that waits so.
    """
    if not pods or found.explored is None:
        return found
    keys, names = {pod.key for pod in pods}, {f"{PLACED}({pod})" for pod in pods}
    kept, open_ = list[Violation](), list[Violation]()
    for each in found.violations:
        shown = each.property.name in names or (each.property.name.startswith(ENDS) and _stuck(each, found, keys))
        (open_ if shown else kept).append(each)
    if not open_:
        return found
    waiting = {key for each in open_ for key in _waiting(_end(each, found), keys)}
    waiting |= {pod.key for pod in pods if f"{PLACED}({pod})" in {each.property.name for each in open_}}
    undecided = (*found.explored.result.undecided, *(each.property.name for each in open_))
    result = replace(found.explored.result, violations=tuple(kept), undecided=undecided)
    lacking = tuple(pod for pod in pods if pod.key in waiting)
    return replace(found, lacking=lacking, explored=replace(found.explored, result=result))


def _end(violation: Violation, found: Relocation) -> Snapshot:
    """Return the cluster at the end of a violation."""
    assert found.explored is not None, "a violation was found by exploring"
    end: Snapshot = found.explored.machine.view(violation.trace[-1].state)
    return end


def _waiting(end: Snapshot, keys: Collection[Key]) -> list[Key]:
    return [pod.key for pod in end.pods if pod.key in keys and not pod.node_name]


def _stuck(violation: Violation, found: Relocation, keys: Collection[Key]) -> bool:
    """Whether each pod that stays has a budget that also protects one of these pods, which waits."""
    end, leaving = _end(violation, found), found.leaving
    going = {pod.key for pod in (*leaving.movers, *leaving.lost)}
    there = (pod for pod in end.pods if pod.key in going and pod.node_name in leaving.nodes)
    staying = [pod for pod in there if violation.property.name in (ENDS, f"{ENDS}({pod})")]
    waiting = [pod for pod in end.pods if pod.key in keys and not pod.node_name]
    needed = [budget for budget in end.budgets if any(protects(budget, pod) for pod in waiting)]
    return bool(staying) and all(any(protects(budget, pod) for budget in needed) for pod in staying)
