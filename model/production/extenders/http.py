"""An extender that is asked over HTTP: `HttpExtender`; how it is reached: `posted`.

Kubernetes 1.34: pkg/scheduler/extender.go.
"""

import json
import ssl
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from schedcheck.model.production.extenders import messages
from schedcheck.model.production.extenders.kubernetes_objects import uid
from schedcheck.model.production.framework.extender import ExtenderError, ExtenderFiltered, Victims
from schedcheck.spec.configuration import Extender, Tls
from schedcheck.spec.objects import Node, Pod

Transport = Callable[[str, Any], Any]
"""What sends a message to an address and gives the answer, both as JSON values. Raises: ExtenderError."""

OK = 200
NANOSECONDS = 10**9


def posted(configured: Extender) -> Transport:
    """The transport over HTTP, or over TLS, that the configuration of an extender asks for."""

    def post(url: str, message: Any) -> Any:
        body = json.dumps(message).encode()
        request = urllib.request.Request(url, body, {"Content-Type": "application/json"}, method="POST")
        context = _context(configured) if url.startswith("https:") else None
        try:
            with urllib.request.urlopen(request, timeout=configured.timeout / NANOSECONDS, context=context) as answer:
                status, text = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            raise ExtenderError(f"failed with extender at URL {url}, code {error.code}") from error
        except (OSError, ValueError) as error:
            raise ExtenderError(f"{url}: {error}") from error
        if status != OK:
            raise ExtenderError(f"failed with extender at URL {url}, code {status}")
        try:
            return json.loads(text)
        except ValueError as error:
            raise ExtenderError(f"{url}: not JSON: {error}") from error

    return post


def _context(configured: Extender) -> ssl.SSLContext:
    """How the extender is known, and how it knows us; data goes before the file of the same.

    With enableHTTPS and no authority anybody is taken for it, as kube-scheduler does.
    """
    tls = configured.tls or Tls()
    context = ssl.create_default_context()
    if tls.insecure or (configured.enable_https and not (tls.ca_data or tls.ca_file)):
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if tls.ca_data:
        context.load_verify_locations(cadata=tls.ca_data.decode())
    elif tls.ca_file:
        context.load_verify_locations(tls.ca_file)
    if tls.cert_data or tls.cert_file:
        with TemporaryDirectory() as folder:
            certificate = _file(folder, "certificate", tls.cert_data) or tls.cert_file
            context.load_cert_chain(certificate, _file(folder, "key", tls.key_data) or tls.key_file or None)
    return context


def _file(folder: str, name: str, data: bytes) -> str:
    """A file with the data, which is what a certificate can be loaded from; empty if there is none."""
    if not data:
        return ""
    file = Path(folder) / name
    file.write_bytes(data)
    return str(file)


class HttpExtender:
    """An extender as it is configured; `send` carries its messages. `lookup` gives the pods that are known on a node."""

    def __init__(
        self,
        configured: Extender,
        send: Transport | None = None,
        lookup: Callable[[str], Iterable[Pod]] = lambda node: (),
    ) -> None:
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
        """Whether some container of the pod names a resource that the extender manages, if it manages any."""
        managed = {each.name for each in self._configured.managed_resources}
        containers = (*pod.containers, *pod.init_containers)
        return not managed or any(managed & set(container.requests) for container in containers)

    def filter(self, pod: Pod, nodes: Sequence[Node]) -> ExtenderFiltered:
        """Which of the nodes it keeps.

        Raises: ExtenderError.
        """
        names_only = self._configured.node_cache_capable
        answer = self._ask(
            self._configured.filter_verb, messages.extender_args(pod, nodes, names_only=names_only)
        )  # fmt: skip
        asked = [node.name for node in nodes]
        return messages.filter_result(answer, asked, names_only=names_only, name=self.name)

    def prioritize(self, pod: Pod, nodes: Sequence[Node]) -> Mapping[str, int]:
        """Its scores, from 0 to 10.

        Raises: ExtenderError.
        """
        names_only = self._configured.node_cache_capable
        args = messages.extender_args(pod, nodes, names_only=names_only)
        return messages.priorities(self._ask(self._configured.prioritize_verb, args))

    def preempt(self, pod: Pod, victims: Mapping[str, Victims]) -> Mapping[str, Victims]:
        """The nodes that it keeps, with their victims, which it names by their UIDs.

        Raises: ExtenderError, also if it names a pod that is not on the node.
        """
        names_only = self._configured.node_cache_capable
        args = messages.preemption_args(pod, victims, names_only=names_only)
        kept = messages.preemption_result(self._ask(self._configured.preempt_verb, args))
        return {name: self._victims(name, *said, victims) for name, said in kept.items()}

    def bind(self, pod: Pod, node: str) -> None:
        """Binds the pod.

        Raises: ExtenderError.
        """
        messages.refused_if_wrong(self._ask(self._configured.bind_verb, messages.binding_args(pod, node)))

    def _ask(self, verb: str, message: Any) -> Any:
        return self._send(f"{self._configured.url_prefix.rstrip('/')}/{verb}", message)

    def _victims(self, node: str, uids: tuple[str, ...], violations: int, offered: Mapping[str, Victims]) -> Victims:
        there = {uid(pod): pod for pod in (*self._lookup(node), *(offered[node].pods if node in offered else ()))}
        unknown = next((each for each in uids if each not in there), None)
        if unknown is not None:
            raise ExtenderError(
                f"extender: {self.name} claims to preempt pod (UID: {unknown}) on node: {node},"
                " but the pod is not found on that node"
            )
        return Victims(tuple(there[each] for each in uids), violations)
