"""The pytest plugin: its options, fixtures and marker, in runs of their own"""

import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from schedcheck.checker.judging.judged import STRICTNESSES
from schedcheck.pytest_plugin import OPTIONS
from schedcheck.pytest_plugin import STRICTNESSES as OFFERED

pytest_plugins = ["pytester"]

LOADED = bool(entry_points(group="pytest11", name="schedcheck"))
"""Whether the installed metadata names the plugin already; else it is loaded by name."""

FIRST = """
import json, sys
for line in sys.stdin:
    question = json.loads(line)
    nodes = [each for each in question["cluster"]["items"] if each["kind"] == "Node"]
    print("asked", file=sys.stderr)
    print(json.dumps({"kind": "bind", "node": nodes[PLACE]["metadata"]["name"]}), flush=True)
"""
TESTS = """
from hypothesis import given, settings
from schedcheck.testing import questions

def node(name, cpu):
    return {"kind": "Node", "metadata": {"name": name}, "status": {"allocatable": {"cpu": cpu, "pods": "9"}}}

POD = {"kind": "Pod", "metadata": {"name": "web", "namespace": "default", "uid": "u"},
       "spec": {"containers": [{"name": "c", "image": "a", "resources": {"requests": {"cpu": "1"}}}]}}
CLUSTER = [node("n1", "4"), node("n2", "2"), POD]

def test_one(scheduler_program):
    scheduler_program.assert_allowed(CLUSTER, POD)

@settings(max_examples=5, deadline=None)
@given(questions({"priorities"}))
def test_many(scheduler_program, question):
    pod, cluster = question
    scheduler_program.assert_allowed(cluster, pod, strictness="feasible")

def test_other():
    pass
"""


def run(pytester: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    pytester.makepyfile(test_it=TESTS)
    loaded = () if LOADED else ("-p", "schedcheck.pytest_plugin")
    return pytester.runpytest_inprocess(*loaded, "-p", "no:cacheprovider", "-p", "no:xdist", *arguments)


def scheduler(pytester: pytest.Pytester, place: int) -> str:
    """The command of a scheduler that binds every pod to the node at this place."""
    file = pytester.makepyfile(**{f"scheduler{place}": FIRST.replace("PLACE", str(place))})
    return f"{sys.executable} {file}"


def test_a_right_scheduler_passes_and_is_started_once(pytester: pytest.Pytester) -> None:
    made = run(pytester, "--schedcheck-scheduler", scheduler(pytester, 0))
    made.assert_outcomes(passed=3)


def test_a_wrong_scheduler_fails_with_the_clause_and_without_inner_frames(pytester: pytest.Pytester) -> None:
    made = run(pytester, "--schedcheck-scheduler", scheduler(pytester, 1), "-k", "test_one")
    made.assert_outcomes(failed=1, deselected=2)
    made.stdout.fnmatch_lines(
        [
            "E *NotAllowed: web: bind to n2 is not allowed (kubernetes, best)",
            "E * clause   bestScore: a pod is bound to a feasible node with the highest score",
            "E * allowed  bind to n1",
        ]
    )
    made.stdout.no_fnmatch_line("*asserting.py*")
    made.stdout.no_fnmatch_line("*driven.py*")


def test_the_strictness_is_an_option(pytester: pytest.Pytester) -> None:
    command = scheduler(pytester, 1)
    made = run(pytester, "--schedcheck-scheduler", command, "--schedcheck-strictness", "feasible", "-k", "test_one")
    made.assert_outcomes(passed=1, deselected=2)


def test_options_may_stand_in_the_configuration_file(pytester: pytest.Pytester) -> None:
    pytester.makeini(
        f"[pytest]\nschedcheck_scheduler = {scheduler(pytester, 1)}\nschedcheck_strictness = feasible\n"
        "schedcheck_profile = corrected\nschedcheck_answer_time = 60\naddopts = --strict-markers --strict-config\n"
    )
    run(pytester, "-k", "test_one").assert_outcomes(passed=1, deselected=2)
    run(pytester, "-k", "test_one", "--schedcheck-strictness", "best").assert_outcomes(failed=1, deselected=2)


def test_a_project_may_override_the_command_in_its_conftest(pytester: pytest.Pytester) -> None:
    words = scheduler(pytester, 0).split()
    pytester.makeconftest(
        f"import pytest\n\n@pytest.fixture(scope='session')\ndef scheduler_command():\n    return {words}\n"
    )
    run(pytester).assert_outcomes(passed=3)


def test_programs_may_be_started_with_options_of_their_own(pytester: pytest.Pytester) -> None:
    command = scheduler(pytester, 1)
    pytester.makepyfile(
        test_two=f"""
        from test_it import CLUSTER, POD

        def test_both(start_scheduler):
            easy = start_scheduler({command!r}, strictness="feasible")
            assert easy.assert_allowed(CLUSTER, POD).strictness == "feasible"
            assert start_scheduler({command!r}).decide(CLUSTER, POD)["node"] == "n2"
        """
    )
    run(pytester, "-k", "test_both").assert_outcomes(passed=1, deselected=3)


def test_without_a_scheduler_the_fixture_says_how_to_set_one(pytester: pytest.Pytester) -> None:
    made = run(pytester)
    made.assert_outcomes(passed=1, errors=2)
    made.stdout.fnmatch_lines(["no scheduler: set --schedcheck-scheduler, *"])


def test_tests_that_drive_a_scheduler_are_marked(pytester: pytest.Pytester) -> None:
    run(pytester, "-m", "not scheduler_program", "--strict-markers").assert_outcomes(passed=1, deselected=2)
    run(pytester, "--markers").stdout.fnmatch_lines(["@pytest.mark.scheduler_program: *"])


@pytest.mark.parametrize(
    ("option", "value"), [("strictness", "good"), ("answer-time", "0"), ("answer-time", "soon"), ("answer-time", "inf")]
)
def test_a_wrong_option_is_refused_before_any_test(pytester: pytest.Pytester, option: str, value: str) -> None:
    made = run(pytester, f"--schedcheck-{option}", value)
    assert made.ret == pytest.ExitCode.USAGE_ERROR
    made.stderr.fnmatch_lines([f"ERROR: schedcheck-{option}: '{value}': expected *"])


def test_a_program_that_fails_is_shown_with_its_standard_error(pytester: pytest.Pytester) -> None:
    file = pytester.makepyfile(broken="import sys\nsys.stdin.readline()\nsys.exit('no room')")
    made = run(pytester, "--schedcheck-scheduler", f"{sys.executable} {file}", "-k", "test_one")
    made.stdout.fnmatch_lines(["E *SchedulerFailed: *broken.py: it ended with exit status 1", "E *  no room"])


def test_the_help_names_every_option(pytester: pytest.Pytester) -> None:
    told = run(pytester, "--help").stdout.str()
    assert all(f"--schedcheck-{name}" in told for name, _, _ in OPTIONS)


def test_the_plugin_offers_the_strictnesses_that_there_are() -> None:
    assert OFFERED == STRICTNESSES


def test_the_plugin_imports_nothing_else_of_schedcheck_when_pytest_starts() -> None:
    program = (
        "import sys, pytest; before = set(sys.modules); import schedcheck.pytest_plugin; "
        "print(*sorted(set(sys.modules) - before))"
    )
    made = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert set(made.stdout.split()) <= {"schedcheck", "schedcheck.version", "schedcheck.pytest_plugin"}


def test_the_project_names_the_plugin_as_entry_point(pytestconfig: pytest.Config) -> None:
    text = Path(pytestconfig.rootpath, "pyproject.toml").read_text()
    assert '[project.entry-points.pytest11]\nschedcheck = "schedcheck.pytest_plugin"\n' in text
