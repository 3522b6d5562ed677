"""The plugin RemovePodsHavingTooManyRestarts: it evicts pods whose containers restarted too often. `too_many_restarts`.

descheduler 0.36: pkg/framework/plugins/removepodshavingtoomanyrestarts/toomanyrestarts.go, New and Deschedule.

Not modelled: states, which the reader of the policy refuses; pods that have ended.
"""

from collections.abc import Callable, Iterator

from schedcheck.model.controllers.descheduler.listing import Slot, considered
from schedcheck.model.controllers.descheduler.plan import Done, Listed, Stage, Work
from schedcheck.model.controllers.descheduler.view import View
from schedcheck.model.descheduling import TooManyRestarts
from schedcheck.spec.objects import Pod


def too_many_restarts(
    arguments: TooManyRestarts, view: View, evictable: Callable[[Pod], bool], slot: Slot, done: Done
) -> Iterator[tuple[Stage, Work]]:
    """Yield the next node, any that is not done, with its pods from the most restarts on; equal ones in any order."""
    for node in view.nodes:
        tiers: dict[int, list[int]] = {}
        for pod in view.pods_on(node):
            number = restarts(pod, arguments, view)
            looked_at = considered(pod, arguments.namespaces, arguments.selector)
            if number >= arguments.threshold and looked_at and evictable(pod):
                tiers.setdefault(number, []).append(slot(pod))
        if tiers and (0, node.name) not in done:
            yield (0, node.name), Listed(tuple(tuple(sorted(tiers[number])) for number in sorted(tiers, reverse=True)))


def restarts(pod: Pod, arguments: TooManyRestarts, view: View) -> int:
    """Return the number of restarts that the plugin counts, up to the one from which the model tells none apart.

    descheduler 0.36: toomanyrestarts.go, getPodTotalRestarts.
    """
    of_containers, of_init_containers = pod.restarts
    number = of_containers + (of_init_containers if arguments.with_init_containers else 0)
    most = view.descheduler.most_restarts
    return number if most is None else min(number, most)
