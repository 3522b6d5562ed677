"""`diff` on clusters with PodGroups: the production scheduler does what is allowed, and a broken one differs

The witness of what is allowed is the definition: `known_endings` of every order of the pods.
"""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from schedcheck.checker.differential.decisions import compared
from schedcheck.model.production.framework.status import SUCCESS
from schedcheck.model.production.plugins.gang_scheduling import GangScheduling
from schedcheck.model.production.preemption import of_groups
from schedcheck.spec.decisions import Unknown
from schedcheck.spec.kubernetes.control_loop import decision, turn
from schedcheck.spec.objects import Snapshot
from tests.live.grouping import OF_VERSIONS, contested, drawn, read, unalike
from tests.support.building import node, pod
from tests.support.pod_groups import GROUPED, group, one_of


def cluster(version: str, number: int) -> Snapshot:
    chance = Random(f"diff/{number}")
    if version == "1.36.4":
        return read(unalike(drawn(chance, number), chance))
    return read(contested(chance, number))


@pytest.mark.parametrize("version", sorted(OF_VERSIONS))
def test_the_production_scheduler_agrees(version: str) -> None:
    plugins, said = OF_VERSIONS[version], Counter[str]()
    for number in range(9 if version == "1.37.2" else 26):
        snapshot = cluster(version, number)
        found = compared(snapshot, plugins)
        assert found.differences == () and found.left == 0
        tried = turn(snapshot, plugins)
        assert {each for each, _ in (*found.agreed, *found.unknown)} == tried
        for each, made in found.agreed:
            expected = decision(each, snapshot, plugins)
            assert {type(one) for one in made} <= {type(one) for one in expected}
            said[type(next(iter(made))).__name__] += 1
    assert {"Bind", "Wait"} <= set(said) and (version == "1.36.4" or "Nominate" in said), said


@pytest.mark.parametrize(
    ("where", "name", "fault"),
    [
        (GangScheduling, "placement_feasible", lambda *told: SUCCESS),
        (of_groups, "_fits_with", lambda *told: False),
        (of_groups, "_wholes", lambda scheduler: ()),
    ],
)
def test_a_broken_scheduler_differs(
    where: object, name: str, fault: object, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    monkeypatch.setattr(where, name, fault)
    assert any(compared(cluster("1.37.2", number), GROUPED).differences for number in range(40))


def test_what_is_unknown_of_a_pod_without_a_group_is_said() -> None:
    held = replace(one_of("red", 1, "n1"), priority=0)
    snapshot = Snapshot.of((held, pod("urgent", 1, priority=9)), (node("n1", 1),))
    snapshot = replace(snapshot, pod_groups=(group("red", 1, disrupted_together=True),))
    urgent = snapshot.pods[-1]
    found = compared(snapshot, GROUPED)
    why = [each.why for each in decision(urgent, snapshot, GROUPED) if isinstance(each, Unknown)]
    assert [(each.name, said) for each, said in found.unknown] == [("urgent", each) for each in why]
    assert bool(found.agreed) != bool(why)
