"""Recorded cycles of kube-scheduler in which pods of a PodGroup have claims, or a pod without a group preempts"""

from collections import Counter
from contextlib import closing
from types import SimpleNamespace
from typing import Any

import pytest

from schedcheck.spec.kubernetes import group_decisions, pod_groups
from schedcheck.spec.kubernetes.preemption import of_units, units
from tests.live import groups
from tests.live.building import built, up_to_date
from tests.live.grouping import OF_VERSIONS, differs
from tests.live.groups import FEW, kind, recorded
from tests.live.intruding import differs_alone
from tests.live.recording import lines
from tests.live.witness import plain

Json = dict[str, Any]
KINDS = [
    ("alone", "1.37.2"), ("storage", "1.37.2"), ("devices", "1.37.2"), ("storage", "1.36.4"), ("devices", "1.36.4"),
]  # fmt: skip


def pairs(of: str, patch: str) -> list[tuple[Json, Json]]:
    """The recorded cases of this kind, with their answers."""
    cases, answers, _ = recorded(of, patch)
    return list(zip(lines(cases), lines(answers), strict=True))


def differing(of: str, patch: str, few: int = FEW) -> list[str]:
    """What the specification says otherwise in the first cases; unknown ones are left out."""
    told = differs_alone if of == "alone" else differs
    found = (each for asked, answer in pairs(of, patch)[:few] for each in told(asked, answer, OF_VERSIONS[patch]))
    return [each for each in found if each != "unknown"]


@pytest.mark.parametrize(("of", "patch"), KINDS)
def test_some_recorded_cycles_end_as_the_specification_allows(of: str, patch: str) -> None:
    assert differing(of, patch, 10) == []


@pytest.mark.slow
@pytest.mark.parametrize(("of", "patch"), KINDS)
def test_every_recorded_cycle_ends_as_the_specification_allows(of: str, patch: str) -> None:
    assert differing(of, patch) == []


@pytest.mark.parametrize(("of", "patch"), KINDS)
def test_the_recorded_cycles_end_in_several_ways(of: str, patch: str) -> None:
    counts = Counter(kind(answer) for _, answer in pairs(of, patch))
    assert counts.total() == FEW
    assert counts["placed"] >= 5
    assert counts["not placed"] >= 5
    assert of != "alone" or counts["preempting"] >= 5


@pytest.mark.parametrize("fault", ["alone", "order"])
def test_a_broken_eviction_of_units_differs(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    match fault:
        case "alone":
            monkeypatch.setattr(
                of_units, "unit_of", lambda pod, snapshot: units.Unit(frozenset({pod}), pod.priority, False)
            )
        case "order":
            monkeypatch.setattr(of_units, "spared", lambda cycle, info, order: frozenset(order[1:]))
    assert differing("alone", "1.37.2")


@pytest.mark.parametrize(
    ("of", "name", "fault"),
    [
        ("storage", "assumed_storage", lambda pod, node, storage: storage),
        ("devices", "changed", lambda devices, claims: devices),
    ],
)
def test_a_cycle_that_forgets_what_earlier_pods_took_differs(
    of: str, name: str, fault: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pod_groups, name, fault)
    assert differing(of, "1.37.2") + differing(of, "1.36.4")


@pytest.mark.parametrize(("of", "patch"), KINDS)
@pytest.mark.parametrize("mistaken", [False, True])
def test_make_live_groups_compares_the_kind_that_is_asked_for(
    of: str, patch: str, mistaken: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    some = pairs(of, patch)[:10]
    wrong: Json = {"nodes": {"p": "gone"}, "kept": True} if mistaken else {}
    answers = {asked["id"]: answer | wrong for asked, answer in some}
    monkeypatch.setitem(groups.KINDS, of, lambda patch, seed, place: some[place][0])
    monkeypatch.setattr(groups, "Program", lambda _: closing_of(answers))
    version = patch.rpartition(".")[0]
    assert groups.main(["--kind", of, "--version", version, "--count", "10", "--witness", "none"]) == int(mistaken)
    assert ("; 0 differ" in capsys.readouterr().out) != mistaken


def closing_of(answers: dict[str, Json]) -> Any:
    """A witness without Go, which gives these answers."""
    return SimpleNamespace(ask=lambda asked: answers[asked["id"]], close=lambda: None)


def test_kube_scheduler_mixes_up_the_devices_of_a_claim_that_pods_share_and_that_is_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One of three devices is for a claim of two pods, one for another claim of the second, and two for that of a third."""
    (before, placed), (after, waits) = pairs("mixed", "1.37.2")
    assert placed["nodes"] == {"gb2": "n3", "gb3": "n3", "gb4": "n3"} and waits["nodes"] == {}
    assert list(differs(before, placed)) == ["unknown"]
    assert list(differs(after, waits)) == []
    monkeypatch.setattr(group_decisions, "mixed_up", lambda *_: False)
    (told,) = differs(before, placed)
    assert told.endswith("the specification: placed {}, nominated {}, evicted [], victims None")


@pytest.mark.slow
@pytest.mark.skipif(not up_to_date("1.37.2"), reason="the witness is not built")
def test_the_witness_still_mixes_them_up() -> None:
    with closing(groups.Program([str(built("1.37.2")), "--groups"])) as witness:
        assert [plain(witness.ask(asked)) for asked, _ in pairs("mixed", "1.37.2")] == [
            answer for _, answer in pairs("mixed", "1.37.2")
        ]
