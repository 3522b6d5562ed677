"""The decisions of the production scheduler compared with the specification: `Difference`, `difference`, `compared`.

A scheduling cycle is judged by what `decision` allows on the scheduler's knowledge at the beginning of the cycle: the
delivered objects, the assumed pods and the nominations. Undelivered changes do not count, neither for nor against it.
That nothing else is missing is a separate property.
"""

from bisect import bisect_left
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from schedcheck.checker.differential.beside import Said, as_said, beside, specified
from schedcheck.checker.differential.groups import compared_groups
from schedcheck.checker.differential.standing import Standing, drained, informed, may_stand
from schedcheck.checker.extenders.as_values import judged, rated_once
from schedcheck.checker.extenders.wording import not_asked
from schedcheck.checker.limits.timer import doing, reason
from schedcheck.checker.refinement.mapping import with_pod
from schedcheck.checker.vectors.classes import combined
from schedcheck.checker.vectors.judge import CycleJudge
from schedcheck.checker.vectors.trials import TooManyOrders
from schedcheck.model.production.cycle.conclusion import Conclusion
from schedcheck.model.production.cycle.scheduler import Binding, Scheduler
from schedcheck.model.production.framework.extender import Extender
from schedcheck.model.production.framework.registry import Registry
from schedcheck.model.production.plugins.default_registry import default_registry
from schedcheck.spec.decisions import Bind, Decision, Nominate, Unknown, Wait
from schedcheck.spec.devices.claims import NOT_GIVEN
from schedcheck.spec.extender_configuration import Extender as Offer
from schedcheck.spec.kubernetes import control_loop
from schedcheck.spec.kubernetes.control_loop import taken_up, turn
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.extended_cycle import Judgement, undecided
from schedcheck.spec.kubernetes.filter import every_failure, verdicts
from schedcheck.spec.kubernetes.filters.dynamic_resources import unmodelled as unmodelled_claims
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.pod_groups import in_one_cycle
from schedcheck.spec.kubernetes.versions import FROM_THE_DOCUMENTATION, as_the_code
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.profiles import by_scheduler_name

TOO_MANY_ORDERS = "the potential victims are equally important and can be reprieved in too many orders"
"""Why it may be unknown whether a nomination is permitted."""


@dataclass(frozen=True)
class Difference:
    """The decisions of production, the allowed ones, and the nodes with another refusal than specified.

    `rows` are the divergences that may explain it: each covers all wrong decisions. Such a difference is excused.
    `details` are the scores and victims that differ, each with what it is of and both values. `when` is the way in which
    production was run, if there are several.
    """

    pod: Pod
    made: frozenset[Decision]
    allowed: frozenset[Decision]
    refusals: tuple[tuple[str, Said | None, Said | None], ...]
    rows: tuple[str, ...] = ()
    details: tuple[tuple[str, str, str], ...] = ()
    when: str = ""

    @property
    def excused(self) -> bool:
        """Whether a known divergence may explain the difference."""
        return self.rows != ()

    def __str__(self) -> str:
        others = [f"{what}: {ours} for {theirs}" for what, ours, theirs in (*self.refusals, *self.details)]
        return "; ".join([f"{' or '.join(said(self.made))} for {' or '.join(said(self.allowed))}", *others])


def said(decisions: Iterable[Decision]) -> list[str]:
    """Return the decisions as sorted texts, with the text of the event."""
    return sorted(f"{each}: {each.message}" if isinstance(each, Wait) else str(each) for each in decisions)


def node_of(name: str, snapshot: Snapshot) -> Node:
    """Return the node of this name in the snapshot, whose nodes are sorted by name."""
    return snapshot.nodes[bisect_left(snapshot.nodes, name, key=lambda node: node.name)]


def concluded_decisions(concluded: Conclusion, snapshot: Snapshot) -> frozenset[Decision]:
    """Return the possible results of a cycle as decisions of the specification."""
    pod = concluded.pod
    if concluded.hosts:
        return frozenset(Bind(pod, node_of(host, snapshot)) for host in concluded.hosts)
    if concluded.nominated:
        return frozenset({Nominate(pod, node_of(concluded.nominated, snapshot), frozenset(concluded.victims))})
    lost = concluded.nominated == "" and pod.nominated_node_name != ""
    return frozenset({Wait(pod, concluded.message, lost)})


def difference(
    concluded: Conclusion, snapshot: Snapshot, plugins: Plugins, extenders: Sequence[Extender] = ()
) -> Difference | None:
    """Return how a cycle that began with the knowledge `snapshot` differs from what is allowed; None if it does not.

    An unknown decision differs from nothing. The cycle has considered all nodes and asked these extenders, which always
    give one answer to one question.
    """
    pod = concluded.pod
    there = with_pod(pod, snapshot)
    judgement = judged(pod, there, plugins, extenders)
    if control_loop.unmodelled(pod, there, plugins):
        return None
    return departing(concluded, there, plugins, judgement, extenders)


def departing(
    concluded: Conclusion, there: Snapshot, plugins: Plugins, judgement: Judgement, extenders: Sequence[Extender] = ()
) -> Difference | None:
    """Return how a cycle on this snapshot differs from what the judgement allows; None if it does not."""
    pod, allowed = concluded.pod, judgement.decisions
    made = concluded_decisions(concluded, there)
    refusals = () if concluded.hosts else _refusals(concluded, judgement)
    # All nodes are considered, so all best ones are known. If nothing rates them, the first feasible node is chosen,
    # after the extenders that filter have seen all.
    asking = any(each.filters or each.prioritizes for each in extenders)
    rated = bool(concluded.hosts and (plugins.at("score") or asking))
    details: tuple[tuple[str, str, str], ...] = ()
    if made <= allowed and as_the_code(plugins.departures) and concluded.hosts:
        refusals, details = beside(concluded, judgement, every=rated)
    if (made == allowed or (not rated and made <= allowed)) and not refusals and not details:
        return None
    if made <= _whichever_fails_first(pod, there, plugins, allowed) and not refusals and not details:
        return None
    wrong = made ^ allowed or made
    return Difference(pod, made, allowed, refusals, _covering(wrong, there, plugins), details)


def _whichever_fails_first(
    pod: Pod, there: Snapshot, plugins: Plugins, allowed: frozenset[Decision]
) -> frozenset[Decision]:
    """Return the waits with the error of each filter that fails, any of which may be told; empty if none fails."""
    told = {each.message: each for each in allowed if isinstance(each, Wait)}
    found = frozenset(every_failure(verdicts(taken_up(pod, there, plugins)))) if len(told) == len(allowed) == 1 else ()
    return frozenset(replace(one, message=each) for message, one in told.items() for each in found if message in found)


def _covering(wrong: frozenset[Decision], there: Snapshot, plugins: Plugins) -> tuple[str, ...]:
    """Return the divergences that cover all of these decisions; their modules are loaded for a difference only."""
    from schedcheck.checker.divergences.rows import DEPARTING

    return tuple(
        row.name
        for row in DEPARTING
        if Departure(row.name) in FROM_THE_DOCUMENTATION - plugins.departures
        and all(row.covers(each, there) for each in wrong)
    )


def _refusals(concluded: Conclusion, judgement: Judgement) -> tuple[tuple[str, Said | None, Said | None], ...]:
    """Return the nodes whose refusal differs, with production's refusal and the specified one."""
    if concluded.statuses is None or judgement.verdicts is None:
        return ()
    names, verdicts = tuple(judgement.verdicts), tuple(judgement.verdicts.values())
    rows, statuses = np.array([concluded.rows[name] for name in names], np.int64), concluded.statuses
    # A cycle has few different verdicts for many nodes; an equal pair is compared once.
    alike = combined((statuses.numbers(rows), np.array([id(each) for each in verdicts], np.int64)), len(names))
    found: list[tuple[str, Said, Said | None]] = []
    for number, first in enumerate(alike.first.tolist()):
        ours, theirs = as_said(statuses.get(int(rows[first]))), specified(verdicts[first])
        if ours != theirs:
            found.extend((names[place], ours, theirs) for place in np.flatnonzero(alike.numbers == number))
    return tuple(sorted(found, key=lambda each: each[0]))


def concluded(
    pod: Pod,
    snapshot: Snapshot,
    *profiles: Plugins,
    registry: Callable[[], Registry] = default_registry,
    extenders: Sequence[Extender] = (),
    percentage: int = 100,
) -> Conclusion:
    """Return the result of a production scheduler that gets the snapshot by names and then schedules `pod`.

    Raises: PluginError.
    """
    scheduler, _ = cycled(pod, snapshot, *profiles, registry=registry, extenders=extenders, percentage=percentage)
    assert scheduler.concluded is not None
    return scheduler.concluded


def cycled(
    pod: Pod,
    snapshot: Snapshot,
    *profiles: Plugins,
    registry: Callable[[], Registry] = default_registry,
    extenders: Sequence[Extender] = (),
    percentage: int = 100,
) -> tuple[Scheduler, Binding | None]:
    """Return the scheduler after that cycle, and the binding cycle that it has begun.

    The other pending pods are known, so that their nominations count, but are not scheduled. `percentage` of the nodes
    are considered; 0 is adaptive.

    Raises: PluginError.
    """
    listed = {each.key: each for each in (*snapshot.pods, pod)}
    scheduler = informed(tuple(listed.values()), snapshot, profiles, registry, extenders, percentage)
    drained(scheduler, pod.key)
    return scheduler, scheduler.schedule_one()


@dataclass(frozen=True)
class Compared:
    """The pods on which both agree, with the decisions; the differences; and the unknown pods, with reasons.

    `left` pods were not compared, for the reason `stopped`.
    """

    agreed: tuple[tuple[Pod, frozenset[Decision]], ...]
    differences: tuple[Difference, ...]
    unknown: tuple[tuple[Pod, str], ...] = ()
    left: int = 0
    stopped: str = ""

    @property
    def unexcused(self) -> int:
        """The number of differences that no divergence excuses."""
        return sum(not each.excused for each in self.differences)


def _unasked(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> tuple[Offer, ...]:
    """Return the unasked extenders on whose answers the decision on the pod depends."""
    if not plugins.unasked:
        return ()
    made = taken_up(pod, snapshot, plugins)
    return undecided(made, rated_once(made))


def _extenders(plugins: Plugins, snapshot: Snapshot) -> list[Extender]:
    """Return the extenders of a profile, as the production scheduler calls them; HTTP is loaded for extenders only."""
    if not plugins.extenders:
        return []
    from schedcheck.checker.extenders.conversation import for_production

    return [for_production(each, snapshot) for each in plugins.extenders]


def _of_claims(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> str:
    """Return the feature of the pod's claims that the specification alone does not model; empty if there is none."""
    feature = unmodelled_claims(pod, snapshot.devices, plugins.departures)
    return "" if feature in ("", NOT_GIVEN) else f"not modelled: {feature}"


def _of_groups(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> str:
    """Return why it is unknown what a pod without a group does; empty if it is known."""
    decisions = control_loop.decision(pod, snapshot, plugins)
    return next((each.why for each in decisions if isinstance(each, Unknown)), "")


def compared(
    snapshot: Snapshot,
    *profiles: Plugins,
    registry: Callable[[], Registry] = default_registry,
    only: Container[tuple[str, str]] | None = None,
) -> Compared:
    """Compare the decisions on each pod that may be scheduled, as if it were the next one, in the order of their names.

    `only`: the namespaces and names of the pods that are compared; None for all.

    Raises: PluginError.
    """
    waiting = sorted(frozenset[Pod]().union(*(turn(snapshot, each) for each in profiles)), key=lambda pod: pod.key)
    grouped = any(map(in_one_cycle, profiles))
    of_groups = [pod for pod in waiting if pod.scheduling_group and in_one_cycle(by_scheduler_name(pod, profiles))]
    waiting = [pod for pod in waiting if pod not in of_groups and (only is None or pod.key in only)]
    agreed: list[tuple[Pod, frozenset[Decision]]] = []
    differences: list[Difference] = []
    unknown: list[tuple[Pod, str]] = []
    stopped = ""
    try:
        for pod, done, other in compared_groups(snapshot, profiles, registry, only) if of_groups else ():
            if isinstance(other, str):
                unknown.append((pod, other))
            elif other:
                differences.append(Difference(pod, done, other, ()))
            else:
                agreed.append((pod, done))
        standing = Standing(snapshot, profiles) if may_stand(snapshot, profiles, registry) else None
        judge = CycleJudge(snapshot) if standing is not None else None
        for number, pod in enumerate(waiting, 1):
            doing(f"comparing pod {number} of {len(waiting)}")
            plugins = by_scheduler_name(pod, profiles)
            unmodelled = control_loop.unmodelled(pod, snapshot, plugins) or _of_claims(pod, snapshot, plugins)
            unmodelled = unmodelled or (_of_groups(pod, snapshot, plugins) if grouped else "")
            if unmodelled:
                unknown.append((pod, unmodelled))
                continue
            unasked = _unasked(pod, snapshot, plugins)
            if unasked:
                unknown.append((pod, not_asked(each.url_prefix for each in unasked)))
                continue
            made = (
                standing.concluded(pod)
                if standing is not None
                else concluded(pod, snapshot, *profiles, registry=registry, extenders=_extenders(plugins, snapshot))
            )
            if judge is not None and judge.judges(pod, plugins):
                try:
                    judgement = judge.judged(pod, plugins, concluded_decisions(made, snapshot))
                except TooManyOrders:
                    unknown.append((pod, TOO_MANY_ORDERS))
                    continue
                found = departing(made, snapshot, plugins, judgement)
            else:
                found = difference(made, snapshot, replace(plugins, unasked=()) if plugins.unasked else plugins)
            if found is None:
                agreed.append((pod, concluded_decisions(made, snapshot)))
            else:
                differences.append(found)
    except KeyboardInterrupt as end:
        stopped = reason(end)
    waiting += [pod for pod in of_groups if only is None or pod.key in only]
    left = len(waiting) - len(agreed) - len(differences) - len(unknown)
    return Compared(tuple(agreed), tuple(differences), tuple(unknown), left, stopped if left else "")
