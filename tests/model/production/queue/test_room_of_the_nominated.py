"""Room and ports that were kept for a nominated pod are free when its nomination ends, and who waits for them is told."""

import pytest

from schedcheck.model.production.plugins.node_ports import frees_a_port
from schedcheck.model.production.plugins.node_resources_fit import was_somewhere
from tests.checker.differential.scenarios import holding


@pytest.mark.parametrize(
    ("fields", "somewhere"), [({}, False), ({"on": "n1"}, True), ({"nominated_node_name": "n1"}, True)]
)
def test_who_was_nominated_leaves_room_as_who_was_bound(fields: dict[str, str], somewhere: bool) -> None:
    gone = holding("gone", 80, **fields)
    assert was_somewhere(holding("p", 80), gone, None) is somewhere
    assert frees_a_port(holding("p", 80), gone, None) is somewhere
    assert not frees_a_port(holding("p", 81), gone, None)
