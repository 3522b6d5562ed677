"""Every decision in a long run of kube-scheduler is explained by the specification, and a wrong one is not"""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.control_plane.conftest import Start
from tests.control_plane.crowd import Size, run
from tests.control_plane.judging import judged

pytestmark = [pytest.mark.control_plane, pytest.mark.slow]
Json = dict[str, Any]
BATCHING_OFF = "OpportunisticBatching=false"
"""With it a pod may get a node that was left over from an earlier pod, which is no function of the cluster."""


LAST = 5
"""The bindings that are moved."""


def test_every_decision_of_a_run_is_explained_and_a_moved_binding_is_not(start: Start, tmp_path: Path) -> None:
    kept = tmp_path / "plane"
    told = run(start(kept=kept, gates=BATCHING_OFF), 1, Size(nodes=40, pods=320))
    audit = kept / "audit.log"
    found = judged(audit)
    print(told, found, sep="\n")
    assert found.verdicts["refused"] == 0, found
    assert found.contradictions == ()
    assert found.verdicts["allowed"] >= 0.95 * found.decisions
    assert found.decisions > 320

    wrong = tmp_path / "wrong.log"
    wrong.write_text("".join(moved(audit.read_text().splitlines(keepends=True))))
    assert judged(wrong, tries=300).verdicts["refused"] >= 1


def moved(lines: list[str]) -> list[str]:
    """Return the log with the last bindings, which are few in a second, at a node that is cordoned."""
    bindings = [number for number, line in enumerate(lines) if '"subresource":"binding"' in line]
    cordons = [line for line in lines if '"requestObject":{"spec":{"unschedulable":true}}' in line]
    node = json.loads(cordons[0])["objectRef"]["name"]
    made = list(lines)
    for number in bindings[-LAST:]:
        event = json.loads(made[number])
        event["requestObject"]["target"]["name"] = node
        made[number] = json.dumps(event) + "\n"
    return made
