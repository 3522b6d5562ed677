"""Answers about applied manifests: those of an exploration of everything, on small random clusters and known cases"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

import networkx
import pytest

from schedcheck.checker.deploying import behaviours
from schedcheck.checker.deploying import counting as proofs
from schedcheck.checker.deploying import deployed as answers
from schedcheck.checker.deploying.behaviours import Followed, Seen
from schedcheck.checker.deploying.deployed import Deployed, deployed
from schedcheck.checker.deploying.question import Deploying, deploying
from schedcheck.checker.limits.clock import Clock
from schedcheck.checker.result import Bounds, Verdict
from schedcheck.model.controllers.deployment import fenceposts
from schedcheck.model.controllers.rollouts import placed
from schedcheck.model.profiles import profile_of
from schedcheck.model.reference import Reference, State
from schedcheck.model.rollouts import Rollout
from schedcheck.model.scenario import Scenario
from schedcheck.spec.decisions import Nominate
from schedcheck.spec.objects import HostPort, Node, Pod, SpreadConstraint
from schedcheck.spec.terms import Affinity, NodeSelectorTerm, Requirement
from tests.support.building import apart, node, pod, scenario, selector, term

HOST, ZONE = "kubernetes.io/hostname", "zone"


def whole(scene: Scenario, asked: object) -> Scenario:
    return scene


def updated(
    old: list[Pod], new: Pod, nodes: list[Node], *others: Pod, surge: int = 0, unavailable: int = 1, **fields: object
) -> Deploying:
    """The question about a Deployment with these pods whose template changes to that of `new`."""
    kind = str(fields.pop("kind", "Deployment"))
    forms = tuple(_like(new, f"web-new-{number}", uid="new") for number in range(len(old)))
    rollout = Rollout(
        kind, "web", "default", len(old), forms, tuple(_like(each, each.name, node_name="", phase="Pending") for each in old),
        "new", surge, unavailable, **fields,
    )  # fmt: skip
    return asked(rollout, [*old, *forms], nodes, others)


def added(forms: list[Pod], nodes: list[Node], *others: Pod) -> Deploying:
    """The question about a new workload with these pods."""
    rollout = Rollout("Deployment", "web", "default", len(forms), tuple(forms))
    return asked(rollout, forms, nodes, others)


def stateful(old: list[Pod], new: Pod, replicas: int, nodes: list[Node], *others: Pod, **fields: object) -> Deploying:
    """The question about a StatefulSet with these pods web-0, web-1 …, whose template and replicas change."""
    forms = tuple(_like(new, f"web-{number}", uid="new") for number in range(replicas))
    former = tuple(_like(each, each.name, node_name="", phase="Pending") for each in old)
    rollout = Rollout("StatefulSet", "web", "default", replicas, forms, former, "new", **fields)
    fresh = [each for each in forms if each.name not in {one.name for one in old}]
    return asked(rollout, [*old, *fresh], nodes, others)


def daemons(new: Pod, nodes: list[Node], *others: Pod, surge: int = 0, unavailable: int = 1) -> Deploying:
    """The question about a DaemonSet with a pod of one cpu on each node, whose template changes."""
    owned = {"owner": ("DaemonSet", "web"), "cpu": 1}
    old = [
        pod(f"old-{each.name}", on=each.name, phase="Running", affinity=only_on(each.name), **owned) for each in nodes
    ]
    forms = tuple(
        _like(new, f"new-{each.name}", uid="new", owner=("DaemonSet", "web"), affinity=only_on(each.name))
        for each in nodes
    )
    former = tuple(_like(each, each.name, node_name="", phase="Pending") for each in old)
    rollout = Rollout("DaemonSet", "web", "default", len(nodes), forms, former, "new", surge, unavailable)
    return asked(rollout, [*old, *forms], nodes, others)


def only_on(name: str) -> Affinity:
    return Affinity(node_required=(NodeSelectorTerm((), (Requirement("metadata.name", "In", (name,)),)),))


def shrunk(old: list[Pod], replicas: int, nodes: list[Node], *others: Pod) -> Deploying:
    """The question about a ReplicaSet with these pods that is scaled down."""
    forms = tuple(_like(each, each.name, node_name="", phase="Pending") for each in old)
    return asked(Rollout("ReplicaSet", "web", "default", replicas, forms), old, nodes, others)


def asked(rollout: Rollout, pods: list[Pod], nodes: list[Node], others: tuple[Pod, ...]) -> Deploying:
    made = scenario(
        *pods, *others, *nodes, profile="kubernetes", absent=" ".join(each.name for each in pods if not each.node_name)
    )
    return deploying(made, [rollout], (), ())


def _like(one: Pod, name: str, **fields: object) -> Pod:
    return replace(one, name=name, **fields)


def running(name: str, on: str, **fields: object) -> Pod:
    return pod(name, on=on, phase="Running", owner=("ReplicaSet", "web-1"), **{"cpu": 1, **fields})


def form(**fields: object) -> Pod:
    return pod("web", owner=("ReplicaSet", "web-2"), **{"cpu": 1, **fields})


def hosts(number: int, cpu: int = 2, **fields: object) -> list[Node]:
    return [node(f"n{each}", cpu=cpu, labels={HOST: f"n{each}", ZONE: f"z{each}"}, **fields) for each in range(number)]


def answer(question: Deploying) -> Deployed:
    return deployed(question, whole, Bounds(seconds=60))


# An exploration of everything, in every order of creation, apart from the one that the answers use.


def everything(question: Deploying, most: int = 6000) -> tuple["networkx.DiGraph[State]", Reference] | None:
    machine = Reference(question.scenario, profile_of(question.scenario))
    machine.eager = False
    graph: networkx.DiGraph[State] = networkx.DiGraph()
    waiting = list(machine.initial_states())
    graph.add_nodes_from(waiting)
    while waiting:
        state = waiting.pop()
        for action, reached in machine.steps(state):
            if reached == state:
                continue
            if reached not in graph:
                waiting.append(reached)
            graph.add_edge(state, reached)
            if isinstance(action, Nominate):
                graph.graph.setdefault("evicted", set()).update((str(each), str(action.pod)) for each in action.victims)
        if len(graph) > most:
            return None
    return graph, machine


def ends_well(question: Deploying, most: int = 6000, *, evicted: bool = True) -> bool | None:
    """Whether every behaviour ends with all pods placed, and with `evicted` all evicted ones; None if there are too many
    states, or cycles.
    """
    made = everything(question, most)
    if made is None or not networkx.is_directed_acyclic_graph(made[0]):
        return None
    graph, machine = made
    ends = [machine.view(state) for state in graph if not graph.out_degree(state)]
    others = {each.key for each in question.scenario.pods if each.node_name and each.owner[0]} - question.keys
    return all(
        placed(rollout, {each.key: each for each in end.pods})
        and (not evicted or others <= {each.key for each in end.pods if each.node_name})
        for end in ends
        for rollout in question.scenario.rollouts
    )


# Rolling updates that are known to get stuck, and each with its repair.

AWAY = {"labels": {"app": "web"}, "affinity": apart(term(HOST, selector(app="web")))}
PORT = {"containers": (pod(cpu=1).containers[0].__class__(pod(cpu=1).containers[0].requests, ports=(HostPort(80),)),)}
EVEN = {"labels": {"app": "web"}, "spread": (SpreadConstraint(1, ZONE, selector=selector(app="web")),)}


def rolling(number: int, nodes: list[Node], surge: int, unavailable: int, **fields: object) -> Deploying:
    old = [running(f"web-{each}", nodes[each % len(nodes)].name, **fields) for each in range(number)]
    return updated(old, form(**fields), nodes, surge=surge, unavailable=unavailable)


KNOWN: dict[str, tuple[Callable[[], Deploying], Callable[[], Deploying]]] = {
    "no room for the surge": (
        lambda: rolling(2, hosts(2, cpu=1), 1, 0),
        lambda: rolling(2, hosts(2, cpu=1), 0, 1),
    ),
    "anti-affinity on as many nodes as replicas": (
        lambda: rolling(2, hosts(2), 1, 0, **AWAY),
        lambda: rolling(2, hosts(3), 1, 0, **AWAY),
    ),
    "a host port on as many nodes as replicas": (
        lambda: rolling(2, hosts(2), 1, 0, **PORT),
        lambda: rolling(2, hosts(2), 0, 1, **PORT),
    ),
    "spread over zones, one of which is full": (
        # The surge pod must go to a zone without more pods than the other, and neither has room but one.
        lambda: updated(
            [running("web-0", "n0", **EVEN), running("web-1", "n1", **EVEN)], form(**EVEN), [*hosts(1, cpu=2), *hosts(2, cpu=1)[1:]],
            running("x", "n0"), surge=1, unavailable=0,
        ),
        lambda: updated(
            [running("web-0", "n0", **EVEN), running("web-1", "n1", **EVEN)], form(**EVEN), [*hosts(1, cpu=2), *hosts(2, cpu=1)[1:]],
            running("x", "n0"), surge=0, unavailable=1,
        ),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", KNOWN)
def test_a_rolling_update_that_gets_stuck_is_found_and_its_repair_completes(name: str) -> None:
    stuck, repaired = (make() for make in KNOWN[name])
    assert (ends_well(stuck), ends_well(repaired)) == (False, True)
    assert answer(stuck).verdict is Verdict.VIOLATED
    assert answer(repaired).verdict is Verdict.HOLDS


def test_a_stuck_update_is_shown_to_its_end() -> None:
    found = answer(KNOWN["anti-affinity on as many nodes as replicas"][0]())
    assert found.bad is not None
    assert found.bad.actions == ("Scale(deployment/web, 2 former, 1 present)", "Create(web-new-0)")
    assert found.seen.bound == {"deployment/web": (0, 0)}


# Random clusters.


def drawn(seed: int) -> Deploying:
    chance = Random(seed)
    nodes = [
        node(f"n{each}", cpu=chance.randint(1, 3), pods=chance.choice((2, 9)), labels={HOST: f"n{each}", ZONE: chance.choice("ab")},
             ready=chance.choice(("True",) * 8 + ("False",)))
        for each in range(chance.randint(1, 3))
    ]  # fmt: skip
    names = [each.name for each in nodes]
    fields: dict[str, object] = chance.choice(({}, {}, AWAY, PORT, EVEN))
    priority = chance.choice((0, 0, 5))
    others = tuple(
        pod(f"x-{each}", cpu=1, on=chance.choice((*names, "")), phase="Running", owner=chance.choice((("ReplicaSet", "x"), ("", ""))),
            priority=chance.choice((0, 3)), labels={"app": chance.choice(("web", "x"))})
        for each in range(chance.randint(0, 2))
    )  # fmt: skip
    others = tuple(each if each.node_name else _like(each, each.name, phase="Pending") for each in others)
    size = chance.randint(1, 2)
    new = form(**{"cpu": size, **fields}, priority=priority)
    number = chance.randint(1, 3)
    if chance.random() < 0.4:
        return added([_like(new, f"web-{each}") for each in range(number)], nodes, *others)
    old = [running(f"web-{each}", chance.choice(names), **fields) for each in range(min(number, 2))]
    if chance.random() < 0.15:
        return shrunk(old, len(old) - 1, nodes, *others)
    if chance.random() < 0.25:
        order, kept = chance.random() < 0.5, chance.choice((0, 0, 1))
        return stateful(old, new, chance.randint(1, 3), nodes, *others, ordered=order, partition=min(kept, len(old)))
    if chance.random() < 0.2:
        return daemons(new, nodes, *others, **chance.choice(({}, {"surge": 1, "unavailable": 0}, {"unavailable": 2})))
    if chance.random() < 0.2:
        return updated(old, new, nodes, *others, recreate=True)
    surge, unavailable = fenceposts(chance.randint(0, 1), chance.randint(0, 1), len(old))
    return updated(old, new, nodes, *others, surge=surge, unavailable=unavailable)


def seen_is_everything(question: Deploying, found: Deployed) -> None:
    """The nodes, numbers and evictions of an exploration are those of the exploration of everything; others are among them."""
    made = everything(question, 1500)
    assert made is not None
    graph, machine = made
    forms = question.forms
    bound = {(pod.key, pod.node_name) for state in graph for pod in state.pods
             if pod is not None and pod.node_name and pod.key in forms and pod.uid == forms[pod.key].uid}  # fmt: skip
    seen = {(key, name) for key, names in found.seen.nodes.items() for name in names}
    evicted = {(victim, each) for victim, preemptors in found.seen.evicted.items() for each in preemptors}
    assert seen <= bound and evicted <= graph.graph.get("evicted", set())
    if found.complete:
        assert seen == bound and evicted == graph.graph.get("evicted", set())
    for key, hosts_ in found.counted.hosts.items():
        assert hosts_ is None or {name for one, name in bound if one == key} <= hosts_
    (rollout,) = question.scenario.rollouts
    ends = [machine.view(state) for state in graph if not graph.out_degree(state)]
    numbers = [
        sum(pod.node_name != "" and not pod.terminating and (rollout.updated(pod) or number < rollout.partition)
            for number, form in enumerate(rollout.forms) for pod in end.pods if pod.key == form.key)
        for end in ends
    ]  # fmt: skip
    for least, greatest in [found.seen.bound[str(rollout)]] if found.seen.bound else []:
        assert min(numbers) <= least <= greatest <= max(numbers)
        assert not found.complete or (least, greatest) == (min(numbers), max(numbers))


def compared(seeds: range) -> Iterator[tuple[bool, Deployed]]:
    for seed in seeds:
        question = drawn(seed)
        found = answer(question)
        well = ends_well(question, 1500, evicted=found.asked.others)
        if well is None:
            continue
        assert found.verdict is (Verdict.HOLDS if well else Verdict.VIOLATED), seed
        seen_is_everything(question, found)
        yield well, found


def test_random_answers_are_those_of_an_exploration_of_everything() -> None:
    ways = [(well, found.by == "counting") for well, found in compared(range(60))]
    assert all(ways.count(each) >= 3 for each in ((True, True), (True, False), (False, True), (False, False))), ways


def evicting() -> Deploying:
    """A pending pod can only take the place of two others, and these would then take the places of the new pod."""
    own = {"owner": ("ReplicaSet", "x"), "phase": "Running"}
    big = pod("big", cpu=2, priority=5, node_selector={"disk": "ssd"})
    nodes = [node("n0", cpu=2, labels={"disk": "ssd"}), node("n1", cpu=1), node("n2", cpu=1)]
    return added([form()], nodes, big, pod("x-1", cpu=1, on="n0", **own), pod("x-2", cpu=1, on="n0", **own))


Patch = Callable[[pytest.MonkeyPatch], None]
BROKEN: dict[str, tuple[Callable[[], Deploying], Patch]] = {
    "the former pods are gone": (
        lambda: rolling(2, hosts(2, cpu=1), 1, 0),
        lambda patch: patch.setattr(proofs, "_gone_before", lambda rollout: rollout.keys),
    ),
    "nobody evicts": (
        evicting,
        lambda patch: patch.setattr(
            answers, "counted", lambda question: replace(proofs.counted(question), evicting=())
        ),
    ),
    "every node is ready": (
        lambda: rolling(2, [*hosts(1), node("n9", cpu=9, ready="False")], 1, 0),
        lambda patch: patch.setattr(proofs, "NOT_READY", ""),
    ),
    "no other pod waits": (
        lambda: added([form()], hosts(1, cpu=1), pod("x", cpu=1)),
        lambda patch: patch.setattr(proofs, "_waiting", lambda question, free: []),
    ),
    "no eviction helps": (
        lambda: added([form(priority=5)], hosts(1, cpu=1), pod("x", cpu=1, on="n0")),
        lambda patch: patch.setattr(proofs.Counting, "waits_for_good", lambda *given: True),
    ),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_proof_is_detected(broken: str, monkeypatch: pytest.MonkeyPatch) -> None:
    make, break_it = BROKEN[broken]
    question = make()
    true = Verdict.HOLDS if ends_well(question) else Verdict.VIOLATED
    assert answer(question).verdict is true
    break_it(monkeypatch)
    # Behaviours that are followed beside a proof would detect it as well.
    monkeypatch.setattr(answers, "followed", lambda *given: Followed(0, Seen(), None))
    assert answer(question).verdict is not true


def drawn_together(seed: int) -> Deploying:
    """A Deployment that is updated or new, and a new DaemonSet or ReplicaSet beside it."""
    chance = Random(seed)
    nodes = [
        node(f"n{each}", cpu=chance.randint(1, 3), pods=chance.choice((2, 9)), labels={HOST: f"n{each}", ZONE: chance.choice("ab")})
        for each in range(chance.randint(1, 2))
    ]  # fmt: skip
    fields: dict[str, object] = chance.choice(({}, AWAY, PORT, EVEN, EVEN))
    new = form(**fields)
    if chance.random() < 0.5:
        first = added([_like(new, "web-0")], nodes)
    else:
        first = rolling(1, nodes, *chance.choice(((1, 0), (0, 1))), **fields)
    label = {"labels": {"app": chance.choice(("web", "x"))}, "priority": chance.choice((0, 0, 5))}
    if chance.random() < 0.6:
        owner = {"owner": ("DaemonSet", "x")}
        forms = tuple(pod(f"x-{each.name}", cpu=1, affinity=only_on(each.name), **owner, **label) for each in nodes)
        second = Rollout("DaemonSet", "x", "default", len(forms), forms)
    else:
        forms = (pod("x-0", cpu=1, owner=("ReplicaSet", "x"), **label),)
        second = Rollout("ReplicaSet", "x", "default", 1, forms)
    (one,) = first.scenario.rollouts
    pods = tuple(sorted((*first.scenario.pods, *forms), key=lambda each: each.key))
    absent = first.scenario.absent | {each.key for each in forms}
    made = replace(first.scenario, pods=pods, absent=absent, rollouts=())
    return deploying(made, [one, second], (), ())


@pytest.mark.medium
def test_two_workloads_at_once_are_answered_as_by_an_exploration_of_everything() -> None:
    ways = []
    for seed in range(60):
        question = drawn_together(seed)
        found = answer(question)
        well = ends_well(question, 1500, evicted=found.asked.others)
        if well is not None:
            assert found.verdict is (Verdict.HOLDS if well else Verdict.VIOLATED), seed
            ways.append((well, found.by))
    assert len(set(ways)) >= 3 and len(ways) > 40, ways


# The limits of a rolling update, as the documentation of Kubernetes states them.


@pytest.mark.parametrize(("number", "surge", "unavailable"), [(2, 1, 0), (2, 0, 1), (3, 1, 1), (2, 2, 2)])
def test_a_rolling_update_keeps_its_limits_in_every_state(number: int, surge: int, unavailable: int) -> None:
    question = rolling(number, [node("n0", cpu=9)], surge, unavailable)
    made = everything(question, 20_000)
    assert made is not None
    least = 9
    for state in made[0]:
        there = [each for each in state.pods if each is not None and not each.terminating]
        ready = sum(each.phase == "Running" for each in there)
        assert sum(state.scales[0]) <= number + surge
        assert ready >= number - unavailable
        least = min(least, ready)
    assert least == max(number - unavailable, 0), "the limit is reached"


def test_as_many_pods_fit_as_are_seen_at_the_end() -> None:
    found = answer(added([form() for _ in range(1)], hosts(1, cpu=1)))
    assert found.verdict is Verdict.HOLDS and found.by == "counting"
    forms = [_like(form(), f"web-{each}") for each in range(3)]
    found = answer(added(forms, hosts(2, cpu=1)))
    assert found.verdict is Verdict.VIOLATED
    assert found.seen.bound == {"deployment/web": (2, 2)}


def test_a_preemption_that_repeats_itself_is_shown_as_a_loop() -> None:
    # A departure of kube-scheduler: without a bound pod that excludes it, x is not refused beside the nominated pod.
    away = apart(term(HOST, selector(app="web")))
    important = form(priority=5, affinity=away, cpu=2)
    low = pod("x", cpu=1, priority=3, labels={"app": "web"}, owner=("ReplicaSet", "x"))
    found = answer(added([important], hosts(1, cpu=3), low))
    assert found.verdict is Verdict.VIOLATED and found.bad is not None and found.bad.loop is not None
    repeated = found.bad.actions[found.bad.loop :]
    assert "EvictVictim(x)" in repeated and "Bind(x, n0)" in repeated


def test_an_interruption_keeps_the_behaviours_followed_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    question = rolling(1, hosts(2), 1, 0)
    way = next(behaviours.ways(question, Clock(None), 1))

    def interrupted(*given: object) -> Iterator[behaviours.Way]:
        yield way
        raise KeyboardInterrupt

    monkeypatch.setattr(behaviours, "ways", interrupted)
    found = behaviours.followed(question, Bounds())
    assert (found.number, found.bad, found.stopped) == (1, None, "interrupted")
    assert found.seen.bound == {"deployment/web": (1, 1)}
