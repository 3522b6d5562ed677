"""The public API: the results of its functions, no output, and errors of one base class"""

import gzip
import inspect
import json
import subprocess
import sys
import threading
from dataclasses import FrozenInstanceError
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import schedcheck
from schedcheck.api.answer import within
from schedcheck.checker.limits.parameters import spelled
from schedcheck.cli import main
from schedcheck.commands.option_names import option

EXAMPLES = Path(__file__).parents[3] / "examples"
VIOLATED = str(EXAMPLES / "gpu-small-without-taints")
DUMP = str(EXAMPLES / "dump")
SMALL = str(EXAMPLES / "gpu-small")


def printed(capsys: pytest.CaptureFixture[str], *argv: str) -> Any:
    main([*argv, "--format", "json"])
    return json.loads(capsys.readouterr().out)


def without_seconds(found: dict[str, Any]) -> dict[str, Any]:
    return found | {"counts": {name: value for name, value in found["counts"].items() if name != "seconds"}}


def test_every_exported_name_is_importable() -> None:
    for name in schedcheck.__all__:
        assert getattr(schedcheck, name) is not None
    assert set(schedcheck.__all__) < set(dir(schedcheck))
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        schedcheck.nothing  # noqa: B018


def test_a_check_returns_the_verdict_and_the_shortest_trace() -> None:
    found = schedcheck.check(schedcheck.read(VIOLATED))
    assert found.verdict is schedcheck.Verdict.VIOLATED
    (violation,) = found.violations
    assert violation.trace[0].action == ""
    last = violation.trace[-1]
    assert last.action.startswith("Bind(")
    assert [pod for pod in last.snapshot.pods if pod.node_name]
    standing = {each.name: each.verdict for each in found.properties}
    assert standing[violation.property] == "violated"


def test_a_check_of_named_properties_asks_only_these() -> None:
    found = schedcheck.check(schedcheck.read(SMALL), properties=["no_overcommit"])
    assert [(each.name, each.verdict) for each in found.properties] == [("no_overcommit", "holds")]


def test_a_check_of_one_pod_has_the_answer_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    with spelled(option):
        found = schedcheck.check(schedcheck.read(DUMP), about="pod/data/db-0", limits=schedcheck.Limits(states=300))
    shown = printed(capsys, "check", DUMP, "--pod", "data/db-0", "--max-states", "300")
    assert without_seconds(found.to_json()) == without_seconds(shown)


@pytest.mark.parametrize("about", ["data/db-0", "node/n1", "pod/"])
def test_about_must_name_a_pod_or_a_budget(about: str) -> None:
    with pytest.raises(schedcheck.InputError, match=r"expected pod/NAME or budget/NAME"):
        schedcheck.check(schedcheck.read(DUMP), about=about)


def test_a_limited_check_returns_its_partial_result() -> None:
    found = schedcheck.check(schedcheck.read(str(EXAMPLES / "reference")), limits=schedcheck.Limits(states=100))
    assert found.verdict is schedcheck.Verdict.GAVE_UP
    assert found.exit_code == 2
    assert found.states >= 100


def test_a_limit_before_there_is_an_answer_raises_gave_up() -> None:
    with (
        pytest.raises(schedcheck.GaveUp, match=r"gave up at limits.seconds 0.05"),
        within(schedcheck.Limits(seconds=0.05)),
    ):
        threading.Event().wait(30)


@pytest.mark.parametrize(
    "answer",
    [
        lambda: schedcheck.check(schedcheck.read(SMALL)),
        lambda: schedcheck.explain(schedcheck.read(SMALL), "web-1"),
        lambda: schedcheck.victims(schedcheck.read(SMALL), "web-1"),
        lambda: schedcheck.optimum(schedcheck.read(SMALL)),
        lambda: schedcheck.induct(schedcheck.read(SMALL)),
        lambda: schedcheck.diff(schedcheck.read(DUMP)),
        lambda: schedcheck.conformance(
            EXAMPLES.parent / "tests" / "data" / "conformance" / "quirks.jsonl.gz", profile="kubernetes-1.34.1"
        ),
        lambda: schedcheck.smallest(objects=3, total=4),
    ],
)
def test_an_answer_is_frozen_prints_nothing_and_has_no_truth_value(
    answer: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    found = answer()
    assert capsys.readouterr() == ("", "")
    with pytest.raises(TypeError, match="not true or false"):
        bool(found)
    with pytest.raises(FrozenInstanceError):
        found.notes = ()
    assert json.loads(found.text()) == json.loads(json.dumps(found.to_json()))


def test_an_explanation_has_the_same_keys_for_every_profile() -> None:
    cluster = schedcheck.read(SMALL)
    profiles = [schedcheck.kubernetes(), schedcheck.corrected(), schedcheck.article(), schedcheck.classic()]
    answers = [schedcheck.explain(cluster, "web-1", profile=each).to_json() for each in profiles]
    aside = {"fieldsNotLookedAt", "onMissingNodes"}
    assert {frozenset(each) - aside for each in answers} == {frozenset(answers[0]) - aside}
    assert {frozenset(node) for each in answers for node in each["nodes"]} == {
        frozenset({"node", "feasible", "source", "refusals", "short", "scores", "total"})
    }


def test_an_explanation_names_the_refusals_and_the_scores_of_each_node() -> None:
    found = schedcheck.explain(schedcheck.read(SMALL), "training-1", profile="kubernetes")
    assert found.kind == "scheduled"
    assert set(found.best) <= {name for name, node in found.nodes.items() if node.feasible}
    refused = [node for node in found.nodes.values() if node.feasible is False]
    assert refused and all(node.refusals and node.scores is None for node in refused)
    scores = found.nodes[found.best[0]].scores
    assert scores is not None and scores["TaintToleration"].weighted == 300
    assert {str(each) for each in found.decisions or ()} == {f"Bind(training-1, {name})" for name in found.best}


def test_an_unschedulable_pod_gets_the_event_of_kube_scheduler() -> None:
    found = schedcheck.explain(schedcheck.read(DUMP), "data/db-2")
    assert found.event.startswith("0/6 nodes are available: ")


def test_the_least_victims_are_those_of_the_example_and_proved() -> None:
    cluster = schedcheck.read(str(EXAMPLES / "least-casualty"))
    least = schedcheck.victims(cluster, "platform", profile="corrected").least
    assert least is not None and least.proved
    assert (least.node, {str(pod) for pod in least.victims or ()}) == ("node-2", {"batch-1", "batch-2"})


def test_the_notes_of_the_input_are_returned_and_observed() -> None:
    found = schedcheck.explain(schedcheck.read(DUMP), "data/db-2")
    assert "not read: 1 CustomResourceDefinition, 1 Job, 2 Tenant" in found.notes
    heard: list[str] = []
    schedcheck.explain(schedcheck.read(DUMP), "data/db-2", observer=schedcheck.Observer(note=heard.append))
    assert tuple(heard) == found.notes


def test_a_plugin_may_be_given_as_a_class(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES.parent))
    from examples.plugins.team_rules import fewest_first, own_nodes  # type: ignore[import-not-found,unused-ignore]
    from examples.plugins.teams import Teams  # type: ignore[import-not-found,unused-ignore]

    cluster = schedcheck.read(str(EXAMPLES / "plugins" / "cluster"))
    agreed = schedcheck.diff(cluster, plugins=[Teams], rules=[own_nodes, fewest_first])
    by_name = schedcheck.diff(
        cluster, plugins=["examples.plugins.teams:Teams"], rules=["examples.plugins.team_rules:own_nodes", "examples.plugins.team_rules:fewest_first"]
    )  # fmt: skip
    assert agreed.to_json() == by_name.to_json()
    assert schedcheck.diff(cluster, plugins=[Teams], rules=[fewest_first]).unexcused


@pytest.mark.parametrize(
    ("name", "module"), [("Feasibility", "Filters.tla"), ("PodTopologySpread", "KubeFilterSpread.tla"), ("bound_to", "Binding.tla")]
)  # fmt: skip
def test_a_definition_is_found_by_plugin_operator_or_function(name: str, module: str) -> None:
    found = schedcheck.definition(name)
    assert module in {each.tla_module for each in found}
    assert all((EXAMPLES.parent / each.file).is_file() and each.line > 0 for each in found)


def test_a_definition_of_a_plugin_names_its_source() -> None:
    assert any("plugins/podtopologyspread" in each.kubernetes for each in schedcheck.definition("PodTopologySpread"))


def test_an_unknown_definition_is_an_error_with_the_nearest_name() -> None:
    with pytest.raises(schedcheck.InputError, match="Feasibility"):
        schedcheck.definition("Feasability")


@pytest.mark.parametrize("error", ["GaveUp", "InputError", "Unanswerable"])
def test_every_error_is_a_schedcheck_error(error: str) -> None:
    assert issubclass(getattr(schedcheck, error), schedcheck.SchedcheckError)


def test_no_function_takes_more_than_nine_parameters() -> None:
    functions = [getattr(schedcheck, name) for name in schedcheck.__all__]
    counts = {each.__name__: len(inspect.signature(each).parameters) for each in functions if inspect.isfunction(each)}
    assert len(counts) >= 10
    assert {name: count for name, count in counts.items() if count > 9} == {}


def test_importing_the_package_imports_no_submodule() -> None:
    asked = "import sys, schedcheck; print([name for name in sys.modules if name.startswith('schedcheck.')])"
    made = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert made.stdout == "['schedcheck.version']\n"


def test_the_smallest_cluster_is_one_on_which_reprieve_evicts_more(tmp_path: Path) -> None:
    found = schedcheck.smallest(profile="corrected")
    (reprieved, worse), (least, better) = found.ways["reprieve"], found.ways["least"]
    assert worse > better and reprieved != least
    file = tmp_path / "cluster.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": found.manifests}))
    pending = [str(pod) for pod in schedcheck.read(file).pods if not pod.node_name]
    answer = schedcheck.victims(schedcheck.read(file), pending[0], profile="corrected")
    assert answer.least is not None and answer.least.casualty == better


def test_conformance_of_a_changed_record_is_violated(tmp_path: Path) -> None:
    recorded = EXAMPLES.parent / "tests" / "data" / "conformance" / "ports.jsonl.gz"
    lines = gzip.decompress(recorded.read_bytes()).decode().splitlines()
    file = tmp_path / "changed.jsonl"
    changed = next(line for line in lines if "didn't have free ports" in line)
    file.write_text(changed.replace("didn't have free ports", "had no free ports") + "\n")
    assert schedcheck.conformance(recorded, profile="kubernetes-1.34.1").verdict == "holds"
    found = schedcheck.conformance(file, profile="kubernetes-1.34.1")
    assert (found.verdict, found.exit_code) == ("violated", 1)


def test_every_named_property_is_listed_with_a_claim() -> None:
    found = {each.name: each for each in schedcheck.properties()}
    assert found["no_overcommit"].default and found["no_overcommit"].claim
    assert "stays_on(app=web, disk!=ssd)" in found


@pytest.mark.parametrize("profile", ["kube", schedcheck.Profile("kube")])
def test_a_profile_that_does_not_exist_is_an_input_error(profile: Any) -> None:
    with pytest.raises(schedcheck.InputError, match=r"^profile: 'kube': expected one of article, corrected"):
        schedcheck.explain(schedcheck.read(SMALL), "web-1", profile=profile)


def test_no_name_of_the_interface_is_also_a_module() -> None:
    """The import of a submodule replaces the name in the package."""
    taken = [name for name in schedcheck.__all__ if find_spec(f"schedcheck.{name}") is not None]
    assert taken == []
