"""Selectors that select nothing: services, spread constraints, terms of pod affinity and anti-affinity"""

from pathlib import Path
from typing import Any

import pytest

import schedcheck
from schedcheck.findings.finding import Severity
from schedcheck.findings.selectors import AFFINITY, ANTI_AFFINITY, SERVICE, SPREAD, SPREAD_OTHERS
from schedcheck.spec.kubernetes.control_loop import decision
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from tests.support.linting import (
    Manifest,
    cluster_of,
    deployment,
    found,
    guard,
    host,
    linted,
    template,
    waiting,
    workload,
)

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def service(app: str, namespace: str = "default") -> Manifest:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "front", "namespace": namespace},
        "spec": {"selector": {"app": app}},
    }


def near(app: str, kind: str = "podAffinity", **more: Any) -> dict[str, Any]:
    """An affinity with one required term over the hosts of pods with this label."""
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": app}}, **more}
    return {"affinity": {kind: {REQUIRED: [term]}}}


def spread(app: str, key: str = "kubernetes.io/hostname") -> dict[str, Any]:
    constraint = {
        "maxSkew": 1,
        "topologyKey": key,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": app}},
    }
    return {"topologySpreadConstraints": [constraint]}


def test_a_service_that_selects_no_pod_is_a_warning_where_there_are_pods(tmp_path: Path) -> None:
    (one,) = found(tmp_path, deployment(), service("wbe"), host("a"))[SERVICE]
    assert (one.severity, str(one.thing), one.field) == (Severity.WARNING, "Service default/front", "spec.selector")
    (one,) = found(tmp_path, deployment(), service("web", "empty"), host("a"))[SERVICE]
    assert one.severity is Severity.NOTE


def test_a_service_of_a_template_without_replicas_is_no_finding(tmp_path: Path) -> None:
    assert found(tmp_path, deployment(replicas=0), service("web"), host("a")) == {}


def test_a_spread_constraint_that_counts_nothing_is_a_warning(tmp_path: Path) -> None:
    (one,) = found(tmp_path, deployment(replicas=2, **spread("wbe")), host("a"))[SPREAD]
    assert one.severity is Severity.WARNING
    assert one.field == "spec.template.spec.topologySpreadConstraints[0].labelSelector"
    assert found(tmp_path, deployment(**spread("web")), host("a")) == {}


def test_a_spread_constraint_that_counts_others_only_is_a_note(tmp_path: Path) -> None:
    (one,) = found(tmp_path, deployment(**spread("db")), deployment("db"), host("a"))[SPREAD_OTHERS]
    assert one.severity is Severity.NOTE


def test_a_required_term_that_selects_nothing_is_an_error_for_a_pending_pod(tmp_path: Path) -> None:
    (one,) = found(tmp_path, waiting(**near("cache")), host("a"))[AFFINITY]
    assert one.severity is Severity.ERROR
    assert one.field == f"spec.affinity.podAffinity.{REQUIRED}[0]"
    (one,) = found(tmp_path, waiting("p", "1", "a", **near("cache")), host("a"))[AFFINITY]
    assert one.severity is Severity.WARNING


@pytest.mark.parametrize("others", [[], [waiting("q", "1", "b")]])
def test_the_specification_places_a_pod_with_such_a_term_nowhere(others: list[Manifest], tmp_path: Path) -> None:
    cluster = cluster_of(tmp_path, waiting(**near("cache")), host("a"), host("b"), *others)
    given = next(each for each in cluster.pods if each.name == "p")
    assert not any("Bind" in str(each) for each in decision(given, cluster.snapshot(), DEFAULT_PLUGINS))


@pytest.mark.parametrize(
    "around",
    [
        [waiting("cache", "1", "a")],
        [deployment("cache", replicas=0)],
        [],
    ],
)
def test_a_term_that_selects_a_pod_a_template_or_the_pod_itself_is_no_finding(
    around: list[Manifest], tmp_path: Path
) -> None:
    app = "cache" if around else "p"
    assert found(tmp_path, waiting(**near(app)), *around, host("a")) == {}


def test_preferences_and_anti_affinity_that_select_nothing_are_warnings(tmp_path: Path) -> None:
    term = {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "cache"}}}
    preference = {"affinity": {"podAffinity": {PREFERRED: [{"weight": 1, "podAffinityTerm": term}]}}}
    told = found(tmp_path, waiting(**preference), host("a"))[AFFINITY]
    assert [each.severity for each in told] == [Severity.WARNING]
    (one,) = found(tmp_path, waiting(**near("cache", "podAntiAffinity")), host("a"))[ANTI_AFFINITY]
    assert one.severity is Severity.WARNING
    assert found(tmp_path, waiting(**near("p", "podAntiAffinity")), host("a")) == {}


def test_a_term_over_namespaces_that_the_input_lacks_is_unknown(tmp_path: Path) -> None:
    by_label = near("cache", namespaceSelector={"matchLabels": {"team": "red"}})
    told = linted(tmp_path, waiting(**by_label), host("a"))
    assert (told.findings, [each.rule for each in told.undecided]) == ((), [AFFINITY])


def test_a_workload_whose_selector_misses_its_template_is_no_valid_input(tmp_path: Path) -> None:
    wrong = workload("Deployment", "web", template())
    wrong["spec"]["selector"] = {"matchLabels": {"app": "wbe"}}
    with pytest.raises(schedcheck.InputError, match=r"spec\.selector: a map: expected a selector that selects the pods of the template"):  # fmt: skip
        found(tmp_path, wrong, host("a"), guard(minAvailable=0))
