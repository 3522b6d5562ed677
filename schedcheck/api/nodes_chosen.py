"""The sets of nodes that a drain or a failure is asked about: `sets_of`, `groups_of`."""

from collections.abc import Iterable, Sequence

from schedcheck.api.label_selectors import label_selector, nearest_labels
from schedcheck.checker.limits.parameters import parameter
from schedcheck.errors import InputError
from schedcheck.manifests.names import nearest_three, node_named
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Node
from schedcheck.spec.selectors import selects


def groups_of(
    there: Sequence[Node], nodes: Sequence[str], selector: str | None, each: str | None, most: int
) -> list[tuple[str, ...]]:
    """Return the groups of nodes of which any `most` fail together. Raises: InputError."""
    chosen = bool(nodes) or selector is not None or each is not None
    groups = list(sets_of(there, nodes, selector, each)) if chosen else [tuple(node.name for node in there)]
    if each is None:
        groups = [(name,) for name in groups[0]]
    if not 1 <= most <= len(groups):
        raise InputError(f"expected 1 to {len(groups):,}, the number of groups", path=parameter("any"), value=most)
    return groups


def sets_of(
    there: Sequence[Node], nodes: Sequence[str], selector: str | None, each: str | None
) -> Iterable[tuple[str, ...]]:  # fmt: skip
    """Yield the sets of nodes that are asked about. Raises: InputError."""
    ways = [bool(nodes), selector is not None, each is not None]
    if sum(ways) != 1:
        raise InputError("expected the names of nodes, or labels" if sum(ways) == 0 else "expected one way to choose nodes",
                         path="NODES")  # fmt: skip
    if each is not None:
        values = sorted({node.labels[each] for node in there if each in node.labels})
        if not values:
            near = nearest_three(each, sorted({key for node in there for key in node.labels}))
            raise InputError(f"no node has this label{near}", path=parameter("each"), value=each)
        for value in values:
            yield tuple(node.name for node in there if node.labels.get(each) == value)
        return
    known = [node.name for node in there]
    yield (
        tuple(dict.fromkeys(node_named(name, known, "NODES") for name in nodes))
        if nodes
        else _selected(there, selector or "")
    )


def _selected(there: Sequence[Node], selector: str) -> tuple[str, ...]:
    """Return the nodes that a label selector selects. Raises: InputError."""
    wanted = label_selector(selector, parameter("selector"))
    found = tuple(node.name for node in there if selects(wanted, node.labels, NO_FAULTS))
    if not found:
        near = nearest_labels(wanted, (node.labels for node in there))
        raise InputError(f"no node has these labels{near}", path=parameter("selector"), value=selector)
    return found
