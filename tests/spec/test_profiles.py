"""The profile that applies to a pod"""

from dataclasses import replace

import pytest

from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.profiles import by_scheduler_name
from tests.support.building import pod

PROFILES = tuple(replace(DEFAULT_PLUGINS, scheduler_name=name) for name in ("first", "middle", "third"))


@pytest.mark.parametrize(
    ("asked", "given"), [("first", 0), ("middle", 1), ("third", 2), ("aaa", 0), ("zzz", 0), ("", 0)]
)
def test_a_pod_gets_the_profile_of_its_scheduler_name_or_the_first(asked: str, given: int) -> None:
    assert by_scheduler_name(pod(scheduler_name=asked), PROFILES) is PROFILES[given]
