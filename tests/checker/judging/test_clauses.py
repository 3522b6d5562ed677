"""Each clause refuses a decision that breaks it, and nothing else of the same cluster."""

from dataclasses import replace
from typing import Any

import pytest

from schedcheck.checker.judging.judge import judge
from schedcheck.checker.judging.judged import CLAUSES, Judged
from schedcheck.checker.judging.reply import Reply, ToldRefusal
from schedcheck.checker.limits.effort import Spent
from schedcheck.spec.classic.policy import DEFAULT
from schedcheck.spec.device_objects import PodClaim
from schedcheck.spec.kubernetes.departures import ALL_DEPARTURES
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.profiles import CORRECTED, Profile, classic, kubernetes
from schedcheck.spec.properties.kinds import Always, Step
from schedcheck.spec.terms import Affinity, NodeSelectorTerm, PreferredNodeTerm, Requirement
from tests.support.building import GPU, node, pod

PROFILE = kubernetes("kubernetes", (DEFAULT_PLUGINS.departing(ALL_DEPARTURES),))
PROFILES = {"kubernetes": PROFILE, "classic": classic(DEFAULT), "corrected": CORRECTED}

WAITING = pod("p", 2, priority=10)
LITTLE = pod("little", 2, on="n1", priority=1)
LESS = pod("less", 2, on="n1", priority=0)
EQUAL = pod("equal", 2, on="n2", priority=10)
FREE = Snapshot.of([WAITING], [node("n1", 4), node("n2", 8), node("n3", 1)])
FULL = Snapshot.of([WAITING, LITTLE, LESS, EQUAL], [node("n1", 4), node("n2", 2), node("n3", 1)])
"""The pod fits nowhere; on n1 it is enough to evict `less`, the least important."""


def victims(*pods: Pod) -> frozenset[tuple[str, str]]:
    return frozenset(each.key for each in pods)


def judged(
    snapshot: Snapshot, reply: Reply, strictness: Any = "best", profile: Profile = PROFILE, **more: Any
) -> Judged:
    waiting = next(each for each in snapshot.pods if each.name == "p")
    return judge(waiting, snapshot, profile, reply, strictness, **more)


def bind(name: str, **told: Any) -> Reply:
    return Reply("bind", name, **told)


def nominate(name: str, *pods: Pod) -> Reply:
    return Reply("nominate", name, victims(*pods))


def of_waiting(snapshot: Snapshot, **changed: Any) -> Snapshot:
    return replace(
        snapshot, pods=tuple(replace(each, **changed) if each.name == "p" else each for each in snapshot.pods)
    )


def with_node(snapshot: Snapshot, name: str, **changed: Any) -> Snapshot:
    return replace(
        snapshot, nodes=tuple(replace(each, **changed) if each.name == name else each for each in snapshot.nodes)
    )


NOMINATED = of_waiting(FREE, nominated_node_name="n1")
NEVER = of_waiting(FULL, preemption_policy="Never")
BOUND = of_waiting(FULL, node_name="n3")
GATED = of_waiting(FREE, scheduling_gates=("held",))

REFUSED = [
    ("exists", "best", FREE, bind("n9")),
    ("exists", "best", FREE, bind("n15")),  # between n1 and n2
    ("exists", "feasible", FULL, nominate("n1", pod("nobody"))),
    ("turn", "feasible", BOUND, bind("n1")),
    ("turn", "best", GATED, bind("n1")),
    ("filters", "feasible", FREE, bind("n3")),
    ("filters", "best", with_node(FREE, "n2", taints=(GPU,)), bind("n2")),
    ("nominatedNode", "best", NOMINATED, bind("n2")),
    ("bestScore", "best", FREE, bind("n1")),
    ("feasibleNode", "feasible", FREE, Reply("unschedulable")),
    ("feasibleNode", "best", FREE, Reply("error")),
    ("feasibleNode", "feasible", with_node(FULL, "n3", allocatable=node("x", 2).allocatable), nominate("n1", LESS)),
    ("oneNode", "feasible", FULL, nominate("n1", LESS, EQUAL)),
    ("oneNode", "feasible", FULL, Reply("evict", victims=frozenset())),
    ("lowerPriority", "feasible", FULL, nominate("n2", EQUAL)),
    ("victimsHelp", "feasible", FULL, nominate("n1")),
    ("victimsHelp", "feasible", FULL, Reply("nominate", "n3")),
    ("ineligible", "feasible", NEVER, nominate("n1", LESS)),
    ("reprieve", "best", FULL, nominate("n1", LITTLE)),
    ("reprieve", "best", FULL, nominate("n1", LITTLE, LESS)),
    ("preempts", "feasible", FULL, Reply("unschedulable")),
    ("scores", "exact", FREE, bind("n2", scores={"n1": 1})),
    ("scores", "exact", FREE, bind("n2", scores={"n3": 0})),
    ("refusals", "exact", FREE, bind("n2", refusals={"n1": (ToldRefusal(("Insufficient cpu",)),)})),
    ("refusals", "exact", FREE, bind("n2", refusals={"n3": (ToldRefusal(("Insufficient memory",)),)})),
    ("refusals", "exact", FREE, bind("n2", refusals={"n3": (ToldRefusal(("Insufficient cpu",), "NodePorts"),)})),
    ("event", "exact", NEVER, Reply("unschedulable", message="no")),
    ("outcome", "exact", NEVER, Reply("error")),
    ("unnominated", "best", of_waiting(NEVER, nominated_node_name="n1"), Reply("unschedulable", unnominated=True)),
]  # fmt: skip


@pytest.mark.parametrize(("clause", "strictness", "snapshot", "reply"), REFUSED, ids=range(len(REFUSED)))
def test_a_decision_that_breaks_a_clause_is_refused_by_it(
    clause: str, strictness: str, snapshot: Snapshot, reply: Reply
) -> None:
    found = judged(snapshot, reply, strictness)
    assert (found.verdict, found.clause) == ("refused", clause)
    assert found.reasons


ALLOWED = [
    ("best", FREE, bind("n2")),
    ("feasible", FREE, bind("n1")),
    ("feasible", NOMINATED, bind("n2")),
    ("best", NOMINATED, bind("n1")),
    ("best", FULL, nominate("n1", LESS)),
    ("best", FULL, Reply("nominate", "n1")),
    ("best", FULL, Reply("evict", victims=victims(LESS))),
    ("feasible", FULL, nominate("n1", LITTLE)),
    ("feasible", FULL, nominate("n1", LITTLE, LESS)),
    ("best", NEVER, Reply("unschedulable")),
    ("best", NEVER, Reply("error")),
    ("best", of_waiting(NEVER, nominated_node_name="n1"), Reply("unschedulable", unnominated=False)),
    ("best", FREE, bind("n2", scores={"n1": 1})),
    ("exact", FREE, bind("n2", refusals={"n3": (ToldRefusal(("Insufficient cpu",)),), "n1": ()})),
    ("best", GATED, Reply("unschedulable")),
]  # fmt: skip


@pytest.mark.parametrize(("strictness", "snapshot", "reply"), ALLOWED, ids=range(len(ALLOWED)))
def test_a_decision_that_breaks_no_clause_is_allowed(strictness: str, snapshot: Snapshot, reply: Reply) -> None:
    found = judged(snapshot, reply, strictness)
    assert (found.verdict, found.clause) == ("allowed", "")


def test_the_node_of_least_casualty_is_chosen() -> None:
    costly = pod("costly", 2, on="n2", priority=5)
    there = Snapshot.of([WAITING, LESS, costly], [node("n1", 2), node("n2", 2)])
    found = judged(there, nominate("n2", costly))
    assert (found.clause, found.reasons) == ("leastCasualty", ("the least casualty is that of less on n1",))
    assert judged(there, nominate("n2", costly), "feasible").verdict == "allowed"


def test_a_cycle_in_which_a_plugin_fails_ends_in_an_error() -> None:
    wrong = Affinity(node_preferred=(PreferredNodeTerm(1, NodeSelectorTerm((Requirement("k", "Gt", ("x",)),))),))
    there = of_waiting(FREE, affinity=wrong)
    assert judged(there, bind("n2")).clause == "cycleError"
    assert judged(there, bind("n2"), "feasible").verdict == "allowed"
    assert judged(there, Reply("error"), "exact").verdict == "allowed"
    assert judged(there, Reply("unschedulable"), "exact").clause == "outcome"


def test_a_rule_of_the_user_is_broken_by_what_follows_from_the_decision() -> None:
    def spared(before: Snapshot, action: object, after: Snapshot) -> bool:
        return {each.name for each in before.pods} <= {each.name for each in after.pods}

    never = Step("spared", "nobody is evicted", (), spared, of_states=True)
    off = Always("off_n2", "n2 is empty", lambda snapshot: not snapshot.pods_by_node.get("n2"))
    assert judged(FULL, nominate("n1", LESS), rules=(never,)).clause == "rule"
    assert judged(FREE, bind("n2"), rules=(never,)).verdict == "allowed"
    found = judged(FREE, bind("n2"), rules=(never, off))
    assert (found.clause, found.reasons) == ("rule", ("off_n2: n2 is empty",))
    # It was false before, so that this decision does not break it.
    assert judged(FULL, nominate("n1", LESS), rules=(off,)).verdict == "allowed"


def test_every_clause_is_tested_here() -> None:
    others = {"leastCasualty", "cycleError", "rule"}
    assert {clause for clause, *_ in REFUSED} | others == CLAUSES.keys()


def test_the_numbers_are_the_score_and_the_casualty() -> None:
    found = judged(FREE, bind("n1")).numbers
    assert found.score is not None and found.best_score is not None and found.score < found.best_score
    assert judged(FREE, bind("n3")).numbers.score is None
    several = judged(FULL, nominate("n1", LITTLE, LESS), "feasible", spent=Spent()).numbers
    assert several.casualty is not None and several.least is not None and several.casualty > several.least
    assert several.least == several.specified == judged(FULL, nominate("n1", LESS)).numbers.casualty
    assert several.proved


def test_a_pod_with_resource_claims_is_unknown() -> None:
    there = of_waiting(FREE, resource_claims=(PodClaim("gpu"),))
    found = judged(there, bind("n2"))
    assert (found.verdict, found.reasons) == ("unknown", ("resource claims are not modelled",))


def test_what_is_not_told_is_left_open() -> None:
    found = judged(FREE, bind("n2", scores={"n1": judged(FREE, bind("n1")).numbers.score}), "exact")
    assert found.verdict == "allowed"
    assert found.judged["scores"] == (1, 2)
    assert found.judged["refusals"] == (0, 3)
    assert found.open == ("scores", "refusals")
    assert judged(FULL, Reply("nominate", "n1")).judged["victims"] == (0, 1)


@pytest.mark.parametrize("name", PROFILES)
def test_every_scheduler_judges(name: str) -> None:
    profile = PROFILES[name]
    evict = "evict" if name == "corrected" else "nominate"
    assert judged(FREE, bind("n3"), "feasible", profile).clause == "filters"
    assert judged(FREE, Reply("unschedulable"), "best", profile).clause == "feasibleNode"
    assert judged(FULL, Reply(evict, "n1", victims(LESS)), "best", profile).verdict == "allowed"  # type: ignore[arg-type]
    assert judged(FULL, Reply(evict, "n2", victims(EQUAL)), "best", profile).clause == "lowerPriority"  # type: ignore[arg-type]
    assert judged(FULL, Reply("unschedulable"), "best", profile).clause == "preempts"
    best = [each.node.name for each in judged(FREE, bind("n3"), "best", profile).allowed]  # type: ignore[union-attr]
    assert best and judged(FREE, bind(best[0]), "best", profile).verdict == "allowed"
