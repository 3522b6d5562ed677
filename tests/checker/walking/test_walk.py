"""A walk agrees with the exploration of the same scenario: states, steps, counterexamples, who takes which decision"""

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

import pytest

import schedcheck
from schedcheck.api.explore import Explorer, Place
from schedcheck.checker.check import check
from schedcheck.spec.decisions import Bind

EXAMPLES = Path(__file__).parents[3] / "examples"
SMALL = ("node-pools-zone-lost", "budget-broken", "descheduler-duplicates", "ties", "autoscaler-bootstrap")


def everywhere(explorer: Explorer) -> tuple[set[object], int]:
    """All states that a walk reaches, and the number of steps that the specification has from them."""
    found, waiting, taken = {explorer.start.trace[-1].state}, [explorer.start], 0
    while waiting:
        place = waiting.pop()
        for option in explorer.walk.options(place.path, place.trace[-1].state):
            decided = option.by != ()
            if decided and "specification" not in option.by:
                continue
            taken += 1
            if option.stage.state not in found:
                found.add(option.stage.state)
                waiting.append(Place(explorer, (*place.path, taken), (option.stage,)))
    return found, taken


@pytest.mark.parametrize("example", SMALL)
def test_a_walk_reaches_what_an_exploration_finds(example: str) -> None:
    with schedcheck.explore(EXAMPLES / example) as explorer:
        scenario = replace(explorer.walk.scenario, properties=("no_overcommit",))
        result = check(scenario, symmetry=False).result
        found, taken = everywhere(explorer)
        if not result.violations:
            assert (len(found), taken) == (result.distinct, result.generated - 1)
        assert len(found) >= result.distinct


@pytest.mark.parametrize("example", ["budget-broken", "node-pools-zone-lost", "preemption-chain", "panic-spreads"])
def test_a_counterexample_is_a_way_to_walk(example: str) -> None:
    with schedcheck.explore(EXAMPLES / example) as explorer:
        violations = explorer.check().checked.result.violations
        assert violations
        for violation in violations:
            place = explorer.retraced(violation.trace)
            assert place is not None
            assert [str(stage.action) for stage in violation.trace[1:]] == list(place.actions)
            if violation.loop is None:
                assert violation.property.name in place.violated
                assert not set(place.violated) & _violated_before(place, violation.property.name)
        assert explorer.retraced(violations[0].trace[1:]) is None
        wrong = [*violations[0].trace[:-1], replace(violations[0].trace[-1], action="another")]
        assert explorer.retraced(wrong) is None


def _violated_before(place: Place, name: str) -> set[str]:
    earlier = [place.explorer.place(place.path[:length]) for length in range(len(place.path))]
    return {name for each in earlier if name in each.violated}


def shared(nodes: Collection[str]) -> list[dict[str, object]]:
    """Equal nodes, and a pod that fits on each."""
    made: list[dict[str, object]] = [
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name},
            "status": {"allocatable": {"cpu": "4", "pods": "9"}},
        }
        for name in nodes
    ]
    containers = [{"name": "c", "image": "web", "resources": {"requests": {"cpu": "1"}}}]
    return [
        *made,
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "uid": "1"}, "spec": {"containers": containers}},
    ]


def written(folder: Path, *objects: dict[str, object]) -> str:
    file = folder / "cluster.yaml"
    file.write_text(schedcheck.manifests.yaml_text(objects))
    return str(file)


def test_production_takes_what_is_allowed_and_a_program_may_take_what_is_not(tmp_path: Path) -> None:
    last = tmp_path / "last.py"
    last.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    asked = json.loads(line)\n"
        "    print(json.dumps({'id': asked['id'], 'kind': 'bind', 'node': 'n3'}), flush=True)\n"
    )
    objects = shared(["n1", "n2", "n3"])
    objects[2]["spec"] = {"taints": [{"key": "k", "effect": "NoSchedule"}]}
    with schedcheck.explore(written(tmp_path, *objects), scheduler=f"python3 {last}") as explorer:
        taken = {option.action: option.by for option in explorer.start.options}
        assert taken == {
            "Bind(p, n1)": ("specification", "production"),
            "Bind(p, n2)": ("specification", "production"),
            "Bind(p, n3)": ("program",),
        }
        there = explorer.start.take("Bind(p, n3)")
        assert there.bound == {"default/p": "n3"}
        refused = next(
            each for each in explorer.walk.options((), explorer.start.trace[-1].state) if each.by == ("program",)
        )
        assert isinstance(refused.stage.action, Bind)


def test_a_scheduler_without_a_twin_decides_alone() -> None:
    with schedcheck.explore(EXAMPLES / "article") as explorer:
        assert explorer.walk.schedulers == ("specification",)


@pytest.mark.parametrize("example", ["gang-deadlock", "pod-groups"])
def test_gangs_are_walked_without_production_and_explanations(example: str) -> None:
    with schedcheck.explore(EXAMPLES / example) as explorer:
        assert explorer.walk.schedulers == ("specification",)
        decided = [option for option in explorer.start.options if option.by]
        assert decided
        place = explorer.start.take(decided[0].number)
        with pytest.raises(schedcheck.Unanswerable, match="gangs"):
            place.explain(str(place.snapshot.pods[0]))


def test_a_program_that_fails_is_unknown_and_no_step_of_the_specification(tmp_path: Path) -> None:
    with schedcheck.explore(written(tmp_path, *shared(["n1"])), scheduler="false") as explorer:
        by = {option.kind: option.by for option in explorer.start.options}
        assert by == {"Bind": ("specification", "production"), "Unknown": ("program",)}


def test_paths_are_remembered_and_a_forgotten_one_is_walked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("schedcheck.checker.walking.walk.MOST_KEPT", 2)
    with schedcheck.explore(EXAMPLES / "gpu-small") as explorer:
        ways = [explorer.start]
        for _ in range(6):
            ways.append(ways[-1].take(next(each.number for each in ways[-1].options if not each.same)))
        again = explorer.place(ways[-1].path)
        assert (again.actions, again.snapshot) == (ways[-1].actions, ways[-1].snapshot)
        assert len(explorer.walk._options) <= 2
