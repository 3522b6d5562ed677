"""The default topology spread constraints of a pod that has none: `constrained`, `default_selector`.

Kubernetes 1.34: pkg/scheduler/framework/plugins/podtopologyspread/common.go, buildDefaultConstraints.
"""

from dataclasses import replace

from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.footprints import looks_at
from schedcheck.spec.kubernetes.plugins import Arguments
from schedcheck.spec.objects import Pod, Snapshot, SpreadConstraint
from schedcheck.spec.selectors import selects
from schedcheck.spec.terms import LabelSelector, Requirement
from schedcheck.spec.values import Labels

EVERYTHING = LabelSelector()


def default_selector(pod: Pod, snapshot: Snapshot) -> LabelSelector:
    r"""Return the selector of the default constraints: the selectors of matching services and of the pod's controller.

    The controller's selector is included even if it does not select the pod. If a ReplicationController and a service
    give different values for a label, the ReplicationController's value is used.

    TLA+: DefaultSelector(Pod, Snapshot) ==
            LET Sending == {Service \in Services(Snapshot) :
                  /\ Service.Namespace = Pod.Namespace
                  /\ Service.Selector # NoLabels
                  /\ Selects([MatchLabels |-> Service.Selector, MatchExpressions |-> {}], Pod.Labels)}
                Owning == {Controller \in Controllers(Snapshot) :
                  /\ Controller.Namespace = Pod.Namespace
                  /\ <<Controller.Kind, Controller.Name>> = Pod.Owner
                  /\ Controller.Selector # Null}
                Overridden == UNION {DOMAIN Controller.Selector.MatchLabels :
                  Controller \in {Each \in Owning : Each.Kind = "ReplicationController"}}
                Equal(Labels) == {[Key |-> Key, Operator |-> "In", Values |-> {Labels[Key]}] : Key \in DOMAIN Labels}
                Kept(Requirements) == {Requirement \in Requirements : Requirement.Key \notin Overridden}
            IN [MatchLabels |-> NoLabels,
                MatchExpressions |->
                  UNION {Kept(Equal(Service.Selector)) : Service \in Sending}
                  \union UNION {Equal(Controller.Selector.MatchLabels) \union Controller.Selector.MatchExpressions :
                                 Controller \in Owning}]
    Kubernetes 1.34: pkg/scheduler/framework/plugins/helper/spread.go, DefaultSelector.
    """
    services = [
        service.selector
        for service in snapshot.services
        if service.namespace == pod.namespace
        and service.selector
        and selects(LabelSelector(service.selector), pod.labels, NO_FAULTS)
    ]
    owners = [
        (controller.kind, controller.selector)
        for controller in snapshot.controllers
        if controller.namespace == pod.namespace
        and (controller.kind, controller.name) == pod.owner
        and controller.selector is not None
    ]
    overridden = {key for kind, selector in owners if kind == "ReplicationController" for key in selector.match_labels}
    return LabelSelector(
        match_expressions=(
            *(each for labels in services for each in equal(labels) if each.key not in overridden),
            *(each for _, own in owners for each in (*equal(own.match_labels), *own.match_expressions)),
        )
    )


def equal(labels: Labels) -> tuple[Requirement, ...]:
    """Return the requirements that a pod has exactly these values for these labels."""
    return tuple(Requirement(key, "In", (value,)) for key, value in sorted(labels.items()))


def with_selector(
    constraints: tuple[SpreadConstraint, ...], pod: Pod, snapshot: Snapshot
) -> tuple[SpreadConstraint, ...]:
    r"""Return the constraints with the default selector of `pod`; no constraint if that selector is empty.

    TLA+: WithSelector(Constraints, Pod, Snapshot) ==
            LET Selector == DefaultSelector(Pod, Snapshot)
            IN IF Selector = Everything THEN <<>>
               ELSE [i \in DOMAIN Constraints |-> [Constraints[i] EXCEPT !.Selector = Selector]]
    """
    selector = default_selector(pod, snapshot)
    return () if selector == EVERYTHING else tuple(replace(each, selector=selector) for each in constraints)


@looks_at("services", "controllers")
def constrained(pod: Pod, snapshot: Snapshot, arguments: Arguments) -> Pod:
    r"""Return the pod with the default constraints of the arguments if it has none of its own.

    The system's own default constraints never filter and are not added.

    TLA+: Constrained(Pod, Snapshot) ==
            IF Pod.Spec.TopologySpread # <<>> \/ DefaultConstraints \in {Null, <<>>} THEN Pod
            ELSE [Pod EXCEPT !.Spec.TopologySpread = WithSelector(DefaultConstraints, Pod, Snapshot)]
    """
    if pod.spread or not arguments.default_constraints:
        return pod
    return replace(pod, spread=with_selector(arguments.default_constraints, pod, snapshot))
