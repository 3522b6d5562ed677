"""The search for feasible nodes: its extent, its start, the node that is chosen, and the effect of extenders"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from schedcheck.model.production.cycle.algorithm import Failure, Search, Suggestion, nodes_to_find, scheduled
from schedcheck.model.production.cycle.diagnosis import CycleError, NoNodesError
from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.extender import ExtenderError, ExtenderFiltered
from schedcheck.model.production.framework.framework import built
from schedcheck.model.production.plugins.default_registry import default_registry
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Node, NodeImage, Pod
from tests.model.production.cluster import Cluster, cluster
from tests.model.production.framework.made_up import profile
from tests.support.building import container, node, pod, snapshot


@dataclass
class Outside:
    """An extender with predefined answers."""

    kept: Any = None
    scores: Any = field(default_factory=dict)
    failed: Mapping[str, str] = field(default_factory=dict)
    hopeless: Mapping[str, str] = field(default_factory=dict)
    name: str = "extender"
    weight: int = 1
    ignorable: bool = False
    filters: bool = True
    prioritizes: bool = True
    preempts: bool = False
    binds: bool = False
    about: str = ""
    bare: bool = False
    asked: list[list[str]] = field(default_factory=list)

    def interested(self, pod: Pod) -> bool:
        return not self.about or pod.name == self.about

    def filter(self, pod: Pod, nodes: Sequence[Node]) -> ExtenderFiltered:
        names = [each.name for each in nodes]
        self.asked.append(names)
        if isinstance(self.kept, Exception):
            raise self.kept
        kept = names if self.kept is None else [name for name in names if name in self.kept]
        return ExtenderFiltered(tuple(kept), self.failed, self.hopeless, self.bare)

    def prioritize(self, pod: Pod, nodes: Sequence[Node]) -> Mapping[str, int]:
        if isinstance(self.scores, Exception):
            raise self.scores
        return self.scores  # type: ignore[no-any-return]

    def preempt(self, pod: Pod, victims: Any) -> Any:
        raise NotImplementedError

    def bind(self, pod: Pod, node: str) -> None:
        raise NotImplementedError


def found(there: Cluster, asked: Pod, search: Search = Search(), *extenders: Any) -> Suggestion | Failure:  # noqa: B008
    framework, state, info = there.cycle(asked)
    return scheduled(framework, state, info, there.handle.snapshot, search, extenders)


def hosts(there: Cluster, asked: Pod, *extenders: Any) -> tuple[str, ...]:
    said = found(there, asked, Search(), *extenders)
    return said.hosts if isinstance(said, Suggestion) else ()


@pytest.mark.parametrize(
    ("nodes", "percentage", "enough"),
    [
        (99, 0, 99), (99, 10, 99), (100, 0, 100), (200, 0, 100), (300, 0, 144), (1000, 0, 420), (5000, 0, 500),
        (6000, 0, 300), (6000, 50, 3000), (200, 10, 100), (10000, 100, 10000), (5625, 0, 281), (5500, 0, 330),
    ],
)  # fmt: skip
def test_percentage_of_nodes_to_score_determines_how_many_are_enough(nodes: int, percentage: int, enough: int) -> None:
    assert nodes_to_find(nodes, percentage) == enough


def test_the_search_starts_where_the_last_one_ended() -> None:
    names = [f"n{i:03d}" for i in range(250)]
    there = cluster(snapshot(*(node(name, 0 if i % 5 == 0 else 1) for i, name in enumerate(names))))
    first = found(there, pod("p", 1), Search())
    assert isinstance(first, Suggestion)
    # The 121st feasible node is the 152nd of all: of the nodes before it, one in five is infeasible.
    assert (first.feasible, first.evaluated, first.next_start) == (120, 151, 151)
    assert set(first.hosts) == {name for i, name in enumerate(names[:151]) if i % 5}
    second = found(there, pod("p", 1), Search(start=first.next_start))
    # From there the 121st feasible node is the 51st of all, once around: 99 nodes and 51 more were examined.
    assert isinstance(second, Suggestion) and second.next_start == 51
    assert set(second.hosts) == {name for i, name in enumerate(names) if i % 5 and (i >= 151 or i < 51)}


def test_without_score_plugins_the_search_stops_at_the_first_feasible_node() -> None:
    there = cluster(snapshot(*(node(f"n{i}", 1) for i in range(5))), profile({"filter": ["NodeUnschedulable"]}))
    assert hosts(there, pod("p")) == ("n0",)
    said = found(there, pod("p"), Search(start=3))
    assert isinstance(said, Suggestion) and said.hosts == ("n3",) and said.next_start == 4


def test_the_only_feasible_node_is_chosen_without_scores() -> None:
    said = found(cluster(snapshot(node("n1", 4), node("n2"))), pod("p", 1))
    assert isinstance(said, Suggestion)
    assert (said.hosts, said.mode, said.evaluated, said.feasible) == (("n1",), "single", 2, 1)


def test_all_nodes_of_the_highest_score_may_be_chosen() -> None:
    there = cluster(snapshot(node("n1", 4), node("n2", 8), node("n3", 8)))
    assert hosts(there, pod("p", 1)) == ("n2", "n3")


def test_a_feasible_nominated_node_is_chosen_without_scores() -> None:
    there = cluster(snapshot(node("n1", 4), node("n2", 8)))
    said = found(there, pod("p", 1, nominated_node_name="n1"))
    assert isinstance(said, Suggestion) and (said.hosts, said.mode) == (("n1",), "nominated")
    assert hosts(there, pod("p", 6, nominated_node_name="n1")) == ("n2",)
    assert hosts(there, pod("p", 1, nominated_node_name="unknown")) == ("n2",)


def test_a_nominated_pod_keeps_its_room_from_equal_and_lower_priority() -> None:
    waiting = pod("q", 3, nominated_node_name="n1", priority=5)
    there = cluster(snapshot(node("n1", 4), waiting))
    assert hosts(there, pod("p", 2, priority=4)) == hosts(there, pod("p", 2, priority=5)) == ()
    assert hosts(there, pod("p", 2, priority=6)) == ("n1",)
    assert hosts(there, pod("p", 1, priority=4)) == ("n1",)


def test_without_nodes_a_specific_error_is_raised() -> None:
    with pytest.raises(NoNodesError, match=r"^no nodes available to schedule pods$"):
        found(cluster(snapshot()), pod("p"))


def test_extenders_are_called_in_turn_with_the_remaining_nodes() -> None:
    there = cluster(snapshot(*(node(f"n{i}", 4) for i in range(4)), pod("q", 4, "n0")))
    first, second = Outside(kept={"n1", "n2", "n0"}), Outside(kept={"n2", "n3"})
    idle = Outside(kept={"n2"}, filters=False)
    other = Outside(kept=set(), about="other")
    assert hosts(there, pod("p", 1), first, idle, second, other) == ("n2",)
    assert first.asked == [["n1", "n2", "n3"]] and second.asked == [["n1", "n2"]]
    assert idle.asked == other.asked == []


def test_an_extender_receives_only_as_many_nodes_as_are_enough() -> None:
    there = cluster(snapshot(*(node(f"n{i:03d}", 1) for i in range(250))))
    outside = Outside()
    assert len(hosts(there, pod("p", 1), outside)) == 120
    assert outside.asked == [[f"n{i:03d}" for i in range(120)]]


def test_rejections_by_an_extender_are_reported_and_unresolvable_ones_win() -> None:
    there = cluster(snapshot(node("n1", 4), node("n2", 4)))
    outside = Outside(kept=set(), failed={"n1": "soft", "n2": "soft"}, hopeless={"n2": "hard"})
    said = found(there, pod("p"), Search(), outside)
    assert isinstance(said, Failure)
    assert said.error.message == "0/2 nodes are available: 1 hard, 1 soft."
    statuses = said.error.diagnosis.statuses
    codes = [statuses.get(there.handle.snapshot.table.row_of[name]).code.value for name in ("n1", "n2")]
    assert codes == ["Unschedulable", "UnschedulableAndUnresolvable"]
    assert said.error.diagnosis.refused_by == {"Extender"}


def test_a_failing_extender_filter_fails_the_pod_unless_ignorable() -> None:
    there = cluster(snapshot(node("n1", 4), node("n2", 4)))
    with pytest.raises(CycleError, match=r"^too late$"):
        found(there, pod("p"), Search(), Outside(kept=ExtenderError("too late")))
    assert hosts(there, pod("p"), Outside(kept=ExtenderError("too late"), ignorable=True)) == ("n1", "n2")


def test_extender_scores_are_weighted_and_added_and_errors_count_as_0() -> None:
    there = cluster(snapshot(node("n1", 4), node("n2", 8)))
    assert hosts(there, pod("p", 1)) == ("n2",)
    assert hosts(there, pod("p", 1), Outside(scores={"n1": 10}, weight=2)) == ("n1",)
    assert hosts(there, pod("p", 1), Outside(scores={"n1": 10}, prioritizes=False)) == ("n2",)
    assert hosts(there, pod("p", 1), Outside(scores=ExtenderError("too late"))) == ("n2",)


def test_a_point_of_an_extender_counts_as_ten_points_of_a_plugin() -> None:
    # LeastAllocated gives 75 and 87; everything else is equal.
    there = cluster(snapshot(node("n1", 4), node("n2", 8)))
    assert hosts(there, pod("p", 1), Outside(scores={"n1": 1})) == ("n2",)
    assert hosts(there, pod("p", 1), Outside(scores={"n1": 2})) == ("n1",)
    assert hosts(there, pod("p", 1), Outside(scores={"n1": 1}), Outside(scores={"n1": 1})) == ("n1",)
    # It gives 75 and 85.
    tied = cluster(snapshot(node("n1", 4), node("n2", allocatable={"cpu": 6667})))
    assert hosts(tied, pod("p", 1)) == ("n2",)
    assert hosts(tied, pod("p", 1), Outside(scores={"n1": 1})) == ("n1", "n2")


def test_a_resource_that_the_node_does_not_offer_is_0() -> None:
    there = cluster(snapshot(node("n", 1)))
    assert hosts(there, pod("p", containers=(container(memory=1),))) == ()
    assert hosts(there, pod("p", containers=(container(**{"example.com/gpu": 1}),))) == ()
    assert hosts(there, pod("p", containers=(container(0.001),))) == ("n",)


def test_the_percentage_of_the_profile_overrides_the_global_one() -> None:
    there = cluster(snapshot(*(node(f"n{i:03d}", 1) for i in range(300))))
    half = replace(DEFAULT_PLUGINS, percentage_of_nodes_to_score=50)
    own = built(default_registry(), half, there.handle)
    said = scheduled(own, CycleState(), PodInfo(pod("p")), there.handle.snapshot, Search(percentage=100))
    assert isinstance(said, Suggestion) and said.feasible == 150


def test_after_an_extender_that_returns_nodes_scores_see_empty_nodes() -> None:
    """As in kube-scheduler 1.34, kubernetes#141781: neither pods nor images count, but nodes rejected by filters stay
    rejected.
    """
    image = NodeImage(("registry/big:1",), 800 * 2**20)
    there = cluster(
        snapshot(node("n1", 4, images=(image,)), node("n2", 4), node("n3", 4), pod("a", 3, "n3"), pod("b", 4, "n2"))
    )
    asked = pod("p", 1, containers=(replace(container(1), image="registry/big:1"),))
    assert hosts(there, asked) == ("n1",)
    assert hosts(there, asked, Outside()) == ("n1",)
    assert hosts(there, asked, Outside(bare=True)) == ("n1", "n3")
    assert hosts(there, asked, Outside(bare=True), Outside()) == ("n1", "n3"), (
        "a later extender does not restore the pods and images"
    )
