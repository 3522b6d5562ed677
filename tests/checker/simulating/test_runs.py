"""Many runs: the same whatever the number of processes; stopped runs report what they came to; and their summary"""

import os
import signal
import statistics
import threading
import time
from errno import ENOMEM
from random import Random

import pytest

from schedcheck.checker.limits.timer import LimitReached
from schedcheck.checker.simulating import runs as module
from schedcheck.checker.simulating.running import Asked, Run, run
from schedcheck.checker.simulating.runs import RunFailed, runs
from schedcheck.checker.simulating.summary import findings, rank, summary
from schedcheck.model.simulation.simulation import Simulation
from schedcheck.model.simulation.timeline import Arrive, Timed, Traits, When
from tests.model.simulation.drawn import a_node, a_pod, drawn_start, start_of

BUSY = start_of(
    [a_node(f"n{each}", 4) for each in range(5)],
    [],
    Timed(When(0.0, mean=0.05), Arrive((a_pod("p", 0.5),), Traits(runs=5.0))),
    until=1e6,
)
"""A simulation that takes much longer than a test."""


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(3))
def test_runs_do_not_depend_on_the_number_of_processes(seed: int) -> None:
    start = drawn_start(seed, 300.0)
    asked = Asked(seed, judge=3)
    alone, why = runs(start, range(3), asked, 1)
    assert why == "" and runs(start, range(3), asked, 3) == (alone, "")
    for each in alone:
        assert runs(start, [each.number], asked) == ((each,), "")
        assert run(Simulation(start), each.number, asked) == each
    assert len({each.actions for each in alone}) > 1


def test_runs_that_are_interrupted_report_what_they_came_to() -> None:
    begun = time.monotonic()
    threading.Timer(1.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    found, why = runs(BUSY, range(4), Asked(judge=0), 2)
    assert time.monotonic() - begun < 10
    assert why == "interrupted"
    assert [each.number for each in found] == [0, 1]
    assert all(each.stopped and 0 < each.ended < 1e6 and each.decisions for each in found)


def test_one_run_that_reaches_a_limit_reports_what_it_came_to(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = Simulation(BUSY)
    step, left = simulation.step, iter(range(3000))

    def limited() -> bool:
        if next(left, None) is None:
            raise LimitReached("limits.seconds 1")
        return step()

    monkeypatch.setattr(simulation, "step", limited)
    found = run(simulation, 0, Asked(judge=0))
    assert found.stopped == "limits.seconds 1" and 0 < found.ended < 1e6 and found.points[-1].time == found.ended


def test_a_run_beyond_the_memory_stops() -> None:
    (found,), why = runs(BUSY, [0], Asked(judge=0, memory=0.001))
    assert why == found.stopped == "limits.memory 0.001"


def test_a_run_that_fails_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object) -> None:
        raise ValueError("broken")

    monkeypatch.setattr(module, "run", failing)
    with pytest.raises(RunFailed, match=r"run [01]: ValueError: broken"):
        runs(BUSY, range(2), Asked(), 2)


def test_the_nearest_rank_is_the_least_value_that_enough_do_not_exceed() -> None:
    chance = Random(1)
    for size in range(1, 30):
        values = [chance.randrange(10) for _ in range(size)]
        for part in (0.01, 0.5, 0.95, 1.0):
            enough = [each for each in values if sum(other <= each for other in values) >= part * size]
            assert rank(values, part) == min(enough)
        assert rank(values, 0.5) == statistics.median_low(values)


def test_a_summary_has_the_range_over_the_runs() -> None:
    start = drawn_start(2, 300.0)
    found, _ = runs(start, range(3), Asked(judge=2), 1)
    together = summary(found)
    for each in together.workloads:
        bound = [len(one.waits[each.name].seconds) if each.name in one.waits else 0 for one in found]
        assert (each.bound.least, each.bound.greatest) == (min(bound), max(bound))
        waited = [one.waits[each.name].seconds for one in found if each.name in one.waits]
        if any(waited):
            assert each.longest is not None and each.longest.greatest == max(max(each) for each in waited if each)
    assert findings(found) == ()


def test_a_pod_that_no_scheduler_tries_is_reported_with_the_reason() -> None:
    pods = [
        a_pod("gated", scheduling_gates=("wait",)),
        a_pod("elsewhere", scheduler_name="other"),
        a_pod("large", 9),
    ]
    found = run(Simulation(start_of([a_node("n1")], pods, until=5.0)), 0, Asked())
    (waits,) = found.waits.values()
    messages = {each.pod: each.message for each in waits.waiting}
    assert messages["gated"] == "held back by its scheduling gates"
    assert messages["elsewhere"] == "waiting for the scheduler other"
    assert messages["large"].startswith("0/1 nodes are available: 1 Insufficient cpu")


def test_runs_are_made_here_if_the_system_makes_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(self: module.Team, number: int) -> None:
        raise OSError(ENOMEM, "Cannot allocate memory")

    start, asked = drawn_start(1, 300.0), Asked(1, judge=3)
    expected = runs(start, range(3), asked)
    monkeypatch.setattr(module.Team, "_begin", refused)
    assert runs(start, range(3), asked) == expected and len(expected[0]) == 3


def test_a_run_that_is_stopped_before_it_has_begun_reports_that_it_was_stopped() -> None:
    for number in range(5):
        found: list[Run] = []
        team = module.Team(Simulation(BUSY), Asked(judge=0), 1)
        team._begin(number)
        # The new process has hardly begun, and has no handler of this signal yet.
        team._stop(found.append)
        assert [(each.number, each.stopped) for each in found] == [(number, "stopped")]
