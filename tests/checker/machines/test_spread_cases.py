"""Simulated runs and the search for differences on several machines have the results of one; Ray is played"""

import os
import time
from collections.abc import Iterator
from typing import Any

import pytest

from schedcheck.checker.limits.parameters import parameter, spelled
from schedcheck.checker.limits.timer import forget_peak, gigabytes, limited
from schedcheck.checker.machines.machines import Machines
from schedcheck.checker.simulating import runs as module
from schedcheck.checker.simulating.running import Asked, Run
from schedcheck.checker.simulating.runs import RunFailed, runs
from tests.checker.differential.search import __main__ as search
from tests.checker.differential.search.parts import PARTS
from tests.checker.differential.search.ranges import SIZE, Told, counted, ranges
from tests.checker.machines.played import Tasks
from tests.model.simulation.drawn import drawn_start
from tests.power.fresh import FRESH

FEW = ("small", "clusters", "flips")
MACHINES = Machines(workers=3)
DEFECTS = {each.name: each.defect for each in FRESH}


def test_runs_on_several_machines_are_those_of_one(tasks: Tasks) -> None:
    start, asked = drawn_start(0, 100.0), Asked(0, judge=1)
    assert runs(start, range(4), asked, machines=MACHINES) == runs(start, range(4), asked, 1)
    assert tasks.begun == list(range(4))


def test_a_run_that_fails_elsewhere_says_so(tasks: Tasks, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> None:
        raise ValueError("broken")

    monkeypatch.setattr(module, "run", failing)
    with pytest.raises(RunFailed, match="run 0: ValueError: broken"):
        runs(drawn_start(0, 1.0), range(2), Asked(), machines=MACHINES)


@pytest.mark.usefixtures("tasks")
def test_an_interrupt_keeps_the_runs_that_have_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    run = module.run

    def interrupted(simulation: object, number: int, asked: Asked) -> object:
        if number == 5:
            raise KeyboardInterrupt
        return run(simulation, number, asked)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "run", interrupted)
    found, why = runs(drawn_start(0, 1.0), range(20), Asked(judge=0), machines=MACHINES)
    assert why == "interrupted"
    assert [each.number for each in found] == list(range(len(found))) and len(found) < 20


@pytest.mark.usefixtures("tasks")
def test_a_limit_of_memory_is_named_as_in_the_process_that_was_started(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("schedcheck.checker.simulating.running.BETWEEN_LOOKS", 1)
    start, asked = drawn_start(0, 100.0), Asked(0, judge=0, memory=0.001)
    with spelled({"limits.memory": "--memory"}.get):  # type: ignore[arg-type]
        given = (start, asked, parameter("limits.memory"))
    found = module._elsewhere(given, 0)
    assert isinstance(found, Run) and found.stopped == "--memory 0.001"


@pytest.mark.skipif(not os.access("/proc/self/clear_refs", os.W_OK), reason="the system cannot forget a peak")
def test_the_peak_of_an_earlier_run_in_the_same_process_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("schedcheck.checker.simulating.running.BETWEEN_LOOKS", 1)
    forget_peak()
    most = gigabytes() + 0.2
    earlier = bytearray(b"x") * (300 << 20)
    assert gigabytes() > most
    del earlier
    assert gigabytes() > most
    found = module._elsewhere((drawn_start(0, 100.0), Asked(0, judge=0, memory=most), "limits.memory"), 0)
    assert isinstance(found, Run) and found.stopped == ""


@pytest.mark.usefixtures("tasks")
def test_a_limit_that_is_reached_while_the_cluster_ends_leaves_nothing_out(monkeypatch: pytest.MonkeyPatch) -> None:
    told = module.in_turn
    start, asked = drawn_start(0, 1.0), Asked(judge=0)
    with limited(60) as limits:

        def slowly_ended(*given: Any) -> Iterator[Any]:
            try:
                yield from told(*given)
            finally:
                limits.begun -= 100
                time.sleep(0.5)

        def elsewhere(*given: Any) -> Any:
            # What ends on another machine switches no limit off here.
            found = there(*given)
            limits.off = False
            return found

        there = module._elsewhere
        monkeypatch.setattr(module, "_elsewhere", elsewhere)

        monkeypatch.setattr(module, "in_turn", slowly_ended)
        found, why = runs(start, range(1), asked, machines=MACHINES)
    assert (len(found), why) == (1, "")


def test_every_case_of_each_part_is_in_one_range() -> None:
    parts = tuple(PARTS)
    cases = [(each.part, number) for each in ranges(7, parts) for number in range(each.first, each.end)]
    assert len(cases) == len(set(cases))
    assert {part: sum(each == part for each, _ in cases) for part in ("small", "clusters", "gangs")} == {
        "small": 56,
        "clusters": 28,
        "gangs": 4,
    }
    assert all(each.end - each.first <= SIZE for each in ranges(7, parts))


def test_as_many_cases_are_searched_on_several_machines_as_on_one(tasks: Tasks) -> None:
    assert counted(3, 0, FEW, 2, MACHINES) == counted(3, 0, FEW, 2)
    assert len(tasks.begun) == len(list(ranges(3, FEW)))


@pytest.mark.usefixtures("tasks")
def test_the_first_difference_is_the_same_on_several_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    DEFECTS["the address of a host port is ignored"](monkeypatch)
    counts, found = counted(40, 0, ("clusters",), 2, MACHINES)
    assert found is not None and counts.total() < 160
    assert (counts, found) == counted(40, 0, ("clusters",), 2)
    assert search.main(["--again", f"{found[0]} {found[1]}"]) == 1
    monkeypatch.undo()
    assert search.main(["--again", f"{found[0]} {found[1]}"]) == 0


def test_the_engine_ray_needs_a_number_of_cases(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        search.main(["--engine", "ray"])
    assert end.value.code == 2
    assert "--engine ray: expected --cases" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--address", "127.0.0.1:1"), "--address: belongs to --engine ray"),
        (("--cases", "1", "--seconds", "1"), "--seconds: not possible with --cases"),
    ],
)
def test_options_that_would_be_ignored_are_refused(
    options: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        search.main(list(options))
    assert end.value.code == 2
    assert told in capsys.readouterr().err


def test_jobs_bound_the_cases_at_once_on_machines(tasks: Tasks) -> None:
    assert search.main(["--cases", "1", "--engine", "ray", "--jobs", "2", "--parts", *FEW]) == 0
    assert tasks.most == 2


def test_a_cluster_that_is_not_there_ends_the_search_with_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        search.main(["--engine", "ray", "--cases", "1", "--address", "127.0.0.1:1"])
    assert end.value.code == 3
    assert capsys.readouterr().err in (
        "no Ray cluster at 127.0.0.1:1: Connection refused\n",
        "ray is not installed; it comes with schedcheck[ray]\n",
    )


def test_what_is_counted_ends_with_the_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    told = [Told("small", 20, None), Told("flips", 7, ("flips", "0 6", "text")), Told("small", 20, None)]
    monkeypatch.setattr("tests.checker.differential.search.ranges.in_turn", lambda *given: (each for each in told))
    counts, found = counted(3, 0, FEW, 2, MACHINES)
    assert (dict(counts), found) == ({"small": 20, "flips": 7}, ("flips", "0 6", "text"))
