"""Why kube-scheduler places a pod where it does, or nowhere: every filter, every score and the choice between them."""

from collections.abc import Mapping
from dataclasses import dataclass

from schedcheck.model.environment import unplaced
from schedcheck.spec.binding import completed
from schedcheck.spec.feasibility import scheduling_gates
from schedcheck.spec.feasibility.cycle import Cycle, Verdict, admitted, cycle, refusals, verdicts, with_nominated
from schedcheck.spec.feasibility.refusal import Refusal
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.plugins import Plugins
from schedcheck.spec.preemption.choice import selected
from schedcheck.spec.preemption.dry_run import Candidate, DryRun
from schedcheck.spec.preemption.eligibility import ineligibility
from schedcheck.spec.preemption.post_filter import message, post_filter
from schedcheck.spec.viability.choice import Choice, choice_among, scores_of
from schedcheck.spec.viability.scores import Scored


@dataclass(frozen=True)
class Evictions:
    """What follows where no node is feasible: the text of the event, whom evictions would take, and what is chosen.

    `statuses` say why evictions on a node do not help, `ineligible` why there are none at all. Pods of equal priority
    and start time are taken in the order of their names, which kube-scheduler need not do.
    """

    event: str
    ineligible: str | None
    candidates: tuple[Candidate, ...]
    statuses: Mapping[str, Refusal]
    selected: tuple[Candidate, ...]


@dataclass(frozen=True)
class CycleExplanation:
    """The cycle of `pod`, taken as pending; `stood` is the node that it is bound to in the files.

    `gated` is why it is not in the queue, None where it is. `refusals` are for each node that is refused all that the
    filters say of it, with the pods that are nominated there if those are the reason; the first is what kube-scheduler
    records. `scores` are those of the feasible nodes, also where it would choose without. `evictions` None: a node is
    feasible, or the cycle ends in an error.
    """

    stood: str
    cycle: Cycle
    gated: Refusal | None
    verdicts: Mapping[str, Verdict]
    refusals: Mapping[str, tuple[Refusal, ...]]
    scores: Scored
    choice: Choice
    evictions: "Evictions | None"

    @property
    def pod(self) -> Pod:
        """The pod, pending."""
        return self.cycle.pod

    @property
    def feasible(self) -> tuple[str, ...]:
        """The names of the feasible nodes, in order."""
        return admitted(self.verdicts)


def cycle_explanation(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> CycleExplanation | None:
    """What the cycle of a pod of the snapshot says, as if it were pending now and not there; None if it has ended."""
    if completed(pod):
        return None
    pending = unplaced(pod) if pod.node_name else pod
    made = cycle(pending, snapshot - frozenset({pod}), plugins)
    found = verdicts(made)
    scores = scores_of(made, admitted(found))
    chosen = choice_among(made, found, scores)
    return CycleExplanation(
        stood=pod.node_name,
        cycle=made,
        gated=scheduling_gates.refusal(pending, plugins),
        verdicts=found,
        refusals=_refusals(made, found),
        scores=scores,
        choice=chosen,
        evictions=_evictions(made) if chosen.kind == "unschedulable" else None,
    )


def _evictions(made: Cycle) -> Evictions:
    """What evictions would come to on every node where they may help."""
    run = DryRun(made)
    ineligible = ineligibility(made, run.verdicts)
    nominated = ineligible is None and post_filter(run).code == "Success"
    return Evictions(
        event=message(run),
        ineligible=ineligible,
        candidates=run.candidates if ineligible is None else (),
        statuses=run.statuses if ineligible is None else {},
        selected=selected(run.candidates) if nominated else (),
    )


def _refusals(made: Cycle, found: Mapping[str, Verdict]) -> dict[str, tuple[Refusal, ...]]:
    """All that is said against each node that is refused, what is recorded first."""
    said: dict[str, tuple[Refusal, ...]] = {}
    for info in made.infos:
        refusal = found[info.node.name].refusal
        if refusal is None:
            continue
        if found[info.node.name].source in ("preFilter", "preFilterResult"):
            said[info.node.name] = (refusal,)
        else:
            crowded = with_nominated(made, info)
            with_them = tuple(refusals(made, crowded)) if crowded is not None else ()
            said[info.node.name] = with_them or tuple(refusals(made, info))
    return said
