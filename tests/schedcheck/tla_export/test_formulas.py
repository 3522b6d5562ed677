"""A TLA+ formula becomes the property that it states, and either engine checks it"""

from dataclasses import replace
from pathlib import Path

import pytest

from schedcheck.checker.check import check
from schedcheck.checker.limits.durable import Unusable
from schedcheck.checker.result import Result, Verdict
from schedcheck.errors import InputError
from schedcheck.manifests import read, scenario
from schedcheck.model.scenario import Scenario
from schedcheck.spec.faults import Fault
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.properties.kinds import Always, Behaves, Eventually, InfinitelyOften, LeadsTo, Step
from schedcheck.tla_export.formulas import Vocabulary
from schedcheck.tla_export.property_names import called

ROOT = Path(__file__).resolve().parents[3]


def of(name: str, profile: str = "") -> Scenario:
    made = scenario(read([ROOT / "examples" / name]), frozenset(Fault), profile)
    return replace(made, plugins=(DEFAULT_PLUGINS,))


def asked(text: str, name: str, profile: str = "", engine: str = "direct") -> Result:
    cluster = of(name, profile)
    return check(cluster, rules=(Vocabulary(cluster).property_of(text),), alone=True, engine=engine).result


def trace(result: Result) -> list[str]:
    return [str(stage.action) for stage in result.violations[0].trace[1:]]


HOLDING = [
    "TypeOK",
    "NoOvercommit",
    "Cardinality(Unbound) <= 2",
    r'\A p \in Pods, n \in Nodes : BoundTo(p, n) => Used(n, "cpu") <= Allocatable(n, "cpu")',
    r"[](Turn \subseteq Unbound)",
]
BROKEN = [
    (r'\A p \in Pods : p.Spec.NodeName = ""', ["Arrive(db)", "Bind(db, node-1)"]),
    (r"Turn = {}", ["Arrive(db)"]),
    (r"[](Unbound = {})", ["Arrive(db)"]),
]


@pytest.mark.parametrize("engine", ["direct", "both"])
@pytest.mark.parametrize("text", HOLDING)
def test_formulas_that_hold_are_verified(text: str, engine: str) -> None:
    result = asked(text, "label-removed", engine=engine)
    assert result.verdict is Verdict.HOLDS
    assert result.distinct == 6


@pytest.mark.parametrize("engine", ["direct", "both"])
@pytest.mark.parametrize(("text", "way"), BROKEN)
def test_a_violated_formula_has_the_shortest_trace(text: str, way: list[str], engine: str) -> None:
    result = asked(text, "label-removed", engine=engine)
    assert result.verdict is Verdict.VIOLATED
    assert trace(result) == way


@pytest.mark.parametrize("engine", ["direct", "both"])
def test_a_formula_about_steps_is_checked_on_every_step_with_a_change(engine: str) -> None:
    stays = r"""\A p \in Pods : p.Spec.NodeName # "" => p.Spec.NodeName' = p.Spec.NodeName"""
    assert asked(stays, "label-removed", engine=engine).verdict is Verdict.HOLDS
    assert trace(asked("Objects' = Objects", "label-removed", engine=engine)) == ["Arrive(db)"]
    turning = "[][Turn # {} => Turn' = Turn]_Objects"
    assert trace(asked(turning, "label-removed", engine=engine)) == ["Arrive(db)", "Bind(db, node-1)"]


def test_a_violation_of_a_temporal_formula_is_a_cycle() -> None:
    result = asked("Turn # {} ~> Turn = {}", "head-of-line")
    (violation,) = result.violations
    assert violation.loop is not None
    assert violation.trace[violation.loop].state == violation.trace[-1].state


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("TypeOK", Always),
        ("[]TypeOK", Always),
        ("UNCHANGED Objects", Step),
        ("[][UNCHANGED Objects]_Objects", Step),
        ("<>(Turn = {})", Eventually),
        ("[]<>(Turn = {})", InfinitelyOften),
        ("(Turn # {}) ~> (Turn = {})", LeadsTo),
        ("~<>(Turn # {})", Always),
        ("<>[](Turn = {})", Behaves),
        ("WF_Objects(Scheduler) => <>(Turn = {})", Behaves),
    ],
)
def test_the_kind_of_property_follows_from_the_formula(text: str, kind: type) -> None:
    assert type(Vocabulary(of("label-removed")).property_of(text)) is kind


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (r"\A p \in Pods p", "formula:1:15: expected an operator, `,` or `:`, found p"),
        ("Podds = {}", "formula:1:1: unknown operator: Podds"),
        (r"FALSE => \A p \in Pods : \E q \in {} : Podds(q)", "formula:1:40: unknown operator: Podds"),
        (
            "(Turn # {} ~> Turn = {}) \\/ (Pods # {} ~> Pods = {})",
            "formula:1:2: a temporal formula of this form is not checked",
        ),
        ("Feasibility(1) = TRUE", "formula:1:1: "),
        ("missing.tla!Safe", "missing.tla"),
        ("missing.tla", "which operator of the file is asked? write FILE.tla!Name"),
    ],
)
def test_an_invalid_property_is_refused_in_one_line(text: str, says: str) -> None:
    with pytest.raises(InputError) as error:
        asked(text, "label-removed")
    assert str(error.value).startswith("properties: ")
    assert says in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("engine", ["direct", "tabulated"])
def test_a_formula_without_a_truth_value_is_refused_with_the_place(engine: str) -> None:
    with pytest.raises(InputError, match=r"properties: formula:1:1: .*neither TRUE nor FALSE"):
        asked("Cardinality(Pods)", "label-removed", engine=engine)


FILE = r"""
---- MODULE Own ----
EXTENDS Properties
Placed == {Pod \in Pods(Objects) : Pod.Spec.NodeName # ""}
Nobody == Placed = {}
Safe == NoOvercommit /\ TypeOK
Stays == \A Pod \in Placed : Pod.Spec.NodeName' # ""
====
"""


def test_an_operator_of_a_file_is_a_property(tmp_path: Path) -> None:
    path = tmp_path / "Own.tla"
    path.write_text(FILE, encoding="utf-8")
    assert asked(f"{path}!Safe", "label-removed").verdict is Verdict.HOLDS
    assert trace(asked(f"{path}!Nobody", "label-removed")) == ["Arrive(db)", "Bind(db, node-1)"]
    with pytest.raises(InputError, match="properties: Own:1:1: module Own does not define Unsafe"):
        asked(f"{path}!Unsafe", "label-removed")


def test_levels_of_a_changed_formula_are_not_resumed_from(tmp_path: Path) -> None:
    path, levels = tmp_path / "Own.tla", tmp_path / "levels"

    def run() -> Result:
        cluster = of("label-removed")
        rules = (Vocabulary(cluster).property_of(f"{path}!Safe"),)
        return check(cluster, rules=rules, alone=True, engine="tabulated", checkpoint=levels).result

    path.write_text(FILE, encoding="utf-8")
    assert run().verdict is run().verdict is Verdict.HOLDS
    path.write_text(FILE.replace(r"Safe == NoOvercommit /\ TypeOK", "Safe == Nobody"), encoding="utf-8")
    with pytest.raises(Unusable, match="not the same questions"):
        run()


def test_a_module_with_its_own_variables_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "Own.tla"
    path.write_text("---- MODULE Own ----\nVARIABLE x\nSafe == x = 1\n====\n", encoding="utf-8")
    with pytest.raises(InputError, match="the variable x is none of the model"):
        asked(f"{path}!Safe", "label-removed")


def test_operators_of_kube_scheduler_are_in_scope_under_its_profile() -> None:
    name, profile = "eviction-served-another", "kubernetes"
    bound = r'\A p \in KubeTurn : \E d \in KubeDecisions(p) : d.Kind = "Bind"'
    assert asked(bound, name, profile).verdict is Verdict.VIOLATED
    assert asked(r"\A p \in KubeTurn : KubeDecisions(p) # {}", name, profile).verdict is Verdict.HOLDS
    with pytest.raises(InputError, match="unknown operator: KubeTurn"):
        asked(r"KubeTurn = {}", name)


def test_a_formula_finds_what_the_equivalent_named_property_finds() -> None:
    cluster = of("head-of-line")
    formula = Vocabulary(cluster).property_of(r"Pods # {} => Unbound # {}")
    found = check(cluster, rules=(formula,), alone=True).result
    named = check(replace(cluster, properties=("all_pods_bound",)), symmetry=False).result
    assert found.verdict is Verdict.VIOLATED
    assert named.verdict is Verdict.HOLDS
    (last,) = {len(each.trace) for each in found.violations}
    assert last == 3


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("no_overcommit", "no_overcommit"),
        ("never_evicted(web-1)", "never_evicted"),
        (" stays_on(app in (a, b), disk) ", "stays_on"),
        ("WF_Objects(Scheduler) => <>(Turn = {})", ""),
        ("WF_Objects(Scheduler)", ""),
        ("Cardinality(Pods) = Cardinality(Nodes)", ""),
        ("Own.tla!Safe", ""),
        ("Turn = {}", ""),
    ],
)
def test_the_name_of_a_property_is_recognised(text: str, name: str) -> None:
    assert called(text) == name


@pytest.mark.parametrize(
    ("text", "vacuous"),
    [
        (r"\A Pod \in Pods(Objects) : Bound(Pod, Objects) => Pod \in Objects", False),
        (r"\A Pod \in Pods(Objects) : Pod.Name = Null => Bound(Pod, Objects)", True),
        (r"[](\A Pod \in Pods(Objects) : \A Node \in Nodes(Objects) : FALSE => TRUE)", True),
        (r"Cardinality(Objects) > 0 => TRUE", False),
        (r"(Cardinality(Objects) > 99) ~> FALSE", True),
        (r"[]<>(Cardinality(Objects) >= 0)", False),
        (r"~(Cardinality(Objects) > 99)", False),
    ],
)
def test_an_implication_with_an_unsatisfied_premise_holds_vacuously(text: str, vacuous: bool) -> None:
    given = replace(of("multi-step"), properties=())
    found = check(given, rules=[Vocabulary(given).property_of(text)], alone=True, engine="direct")
    assert found.result.verdict is (Verdict.VACUOUS if vacuous else Verdict.HOLDS)
