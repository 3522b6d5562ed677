"""The plugin DefaultBinder: binds a pod through the API server.

Kubernetes 1.34: pkg/scheduler/framework/plugins/defaultbinder.
"""

from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.handle import ClientError, Handle
from schedcheck.model.production.framework.status import SUCCESS, Status, error
from schedcheck.spec.kubernetes.plugins import Arguments
from schedcheck.spec.objects import Pod


class DefaultBinder:
    """A plugin that binds through the API server."""

    name = "DefaultBinder"

    def __init__(self, arguments: Arguments, handle: Handle) -> None:
        self._handle = handle

    def bind(self, state: CycleState, pod: Pod, node: str) -> Status:
        """Bind the pod; return an error if the call fails."""
        if self._handle.client is None:
            return error("there is no API server to bind through")
        try:
            self._handle.client.bind(pod, node)
        except ClientError as failure:
            return error(str(failure))
        return SUCCESS
