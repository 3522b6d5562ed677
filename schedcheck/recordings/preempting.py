"""The recorded answers on preemption and on the event, with those of the specification: `preemption_fields`."""

from collections.abc import Iterator, Mapping
from typing import Any

from schedcheck.recordings.compared import Compared, refused
from schedcheck.spec.kubernetes.cycle import Cycle
from schedcheck.spec.kubernetes.preemption.choice import selected
from schedcheck.spec.kubernetes.preemption.dry_run import Candidate, DryRun
from schedcheck.spec.kubernetes.preemption.eligibility import ineligibility
from schedcheck.spec.kubernetes.preemption.post_filter import message, messages, post_filter
from schedcheck.spec.kubernetes.select_host import choice
from schedcheck.spec.nominations import outranked
from schedcheck.spec.objects import Pod

FIELDS = (
    "eligible", "reason", "potentialNodes", "candidates", "nodeStatuses", "selected", "clearNominations", "realCode",
)  # fmt: skip


def preemption_fields(made: Cycle, expected: Mapping[str, Any]) -> Iterator[Compared]:
    """Yield the victims for a pod that no node admits, the nodes that may be chosen, and the message."""
    recorded = expected.get("preemption") or {}
    run = DryRun(made)
    said = preemption_answer(run) if choice(made).kind == "unschedulable" else {}
    for key in FIELDS:
        if key in recorded or said.get(key) is not None:
            yield Compared(f"preemption.{key}", "", recorded.get(key), said.get(key))
    if said:
        told, possible = (expected.get("real") or {}).get("message"), messages(run)
        yield Compared("real.message", "", told, told if told in possible else message(run))


def preemption_answer(run: DryRun) -> dict[str, object]:
    """Return all recorded fields. Candidates are included even if the pod may not preempt."""
    reason, after = ineligibility(run.cycle, run.verdicts), post_filter(run)
    chosen = selected(run.candidates) if after.code == "Success" else ()
    return {
        "eligible": reason is None,
        "reason": reason,
        "potentialNodes": sorted(info.node.name for info in run.potential_nodes),
        "candidates": [candidate_answer(each) for each in sorted(run.candidates, key=lambda each: each.node.name)],
        "nodeStatuses": {name: refused(status) for name, status in run.statuses.items()},
        "selected": sorted(each.node.name for each in chosen),
        "clearNominations": cleared(run.cycle, chosen) or None,
        "realCode": after.code,
    }


def candidate_answer(candidate: Candidate) -> dict[str, object]:
    """Return a candidate in its recorded form."""
    victims = [_name(pod) for pod in candidate.victims]
    return {"node": candidate.node.name, "victims": victims, "numPDBViolations": candidate.violations}


def cleared(made: Cycle, chosen: tuple[Candidate, ...]) -> dict[str, list[str]]:
    """Return the pods that lose their nomination, by the chosen node; nodes without such pods are left out."""
    losing = {each.node.name: sorted(map(_name, outranked(made.pod, each.node, made.snapshot))) for each in chosen}
    return {node: pods for node, pods in losing.items() if pods}


def _name(pod: Pod) -> str:
    return "/".join(pod.key)
