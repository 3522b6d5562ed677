"""No pod is evicted twice for one reason: named cases, broken definitions, and a search with a history as the witness"""

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import pairwise
from random import Random
from typing import Any, NamedTuple

import pytest

from schedcheck.checker.check import Checked, check
from schedcheck.checker.liveness.repetitions import marks, repetition
from schedcheck.checker.properties.by_name import EVICTED_ONCE, asked
from schedcheck.checker.result import Stage, Verdict
from schedcheck.model.controllers import EvictDescheduled, TaintEvict
from schedcheck.model.controllers.descheduler import Deschedule
from schedcheck.model.descheduling import Descheduler, InterPodAntiAffinity, RemoveDuplicates, Run
from schedcheck.model.environment import EVENTS
from schedcheck.model.eviction_reasons import Eviction, evictions
from schedcheck.model.nominations import EvictVictim
from schedcheck.model.profiles import judging, profile_of
from schedcheck.model.reference import Reference, State
from schedcheck.model.scenario import Scenario
from schedcheck.spec.decisions import Nominate
from schedcheck.spec.objects import Node, Taint, Toleration
from schedcheck.spec.properties.kinds import Once
from tests.support.building import apart, node, on_nodes, on_pods, pod, replays, scenario, selector, term

OWNED = ("ReplicaSet", "web")
HOT = Taint("hot", "NoExecute")
FOR_A_WHILE = (Toleration("hot", "Exists", seconds=9),)
DUPLICATES, APART = (
    Run("RemoveDuplicates", RemoveDuplicates()),
    Run("RemovePodsViolatingInterPodAntiAffinity", InterPodAntiAffinity()),
)
RECREATED = frozenset({"owners", "lifecycle"})

CHASED = scenario(
    pod("web", 1, owner=OWNED, tolerations=FOR_A_WHILE),
    node("n", 1, taints=(HOT,)),
    controllers=RECREATED,
    profile="kubernetes",
)
"""A taint evicts the pod whenever it is bound, for what it tolerates for a while only."""

YIELDING = scenario(
    pod("low", 1, on="n"),
    pod("top", 1, priority=1, node_selector={"name": "n"}),
    pod("tip", 1, priority=1, node_selector={"name": "m"}),
    node("n", 1, labels={"name": "n"}),
    node("m", 1, labels={"name": "m"}),
    profile="kubernetes", victims="pending",
)  # fmt: skip
"""The pod makes room for one pod, and on the other node for another."""

CLEARED = replace(CHASED, rules=(on_nodes("taint", "n", 1, taint=HOT),), nodes=(node("n", 1),))
"""The node is tainted at most once."""

FLICKERING = replace(
    CHASED,
    pods=(pod("web", 1, owner=OWNED),),
    rules=(on_nodes("taint", "n", taint=HOT), on_nodes("untaint", "n", taint=HOT)),
)
"""The taint comes and goes; the pod does not tolerate it at all."""  # fmt: skip


def asking(each: Scenario) -> Checked:
    return check(replace(each, properties=(EVICTED_ONCE,)))


def question_of(each: Scenario) -> Once:
    (found,) = asked(EVICTED_ONCE, each.pods, judging(each), reasons=partial(evictions, each))
    assert isinstance(found, Once)
    return found


def shown(each: Scenario) -> tuple[list[str], Eviction | None]:
    """The actions of the shortest violation, and what is repeated; every trace is a behaviour."""
    checked = asking(each)
    for violation in checked.result.violations:
        assert replays(checked.machine, violation.trace)
        assert violation.loop is None
        assert isinstance(violation.property, Once)
        found = repetition(violation.property, violation.trace)
        assert found is not None
        assert found.second == len(violation.trace) - 1
        return [str(stage.action) for stage in violation.trace[1:]], found.mark
    assert checked.result.verdict in (Verdict.HOLDS, Verdict.VACUOUS)
    return [], None


def test_a_taint_that_is_tolerated_for_a_while_evicts_the_pod_again_and_again() -> None:
    round_ = ["Bind(web, n)", "TaintEvict(web)"]
    assert shown(CHASED) == ([*round_, "Create(web)", *round_], Eviction("web", "the taint hot:NoExecute"))


def test_an_event_between_two_evictions_separates_them() -> None:
    assert shown(FLICKERING) == ([], None)
    assert asking(FLICKERING).result.verdict is Verdict.HOLDS


def test_an_event_before_the_first_eviction_does_not_separate_it_from_the_second() -> None:
    actions, found = shown(CLEARED)
    assert actions.count("AddTaint(n, hot:NoExecute)") == 1
    assert found == Eviction("web", "the taint hot:NoExecute")


def test_two_evictions_for_two_reasons_are_no_repetition() -> None:
    assert asking(YIELDING).result.verdict is Verdict.HOLDS


def test_a_definition_that_forgets_the_reason_is_detected() -> None:
    question = question_of(YIELDING)
    machine = Reference(YIELDING, profile_of(YIELDING))
    reasonless = replace(
        question, marks=lambda state, action: frozenset(each.pod for each in question.marks(state, action))
    )
    assert shortest(machine, question) is None
    found = shortest(machine, reasonless)
    assert found is not None
    assert found > 0


def test_a_definition_that_looks_at_direct_successors_alone_is_detected() -> None:
    """It would find the second eviction only right after the first, and so none of these."""
    for each in (CHASED, CLEARED):
        question, checked = question_of(each), check(replace(each, properties=(EVICTED_ONCE,)), keep_graph=True)
        graph = checked.graph
        assert graph is not None
        edges = marks(checked.machine, graph, question)
        assert edges
        of = {edge: mark for mark, those in edges.items() for edge in those}
        following = [(edge, after) for edge in of for after in graph.graph.edges_from(int(graph.graph.targets[edge]))]
        assert not any(of[edge] == of.get(after) for edge, after in following)
        assert checked.result.verdict is Verdict.VIOLATED


def test_the_plugin_of_the_descheduler_is_the_reason() -> None:
    web = {"owner": OWNED, "labels": {"app": "web"}, "phase": "Running"}
    crowd = scenario(
        pod("a", 2, on="n", **web), pod("b", 2, on="n", **web), node("n", 4), node("m", 1),
        profile="kubernetes", descheduler=Descheduler((DUPLICATES,)), controllers=frozenset({"owners"}),
    )  # fmt: skip
    actions, found = shown(crowd)
    assert found in (Eviction(name, "RemoveDuplicates of the descheduler") for name in "ab")
    assert [each for each in actions if each.startswith("Evict")] == [f"EvictDescheduled({found.pod})"] * 2


def test_an_eviction_for_a_preemptor_that_waits_no_more_has_no_reason() -> None:
    each = scenario(pod("low", 1, on="n"), pod("top", 1, priority=1), node("n", 1), profile="kubernetes")
    machine = Reference(each, profile_of(each))
    (first,) = machine.initial_states()
    nominated = next(after for action, after in machine.steps(first) if isinstance(action, Nominate))
    evict = next(action for action, _ in machine.steps(nominated) if isinstance(action, EvictVictim))
    assert evictions(each, nominated, evict) == {Eviction("low", "preemption for top")}
    (slot,) = (slot for _, slot in nominated.to_evict)
    assert evictions(each, nominated._replace(to_evict=((-1, slot),)), evict) == frozenset()


class Remembered(NamedTuple):
    """A state with what happened: the evictions since the last event, the plugin that runs, and who waits for whom."""

    state: State
    seen: frozenset[tuple[str, str]] = frozenset()
    plugin: str = ""
    awaited: frozenset[tuple[str, str]] = frozenset()


def why(here: Remembered, action: Any) -> Iterator[str]:
    """The reasons of an eviction by what happened before, and not by what the state keeps of it."""
    pods = {each.name: each for each in here.state.pods if each is not None}
    match action:
        case EvictDescheduled():
            yield here.plugin
        case TaintEvict():
            where = next(
                each for each in here.state.nodes if each is not None and each.name == pods[action.pod].node_name
            )
            yield from (str(taint) for taint in where.taints if taint.effect == "NoExecute")
        case EvictVictim():
            yield from (preemptor for victim, preemptor in here.awaited if victim == action.pod)


def after(here: Remembered, action: Any, reached: State) -> tuple[Remembered, bool]:
    """What is remembered after a step, and whether it evicts a pod again for one reason."""
    new = frozenset((action.pod, reason) for reason in why(here, action))
    seen = frozenset() if type(action) in EVENTS.values() else here.seen | new
    plugin = action.plugin if isinstance(action, Deschedule) else here.plugin
    awaited = here.awaited
    if isinstance(action, Nominate):
        awaited |= {(victim.name, action.pod.name) for victim in action.victims}
    left = {each.name for each in reached.pods if each is not None and each.node_name and not each.terminating}
    waiting = {each.name for each in reached.pods if each is not None and not each.node_name and not each.terminating}
    awaited = frozenset(each for each in awaited if each[0] in left and each[1] in waiting)
    return Remembered(reached, seen, plugin if reached.cycle else "", awaited), bool(new & here.seen)


MOST = 1500


def by_history(machine: Reference) -> int | None:
    """The length of the shortest violation, by a BFS of states with their history; None if there is none.

    Raises: OverflowError, if the space is large.
    """
    begun = [Remembered(state) for state in machine.initial_states()]
    found, queue = dict.fromkeys(begun, 0), deque(begun)
    while queue:
        here = queue.popleft()
        for action, reached in machine.steps(here.state):
            then, again = after(here, action, reached)
            if again:
                return found[here] + 1
            if then not in found:
                found[then] = found[here] + 1
                queue.append(then)
        if len(found) > MOST:
            raise OverflowError
    return None


def shortest(machine: Reference, question: Once) -> int | None:
    """The length of the shortest violation of any such question, by a BFS with the marks as history."""
    begun = [(state, frozenset[Any]()) for state in machine.initial_states()]
    found, queue = dict.fromkeys(begun, 0), deque(begun)
    while queue:
        state, seen = here = queue.popleft()
        for action, reached in machine.steps(state):
            new = question.marks(state, action) if type(action) in question.kinds else frozenset()
            if new & seen:
                return found[here] + 1
            then = reached, frozenset() if type(action) in question.apart else seen | new
            if then not in found:
                found[then] = found[here] + 1
                queue.append(then)
    return None


def drawn(seed: int) -> Scenario:
    """A small cluster with preemption, taints, a descheduler or events; mostly with owners."""
    chance = Random(seed)
    pods = [
        pod(
            f"p{number}",
            chance.choice((1, 1, 2)),
            on=chance.choice(("", "", "n1")),
            priority=chance.choice((0, 0, 1)),
            owner=OWNED if chance.random() < 0.8 else ("", ""),
            labels={"app": "web"},
            tolerations=FOR_A_WHILE if chance.random() < 0.5 else (),
            affinity=apart(term(selected=selector(app="web"))) if chance.random() < 0.2 else pod().affinity,
            phase="Pending",
        )
        for number in range(chance.choice((1, 2, 2, 3)))
    ]
    nodes = [_node(f"n{number}", chance) for number in range(1, chance.choice((2, 3)))]
    names = " ".join(each.name for each in nodes)
    rules = [
        on_nodes("taint", names, 1, taint=HOT), on_nodes("untaint", names, 1, taint=HOT), on_nodes("cordon", names, 1),
        on_pods("delete", "p0", 1), on_nodes("unready", names, 1),
    ]  # fmt: skip
    runs = tuple(chance.sample((DUPLICATES, APART), chance.choice((1, 2))))
    return scenario(
        *pods,
        *nodes,
        rules=chance.sample(rules, chance.choice((0, 0, 1, 1, 2))),
        controllers=frozenset([*chance.sample(("owners", "lifecycle", "kubelet"), chance.choice((1, 2, 3))), "owners"]),
        descheduler=Descheduler(runs) if chance.random() < 0.4 else None,
        victims="pending" if chance.random() < 0.3 else "absent",
        profile="kubernetes",
    )


def _node(name: str, chance: Random) -> Node:
    hot = (HOT,) if chance.random() < 0.3 else ()
    return node(name, chance.choice((1, 2, 2)), taints=hot, labels={"kubernetes.io/hostname": name})


@pytest.mark.parametrize("seed", range(30))
def test_the_graph_and_a_search_with_a_history_agree_on_random_clusters(seed: int) -> None:
    each = drawn(seed)
    try:
        length = by_history(Reference(each, profile_of(each)))
    except OverflowError:
        return
    actions, _ = shown(each)
    assert len(actions) == (length or 0), actions


def test_every_path_of_few_steps_is_walked_without_any_memory_of_states() -> None:
    """The shortest violation has five steps; no path of four steps violates, and one of five does."""
    machine = Reference(CHASED, profile_of(CHASED))
    question = question_of(CHASED)

    def paths(path: tuple[Stage, ...], most: int) -> Iterator[tuple[Stage, ...]]:
        yield path
        if most:
            for action, state in machine.steps(path[-1].state):
                yield from paths((*path, Stage(action, state)), most - 1)

    (first,) = machine.initial_states()
    violating = [path for path in paths((Stage(None, first),), 5) if repetition(question, path)]
    assert {len(path) for path in violating} == {6}
    assert all(before.state != now.state for path in violating for before, now in pairwise(path))
