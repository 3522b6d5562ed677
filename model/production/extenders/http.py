"""An extender that is called over HTTP: `HttpExtender`; and its connection: `posted`.

Kubernetes 1.34: pkg/scheduler/extender.go.
"""

import json
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from http.client import HTTPException, HTTPResponse
from typing import Any

from schedcheck.model.production.extenders import messages
from schedcheck.model.production.extenders.as_read import NOT_READ, AsRead
from schedcheck.model.production.extenders.tls import client_context
from schedcheck.model.production.framework.extender import ExtenderError, ExtenderFiltered, Victims
from schedcheck.spec.extender_configuration import Extender
from schedcheck.spec.objects import Node, Pod

Transport = Callable[[str, Any], Any]
"""A function that sends a message to a URL and returns the answer, both as JSON values. Raises: ExtenderError."""

OK = 200
NANOSECONDS = 10**9
PART = 2**16


def posted(configured: Extender) -> Transport:
    """Return the transport over HTTP or TLS for the configuration of an extender.

    Raises: ExtenderError if its TLS configuration cannot be used.
    """
    prefix, seconds = f"{configured.url_prefix.rstrip('/')}/", configured.timeout / NANOSECONDS
    opener = urllib.request.build_opener(urllib.request.HTTPSHandler(context=client_context(configured)))

    def post(url: str, message: Any) -> Any:
        body = json.dumps(message).encode()
        request = urllib.request.Request(url, body, {"Content-Type": "application/json"}, method="POST")
        failed = f"failed {url.removeprefix(prefix)} with extender at URL {url}, code"
        deadline = time.monotonic() + seconds
        try:
            with opener.open(request, timeout=seconds) as answer:
                status, text = answer.status, _read(answer, deadline)
        except urllib.error.HTTPError as error:
            raise ExtenderError(f"{failed} {error.code}") from error
        except (OSError, ValueError, HTTPException) as error:
            raise ExtenderError(f"{url}: {error}") from error
        if status != OK:
            raise ExtenderError(f"{failed} {status}")
        try:
            return json.loads(text)
        except ValueError as error:
            raise ExtenderError(f"{url}: not JSON: {error}") from error

    return post


def _read(answer: HTTPResponse, deadline: float) -> bytes:
    """Read the whole body; the deadline holds for the whole, not for each part."""
    parts = []
    while part := answer.read1(PART):
        parts.append(part)
        if time.monotonic() > deadline:
            raise TimeoutError("timed out")
    return b"".join(parts)


class HttpExtender:
    """A configured extender; `send` transports its messages, `lookup` returns the known pods of a node.

    It gets pods and nodes as they were `read`; those that were not read with the fields of their values alone.

    In kube-scheduler 1.34 the scores see no pods on nodes that an extender returned as objects (kubernetes#141781).
    With `nodes_stay_known` they do.
    """

    def __init__(
        self,
        configured: Extender,
        send: Transport | None = None,
        lookup: Callable[[str], Iterable[Pod]] = lambda node: (),
        *,
        nodes_stay_known: bool = False,
        read: AsRead = NOT_READ,
    ) -> None:
        self._read = read
        self.nodes_stay_known = nodes_stay_known
        self.name = configured.url_prefix
        self.weight = configured.weight
        self.ignorable = configured.ignorable
        self.filters = bool(configured.filter_verb)
        self.prioritizes = bool(configured.prioritize_verb)
        self.preempts = bool(configured.preempt_verb)
        self.binds = bool(configured.bind_verb)
        self._configured = configured
        self._send = send or posted(configured)
        self._lookup = lookup

    def interested(self, pod: Pod) -> bool:
        """Whether some container of the pod names a managed resource, or the extender manages none in particular."""
        managed = {each.name for each in self._configured.managed_resources}
        containers = (*pod.containers, *pod.init_containers)
        return not managed or any(managed & set(container.requests) for container in containers)

    def filter(self, pod: Pod, nodes: Sequence[Node]) -> ExtenderFiltered:
        """Return which of the nodes it keeps.

        Raises: ExtenderError.
        """
        names_only = self._configured.node_cache_capable
        args = messages.extender_args(pod, nodes, names_only=names_only, read=self._read)
        answer = self._ask(self._configured.filter_verb, args)
        asked = [node.name for node in nodes]
        said = messages.filter_result(answer, asked, names_only=names_only, name=self.name)
        return replace(said, bare=False) if self.nodes_stay_known else said

    def prioritize(self, pod: Pod, nodes: Sequence[Node]) -> Mapping[str, int]:
        """Return its scores, from 0 to 10.

        Raises: ExtenderError.
        """
        names_only = self._configured.node_cache_capable
        args = messages.extender_args(pod, nodes, names_only=names_only, read=self._read)
        return messages.priorities(self._ask(self._configured.prioritize_verb, args))

    def preempt(self, pod: Pod, victims: Mapping[str, Victims]) -> Mapping[str, Victims]:
        """Return the nodes that it keeps, with their victims, which it names by their UIDs.

        Raises: ExtenderError, also if it names a pod that is not on the node.
        """
        names_only = self._configured.node_cache_capable
        args = messages.preemption_args(pod, victims, names_only=names_only, read=self._read)
        kept = messages.preemption_result(self._ask(self._configured.preempt_verb, args))
        return {name: self._victims(name, *said, victims) for name, said in kept.items()}

    def bind(self, pod: Pod, node: str) -> None:
        """Bind the pod.

        Raises: ExtenderError.
        """
        args = messages.binding_args(pod, node, self._read)
        messages.refused_if_wrong(self._ask(self._configured.bind_verb, args))

    def _ask(self, verb: str, message: Any) -> Any:
        return self._send(f"{self._configured.url_prefix.rstrip('/')}/{verb}", message)

    def _victims(self, node: str, uids: tuple[str, ...], violations: int, offered: Mapping[str, Victims]) -> Victims:
        there = {
            self._read.uid(pod): pod for pod in (*self._lookup(node), *(offered[node].pods if node in offered else ()))
        }
        unknown = next((each for each in uids if each not in there), None)
        if unknown is not None:
            raise ExtenderError(
                f"extender: {self.name} claims to preempt pod (UID: {unknown}) on node: {node},"
                " but the pod is not found on that node"
            )
        return Victims(tuple(there[each] for each in uids), violations)
