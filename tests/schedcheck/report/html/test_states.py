"""The clusters that a page draws are those of the trace, node by node and resource by resource"""

from pathlib import Path

import pytest

import schedcheck
from schedcheck.report.html.states import clusters
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.requests import used

EXAMPLES = Path(__file__).parents[4] / "examples"
VIOLATED = (
    "budget-broken",
    "pod-stranded",
    "descheduler-duplicates",
    "turns",
    "gpu-small-without-taints",
    "head-of-line",
)


@pytest.mark.parametrize("example", VIOLATED)
def test_every_step_has_the_objects_and_the_use_of_the_snapshot(example: str) -> None:
    found = schedcheck.check(schedcheck.read(EXAMPLES / example))
    drawn = [list(clusters(each)) for each in found.to_json()["violations"] if each["trace"]]
    truth = [each.trace for each in found.violations if each.trace]
    assert drawn
    for states, steps in zip(drawn, truth, strict=True):
        for state, step in zip(states, steps, strict=True):
            snapshot = step.snapshot
            assert [pod.name for pod in state.of("Pod")] == [
                name for _, name in sorted(pod.key for pod in snapshot.pods)
            ]
            assert {node.name for node in state.of("Node")} == {node.name for node in snapshot.nodes}
            for node in snapshot.nodes:
                for resource in ("cpu", "memory", "pods", *node.allocatable):
                    assert state.used(node.name, resource) == used(node, snapshot, resource, NO_FAULTS)


def test_the_last_cluster_is_the_end_of_the_trace() -> None:
    found = schedcheck.drain(schedcheck.read(EXAMPLES / "drain"), ["n2", "n3"]).to_json()
    for violation in found["cases"][0]["violations"]:
        last = [*clusters(violation)][-1]
        assert [thing.manifest for thing in last.things.values() if thing.manifest["kind"] == "Pod"] != []
        assert sorted(map(str, (thing.manifest for thing in last.things.values()))) == sorted(
            map(str, violation["end"])
        )
