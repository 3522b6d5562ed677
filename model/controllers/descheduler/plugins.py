"""The plugins of the descheduler by their arguments: `works`."""

from collections.abc import Callable, Iterator

from schedcheck.model.controllers.descheduler.failed_pods import failed_pods
from schedcheck.model.controllers.descheduler.life_time import life_time
from schedcheck.model.controllers.descheduler.listing import Slot
from schedcheck.model.controllers.descheduler.plan import WHOLE, Done, Listed, Stage, Work
from schedcheck.model.controllers.descheduler.remove_duplicates import plans
from schedcheck.model.controllers.descheduler.spreading import spread
from schedcheck.model.controllers.descheduler.too_many_restarts import too_many_restarts
from schedcheck.model.controllers.descheduler.utilization import utilization
from schedcheck.model.controllers.descheduler.view import View
from schedcheck.model.controllers.descheduler.violating import anti_affinity, node_affinity, node_taints
from schedcheck.model.descheduling import (
    Arguments,
    InterPodAntiAffinity,
    NodeAffinity,
    NodeTaints,
    PodLifeTime,
    RemoveDuplicates,
    RemoveFailedPods,
    TooManyRestarts,
    TopologySpread,
    Utilization,
)
from schedcheck.spec.objects import Pod


def works(
    arguments: Arguments,
    view: View,
    filtered: Callable[[Pod], bool],
    evictable: Callable[[Pod], bool],
    slot: Slot,
    done: Done,
) -> Iterator[tuple[Stage, Work]]:
    """Yield the parts of a plugin's run that may be next, by name; none of those that are done.

    `filtered` and `evictable` are the evictor's judgements: by its first extension point, and by both.
    """
    match arguments:
        case RemoveDuplicates():
            if not done:
                yield from ((WHOLE, Listed(plan)) for plan in plans(arguments, view, evictable, slot))
        case NodeAffinity():
            yield from node_affinity(arguments, view, evictable, slot, done)
        case NodeTaints():
            yield from node_taints(arguments, view, evictable, slot, done)
        case TopologySpread():
            yield from spread(arguments, view, filtered, evictable, slot, done)
        case Utilization():
            yield from utilization(arguments, view, evictable, slot, done)
        case InterPodAntiAffinity():
            yield from anti_affinity(arguments, view, evictable, slot, done)
        case PodLifeTime():
            yield from life_time(arguments, view, evictable, slot, done)
        case TooManyRestarts():
            yield from too_many_restarts(arguments, view, evictable, slot, done)
        case RemoveFailedPods():
            yield from failed_pods(arguments, view, evictable, slot, done)
