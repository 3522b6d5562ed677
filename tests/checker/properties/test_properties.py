"""Every named property has a broken twin: a transition system that violates it, beside a healthy one where it holds

No property holds vacuously: the healthy system takes the steps, or reaches the snapshots, that the property is about.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import pytest

from schedcheck.checker.exploring.exploration import Exploration
from schedcheck.checker.exploring.search import breadth_first
from schedcheck.checker.properties.by_name import NAMES, SOUND, asked
from schedcheck.checker.result import Result, Verdict
from schedcheck.model.eviction_reasons import evictions
from schedcheck.model.pooling import NodePool, NodePools
from schedcheck.model.profiles import profile_of
from schedcheck.model.reference import Reference, State
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.decisions import Bind, Decision, Preempt
from schedcheck.spec.faults import Fault
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Pod, PodDisruptionBudget, Snapshot
from schedcheck.spec.profiles import CORRECTED, kubernetes, profile
from schedcheck.spec.properties.kinds import Sometimes, Step
from schedcheck.spec.properties.of_gangs import two_gangs_wait
from tests.checker.deploying.test_deployed import form, hosts, running, updated
from tests.checker.test_revisions import revised
from tests.model.controllers.test_job import made as job
from tests.support.building import HOSTNAME, apart, node, on_nodes, on_pods, pod, replays, scenario, selector, term
from tests.support.gangs import scenario_of

Machine = Callable[[Scenario], Reference]
Decide = Callable[[Snapshot], Iterable[Decision]]


class Deciding(Reference):
    """A transition system whose scheduler makes the given decisions."""

    def __init__(self, each: Scenario, decide: Decide) -> None:
        super().__init__(each, CORRECTED)
        self.decide = decide

    def steps(self, state: State) -> Iterator[tuple[Any, State]]:
        yield from self._pod_steps(state)
        yield from self._node_steps(state)
        for decision in self.decide(self.view(state)):
            yield decision, self.carried_out(decision, state)


class Mistyping(Reference):
    """A transition system that writes a phase which Kubernetes does not know."""

    def carried_out(self, decision: Decision, state: State) -> State:
        after = super().carried_out(decision, state)
        return after._replace(pods=tuple(each and replace(each, phase="Bound") for each in after.pods))


def healthy(each: Scenario) -> Reference:
    return Reference(each, CORRECTED)


def faulty(fault: Fault) -> Machine:
    return lambda each: Reference(each, profile("faulty", frozenset({fault})))


def of_kubernetes(each: Scenario) -> Reference:
    return Reference(each, kubernetes("kubernetes", (DEFAULT_PLUGINS,)))


def of_its_profile(each: Scenario) -> Reference:
    return Reference(each, profile_of(each))


def deciding(decide: Decide) -> Machine:
    return lambda each: Deciding(each, decide)


@dataclass(frozen=True)
class Twin:
    """A question, a scenario in which it holds, what breaks it, and the length of the shortest trace (0: none can show
    it).

    `broken_in` is another scenario for the broken system, where the scenario itself is at fault. `meets` is a snapshot
    that the question is about; a question about steps is about those of its kinds. `sound` is the system on which it
    holds.
    """

    question: str
    scenario: Scenario
    broken: Machine
    length: int
    meets: Callable[[Snapshot], bool] | None = None
    broken_in: Scenario | None = None
    sound: Machine = healthy


def two_webs(*rules: Rule, **fields: Any) -> Scenario:
    """A pod of web on each of two nodes in two zones, with room for both, which their owner creates again."""
    pods = (pod(f"w{each}", 1, on=f"n{each}", labels={"app": "web"}, owner=("ReplicaSet", "web")) for each in range(2))
    nodes = (node(f"n{each}", 2, labels={"zone": f"{each}"}) for each in range(2))
    return scenario(*pods, *nodes, rules=rules, **{"controllers": frozenset({"owners"}), **fields})


def full_nodes() -> list[Pod]:
    """A pod of web on each of two nodes."""
    return [running(f"web-{each}", f"n{each}") for each in range(2)]


TWO_ON_ONE = scenario(pod("a", 1, on="n"), pod("b", 1), node("n", 1), profile="kubernetes")
"""A node with room for one of two pods."""


def bound_pods(snapshot: Snapshot) -> int:
    return sum(each.node_name != "" for each in snapshot.pods)


def is_bound(snapshot: Snapshot, name: str) -> bool:
    return any(each.name == name and each.node_name for each in snapshot.pods)


def both(snapshot: Snapshot) -> Iterator[Decision]:
    """Evict all pods of a node for each pending pod."""
    for waiting in snapshot.pods:
        if not waiting.node_name:
            for each in snapshot.nodes:
                yield Preempt(
                    waiting, each, frozenset(other for other in snapshot.pods if other.node_name == each.name)
                )


def bind_anywhere(snapshot: Snapshot) -> Iterator[Decision]:
    """Bind any pending pod to any node."""
    for waiting in snapshot.pods:
        if not waiting.node_name:
            yield from (Bind(waiting, each) for each in snapshot.nodes)


def no_decision(snapshot: Snapshot) -> Iterator[Decision]:
    """Decide nothing."""
    yield from ()


def back_and_forth(snapshot: Snapshot) -> Iterator[Decision]:
    """Evict low for top, and then bind low again."""
    low, top = (next(each for each in snapshot.pods if each.name == name) for name in ("low", "top"))
    (n,) = snapshot.nodes
    yield Preempt(top, n, frozenset({low})) if low.node_name else Bind(low, n)


def drained(allowed: int) -> Scenario:
    """Two pods, one of which a budget keeps, on a node that is drained; the status allows this many disruptions."""
    budget = PodDisruptionBudget(
        "web", selector=selector(app="web"), min_available=1, expected=2, disruptions_allowed=allowed
    )
    pods = [pod(name, 1, on="n", labels={"app": "web"}) for name in ("a", "b")]
    return scenario(*pods, node("n", 2), rules=[on_pods("evict", "a b")], budgets=(budget,))


ONE = scenario(pod("a", 1), node("n", 1))
"""One pending pod, and one node with room for it."""

TWO = scenario(pod("a", 1), pod("b", 1), node("n", 1), rules=[on_pods("complete", "a b")])
"""Two pending pods, and a node with room for one of them; a running pod may complete."""

RANKED = scenario(pod("low", 1), pod("top", 1, priority=1), node("n", 1), node("m", 1))
"""Two pending pods of different priority, and a node for each."""

TIGHT = scenario(pod("low", 1, on="n"), pod("top", 1, priority=1), node("n", 1))
"""The only node is full of a pod of lower priority than the pending one."""

LIVELY = replace(TIGHT, victims="pending")
"""As `TIGHT`, but a victim is pending again at once."""

EXPECTED = pod("first", 1, nominated_node_name="n")
"""The pod is pending, and others may be bound to its node before it."""

CROWDED = scenario(pod("low", 1, on="n"), pod("more", 1, on="n"), pod("top", 1, priority=1), node("n", 2))
"""The only node is full of two pods of lower priority than the pending one; evicting either would be enough."""

GUARDED = scenario(
    pod("low", 1, on="n", labels={"app": "web"}),
    pod("more", 1, on="n", priority=-1),
    pod("top", 1, priority=1),
    node("n", 2),
    budgets=(PodDisruptionBudget("web", selector=selector(app="web")),),
)
"""As `CROWDED`, but a budget protects `low`, and the other pod has an even lower priority."""

NOMINATED = scenario(
    pod("low", 1), replace(pod("top", 1, priority=1), nominated_node_name="n"), node("m", 1), node("n", 1)
)
"""As `RANKED`, but the pod of higher priority is nominated to a node."""

ROOMY = scenario(pod("low", 1, on="n"), pod("top", 1, priority=1), node("n", 2))
"""As `TIGHT`, with room for both."""

FRIENDLESS = scenario(
    pod("a", labels={"app": "x"}, affinity=apart(term(selected=selector(app="x")))),
    pod("b", labels={"app": "x"}),
    node("n", labels={HOSTNAME: "n"}),
)
"""A pod with anti-affinity to its own app, and another pod of that app."""

ON_SSD = scenario(
    pod("a", labels={"app": "web"}, node_selector={"disk": "ssd"}), node("n"), node("s", labels={"disk": "ssd"})
)

TWINS = [
    # Bind(a) writes the phase: the first step.
    Twin("type_correct", ONE, lambda each: Mistyping(each, CORRECTED), 2, lambda s: bound_pods(s) == 1),
    # The first Bind fits, the second is one too many.
    Twin("no_overcommit", TWO, faulty(Fault.BOUND_PODS_IGNORED), 3, lambda s: bound_pods(s) == 1),
    # Pod a must be there before b can violate its anti-affinity.
    Twin(
        "anti_affinity_kept", FRIENDLESS, faulty(Fault.EXISTING_ANTI_AFFINITY_IGNORED), 3, lambda s: is_bound(s, "a")
    ),
    # No behaviour can show that no pod is ever bound.
    Twin("all_pods_bound", ONE, faulty(Fault.MAX_OF_NONE), 0, lambda s: s.pods != ()),
    # The first Bind takes all the room.
    Twin("bind_feasible", TWO, faulty(Fault.BOUND_PODS_IGNORED), 3),
    # One node has more room than the other: the first Bind may choose wrongly.
    Twin("bind_most_viable", scenario(pod("a", 1), node("m", 2), node("n", 4)), faulty(Fault.RESOURCES_UNRATED), 2),
    # The first Bind takes any pod.
    Twin("highest_priority_first", RANKED, deciding(bind_anywhere), 2),
    # The pod's node must fail before the pod counts as unbound.
    Twin(
        "never_moved",
        scenario(pod("a", 1, on="n"), pod("b", 1), node("m", 1), node("n", 1), rules=[on_nodes("fail", "n")]),
        faulty(Fault.UNKNOWN_NODE_UNBOUND),
        3,
    ),
    # One step, since the pod has ended without a node.
    Twin(
        "completed_left_alone",
        scenario(pod("a", phase="Failed"), pod("b"), node("n", 1)),
        faulty(Fault.COMPLETED_PODS_COUNT),
        2,
    ),
    # The node is feasible, and yet the pod waits.
    Twin(
        "no_wait_while_feasible",
        scenario(pod("a", 1), pod("b", 1), node("n", 1)),
        faulty(Fault.MAX_OF_NONE),
        2,
    ),
    # In the broken scenario the victim has no lower priority.
    Twin(
        "only_lower_priority_evicted",
        TIGHT,
        deciding(both),
        2,
        broken_in=scenario(pod("a", 1, on="n"), pod("b", 1), node("n", 1)),
    ),
    # With room for both, the empty set of victims enables preemption.
    Twin("no_eviction_while_feasible", TIGHT, faulty(Fault.OVERLAPPING_CASE), 2, broken_in=ROOMY),
    Twin("preemption_has_victims", TIGHT, faulty(Fault.OVERLAPPING_CASE), 2, broken_in=ROOMY),
    # The least set of all is the empty one, after which top still does not fit.
    Twin("victims_make_room", TIGHT, faulty(Fault.VICTIMS_UNCHECKED), 2),
    # One victim is enough, and two are taken.
    Twin("least_casualty", CROWDED, deciding(both), 2),
    # Either victim is enough.
    Twin("victims_needed", CROWDED, deciding(both), 2),
    # The budget has no disruption to spare for one of them.
    Twin("fewest_budgets_violated", GUARDED, deciding(both), 2),
    # If the pod of higher priority is scheduled last, its room is gone.
    Twin("room_kept", NOMINATED, deciding(bind_anywhere), 2),
    # An eviction, and the victim is bound again where it was; a preemption without victims is a stuttering step.
    Twin("evictions_end", LIVELY, deciding(back_and_forth), 3, lambda s: is_bound(s, "top")),
    # An eviction, the victim is bound again where it was, and is evicted again for the same pod.
    Twin("no_pod_evicted_twice_for_one_reason", LIVELY, deciding(back_and_forth), 4, lambda s: is_bound(s, "top")),
    # If nothing is decided, every pod stays where it is.
    Twin("eventually_bound(a)", ONE, deciding(no_decision), 1, lambda s: bound_pods(s) == 0),
    Twin("bound_once_feasible(a)", ONE, deciding(no_decision), 1, lambda s: bound_pods(s) == 0),
    Twin("never_starves(a)", ONE, deciding(no_decision), 1, lambda s: bound_pods(s) == 0),
    Twin("all_pods_eventually_bound", ONE, deciding(no_decision), 1, lambda s: bound_pods(s) == 0),
    # An eviction, and the victim is bound again where it was.
    Twin("preemption_ends", LIVELY, deciding(back_and_forth), 3, lambda s: is_bound(s, "top")),
    Twin("comes_to_rest", LIVELY, deciding(back_and_forth), 3, lambda s: is_bound(s, "top")),
    # A second pod of the scenario, with the usual policy, is the one that may preempt.
    Twin(
        "preemption_policy_respected",
        TIGHT,
        faulty(Fault.PREEMPTION_POLICY_IGNORED),
        2,
        broken_in=scenario(
            pod("low", 1, on="n"), pod("top", 1, priority=1, preemption_policy="Never"), node("n", 1)
        ),
    ),
    # In the tight scenario the first step is an eviction; the healthy system evicts a different pod, or none.
    Twin("no_eviction", ROOMY, healthy, 2, lambda s: bound_pods(s) == 2, broken_in=TIGHT),
    Twin(
        "never_evicted(low)",
        scenario(pod("last", 1, on="n", priority=-1), pod("low", 1, on="m"), pod("top", 1, priority=1), node("m", 1), node("n", 1)),
        healthy,
        2,
        broken_in=TIGHT,
    ),
    Twin("pod_sometimes_bound(a)", ONE, faulty(Fault.MAX_OF_NONE), 0, lambda s: s.pods != ()),
    # The pod that is bound first stays if none completes: the other one is stranded after one step.
    Twin(
        "pod_can_still_be_bound(a)",
        TWO,
        healthy,
        2,
        lambda s: is_bound(s, "b") and not is_bound(s, "a"),
        broken_in=replace(TWO, rules=()),
    ),
    # Without the selector the first Bind may go anywhere.
    Twin(
        "stays_on(app=web, disk=ssd)",
        ON_SSD,
        healthy,
        2,
        lambda s: is_bound(s, "a"),
        broken_in=scenario(pod("a", labels={"app": "web"}), node("n"), node("s", labels={"disk": "ssd"})),
    ),
    # Of two pods on two nodes one may be deleted; its owner creates it again, unless none does.
    Twin(
        "never_below(app=web, 1)",
        two_webs(on_pods("delete", "w0", 1)),
        healthy,
        3,
        lambda s: bound_pods(s) == 1,
        broken_in=two_webs(on_pods("delete", "w0 w1", 2), controllers=frozenset()),
    ),
    # A third pod arrives, and is bound.
    Twin(
        "never_above(app=web, 2)",
        two_webs(on_pods("delete", "w0", 1)),
        healthy,
        3,
        lambda s: bound_pods(s) == 2,
        broken_in=scenario(
            *two_webs().pods, pod("w2", 1, labels={"app": "web"}), *two_webs().nodes,
            absent="w2", rules=[on_pods("arrive", "w2", 1)],
        ),
    ),
    Twin(
        "replicas_reached(app=web, 2)",
        two_webs(on_pods("delete", "w0", 1)),
        healthy,
        2,
        lambda s: bound_pods(s) == 1,
        broken_in=two_webs(on_pods("delete", "w0", 1), controllers=frozenset()),
    ),
    # A rollout creates one more pod than there is room for, and deletes no former one before that is available.
    Twin(
        "rollout_completes(deployment/web)",
        revised(updated(full_nodes(), form(cpu=1), hosts(2, cpu=1), surge=0, unavailable=1).scenario),
        healthy,
        4,
        lambda s: any(each.name.startswith("web-new") and each.node_name for each in s.pods),
        broken_in=revised(updated(full_nodes(), form(cpu=1), hosts(2, cpu=1), surge=1, unavailable=0).scenario),
    ),
    # The pod that is deleted can only go to the other node while its own is cordoned.
    Twin(
        "skew_kept(app=web, zone, 1)",
        two_webs(on_pods("delete", "w0", 1)),
        healthy,
        5,
        lambda s: bound_pods(s) == 1,
        broken_in=two_webs(on_pods("delete", "w0", 1), on_nodes("cordon", "n0", 1)),
    ),
    Twin(
        "skew_restored(app=web, zone, 0)",
        two_webs(on_pods("delete", "w0", 1)),
        healthy,
        2,
        lambda s: bound_pods(s) == 1,
        broken_in=two_webs(on_pods("delete", "w0", 1), controllers=frozenset()),
    ),
    # The pod on the only node leaves no room for another; a pool has a node for it.
    Twin(
        "nodes_bounded(1)",
        TWO_ON_ONE,
        of_its_profile,
        2,
        lambda s: len(s.nodes) == 1,
        broken_in=replace(TWO_ON_ONE, node_pools=NodePools((NodePool("a", 0, 1, node("a", 2, labels={"node-pool": "a"})),))),
        sound=of_its_profile,
    ),
    # One of two pods may be drained; a status with two allowed disruptions lets both go, one after the other.
    Twin(
        "budget_kept(web)",
        drained(allowed=1),
        healthy,
        3,
        lambda s: bound_pods(s) == 1,
        broken_in=drained(allowed=2),
    ),
    # A pod of a higher priority is bound first; with room for two, both fit.
    Twin(
        "room_left_to_the_nominated",
        scenario(EXPECTED, pod("top", 1, priority=1), node("n", 2)),
        healthy,
        2,
        broken_in=scenario(EXPECTED, pod("top", 1, priority=1), node("n", 1)),
    ),
    # The nominated pod may be deleted before its victim is.
    Twin(
        "evicted_for_nominated_pod",
        replace(TIGHT, rules=()),
        of_kubernetes,
        4,
        broken_in=replace(TIGHT, rules=(on_pods("delete", "top", 1),)),
        sound=of_kubernetes,
    ),
    # Without the feature gates of gangs the first binding is of one pod alone.
    Twin(
        "gang_all_or_nothing",
        scenario_of(2, 2, "red"),
        of_its_profile,
        2,
        broken_in=scenario_of(2, 2, "red", gate=False),
        sound=of_its_profile,
    ),
    # On two nodes each gang may hold one; on three one of them is always completed.
    Twin(
        "no_gang_deadlock",
        scenario_of(2, 3, "blue", "red"),
        of_its_profile,
        3,
        two_gangs_wait,
        broken_in=scenario_of(2, 2, "blue", "red"),
        sound=of_its_profile,
    ),
    # One pod may crash, and the backoffLimit allows it; with a backoffLimit of none the Job has failed.
    Twin(
        "job_never_fails(job/import)",
        job(1, 2, 1, ("crash", 1)),
        of_its_profile,
        4,
        lambda s: any(each.phase == "Failed" for each in s.pods),
        broken_in=job(1, 2, 0, ("crash", 1)),
        sound=of_its_profile,
    ),
    # Two pods of two cpus fit on a node of four; two of three do not.
    Twin(
        "job_settles(job/import)",
        job(2, 2, 0, ("crash", None), cpu=2),
        of_its_profile,
        4,
        lambda s: bound_pods(s) == 2,
        broken_in=job(2, 2, 0, cpu=3),
        sound=of_its_profile,
    ),
]  # fmt: skip


def judged(twin: Twin, machine: Reference, *others: Sometimes) -> Result:
    """The result of a BFS for the question, judged by `corrected`."""
    reasons = partial(evictions, machine.scenario)
    each = machine.scenario
    questions = asked(
        twin.question, each.pods, CORRECTED, each.budgets, reasons=reasons, rollouts=each.rollouts, jobs=each.jobs
    )
    return breadth_first(Exploration(machine, (*questions, *others)))


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.question)
def test_each_property_holds_on_the_healthy_system_and_not_vacuously(twin: Twin) -> None:
    witness = Sometimes("witness", "", twin.meets or (lambda _: True))
    machine = twin.sound(twin.scenario)
    found = judged(twin, machine, witness)
    assert (found.verdict, found.violations) == (Verdict.HOLDS, ())
    each = machine.scenario
    (question,) = asked(twin.question, each.pods, CORRECTED, each.budgets, rollouts=each.rollouts, jobs=each.jobs)
    if isinstance(question, Step) and twin.meets is None:
        assert all(found.coverage[kind.__name__] for kind in question.kinds[:1])
    else:
        assert twin.meets


@pytest.mark.parametrize("twin", TWINS, ids=lambda twin: twin.question)
def test_each_property_is_violated_on_the_broken_system_by_a_trace_of_known_length(twin: Twin) -> None:
    machine = twin.broken(twin.broken_in or twin.scenario)
    found = judged(twin, machine)
    assert found.verdict is Verdict.VIOLATED
    assert [(each.property.name, len(each.trace)) for each in found.violations] == [(twin.question, twin.length)]
    assert all(not each.trace or replays(machine, each.trace) for each in found.violations)


def test_every_named_property_has_a_broken_twin() -> None:
    """`scheduler_is_sound` combines several of them."""
    assert {twin.question.partition("(")[0] for twin in TWINS} == {*NAMES} - {SOUND}


def test_an_ended_pod_is_no_victim() -> None:
    """A kept Succeeded pod frees no room; as printed it is evicted all the same once it has ended."""
    each = replace(TIGHT, rules=(on_pods("complete", "low"),), completed="kept")
    (question,) = asked("completed_left_alone", each.pods, CORRECTED)
    assert breadth_first(Exploration(healthy(each), (question,))).verdict is Verdict.HOLDS
    machine = faulty(Fault.COMPLETED_PODS_COUNT)(each)
    (violation,) = breadth_first(Exploration(machine, (question,))).violations
    assert [str(stage.action) for stage in violation.trace] == ["None", "Complete(low)", "Preempt(top, n, {low})"]
    assert replays(machine, violation.trace)
