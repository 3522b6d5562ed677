"""Extenders that are asked over HTTP: `Conversation`, `asked`, `over_http`, `for_production`.

Each question is sent to the extender twice in a row, and never again: an extender that gives two answers to one
question allows no certain statement. After an error the question is not repeated.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from frozendict import frozendict

from schedcheck.model.production.extenders import messages
from schedcheck.model.production.extenders.as_read import NOT_READ, AsRead
from schedcheck.model.production.extenders.http import HttpExtender, Transport, posted
from schedcheck.model.production.framework.extender import ExtenderError, Victims
from schedcheck.spec.extender_configuration import Extender as Offer
from schedcheck.spec.extenders import Extender, Failed, Filtered, MetaVictims, Nodes, Offered
from schedcheck.spec.objects import Pod, Snapshot


class Inconsistent(Exception):
    """An extender gave two answers to the same question; the text names the extender and the question."""


@dataclass(frozen=True)
class Error:
    """An error in place of an answer."""

    reason: str


@dataclass
class Conversation:
    """A transport with a cache of all answers, by address and digest of the message."""

    send: Transport
    inconsistent: Callable[[str], Exception] = Inconsistent
    known: dict[tuple[str, str], Any] = field(default_factory=dict)

    def ask(self, url: str, message: Any) -> Any:
        """Return the answer. Raises: ExtenderError as the transport does; Inconsistent if a second answer differs."""
        # Messages hold whole nodes: a digest of them takes less memory than they do.
        question = url, sha256(json.dumps(message, sort_keys=True).encode()).hexdigest()
        if question not in self.known:
            first = self._answer(url, message)
            if not isinstance(first, Error) and self._answer(url, message) != first:
                raise self.inconsistent(f"{url} answers the same question about {_pod(message)} in two ways")
            self.known[question] = first
        answer = self.known[question]
        if isinstance(answer, Error):
            raise ExtenderError(answer.reason)
        return answer

    def _answer(self, url: str, message: Any) -> Any:
        try:
            return self.send(url, message)
        except ExtenderError as error:
            return Error(str(error))


def _pod(message: Mapping[str, Any]) -> str:
    if "PodName" in message:
        return f"{message['PodNamespace']}/{message['PodName']}"
    metadata = message["Pod"]["metadata"]
    return f"{metadata['namespace']}/{metadata['name']}"


def unreachable(url: str, message: Any) -> Any:
    """Raises: ExtenderError, as there is no transport."""
    raise ExtenderError(f"{url}: no transport")


@dataclass(frozen=True)
class Reached(Extender):
    """An extender that is reached by messages, which `send` transports; it gets pods and nodes as they were `read`."""

    send: Transport = unreachable
    read: AsRead = field(default=NOT_READ, compare=False)


def asked(
    offers: Sequence[Offer],
    transport: Callable[[Offer], Transport] = posted,
    inconsistent: Callable[[str], Exception] = Inconsistent,
    read: AsRead = NOT_READ,
) -> tuple[Reached, ...]:
    """Return the extenders of a configuration as values that ask the processes behind them.

    `inconsistent` makes the error for an extender that gives two answers to the same question. The extenders get pods
    and nodes as they were `read`.

    Raises: ExtenderError if the TLS settings of a configuration cannot be used.
    """
    return tuple(over_http(each, Conversation(transport(each), inconsistent).ask, read) for each in offers)


def over_http(offer: Offer, send: Transport, read: AsRead = NOT_READ) -> Reached:
    """Return the extender of this configuration; `send` transports its messages, with objects as they were `read`."""
    names_only, prefix = offer.node_cache_capable, offer.url_prefix.rstrip("/")

    def filtered(pod: Pod, nodes: Nodes) -> Filtered | Failed:
        args = messages.extender_args(pod, nodes, names_only=names_only, read=read)
        try:
            answer = send(f"{prefix}/{offer.filter_verb}", args)
            names = [node.name for node in nodes]
            said = messages.filter_result(answer, names, names_only=names_only, name=offer.url_prefix)
        except ExtenderError as error:
            return Failed(str(error))
        return Filtered(frozenset(said.kept), frozendict(said.failed), frozendict(said.hopeless))

    def prioritized(pod: Pod, nodes: Nodes) -> Mapping[str, int] | Failed:
        args = messages.extender_args(pod, nodes, names_only=names_only, read=read)
        try:
            return messages.priorities(send(f"{prefix}/{offer.prioritize_verb}", args))
        except ExtenderError as error:
            return Failed(str(error))

    def chosen(pod: Pod, offered: Offered) -> Mapping[str, MetaVictims] | Failed:
        victims = {name: Victims(each.pods, each.violations) for name, each in offered.items()}
        args = messages.preemption_args(pod, victims, names_only=names_only, read=read)
        try:
            said = messages.preemption_result(send(f"{prefix}/{offer.preempt_verb}", args))
        except ExtenderError as error:
            return Failed(str(error))
        return {name: MetaVictims(tuple(map(read.key, uids)), number) for name, (uids, number) in said.items()}

    return Reached(offer, filtered, prioritized, chosen, send=send, read=read)


def for_production(extender: Extender, snapshot: Snapshot) -> HttpExtender:
    """Return the same extender as the production scheduler asks it, with the same cached answers.

    Data of nodes that an answer returns as objects stay known, as in the specification.
    """
    return HttpExtender(
        extender.offer,
        extender.send if isinstance(extender, Reached) else unreachable,
        lambda node: snapshot.pods_by_node.get(node, ()),
        nodes_stay_known=True,
        read=extender.read if isinstance(extender, Reached) else NOT_READ,
    )
