"""The size of an image on a node of the early scheduler"""

from schedcheck.spec.classic.priorities.image_locality import size_on
from schedcheck.spec.objects import NodeImage
from tests.support.building import node


def test_an_image_that_is_not_there_has_no_size() -> None:
    there = node("n1", images=(NodeImage(("web:1", "web@sha256:1"), 700), NodeImage(("web:1",), 900)))
    assert [size_on(there, name) for name in ("web:1", "web@sha256:1", "web:2")] == [700, 700, 0]
