"""Records that hold only some of the answers: `is_recorded` says whether a record answers a compared field.

A complete recorder leaves out only what does not exist, such as an error or a score: there absence is an answer.
In a part that lacks a field which is always written, absence is no answer.
"""

from collections.abc import Collection, Mapping
from typing import Any, Final

from schedcheck.recordings.compared import Compared

WITH: Final = {"gated": "preFilter", "scoreError": "skipScore"}
"""The fields that are written only if they are not empty, each with a field that is always written together with it."""

ALWAYS: Final = {
    "nodes": ("feasible", "first", "source", "all", "allNominated"),
    "preemption": ("eligible", "potentialNodes", "candidates", "nodeStatuses", "selected", "realCode"),
    "preFilter": ("result", "nodeNames", "skip", "plugins"),
    "real": ("message",),
}
"""The fields that are always written in a part, or in each of its nodes, if the part is recorded."""


def is_recorded(compared: Compared, expected: Mapping[str, Any]) -> bool:
    """Whether the record answers the field, possibly by its absence."""
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
