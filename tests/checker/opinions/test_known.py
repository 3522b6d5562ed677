"""The filters about which the server says something certain"""

import pytest

from schedcheck.checker.opinions.known import KNOWN_FILTERS
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.kubernetes.versions import VERSIONS


@pytest.mark.parametrize("version", VERSIONS)
def test_every_filter_of_a_version_is_known(version: str) -> None:
    plugins = DEFAULT_PLUGINS.departing(VERSIONS[version].departures)
    assert {*plugins.at("filter")} <= KNOWN_FILTERS
