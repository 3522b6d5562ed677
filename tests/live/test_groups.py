"""The recorded cycles of PodGroups of kube-scheduler 1.36.4 and 1.37.2, held against the specification and a broken one"""

import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar

import pytest

from schedcheck.spec.kubernetes import pod_groups
from schedcheck.spec.kubernetes.departures import NO_DEPARTURES, Departure
from schedcheck.spec.kubernetes.preemption import of_groups, units
from tests.live.building import built, up_to_date
from tests.live.grouping import OF_VERSIONS, differs, text
from tests.live.groups import FOLDER, PATCH, cases_of, kind, main
from tests.live.recording import lines
from tests.live.witness import Gone, Program, plain

Json = dict[str, Any]
BY_VERSION = {
    patch: list(zip(lines(cases_of(patch)), lines(FOLDER / f"{patch}.jsonl.gz"), strict=True)) for patch in OF_VERSIONS
}
RECORDED = BY_VERSION[PATCH]
IN_1_36 = BY_VERSION["1.36.4"]
FEW = 60


def differing(pairs: list[tuple[Json, Json]], without: frozenset[Departure] = NO_DEPARTURES) -> list[str]:
    """What the specification of the version says otherwise, perhaps without some departures; unknown cases are left out."""
    found = []
    for asked, answer in pairs:
        plugins = OF_VERSIONS[answer["version"].removeprefix("v")]
        plugins = replace(plugins, departures=plugins.departures - without)
        found += [f"{asked['id']}: {each}" for each in differs(asked, answer, plugins) if each != "unknown"]
    return found


@pytest.mark.parametrize(("patch", "more"), [("1.37.2", {"error"}), ("1.36.4", set())])
def test_each_case_has_its_answer_and_every_kind_of_answer_occurs(patch: str, more: set[str]) -> None:
    recorded = BY_VERSION[patch]
    assert [asked["id"] for asked, _ in recorded] == [answer["id"] for _, answer in recorded]
    assert {answer["version"] for _, answer in recorded} == {f"v{patch}"}
    counts = Counter(kind(answer) for _, answer in recorded)
    assert {each for each, number in counts.items() if number >= 3} == {
        "placed", "not placed", "kept out", "preempting", *more,
    }  # fmt: skip


@pytest.mark.parametrize("patch", OF_VERSIONS)
def test_some_recorded_cycles_end_as_the_specification_allows(patch: str) -> None:
    assert differing(BY_VERSION[patch][:FEW]) == []


@pytest.mark.slow
@pytest.mark.parametrize("patch", OF_VERSIONS)
def test_all_recorded_cycles_end_as_the_specification_allows(patch: str) -> None:
    assert differing(BY_VERSION[patch]) == []


@pytest.mark.parametrize(
    "departure",
    [
        Departure.MEMBERS_QUEUED_ALONE,
        Departure.MEMBERS_UNALIKE,
        Departure.MEMBERS_PREEMPT,
        Departure.ASSUMED_TERMS_UNSEEN,
    ],
)
def test_1_36_without_a_departure_about_groups_differs(departure: Departure) -> None:
    assert differing(IN_1_36[:FEW], frozenset({departure}))


def test_an_answer_with_another_node_or_one_pod_less_differs() -> None:
    placed = [(asked, answer) for asked, answer in RECORDED if len(answer["nodes"]) > 1][:5]
    for asked, answer in placed:
        fewer = dict(list(answer["nodes"].items())[1:])
        assert differing([(asked, {**answer, "nodes": fewer})])
        assert differing([(asked, {**answer, "nodes": {}})])


@pytest.mark.parametrize("fault", ["assumed", "alike", "fewest", "refused", "units", "spared", "lost", "popped"])
def test_a_broken_specification_differs(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    match fault:
        case "assumed":
            monkeypatch.setattr(pod_groups, "assumed", lambda pod, node, snapshot: snapshot)
        case "alike":
            monkeypatch.setattr("tests.live.grouping.alike", lambda *given: True)
        case "fewest":
            monkeypatch.setattr(pod_groups, "fewest", lambda group: 1)
        case "refused":
            monkeypatch.setattr("schedcheck.spec.kubernetes.control_loop.pod_groups.group_refusal", lambda *given: None)
        case "units":
            monkeypatch.setattr(
                units, "unit_of", lambda pod, snapshot: units.Unit(frozenset({pod}), pod.priority, False)
            )
        case "spared":
            monkeypatch.setattr(of_groups.Emptied, "spared", lambda self, order: frozenset())
        case "lost":
            monkeypatch.setattr(pod_groups, "awaiting", lambda pods: frozenset())
        case "popped":
            monkeypatch.setattr(pod_groups, "_popped", lambda other, pod: other)
    cases = [each for each in RECORDED if fault not in ("lost", "popped") or "nominatedNodeName" in text(each[0])]
    assert any(differing([each]) for each in cases)


def test_1_37_spares_a_victim_whose_plugin_was_skipped_without_it() -> None:
    assert any(differing([each], frozenset({Departure.SKIPPED_SEES_NO_NOMINATED})) for each in RECORDED)


class Answering:
    """A witness without Go, which answers as it is recorded, with a planted mistake."""

    answers: ClassVar = {asked["id"]: answer for asked, answer in RECORDED}
    mistake = ""

    def __init__(self, command: Sequence[str]) -> None:
        pass

    def ask(self, asked: Json) -> Json:
        answer = self.answers.get(asked["id"], {"error": "illegal"})
        if self.mistake == "ends":
            raise Gone("it is over")
        return {**answer, "nodes": {}} if self.mistake and "nodes" in answer else answer

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("mistake", "status", "said"),
    [
        ("", 0, "; 0 differ"),
        ("none is placed", 1, "kube-scheduler: placed {}, nominated {}, evicted [], victims None; the specification: "),
        ("ends", 3, "make live-groups: the witness ended: it is over"),
    ],
)
def test_make_live_groups_compares_the_clusters_with_the_answers_of_the_witness(
    mistake: str, status: int, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Answering, "mistake", mistake)
    monkeypatch.setattr("tests.live.groups.Program", Answering)
    assert main(["--count", "12", "--witness", "none"]) == status
    printed = capsys.readouterr()
    assert said in printed.out + printed.err


def test_make_live_groups_without_go_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tests.live.building.up_to_date", lambda _: False)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert main([]) == 3
    assert capsys.readouterr().err.startswith("make live-groups: there is no go on the path")


def test_an_interrupted_make_live_groups_ends_with_status_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tests.live.groups.compared", interrupted)
    assert main(["--witness", "none"]) == 2
    assert capsys.readouterr().err == "make live-groups: interrupted\n"


@pytest.mark.slow
@pytest.mark.skipif(not up_to_date(PATCH), reason="the witness is not built")
def test_the_witness_still_gives_the_recorded_answers() -> None:
    program = Program([str(built(PATCH)), "--groups"])
    for asked, answer in RECORDED[:40]:
        again = plain(program.ask(asked))
        assert (kind(again), placed_pods(again)) == (kind(answer), placed_pods(answer))
    program.close()


def placed_pods(answer: Json) -> list[str]:
    """The pods that are placed; which node is taken among equals is chance."""
    return sorted(answer["nodes"])
