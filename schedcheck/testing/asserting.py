"""An assertion that the specification allows a decision: `assert_allowed`, `NotAllowed`."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from schedcheck.api.judge import Judged, judge, read_reply
from schedcheck.api.reading import read
from schedcheck.api.values import Limits, Profile
from schedcheck.checker.judging.judged import CLAUSES, Strictness
from schedcheck.checker.judging.reply import Reply
from schedcheck.errors import InputError
from schedcheck.manifests.documents import Document
from schedcheck.manifests.objects import Cluster
from schedcheck.manifests.stored import stored
from schedcheck.report.json.judged import decision_json, numbers_json

Object = Mapping[str, Any]
Given = Cluster | Object | Iterable[Object] | str | Path
"""A cluster as `schedcheck.read` returns it, a List of objects, objects, or the path of manifests."""

MOST_DECISIONS = 10
"""The most allowed decisions that a message names."""


class NotAllowed(AssertionError):
    """A decision that is refused, or of which it is unknown whether it is allowed.

    judged
        The judgement, a `schedcheck.api.judge.Judged`.
    """

    def __init__(self, message: str, judged: Judged) -> None:
        """Keep the judgement beside the message."""
        super().__init__(message)
        self.judged = judged


def assert_allowed(
    cluster: Given,
    pod: str | Object,
    reply: Reply | Object,
    *,
    profile: Profile | str | None = None,
    strictness: Strictness = "best",
    least: bool = False,
    allow_unknown: bool = False,
    limits: Limits | None = None,
) -> Judged:
    """Return the judgement of a scheduler's decision if the specification allows it.

    cluster
        What the scheduler knew: a `Cluster`, a List of objects, objects, or the path of manifests.
    pod
        The name of the pod, or the Pod as an object, which replaces the one of its name.
    reply
        The decision: `{"kind": "bind", "node": "node-1"}`, or of kind nominate, evict, unschedulable or error, with what
        else the scheduler tells.
    allow_unknown
        Whether a decision passes of which it is unknown whether it is allowed.

    The other parameters are those of `schedcheck.judge`.

    Raises: NotAllowed, with the clause that refuses the decision, what was allowed, and the numbers; InputError.
    """
    __tracebackhide__ = True
    known, name = _known(cluster, pod)
    decided = read_reply(reply)
    found = judge(known, name, decided, profile=profile, strictness=strictness, least=least, limits=limits)
    if found.verdict == "allowed" or (found.verdict == "unknown" and allow_unknown):
        return found
    raise NotAllowed(message(found, decided), found)


def cluster_of(given: Given) -> Cluster:
    """Return the cluster of a List of objects, of objects, or of manifests at a path. Raises: InputError."""
    if isinstance(given, Cluster):
        return given
    if isinstance(given, str | Path):
        return read(given)
    if not isinstance(given, Iterable):
        raise InputError("expected a cluster, a list of objects, or the path of manifests", path="cluster", value=given)
    listed = {"kind": "List", **given} if isinstance(given, Mapping) else {"kind": "List", "items": list(given)}
    return stored([Document("cluster", 1, listed)])


def _known(given: Given, pod: str | Object) -> tuple[Cluster, str]:
    """Return the cluster with the pod, and the name of the pod."""
    if isinstance(pod, str):
        return cluster_of(given), pod
    if not isinstance(pod, Mapping):
        raise InputError("expected the name of a pod, or a Pod object", path="pod", value=pod)
    if isinstance(given, Cluster | str | Path):
        raise InputError("expected the name of a pod, as the cluster is no list of objects", path="pod")
    items = given.get("items", ()) if isinstance(given, Mapping) else list(given)
    if not isinstance(items, list | tuple):
        raise InputError("expected a list", file="cluster", path="items", value=items)
    key = _key(pod)
    others = [each for each in items if not _is_pod(each) or _key(each) != key]
    return cluster_of([*others, {"kind": "Pod", **pod}]), "/".join(key)


def _is_pod(item: object) -> bool:
    return isinstance(item, Mapping) and item.get("kind") == "Pod"


def _key(pod: Object) -> tuple[str, str]:
    """Return namespace and name; what is wrong with them is said where the object is read."""
    metadata = pod.get("metadata")
    known = metadata if isinstance(metadata, Mapping) else {}
    return str(known.get("namespace") or "default"), str(known.get("name") or "")


def message(found: Judged, reply: Reply) -> str:
    """Return why the decision is not allowed, a line for each part of the judgement."""
    verdict = "is not allowed" if found.verdict == "refused" else "is neither allowed nor refused: it is unknown"
    head = f"{found.pod}: {decision_text(_reply_json(reply))} {verdict} ({found.profile}, {found.strictness})"
    return "\n".join([head, *(f"  {name:<9}{text}" for name, text in _rows(found))])


def _rows(found: Judged) -> Iterator[tuple[str, str]]:
    if found.clause:
        yield "clause", f"{found.clause}: {CLAUSES[found.clause]}"
    yield from (("because", reason) for reason in found.reasons)
    for decided in found.allowed[:MOST_DECISIONS]:
        yield "allowed", decision_text(decision_json(decided))
    if len(found.allowed) > MOST_DECISIONS:
        yield "allowed", f"and {len(found.allowed) - MOST_DECISIONS} more"
    numbers = numbers_json(found.numbers)
    if numbers["score"] is not None:
        yield "score", f"{numbers['score']}, the best is {numbers['bestScore']}"
    yield from (("victims", text) for text in _casualties(numbers))
    yield "judged", ", ".join(f"{part} {done} of {there}" for part, (done, there) in found.parts.items()) or "nothing"


def _casualties(numbers: Mapping[str, Any]) -> Iterator[str]:
    """Yield the criteria in which the casualty is not that of the allowed victims, or not the least possible."""
    casualty, specified, least = (numbers[each] for each in ("casualty", "specified", "least"))
    for place, criterion in enumerate(numbers["criteria"] if casualty is not None else ()):
        others = [
            (word, each[place]) for word, each in (("allowed", specified), ("possible", least)) if each is not None
        ]
        if any(each != casualty[place] for _, each in others):
            told = ", ".join(f"{word} {json.dumps(each)}" for word, each in others)
            yield f"{criterion} {json.dumps(casualty[place])} ({told})"


def _reply_json(reply: Reply) -> dict[str, Any]:
    victims = None if reply.victims is None else sorted("/".join(each) for each in reply.victims)
    return {"kind": reply.kind, "node": reply.node, "victims": victims, "message": reply.message}


def decision_text(decided: Mapping[str, Any]) -> str:
    """Return a decision in the form of a reply as words."""
    kind, node, victims = decided["kind"], decided.get("node"), decided.get("victims")
    evicted = "" if victims is None else f", evicting {', '.join(victims) or 'nobody'}"
    match kind:
        case "bind":
            return f"bind to {node}"
        case "nominate":
            return f"nominate to {node}{evicted}"
        case "evict":
            return f"evict {', '.join(victims or ()) or 'nobody'}" + (f" on {node}" if node else "")
    return f"{kind} ({decided['message']})" if decided.get("message") else str(kind)
