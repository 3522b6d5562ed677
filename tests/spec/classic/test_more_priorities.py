"""The default priorities of Kubernetes 1.6 that source 000 does not list, and MostRequestedPriority"""

from schedcheck.spec.classic.policy import Classic, Weighted
from schedcheck.spec.classic.priorities.inter_pod_affinity import inter_pod_affinity
from schedcheck.spec.classic.priorities.most_requested import most_requested
from schedcheck.spec.classic.priorities.taint_toleration import taint_toleration
from schedcheck.spec.classic.ranking import NAMES, best, scores_of
from schedcheck.spec.objects import Pod, Snapshot, Taint, Toleration
from schedcheck.spec.terms import Affinity, PreferredPodTerm
from tests.support.building import apart, near, node, pod, preferring, selector, snapshot, term

SOFT = [Taint(key, "PreferNoSchedule") for key in "abc"]
WEB = term("zone", selector(app="web"))


def tainted(*taints: Taint) -> dict[str, int]:
    """The scores of four nodes: one has these taints, the others have no, one and three PreferNoSchedule taints."""
    nodes = [
        node("n", taints=taints),
        node("none"),
        node("one", taints=tuple(SOFT[:1])),
        node("all", taints=tuple(SOFT)),
    ]
    return dict(taint_toleration(pod(), nodes, snapshot(*nodes)))


def test_fewer_untolerated_soft_taints_give_a_higher_score() -> None:
    """Of three taints, two lack 2/3, which is 3 1/3; one lacks 1/3, which is 6 2/3."""
    assert tainted(*SOFT[:2]) == {"n": 3, "none": 10, "one": 6, "all": 0}


def test_only_prefer_no_schedule_taints_lower_the_score() -> None:
    assert tainted(Taint("a", "NoSchedule"), Taint("b", "NoExecute"))["n"] == 10


def test_all_nodes_score_10_when_no_soft_taint_is_untolerated() -> None:
    nodes = [node("a"), node("b", taints=(SOFT[0],))]
    tolerant = pod(tolerations=(Toleration("a", "Exists"),))
    assert taint_toleration(tolerant, nodes, snapshot(*nodes)) == {"a": 10, "b": 10}
    assert taint_toleration(pod(), nodes[:1], snapshot(*nodes)) == {"a": 10}


def test_most_requested_prefers_fuller_nodes() -> None:
    """Of 4 cpu 3 are requested: 7; of memory none of 200 MiB is free: 0; the mean is 3. 2 cpu are too few: 0."""
    nodes = [node("n", 4), node("m", 2)]
    there = snapshot(*nodes, pod("q", 2, on="n"))
    assert most_requested(pod("p", 1), nodes, there, by_allocatable=True) == {"n": 3, "m": 2}
    assert most_requested(pod("p", 3), nodes, there, by_allocatable=True) == {"n": 0, "m": 0}


ZONES = [node(name, labels={"zone": name[0]}) for name in ("a1", "a2", "b1")] + [node("o")]


def company(asked: Pod, *there: Pod, hard_weight: int = 1) -> dict[str, int]:
    known: Snapshot = snapshot(asked, *ZONES, *there)
    return dict(inter_pod_affinity(asked, ZONES, known, hard_weight))


def preferring_both(near_by: int, away: int) -> Affinity:
    """Preferred affinity to web and preferred anti-affinity to db, with these weights."""
    return Affinity(
        pod_preferred=(PreferredPodTerm(near_by, WEB),),
        anti_preferred=(PreferredPodTerm(away, term("zone", selector(app="db"))),),
    )


def test_preferred_affinity_counts_in_the_whole_topology_domain() -> None:
    wanting = pod("p", affinity=preferring(5, WEB))
    assert company(wanting, pod("q", on="a1", labels={"app": "web"})) == {"a1": 10, "a2": 10, "b1": 0, "o": 0}


def test_affinity_scores_range_from_the_least_sum_to_the_greatest() -> None:
    """Zone a has 6, b has -4, and the node without a zone 0, which is 4/10 of the way."""
    wanting = pod("p", affinity=preferring_both(6, 4))
    there = pod("q", on="a1", labels={"app": "web"}), pod("r", on="b1", labels={"app": "db"})
    assert company(wanting, *there) == {"a1": 10, "a2": 10, "b1": 0, "o": 4}


def test_affinity_sums_above_0_that_are_equal_everywhere_all_score_10() -> None:
    """The least sum is taken to be 0 at most."""
    wanting = pod("p", affinity=preferring(5, WEB))
    nodes = ZONES[:2]
    known = snapshot(wanting, *ZONES, pod("q", on="a1", labels={"app": "web"}))
    assert inter_pod_affinity(wanting, nodes, known, 1) == {"a1": 10, "a2": 10}
    assert company(pod("p")) == {"a1": 0, "a2": 0, "b1": 0, "o": 0}


def test_preferred_affinity_of_existing_pods_counts_too() -> None:
    asked = pod("p", labels={"app": "web"})
    friend, foe = (
        pod("q", on="a1", affinity=preferring(5, WEB)),
        pod("r", on="b1", affinity=preferring(5, WEB, anti=True)),
    )
    assert company(asked, friend) == {"a1": 10, "a2": 10, "b1": 0, "o": 0}
    assert company(asked, friend, foe) == {"a1": 10, "a2": 10, "b1": 0, "o": 5}


def test_required_affinity_of_existing_pods_counts_with_the_policy_weight() -> None:
    asked = pod("p", labels={"app": "web"}, affinity=preferring(2, term("zone", selector(app="db"))))
    there = pod("q", on="a1", affinity=near(WEB)), pod("r", on="b1", labels={"app": "db"})
    assert company(asked, *there, hard_weight=4) == {"a1": 10, "a2": 10, "b1": 5, "o": 0}
    assert company(asked, *there, hard_weight=1) == {"a1": 5, "a2": 5, "b1": 10, "o": 0}


def test_own_required_affinity_and_required_anti_affinity_do_not_score() -> None:
    others = pod("q", on="a1", labels={"app": "web"}, affinity=apart(WEB))
    assert company(pod("p", labels={"app": "web"}, affinity=near(WEB)), others) == {"a1": 0, "a2": 0, "b1": 0, "o": 0}


def test_preferred_terms_ignore_other_namespaces_and_ended_pods() -> None:
    wanting = pod("p", affinity=preferring(5, WEB))
    elsewhere = pod("q", on="a1", namespace="other", labels={"app": "web"})
    ended = pod("q", on="a1", phase="Succeeded", labels={"app": "web"})
    for there in (elsewhere, ended):
        assert set(company(wanting, there).values()) == {0}


def test_each_of_these_priorities_has_a_name_and_a_weight() -> None:
    named = {
        "InterPodAffinityPriority",
        "TaintTolerationPriority",
        "MostRequestedPriority",
        "NodePreferAvoidPodsPriority",
    }
    assert named <= NAMES
    wanting = pod("p", affinity=preferring(5, WEB))
    there = snapshot(wanting, *ZONES, pod("q", on="a1", labels={"app": "web"}))
    company_counts = Classic(priorities=(Weighted("InterPodAffinityPriority", 3),), by_allocatable=True)
    assert [each.name for each in best(wanting, there, company_counts)] == ["a1", "a2"]
    (said,) = company_counts.priorities
    assert scores_of(said, wanting, tuple(ZONES), there, company_counts)["a1"] == 10


def test_all_nodes_score_10_when_no_node_avoids_pods() -> None:
    avoiding = Weighted("NodePreferAvoidPodsPriority", 10_000)
    there = snapshot(*ZONES)
    assert set(scores_of(avoiding, pod(), tuple(ZONES), there, Classic()).values()) == {10}
