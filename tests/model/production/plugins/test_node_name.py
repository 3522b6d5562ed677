"""The NodeName filter: a pod that names a node fits only there, and one that names none fits anywhere"""

import pytest

from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.status import Code
from schedcheck.model.production.framework.verdicts import CODES
from schedcheck.model.production.snapshot.pod_info import PodInfo
from tests.model.production.cluster import cluster
from tests.support.building import node, pod, snapshot


@pytest.mark.parametrize(("named", "refused"), [("", set()), ("n1", {"n2", "n3"}), ("n4", {"n1", "n2", "n3"})])
def test_only_the_named_node_is_left(named: str, refused: set[str]) -> None:
    there = cluster(snapshot(node("n1"), node("n2"), node("n3")))
    nodes = there.handle.snapshot.all()
    said = there.framework.plugin("NodeName").filter(CycleState(), PodInfo(pod("p", on=named)), nodes)
    codes = {name: CODES[code] for name, code in zip(nodes.names(), said.codes, strict=True)}
    assert codes == {name: Code.UNRESOLVABLE if name in refused else Code.SUCCESS for name in ("n1", "n2", "n3")}
    assert said.texts(0) == ("node(s) didn't match the requested node name",)
