"""A decision is allowed if some knowledge within the bounds explains it, and refused if none does"""

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from schedcheck.checker.replaying.knowledge import Knowledge
from schedcheck.checker.replaying.opinion import Opinions
from schedcheck.checker.replaying.records import Change, Record
from schedcheck.checker.replaying.replay import Options, Replay
from schedcheck.spec.device_objects import PodClaim
from schedcheck.spec.objects import PodDisruptionBudget, Snapshot
from schedcheck.spec.terms import LabelSelector
from tests.checker.replaying.runs import PROFILE, bind, gone, nominate, put, replayed, verdicts, waits
from tests.support.building import node, pod

N1, N2 = node("n1", 2), node("n2", 2)
TWO = Snapshot.of((), (N1, N2))
ONE = Snapshot.of((), (N1,))
A, B, C = pod("a", 1), pod("b", 2), pod("c", 2)


def test_binding_to_the_best_node_is_allowed_and_to_another_refused() -> None:
    there = Snapshot.of((pod("x", 1, on="n1"),), (N1, N2))
    assert verdicts(replayed(there, [put(1, 0, A), bind(2, 0.5, A, "n2")])) == {"allowed": 1}
    found = replayed(there, [put(1, 0, A), bind(2, 0.5, A, "n1")])
    assert verdicts(found) == {"refused": 1}
    assert found.first is not None
    assert (found.first.judged.clause, found.first.decided.line) == ("bestScore", 2)
    assert [str(each) for each in found.first.judged.allowed] == ["Bind(a, n2)"]


def test_decision_is_explained_by_a_change_that_is_not_yet_known_within_the_lag_only() -> None:
    there = Snapshot.of((pod("x", 2, on="n1"),), (N1,))
    records = [put(1, 0, A), gone(2, 5, pod("x")), waits(3, 5.9, A)]
    found = replayed(there, records)
    assert (verdicts(found), found.explained) == ({"allowed": 1}, 1)
    assert verdicts(replayed(there, records, seconds=0.5)) == {"refused": 1}


def test_without_times_the_last_changes_may_be_unknown() -> None:
    there = Snapshot.of((pod("x", 2, on="n1"), pod("y", 0, on="n2")), (N1,))
    more = put(3, None, pod("z", 0))
    records = [put(1, None, A), gone(2, None, pod("x")), more, waits(4, None, A)]
    assert verdicts(replayed(there, records, changes=2)) == {"allowed": 1}
    assert verdicts(replayed(there, records, changes=1)) == {"refused": 1}


def test_pods_are_delivered_in_their_order() -> None:
    there = Snapshot.of((pod("x", 2, on="n1"),), (N1,))
    found = replayed(there, [gone(1, 0, pod("x")), put(2, 0.1, A), waits(3, 0.2, A)])
    assert verdicts(found) == {"refused": 1}


def test_order_of_nodes_and_pods_is_open() -> None:
    there = Snapshot.of((), (node("n2", 0),))
    found = replayed(there, [put(1, 0, N1), put(2, 0.1, A), waits(3, 0.2, A)])
    assert verdicts(found) == {"allowed": 1}


def test_change_of_the_same_time_may_have_come_before_the_decision() -> None:
    there = Snapshot.of((pod("x", 2, on="n1"), A), (N1,))
    assert verdicts(replayed(there, [bind(1, 3, A, "n1"), gone(2, 3, pod("x"))])) == {"allowed": 1}
    assert verdicts(replayed(there, [bind(1, 3, A, "n1"), gone(2, 3.1, pod("x"))])) == {"refused": 1}


def test_bound_pod_is_on_its_node_before_the_api_server_says_so() -> None:
    records = [put(1, 0, B), put(2, 0, C), bind(3, 0.1, B, "n1"), bind(4, 0.2, C, "n1")]
    found = replayed(ONE, records)
    assert verdicts(found) == {"allowed": 1, "refused": 1}
    assert found.first is not None and found.first.decided.line == 4


def test_pod_that_is_decided_on_again_had_a_binding_that_failed() -> None:
    records = [put(1, 0, B), put(2, 0, C), bind(3, 0.1, B, "n1"), bind(4, 9, C, "n1"), waits(5, 9.2, B)]
    assert verdicts(replayed(ONE, records)) == {"allowed": 3}


def test_pod_that_is_deleted_before_it_is_bound_may_have_been_forgotten() -> None:
    records = [put(1, 0, B), put(2, 0, C), bind(3, 0.1, B, "n1"), bind(4, 9, C, "n1"), gone(5, 11, B)]
    assert verdicts(replayed(ONE, records)) == {"allowed": 2}
    confirmed = [*records[:4], put(5, 11, replace(B, node_name="n1"))]
    assert verdicts(replayed(ONE, confirmed)) == {"allowed": 1, "refused": 1}


def test_nomination_counts_from_the_decision_on_until_a_change_takes_it_back() -> None:
    high, low = pod("high", 2, priority=10), pod("low", 2, on="n1")
    start = [put(1, 0, high), nominate(2, 0.1, high, "n1", low), gone(3, 2, low), put(4, 2, A)]
    there = Snapshot.of((low,), (N1,))
    assert verdicts(replayed(there, [*start, waits(5, 9, A)])) == {"allowed": 2}
    assert verdicts(replayed(there, [*start, bind(5, 9, A, "n1")])) == {"allowed": 1, "refused": 1}
    taken = [put(5, 3, replace(high, nominated_node_name="n1")), put(6, 4, high)]
    assert verdicts(replayed(there, [*start, *taken, bind(7, 9, A, "n1")])) == {"allowed": 2}


def test_victim_that_was_not_evicted_is_found_where_the_pod_is_bound() -> None:
    high, low = pod("high", 2, priority=10), pod("low", 2, on="n1")
    there = Snapshot.of((low,), (N1,))
    records = [put(1, 0, high), nominate(2, 0.1, high, "n1", low), gone(3, 5, low), bind(4, 5.1, high, "n1")]
    assert verdicts(replayed(there, records)) == {"allowed": 2}
    found = replayed(there, [*records[:2], records[3]])
    assert found.first is not None
    assert (found.first.decided.line, found.first.judged.clause) == (4, "filters")
    assert found.first.wanting == ("if low were not on n1",)


def test_least_victims_are_judged_and_open_if_they_are_not_told() -> None:
    high, low, lower = pod("high", 2, priority=10), pod("low", 2, on="n1", priority=2), pod("lower", 2, on="n2")
    there = Snapshot.of((low, lower), (N1, N2))
    assert verdicts(replayed(there, [put(1, 0, high), nominate(2, 1, high, "n2", lower)])) == {"allowed": 1}
    wrong = [put(1, 0, high), nominate(2, 1, high, "n1", low)]
    assert verdicts(replayed(there, wrong)) == {"refused": 1}
    assert verdicts(replayed(there, wrong, "feasible")) == {"allowed": 1}


def test_budget_that_is_not_yet_known_explains_other_victims() -> None:
    labelled = {name: pod(name, 2, on=on, labels={"app": name}) for name, on in (("low", "n1"), ("other", "n2"))}
    budget = PodDisruptionBudget("b", selector=LabelSelector(labelled["low"].labels), max_unavailable=1)
    high = pod("high", 2, priority=10)
    there = replace(Snapshot.of(labelled.values(), (N1, N2)), budgets=(replace(budget, disruptions_allowed=1),))
    after = replace(there, pods=(), nodes=(), budgets=(budget,))

    told = Change(2, 3, "rest", ("default", "b"), after, "update")
    records = [put(1, 0, high), told, nominate(3, 3.5, high, "n1", labelled["low"])]
    assert verdicts(replayed(there, records)) == {"allowed": 1}
    assert verdicts(replayed(there, records, seconds=0.1)) == {"refused": 1}


def test_pod_that_is_not_to_be_scheduled_is_not_bound() -> None:
    bound = pod("x", 1, on="n1")
    found = replayed(Snapshot.of((bound,), (N1,)), [bind(1, 0, bound, "n1")])
    assert found.first is not None and found.first.judged.clause == "turn"


def test_pods_of_other_schedulers_are_not_judged_and_unknown_pods_are_unknown() -> None:
    other = pod("x", 1, scheduler_name="mine")
    found = replayed(Snapshot.of((other,), (N1,)), [bind(1, 0, other, "n1"), bind(2, 0, pod("nobody"), "n1")])
    assert verdicts(found) == {"not judged": 1, "unknown": 1}


def test_pod_with_resource_claims_is_unknown_unless_it_waits_anyway() -> None:
    claiming = replace(A, resource_claims=(PodClaim("gpu"),))
    assert verdicts(replayed(ONE, [put(1, 0, claiming), bind(2, 9, claiming, "n1")])) == {"unknown": 1}
    large = replace(pod("large", 9), resource_claims=(PodClaim("gpu"),))
    assert verdicts(replayed(ONE, [put(1, 0, large), waits(2, 9, large)])) == {"allowed": 1}
    many = Snapshot.of((), (node(f"n{number}", 2) for number in range(100)))
    assert verdicts(replayed(many, [put(1, 0, large), waits(2, 9, large)])) == {"unknown": 1}


def test_node_that_does_not_exist_is_refused() -> None:
    found = replayed(ONE, [put(1, 0, A), bind(2, 0, A, "n9")])
    assert found.first is not None and found.first.judged.clause == "exists"


def test_decision_with_more_knowledges_than_are_tried_is_unknown() -> None:
    changes = [put(number, 5, pod(f"x{number}", 0.1, on="n1")) for number in range(2, 9)]
    records = [put(1, 0, B), *changes, bind(9, 5.5, B, "n1")]
    assert verdicts(replayed(ONE, records)) == {"allowed": 1}
    found = replayed(ONE, records, tries=3)
    assert verdicts(found) == {"unknown": 1}


@pytest.mark.parametrize(
    ("seconds", "in_order", "expected"),
    [
        (0.5, False, {"allowed": 2}),
        (0.5, True, {"allowed": 1, "refused": 1}),
        (1.5, False, {"allowed": 1, "refused": 1}),
    ],
)
def test_a_binding_that_is_called_late_may_have_been_decided_before_one_that_is_known(
    seconds: float, in_order: bool, expected: dict[str, int]
) -> None:
    """X is best on n1, the larger node, as long as y is not there."""
    there = Snapshot.of((), (node("n1", 10), node("n2", 8)))
    x, y = pod("x", 1), pod("y", 4)
    bound = put(4, 1, replace(y, node_name="n1"))
    records = [put(1, 0, x), put(2, 0, y), bind(3, 1, y, "n1"), bound, bind(5, 1 + seconds, x, "n1")]
    made = Replay(there, Opinions(PROFILE, "best"), Options(in_order=in_order))
    assert verdicts(made.run(records)) == expected


@pytest.mark.parametrize(("tries", "expected"), [(2 + 12, "allowed"), (2 + 5, "unknown")])
def test_all_last_bindings_are_left_out_together_before_other_sets_of_them(tries: int, expected: str) -> None:
    """X is best on n1 only as long as none of twelve pods is there that can be nowhere else."""
    there = Snapshot.of((), (node("n1", 24, labels={"only": "n1"}), node("n2", 23)))
    x, others = pod("x", 1), [pod(f"y{each:02}", 1, node_selector={"only": "n1"}) for each in range(12)]
    records: list[Record] = [put(line, 0, each) for line, each in enumerate((x, *others), 1)]
    for line, each in enumerate(others, 30):
        records += [bind(line, 1, each, "n1"), put(line, 1, replace(each, node_name="n1"))]
    made = Replay(there, Opinions(PROFILE, "best"), Options(tries=tries, in_order=False))
    found = made.run([*records, bind(90, 1.5, x, "n1")])
    assert found.verdicts["allowed"] == 12 + (expected == "allowed")
    assert found.verdicts[expected] >= 1


def test_a_pod_whose_creation_is_answered_after_the_decision_is_known() -> None:
    created = replace(put(2, 1.2, A), began=0.9)
    found = replayed(ONE, [bind(1, 1.0, A, "n1"), created])
    assert verdicts(found) == {"allowed": 1}
    assert verdicts(replayed(ONE, [bind(1, 1.0, A, "n1"), replace(created, began=1.1)])) == {"unknown": 1}


def test_a_change_that_is_answered_after_the_decision_may_be_known() -> None:
    there = Snapshot.of((pod("x", 2, on="n1"), A), (N1,))
    ended = gone(2, 3.2, pod("x"))
    assert verdicts(replayed(there, [bind(1, 3, A, "n1"), replace(ended, began=2.9)])) == {"allowed": 1}
    assert verdicts(replayed(there, [bind(1, 3, A, "n1"), ended])) == {"refused": 1}


def test_a_pod_that_no_knowledge_has_ends_the_search() -> None:
    """Sets of twenty bindings that may be unknown are not all tried."""
    others = [pod(f"y{each:02}", 0) for each in range(20)]
    records: list[Record] = [put(line, 0, each) for line, each in enumerate(others, 1)]
    records += [bind(line, 1, each, "n1") for line, each in enumerate(others, 30)]
    made = Replay(ONE, Opinions(PROFILE, "best"), Options(tries=50, in_order=False))
    assert made.run([*records, bind(90, 1.5, A, "n1")]).verdicts["unknown"] == 1


def test_decisions_are_tried_in_the_order_in_which_their_calls_were_received() -> None:
    """X is best on n1 as long as neither of two pods is there that can be nowhere else; their calls were received later."""
    there = Snapshot.of((), (node("n1", 24, labels={"only": "n1"}), node("n2", 23)))
    x, others = pod("x", 1), [pod(f"y{each}", 1, node_selector={"only": "n1"}) for each in range(2)]
    records: list[Record] = [put(line, 0, each) for line, each in enumerate((x, *others), 1)]
    for line, each in enumerate(others, 30):
        records += [bind(line, 1.4, each, "n1"), put(line, 1.45, replace(each, node_name="n1"))]
    made = Replay(there, Opinions(PROFILE, "best"), Options(tries=2, in_order=False))
    found = made.run([*records, bind(90, 1.3, x, "n1")])
    assert (verdicts(found), found.explained) == ({"allowed": 3}, 1)


def test_wanting_names_a_later_change() -> None:
    there = Snapshot.of((pod("x", 2, on="n1"), A), (N1,))
    found = replayed(there, [bind(1, 3, A, "n1"), gone(2, 9, pod("x"))])
    assert found.first is not None
    assert found.first.wanting[0] == "if this had happened before: delete Pod x (line 2)"


@pytest.mark.parametrize("name", ["undo", "decide"])
def test_knowledge_that_is_not_restored_or_kept_is_detected(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Knowledge, name, lambda *_: None)
    tests = (
        test_decision_is_explained_by_a_change_that_is_not_yet_known_within_the_lag_only,
        test_bound_pod_is_on_its_node_before_the_api_server_says_so,
    )
    with pytest.raises(AssertionError):
        for test in tests:
            test()


def test_pod_that_is_bound_to_another_node_than_decided_is_a_contradiction() -> None:
    records = [put(1, 0, A), bind(2, 1, A, "n1"), put(3, 2, replace(A, node_name="n2"))]
    found = replayed(TWO, records)
    assert verdicts(found) == {"allowed": 1}
    assert found.contradictions == ["line 3: a is bound to n2; line 2 decides n1"]
    assert replayed(TWO, [*records[:2], put(3, 2, replace(A, node_name="n1"))]).contradictions == []


def drawn(chance: Random) -> Iterator[Record]:
    """Random changes and decisions, most of which are wrong."""
    time = 0.0
    for line in range(1, 60):
        time += chance.choice((0, 0.1, 0.4))
        each = pod(f"p{chance.randrange(5)}", chance.choice((1, 2)), priority=chance.choice((0, 5)))
        where = f"n{chance.randrange(1, 4)}"
        draw = chance.random()
        if draw < 0.2:
            yield put(line, time, each)
        elif draw < 0.35:
            yield put(line, time, replace(each, node_name=where))
        elif draw < 0.45:
            yield gone(line, time, each)
        elif draw < 0.55:
            yield put(line, time, replace(each, nominated_node_name=where))
        elif draw < 0.65:
            yield chance.choice((put, gone))(line, time, node(where, chance.choice((1, 2))))
        elif draw < 0.8:
            yield bind(line, time, each, where)
        elif draw < 0.9:
            yield nominate(line, time, each, where)
        else:
            yield waits(line, time, each, unnominated=chance.choice((None, True)))


@pytest.mark.sampled(1)
@pytest.mark.parametrize("in_order", [True, False])
def test_knowledge_after_exploring_is_that_without_exploring(in_order: bool) -> None:
    tried = 0
    for seed in range(25):
        records = list(drawn(Random(seed)))
        made = Replay(TWO, Opinions(PROFILE, "best"), Options(tries=40, in_order=in_order))
        made.run(records)
        plain = Knowledge(TWO, {"default-scheduler"})
        for record in records:
            if isinstance(record, Change):
                plain.deliver(record)
            else:
                plain.decide(record)
                plain.remember(record.pod)
        ours, theirs = made.known.judge.there, plain.judge.there
        assert ours.pods == theirs.pods
        assert [(each.node, each.pods) for each in ours.infos] == [(each.node, each.pods) for each in theirs.infos]
        assert dict(ours.nominated) == dict(theirs.nominated)
        tried += made.outcome.verdicts["refused"]
    assert tried > 50


def test_exploring_leaves_the_knowledge_as_it_was() -> None:
    there = Snapshot.of((pod("x", 2, on="n1"),), (N1,))
    late = [put(1, 0, A), gone(2, 5, pod("x")), waits(3, 5.9, A), put(4, 6, B), waits(5, 20, A), bind(6, 20.5, A, "n1")]
    found = replayed(there, late)
    assert verdicts(found) == {"allowed": 2, "refused": 1}
    assert found.first is not None and found.first.decided.line == 5
