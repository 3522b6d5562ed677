"""Time and gap of the best placement of pending pods on realistic clusters.

python -m benchmarks.optimum [NODES PENDING [SEEDS [SECONDS]]] takes SEEDS clusters with NODES nodes and 20 pods a node
(`realistic.py`), in which PENDING random bound pods without volumes wait; the other pending pods are left out.
"""

import random
import sys
import time
from collections.abc import Iterator
from typing import Any

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

import schedcheck
from benchmarks.realistic import realistic
from schedcheck.checker.limits.effort import Effort, Spent
from schedcheck.checker.placement.optimum import optimum
from schedcheck.model.profiles import profile_of
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.profiles import Profile

Json = dict[str, Any]
SIZES = ((10, 5), (20, 10), (50, 20))
"""The nodes and pending pods of the clusters."""


def cluster(nodes: int, pending: int, seed: int) -> list[Json]:
    """Return the objects of a realistic cluster in which random pods wait."""
    items = [each for each in realistic(nodes, 20 * nodes) if each["kind"] != "Pod" or "nodeName" in each["spec"]]
    bound = [each for each in items if each["kind"] == "Pod" and "volumes" not in each["spec"]]
    for each in random.Random(seed).sample(bound, pending):
        del each["spec"]["nodeName"]
        each["status"] = {"phase": "Pending"}
    return items
