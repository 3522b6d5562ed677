"""The recorded preemptions of kube-scheduler: what is compared, what departures change, and what is detected"""

import copy
import gzip
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from schedcheck.cli import main
from schedcheck.recordings.conformance import conformance
from schedcheck.recordings.preempting import candidate_answer
from schedcheck.recordings.recorded import question, recorded
from schedcheck.spec.kubernetes.cycle import cycle
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.preemption.dry_run import DryRun
from schedcheck.spec.kubernetes.preemption.ties import permitted
from tests.support.recorded import DEPARTURES, RECORDING_PLUGINS

RECORDED = Path(__file__).parents[2] / "data" / "conformance"
FILES = [file for file in sorted(RECORDED.glob("*.jsonl.gz")) if "quantities" not in file.name]


@cache
def lines(family: str) -> dict[str, Any]:
    with gzip.open(RECORDED / f"{family}.jsonl.gz", "rt", encoding="utf-8") as text:
        return {value["id"]: value for value in map(json.loads, text)}


def differing(value: Any, tmp_path: Path) -> set[str]:
    file = tmp_path / "one.jsonl"
    file.write_text(json.dumps(value))
    return {each.compared.field for each in conformance(recorded(str(file)), RECORDING_PLUGINS).differences}


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("departure", "family", "where"),
    [
        (Departure.TERMINATING_UNCOUNTED_TWICE, "preemption", {"preemption-00249", "preemption-00349"}),
        (Departure.PORTS_ARE_A_SET, "ports", {"ports-00394"}),
        (Departure.PORTS_ARE_A_SET, "quirks", {"quirk-ports-set-preempt"}),
        (Departure.SKIPPED_SEES_NO_NOMINATED, "preemption", {"preemption-00438", "preemption-00606"}),
        (Departure.BUDGETS_CHARGED_FOR_ALL, "preemption", {"preemption-02188", "preemption-02772"}),
        (Departure.EMPTY_BUDGET_PROTECTS_NO_POD, "preemption", {"preemption-00053", "preemption-00911"}),
        (Departure.UNLABELLED_UNPROTECTED, "preemption", {"preemption-00240", "preemption-01946"}),
    ],
)
def test_disabling_a_departure_is_detected_in_the_candidates(
    departure: Departure, family: str, where: set[str]
) -> None:
    plugins = RECORDING_PLUGINS.departing(DEPARTURES - {departure})
    found = conformance(recorded(str(RECORDED / f"{family}.jsonl.gz")), plugins).differences
    assert where <= {each.id for each in found if each.compared.field == "preemption.candidates"}


def test_the_recorded_preemptions_are_permitted() -> None:
    """Only one draw is recorded: its node and victims are among the allowed ones."""
    nominations = 0
    for record in (each for file in FILES for each in recorded(str(file))):
        answer = record.expected.get("preemption") or {}
        if answer.get("realNominated") and record.truth:
            assert record.case is not None
            asked = question(record.case)
            run = DryRun(cycle(asked.pod, asked.snapshot, RECORDING_PLUGINS))
            (theirs,) = (each for each in answer["candidates"] if each["node"] == answer["realNominated"])
            ours = [candidate_answer(each) for each in permitted(run)]
            assert set(theirs["victims"]) in [set(each["victims"]) for each in ours if each["node"] == theirs["node"]]
            nominations += 1
    assert nominations == 167


# Every compared part is detected if it differs; only the drawn result is not compared.


def spoilt(answer: Any) -> Iterator[tuple[str, Any]]:
    """Yield parts of the recorded preemption with a wrong value for each."""
    candidate = answer["candidates"][0]
    yield "eligible", not answer["eligible"]
    yield "reason", "not eligible due to the weather."
    yield "potentialNodes", answer["potentialNodes"][1:]
    yield "candidates", [{**candidate, "victims": candidate["victims"][::-1]}, *answer["candidates"][1:]]
    yield (
        "candidates",
        [{**candidate, "numPDBViolations": candidate["numPDBViolations"] + 1}, *answer["candidates"][1:]],
    )
    yield "candidates", answer["candidates"][1:]
    yield "nodeStatuses", {"n0": {"code": "Unschedulable", "reasons": ["Insufficient cpu"]}}
    yield "selected", answer["selected"] + ["n1"]
    yield "clearNominations", {"n0": ["default/nom1"]}
    yield "realCode", "Unschedulable"


def test_a_differing_part_is_detected(tmp_path: Path) -> None:
    value = lines("preemption")["preemption-02772"]
    assert differing(value, tmp_path) == set()
    for part, other in spoilt(value["expected"]["preemption"]):
        wrong = copy.deepcopy(value)
        wrong["expected"]["preemption"][part] = other
        assert differing(wrong, tmp_path) == {f"preemption.{part}"}


def test_a_missing_mandatory_part_is_not_compared_and_the_others_are(tmp_path: Path) -> None:
    value = lines("preemption")["preemption-02772"]
    answer = value["expected"]["preemption"]
    for missing in ("eligible", "potentialNodes", "candidates", "nodeStatuses", "selected", "realCode"):
        partial = copy.deepcopy(value)
        del partial["expected"]["preemption"][missing]
        assert differing(partial, tmp_path) == set()
        for part, other in spoilt(answer):
            if part not in (missing, "reason"):
                wrong = copy.deepcopy(partial)
                wrong["expected"]["preemption"][part] = other
                assert differing(wrong, tmp_path) == {f"preemption.{part}"}


def test_a_missing_expectation_of_cleared_nominations_is_a_difference(tmp_path: Path) -> None:
    wrong = copy.deepcopy(lines("preemption")["preemption-02772"])
    del wrong["expected"]["preemption"]["clearNominations"]
    assert differing(wrong, tmp_path) == {"preemption.clearNominations"}


def test_a_differing_message_is_reported_and_exits_with_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    value = copy.deepcopy(lines("preemption")["preemption-02772"])
    value["expected"]["real"]["message"] += " "
    file = tmp_path / "wrong.jsonl"
    file.write_text(json.dumps(value))
    assert main(["conformance", "--profile", "kubernetes-1.34.1", str(file)]) == 1
    told = capsys.readouterr().out
    assert "preemption-02772: real.message\n" in told
    assert "not compared" not in told


def test_the_drawn_result_is_not_compared_and_new_fields_are_named(tmp_path: Path) -> None:
    value = copy.deepcopy(lines("preemption")["preemption-02772"])
    value["expected"]["preemption"] |= {"realNominated": "n1", "realMessage": "something", "invented": 1}
    file = tmp_path / "one.jsonl"
    file.write_text(json.dumps(value))
    made = conformance(recorded(str(file)), RECORDING_PLUGINS)
    assert made.differences == ()
    assert made.not_compared == {"preemption.invented": 1}


# The order of arrival.


def crowd(number: int) -> Any:
    """A record in which this many equally important pods fill the node of quirk-preempt-reprieve, and one must go."""
    value = copy.deepcopy(lines("quirks")["quirk-preempt-pdb-budget"])
    case, expected = value["case"], value["expected"]
    del case["pdbs"]
    pattern = case["pods"][0]
    case["pods"] = []
    for each in range(number):
        made = copy.deepcopy(pattern)
        made["metadata"]["name"] = f"b{number - each:02}"
        made["spec"]["priority"] = 1
        case["pods"].append(made)
    case["nodes"][0]["status"]["allocatable"]["cpu"] = str(number)
    case["pod"]["spec"]["priority"] = 5
    expected["preemption"]["candidates"][0]["victims"] = ["default/b01"]
    return value


def with_victims(value: Any, *victims: str) -> Any:
    changed = copy.deepcopy(value)
    changed["expected"]["preemption"]["candidates"][0]["victims"] = [f"default/{each}" for each in victims]
    return changed


def test_of_up_to_12_equally_important_pods_the_last_arrived_is_the_victim(tmp_path: Path) -> None:
    for number in (2, 12):
        assert differing(crowd(number), tmp_path) == set()
        assert differing(with_victims(crowd(number), "b02"), tmp_path) == {"preemption.candidates"}


@pytest.mark.medium
def test_beyond_12_equally_important_pods_any_order_is_accepted(tmp_path: Path) -> None:
    assert differing(crowd(13), tmp_path) == set()
    assert differing(with_victims(crowd(13), "b02"), tmp_path) == set()
    assert differing(with_victims(crowd(13), "b02", "b01"), tmp_path) == {"preemption.candidates"}
    assert differing(with_victims(crowd(13), "other"), tmp_path) == {"preemption.candidates"}
