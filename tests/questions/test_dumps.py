"""The dumps on disk are those that the script writes, and no node of theirs is overcommitted."""

import pytest

from tests.questions import judged
from tests.questions.write import DUMPS, texts


def test_dumps_are_as_written() -> None:
    assert {path: path.read_text() for path in texts()} == texts()


@pytest.mark.parametrize("dump", DUMPS)
def test_no_node_is_overcommitted_and_no_bound_pod_misplaced(dump: str) -> None:
    nodes = judged.of_kind(dump, "Node")
    assert 6 <= len(nodes) <= 12 and 40 <= len(judged.of_kind(dump, "Pod")) <= 120
    for node in nodes:
        assert min(judged.free(dump, node).values()) >= 0, node["metadata"]["name"]
        for pod in judged.there(dump, judged.name(node)):
            assert "kubernetes.io/config.mirror" in pod["metadata"].get("annotations", {}) or all(
                judged.tolerates(pod, taint) or taint["key"].endswith("unschedulable")
                for taint in node["spec"].get("taints", ())
            ), judged.full(pod)
