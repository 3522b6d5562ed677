"""Every drawn configuration is read, and the points and arguments that matter are drawn"""

from collections import Counter

import pytest
from hypothesis import find, settings

from schedcheck.testing import configurations
from schedcheck.testing.drawn_configurations import ARGUMENTS, POINTS, profiles_of
from tests.schedcheck.testing.test_strategies import drawn


def test_every_drawn_configuration_is_read_with_its_profiles() -> None:
    found = drawn(configurations(), 1)
    for each in found:
        assert [one.scheduler_name for one in profiles_of(each)] == [one["schedulerName"] for one in each["profiles"]]
    profiles = [profile for each in found for profile in each["profiles"]]
    points = Counter(point for profile in profiles for point in profile["plugins"])
    arguments = Counter(each["name"] for profile in profiles for each in profile["pluginConfig"])
    assert points.keys() == {*POINTS, "multiPoint"}
    assert arguments.keys() == ARGUMENTS.keys()
    assert min((points | arguments).values()) >= len(found) / 20


@pytest.mark.slow
def test_a_drawn_configuration_shrinks_to_one_profile() -> None:
    smallest = find(configurations(), lambda _: True, settings=settings(database=None))
    assert len(smallest["profiles"]) == 1
