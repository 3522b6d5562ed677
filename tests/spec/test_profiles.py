"""The profile that applies to a pod"""

from dataclasses import replace

import pytest

from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.profiles import CORRECTED, by_scheduler_name, group_in_one_cycle
from tests.support.building import pod, snapshot
from tests.support.pod_groups import GROUPED, UNGROUPED, group, one_of

PROFILES = tuple(replace(DEFAULT_PLUGINS, scheduler_name=name) for name in ("first", "middle", "third"))


@pytest.mark.parametrize(
    ("asked", "given"), [("first", 0), ("middle", 1), ("third", 2), ("aaa", 0), ("zzz", 0), ("", 0)]
)
def test_a_pod_gets_the_profile_of_its_scheduler_name_or_the_first(asked: str, given: int) -> None:
    assert by_scheduler_name(pod(scheduler_name=asked), PROFILES) is PROFILES[given]


def test_a_profile_tries_a_group_in_one_cycle_if_its_plugins_do() -> None:
    """The plugin GangScheduling of 1.37, and neither kube-scheduler without it nor the published scheduler."""
    asked, ours = one_of("web", 0), group("web")
    there = replace(snapshot(asked), pod_groups=(ours,))
    for plugins, expected in (((GROUPED,), ours), ((UNGROUPED,), None), ((), None)):
        assert group_in_one_cycle(asked, there, replace(CORRECTED, plugins=plugins)) == expected
    assert group_in_one_cycle(pod("alone"), there, replace(CORRECTED, plugins=(GROUPED,))) is None
