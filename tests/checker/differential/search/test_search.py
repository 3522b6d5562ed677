"""Every kind of search finds nothing here, and finds defects that are put in; a case is repeated by its name"""

import pytest

from tests.checker.differential.search import __main__ as search
from tests.checker.differential.search.parts import PARTS, searched, tried
from tests.corpus.__main__ import defects
from tests.power.fresh import FRESH
from tests.power.held_back import HELD_BACK
from tests.power.held_back_again import HELD_BACK_AGAIN
from tests.power.held_back_fifth import HELD_BACK_FIFTH
from tests.power.held_back_fourth import HELD_BACK_FOURTH

CASES = {
    "walks": 3,
    "small walks": 3,
    "crowded lives": 5,
    "stored lives": 10,
    "late lives": 10,
    "groups": 3,
    "gangs": 5,
    "plugged lives": 5,
    "renewed lives": 5,
    "gated gangs": 5,
    "groups apart": 2,
    "preempting groups": 5,
    "failing lives": 5,
    "repeating lives": 5,
    "older groups": 3,
    "intruders": 5,
    "claiming groups": 3,
    "mixed lives": 5,
    "pending lives": 5,
    "full memories": 5,
    "leaving groups": 3,
    "paced lives": 5,
    "erring groups": 5,
    "hurried lives": 5,
}
DEFECTS = {
    each.name: each.defect for each in (*FRESH, *HELD_BACK, *HELD_BACK_AGAIN, *HELD_BACK_FOURTH, *HELD_BACK_FIFTH)
} | {name: defect for name, defect, _ in defects()}


@pytest.mark.parametrize("part", PARTS)
def test_a_few_cases_of_each_kind_show_no_difference(part: str) -> None:
    for number in range(CASES.get(part, 20)):
        assert tried(part, f"few {number}") is None


FOUND = (
    ("clusters", "only the first anti-affinity term of a bound pod counts"),
    ("lives", "images of a removed node stay"),
    ("lives", "one of several Permit plugins is enough"),
    ("lives", "the longest of several waits decides"),
    ("flips", "a taint that is removed wakes nobody"),
    ("extenders", "an extender is asked about every pod"),
    ("extenders", "an extender binds every pod"),
    ("extenders", "volcano-sh/volcano@98f47f5d3"),
    ("small lives", "kubernetes/kubernetes#102339"),
    ("ties", "the last of several victims stays"),
    ("stored flips", "a new capacity wakes nobody"),
    ("walks", "kubernetes-sigs/scheduler-plugins#713"),
    ("walks", "kubernetes/kubernetes#71486"),
    ("guarded ties", "kubernetes/kubernetes#128307"),
    ("extended flips", "kubernetes/kubernetes#122019"),
    ("late lives", "an update clears a nomination"),
    ("crowded lives", "kubernetes-sigs/scheduler-plugins@afaa22f2"),
    pytest.param("small walks", "kubernetes/kubernetes#122444", marks=pytest.mark.slow),
    pytest.param("small walks", "kubernetes-sigs/scheduler-plugins#293", marks=pytest.mark.slow),
    pytest.param("helpful returns", "kubernetes/kubernetes#122627", marks=pytest.mark.slow),
    pytest.param("stored returns", "a new class wakes nobody", marks=pytest.mark.slow),
    pytest.param("stored lives", "a rejected pod keeps its volumes", marks=pytest.mark.slow),
    ("expansions", "kubernetes/kubernetes#108083"),
    ("joint flips", "only the first change of a pod is an event"),
    ("small zones", "a beta zone of a volume needs the beta label"),
    ("small claims", "a device under admin access is in use"),
    ("small claims", "counters of shared devices are not charged"),
    ("plugged lives", "the last signal to a waiting pod counts"),
    ("plugged lives", "an attempt that ends takes the events of others along"),
    ("plugged lives", "a failing Bind plugin hands on to the next"),
    ("renewed lives", "a pod that was created again is bound in its old form"),
    pytest.param("renewed lives", "the successor of a victim keeps the preemptor waiting", marks=pytest.mark.slow),
    ("gated gangs", "an activated pod is not asked for its gates"),
    ("groups apart", "groups of one name in two namespaces are one"),
    ("preempting groups", "a pod that was lifted is assumed no more"),
    ("preempting groups", "a group preempts while its victims terminate"),
    ("flips in flight", "what changes of a pod in flight is lost"),
    ("nominated flips", "the port of a nominated pod that goes wakes nobody"),
    ("few candidates", "the least numbers of candidates decides, not the greatest"),
    ("failing lives", "a pod is bound although PreBind failed"),
    ("failing lives", "a failed pod keeps its room"),
    ("failing lives", "a preemptor waits on although its eviction failed"),
    ("wide", "a term is found by the first value of its selector alone"),
    ("twice", "a nominated namesake does not count"),
    ("twice", "a preferred term that stands twice counts once"),
    ("twice", "extended resources are rated for pods without them"),
    ("twice", "the last Service of a pod alone is spread"),
    ("plugged lives", "a rejection after the wait on Permit is an error"),
    ("few candidates", "zones of one name in two regions are one"),
    ("mixed claims", "a claim that waits hides the zones of later ones"),
    ("mixed claims", "a claim whose own volume is out of reach takes another"),
    ("mixed claims", "ephemeral volumes have no limit"),
    ("leaving groups", "a pod that its group skips stays in flight"),
    ("rated claims", "allocated claims are rated as new ones"),
    ("faltering", "an error on the nominated node ends the cycle"),
    ("successions", "a remembered dry run overlooks new nominations"),
    ("magnitudes", "the least start decides instead of the latest"),
    ("reordered", "kubernetes/kubernetes#119782"),
    ("changing successions", "a remembered dry run overlooks new nominations"),
    ("policed claims", "shared devices consume no counters"),
    ("paced lives", "an old error lengthens the backoff of a rejection"),
    ("small lives", "a pod that is being deleted is tried"),
    ("hurried lives", "a nomination that is not delivered yet is not cleared"),
    ("hurried lives", "a victim that waits on Permit is deleted"),
    ("refused profiles", "a weight of zero is taken as zero"),
    ("reading extenders", "extenders see no overhead"),
    ("activations", "an activated pod takes others in flight along"),
    ("evicting groups", "after evictions one pod of a group is let in"),
    ("two drivers", "pools of one name share what is consumed"),
    ("constrained claims", "a constraint overlooks alternatives"),
    pytest.param("repeating lives", "an old error lengthens the backoff of a rejection", marks=pytest.mark.slow),
    pytest.param("wide flips", "a pod scales down only in all of its resources", marks=pytest.mark.slow),
    pytest.param("wide flips", "the hint of affinity knows no selected namespaces", marks=pytest.mark.slow),
    pytest.param("ties", "budgets do not count", marks=pytest.mark.slow),
    pytest.param("ties", "fewer victims before their priorities", marks=pytest.mark.slow),
    pytest.param("ties", "kubernetes/kubernetes#105853", marks=pytest.mark.slow),
    pytest.param("returning", "kubernetes/kubernetes#122284", marks=pytest.mark.slow),
    pytest.param("small", "kubernetes/kubernetes#112357", marks=pytest.mark.slow),
    pytest.param("small flips", "a relabelled node wakes nobody", marks=pytest.mark.slow),
    pytest.param("contests", "the least start decides instead of the latest", marks=pytest.mark.slow),
    pytest.param("crowds", "a tolerated preference is counted", marks=pytest.mark.slow),
    pytest.param("flips", "nodes with more room wake nobody", marks=pytest.mark.slow),
    pytest.param("lives", "the last of several victims stays", marks=pytest.mark.slow),
    pytest.param("lives", "a rejected pod keeps its volumes", marks=pytest.mark.slow),
    pytest.param("lives", "unschedulable pods are never flushed", marks=pytest.mark.slow),
)
"""Kinds of search, each with a defect that it must find."""


@pytest.mark.sampled(6)
@pytest.mark.parametrize(("part", "name"), FOUND)
def test_a_defect_is_found_without_a_hint(part: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    DEFECTS[name](monkeypatch)
    assert any(tried(part, f"found {number}") for number in range(3000))


def test_a_difference_ends_the_search_and_is_repeated_by_its_case(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    DEFECTS["the address of a host port is ignored"](monkeypatch)
    done, found = searched("0", 60.0, ("clusters",))
    assert found is not None
    assert found.start == f"0 {done['clusters'] - 1}"
    assert search.main(["--again", f"clusters {found.start}"]) == 1
    assert "ports" in capsys.readouterr().out
    monkeypatch.undo()
    assert search.main(["--again", f"clusters {found.start}"]) == 0
    assert "no difference" in capsys.readouterr().out


def test_two_processes_count_the_cases_of_each_kind(capsys: pytest.CaptureFixture[str]) -> None:
    assert search.main(["--seconds", "0.3", "--seed", "3"]) == 0
    *told, end = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in told] == list(PARTS)
    assert end == "no difference in 0.3 seconds of 2 processes, seed 3"


def test_a_process_that_finds_a_difference_ends_the_others(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    DEFECTS["only the first anti-affinity term of a bound pod counts"](monkeypatch)
    assert search.main(["--seconds", "60", "--parts", "clusters"]) == 1
    assert capsys.readouterr().out.splitlines()[1].startswith("clusters 0-")


def test_a_case_is_of_the_longest_kind_that_it_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert search.main(["--again", "small flips few 0"]) == 0
    assert capsys.readouterr().out == "small flips few 0: no difference\n"


def test_a_case_of_no_kind_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        search.main(["--again", "nothing 0"])
    assert end.value.code == 2
    assert "a case begins with one of small, clusters, " in capsys.readouterr().err
