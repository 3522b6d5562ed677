"""The pods that a plugin considers, and their order by importance: `considered`, `by_importance`.

descheduler 0.36: pkg/descheduler/pod/pods.go.
"""

from collections.abc import Callable, Iterable

from schedcheck.model.controllers.descheduler.plan import Plan
from schedcheck.model.controllers.descheduler.view import View
from schedcheck.model.descheduling import Namespaces
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Pod
from schedcheck.spec.selectors import selects
from schedcheck.spec.terms import LabelSelector

Slot = Callable[[Pod], int]


def considered(pod: Pod, namespaces: Namespaces, selector: LabelSelector | None = None) -> bool:
    """Whether a plugin for these namespaces and labels considers `pod`.

    descheduler 0.36: pkg/descheduler/pod/pods.go, BuildFilterFunc.
    """
    included = not namespaces.include or pod.namespace in namespaces.include
    labelled = selector is None or selects(selector, pod.labels, NO_FAULTS)
    return included and pod.namespace not in namespaces.exclude and labelled


def by_importance(pods: Iterable[Pod], view: View, slot: Slot) -> Plan:
    """Return the pods of one node from the least important on; of equally important ones any order is possible.

    By priority, then by QoS class; of one class those that prefer no eviction come last.

    descheduler 0.36: pkg/descheduler/pod/pods.go, SortPodsBasedOnPriorityLowToHigh.
    """
    tiers: dict[tuple[int, int, bool], list[int]] = {}
    for pod in pods:
        facts = view.descheduler.of(pod)
        tiers.setdefault((pod.priority, facts.qos, facts.prefers_no_eviction), []).append(slot(pod))
    return tuple(tuple(sorted(tiers[tier])) for tier in sorted(tiers))
