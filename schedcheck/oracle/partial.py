"""Records that hold only some of the answers: `is_recorded` says whether a compared field is one of a record's own.

A recorder that writes everything leaves out only what there is not, as an error or a score: there absence is an answer.
In a part that lacks a field which is always written, absence says nothing.
"""

from collections.abc import Collection, Mapping
from typing import Any, Final

from schedcheck.oracle.compared import Compared

WITH: Final = {"gated": "preFilter", "scoreError": "skipScore"}
"""The fields that are written only where they say something, and the one that is always written beside each."""

ALWAYS: Final = {
    "nodes": ("feasible", "first", "source", "all", "allNominated"),
    "preemption": ("eligible", "potentialNodes", "candidates", "nodeStatuses", "selected", "realCode"),
    "preFilter": ("result", "nodeNames", "skip", "plugins"),
    "real": ("message",),
}
"""The fields of a part, and of each of the nodes, that are always written where it is asked about."""


def is_recorded(compared: Compared, expected: Mapping[str, Any]) -> bool:
    """Whether the record says something of the field, if only by its absence."""
    part = compared.field.partition(".")[0]
    if part not in expected:
        return WITH.get(part, "") in expected
    whole = expected[part]
    key = (compared.place or compared.field).rpartition(".")[2]
    if part == "nodes":
        whole = whole and whole.get(compared.place.removeprefix("nodes.").removesuffix(f".{key}"))
    return not isinstance(whole, Mapping) or key in whole or _is_whole(whole, ALWAYS.get(part, ()))


def _is_whole(part: Mapping[str, Any], always: Collection[str]) -> bool:
    return all(key in part for key in always)
