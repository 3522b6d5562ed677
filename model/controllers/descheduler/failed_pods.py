"""The plugin RemoveFailedPods: it evicts pods in phase Failed. `failed_pods`.

descheduler 0.36: pkg/framework/plugins/removefailedpods/failedpods.go, New, Deschedule and validateCanEvict.

Not modelled: as in `statuses`. Differs: the age of a pod is any, so with minPodLifetimeSeconds it may be old enough or not.
"""

from collections.abc import Callable, Iterator

from schedcheck.model.controllers.descheduler.life_time import Ageing
from schedcheck.model.controllers.descheduler.listing import Slot, considered
from schedcheck.model.controllers.descheduler.plan import Done, Stage, Work
from schedcheck.model.controllers.descheduler.statuses import has_exit_code, status_of
from schedcheck.model.controllers.descheduler.view import View
from schedcheck.model.descheduling import RemoveFailedPods
from schedcheck.spec.objects import Pod


def failed_pods(
    arguments: RemoveFailedPods, view: View, evictable: Callable[[Pod], bool], slot: Slot, done: Done
) -> Iterator[tuple[Stage, Work]]:
    """Yield the next node, any that is not done, with its failed pods in any order."""
    for node in view.nodes:
        slots = tuple(
            sorted(
                slot(pod)
                for pod in view.every_pod_on(node)
                if considered(pod, arguments.namespaces, arguments.selector)
                and evictable(pod)
                and _failed(pod, arguments, view)
            )
        )
        if slots and (0, node.name) not in done:
            yield (0, node.name), Ageing(slots) if arguments.aged else Ageing(sure=slots)
            if arguments.aged:
                yield (0, node.name), Ageing()


def _failed(pod: Pod, arguments: RemoveFailedPods, view: View) -> bool:
    """Whether the pod has failed, for one of the reasons and with one of the exit codes that the plugin names."""
    status, owners = status_of(pod, view), view.descheduler.of(pod).owners
    reasons = {status.reason, *status.containers} - {""}
    reasons |= status.init_containers if arguments.with_init_containers else frozenset()
    return (
        pod.phase == "Failed"
        and not any(kind in arguments.exclude_owner_kinds for kind, _, _ in owners)
        and (not arguments.reasons or not arguments.reasons.isdisjoint(reasons))
        and has_exit_code(status, arguments.exit_codes, arguments.with_init_containers)
    )
