"""The property for a name as users write it: `never_evicted(web-1)`.

`DEFAULT` are the properties checked of a scenario that names none; they are about its cluster.
"""

import re
from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeVar

from schedcheck.checker.properties import behaviours, of_jobs, of_nodes, of_rollouts, of_workloads
from schedcheck.checker.properties.former_names import suggestion
from schedcheck.checker.properties.named import named
from schedcheck.checker.properties.unknown_property import UnknownProperty
from schedcheck.model.controllers import EvictDescheduled, EvictForDisruption, EvictForScaleDown, TaintEvict
from schedcheck.model.environment import Evict
from schedcheck.model.eviction_reasons import REASONED
from schedcheck.model.jobs import Job
from schedcheck.model.nominations import EvictVictim
from schedcheck.model.rollouts import Rollout
from schedcheck.spec.budgets import protects, spared
from schedcheck.spec.decisions import Bind, Nominate, Preempt, Wait
from schedcheck.spec.objects import Pod, PodDisruptionBudget, Snapshot
from schedcheck.spec.profiles import Profile
from schedcheck.spec.properties import of_decisions, of_gangs, of_pods, of_snapshots
from schedcheck.spec.properties.kinds import UNFAIR, Always, Can, Ceases, Once, Premise, Property, Sometimes, Step


def evicted_for_nominated_pod(before: Snapshot, action: EvictVictim, judge: Profile) -> bool:
    """Every evicted victim makes room for a pending pod that is nominated to its node."""
    return all(of_pods.awaited(victim, before) for victim in before.pods if str(victim) == action.pod)


ALWAYS = (of_snapshots.type_correct, of_snapshots.no_overcommit, of_snapshots.anti_affinity_kept)
JUDGED: tuple[Callable[..., bool], ...] = (of_gangs.no_gang_deadlock,)
"""The properties of every snapshot that a profile judges."""

SOMETIMES = (of_snapshots.all_pods_bound,)
STEPS: dict[Callable[..., bool], tuple[type, ...]] = {
    of_decisions.bind_feasible: (Bind,),
    of_decisions.bind_most_viable: (Bind,),
    of_decisions.highest_priority_first: (Bind, Preempt, Nominate, Wait),
    of_decisions.never_moved: (Bind, Preempt, Nominate),
    of_decisions.completed_left_alone: (Bind, Preempt, Nominate, Wait),
    of_decisions.no_wait_while_feasible: (Wait,),
    of_decisions.only_lower_priority_evicted: (Preempt, Nominate),
    of_decisions.no_eviction_while_feasible: (Preempt, Nominate),
    of_decisions.preemption_has_victims: (Preempt, Nominate),
    of_decisions.victims_make_room: (Preempt, Nominate),
    of_decisions.least_casualty: (Preempt,),
    of_decisions.preemption_policy_respected: (Preempt, Nominate),
    of_decisions.no_eviction: (Preempt, Nominate),
    of_decisions.victims_needed: (Preempt, Nominate),
    of_decisions.fewest_budgets_violated: (Preempt, Nominate),
    of_decisions.room_kept: (Bind,),
    of_decisions.room_left_to_the_nominated: (Bind,),
    of_gangs.gang_all_or_nothing: (Bind,),
    evicted_for_nominated_pod: (EvictVictim,),
}
NOT_OF_SOUNDNESS = frozenset(
    {
        of_decisions.no_eviction,
        of_decisions.victims_needed,
        of_decisions.fewest_budgets_violated,
        of_decisions.room_kept,
        of_decisions.room_left_to_the_nominated,
        of_gangs.gang_all_or_nothing,
        evicted_for_nominated_pod,
    }
)
DEFAULT = (
    "no_overcommit",
    "bind_feasible",
    "no_wait_while_feasible",
    "only_lower_priority_evicted",
    "no_eviction_while_feasible",
    "budget_kept",
    "pod_can_still_be_bound",
)
"""The properties checked of a scenario that names none: what the owner of a cluster wants to know."""

SOUND = "scheduler_is_sound"
"""The name for all properties of `SOUNDNESS` that the scheduler promises."""

SOUNDNESS = (
    "type_correct",
    "no_overcommit",
    *(step.__name__ for step in STEPS if step not in NOT_OF_SOUNDNESS),
)
"""The properties of every decision of a scheduler, and of every resulting snapshot."""

NOT_OF_NOMINATING = frozenset({"highest_priority_first", "least_casualty"})
"""The properties that kube-scheduler and the early scheduler do not promise.

They set unschedulable pods aside, and reprieve victims greedily.
"""

OF_NOMINATING = ("room_kept",)
"""The additional properties that schedulers with nominations promise: kube-scheduler and the early one."""

EVICTIONS_END, EVICTED_ONCE = "evictions_end", "no_pod_evicted_twice_for_one_reason"
OF_A_POD = ("never_evicted", "pod_sometimes_bound", "pod_can_still_be_bound", *behaviours.OF_A_POD)
OF_A_BUDGET = ("budget_kept",)
EVICTIONS = (Preempt, EvictVictim, TaintEvict, Evict, EvictDescheduled, EvictForScaleDown, EvictForDisruption)
DEFINITIONS: dict[str, Callable[..., bool]] = {each.__name__: each for each in (*ALWAYS, *JUDGED, *SOMETIMES, *STEPS)}
NAMES = tuple(
    sorted(
        {
            EVICTIONS_END,
            EVICTED_ONCE,
            SOUND,
            *behaviours.PLAIN,
            *DEFINITIONS,
            *OF_A_POD,
            *OF_A_BUDGET,
            *of_workloads.WORDS,
            *of_nodes.WORDS,
            of_rollouts.ROLLOUT_COMPLETES,
            *of_jobs.NAMES,
        }
    )
)

EXAMPLES = {**of_workloads.EXAMPLES, **of_nodes.EXAMPLES}
"""Each property that needs arguments, with arguments."""

UNMET: dict[tuple[type, ...], str] = {
    (Bind,): "no pod was ever bound",
    (Wait,): "no pod was ever left waiting",
    (Preempt,): "no pod was ever evicted for another",
    (Preempt, Nominate): "no eviction was ever decided on",
    (EvictVictim,): "no victim was ever evicted",
    (Bind, Preempt, Nominate): "no pod was ever bound, and no eviction decided on",
    (Bind, Preempt, Nominate, Wait): "no pod was ever tried",
}
"""The reason of vacuity if no step of these kinds was taken."""

NO_EVICTION = "no eviction was ever requested"


def _any_bound(snapshot: Snapshot, chosen: Callable[[Pod], bool] = lambda pod: True) -> bool:
    """Whether a chosen pod is bound."""
    return any(pod.node_name and chosen(pod) for pod in snapshot.pods)


PREMISES: dict[Callable[..., bool], Premise] = {
    of_snapshots.no_overcommit: Premise("no pod was ever bound", when=_any_bound, of_pods=True),
    of_snapshots.anti_affinity_kept: Premise(
        "no pod with required anti-affinity was ever bound",
        when=lambda snapshot: _any_bound(snapshot, lambda pod: pod.affinity.anti_required != ()),
        of_pods=True,
    ),
}
"""The premises that put properties of snapshots to the test."""


Named = TypeVar("Named", Pod, PodDisruptionBudget)


def no_reasons(state: Any, action: Any) -> frozenset[Any]:
    """Raises: LookupError, as the reasons of evictions belong to the states of a scenario."""
    raise LookupError("the reasons of evictions are known in the states of a scenario alone")


def asked(
    text: str,
    pods: Sequence[Pod],
    judge: Profile,
    budgets: Sequence[PodDisruptionBudget] = (),
    *,
    kubelet: bool = False,
    fairness: str = "weak",
    drained: Collection[tuple[str, str]] = (),
    reasons: Callable[[Any, Any], frozenset[Any]] = no_reasons,
    rollouts: Sequence[Rollout] = (),
    jobs: Sequence[Job] = (),
) -> tuple[Property, ...]:
    """Return the properties that `text` names: one, or one for each pod or budget if the argument is left out.

    `kubelet` tells whether a pod must be started to be healthy. `fairness` (one of `behaviours.FAIRNESS`) is assumed
    for properties of whole behaviours. `drained` are the pods for which an eviction through the API may be requested;
    the API may refuse it. `reasons` gives the evictions of an action in a state, each with a reason. `rollouts` are the
    workloads that events may change, and `jobs` the Jobs whose ended pods are counted.
    Raises UnknownProperty, with what was expected.
    """
    matched = re.fullmatch(r"\s*([A-Za-z_]\w*)\s*(?:\((.*)\)\s*)?", text, re.DOTALL)
    name = matched[1] if matched else text
    if matched is None or name not in NAMES:
        raise UnknownProperty(f"no such property{suggestion(name, NAMES)}")
    arguments = tuple(argument.strip() for argument in (matched[2] or "").split(",") if argument.strip())
    if name in behaviours.OF_A_POD:
        fair = behaviours.FAIRNESS[fairness]
        return tuple(behaviours.of_a_pod(name, pod, judge, fair) for pod in _named(arguments, pods, "pod"))
    if name in OF_A_POD:
        return tuple(_of_a_pod(name, pod, pod.key in drained) for pod in _named(arguments, pods, "pod"))
    if name in OF_A_BUDGET:
        return tuple(_budget_kept(budget, kubelet, drained) for budget in _named(arguments, budgets, "budget"))
    if name in of_workloads.WORDS:
        fair = behaviours.FAIRNESS[fairness]
        return (of_workloads.of_workload(name, arguments, kubelet=kubelet, fairness=fair),)
    if name in of_nodes.WORDS:
        return (of_nodes.of_nodes(name, arguments),)
    if name == of_rollouts.ROLLOUT_COMPLETES:
        return of_rollouts.of_rollouts(arguments, rollouts, behaviours.FAIRNESS[fairness])
    if name in of_jobs.NAMES:
        return of_jobs.of_jobs(name, arguments, jobs, behaviours.FAIRNESS[fairness])
    if arguments:
        raise UnknownProperty("takes no argument")
    if name == SOUND:
        return tuple(_plain(each, judge) for each in soundness(judge))
    if name in behaviours.PLAIN:
        return (behaviours.plain(name, behaviours.FAIRNESS[fairness]),)
    if name == EVICTIONS_END:
        claim = f"{behaviours.RESTING} evictions come to an end, without any fairness."
        unmet = Premise("no pod was ever evicted", EVICTIONS)
        return (Ceases(name, claim, EVICTIONS, UNFAIR, behaviours.ENVIRONMENT, premises=(unmet,)),)
    if name == EVICTED_ONCE:
        return (_evicted_once(reasons),)
    return (_plain(name, judge),)


def _evicted_once(reasons: Callable[[Any, Any], frozenset[Any]]) -> Property:
    """Return the property that no pod is evicted twice for one reason while the environment rests."""
    claim = "No pod is evicted twice for one reason, unless something of the environment happens in between."
    unmet = Premise("no pod was ever evicted by the scheduler or a controller", REASONED)
    apart = (*behaviours.ENVIRONMENT, *behaviours.READING)
    return Once(EVICTED_ONCE, claim, REASONED, reasons, apart, premises=(unmet,))


def soundness(judge: Profile) -> tuple[str, ...]:
    """Return the properties that the judged scheduler promises of its decisions and the resulting snapshots."""
    if not judge.nominates:
        return SOUNDNESS
    return (*(name for name in SOUNDNESS if name not in NOT_OF_NOMINATING), *OF_NOMINATING)


def _plain(name: str, judge: Profile) -> Property:
    """Return a property without arguments."""
    definition = DEFINITIONS[name]
    claim = _claim(definition)
    if definition in ALWAYS:
        return Always(name, claim, definition, premises=(PREMISES[definition],) if definition in PREMISES else ())
    if definition in JUDGED:
        two_wait = Premise("no two gangs ever waited on permit at once", when=of_gangs.two_gangs_wait)
        return Always(name, claim, lambda snapshot: definition(snapshot, judge), premises=(two_wait,))
    if definition in SOMETIMES:
        return Sometimes(name, claim, definition)
    kinds = STEPS[definition]
    unmet = (Premise(UNMET[kinds], kinds),)
    if definition is of_gangs.gang_all_or_nothing:
        unmet = (Premise("no member of a gang was ever bound", kinds, of_gangs.binds_a_member),)
    return Step(name, claim, kinds, lambda before, decision, after: definition(before, decision, judge), premises=unmet)


def _claim(definition: Callable[..., bool]) -> str:
    """Return the first line of a definition's docstring: the claim of the property."""
    return (definition.__doc__ or "").partition("\n")[0]


def _named(arguments: tuple[str, ...], things: Sequence[Named], kind: str) -> list[Named]:
    """Return the pod or budget that the argument names, as NAME or NAMESPACE/NAME; all of them without an argument."""
    return named(arguments, things, kind, f"no {kind}", lambda thing: (str(thing), "/".join(thing.key)))


def _of_a_pod(name: str, pod: Pod, drained: bool) -> Property:
    """Return a property of one pod, which it mentions."""
    key, alone = pod.key, frozenset({pod.name})

    def waits(snapshot: Snapshot) -> bool:
        return of_pods.pod_waits(snapshot, key)

    def is_bound(snapshot: Snapshot) -> bool:
        return of_pods.pod_bound(snapshot, key)

    title = f"{name}({pod})"
    match name:
        case "never_evicted":
            bound_once = Premise(f"{pod} was never bound", when=is_bound, of_pods=True)
            asked_for = Premise(NO_EVICTION, EVICTIONS, when=is_bound if drained else None, of_pods=True)
            claim = f"{pod} is never evicted."
            return Step(title, claim, EVICTIONS, _spares(key), alone, premises=(bound_once, asked_for))
        case "pod_sometimes_bound":
            return Sometimes(title, f"{pod} is bound at some time.", is_bound, alone)
        case _:
            return Can(
                title,
                f"Whenever {pod} waits, it can still be bound.",
                waits,
                is_bound,
                alone,
                (Premise(f"{pod} never waited", when=waits, of_pods=True),),
            )


def _spares(key: tuple[str, str]) -> Callable[[Snapshot, Any, Snapshot], bool]:
    """Return the predicate whether an eviction spares the pod of this key."""
    return lambda before, action, after: all(victim.key != key for victim in _victims(action, before))


def _victims(
    action: Preempt | EvictVictim | TaintEvict | Evict | EvictDescheduled | EvictForScaleDown | EvictForDisruption,
    before: Snapshot,
) -> frozenset[Pod]:
    """Return the victims of an eviction: by preemption, a taint, the API, descheduler, autoscaler or Karpenter."""
    if isinstance(action, Preempt):
        return action.victims
    return frozenset(pod for pod in before.pods if str(pod) == action.pod)


def _budget_kept(budget: PodDisruptionBudget, kubelet: bool, drained: Collection[tuple[str, str]]) -> Property:
    """Return the property of one budget that no eviction takes a pod that it cannot spare."""

    def holds(before: Snapshot, action: Any, after: Snapshot) -> bool:
        return spared(budget, _victims(action, before), before, kubelet)

    def asked_for(snapshot: Snapshot) -> bool:
        return _any_bound(snapshot, lambda pod: pod.key in drained and protects(budget, pod))

    def touched(before: Snapshot, action: Any, after: Snapshot) -> bool:
        return any(protects(budget, victim) for victim in _victims(action, before))

    claim = f"No eviction takes a pod that the budget {budget} cannot spare."
    unmet = f"no eviction of a pod that {budget} protects was ever requested"
    premise = Premise(unmet, EVICTIONS, touched, asked_for if drained else None, of_pods=True)
    return Step(f"budget_kept({budget})", claim, EVICTIONS, holds, premises=(premise,))
