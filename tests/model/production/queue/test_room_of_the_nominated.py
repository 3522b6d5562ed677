"""Room and ports of a nominated pod: when the nomination ends, pods that wait for them are moved"""

import pytest

from schedcheck.model.production.plugins.node_ports import frees_a_port
from schedcheck.model.production.plugins.node_resources_fit import was_somewhere
from tests.checker.differential.scenarios import holding


@pytest.mark.parametrize(
    ("fields", "somewhere"), [({}, False), ({"on": "n1"}, True), ({"nominated_node_name": "n1"}, True)]
)
def test_the_end_of_a_nomination_frees_room_like_the_end_of_a_bound_pod(
    fields: dict[str, str], somewhere: bool
) -> None:
    gone = holding("gone", 80, **fields)
    assert was_somewhere(holding("p", 80), gone, None) is somewhere
    assert frees_a_port(holding("p", 80), gone, None) is somewhere
    assert not frees_a_port(holding("p", 81), gone, None)
