"""A scheduler's reply, as JSON, to a value: `reply`."""

from collections.abc import Iterator

from frozendict import frozendict

from schedcheck.checker.judging.reply import KINDS, Kind, PodKey, Reply, ToldRefusal
from schedcheck.manifests.fields import Field

FIELDS = ("id", "kind", "node", "victims", "scores", "refusals", "message", "unnominated")


def reply(field: Field) -> Reply:
    """Return the reply of a JSON object; a field that is absent or null is not told.

    Raises: InputError, also for a field that does not belong to the kind.
    """
    if not isinstance(field.value, dict):
        raise field.error("expected a map")
    field.only(*FIELDS)
    kind = _kind(field["kind"])
    node = field["node"].text()
    if kind in ("bind", "nominate"):
        field["node"].required("the name of a node")
    elif kind != "evict" and field["node"]:
        raise field["node"].error(f"belongs to no {kind}")
    if kind in ("nominate", "evict"):
        victims = _victims(field["victims"]) if field["victims"] or kind == "evict" else None
    elif field["victims"]:
        raise field["victims"].error(f"belongs to no {kind}")
    else:
        victims = None
    return Reply(
        kind=kind,
        node=node,
        victims=victims,
        scores=frozendict({name: each.integer(-(2**63), 2**63 - 1) for name, each in field["scores"].entries()})
        if field["scores"]
        else None,
        refusals=frozendict({name: tuple(_refusals(each)) for name, each in field["refusals"].entries()})
        if field["refusals"]
        else None,
        message=field["message"].text() if field["message"] else None,
        unnominated=field["unnominated"].boolean() if field["unnominated"] else None,
    )


def _kind(field: Field) -> Kind:
    for kind in KINDS:
        if field.value == kind:
            return kind
    raise field.error(f"expected one of {', '.join(KINDS)}")


def _victims(field: Field) -> frozenset[PodKey]:
    found = [_pod_key(each) for each in field.items()]
    if not field:
        raise field.error("expected a list of pods, each as namespace/name")
    return frozenset(found)


def _pod_key(field: Field) -> PodKey:
    namespace, slash, name = field.text().partition("/")
    if not (namespace and slash and name):
        raise field.error("expected namespace/name")
    return namespace, name


def _refusals(field: Field) -> Iterator[ToldRefusal]:
    """Yield the refusals of a node: a list of them, each with its reasons and perhaps plugin and code."""
    for each in field.items():
        each.only("plugin", "code", "reasons")
        plugin, code = each["plugin"], each["code"]
        yield ToldRefusal(
            each["reasons"].texts(), plugin.text() if plugin else None, code.text() if code else None
        )  # fmt: skip
