"""Filter 1.3: every label of the node selector, with its value"""

import pytest

from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.node_selector import node_selector, why_not_selected
from tests.support.building import node, pod, snapshot


@pytest.mark.parametrize(
    ("wanted", "lacks"),
    [
        ({}, None),
        ({"a": "1"}, None),
        ({"a": "1", "b": ""}, None),
        ({"a": "2"}, "lacks the label a=2"),
        ({"c": ""}, "lacks the label c="),
        ({"d": "1", "a": "1", "c": "3"}, "lacks the label c=3, d=1"),
    ],
)
def test_a_node_needs_every_label_with_its_value(wanted: dict[str, str], lacks: str | None) -> None:
    one, at = pod(node_selector=wanted), node(labels={"a": "1", "b": ""})
    assert node_selector(one, at, snapshot(at), NO_FAULTS) == (lacks is None)
    assert why_not_selected(one, at, snapshot(at), NO_FAULTS) == lacks
