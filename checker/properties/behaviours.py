"""The named properties of whole behaviours: statements about the end of a behaviour, also for one pod.

They are about fair behaviours. Each instance of an action of the scheduler, the controllers and the kubelet is treated
fairly, weakly or strongly as requested; only what an autoscaler reads is left open. Events of the environment are not: a pod need not arrive, a node need
not return. All but `never_starves` are only about behaviours in which the environment comes to rest.
"""

from collections.abc import Callable

from schedcheck.model.controllers import (
    ACTIONS,
    Apply,
    ApplyManifest,
    Autoscale,
    BecomeAvailable,
    Recommend,
    Remove,
    Scale,
)
from schedcheck.model.environment import EVENTS
from schedcheck.model.nominations import EvictVictim, Terminate, TimeOut
from schedcheck.spec.decisions import Bind, Nominate, Preempt, Wait, WaitOnPermit
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.profiles import Profile
from schedcheck.spec.properties import of_pods, of_snapshots
from schedcheck.spec.properties.kinds import (
    UNFAIR,
    Ceases,
    Eventually,
    Fairness,
    InfinitelyOften,
    LeadsTo,
    Premise,
    Temporal,
)

ENVIRONMENT = (*EVENTS.values(), Apply, ApplyManifest)
CONTROLLERS = tuple(
    dict.fromkeys((*(kind for kinds in ACTIONS.values() for kind in kinds), Remove, Scale, BecomeAvailable))
)
PREEMPTING = (Preempt, Nominate, EvictVictim)
SYSTEM = (Bind, WaitOnPermit, Preempt, Nominate, Wait, EvictVictim, Terminate, TimeOut, *CONTROLLERS)
"""The actions of the scheduler, the controllers and the kubelet."""

READING = (Autoscale, Recommend)
"""Those of them that depend on a reading: nothing says that it is ever read."""

FAIR = tuple(kind for kind in SYSTEM if kind not in READING)
"""The actions that are treated fairly."""

FAIRNESS = {"none": UNFAIR, "weak": Fairness(weak=FAIR), "strong": Fairness(strong=FAIR)}
"""The kinds of fairness that can be assumed of them."""

PREEMPTION_ENDS, ALL_PODS_EVENTUALLY_BOUND, COMES_TO_REST = (
    "preemption_ends",
    "all_pods_eventually_bound",
    "comes_to_rest",
)
PLAIN = (PREEMPTION_ENDS, ALL_PODS_EVENTUALLY_BOUND, COMES_TO_REST)
OF_A_POD = ("eventually_bound", "bound_once_feasible", "never_starves")

RESTING = "Once the environment rests,"


def plain(name: str, fairness: Fairness) -> Temporal:
    """Return the property of this name, one of `PLAIN`."""
    match name:
        case "preemption_ends":
            premise = Premise("no preemption ever changed anything", PREEMPTING)
            claim = f"{RESTING} preemption comes to an end."
            return Ceases(name, claim, PREEMPTING, fairness, ENVIRONMENT, premises=(premise,))
        case "comes_to_rest":
            moving = tuple(kind for kind in SYSTEM if kind is not Wait)
            premise = Premise("neither the scheduler nor a controller ever changed anything", moving)
            claim = f"{RESTING} the scheduler and the controllers rest too."
            return Ceases(name, claim, SYSTEM, fairness, ENVIRONMENT, premises=(premise,))
        case _:
            holds = of_snapshots.all_pods_bound
            claim = "If the environment comes to rest, there is a state with at least one pod and none unbound."
            return Eventually(name, claim, holds, fairness, ENVIRONMENT)


def of_a_pod(name: str, pod: Pod, judge: Profile, fairness: Fairness) -> Temporal:
    """Return the property of this name, one of `OF_A_POD`, for one pod."""
    key, alone, title = pod.key, frozenset({pod.name}), f"{name}({pod})"

    def waits(snapshot: Snapshot) -> bool:
        return of_pods.pod_waits(snapshot, key)

    def feasible(snapshot: Snapshot) -> bool:
        return of_pods.pod_feasible(snapshot, key, judge)

    waited = (Premise(f"{pod} never waited", when=waits, of_pods=True),)
    fitted = (Premise(f"no node was ever feasible for {pod} while it waited", when=feasible),)
    match name:
        case "eventually_bound":
            claim = f"{RESTING} {pod} is bound in the end whenever it waits, or is gone."
            return LeadsTo(title, claim, waits, negated(waits), fairness, ENVIRONMENT, alone, waited)
        case "bound_once_feasible":
            claim = f"{RESTING} {pod} does not wait forever while some node is feasible for it all the time."
            return LeadsTo(title, claim, feasible, negated(feasible), fairness, ENVIRONMENT, alone, fitted)
        case _:
            claim = f"{pod} does not wait forever while some node is feasible for it infinitely often."
            return InfinitelyOften(title, claim, negated(waits), feasible, fairness, mentions=alone, premises=fitted)


def negated(holds: Callable[[Snapshot], bool]) -> Callable[[Snapshot], bool]:
    """Return the negation of the predicate."""
    return lambda snapshot: not holds(snapshot)
