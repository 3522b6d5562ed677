"""Long lists of nodes, pods and rows made short: `several`, `pools`, `Pool`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schedcheck.report.html.plain import LONG
from schedcheck.report.text.terminal import joined

Json = Mapping[str, Any]

MOST_NAMED = 6
"""The most names that a sentence or a row has."""


@dataclass(frozen=True)
class Pool:
    """Rows that differ in their names alone: the names of all, and the first row."""

    names: tuple[str, ...]
    row: Json


def several(names: Sequence[str]) -> str:
    """Return names in a sentence; of many the first ones, and how many more there are."""
    if len(names) <= MOST_NAMED:
        return joined(names)
    return f"{', '.join(names[: MOST_NAMED - 1])} and {len(names) - MOST_NAMED + 1:,} more"


def pools(rows: Sequence[Json], key: str | None) -> list[Pool]:
    """Return rows by the names that they have as `key`; if there are many, equal ones together, in the order of the first.

    Without a key each row is alone, and has no name.
    """
    if key is None:
        return [Pool((), row) for row in rows]
    if len(rows) <= LONG or not all(isinstance(row.get(key), str) for row in rows):
        return [Pool((str(row.get(key, "")),), row) for row in rows]
    groups: dict[str, list[Json]] = {}
    for row in rows:
        groups.setdefault(repr({name: each for name, each in row.items() if name != key}), []).append(row)
    return [Pool(tuple(row[key] for row in some), some[0]) for some in groups.values()]


def keyed_pools(rows: Mapping[str, Json]) -> list[Pool]:
    """Return rows by their keys, as `pools` does."""
    named = [{"name": name, "row": row} for name, row in rows.items()]
    return [Pool(pool.names, pool.row["row"]) for pool in pools(named, "name")]


def beyond(rows: Sequence[Any], noun: str, nouns: str = "") -> str:
    """Return how many rows there are beyond those that are shown at once; empty if there are none."""
    left = len(rows) - LONG
    return f"and {left:,} more {noun if left == 1 else nouns or noun + 's'}" if left > 0 else ""
