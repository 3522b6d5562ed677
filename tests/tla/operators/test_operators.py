"""The operators of tla/ agree with their twins in spec/; every operator has a twin or a reason"""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from schedcheck.checker.language.syntax import tree
from schedcheck.spec.binding import completed
from schedcheck.spec.faults import NO_FAULTS, Fault
from schedcheck.spec.kubernetes.departures import ALL_DEPARTURES, NO_DEPARTURES
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.kubernetes.versions import NEWEST
from schedcheck.tla_export.shipped import FOLDER
from tests.tla.kubernetes_broken import BROKEN, Broken
from tests.tla.kubernetes_configured import CONFIGURED
from tests.tla.operators import (
    deciding,
    descheduler,
    early_extenders,
    extenders,
    karpenter,
    node_pools,
    pod_groups,
    printed,
    rollouts,
)
from tests.tla.operators.__main__ import ENOUGH, OF_KUBERNETES, lacking, shows
from tests.tla.operators.asking import Tally, modules, unlike
from tests.tla.operators.reasons import REASONS
from tests.tla.operators.settings import all_kubernetes, all_printed
from tests.tla.operators.settings import kubernetes as as_kubernetes
from tests.tla.operators.settings import printed as as_printed
from tests.tla.operators.twin import Twin

TWINS = (
    *printed.TWINS,
    *OF_KUBERNETES,
    *extenders.TWINS,
    *early_extenders.TWINS,
    *node_pools.TWINS,
    *karpenter.TWINS,
    *descheduler.TWINS,
    *pod_groups.TWINS,
    *rollouts.TWINS,
)


def defined() -> Iterator[str]:
    for module in modules().values():
        yield from (unit.name for unit in module.units if isinstance(unit, tree.Definition | tree.FunctionDefinition))


def test_every_operator_of_tla_has_a_twin_or_a_reason() -> None:
    names = [each.operator for each in TWINS]
    assert sorted(names) == sorted(set(names))
    assert set(names).isdisjoint(REASONS)
    assert set(names) | set(REASONS) == set(defined())


def test_a_new_operator_without_a_twin_is_detected() -> None:
    assert {*defined(), "New"} - {each.operator for each in TWINS} - set(REASONS) == {"New"}


def test_operators_of_the_printed_model_agree_with_their_twins() -> None:
    tallies: dict[str, Tally] = {}
    for setting in all_printed(11, 1):
        assert list(unlike(printed.TWINS, setting, tallies)) == []
    assert all(tally.snapshots >= 10 for tally in tallies.values())


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.medium)])
def test_operators_of_kube_scheduler_agree_with_their_twins(every: int) -> None:
    tallies: dict[str, Tally] = {}
    first, second, *others = all_kubernetes(11, 1)
    for setting in (first, second, *others[::every]):
        assert list(unlike(OF_KUBERNETES, setting, tallies)) == []
    assert all(tally.snapshots >= 10 for tally in tallies.values())


def test_an_operator_asked_too_rarely_or_never_varying_is_reported() -> None:
    seldom, dull, constant = Tally(3, 1, varies=True), Tally(ENOUGH, 1), Tally(ENOUGH, 1)
    assert lacking({"Seldom": seldom, "Dull": dull, "NoLabels": constant}) == [
        "Seldom was asked on 3 snapshots",
        "Dull never varies",
    ]


def test_an_error_in_a_dry_run_is_an_error_of_preemption() -> None:
    plugins = CONFIGURED["plugins that were not asked before"]
    twins = [each for each in deciding.TWINS if each.operator in ("PostFiltered", "PostFilter")]
    assert list(unlike(twins, as_kubernetes("not asked", range(43, 80), plugins), {})) == []
    broken = {"KubePreemption": (FOLDER / "KubePreemption.tla").read_text().replace(": Failing(Info)", ": FALSE")}
    assert list(unlike(twins, as_kubernetes("not asked", range(43, 80), plugins), {}, broken))


@pytest.mark.parametrize("fault", [Fault.EXITS_MISSPELT, Fault.SUM_OVER_SET, Fault.VICTIMS_UNCHECKED])
def test_a_fault_only_in_python_is_detected(fault: Fault) -> None:
    setting = as_printed(range(15), NO_FAULTS)
    faulty = as_printed(range(15), frozenset({fault}))
    assert list(unlike(printed.TWINS, replace(setting, cases=faulty.cases), {}))


SOON = (
    "scheduling gates keep a pod waiting",
    "the node names of one term are intersected",
    "victims have lower priority",
)
"""The broken definitions that show in a few snapshots; `make parity` tries the others too."""


@pytest.mark.parametrize("broken", [each for each in BROKEN if each.claim in SOON], ids=lambda broken: broken.claim)
def test_a_broken_definition_is_detected(broken: Broken) -> None:
    settings = [
        as_kubernetes("some departures", range(40), DEFAULT_PLUGINS.departing(departures))
        for departures in (NO_DEPARTURES, ALL_DEPARTURES, NEWEST.departures)
    ]
    assert next(shows(broken, settings), None) is not None


def test_a_difference_names_the_operator_the_answers_and_the_arguments() -> None:
    wrong = Twin("Completed", lambda pod: not completed(pod))
    found = next(unlike([wrong], as_printed(range(20), NO_FAULTS), {}))
    assert found.operator == "Completed" and {found.theirs, found.ours} == {"FALSE", "TRUE"}
    assert found.arguments.startswith("Pod: ")
