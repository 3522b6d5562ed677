"""Everything that a composed answer holds is compared with the whole cycle, in a seeded sample of the questions"""

from dataclasses import fields
from typing import Any

import pytest

from schedcheck.checker.check import check
from schedcheck.checker.tabulated.answers.kube import Kube
from schedcheck.checker.tabulated.answers.matters import Admitted, Evicted
from schedcheck.checker.tabulated.answers.sampled import Differs, Judging, Sample
from schedcheck.checker.tabulated.answers.trials import Trials
from schedcheck.model.profiles import profile_of
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Pod, PodDisruptionBudget, Snapshot
from tests.checker.tabulated.test_composed import composed, excluding, moving, zoned
from tests.support.building import pod, selector, snapshot


def protected() -> Scenario:
    """Pods of which the most important is spared, although two others go for it and a budget protects all."""
    low = [pod(f"low-{number}", 1, on="n1", labels={"app": "low"}) for number in (1, 2)]
    spared = pod("spared", 2, on="n1", priority=3, labels={"app": "low"})
    budget = PodDisruptionBudget("low", selector=selector(app="low"))
    asked = ("fewest_budgets_violated", "bind_most_viable")
    return moving(pod("high", 2, priority=9), *low, spared, *zoned(4)[:1], budgets=(budget,), properties=asked)


def test_evictions_that_violate_more_budgets_than_necessary_are_no_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Sample, "few", 0)
    found = check(protected(), symmetry=False, engine="both").result
    assert [each.property.name for each in found.violations] == ["fewest_budgets_violated"]


FIELDS = [(Kube, "_admission", each.name) for each in fields(Admitted)]
FIELDS += [(Kube, "_evictions", each.name) for each in fields(Evicted)]


@pytest.mark.parametrize(("of", "name", "field"), FIELDS)
def test_any_other_answer_about_a_node_is_detected(
    monkeypatch: pytest.MonkeyPatch, of: Any, name: str, field: str
) -> None:
    whole = getattr(of, name)

    def with_another(*given: Any) -> Any:
        found = whole(*given)
        if isinstance(found, tuple):
            return found[0].but(**{field: "another"}), found[1]
        return found.but(**{field: "another"})

    monkeypatch.setattr(of, name, with_another)
    with pytest.raises(Differs, match="another"):
        composed(protected())


@pytest.mark.parametrize("changed", [{"kind": 1}, {"breaks": 1 << 20}])
def test_an_option_of_another_cost_or_judgement_is_detected(
    monkeypatch: pytest.MonkeyPatch, changed: dict[str, int]
) -> None:
    whole = Kube._evictions

    def with_another(*given: Any) -> Any:
        matters, options = whole(*given)
        return matters, [option._replace(**changed) for option in options]

    monkeypatch.setattr(Kube, "_evictions", with_another)
    with pytest.raises(Differs, match="evictions for"):
        composed(protected())


def choosing() -> Scenario:
    """A pod for which either two others go or a larger one, as all are equally important."""
    low = [pod(f"low-{number}", 1 + number // 3, on="n1") for number in (1, 2, 3)]
    return moving(pod("high", 2, priority=9), *low, *zoned(4)[:1])


def test_a_nomination_at_another_cost_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Kube._ended

    def dearest(kube: Kube, pod: Pod, snapshot: Snapshot, answers: Any) -> Any:
        return [each._replace(kind=-1) for each in whole(kube, pod, snapshot, answers)]

    assert composed(choosing()) > 10
    monkeypatch.setattr(Kube, "_ended", dearest)
    with pytest.raises(Differs, match="Nominate"):
        composed(choosing())


def test_a_run_compares_a_seeded_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Trials, "raw", lambda trials, shown, profile: (0,) * 7)
    monkeypatch.setattr(Sample, "few", 1)
    with pytest.raises(Differs, match="is composed, but the whole cycle gives"):
        check(excluding(), symmetry=False, engine="tabulated")


def test_the_sample_is_seeded_and_small() -> None:
    own, seen = profile_of(excluding()), snapshot(*zoned())
    samples = [Sample(own, Judging(own, lambda *_: 0)) for _ in range(2)]
    due = [[sample.due(seen) for _ in range(10_000)] for sample in samples]
    assert due[0] == due[1]
    assert 60 < sum(due[0]) < 150
