"""What is recorded of preemption and of the event, and what the specification says: `preemption_fields`."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from schedcheck.oracle.compared import Compared
from schedcheck.spec.feasibility.cycle import Cycle
from schedcheck.spec.feasibility.refusal import Refusal
from schedcheck.spec.objects import Pod
from schedcheck.spec.preemption.choice import outranked, selected
from schedcheck.spec.preemption.dry_run import Candidate, DryRun
from schedcheck.spec.preemption.eligibility import ineligibility
from schedcheck.spec.preemption.post_filter import message, post_filter
from schedcheck.spec.viability.choice import choice

DRAWN = frozenset({"realNominated", "realMessage"})
"""What is one draw from a set that is recorded too."""


def preemption_fields(
    made: Cycle, expected: Mapping[str, Any], refused: Callable[[Refusal], object]
) -> Iterator[Compared]:
    """Who may be evicted for a pod that no node admits, by whom it is chosen, and what is said."""
    recorded = expected.get("preemption") or {}
    run = DryRun(made)
    said = preemption_answer(run, refused) if choice(made).kind == "unschedulable" else {}
    for key in sorted({*recorded, *said} - DRAWN):
        yield Compared("preemption", f"preemption.{key}", recorded.get(key), said.get(key))
    if said:
        yield Compared("real.message", "", (expected.get("real") or {}).get("message"), message(run))


def preemption_answer(run: DryRun, refused: Callable[[Refusal], object]) -> dict[str, object]:
    """All that is recorded; candidates also of a pod that may not evict anybody, and empty fields left out or not."""
    pod, reason, after = run.cycle.pod, ineligibility(run.cycle, run.verdicts), post_filter(run)
    chosen = selected(run.candidates) if after.code == "Success" else ()
    losing = {each.node.name: sorted(map(_name, outranked(pod, each.node, run.cycle.snapshot))) for each in chosen}
    cleared = {node: pods for node, pods in losing.items() if pods}
    return {
        "eligible": reason is None,
        **({} if reason is None else {"reason": reason}),
        "potentialNodes": sorted(info.node.name for info in run.potential_nodes),
        "candidates": sorted(map(_candidate, run.candidates), key=lambda each: str(each["node"])),
        "nodeStatuses": {name: refused(status) for name, status in run.statuses.items()},
        "selected": sorted(each.node.name for each in chosen),
        "realCode": after.code,
        **({"clearNominations": cleared} if cleared else {}),
    }


def _candidate(candidate: Candidate) -> dict[str, object]:
    victims = [_name(pod) for pod in candidate.victims]
    return {"node": candidate.node.name, "victims": victims, "numPDBViolations": candidate.violations}


def _name(pod: Pod) -> str:
    return "/".join(pod.key)
