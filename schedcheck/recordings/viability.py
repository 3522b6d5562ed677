"""The recorded scores and choice, with those of the specification: `viability_fields`."""

from collections.abc import Iterator, Mapping
from typing import Any

from schedcheck.recordings.compared import Compared
from schedcheck.spec.kubernetes.cycle import Cycle
from schedcheck.spec.kubernetes.filter import admitted, verdicts
from schedcheck.spec.kubernetes.select_host import choice_among, scores_of


def viability_fields(made: Cycle, expected: Mapping[str, Any]) -> Iterator[Compared]:
    """Yield the scores of every feasible node, and the choice. Scores are recorded even if no scoring was needed."""
    said = verdicts(made)
    found = scores_of(made, admitted(said))
    chosen = choice_among(made, said, found)
    yield Compared("skipScore", "", expected.get("skipScore"), [*found.skipped])
    yield Compared("scoreError", "", expected.get("scoreError"), found.error)
    recorded_nodes = expected.get("nodes") or {}
    for name in sorted({*recorded_nodes, *found.total}):
        node = recorded_nodes.get(name, {})
        for key, scores in (("raw", found.raw), ("norm", found.normalised), ("weighted", found.weighted)):
            by_plugin = {plugin: by_node[name] for plugin, by_node in scores.items() if name in by_node}
            yield Compared(f"nodes.{key}", f"nodes.{name}.{key}", node.get(key), by_plugin or None)
        yield Compared("nodes.total", f"nodes.{name}.total", node.get("total"), found.total.get(name))
    said_choice = {"kind": chosen.kind, "mode": chosen.mode, "hosts": [*chosen.hosts]}
    yield Compared("decision", "", expected.get("decision"), said_choice)
    if chosen.kind == "error":
        yield Compared("real.message", "", (expected.get("real") or {}).get("message"), chosen.error)
