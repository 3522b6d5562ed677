"""Profiles: the scheduler that a model runs, as the faults that are on and the operators of the control loop.

Values: ARTICLE, CORRECTED; `profile` makes any other of the published model, `kubernetes` one of kube-scheduler,
`classic` one of the early scheduler.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from frozendict import frozendict

from schedcheck.spec.classic import decision as classic_loop
from schedcheck.spec.classic import filtering, ranking
from schedcheck.spec.classic import preemption as classic_preemption
from schedcheck.spec.classic.policy import DEFAULT, Classic
from schedcheck.spec.decisions import Decision
from schedcheck.spec.faults import ALL_FAULTS, NO_FAULTS, Faults
from schedcheck.spec.importance import OFFSET
from schedcheck.spec.kubernetes import control_loop as kubernetes_loop
from schedcheck.spec.kubernetes import gangs, pod_groups
from schedcheck.spec.kubernetes.cycle import Cycle
from schedcheck.spec.kubernetes.extenders import kept, points
from schedcheck.spec.kubernetes.filter import feasible
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.select_host import scores_of
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.published import control_loop as published_loop
from schedcheck.spec.published.feasibility import feasibility
from schedcheck.spec.published.operators import VictimSets
from schedcheck.spec.published.preemption import casualty, victim_sets
from schedcheck.spec.published.viability import viability
from schedcheck.spec.schedulers import CLASSIC, KUBERNETES, PUBLISHED, VARIANTS, Scheduler
from schedcheck.spec.workload_objects import PodGroup


@dataclass(frozen=True)
class Profile:
    """The parameters of the control loop: the constants of the TLA+ modules, and the operators that the loop calls.

    The operators are values so that an explorer can replace each by a caching one; the definitions themselves cache
    nothing. `turn` and `decision` are the two relations of the loop of its `scheduler`. `plugins` are those of
    kube-scheduler, and `policy` is that of the early scheduler; the others have none and the default one.
    """

    name: str
    faults: Faults
    rated_resource: str
    feasibility: Callable[[Pod, Node, Snapshot], bool]
    viability: Callable[[Pod, Node, Snapshot], int]
    victim_sets: Callable[[Pod, Node, Snapshot], VictimSets]
    casualty: Callable[[frozenset[Pod]], tuple[int, int, int]]
    turn: Callable[[Snapshot, "Profile"], frozenset[Pod]] = published_loop.turn
    decision: Callable[[Pod, Snapshot, "Profile"], frozenset[Decision]] = published_loop.decision
    scheduler: Scheduler = PUBLISHED
    plugins: tuple[Plugins, ...] = ()
    policy: Classic = DEFAULT

    @property
    def nominates(self) -> bool:
        """Whether preemption nominates the pod first and then evicts the victims one by one."""
        return self.scheduler.nominates


def scheduler(snapshot: Snapshot, profile: Profile) -> frozenset[Decision]:
    r"""Return every decision that the control loop allows on `snapshot`.

    TLA+: Scheduler ==
            \E Pod \in Turn(Objects) : Decision(Pod)

    TLA+: KubeScheduler ==
            \E Pod \in KubeTurn(Objects) : \E Decided \in KubeDecisions(Pod, Objects) :
              Objects' = KubeAfter(Decided, Pod, Objects)

    TLA+: GangScheduler ==
            \E Pod \in GangTurn(Objects) : \E Decided \in GangDecisions(Pod, Objects) :
              Objects' = GangAfter(Decided, Pod, Objects)
    """
    taken_up = profile.turn(snapshot, profile)
    return frozenset[Decision]().union(*(profile.decision(pod, snapshot, profile) for pod in taken_up))


def profile(name: str, faults: Faults, rated_resource: str = "cpu") -> Profile:
    """Return the profile with exactly these faults on, whose viability rates `rated_resource`."""

    def admits(pod: Pod, node: Node, snapshot: Snapshot) -> bool:
        return feasibility(pod, node, snapshot, faults)

    def viable(pod: Pod, node: Node, snapshot: Snapshot) -> int:
        return viability(pod, node, snapshot, rated_resource, faults)

    def victims(pod: Pod, node: Node, snapshot: Snapshot) -> VictimSets:
        return victim_sets(pod, node, snapshot, made)

    made = Profile(name, faults, rated_resource, admits, viable, victims, casualty)
    return made


def feasible_nodes(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> frozenset[str]:
    """Return the names of the nodes that kube-scheduler finds feasible for a pod of the snapshot, with extenders.

    TLA+: GangAdmits(Pod, Node, Snapshot) == KubeAdmits(Pod, Node, AsPlaced(Snapshot))
    """
    made = kubernetes_loop.taken_up(pod, snapshot, plugins)
    return frozenset(node.name for node in kept(pod, nodes_of(made, feasible(made)), plugins.extenders).nodes)


def totals(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> Mapping[str, int]:
    """Return the total score of each feasible node, by name, extenders included; empty if scoring ends in an error."""
    made = kubernetes_loop.taken_up(pod, snapshot, plugins)
    left = kept(pod, nodes_of(made, feasible(made)), plugins.extenders).nodes
    more = points(pod, left, plugins.extenders)
    rated = scores_of(made, tuple(node.name for node in left)).total
    return frozendict({name: score + more[name] for name, score in rated.items()})


def nodes_of(made: Cycle, names: tuple[str, ...]) -> tuple[Node, ...]:
    """Return the nodes with these names, in the order of the cycle."""
    among = frozenset(names)
    return tuple(info.node for info in made.infos if info.node.name in among)


def needed(pod: Pod, snapshot: Snapshot, profile: Profile) -> int | None:
    """Return the minCount of the gang of `pod`; None if it is in none, or if the profile does not schedule gangs."""
    schedules = profile.plugins and gangs.NAME in by_scheduler_name(pod, profile.plugins).at("permit")
    return gangs.min_count(pod, snapshot) if schedules else None


def group_in_one_cycle(pod: Pod, snapshot: Snapshot, profile: Profile) -> PodGroup | None:
    """Return the PodGroup of `pod` if the profile tries its pods in one cycle; None otherwise."""
    if not profile.plugins or not pod_groups.in_one_cycle(by_scheduler_name(pod, profile.plugins)):
        return None
    return pod_groups.pod_group(pod, snapshot)


def refused_by_its_group(pod: Pod, snapshot: Snapshot, profile: Profile) -> bool:
    """Whether a profile that schedules gangs keeps `pod` out of the queue for its pod group, or never places that group."""
    if not profile.plugins:
        return False
    plugins = by_scheduler_name(pod, profile.plugins)
    if gangs.refusal(pod, snapshot, plugins) or pod_groups.group_refusal(pod, snapshot, plugins):
        return True
    group = group_in_one_cycle(pod, snapshot, profile)
    return group is not None and not (
        pod_groups.alike(group, snapshot, plugins)
        and all(
            kubernetes_loop.entering(each, snapshot, plugins) for each in pod_groups.queued_with(pod, snapshot, plugins)
        )
    )


def by_scheduler_name(pod: Pod, profiles: tuple[Plugins, ...]) -> Plugins:
    """Return the profile that the schedulerName of `pod` names; the first profile if no profile has that name."""
    return next((each for each in profiles if each.scheduler_name == pod.scheduler_name), profiles[0])


def departing(name: str, profiles: tuple[Plugins, ...]) -> tuple[Plugins, ...]:
    """Return the scheduler profiles with the departures of the profile of this name."""
    return tuple(each.departing(VARIANTS[name].departures) for each in profiles)


def kubernetes(
    name: str,
    profiles: tuple[Plugins, ...],
    nodes: Callable[[Pod, Snapshot, Plugins], frozenset[str]] = feasible_nodes,
    scores: Callable[[Pod, Snapshot, Plugins], Mapping[str, int]] = totals,
) -> Profile:
    """Return the profile of kube-scheduler with these scheduler profiles; `nodes` and `scores` may be caching ones.

    `casualty` is a measure of its own and not kube-scheduler's choice of a node: it ignores budgets and start times.
    """

    def plugins(pod: Pod) -> Plugins:
        return by_scheduler_name(pod, profiles)

    def admits(pod: Pod, node: Node, snapshot: Snapshot) -> bool:
        return node.name in nodes(pod, snapshot, plugins(pod))

    def rated(pod: Pod, node: Node, snapshot: Snapshot) -> int:
        return scores(pod, snapshot, plugins(pod)).get(node.name, 0)

    def victims(pod: Pod, node: Node, snapshot: Snapshot) -> VictimSets:
        return victim_sets(pod, node, snapshot, made)

    def damage(pods: frozenset[Pod]) -> tuple[int, int, int]:
        highest, _, number = casualty(pods)
        return highest, sum(pod.priority + OFFSET for pod in pods), number

    def turn(snapshot: Snapshot, profile: Profile) -> frozenset[Pod]:
        return frozenset[Pod]().union(*(kubernetes_loop.turn(snapshot, each) for each in profiles))

    def decided(pod: Pod, snapshot: Snapshot, profile: Profile) -> frozenset[Decision]:
        return kubernetes_loop.decision(pod, snapshot, plugins(pod))

    made = Profile(
        name=name,
        faults=NO_FAULTS,
        rated_resource="",
        feasibility=admits,
        viability=rated,
        victim_sets=victims,
        casualty=damage,
        turn=turn,
        decision=decided,
        scheduler=KUBERNETES,
        plugins=profiles,
    )
    return made


def classic(policy: Classic) -> Profile:
    """Return the profile of the early scheduler with this policy.

    `casualty` is a measure of its own and not this scheduler's choice of a node: it ignores budgets and start times.
    """

    def admits(pod: Pod, node: Node, snapshot: Snapshot) -> bool:
        if policy.extenders:
            return node in ranking.remaining(pod, snapshot, policy)
        return filtering.feasibility(pod, node, snapshot, policy)

    def viable(pod: Pod, node: Node, snapshot: Snapshot) -> int:
        return ranking.viability(pod, node, snapshot, policy)

    def victims(pod: Pod, node: Node, snapshot: Snapshot) -> VictimSets:
        return classic_preemption.victim_sets(pod, node, snapshot, policy)

    def decided(pod: Pod, snapshot: Snapshot, profile: Profile) -> frozenset[Decision]:
        return classic_loop.decision(pod, snapshot, policy)

    def turn(snapshot: Snapshot, profile: Profile) -> frozenset[Pod]:
        return classic_loop.turn(snapshot)

    return Profile(
        name="classic",
        faults=NO_FAULTS,
        rated_resource="",
        feasibility=admits,
        viability=viable,
        victim_sets=victims,
        casualty=casualty,
        turn=turn,
        decision=decided,
        scheduler=CLASSIC,
        policy=policy,
    )


ARTICLE = profile("article", ALL_FAULTS)
CORRECTED = profile("corrected", NO_FAULTS)
