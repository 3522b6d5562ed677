"""A production scheduler that gets a snapshot once and schedules one pod after the other: `informed`, `Standing`.

No pod is reserved, bound or nominated here. So a cycle leaves little behind: the entry in flight, the evictions
that it has begun, the random draws, and the node at which the next search begins. `Standing` resets these after each
cycle.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from schedcheck.model.production.cycle.conclusion import Conclusion
from schedcheck.model.production.cycle.delivery import Delivery
from schedcheck.model.production.cycle.scheduler import Scheduler
from schedcheck.model.production.framework.extender import Extender
from schedcheck.model.production.framework.registry import Registry
from schedcheck.model.production.machine.api import Api, Choices
from schedcheck.model.production.plugins.default_registry import default_registry
from schedcheck.model.production.preemption.eviction import Evictions
from schedcheck.model.production.queue.in_flight import InFlight
from schedcheck.model.production.queue.queued_pod import QueuedPod
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Pod, Snapshot


def looking_at(percentage: int, plugins: Plugins) -> Plugins:
    """Return the profile that considers this percentage of the nodes, and all candidates of preemption."""
    every = replace(plugins.arguments, min_candidate_nodes_percentage=100)
    return replace(plugins, arguments=every, percentage_of_nodes_to_score=percentage)


def informed(
    pods: Sequence[Pod],
    snapshot: Snapshot,
    profiles: Sequence[Plugins],
    registry: Callable[[], Registry] = default_registry,
    extenders: Sequence[Extender] = (),
    percentage: int = 100,
    clock: Callable[[], float] = lambda: 0.0,
    *,
    every_candidate: bool = True,
    asynchronous_preemption: bool = True,
) -> Scheduler:
    """Return a new scheduler that got these pods, of distinct keys, and all else in the snapshot, in this order.

    Preemption considers every candidate, or as many as the profiles say.

    Raises: PluginError.
    """
    scheduler = Scheduler(
        registry(),
        tuple(looking_at(percentage, each) for each in profiles) if every_candidate else tuple(profiles),
        Api({each.key: each for each in pods}, Choices(()), 0),
        clock,
        percentage=percentage,
        random=Choices(()),
        extenders=extenders,
        asynchronous_preemption=asynchronous_preemption,
    )
    listers = scheduler.handle.listers
    listers.namespaces = {namespace.name: namespace.labels for namespace in snapshot.namespaces}
    listers.budgets, listers.services = snapshot.budgets, snapshot.services
    listers.controllers, listers.storage = snapshot.controllers, snapshot.storage
    listers.devices, listers.workloads = snapshot.devices, snapshot.workloads
    listers.pod_groups = snapshot.pod_groups
    delivery = Delivery(scheduler)
    for node in snapshot.nodes:
        delivery.node(None, node)
    for each in pods:
        delivery.pod(None, each)
    return scheduler


def drained(scheduler: Scheduler, kept: tuple[str, str] | None = None) -> None:
    """Remove all pods but that of this key from the active queue.

    The others stay known, and their nominations count.
    """
    for waiting in list(scheduler.queue.active):
        if waiting.key != kept:
            scheduler.queue.active.remove(waiting.key)


class Standing:
    """One scheduler for all pods of a snapshot, with only kube-scheduler's plugins and without extenders.

    Its results are those of a new scheduler, whichever pods it has scheduled before.
    """

    def __init__(self, snapshot: Snapshot, profiles: Sequence[Plugins]) -> None:
        self.scheduler = informed(snapshot.pods, snapshot, profiles)
        drained(self.scheduler)

    def concluded(self, pod: Pod) -> Conclusion:
        """Return the scheduler's result for `pod`, one of the snapshot's pods that may be scheduled."""
        self.scheduler.queue.active.put(QueuedPod(PodInfo(pod), self.scheduler.clock()))
        self.scheduler.decide()
        made = self.scheduler.concluded
        assert made is not None
        self.undo()
        return made

    def undo(self) -> None:
        """Reset the state that a cycle has left behind."""
        scheduler = self.scheduler
        scheduler.queue.in_flight = InFlight()
        scheduler.handle.random = Choices(())
        scheduler.next_start = 0
        scheduler.concluded = None
        for background in scheduler.handle.background:
            if isinstance(background, Evictions):
                background.running.clear()


def may_stand(snapshot: Snapshot, profiles: Sequence[Plugins], registry: Callable[[], Registry]) -> bool:
    """Whether one scheduler may be used for all pods: no extenders, and no out-of-tree plugin that could keep state."""
    keys = {each.key for each in snapshot.pods}
    asks = any(each.extenders or each.unasked or each.rules for each in profiles)
    return not asks and len(keys) == len(snapshot.pods) and _factories(registry()) == _factories(default_registry())


def _factories(registry: Registry) -> dict[str, object]:
    return {name: registry.factory(name) for name in registry}
