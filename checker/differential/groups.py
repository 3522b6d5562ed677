"""The production scheduler's cycle of each PodGroup compared with what the specification allows: `compared_groups`.

Equal means: the pods that are bound, those that are nominated, each with its node, and the pods that are evicted are those of
an end that the explanation of the group names. Pods and nodes that are alike may be exchanged.
"""

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import replace

from schedcheck.checker.differential.standing import informed
from schedcheck.checker.explain.group_ends import GroupEnd, GroupExplanation
from schedcheck.checker.explain.groups import group_explanation
from schedcheck.checker.limits.timer import doing
from schedcheck.model.production.cycle.scheduler import Scheduler
from schedcheck.model.production.framework.registry import Registry
from schedcheck.model.production.preemption.eviction import Evictions
from schedcheck.spec.decisions import Decision
from schedcheck.spec.kubernetes.control_loop import turn
from schedcheck.spec.kubernetes.group_decisions import decided_for
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.pod_groups import Ending, Pairs, by_name, in_one_cycle
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.profiles import by_scheduler_name

Group = tuple[str, str]
"""The namespace and the name of a PodGroup."""

Compared = tuple[Pod, frozenset[Decision], frozenset[Decision] | str]
"""A pod of a group, what production does with it, and what is allowed if that is something else; or why it is unknown.

What is allowed is empty if the two agree.
"""


def compared_groups(
    snapshot: Snapshot, profiles: Sequence[Plugins], registry: Callable[[], Registry], only: Container[Group] | None
) -> Iterator[Compared]:
    """Yield each pod that is tried with its PodGroup, with what is done with it. `only`: the names of the pods."""
    for (_, name), pods in sorted(_tried(snapshot, profiles).items()):
        if only is not None and not any(pod.key in only for pod in pods):
            continue
        doing(f"comparing the group {name}")
        plugins = by_scheduler_name(pods[0], tuple(profiles))
        about = group_explanation(pods[0], snapshot, plugins)
        if about.unknown:
            yield from ((pod, frozenset(), about.unknown) for pod in pods)
            continue
        made = ending(pods, snapshot, profiles, registry)
        wrong = frozenset[Ending]() if allowed(made, about) else frozenset(map(_expected, about.ends)) or {Ending()}
        for pod in pods:
            yield pod, frozenset({decided_for(pod, made)}), frozenset(decided_for(pod, each) for each in wrong)


def _tried(snapshot: Snapshot, profiles: Sequence[Plugins]) -> dict[Group, list[Pod]]:
    """Return the pods that may be tried with their PodGroup, by the group and the name."""
    found: dict[Group, list[Pod]] = {}
    for plugins in filter(in_one_cycle, profiles):
        for pod in sorted(turn(snapshot, plugins), key=lambda each: each.key):
            if pod.scheduling_group:
                found.setdefault((pod.namespace, pod.scheduling_group), []).append(pod)
    return found


def ending(
    pods: Sequence[Pod], snapshot: Snapshot, profiles: Sequence[Plugins], registry: Callable[[], Registry]
) -> Ending:  # fmt: skip
    """Return what the production scheduler makes of the group of these pods, in one cycle."""
    scheduler = informed(snapshot.pods, snapshot, profiles, registry)
    keys = {pod.key for pod in pods}
    for waiting in list(scheduler.queue.active):
        if waiting.key not in keys:
            scheduler.queue.active.remove(waiting.key)
    nodes, named = {node.name: node for node in snapshot.nodes}, {pod.key: pod for pod in snapshot.pods}
    begun = scheduler.schedule_next()
    placed = tuple((named[each.pod.key], nodes[each.node]) for each in begun)
    evicted = frozenset(named[key] for key in _evicted(scheduler))
    where = scheduler.queue.nominator.node_of
    waiting_for: Pairs = tuple((pod, nodes[where[pod.key]]) for pod in pods if where.get(pod.key, "") in nodes)
    preempts = evicted != frozenset() or any(node.name != pod.nominated_node_name for pod, node in waiting_for)
    return Ending(by_name(placed), nominated=by_name(waiting_for) if preempts and not placed else (), victims=evicted)


def _evicted(scheduler: Scheduler) -> Iterator[Group]:
    """Yield the names of the pods whose eviction has begun."""
    for background in scheduler.handle.background:
        if isinstance(background, Evictions):
            yield from (victim.key for each in background.running.values() for victim in each.victims)


def allowed(made: Ending, about: GroupExplanation) -> bool:
    """Whether the group may end so. A terminating victim is not evicted again."""

    def seen(end: Ending) -> object:
        going = (pod for pod in end.victims if not pod.terminating)
        return about.like.arranged(end.placed, end.nominated, about.like.where(going))

    return seen(made) in {seen(each) for each in (*map(_expected, about.ends), *([] if about.ends else [Ending()]))}


def _expected(end: GroupEnd) -> Ending:
    return replace(end.ending, error=False, preempts=False)
