"""The seeds of fuzzed inputs: documents of the examples, records of kube-scheduler, formulas and modules"""

import gzip
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[2]
LARGEST = 20_000
"""The largest size in bytes of an example to start from."""

PROPERTIES = (
    "no_overcommit", "never_evicted", "pod_can_still_be_bound", "all_pods_bound", "evictions_end", "eventually_bound",
    "stays_on(app=web, disk)", "budget_kept", "scheduler_is_sound", "never_evicted(web-1)", "nothing(",
    "Turn = {}", "[]<>(Turn = {})", "Cardinality(Pods) <= 1", "[][Objects' = Objects]_Objects => [](Unbound = {})",
    r"\A p \in Pods : p.Spec.NodeName = \"\"", "None.tla!Safe", "WF_Objects(Scheduler) => <>(Turn = {})", "1 +", "",
)  # fmt: skip
CONSTRAINTS = ("at_most_present(2)", "at_most_unbound(1)", "at_most_bound(x)", "at_most")
MODULES = ("MC_label_removed", "MC_multi_step", "MC_kube_waiting", "MC_classic_waiting", "MC_faults_sum_over_set")
Documents = list[Any]


@cache
def examples() -> tuple[str, ...]:
    """The documents of each small example, as JSON, in the order of their folders."""
    return tuple(json.dumps(each) for each in _examples())


def _examples() -> Iterator[Documents]:
    folders = sorted({path.parent for path in (ROOT / "examples").rglob("*.yaml")})
    groups = [sorted([*folder.glob("*.yaml"), *folder.glob("*.json")]) for folder in folders]
    groups += [[path] for path in sorted((ROOT / "tests" / "tla" / "scenarios").glob("*.yaml"))]
    groups += [sorted((ROOT / "examples" / "dump").glob("*.json"))]
    for files in groups:
        if 0 < sum(path.stat().st_size for path in files) <= LARGEST:
            yield [each for path in files for each in yaml.safe_load_all(path.read_text(encoding="utf-8")) if each]


@cache
def records() -> tuple[str, ...]:
    """A few records of each file of kube-scheduler's answers."""
    files = sorted((ROOT / "tests" / "data" / "conformance").glob("*.jsonl.gz"))
    return tuple(line for path in files for line in gzip.decompress(path.read_bytes()).decode().splitlines()[:3])


@cache
def names() -> tuple[str, ...]:
    """The names of the pods of the examples."""
    found = {
        each["metadata"]["name"]
        for group in examples()
        for each in json.loads(group)
        if isinstance(each, dict) and each.get("kind") == "Pod"
    }
    return tuple(sorted(found))
