"""Counterexamples as ITF files and as TLA+ modules have the states of the trace"""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from schedcheck.checker.check import Checked, check
from schedcheck.checker.language.checking.config import configuration
from schedcheck.checker.language.evaluation.evaluator import Session
from schedcheck.checker.language.standard.modules import MODULES
from schedcheck.checker.language.syntax.loading import loaded
from schedcheck.errors import InputError
from schedcheck.manifests import read, scenario
from schedcheck.model.scenario import Scenario
from schedcheck.spec.faults import Fault
from schedcheck.tla_export.from_records import snapshot_of
from schedcheck.tla_export.itf import expression
from schedcheck.tla_export.records import exactly, scaled
from schedcheck.tla_export.text import Function, Record, Set
from schedcheck.tla_export.trace_files import fitting, write
from schedcheck.tla_export.values import evaluated
from tests.schedcheck.tla_export.itf_reading import value, values
from tests.schedcheck.tla_export.shape import shape

ROOT = Path(__file__).resolve().parents[3]


def of(folder: str) -> Scenario:
    return scenario(read([ROOT / folder]), frozenset(Fault))


def broken(folder: str) -> Checked:
    """The scenario with its violations; where nothing is violated, the property no_eviction is checked."""
    made = of(folder)
    asked = replace(made, properties=("no_eviction",)) if folder.startswith("tests") else made
    found = check(asked, symmetry=False)
    assert [each for each in found.result.violations if each.trace]
    return found


VIOLATED = [
    "examples/preemption-chain",
    "examples/eviction-served-another",
    "examples/budget-broken",
    "tests/tla/scenarios/kube-preemption.yaml",
    "tests/tla/scenarios/classic-preemption.yaml",
]


@pytest.mark.parametrize("folder", VIOLATED)
def test_an_itf_trace_has_the_states_of_the_trace(folder: str, tmp_path: Path) -> None:
    found = broken(folder)
    (path,) = write(found, tmp_path / "trace.itf.json")
    trace = json.loads(path.read_text(encoding="utf-8"))
    violation = next(each for each in found.result.violations if each.trace)
    records = exactly(found.scenario)
    views = [found.machine.view(stage.state) for stage in violation.trace]
    closed = violation.loop is not None and violation.loop < len(views) - 1
    stated = values(trace)
    assert stated == [records.snapshot(view) for view in (views[:-1] if closed else views)]
    assert trace.get("loop") == violation.loop
    actions = [state["#meta"].get("action") for state in trace["states"]]
    assert actions == [None if stage.action is None else str(stage.action) for stage in violation.trace][: len(stated)]
    resources = frozenset(records.scale.resources)
    for back, view in zip((snapshot_of(each, records) for each in stated), views, strict=False):
        held = shape(view, kubernetes=records.kubernetes, resources=resources)
        assert shape(back, kubernetes=records.kubernetes, resources=resources) == held


@pytest.mark.parametrize("folder", VIOLATED)
def test_a_trace_module_has_the_states_of_the_trace(folder: str, tmp_path: Path) -> None:
    found = broken(folder)
    path, beside = write(found, tmp_path / "Trace.tla")
    module = loaded(path, (), MODULES)
    session = Session(module.modules, module.root.name, configuration(beside))
    violation = next(each for each in found.result.violations if each.trace)
    records = scaled(found.scenario)
    stated = session.value("Trace")
    assert [each["Objects"] for each in stated] == [
        records.snapshot(found.machine.view(stage.state)) for stage in violation.trace
    ]
    assert [each["Action"] for each in stated] == ["" if s.action is None else str(s.action) for s in violation.trace]
    assert session.value("Loop") == (0 if violation.loop is None else violation.loop + 1)


def test_a_lasso_returns_to_the_state_that_its_loop_names(tmp_path: Path) -> None:
    found = check(of("examples/eviction-served-another"), symmetry=False)
    loops = [each for each in found.result.violations if each.loop is not None]
    assert loops == [] or all(each.trace[each.loop or 0].state == each.trace[-1].state for each in loops)
    assert write(found, tmp_path / "trace.itf.json")


def test_every_kind_of_value_is_written_in_the_format() -> None:
    written = Record(
        {
            "Yes": True,
            "Large": 2**60,
            "Owner": ("ReplicaSet", "rs"),
            "Sequence": (1, 2),
            "Set": Set(("a", "b")),
            "Map": Function({"x": -1}),
            "Nothing": None,
        }
    )
    assert expression(written) == {
        "Yes": True,
        "Large": {"#bigint": str(2**60)},
        "Owner": {"#tup": ["ReplicaSet", "rs"]},
        "Sequence": [{"#bigint": "1"}, {"#bigint": "2"}],
        "Set": {"#set": ["a", "b"]},
        "Map": {"#map": [["x", {"#bigint": "-1"}]]},
        "Nothing": {"#unserializable": "Null"},
    }
    assert value(expression(written)) == evaluated(written)


def test_a_value_that_is_not_in_the_format_is_refused() -> None:
    with pytest.raises(ValueError, match="not an expression"):
        value({"#bag": []})


@pytest.mark.parametrize("name", ["trace.json", "trace.yaml", "my-trace.tla"])
def test_a_file_name_of_no_known_format_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="trace: "):
        fitting(Path(name))
