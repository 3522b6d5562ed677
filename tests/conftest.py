"""One fixed Hypothesis profile, so that one version of the code gives one result, and no state from earlier runs.

A shell ignores SIGINT in background jobs, and programs inherit that; the tests of interrupts need it.
"""

import os
import signal
from collections import defaultdict

import pytest
from hypothesis import settings

signal.signal(signal.SIGINT, signal.default_int_handler)
os.environ["SCHEDCHECK_TABLES"] = "none"

settings.register_profile("fixed", derandomize=True, database=None, deadline=None)
settings.load_profile("fixed")


def evenly(most: int, length: int) -> frozenset[int]:
    """At most `most` of the places 0 to `length` - 1, the same each time, evenly apart."""
    return frozenset(place * length // most for place in range(most)) if most < length else frozenset(range(length))


@pytest.hookimpl(tryfirst=True)  # before -m selects
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as medium all cases of a test with the marker `sampled(n)` except `n` of those that are quick otherwise."""
    cases: defaultdict[tuple[str, int], list[pytest.Item]] = defaultdict(list)
    for item in items:
        sampled = item.get_closest_marker("sampled")
        if sampled and not (item.get_closest_marker("slow") or item.get_closest_marker("medium")):
            cases[item.nodeid.partition("[")[0], sampled.args[0]].append(item)
    for (_, most), of_test in cases.items():
        quick = evenly(most, len(of_test))
        for place, item in enumerate(of_test):
            if place not in quick:
                item.add_marker(pytest.mark.medium)
