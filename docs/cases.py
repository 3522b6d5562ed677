"""The smallest case of a divergence as manifests: `text` writes it, `stored` reads it from its folder of `examples`.

A test reads every case back and compares.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from schedcheck.checker.divergences.case import Case
from schedcheck.checker.divergences.nominations import scenario
from schedcheck.checker.divergences.row import Row
from schedcheck.manifests import read, yaml_text
from schedcheck.manifests.snapshots import snapshot_manifests

EXAMPLES = Path(__file__).parent.parent / "examples"
PENDING = "pending"

Manifest = dict[str, Any]


def folder(row: Row) -> Path:
    """Return the folder of the smallest case of a row."""
    return EXAMPLES / row.folder / row.name


def stored(row: Row) -> Case:
    """Return the stored smallest case of a row."""
    cluster = read([folder(row)])
    assert not cluster.notes, cluster.notes
    pod = next(pod for pod in cluster.pods if pod.name == PENDING)
    return Case(pod, cluster.snapshot(pod))


def text(row: Row, case: Case) -> str:
    """Return the manifests of a case and, if the row asks properties, the scenario in which it shows."""
    return yaml_text([*snapshot_manifests(case.snapshot), *(_scenario(row, case) if row.asks else ())])


def _scenario(row: Row, case: Case) -> Iterator[Manifest]:
    made = scenario(case, row.name, row.asks)
    absent = [name for _, name in sorted(made.absent)]
    yield {
        "apiVersion": "schedcheck/v1alpha1",
        "kind": "Scenario",
        "metadata": {"name": row.name},
        "spec": {
            "profile": made.profile,
            **({"absent": absent} if absent else {}),
            "events": [
                {"event": rule.event, "pods": [name for _, name in rule.pods], "bound": rule.bound}
                for rule in made.rules
            ],
            "properties": [*made.properties],
        },
    }
