"""The comparison of TLC and Python on kube-scheduler's filters and scores, as far as it needs no TLC"""

from collections import Counter

import pytest

from schedcheck.spec.decisions import Bind, Nominate, Wait
from schedcheck.spec.kubernetes import control_loop
from schedcheck.spec.kubernetes.cycle import cycle
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.filter import feasible
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.kubernetes.select_host import scores_of
from tests.tla.kubernetes_answers import answers, cases
from tests.tla.kubernetes_broken import BROKEN, WITHIN, Broken, broken_module
from tests.tla.kubernetes_configured import CONFIGURED
from tests.tla.kubernetes_module import QUESTIONS, module
from tests.tla.kubernetes_parity import BY_ORDER, DEPARTURES, OF_CLAIMS, OF_EXTENDERS, OF_GROUPS, seen, where_it_matters
from tests.tla.run_tlc import TLA

SNAPSHOTS = 400


def test_every_filter_rejects_a_node_and_every_end_of_a_cycle_occurs() -> None:
    counted = seen(cases(range(SNAPSHOTS)))
    refusing = {what.partition(": ")[2] for what in counted if ": " in what}
    assert {
        "NodeUnschedulable UnschedulableAndUnresolvable",
        "TaintToleration UnschedulableAndUnresolvable",
        "NodeAffinity UnschedulableAndUnresolvable",
        "NodePorts Unschedulable",
        "NodeResourcesFit Unschedulable",
        "NodeResourcesFit UnschedulableAndUnresolvable",
        "PodTopologySpread Unschedulable",
        "PodTopologySpread UnschedulableAndUnresolvable",
        "InterPodAffinity Unschedulable",
        "InterPodAffinity UnschedulableAndUnresolvable",
        "NodeDeclaredFeatures UnschedulableAndUnresolvable",
    } <= refusing
    ends = {what for what in counted if ": " not in what}
    assert {"scheduled nominated", "scheduled scored", "scheduled single", "unschedulable"} <= ends
    sources = {what.partition(": ")[0] for what in counted if ": " in what}
    assert sources == {"filter", "preFilter", "preFilterResult", "nominatedFirst"}


def test_every_score_distinguishes_nodes() -> None:
    telling: Counter[str] = Counter()
    for case in cases(range(SNAPSHOTS)).values():
        made = cycle(case.pod, case.snapshot - {case.pod}, DEFAULT_PLUGINS)
        found = scores_of(made, feasible(made))
        telling.update(name for name, scores in found.normalised.items() if len(set(scores.values())) > 1)
    assert set(telling) == set(DEFAULT_PLUGINS.at("score")) - {"VolumeBinding", "DynamicResources"}


def test_the_modules_mention_every_departure_that_they_model() -> None:
    texts = [path.read_text(encoding="utf-8") for path in TLA.glob("Kube*.tla")]
    mentioned = {each for each in Departure if any(f'"{each}" \\' in text for text in texts)}
    assert mentioned == (set(DEPARTURES) - BY_ORDER) | OF_CLAIMS | OF_GROUPS | OF_EXTENDERS


LATE = {
    Departure.SKIPPED_SEES_NO_NOMINATED: 11_524,
    Departure.LATER_BUDGETS_UNCHARGED: 10_335,
    Departure.BUDGETS_CHARGED_FOR_ALL: 10_121,
}
"""The seeds of departures that matter seldom; the search goes on from there if the drawing changes."""


@pytest.mark.sampled(5)
@pytest.mark.parametrize("departure", DEPARTURES)
def test_every_departure_makes_a_difference(departure: Departure) -> None:
    assert where_it_matters(departure, 1, LATE.get(departure, 10_000))


@pytest.mark.parametrize("plugins", CONFIGURED.values(), ids=CONFIGURED)
def test_every_configuration_makes_a_difference(plugins: Plugins) -> None:
    asked = cases(range(40)).values()
    assert any(answers(case, plugins) != answers(case, DEFAULT_PLUGINS) for case in asked)


def test_an_answer_has_a_part_for_each_question() -> None:
    ((name, case),) = list(cases([0]).items())[:1]
    assert len(answers(case, DEFAULT_PLUGINS)) == len(QUESTIONS)
    text, configuration = module({name: case}, DEFAULT_PLUGINS)
    assert text.startswith("---- MODULE MC_answers ----\nEXTENDS KubeControlLoop, TLC\n")
    assert "MC_Departures" in configuration


@pytest.mark.parametrize("broken", (*BROKEN, *WITHIN), ids=lambda broken: broken.claim)
def test_each_text_to_break_occurs_once_in_its_module(broken: Broken) -> None:
    (text,) = broken_module(broken).values()
    assert broken.new in text


def test_every_kind_of_decision_occurs() -> None:
    plugins = DEFAULT_PLUGINS
    made = [
        each
        for case in cases(range(SNAPSHOTS)).values()
        for each in control_loop.decision(case.pod, case.snapshot, plugins)
    ]
    assert {type(each) for each in made} == {Bind, Nominate, Wait}
    assert {each.unnominated for each in made if isinstance(each, Wait)} == {True, False}
