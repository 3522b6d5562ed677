"""The control loop of kube-scheduler, in which a preemption takes several steps: `turn`, `decision`.

A pod that fits on no node may be nominated to one, whose victims are then evicted one by one. Each victim lingers until
it has terminated. A later turn binds the pod, there or elsewhere, or leaves it unbound.

Kubernetes 1.34: pkg/scheduler/schedule_one.go; prepareCandidateAsync and PreemptPod in
pkg/scheduler/framework/preemption/preemption.go.

Not modelled: the order of the queue, and that the queue holds back a pod while its victims are being evicted; Permit
other than of `gangs`; a binding that fails, whether the scheduler or an extender binds.
"""

from dataclasses import replace

from schedcheck.spec.binding import completed, unbound
from schedcheck.spec.decisions import Bind, Decision, Nominate, Unknown, Wait
from schedcheck.spec.device_objects import NO_DEVICES
from schedcheck.spec.devices.claims import LACKING, NOT_GIVEN
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.kubernetes import extended_cycle, gangs, group_decisions, pod_groups
from schedcheck.spec.kubernetes.cycle import Cycle, cycle
from schedcheck.spec.kubernetes.filters.dynamic_resources import claims_met as without_claims
from schedcheck.spec.kubernetes.filters.dynamic_resources import unmodelled as unmodelled_claims
from schedcheck.spec.kubernetes.filters.dynamic_resources import waits_for_claims
from schedcheck.spec.kubernetes.filters.scheduling_gates import scheduling_gates
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.preemption.disruption import TOO_MANY_LISTINGS
from schedcheck.spec.kubernetes.preemption.dry_run import DryRun
from schedcheck.spec.kubernetes.preemption.eligibility import ineligibility
from schedcheck.spec.kubernetes.preemption.post_filter import message, post_filter
from schedcheck.spec.kubernetes.preemption.ties import permitted
from schedcheck.spec.kubernetes.select_host import Choice, choice
from schedcheck.spec.objects import Pod, Snapshot

UNMODELLED = "resource claims are not modelled"
"""The reason given for an unknown answer of a question that takes no resource claims into account."""


def turn(snapshot: Snapshot, plugins: Plugins) -> frozenset[Pod]:
    r"""Return the pods that this scheduler may try next: unbound, with its schedulerName, not gated or terminating.

    TLA+: KubeTurn(Snapshot) ==
            {Pod \in Unbound(Snapshot) :
              /\ Pod.Spec.SchedulerName = SchedulerName
              /\ ~Pod.Terminating
              /\ SchedulingGatesRefusal(Pod) = Null
              /\ ~Listed("DynamicResources", Enabled.preEnqueue) \/ ~WaitsForClaims(Pod, Snapshot)}

    TLA+: GangTurn(Snapshot) ==
            {Pod \in KubeTurn(Snapshot) : Pod.Status.WaitsOn = "" /\ ~GangRefused(Pod, Snapshot)}

    TLA+: PodGroupTurn(Snapshot) ==
            {Pod \in KubeTurn(Snapshot) :
              /\ ~PodGroupRefused(Pod, Snapshot)
              /\ \/ "members-queued-alone" \in Departures
                 \/ \A Group \in PodGroupsOf(Pod) : \A Other \in UnboundMembers(Group, Snapshot) :
                      SchedulingGatesRefusal(Other) = Null}
    """
    return frozenset(
        pod
        for pod in unbound(snapshot, NO_FAULTS)
        if pod.scheduler_name == plugins.scheduler_name
        and not pod.terminating
        and not pod.waits_on
        and gangs.refusal(pod, snapshot, plugins) is None
        and pod_groups.group_refusal(pod, snapshot, plugins) is None
        and all(entering(each, snapshot, plugins) for each in pod_groups.queued_with(pod, snapshot, plugins))
    )


def entering(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> bool:
    """Whether neither a scheduling gate of `pod` nor a resource claim that does not exist yet keeps it out of the queue."""
    points = plugins.at("preEnqueue")
    return (
        ("SchedulingGates" not in points or scheduling_gates(pod))
        and not ("DynamicResources" in points and waits_for_claims(pod, snapshot.devices, plugins.departures))
    )  # fmt: skip


def taken_up(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> Cycle:
    r"""Return the scheduling cycle of a pod of the snapshot; completed pods are not seen, waiting ones have a place.

    TLA+: Seen(Snapshot) ==
            Snapshot \ {Pod \in Pods(Snapshot) : Completed(Pod)}
    """
    ended = frozenset(each for each in snapshot.pods if completed(each))
    return cycle(pod, gangs.as_placed(snapshot - (ended | {pod})), plugins)


def decision(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> frozenset[Decision]:
    r"""Return the possible decisions for `pod`, a pod of the snapshot; Unknown if they depend on what is `unmodelled`.

    TLA+: KubeDecisions(Pod, Snapshot) ==
            LET Now == Seen(Snapshot)
                End == Choice(Pod, Now)
            IN CASE End.Kind = "scheduled" -> {Bind(Node) : Node \in End.Hosts}
                 [] End.Kind = "error" -> {Wait(Pod, TRUE)}
                 [] End.Kind = "unschedulable" -> WithoutANode(Pod, Now)

    TLA+: GangDecisions(Pod, Snapshot) ==
            {AfterPermit(Decided, Pod, Snapshot) : Decided \in KubeDecisions(Pod, AsPlaced(Snapshot))}
    """
    if pod.scheduling_group and pod_groups.in_one_cycle(plugins):
        return group_decisions.group_decisions(pod, snapshot, plugins)
    why = unmodelled(pod, snapshot, plugins)
    if why:
        return frozenset({Unknown(pod, why)})
    if pod_groups.in_one_cycle(plugins):
        alone = decided(pod, snapshot, plugins)
        if group_decisions.beside_extenders(alone, snapshot, plugins):
            return frozenset({Unknown(pod, group_decisions.ASKED)})
        return alone
    return frozenset(gangs.after_permit(each, snapshot, plugins) for each in decided(pod, snapshot, plugins))


def unmodelled(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> str:
    """Return the feature on which the decision for `pod` depends although it is not modelled; empty if there is none.

    Only features of resource claims are not modelled. The decision depends on them unless `pod` stays unbound in the
    same way with its claims unmet and with its claims met.
    """
    if pod.resource_claims and gangs.one_by_one(plugins) and gangs.min_count(pod, snapshot) is not None:
        return "not modelled: resource claims of a member of a gang"
    if "DynamicResources" not in {*plugins.at("preFilter"), *plugins.at("filter")}:
        return ""
    feature = unmodelled_claims(pod, snapshot.devices, plugins.departures)
    if not feature:
        return ""
    met = claims_met(pod, snapshot, plugins)
    if waits_alike(decided(pod, snapshot, plugins), decided(*met, plugins)):
        return ""
    if feature in LACKING.values():
        return feature
    return UNMODELLED if feature == NOT_GIVEN else f"not modelled: {feature}"


def claims_met(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> tuple[Pod, Snapshot]:
    """Return the pod and its snapshot as if the pod needed no devices: the case in which all its claims are met."""
    met = without_claims(pod, snapshot.devices, plugins.departures)
    pods = tuple(met if each == pod else each for each in snapshot.pods)
    return met, replace(snapshot, pods=pods, devices=NO_DEVICES)


def waits_alike(decisions: frozenset[Decision], others: frozenset[Decision]) -> bool:
    """Whether the pod stays unbound under both sets of decisions, and loses its nomination under both or neither."""
    both = [{isinstance(each, Wait) and (each.unnominated,) for each in some} for some in (decisions, others)]
    return both[0] == both[1] and False not in both[0]


def decided(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> frozenset[Decision]:
    """Return the decisions possible for `pod` if every node rejects a pod with resource claims."""
    made = taken_up(pod, snapshot, plugins)
    if plugins.extenders or plugins.unasked:
        return extended_cycle.decisions(made)
    return ending(made, choice(made))


def ending(made: Cycle, end: Choice) -> frozenset[Decision]:
    """Return the decisions for the pod if its cycle, without extenders, ends with this choice."""
    if end.kind == "scheduled":
        return frozenset(Bind(made.pod, info.node) for info in made.infos if info.node.name in end.hosts)
    if end.kind == "error":
        return frozenset({_wait(made.pod, end.error, unnominated=True)})
    return without_a_node(DryRun(made))


def without_a_node(run: DryRun) -> frozenset[Decision]:
    r"""Return the decisions for a pod that fits on no node: nominate it, or leave it unbound.

    TLA+: WithoutANode(Pod, Snapshot) ==
            LET Said == PostFilter(Pod, Snapshot)
            IN IF Said.Code = "Success" THEN {Nominate(Each.Node, Each.Victims) : Each \in Permitted(Pod, Snapshot)}
               ELSE {Wait(Pod, Said.Unnominated)}
    """
    pod, said = run.cycle.pod, post_filter(run)
    if (
        run.unclear
        and "DefaultPreemption" in run.cycle.plugins.at("postFilter")
        and ineligibility(run.cycle, run.verdicts) is None
    ):
        return frozenset({Unknown(pod, run.unclear)})
    if said.code == "Success" and not run.listings:
        return frozenset({Unknown(pod, TOO_MANY_LISTINGS)})
    if said.code == "Success":
        return frozenset(Nominate(pod, each.node, frozenset(each.victims)) for each in permitted(run))
    return frozenset({_wait(pod, message(run), said.unnominated)})


def _wait(pod: Pod, why: str, unnominated: bool) -> Wait:
    return Wait(pod, why, unnominated and pod.nominated_node_name != "")
