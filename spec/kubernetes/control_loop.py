r"""The control loop of kube-scheduler, in which a decision is not atomic: `turn`, `decision`.

A pod that no node admits may be nominated to one whose pods are then evicted one by one, each of them lingering until
it has terminated; a later turn binds the pod, there or elsewhere, or has it wait, or refuses it.

Kubernetes 1.34: pkg/scheduler/schedule_one.go; prepareCandidateAsync and PreemptPod in
pkg/scheduler/framework/preemption/preemption.go.

Not modelled: the order of the queue, and that it holds back a pod whose victims are being evicted; Permit, and a binding
that fails, which is an extender's affair too.
"""

from dataclasses import replace

from schedcheck.spec.binding import completed, unbound
from schedcheck.spec.decisions import Bind, Decision, Nominate, Unknown, Wait
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.kubernetes import extended_cycle
from schedcheck.spec.kubernetes.cycle import Cycle, cycle
from schedcheck.spec.kubernetes.filters.scheduling_gates import scheduling_gates
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.preemption.dry_run import DryRun
from schedcheck.spec.kubernetes.preemption.post_filter import message, post_filter
from schedcheck.spec.kubernetes.preemption.ties import permitted
from schedcheck.spec.kubernetes.select_host import Choice, choice
from schedcheck.spec.objects import Pod, Snapshot

UNMODELLED = "resource claims are not modelled"
"""Why a decision may be unknown."""


def turn(snapshot: Snapshot, plugins: Plugins) -> frozenset[Pod]:
    r"""The pods that may be taken up: those that wait for this scheduler, and are neither gated nor terminating.

    TLA+: KubeTurn(Snapshot) ==
            {Pod \in Unbound(Snapshot) :
              /\ Pod.Spec.SchedulerName = SchedulerName
              /\ ~Pod.Terminating
              /\ SchedulingGatesRefusal(Pod) = Null}
    """
    return frozenset(
        pod
        for pod in unbound(snapshot, NO_FAULTS)
        if pod.scheduler_name == plugins.scheduler_name
        and not pod.terminating
        and ("SchedulingGates" not in plugins.at("preEnqueue") or scheduling_gates(pod))
    )


def taken_up(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> Cycle:
    r"""The cycle of a pod of the snapshot; pods that have ended are not seen.

    TLA+: Seen(Snapshot) ==
            Snapshot \ {Pod \in Pods(Snapshot) : Completed(Pod)}
    """
    ended = frozenset(each for each in snapshot.pods if completed(each))
    return cycle(pod, snapshot - (ended | {pod}), plugins)


def decision(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> frozenset[Decision]:
    r"""What may be done with `pod`, which is one of the snapshot's; with extenders, see `extended`; see `unmodelled`.

    TLA+: KubeDecisions(Pod, Snapshot) ==
            LET Now == Seen(Snapshot)
                End == Choice(Pod, Now)
            IN CASE End.Kind = "scheduled" -> {Bind(Node) : Node \in End.Hosts}
                 [] End.Kind = "error" -> {Wait(Pod, TRUE)}
                 [] End.Kind = "unschedulable" -> WithoutANode(Pod, Now)
    """
    why = unmodelled(pod, snapshot, plugins)
    return frozenset({Unknown(pod, why)}) if why else decided(pod, snapshot, plugins)


def unmodelled(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> str:
    """What is not modelled and decides what becomes of `pod`; empty where nothing of the kind does.

    Whether resource claims can be met matters only if the pod would not wait in the same way without any: what is not
    refused without them may be, and what is refused stays so.
    """
    if not pod.resource_claims or "DynamicResources" not in {*plugins.at("preFilter"), *plugins.at("filter")}:
        return ""
    met = claims_met(pod, snapshot)
    if waits_alike(decided(pod, snapshot, plugins), decided(*met, plugins)):
        return ""
    return UNMODELLED


def claims_met(pod: Pod, snapshot: Snapshot) -> tuple[Pod, Snapshot]:
    """The pod, and the snapshot with it, as if its resource claims were met and did not matter."""
    met = replace(pod, resource_claims=())
    return met, replace(snapshot, pods=tuple(met if each == pod else each for each in snapshot.pods))


def waits_alike(decisions: frozenset[Decision], others: frozenset[Decision]) -> bool:
    """Whether the pod waits either way, and loses its nomination or not."""
    both = [{isinstance(each, Wait) and (each.unnominated,) for each in some} for some in (decisions, others)]
    return both[0] == both[1] and False not in both[0]


def decided(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> frozenset[Decision]:
    """What may be done with `pod`, if a pod with resource claims is refused by every node."""
    made = taken_up(pod, snapshot, plugins)
    if plugins.extenders or plugins.unasked:
        return extended_cycle.decisions(made)
    return ending(made, choice(made))


def ending(made: Cycle, end: Choice) -> frozenset[Decision]:
    """What may be done with the pod where its cycle, without extenders, ends so."""
    if end.kind == "scheduled":
        return frozenset(Bind(made.pod, info.node) for info in made.infos if info.node.name in end.hosts)
    if end.kind == "error":
        return frozenset({_wait(made.pod, end.error, unnominated=True)})
    return without_a_node(made)


def without_a_node(made: Cycle) -> frozenset[Decision]:
    r"""What may be done with a pod that no node admits.

    TLA+: WithoutANode(Pod, Snapshot) ==
            LET Said == PostFilter(Pod, Snapshot)
            IN IF Said.Code = "Success" THEN {Nominate(Each.Node, Each.Victims) : Each \in Permitted(Pod, Snapshot)}
               ELSE {Wait(Pod, Said.Unnominated)}
    """
    run = DryRun(made)
    said = post_filter(run)
    if said.code == "Success":
        return frozenset(Nominate(made.pod, each.node, frozenset(each.victims)) for each in permitted(run))
    return frozenset({_wait(made.pod, message(run), said.unnominated)})


def _wait(pod: Pod, why: str, unnominated: bool) -> Wait:
    return Wait(pod, why, unnominated and pod.nominated_node_name != "")
