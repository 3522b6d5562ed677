"""PostFilter, which runs when no node is feasible: `PostFiltered`, `post_filter`, `message`, `messages`.

Kubernetes 1.34: RunPostFilterPlugins in pkg/scheduler/framework/runtime/framework.go; Preempt in
pkg/scheduler/framework/preemption/preemption.go; PostFilter in pkg/scheduler/framework/plugins/dynamicresources.

Differs: the claim that is deallocated is in TLA+ a part of the step (`FreedBy`).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from frozendict import frozendict

from schedcheck.spec.device_objects import ResourceClaim
from schedcheck.spec.fit_error import NO_NODES, fit_error, histogram
from schedcheck.spec.kubernetes.departures import Departure, Departures
from schedcheck.spec.kubernetes.filter import failures
from schedcheck.spec.kubernetes.filters import dynamic_resources as dynamic_resources_filter
from schedcheck.spec.kubernetes.pre_filter import PRE_FILTERS
from schedcheck.spec.kubernetes.preemption.choice import selected
from schedcheck.spec.kubernetes.preemption.dry_run import Candidate, DryRun
from schedcheck.spec.kubernetes.preemption.eligibility import ineligibility
from schedcheck.spec.kubernetes.preemption.ties import permitted
from schedcheck.spec.refusal import Refusal, unresolvable

NOT_HELPFUL = unresolvable("", "Preemption is not helpful for scheduling")


@dataclass(frozen=True)
class PostFiltered:
    """The result of a plugin at PostFilter, or of all of them together.

    `code` is Success if a candidate is nominated, else Unschedulable or Error. `unnominated`: the pod loses the
    nomination that it has.
    """

    code: str
    message: str = ""
    unnominated: bool = False


def dynamic_resources(run: DryRun) -> PostFiltered:
    """Run PostFilter of DynamicResources: deallocate a claim; an error if PreFilter ended before this plugin.

    By departure "idle-claims-mentioned" it also says that it has deallocated none.
    """
    if "DynamicResources" not in run.cycle.asked:
        return PostFiltered("Error", "not found")
    if deallocatable(run):
        return PostFiltered("Unschedulable", "deallocation of ResourceClaim completed")
    if Departure.IDLE_CLAIMS_MENTIONED not in run.cycle.plugins.departures:
        return PostFiltered("Unschedulable")
    begun = PRE_FILTERS["DynamicResources"](run.cycle)
    none = begun.skipped or begun.rejection is not None
    return PostFiltered("Unschedulable", "no new claims to deallocate" if none else "still not schedulable")


def deallocatable(run: DryRun) -> tuple[ResourceClaim, ...]:
    r"""Return the claims of which PostFilter of DynamicResources deallocates one, any of them.

    An allocated claim of the pod is unavailable on a node on which the filter came to that, and is reserved for no other
    pod. The filter does not come to it on a node for which the other claims find no devices.

    TLA+: Deallocatable(Pod, Snapshot) ==
            LET Refusing(Node) ==
                  LET Found == Verdict(Pod, Node, Snapshot)
                  IN /\ Found.Source # "preFilter"
                     /\ Found.Refusal = Unresolvable("DynamicResources")
                     /\ WaitingRefusal(Pod, Node, Snapshot) = Null
                Those == ClaimsOf(Pod, Snapshot)
            IN {Claim \in {Those[i] : i \in DOMAIN Those} :
                 /\ MayBeDeallocated(Pod, Claim)
                 /\ \E Node \in Nodes(Snapshot) : Refusing(Node) /\ ~Available(Claim, Node)}
    """
    cycle = run.cycle
    refused = {
        name
        for name, verdict in run.verdicts.items()
        if verdict.refusal == unresolvable(dynamic_resources_filter.NAME, dynamic_resources_filter.UNAVAILABLE)
    }
    claims = dynamic_resources_filter.known(cycle.pod, cycle.snapshot.devices, cycle.plugins.departures)
    nodes = [info.node for info in cycle.infos if info.node.name in refused]
    return tuple(
        claim
        for claim in claims
        if dynamic_resources_filter.may_be_deallocated(cycle.pod, claim)
        and any(not dynamic_resources_filter.available(claim, node) for node in nodes)
    )


def default_preemption(run: DryRun) -> PostFiltered:
    """Run PostFilter of DefaultPreemption: Success if there is a candidate, else why preemption does not help.

    A pod that is not eligible to preempt keeps its nomination. A pod without candidates loses it, unless a filter
    failed.
    """
    reason = ineligibility(run.cycle, run.verdicts)
    if reason is not None:
        return PostFiltered("Unschedulable", f"preemption: {reason}")
    if run.candidates:
        # An extender may be asked to name the victims on a node that has none: nothing is known of that node yet.
        known = selected([each for each in run.candidates if each.victims])
        return PostFiltered("Success", nominating(known[0], run.cycle.plugins.departures) if known else "")
    failed = sorted(set(failures(run.statuses.values())))
    if failed:
        said = failed[0] if len(failed) == 1 else f"[{', '.join(failed)}]"
        return PostFiltered("Error", f"preemption: {said}")
    nodes = len(run.cycle.infos)
    refusals: list[Refusal] = [*run.statuses.values(), *[NOT_HELPFUL] * (nodes - len(run.statuses))]
    return PostFiltered("Unschedulable", f"preemption: {fit_error(nodes, histogram(refusals))}", unnominated=True)


def nominating(candidate: Candidate, departures: Departures) -> str:
    """Return the message of the plugin if this candidate is nominated."""
    if Departure.NOMINATION_UNMENTIONED in departures:
        return ""
    placed = f"found a potential placement for pod on node {candidate.node}"
    return f"preemption: {placed}, preempting {len(candidate.victims)} victims"


POST_FILTERS: frozendict[str, Callable[[DryRun], PostFiltered]] = frozendict(
    {"DynamicResources": dynamic_resources, "DefaultPreemption": default_preemption}
)
r"""The plugins at PostFilter, by name.

TLA+: PostFiltered(Plugin, Pod, Snapshot) ==
        LET Says(Code, Unnominated) == [Code |-> Code, Unnominated |-> Unnominated]
            Failing(Info) ==
              LET Potential == PotentialVictims(Pod, Info)
                  Found == Filtered(Pod, Removed(Info, Potential), Snapshot)
              IN Potential # {} /\ Found # Null /\ Found.Code = "Error"
        IN CASE Plugin = "DynamicResources" ->
                  Says(IF Listed(Plugin, Asked(Pod, Snapshot)) THEN "Unschedulable" ELSE "Error", FALSE)
             [] Plugin = "DefaultPreemption" ->
                  IF Ineligible(Pod, Snapshot) THEN Says("Unschedulable", FALSE)
                  ELSE IF Permitted(Pod, Snapshot) # {} THEN Says("Success", FALSE)
                  ELSE IF \E Info \in PotentialNodes(Pod, Snapshot) : Failing(Info) THEN Says("Error", FALSE)
                  ELSE Says("Unschedulable", TRUE)
"""


def post_filter(run: DryRun) -> PostFiltered:
    r"""Return the result of all plugins: the first that is not Unschedulable, else all messages together.

    If there are no nodes, or no plugin is enabled, the pod loses its nomination.

    TLA+: PostFilter(Pod, Snapshot) ==
            LET Known == {"DynamicResources", "DefaultPreemption"}
                Plugins == SelectSeq(Enabled.postFilter, LAMBDA Plugin : Plugin \in Known)
                Said == [i \in DOMAIN Plugins |-> PostFiltered(Plugins[i], Pod, Snapshot)]
                Ending == {i \in DOMAIN Said : Said[i].Code # "Unschedulable"}
                Idle == Nodes(Snapshot) = {} \/ Said = <<>>
            IN IF ~Idle /\ Ending # {} THEN Said[Min(Ending)]
               ELSE [Code |-> "Unschedulable", Unnominated |-> Idle \/ \E i \in DOMAIN Said : Said[i].Unnominated]
    """
    told = [POST_FILTERS[name](run) for name in run.cycle.plugins.at("postFilter") if name in POST_FILTERS]
    if run.cycle.infos == () or told == []:
        return PostFiltered("Unschedulable", unnominated=True)
    together = PostFiltered(
        "Unschedulable",
        ", ".join(each.message for each in told if each.message),
        any(each.unnominated for each in told),
    )
    return next((each for each in told if each.code != "Unschedulable"), together)


def message(run: DryRun) -> str:
    """Return the message about the pod: why no node is feasible, and the result of PostFilter.

    If a candidate is nominated, this is one of `messages`. No other message depends on the order of pods or budgets.
    """
    return said(run, post_filter(run).message)


def messages(run: DryRun) -> frozenset[str]:
    """Return the possible messages about the pod, one for each candidate that may be nominated."""
    if post_filter(run).code != "Success":
        return frozenset({message(run)})
    return nominated_messages(run, permitted(run))


def nominated_messages(run: DryRun, candidates: Iterable[Candidate]) -> frozenset[str]:
    """Return the messages about the pod if one of these candidates is nominated."""
    return frozenset(said(run, nominating(each, run.cycle.plugins.departures)) for each in candidates)


def said(run: DryRun, after: str) -> str:
    """Return the message about the pod, given that of PostFilter."""
    nodes, rejection = len(run.cycle.infos), run.cycle.rejection
    if nodes == 0:
        return NO_NODES
    refusals = (verdict.refusal for verdict in run.verdicts.values() if verdict.refusal is not None)
    why = ", ".join(rejection.reasons) if rejection is not None else histogram(refusals)
    return fit_error(nodes, why, after)
