"""Every example gives its expected result with and without symmetry, and its README agrees

The expectations are in expected.yaml. What `make reference` runs is too large to be run here.
"""

import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import yaml

from schedcheck import check as ask
from schedcheck import kubernetes
from schedcheck.checker.check import Checked, check
from schedcheck.checker.result import Verdict
from schedcheck.manifests import read, scenario
from schedcheck.model.reference import Reference
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.budgets import spare
from schedcheck.spec.faults import Fault
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.profiles import CORRECTED
from tests.support.building import replays

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
EXPECTED: dict[str, dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("expected.yaml").read_text())
LEFT_TO_MAKE = {"reference"}
NOT_TABULATED = {
    "gang-deadlock",
    "gang-room",
    "gpu-partitions",
    "gpu-partitions-kept",
    "pod-groups",
    "descheduler-duplicates",
    "descheduler-duplicates-kept",
    "descheduler-levelling",
    "descheduler-packing",
    "descheduler-spread",
    "descheduler-spread-kept",
    "karpenter-limit",
    "karpenter-limit-kept",
    "karpenter-oscillate",
    "karpenter-zone-kept",
    "karpenter-zones-at-once",
    "node-pools-at-rest",
    "node-pools-oscillate",
    "node-pools-zone-kept",
    "node-pools-zone-lost",
    "shutdown-replaced",
    "shutdown-stuck",
    "panic-spreads",
    "panic-contained",
    "maintenance-skews",
    "maintenance-balanced",
    "autoscaler-bootstrap",
    "autoscaler-bootstrap-probed",
    "autoscaler-replicas-left-out",
    "autoscaler-replicas-missing",
    "rollout-duplicates",
    "rollout-duplicates-kept",
    "rollout-surge",
    "rollout-surge-kept",
    "job-backoff",
    "job-backoff-kept",
}
WITHOUT_SCENARIO = {
    "capacity",
    "compare",
    "configuration",
    "deploy",
    "devices",
    "divergences",
    "drain",
    "drain-beside",
    "recovers",
    "dump",
    "extender",
    "gang-waiting",
    "git-folder",
    "lint",
    "oracle",
    "plugins",
    "replay",
    "schedulers",
    "simulate",
    "testing",
    "upgrade",
    "versions",
    "volumes",
}
SLOW = {("reference-small", "plain"), ("reference-small", "symmetry"), ("gpu", "symmetry")}
FAULTS = sorted(Fault)

RUNS = [
    pytest.param(name, mode, marks=pytest.mark.slow if (name, mode) in SLOW else (), id=f"{name}-{mode}")
    for name, expected in EXPECTED.items()
    for mode in ("plain", "symmetry")
    if mode in expected and name not in LEFT_TO_MAKE
]


def example(name: str) -> Scenario:
    """The scenario of an example."""
    cluster = read([EXAMPLES / name])
    assert not cluster.notes
    return scenario(cluster, frozenset(Fault))


def test_the_reference_example_has_the_counts_of_tlc_in_the_tabulated_explorer() -> None:
    result = check(example("reference"), symmetry=False, engine="tabulated").result
    assert (str(result.verdict), [result.distinct, result.generated, result.depth]) == (
        "holds",
        EXPECTED["reference"]["plain"],
    )


@pytest.mark.sampled(20)
@pytest.mark.parametrize("name", sorted(set(EXPECTED) - LEFT_TO_MAKE - NOT_TABULATED))
def test_the_tabulated_explorer_gives_the_expected_result(name: str) -> None:
    as_expected(name, "symmetry", check(example(name), engine="tabulated"))


def as_expected(name: str, mode: str, checked: Checked) -> None:
    """The verdict, the counts and the length of each trace are those of the example, and each trace can be replayed."""
    expected, result = EXPECTED[name], checked.result
    assert (str(result.verdict), broken(checked)) == (expected["verdict"], expected.get("broken", []))
    assert [result.distinct, result.generated, result.depth] == expected[mode]
    for violation in result.violations:
        assert len(violation.trace) == expected["trace"]
        assert not violation.trace or replays(checked.machine, violation.trace)


def broken(checked: Checked) -> list[str]:
    """The names of the violated properties."""
    return [violation.property.name for violation in checked.result.violations]


@pytest.mark.sampled(26)
@pytest.mark.parametrize(("name", "mode"), RUNS)
def test_an_example_gives_the_expected_result(name: str, mode: str) -> None:
    as_expected(name, mode, check(example(name), symmetry=mode == "symmetry"))


def test_every_example_has_an_expectation() -> None:
    """docs/plugins.md runs the examples of plugins, with the plugin, and test_schedulers.py the one of schedulers."""
    there = {path.parent.relative_to(EXAMPLES).as_posix() for path in EXAMPLES.rglob("scenario.yaml")}
    assert {name for name in there if not name.startswith(("plugins/", "schedulers/"))} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_each_readme_states_the_expected_result(name: str) -> None:
    readme, expected = (EXAMPLES / name / "README.md").read_text(), EXPECTED[name]
    assert f"examples/{name}\n" in readme
    assert ("\nHolds." in readme) == (expected["verdict"] == "holds")
    assert all(f"`{each}`" in readme for each in expected.get("broken", []))
    assert not expected.get("trace") or f"the shortest trace has {expected['trace']} states" in readme
    for label, mode in (("`--no-symmetry`", "plain"), ("with symmetry", "symmetry")):
        row = f"| {label} | " + " | ".join(f"{count:,}" for count in expected.get(mode, ())) + " |"
        assert (row in readme) == (mode in expected)


@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_alone_causes_the_violation_of_its_example(fault: Fault) -> None:
    faulty = example(f"faults/{fault}")
    assert (faulty.profile, faulty.faults) == ("corrected", {fault})
    assert check(faulty).result.verdict is Verdict.VIOLATED
    assert check(replace(faulty, faults=frozenset())).result.verdict is Verdict.HOLDS


@pytest.mark.parametrize("fault", FAULTS)
def test_the_errata_list_every_fault_with_its_command(fault: Fault) -> None:
    errata = (ROOT / "docs" / "errata.md").read_text()
    assert f"#### `{fault}`\n" in errata
    assert f"schedcheck check examples/faults/{fault}\n" in errata


def test_with_completions_the_stranded_pod_can_be_bound() -> None:
    stranded = example("multi-step")
    completions = Rule("complete", pods=tuple(pod.key for pod in stranded.pods))
    assert check(replace(stranded, rules=(*stranded.rules, completions))).result.verdict is Verdict.HOLDS


def test_the_round_of_the_descheduler_needs_the_descheduler_the_owner_and_a_small_node() -> None:
    both = example("descheduler-duplicates")
    assert check(replace(both, descheduler=None)).result.verdict is Verdict.HOLDS
    assert check(replace(both, controllers=frozenset())).result.verdict is Verdict.HOLDS
    roomy = tuple(replace(node, allocatable=both.nodes[0].allocatable) for node in both.nodes)
    assert "comes_to_rest" not in broken(check(replace(both, nodes=roomy)))


def test_the_descheduler_that_packs_comes_to_rest_beside_a_scheduler_that_packs() -> None:
    packing = kubernetes(config=EXAMPLES / "compare" / "most-allocated.yaml")
    cluster = read([EXAMPLES / "descheduler-packing"])
    assert ask(cluster, profile=packing).verdict is Verdict.HOLDS
    assert ask(cluster).verdict is Verdict.VIOLATED


def test_neither_a_drain_nor_a_preemption_alone_violates_the_budget() -> None:
    both = example("budget-broken")
    for rule in both.rules:
        assert check(replace(both, rules=(rule,))).result.verdict is Verdict.HOLDS
    late_to_recount = replace(both, controllers=both.controllers - {"disruption"})
    assert broken(check(late_to_recount)) == ["budget_kept(web)"]


def test_with_drains_only_the_budget_status_never_exceeds_its_pods() -> None:
    drained = example("budget-kept")
    machine = Reference(drained, CORRECTED)
    states, waiting = set(machine.initial_states()), list(machine.initial_states())
    while waiting:
        found = {state for _, state in machine.steps(waiting.pop())} - states
        states |= found
        waiting += found
    assert len(states) == EXPECTED["budget-kept"]["plain"][0]
    assert {state.allowed[0] - spare(drained.budgets[0], machine.view(state), True) for state in states} == {-1, 0}


def test_an_outage_strands_no_pod_without_a_rival_or_without_taint_eviction() -> None:
    stranded = example("pod-stranded")
    alone = replace(stranded, pods=tuple(pod for pod in stranded.pods if pod.name != "web-0"))
    untainted = replace(stranded, controllers=stranded.controllers - {"lifecycle"})
    assert check(alone).result.verdict is Verdict.HOLDS
    found = check(untainted).result
    assert (found.verdict, dict(found.vacuous)) == (
        Verdict.VACUOUS,
        {"pod_can_still_be_bound(db-0)": "db-0 never waited"},
    )


def test_a_second_outage_can_bring_a_stranded_pod_back() -> None:
    stranded = example("pod-stranded")
    often = tuple(replace(rule, bound=None) for rule in stranded.rules)
    assert check(replace(stranded, rules=often)).result.verdict is Verdict.HOLDS


def test_without_the_spread_constraint_replicas_share_nodes_as_room_allows() -> None:
    """All but five on one node, by hand: (32 + 5·16·2 + 10·8·4 + 10·4·8 + 5·2·16 + 30) × 4."""
    together = example("spread")
    together = replace(together, pods=tuple(replace(pod, spread=()) for pod in together.pods))
    assert check(together, engine="tabulated", symmetry=False).result.distinct == 4088


def test_each_of_three_faults_alone_makes_every_node_infeasible() -> None:
    printed = example("article")
    refusing = {Fault.PHASE_DEMANDED, Fault.MAX_OF_NONE, Fault.NO_TERMS_NO_NODE}
    for two in combinations(refusing, 2):
        assert broken(check(replace(printed, faults=printed.faults - {*two}))) == ["no_wait_while_feasible"]
    assert "no_wait_while_feasible" not in broken(check(replace(printed, faults=printed.faults - refusing)))


def test_without_the_feature_gates_gangs_are_bound_in_part_and_no_deadlock_is_possible() -> None:
    """One member of each gang on a node is the violation; nothing waits on permit then, so no deadlock is possible."""
    deadlock = example("gang-deadlock")
    checked = check(replace(deadlock, plugins=(DEFAULT_PLUGINS,)))
    assert broken(checked) == ["gang_all_or_nothing"]
    assert [len(each.trace) for each in checked.result.violations] == [2]
    alone = check(replace(deadlock, plugins=(DEFAULT_PLUGINS,), properties=("no_gang_deadlock",)))
    assert alone.result.verdict is Verdict.VACUOUS


def test_two_gangs_that_deadlock_may_do_so_forever() -> None:
    """Each time limit ends the deadlock, and the members are tried again: no fairness makes one gang complete."""
    for fairness in ("weak", "strong"):
        asked = {"properties": ("eventually_bound(red-1)",), "fairness": fairness}
        rivals = check(replace(example("gang-deadlock"), **asked))
        assert broken(rivals) == ["eventually_bound(red-1)"]
    red = replace(example("gang-deadlock"), pods=example("gang-deadlock").pods[2:], **asked)
    assert check(red).result.verdict is Verdict.HOLDS


def test_the_errata_and_the_list_of_examples_name_only_existing_examples() -> None:
    errata = (ROOT / "docs" / "errata.md").read_text()
    links = re.findall(r"\]\(([\w-]+)\)", (EXAMPLES / "README.md").read_text())
    listed = [link for link in links if link not in WITHOUT_SCENARIO]
    assert {*links} >= WITHOUT_SCENARIO
    named = {*re.findall(r"schedcheck check .*examples/(\S+)$", errata, re.MULTILINE), *listed}
    assert named - {"faults"} <= set(EXPECTED)
    assert {name.partition("/")[0] for name in EXPECTED} == {*listed}
