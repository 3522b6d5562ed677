"""Manifests to a cluster: `read`."""

from pathlib import Path
from typing import Literal

from schedcheck.checker.limits.timer import doing
from schedcheck.errors import InputError
from schedcheck.manifests import Cluster
from schedcheck.manifests import read as read_all
from schedcheck.manifests.workloads import KINDS


def read(
    *paths: str | Path, pdb_status: Literal["recorded", "recomputed"] = "recorded", whole: bool = True
) -> Cluster:  # fmt: skip
    """Return the cluster that files, folders and standard input ("-") describe; `notes` say what was not read.

    pdb_status
        Whether the disruptions that budgets allow are those of their status, or are computed.
    whole
        Whether the pods and nodes are kept as they were read, for extenders that are asked; this takes memory.

    Raises: InputError, also if the input has nothing that a scheduler looks at.
    """
    doing("reading the input")
    found = read_all(paths, pdb_status, whole=whole)
    if found.kinds.isdisjoint({"Pod", "Node", *KINDS}):
        from schedcheck.report.text.terminal import joined

        others = f", only {joined(sorted(found.kinds))}" if found.kinds else ""
        raise InputError(f"expected pods, nodes, or workloads that make pods; the input has none of these{others}")
    return found
