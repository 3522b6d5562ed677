"""A program compared with a profile and with another program: decisions, ties, reasons, failures, smallest clusters"""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import schedcheck
from schedcheck.api.because import Because
from schedcheck.api.compare import Comparison
from schedcheck.spec.objects import Taint
from tests.support.building import node, pod

EXAMPLES = Path(__file__).parents[3] / "examples" / "schedulers"
PROMISE = schedcheck.kubernetes(config=EXAMPLES / "promise.yaml")
NODES = (node("n1", pods=9, cpu=4000), node("n2", pods=9, cpu=4000))
PLAIN = schedcheck.Cluster(pods=(pod("web"),), nodes=NODES)
TAINTED = schedcheck.Cluster(
    pods=(pod("web"),), nodes=(NODES[0], node("n2", pods=9, cpu=4000, taints=(Taint("dedicated", "NoSchedule"),)))
)


def program(folder: Path, reply: Any, name: str = "one") -> str:
    """Return the command of a program that answers everything with this reply."""
    file = folder / f"{name}.py"
    text = reply if isinstance(reply, str) else json.dumps(reply)
    file.write_text(f"for line in iter(input, None):\n    print({text!r}, flush=True)\n")
    return f"{sys.executable} {file}"


def example(mistake: str = "") -> str:
    return f"{sys.executable} {EXAMPLES / 'scheduler.py'} {mistake}".strip()


def reasons(found: Comparison) -> list[Because]:
    return [each.because for each in found.differences]


@pytest.mark.parametrize("chosen", ["n1", "n2"])
def test_a_program_may_choose_any_node_that_the_profile_allows(chosen: str, tmp_path: Path) -> None:
    found = schedcheck.compare_scheduler(program(tmp_path, {"kind": "bind", "node": chosen}), PLAIN, profile=PROMISE)
    assert (found.exit_code, [str(each) for each, _ in found.same]) == (0, ["web"])
    assert found.second == (sys.executable, str(tmp_path / "one.py"))


def test_a_node_that_the_profile_refuses_is_a_difference_of_its_filter(tmp_path: Path) -> None:
    found = schedcheck.compare_scheduler(program(tmp_path, {"kind": "bind", "node": "n2"}), TAINTED, profile=PROMISE)
    assert found.exit_code == 1
    assert reasons(found) == [Because("filter", "TaintToleration", ("n2",))]
    (one,) = found.differences
    assert [str(each) for each in one.first.decisions] == ["Bind(web, n1)"]
    assert [str(each) for each in one.second.decisions] == ["Bind(web, n2)"]


def test_a_feasible_node_with_a_lower_score_is_a_difference_of_scores(tmp_path: Path) -> None:
    uneven = schedcheck.Cluster(pods=(pod("web", cpu=1000),), nodes=(NODES[0], node("n2", pods=9, cpu=8000)))
    worse, better = ({"kind": "bind", "node": name} for name in ("n1", "n2"))
    found = schedcheck.compare_scheduler(program(tmp_path, worse), uneven, profile=PROMISE)
    assert [(each.stage, each.nodes) for each in reasons(found)] == [("score", ("n1", "n2"))]
    assert schedcheck.compare_scheduler(program(tmp_path, better), uneven, profile=PROMISE).exit_code == 0


@pytest.mark.parametrize(
    ("first", "second", "because"),
    [
        ({}, {}, Because("untold", "", ())),
        ({"scores": {"n1": 5, "n2": 5}}, {"scores": {"n1": 5, "n2": 5}}, None),
        ({"scores": {"n1": 5, "n2": 5}}, {}, Because("untold", "", ())),
        ({"scores": {"n1": 5, "n2": 4}}, {"scores": {"n1": 5, "n2": 5}}, Because("score", "", ("n2",))),
        # A program that does not choose the highest of its own scores has no ties.
        ({"scores": {"n1": 4, "n2": 5}}, {"scores": {"n1": 5, "n2": 5}}, Because("score", "", ("n1",))),
        # A node that is refused is no tie, whatever its score.
        (
            {"scores": {"n1": 5, "n2": 5}, "refusals": {"n2": [{"plugin": "Own", "reasons": ["no"]}]}},
            {"scores": {"n1": 5, "n2": 5}},
            Because("filter", "Own", ("n2",)),
        ),
    ],
)
def test_two_programs_agree_if_each_does_what_the_other_may_do(
    first: dict[str, Any], second: dict[str, Any], because: Because | None, tmp_path: Path
) -> None:
    one = program(tmp_path, {"kind": "bind", "node": "n1", **first}, "one")
    other = program(tmp_path, {"kind": "bind", "node": "n2", **second}, "other")
    for commands in ((one, other), (other, one)):
        found = schedcheck.compare_scheduler(commands, PLAIN)
        assert reasons(found) == ([] if because is None else [because])
        assert found.exit_code == (0 if because is None else 1)


def test_an_error_is_no_unschedulable_pod(tmp_path: Path) -> None:
    error, waits = (program(tmp_path, {"kind": kind}, kind) for kind in ("error", "unschedulable"))
    assert schedcheck.compare_scheduler((error, waits), PLAIN).exit_code == 1
    assert schedcheck.compare_scheduler((waits, waits), PLAIN).exit_code == 0


@pytest.mark.parametrize("reply", ["{}", "nothing", '{"kind": "bind"}'])
def test_without_a_reply_the_pod_is_unknown(reply: str, tmp_path: Path) -> None:
    found = schedcheck.compare_scheduler(program(tmp_path, reply), PLAIN, profile=PROMISE)
    assert (found.exit_code, len(found.unknown), found.differences) == (2, 1, ())


def test_pods_are_chosen_by_labels_and_namespace(tmp_path: Path) -> None:
    both = schedcheck.Cluster(pods=(pod("a", labels={"app": "a"}), pod("b", labels={"app": "b"})), nodes=NODES)
    binding = program(tmp_path, {"kind": "bind", "node": "n1"})
    found = schedcheck.compare_scheduler(binding, both, profile=PROMISE, selector="app=b")
    assert [str(each) for each, _ in found.same] == ["b"]


def test_the_smallest_cluster_shows_a_mistake(tmp_path: Path) -> None:
    found = schedcheck.smallest_scheduler_difference((example(), example("defaults")))
    assert found.difference is not None
    assert [str(each) for each in found.difference.second.decisions] == ["Bind(pending, node-1)"]
    assert [each["kind"] for each in found.manifests] == ["Node", "Node", "Pod"]
    # A smaller cluster has one node, on which the score of the containers changes nothing.
    again = schedcheck.smallest_scheduler_difference(program(tmp_path, {"kind": "bind", "node": "node-1"}))
    assert again.difference is not None
    assert again.clusters < found.clusters


@pytest.mark.parametrize("commands", [(), ("a", "b", "c")])
def test_one_or_two_programs_are_compared(commands: tuple[str, ...]) -> None:
    with pytest.raises(schedcheck.InputError, match="expected one or two programs"):
        schedcheck.compare_scheduler(commands, PLAIN)


def test_a_program_that_cannot_be_started_is_an_input_error() -> None:
    with pytest.raises(schedcheck.InputError, match="no-such-program"):
        schedcheck.compare_scheduler("./no-such-program", PLAIN)
