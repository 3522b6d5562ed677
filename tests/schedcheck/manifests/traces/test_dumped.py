"""Kubernetes events and results of kube-scheduler-simulator are read as decisions on the cluster before them"""

from pathlib import Path

import pytest

import schedcheck
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.profiles import departing, totals
from tests.schedcheck.manifests.traces.logs import (
    SIMULATOR,
    Object,
    assigned,
    happened,
    listed,
    node,
    pod,
    result,
    written,
)

N1, N2 = node("n1", 2), node("n2", 4)
FULL = "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 No preemption victims found for incoming pod."


def onto(folder: Path, *items: Object) -> schedcheck.Cluster:
    file = folder / "cluster.json"
    file.write_text(written(folder, listed(*items), indent=2).read_text())
    return schedcheck.read(file)


def replayed(
    folder: Path, cluster: schedcheck.Cluster | None, *events: Object, **options: object
) -> schedcheck.Replayed:
    return schedcheck.replay(written(folder, listed(*events), indent=4), cluster, **options)  # type: ignore[arg-type]


# Events.


def test_pods_that_events_assign_were_pending_before(tmp_path: Path) -> None:
    cluster = onto(tmp_path, N1, pod("a", 2, on="n1"), pod("b", 2))
    found = replayed(
        tmp_path, cluster, assigned("a", "n1", 1), happened("FailedScheduling", "b", FULL, 9), strictness="exact"
    )
    assert (found.form, found.verdicts["allowed"], found.decisions) == ("events", 2, 2)


def test_node_on_which_the_pod_did_not_fit_is_refused(tmp_path: Path) -> None:
    cluster = onto(tmp_path, N1, pod("a", 2, on="n1"), pod("b", 2, on="n1"))
    found = replayed(tmp_path, cluster, assigned("a", "n1", 1), assigned("b", "n1", 9))
    assert found.first is not None
    assert (found.first.decided.pod, found.first.judged.clause) == (("shop", "b"), "filters")


def test_refusal_that_a_pod_which_is_gone_may_explain_is_unknown(tmp_path: Path) -> None:
    cluster = onto(tmp_path, N1, N2, pod("a", 1, on="n1"))
    found = replayed(tmp_path, cluster, assigned("a", "n1", 1))
    assert found.verdicts["unknown"] == 1
    assert [why for _, why in found.outcome.reasons] == ["the record does not say which pods were there"]
    waits = replayed(tmp_path, onto(tmp_path, N1, pod("b", 1)), happened("FailedScheduling", "b", FULL, 1))
    assert waits.verdicts["unknown"] == 1


def test_pods_that_are_gone_and_earlier_pods_of_a_name_are_unknown(tmp_path: Path) -> None:
    cluster = onto(tmp_path, N1, N2, pod("a", 2, on="n2"))
    found = replayed(tmp_path, cluster, assigned("gone", "n1", 1), assigned("a", "n1", 2), assigned("a", "n2", 9))
    assert (found.verdicts["unknown"], found.verdicts["allowed"]) == (2, 1)


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("Preempted by shop/high on node n1", {}),
        ("Preempted by pod uid-high on node n1", {"related": {"kind": "Pod", "namespace": "shop", "name": "high"}}),
    ],
)
def test_preempted_pods_tell_a_nomination(text: str, fields: Object, tmp_path: Path) -> None:
    cluster = onto(tmp_path, N1, pod("low", 2, on="n1"), pod("high", 2, priority=10))
    found = replayed(tmp_path, cluster, happened("Preempted", "low", text, 1, **fields))
    assert (found.decisions, found.verdicts["allowed"]) == (1, 1)
    lower = onto(tmp_path, N1, pod("low", 2, on="n1", priority=20), pod("high", 2, priority=10))
    wrong = replayed(tmp_path, lower, happened("Preempted", "low", text, 1, **fields))
    assert wrong.first is not None and wrong.first.judged.clause == "lowerPriority"


def test_events_of_the_newer_version_and_of_other_objects_are_read(tmp_path: Path) -> None:
    newer = assigned("a", "n1", 1)
    newer = {
        **newer,
        "apiVersion": "events.k8s.io/v1",
        "regarding": newer["involvedObject"],
        "note": newer["message"],
        "series": {"count": 2, "lastObservedTime": "2026-01-01T00:00:07Z"},
    }
    del newer["involvedObject"], newer["message"]
    other = happened("Started", "a", "Started container", 2)
    of_node = happened("NodeReady", "n1", "ready", 2) | {"involvedObject": {"kind": "Node", "name": "n1"}}
    found = replayed(tmp_path, onto(tmp_path, N1, pod("a", 2, on="n1")), newer, other, of_node)
    assert (found.decisions, found.verdicts["allowed"]) == (1, 1)


def test_text_of_an_event_that_was_cut_is_not_told(tmp_path: Path) -> None:
    cluster = onto(tmp_path, N1, pod("a", 2, on="n1"), pod("b", 2))
    cut = happened("FailedScheduling", "b", ("0/1 nodes are available: " + "x" * 1024)[:1021] + "...", 9)
    assert replayed(tmp_path, cluster, cut, strictness="exact").verdicts["allowed"] == 1


def test_cluster_and_events_may_be_in_one_list(tmp_path: Path) -> None:
    found = replayed(tmp_path, None, N1, pod("a", 2, on="n1"), assigned("a", "n1", 1))
    assert found.verdicts["allowed"] == 1


# kube-scheduler-simulator.

PASSED = {
    "n1": {"NodeResourcesFit": "passed", "TaintToleration": "passed"},
    "n2": {"NodeResourcesFit": "Insufficient cpu"},
}


def test_selected_node_is_a_decision_with_refusals(tmp_path: Path) -> None:
    small = node("n2", 1)
    a = result(pod("a", 2, on="n1"), 1, selected_node="n1", filter_result=PASSED)
    found = replayed(tmp_path, None, N1, small, a, strictness="exact")
    assert (found.form, found.verdicts["allowed"]) == ("simulator", 1)
    wrong = replayed(
        tmp_path, None, N1, small, result(pod("a", 2, on="n2"), 1, selected_node="n2", filter_result=PASSED)
    )
    assert wrong.first is not None and wrong.first.judged.clause == "filters"


def test_final_scores_are_added_up(tmp_path: Path) -> None:
    both = {"n1": {"NodeResourcesFit": "passed"}, "n2": {"NodeResourcesFit": "passed"}}
    there = onto(tmp_path, N1, N2, pod("a", 1)).snapshot()
    (plugins,) = departing("kubernetes", (DEFAULT_PLUGINS,))
    rated = totals(there.pods[0], there, plugins)
    scores = {name: {"NodeResourcesFit": str(total - 300), "TaintToleration": "300"} for name, total in rated.items()}
    best = max(rated, key=lambda name: rated[name])
    a = result(pod("a", 1, on=best), 1, selected_node=best, filter_result=both, finalscore_result=scores)
    assert replayed(tmp_path, None, N1, N2, a, strictness="exact").verdicts["allowed"] == 1
    other = {name: each | {"TaintToleration": "299"} for name, each in scores.items()}
    b = result(pod("a", 1, on=best), 1, selected_node=best, filter_result=both, finalscore_result=other)
    assert replayed(tmp_path, None, N1, N2, b, strictness="exact").verdicts["allowed"] == 0


def test_history_has_the_earlier_attempts(tmp_path: Path) -> None:
    failed = {
        SIMULATOR + "filter-result": '{"n1":{"NodeResourcesFit":"Insufficient cpu"}}',
        SIMULATOR + "postfilter-result": "{}",
    }
    bound = {SIMULATOR + "selected-node": "n1", SIMULATOR + "filter-result": '{"n1":{"NodeResourcesFit":"passed"}}'}
    a = result(pod("a", 2, on="n1"), 5, selected_node="n1", result_history=[failed, bound])
    found = replayed(tmp_path, None, N1, a)
    assert found.decisions == 2
    assert (found.verdicts["allowed"], found.verdicts["unknown"]) == (1, 1)


def test_nominated_node_is_that_of_the_postfilter_result(tmp_path: Path) -> None:
    full = {"n1": {"NodeResourcesFit": "Insufficient cpu"}}
    victim = {"n1": {"DefaultPreemption": "preemption victim"}}
    high = result(pod("high", 2, priority=10), 1, filter_result=full, postfilter_result=victim)
    found = replayed(tmp_path, None, N1, pod("low", 2, on="n1"), high)
    assert found.verdicts["allowed"] == 1
    assert replayed(tmp_path, None, N1, pod("low", 2, on="n1", priority=99), high).verdicts["allowed"] == 0


@pytest.mark.parametrize(
    ("annotations", "said"),
    [
        ({"result_history": "["}, "expected JSON"),
        ({"result_history": "{}"}, "expected a list"),
        ({"result_history": [1]}, "expected a list of maps"),
        ({"filter_result": "{"}, "expected JSON"),
        ({"filter_result": {"n1": "passed"}}, "expected a map of maps"),
        (
            {"selected_node": "n1", "finalscore_result": {"n1": {"NodeResourcesFit": "high"}}},
            "expected scores as integers",
        ),
    ],
)
def test_wrong_annotation_is_an_error_that_names_it(annotations: Object, said: str, tmp_path: Path) -> None:
    with pytest.raises(schedcheck.InputError) as error:
        replayed(tmp_path, None, N1, result(pod("a", 2), 1, **annotations))
    assert said in str(error.value) and "metadata.annotations" in str(error.value)
