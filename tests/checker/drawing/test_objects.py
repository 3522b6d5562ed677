"""The strategies reach their goals: every filter admits, rejects and rejects alone, and every decision occurs"""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings

from schedcheck.checker.drawing.objects import snapshots
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.profiles import CORRECTED, scheduler
from schedcheck.spec.published.feasibility import FILTERS
from schedcheck.spec.published.viability import RATINGS


def reached(pod: Pod, node: Node, found: Snapshot) -> Iterator[tuple[str, str]]:
    """Yield what this pod and node are an example of."""
    admits = {each.name: each.admits(pod, node, found, NO_FAULTS) for each in FILTERS}
    yield from ((name, "admits" if verdict else "refuses") for name, verdict in admits.items())
    if list(admits.values()).count(False) == 1:
        yield next(name for name, verdict in admits.items() if not verdict), "refuses alone"
    for each in RATINGS:
        if len({each.value(pod, other, found, "cpu", NO_FAULTS) for other in found.nodes}) > 1:
            yield each.name, "tells nodes apart"


@pytest.mark.slow
def test_the_drawn_snapshots_reach_every_filter_rating_and_decision() -> None:
    seen = set()

    @settings(max_examples=1000, suppress_health_check=list(HealthCheck))
    @given(snapshots())
    def measured(found: Snapshot) -> None:
        for pod in found.pods:
            for node in found.nodes:
                seen.update(reached(pod, node, found))
        seen.update((type(each).__name__, "is taken") for each in scheduler(found, CORRECTED))

    measured()
    verdicts = ("admits", "refuses", "refuses alone")
    assert seen == {
        *((each.name, verdict) for each in FILTERS for verdict in verdicts),
        *((each.name, "tells nodes apart") for each in RATINGS),
        *((name, "is taken") for name in ("Bind", "Preempt", "Wait")),
    }
