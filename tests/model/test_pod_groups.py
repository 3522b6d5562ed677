"""PodGroups in the machine: all states of gangs that are bound in one cycle each, and questions that are not known

The states are counted a second time without schedcheck, from the rules of the cycle alone.
"""

from dataclasses import replace
from itertools import permutations, product

import pytest

from schedcheck.checker.check import Checked, check
from schedcheck.checker.result import Verdict
from schedcheck.model.nominations import TimeOut
from schedcheck.model.profiles import profile_of
from schedcheck.model.reference import Reference
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.decisions import Bind, Nominate, WaitOnPermit
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.preemption import of_groups
from tests.support.building import apart, node, pod, selector, term
from tests.support.pod_groups import GROUPED, IN_1_36, group, one_of, scenario_of


def explored(scenario: Scenario, *properties: str) -> Checked:
    return check(
        replace(scenario, properties=properties or ("gang_all_or_nothing", "no_gang_deadlock", "no_overcommit"))
    )


def counted(pods: int, nodes: int, groups: int) -> tuple[int, int]:
    """The reachable states of gangs that need all their pods, and their steps, by a search of its own.

    A state says of each pod its node, 0 for none. A step is a pod that is asked, and an ending of its gang's cycle.
    """
    gangs = [range(pods * number, pods * (number + 1)) for number in range(groups)]

    def steps(state: tuple[int, ...]) -> list[tuple[int, ...]]:
        free = [each for each in range(1, nodes + 1) if each not in state]
        found = []
        for gang in gangs:
            if any(state[each] for each in gang):
                continue
            for chosen in permutations(free, pods):
                placed = dict(zip(gang, chosen, strict=True))
                found += [tuple(placed.get(at, on) for at, on in enumerate(state))] * pods
            if len(free) < pods:
                found += [state] * pods
        return found

    first = (0,) * (pods * groups)
    known, waiting, generated = {first}, [first], 1
    while waiting:
        for reached in steps(waiting.pop()):
            generated += 1
            if reached not in known:
                known.add(reached)
                waiting.append(reached)
    return len(known), generated


@pytest.mark.parametrize(("pods", "nodes"), list(product((2, 3), (2, 3, 4))))
def test_all_states_of_two_gangs_are_those_of_a_search_by_hand(pods: int, nodes: int) -> None:
    result = explored(scenario_of(pods, nodes, "blue", "red")).result
    assert (result.distinct, result.generated) == counted(pods, nodes, 2)


def test_in_1_36_two_gangs_have_the_same_states() -> None:
    older = replace(scenario_of(2, 2, "blue", "red"), profile="kubernetes-1.36", plugins=(IN_1_36,))
    found = explored(older, "gang_all_or_nothing").result
    assert (found.verdict, found.distinct, found.generated) == (Verdict.HOLDS, *counted(2, 2, 2))


@pytest.mark.parametrize(
    ("profile", "plugins", "verdict"),
    [("kubernetes-1.36", IN_1_36, Verdict.VIOLATED), ("kubernetes-1.37", GROUPED, Verdict.VACUOUS)],
)
def test_in_1_36_a_gang_is_bound_although_one_pod_refuses_the_other(
    profile: str, plugins: Plugins, verdict: Verdict
) -> None:
    host = "kubernetes.io/hostname"
    avoiding = one_of("red", 1, affinity=apart(term(host, selector(app="x"))))
    scenario = replace(
        scenario_of(2, 2, "red"),
        pods=(avoiding, one_of("red", 2, labels={"app": "x"})),
        nodes=(node("n1", 2, labels={host: "n1"}),),
        pod_groups=(group("red"),),
        profile=profile,
        plugins=(plugins,),
    )
    assert explored(scenario, "bind_feasible").result.verdict is verdict


def test_the_counts_are_pinned() -> None:
    found = [explored(scenario_of(2, nodes, "blue", "red")).result for nodes in (2, 3, 4)]
    # Neither gang is bound; one of both, on an ordered pair of the nodes; both, if four nodes are there.
    assert [each.distinct for each in found] == [1 + 2 * 2, 1 + 2 * 6, 1 + 2 * 12 + 24]
    assert [each.depth for each in found] == [2, 2, 3]


def test_no_pod_waits_on_permit_and_no_gang_is_bound_in_part() -> None:
    checked = explored(scenario_of(2, 2, "blue", "red"))
    assert checked.result.verdict in (Verdict.HOLDS, Verdict.VACUOUS)
    made = Reference(scenario_of(2, 2, "blue", "red"), profile_of(scenario_of(2, 2, "blue", "red")))
    assert not {TimeOut, WaitOnPermit} & {*made.kinds()}
    (start,) = made.initial_states()
    for action, reached in made.steps(start):
        assert isinstance(action, Bind)
        bound = {each.name[:3] for each in reached.pods if each is not None and each.node_name}
        assert len(bound) == 1
        assert sum(bool(each.node_name) for each in reached.pods if each is not None) == 2


def test_without_the_gate_gangs_are_bound_in_part() -> None:
    assert (
        explored(scenario_of(2, 2, "blue", "red", gate=False), "gang_all_or_nothing").result.verdict == Verdict.VIOLATED
    )


def test_pod_groups_are_not_tabulated_and_not_symmetric() -> None:
    checked = check(replace(scenario_of(2, 2, "blue", "red"), properties=("no_overcommit",)), engine="auto")
    assert (checked.engine, checked.symmetry) == ("direct", ())
    assert "placed together" in checked.why


def test_a_group_that_preempts_is_bound_once_its_victims_have_ended() -> None:
    made = replace(scenario_of(2, 2, "red"), pod_groups=(group("red", 2, priority=1),))
    high = tuple(replace(each, priority=1) for each in made.pods)
    low = tuple(pod(f"v{number}", 1, f"n{number}") for number in (1, 2))
    found = explored(
        replace(made, pods=(*high, *low)), "victims_make_room", "victims_needed", "no_eviction_while_feasible"
    ).result
    # Nothing is decided; the two pods are nominated, in one of two ways; each victim is bound, terminating or gone; and
    # once both are gone the group is bound, in the way in which it was nominated.
    assert found.distinct == 1 + 2 * 3 * 3 + 2
    assert (found.verdict, found.coverage["Unknown"]) == (Verdict.HOLDS, 0)


@pytest.mark.parametrize(("fits", "broken"), [(True, "victims_make_room"), (False, "victims_needed")])
def test_a_broken_preemption_for_a_group_is_found(fits: bool, broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_groups.Emptied, "fits", lambda self, back: fits)
    made = replace(scenario_of(2, 2, "red"), pod_groups=(group("red", 2, priority=1),))
    high = tuple(replace(each, priority=1) for each in made.pods)
    low = (pod("v", 1, "n1"), pod("w", 0, "n2"))
    found = explored(replace(made, pods=(*high, *low)), broken).result
    assert found.verdict is Verdict.VIOLATED
    assert [type(stage.action) for stage in found.violations[0].trace[1:]] == [Nominate]


def test_a_group_whose_victims_are_not_evicted_yet_is_not_tried() -> None:
    made = replace(scenario_of(2, 1, "red"), pod_groups=(group("red", 1, priority=1),))
    high = tuple(replace(each, priority=1) for each in made.pods)
    scenario = replace(made, pods=(*high, pod("v", 1, "n1")))
    machine = Reference(scenario, profile_of(scenario))
    (start,) = machine.initial_states()
    nominating = [(action, reached) for action, reached in machine.steps(start) if isinstance(action, Nominate)]
    assert {str(action) for action, _ in nominating} == {"Nominate(red-1, n1, {v})", "Nominate(red-2, n1, {v})"}
    for _, reached in nominating:
        assert [str(action) for action, _ in machine.steps(reached)] == ["EvictVictim(v)"]


def test_a_pod_that_arrives_completes_the_gang() -> None:
    made = scenario_of(2, 2, "red")
    key = made.pods[1].key
    arriving = replace(made, absent=frozenset({key}), rules=(Rule("arrive", pods=(key,)),))
    result = explored(arriving).result
    # One pod; two; both bound, in one of two ways.
    assert result.distinct == 1 + 1 + 2
