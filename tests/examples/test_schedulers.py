"""The example schedulers are right, and each planted mistake is found by `diff_scheduler` and by `check_scheduler`

The right ones passed 10,000 clusters each (docs/schedulers.md); here they pass fewer.
"""

import shutil
import sys
from pathlib import Path

import pytest

import schedcheck

FOLDER = Path(__file__).parents[2] / "examples" / "schedulers"
PYTHON, NODE, GO = "scheduler.py", "scheduler.mjs", "scheduler.go"
PROMISE = {PYTHON: "promise.yaml", NODE: "promise.yaml", GO: "promise-without-preemption.yaml"}
KINDS = {
    PYTHON: ("resources", "taints", "ports", "preemption", "budgets"),
    NODE: ("resources", "taints", "ports", "preemption", "budgets"),
    GO: ("resources", "taints", "priorities"),
}


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Go scheduler as a program."""
    import subprocess

    program = tmp_path_factory.mktemp("go") / "scheduler"
    subprocess.run(["go", "build", "-o", str(program), str(FOLDER / GO)], check=True)
    return program


@pytest.fixture
def command(request: pytest.FixtureRequest) -> list[str]:
    """The command of the scheduler that the test names."""
    name: str = request.param
    needed = {PYTHON: sys.executable, NODE: "node", GO: "go"}[name]
    if shutil.which(needed) is None:
        pytest.skip(f"{needed} is not installed")
    if name == GO:
        return [str(request.getfixturevalue("built"))]
    return [needed, str(FOLDER / name)]


def promise(name: str) -> schedcheck.Profile:
    return schedcheck.kubernetes(config=FOLDER / PROMISE[name])


@pytest.mark.parametrize("name", [PYTHON, NODE, GO])
def test_scheduler_has_at_most_150_lines(name: str) -> None:
    assert len((FOLDER / name).read_text("utf-8").splitlines()) <= 150


@pytest.mark.sampled(1)
@pytest.mark.parametrize(("command", "name"), [(each, each) for each in (PYTHON, NODE, GO)], indirect=["command"])
def test_right_scheduler_is_allowed_everything(command: list[str], name: str) -> None:
    found = schedcheck.diff_scheduler(
        command, profile=promise(name), asking=schedcheck.Asking(kinds=KINDS[name], count=60, ends=5, seed=3)
    )
    assert (found.complaints, found.exit_code, found.clusters) == ((), 0, 60)
    assert found.tallies.verdicts == {"allowed": found.tallies.asked}
    assert found.tallies.asked >= 60 and found.tallies.ends.total() == 5
    assert set(found.tallies.scores) == {0}


MISTAKES = [
    ("no-execute", ("taints",), 200, "refused", "filters", 1),
    ("defaults", ("resources",), 100, "refused", "bestScore", 3),
    pytest.param("tie", ("preemption",), 150, "refused", "reprieve", 3, marks=pytest.mark.slow),
    pytest.param("budget", ("budgets",), 800, "refused", "reprieve", 4, marks=pytest.mark.slow),
    ("stale", ("resources",), 30, "remembers", "", 3),
]
"""Each mistake, the kinds and number of clusters, what is wrong, and the most objects beside the pod.

A budget can matter only if there are two sets of victims to choose from: a node, two pods and the budget are the least.
"""


@pytest.mark.sampled(1)
@pytest.mark.parametrize("command", [PYTHON, NODE], indirect=True)
@pytest.mark.parametrize(("mistake", "kinds", "count", "kind", "clause", "objects"), MISTAKES)
def test_planted_mistake_is_found_and_made_small(
    command: list[str], mistake: str, kinds: tuple[str, ...], count: int, kind: str, clause: str, objects: int
) -> None:
    found = schedcheck.diff_scheduler([*command, mistake], profile=promise(PYTHON), asking=schedcheck.Asking(kinds=kinds, count=count, ends=0))  # fmt: skip
    assert found.exit_code == 1
    first = found.complaints[0]
    assert first.kind == kind and clause in first.clause and first.confirmed
    assert first.objects <= objects
    assert [len(each.question["cluster"]["items"]) <= objects + 2 for each in first.before] == [True] * len(
        first.before
    )


@pytest.mark.sampled(1)
@pytest.mark.parametrize("command", [GO], indirect=True)
@pytest.mark.parametrize(("mistake", "kinds", "count", "kind", "clause", "objects"), [*MISTAKES[:2], MISTAKES[4]])
def test_planted_mistake_of_a_program_in_go_is_found(
    command: list[str], mistake: str, kinds: tuple[str, ...], count: int, kind: str, clause: str, objects: int
) -> None:
    found = schedcheck.diff_scheduler(
        [*command, mistake], profile=promise(GO), asking=schedcheck.Asking(kinds=kinds, count=count, ends=0)
    )
    first = found.complaints[0]
    assert first.kind == kind and clause in first.clause and first.objects <= objects


def explored(command: list[str], name: str) -> schedcheck.SchedulerCheck:
    return schedcheck.check_scheduler(schedcheck.read(FOLDER / "cluster"), command, profile=promise(name))


@pytest.mark.parametrize("command", [PYTHON], indirect=True)
def test_right_scheduler_is_allowed_everything_in_every_state(command: list[str]) -> None:
    found = explored(command, PYTHON)
    assert found.verdict is schedcheck.Verdict.HOLDS
    assert [(each.name, each.verdict) for each in found.properties] == [
        ("no_overcommit", "holds"),
        ("decides_as_allowed", "holds"),
    ]
    assert found.failed == found.differing == ()
    # Questions with the same pod and the same knowledge are asked once.
    assert found.asked < found.states


@pytest.mark.sampled(2)
@pytest.mark.parametrize("command", [PYTHON, NODE], indirect=True)
@pytest.mark.parametrize(
    ("mistake", "clause", "steps", "objects"),
    [
        ("no-execute", "victimsHelp", 3, 3),
        ("defaults", "bestScore", 2, 3),
        ("tie", "reprieve", 2, 3),
        ("budget", "reprieve", 3, 4),
        ("stale", "", 3, 3),
    ],
)
def test_planted_mistake_is_found_in_a_reachable_state(
    command: list[str], mistake: str, clause: str, steps: int, objects: int
) -> None:
    found = explored([*command, mistake], PYTHON)
    assert found.verdict is schedcheck.Verdict.VIOLATED
    assert [each.property for each in found.violations] == ["decides_as_allowed"]
    assert len(found.violations[0].trace) == steps + 1
    assert found.why is not None and found.why.judged is not None and found.smallest is not None
    assert clause in found.why.judged.clause
    assert len(found.smallest.question["cluster"]["items"]) - 1 <= objects
    assert (found.differing != ()) == (mistake == "stale")
