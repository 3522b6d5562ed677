"""The exporter writes TLA+ that preserves every decision, and refuses by name what it cannot write"""

from dataclasses import replace

import pytest
from frozendict import frozendict

from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.objects import Container, Node, Pod
from schedcheck.spec.terms import Affinity, NodeSelectorTerm, PreferredNodeTerm, Requirement
from schedcheck.spec.values import Amounts
from schedcheck.tla_export.module import NotExportable, model_module
from schedcheck.tla_export.text import Function, Name, Record, Set, Value, layout

BILLION = 10**9
ROOMY: Amounts = frozendict(cpu=4000, pods=3)


def requesting(name: str, priority: int = 0, **amounts: int) -> Pod:
    """A pod that requests these amounts, in billionths."""
    return Pod(name, priority=priority, containers=(Container(frozendict(amounts)),))


def scenario(*pods: Pod, allocatable: Amounts = ROOMY) -> Scenario:
    return Scenario("s", pods, (Node("n", allocatable=allocatable),))


def module(made: Scenario) -> str:
    return model_module(made, "MC_s")[0]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "Null"),
        (True, "TRUE"),
        (0, "0"),
        (-5, "-5"),
        ("a", '"a"'),
        ("", '""'),
        ('a"b\\c', '"a\\"b\\\\c"'),
        (Name("Pod1"), "Pod1"),
        (Set(()), "{}"),
        (Set(("b", "a", "b")), '{"a", "b"}'),
        ((), "<<>>"),
        (("b", "a"), '<<"b", "a">>'),
        (Record({"B": 1, "A": 2}), "[B |-> 1, A |-> 2]"),
        (Function({"b": 1, "a": 2}), '("a" :> 2 @@ "b" :> 1)'),
        (Function({}), "NoLabels"),
    ],
)
def test_a_value_is_written_as_tla(value: Value, text: str) -> None:
    assert layout(value, 0) == text
    assert layout(value, 200).replace("\n", "").replace(" ", "") == text.replace(" ", "")


def test_a_long_value_has_a_line_for_each_part() -> None:
    assert layout(Record({"Some": "x" * 60, "Other": ("y" * 60,)}), 2) == (
        f'[Some |-> "{"x" * 60}",\n   Other |-> <<"{"y" * 60}">>]'
    )


@pytest.mark.parametrize("text", ["tab\t", "é", "line\n"])
def test_a_character_that_tla_does_not_have_is_refused(text: str) -> None:
    with pytest.raises(NotExportable, match="contains a character that TLA"):
        layout(text, 0)


def test_amounts_are_divided_by_their_greatest_common_divisor() -> None:
    text = module(scenario(requesting("a", cpu=BILLION), requesting("b", cpu=3 * BILLION // 2)))
    assert "Amounts of cpu are divided by 500." in text
    assert 'Requests |-> ("cpu" :> 2)' in text
    assert 'Requests |-> ("cpu" :> 3)' in text
    assert 'Allocatable |-> ("cpu" :> 8 @@ "pods" :> 3)' in text


def test_pods_are_not_scaled() -> None:
    pods = frozendict(cpu=4000, pods=100)
    assert '"pods" :> 100' in module(scenario(requesting("a", pods=50 * BILLION), allocatable=pods))


def test_a_resource_that_is_neither_requested_nor_scored_is_left_out() -> None:
    text = module(scenario(Pod("a"), allocatable=frozendict({"memory": 10**15, "cpu": 1, "pods": 1})))
    assert "memory" not in text


def test_priorities_are_divided_by_their_greatest_common_divisor() -> None:
    text = module(scenario(Pod("a", priority=1_000_000_000), Pod("b", priority=2_000_000_000), Pod("c")))
    assert [line.strip() for line in text.splitlines() if "Priority |->" in line] == [
        "Priority |-> 1,",
        "Priority |-> 2,",
        "Priority |-> 0,",
    ]


def test_a_numeral_is_written_only_if_something_compares_numbers() -> None:
    node = Node("n", labels=frozendict(size="007", rack="7a"), allocatable=frozendict(pods=1))
    greater = NodeSelectorTerm((Requirement("size", "Gt", ("+5",)),))
    comparing = Pod("a", affinity=Affinity(node_preferred=(PreferredNodeTerm(1, greater),)))
    assert 'MC_Numeral ==\n  ("+5" :> 5 @@ "007" :> 7)' in module(Scenario("s", (comparing,), (node,)))
    assert "MC_Numeral ==\n  NoLabels" in module(Scenario("s", (Pod("a"),), (node,)))


def test_a_rule_states_whether_it_is_bounded() -> None:
    made = replace(scenario(Pod("a")), rules=(Rule("fail", nodes=("n",), bound=0), Rule("return", nodes=("n",))))
    text = module(made)
    assert text.count("Bounded |-> TRUE") == 1
    assert text.count("Bounded |-> FALSE") == 1


def test_constraints_are_written_to_the_configuration() -> None:
    text, configuration = model_module(replace(scenario(Pod("a")), constraints=("at_most_unbound(2)",)), "MC_s")
    assert "MC_Constraint ==\n  /\\ AtMostUnbound(2)" in text
    assert "CONSTRAINT MC_Constraint\n" in configuration
    assert "CONSTRAINT MC" not in model_module(scenario(Pod("a")), "MC_s")[1]


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (
            scenario(requesting("a", cpu=BILLION // 10_000)),
            "pod a requests 100000 billionths of cpu: no whole number of its smallest unit, and 1m only after rounding",
        ),
        (scenario(requesting("a", cpu=-BILLION)), "pod a requests a negative amount of cpu: -1"),
        (
            scenario(requesting("a", cpu=BILLION), allocatable=frozendict(cpu=21_474_837, pods=1)),
            "the amounts of cpu would reach 2147483700",
        ),
        (
            scenario(
                requesting("a", memory=BILLION), allocatable=frozendict({"cpu": 1, "memory": 2**31 - 1, "pods": 1})
            ),
            "the amounts of memory would reach 2147483648",
        ),
        (
            scenario(Pod("a", priority=2**31 - 1), Pod("b", priority=1)),
            "the sum of the priorities would reach 2147483648",
        ),
        (scenario(Pod("a", priority=-(2**31)), Pod("b", priority=1)), "the lowest priority would reach 2147483648"),
        (scenario(Pod("a"), allocatable=frozendict(pods=2**31)), "2147483648 exceeds the 32 bits of TLC's integers"),
        (
            replace(scenario(Pod("a")), constraints=("at_most(3)",)),
            r"the constraint at_most\(3\) is none of at_most_bound, at_most_present, at_most_unbound",
        ),
    ],
)
def test_a_number_that_tlc_cannot_handle_is_refused_by_name(made: Scenario, reason: str) -> None:
    with pytest.raises(NotExportable, match=reason):
        model_module(made, "MC_s")


@pytest.mark.parametrize(
    "made",
    [
        scenario(requesting("a", cpu=BILLION), allocatable=frozendict(cpu=21_474_000, pods=1)),
        scenario(requesting("a", memory=BILLION), allocatable=frozendict({"cpu": 1, "memory": 2**31 - 2, "pods": 1})),
        scenario(Pod("a", priority=2**31 - 2), Pod("b", priority=1)),
        scenario(Pod("a", priority=-(2**31)), Pod("b", priority=2)),
    ],
)
def test_the_largest_numbers_that_tlc_can_handle_are_written(made: Scenario) -> None:
    assert module(made)
