"""The plugin PrioritySort: the highest priority first, and of those the one that has waited longest.

Kubernetes 1.34: pkg/scheduler/framework/plugins/queuesort.
"""

from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.plugin import Queued
from schedcheck.spec.kubernetes.plugins import Arguments


class PrioritySort:
    """Sorts by priority, and then by the time of being added to the queue."""

    name = "PrioritySort"

    def __init__(self, arguments: Arguments, handle: Handle) -> None:
        pass

    def less(self, left: Queued, right: Queued) -> bool:
        """Whether `left` is tried before `right`."""
        if left.pod.priority != right.pod.priority:
            return left.pod.priority > right.pod.priority
        return left.timestamp < right.timestamp
