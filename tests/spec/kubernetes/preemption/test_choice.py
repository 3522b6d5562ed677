"""The choice among preemption candidates: the criteria one by one, and all ties"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schedcheck.spec.importance import OFFSET, by_importance
from schedcheck.spec.kubernetes.preemption import choice
from schedcheck.spec.kubernetes.preemption.choice import casualty, selected
from schedcheck.spec.kubernetes.preemption.dry_run import Candidate
from schedcheck.spec.objects import Pod
from tests.support.building import node, pod

LOWEST = -(2**31)


def candidate(name: str, *victims: tuple[int, int | None], violations: int = 0) -> Candidate:
    """A candidate whose victims have these priorities and start times."""
    pods = (pod(f"{name}{i}", priority=priority, start_time=start) for i, (priority, start) in enumerate(victims))
    return Candidate(node(name), by_importance(pods), violations)


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        (candidate("a", (9, 1), (9, 1)), candidate("b", (0, 9), violations=1)),
        (candidate("a", (1, 1), (1, 1), (1, 1)), candidate("b", (2, 9))),
        (candidate("a", (2, 1), (0, 1)), candidate("b", (2, 9), (1, 9))),
        (candidate("a", (2, 1)), candidate("b", (2, 9), (LOWEST + 1, 9))),
        (candidate("a", (2, 1)), candidate("b", (2, 9), (LOWEST, 9))),
        (candidate("a", (2, 5), (1, 1)), candidate("b", (2, 4), (1, 9))),
        (candidate("a", (2, 5), (2, 6)), candidate("b", (2, 4), (2, 9))),
        (candidate("a", (2, None)), candidate("b", (2, 2**50))),
    ],
    ids=["violations", "highest", "sum", "each victim adds", "count", "start", "earliest start", "starts now"],
)
def test_each_criterion_decides_in_its_order(better: Candidate, worse: Candidate) -> None:
    assert selected([worse, better]) == selected([better, worse]) == (better,)


def test_the_victim_count_decides_only_at_the_lowest_priority() -> None:
    few, many = candidate("a", (2, 1)), candidate("b", (2, 9), (LOWEST, 9))
    assert casualty(few)[:3] == casualty(many)[:3]
    assert casualty(few)[3] < casualty(many)[3]


def test_all_tied_candidates_may_be_chosen() -> None:
    alike = [candidate(name, (2, 1), (1, start)) for name, start in (("a", 1), ("b", 2))]
    assert selected(alike) == tuple(alike)
    assert selected([candidate("a", (2, None)), candidate("b", (2, None))]) != ()
    assert selected([]) == ()


CANDIDATES = st.lists(
    st.lists(st.tuples(st.sampled_from((LOWEST, -1, 0, 1)), st.sampled_from((None, 1, 2))), min_size=1, max_size=3),
    max_size=4,
).flatmap(
    lambda nodes: st.tuples(
        *(
            st.integers(0, min(1, len(victims))).map(lambda n, i=i, victims=victims: candidate(f"n{i}", *victims, violations=n))
            for i, victims in enumerate(nodes)
        )
    )
)  # fmt: skip


def earliest(victims: tuple[Pod, ...]) -> float:
    """The earliest start among victims of the highest priority; a pod that has not started counts as starting now."""
    starts = [each.start_time for each in victims if each.priority == victims[0].priority]
    return min(float("inf") if each is None else each for each in starts)


def eliminated(candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """The candidates left after each criterion in turn keeps the best of the remaining ones."""
    for worth in (
        lambda each: -each.violations,
        lambda each: -each.victims[0].priority,
        lambda each: -sum(victim.priority + OFFSET for victim in each.victims),
        lambda each: -len(each.victims),
        lambda each: earliest(each.victims),
    ):
        best = max((worth(each) for each in candidates), default=0)
        candidates = tuple(each for each in candidates if worth(each) == best)
    return candidates


@given(CANDIDATES)
def test_the_selected_candidates_are_those_that_no_criterion_eliminates(candidates: tuple[Candidate, ...]) -> None:
    assert selected(candidates) == eliminated(candidates)


def test_summing_priorities_without_the_offset_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken twin: more victims of negative priority would give a lower sum."""
    one, two = candidate("a", (-1, 1)), candidate("b", (-1, 1), (-1, 1))
    assert selected([one, two]) == (one,)
    monkeypatch.setattr(choice, "OFFSET", 0)
    assert selected([one, two]) == (two,) != eliminated((one, two))


def test_two_victims_of_the_lowest_priority_cost_less_than_one_of_higher_priority() -> None:
    cheap, dear = candidate("a", (5, 1), (LOWEST, 1), (LOWEST, 1)), candidate("b", (5, 1), (0, 1))
    assert selected([dear, cheap]) == (cheap,)
