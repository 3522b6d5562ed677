"""The plugin PrioritySort: higher priority first, then earlier timestamp.

Kubernetes 1.34: pkg/scheduler/framework/plugins/queuesort.
"""

from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.plugin import Queued
from schedcheck.spec.kubernetes.plugins import Arguments


class PrioritySort:
    """A plugin that sorts the queue by priority, then by the time at which a pod entered it."""

    name = "PrioritySort"

    def __init__(self, arguments: Arguments, handle: Handle) -> None:
        pass

    def less(self, left: Queued, right: Queued) -> bool:
        """Whether `left` is scheduled before `right`."""
        if left.pod.priority != right.pod.priority:
            return left.pod.priority > right.pod.priority
        return left.timestamp < right.timestamp
