"""The Job controller: what it wants, what it counts, and every step beside a simulation of syncJob with finalizers"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from random import Random
from typing import Any

import pytest

from schedcheck.checker.check import check
from schedcheck.checker.exploring.symmetry import Canonical, node_classes, pod_classes
from schedcheck.checker.result import Verdict
from schedcheck.model.controllers import Create, Remove, Replace
from schedcheck.model.controllers import job as controller
from schedcheck.model.environment import Complete, Crash
from schedcheck.model.jobs import Counts, Job
from schedcheck.model.profiles import profile_of
from schedcheck.model.reference import Reference, State
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Pod, Taint
from tests.support.building import node, pod

OWNER = ("Job", "import")


def made(
    parallelism: int, completions: int | None, limit: int, *rules: tuple[str, int | None], cpu: float = 1,
    room: int = 4, number: int | None = None, above: bool = False, kubelet: bool = False, nodes: int = 1,
) -> Scenario:  # fmt: skip
    """A Job on nodes with this room; `above` adds a pod of higher priority that may arrive and complete."""
    slots = number if number is not None else parallelism if completions is None else min(parallelism, completions)
    own = tuple(pod(f"import-{each}", cpu, owner=OWNER, labels={"app": "import"}) for each in range(slots))
    keys = tuple(each.key for each in own)
    high: tuple[Pod, ...] = (pod("report", room, priority=9),) if above else ()
    events = [Rule(event, pods=keys, bound=bound) for event, bound in rules]
    events += [Rule(event, pods=(high[0].key,)) for event in ("arrive", "complete") if above]
    return Scenario(
        name="job", pods=(*own, *high), nodes=tuple(node(f"n{each}", room) for each in range(nodes)), rules=tuple(events),
        profile="kubernetes", absent=frozenset((*keys, *(each.key for each in high))),
        controllers=frozenset({"owners", *({"kubelet"} if kubelet else ())}),
        jobs=(Job("import", "default", parallelism, completions, limit, frozenset(keys)),),
    )  # fmt: skip


def machine(scenario: Scenario) -> Reference:
    return Reference(scenario, profile_of(scenario))


def reachable(scenario: Scenario) -> Iterator[tuple[State, list[tuple[Any, State]]]]:
    """Every reachable state with its steps."""
    of = machine(scenario)
    left, seen = [*of.initial_states()], {*of.initial_states()}
    while left:
        state = left.pop()
        steps = list(of.steps(state))
        yield state, steps
        fresh = [each for _, each in steps if each not in seen]
        left += dict.fromkeys(fresh)
        seen.update(fresh)


# The definitions, at their bounds.

JOB = Job("import", "default", 2, 3, 1, frozenset())


@pytest.mark.parametrize(
    ("counts", "most"), [((0, 0), 2), ((1, 1), 2), ((2, 0), 1), ((3, 0), 0), ((4, 0), 0), ((0, 2), 0), ((1, 3), 0)]
)
def test_a_job_wants_no_more_pods_than_remain_nor_any_once_it_has_failed(counts: tuple[int, int], most: int) -> None:
    assert controller.wanted(JOB, Counts(*counts), 1) == most


@pytest.mark.parametrize(("succeeded", "running", "most"), [(0, 0, 2), (0, 2, 2), (1, 2, 2), (1, 1, 1), (1, 0, 0)])
def test_a_work_queue_keeps_its_pods_and_gets_none_once_one_has_succeeded(
    succeeded: int, running: int, most: int
) -> None:
    assert controller.wanted(replace(JOB, completions=None), Counts(succeeded, 0), running) == most


@pytest.mark.parametrize(
    ("before", "after", "counts"),
    [
        ({}, {"phase": "Succeeded"}, (1, 0)),
        ({}, {"phase": "Failed"}, (0, 1)),
        ({}, {"terminating": True}, (0, 1)),
        ({}, None, (0, 1)),
        ({}, {"phase": "Running"}, (0, 0)),
        ({}, {"node_name": ""}, (0, 1)),
        ({"node_name": ""}, {}, (0, 0)),
        ({"terminating": True}, None, (0, 0)),
        ({"phase": "Failed"}, {"node_name": ""}, (0, 0)),
        ({"phase": "Succeeded"}, None, (0, 0)),
        (None, {"node_name": ""}, (0, 0)),
    ],
)
def test_a_pod_is_counted_in_the_step_that_ends_it(
    before: dict[str, Any] | None, after: dict[str, Any] | None, counts: tuple[int, int]
) -> None:
    was, then = (None if each is None else replace(pod("import-0", on="n"), **each) for each in (before, after))
    assert controller.counted(JOB, Counts(0, 0), was, then) == counts


@pytest.mark.parametrize(("counts", "running", "ended"), [((3, 1), 0, True), ((3, 0), 1, False), ((2, 0), 0, False), ((3, 2), 0, False)])  # fmt: skip
def test_a_job_is_complete_with_its_completions_and_without_active_pods(
    counts: tuple[int, int], running: int, ended: bool
) -> None:
    assert controller.has_completed(JOB, Counts(*counts), running) is ended


def test_surplus_pods_go_unbound_ones_first_and_then_those_that_do_not_run() -> None:
    here = [pod("a", on="n", phase="Running"), pod("b", on="n"), pod("c"), pod("d", on="n", terminating=True)]
    one = replace(JOB, parallelism=1)
    assert controller.surplus(one, Counts(0, 0), here) == [here[2]]
    assert controller.surplus(one, Counts(0, 0), here[:2]) == [here[1]]
    assert controller.surplus(one, Counts(0, 0), here[:1]) == []
    assert controller.surplus(JOB, Counts(0, 2), here) == here[:3]


# A simulation of the controller as it is: pods with uids, deletion timestamps and finalizers.


@dataclass
class Stored:
    """A pod in the API."""

    phase: str = "Pending"
    deleted: bool = False
    bound: bool = False
    finalizer: bool = True


@dataclass
class Upstream:
    """The status of a Job and its pods, of which those without a finalizer that are deleted are gone."""

    job: Job
    succeeded: int = 0
    failed: int = 0
    finished: str = ""
    pods: dict[int, Stored] = field(default_factory=dict)

    def sync(self) -> tuple[int, set[int]]:
        """Count, and return how many pods are to be created, or which ones may be deleted."""
        for each in self.pods.values():
            if each.finalizer and each.phase == "Succeeded":
                self.succeeded += 1
                each.finalizer = False
            elif each.finalizer and (each.phase == "Failed" or each.deleted):
                self.failed += 1
                each.finalizer = False
        active = {uid for uid, each in self.pods.items() if each.phase in ("Pending", "Running") and not each.deleted}
        if not self.finished and self.failed > self.job.limit:
            self.finished = "Failed"
        if self.finished == "Failed":
            return 0, active
        if self.job.completions is None:
            want = len(active) if self.succeeded else self.job.parallelism
            complete = self.succeeded > 0 and not active
        else:
            want = max(min(self.job.completions - self.succeeded, self.job.parallelism), 0)
            complete = self.succeeded >= self.job.completions and not active
        if complete:
            self.finished = "Complete"
        if len(active) > want:
            order = sorted(active, key=lambda uid: (self.pods[uid].bound, self.pods[uid].phase == "Running"))
            first = self.pods[order[0]]
            alike = {
                uid for uid in active if (self.pods[uid].bound, self.pods[uid].phase) == (first.bound, first.phase)
            }
            return 0, alike
        return want - len(active), set()


class Followed:
    """A walk of the model with the simulation beside it; `uids` are the objects in the slots of the model."""

    def __init__(self, scenario: Scenario) -> None:
        self.job = scenario.jobs[0]
        self.upstream = Upstream(self.job)
        self.slots = [slot for slot, each in enumerate(scenario.pods) if each.key in self.job.keys]
        self.uids: dict[int, int] = {}
        self.fresh = count()

    def follow(self, before: State, action: Any, after: State) -> None:
        """Do to the objects what the step did to the pods of the model."""
        for slot in self.slots:
            was, then = before.pods[slot], after.pods[slot]
            if was is then:
                continue
            if isinstance(action, Create | Replace) and action.pod == str(then):
                self.uids[slot] = next(self.fresh)
                self.upstream.pods[self.uids[slot]] = Stored()
                continue
            stored = self.upstream.pods[self.uids[slot]]
            if then is None or then.terminating:
                stored.deleted = True
            else:
                stored.phase, stored.bound = then.phase, then.node_name != ""
            if then is None and stored.phase not in ("Succeeded", "Failed"):
                stored.deleted = True

    def differs(self, state: State, steps: list[tuple[Any, State]]) -> str:
        """How the steps of the model differ from what the simulation does now; empty if they do not."""
        create, delete = self.upstream.sync()
        names = {slot: f"import-{slot}" for slot in self.slots}
        free = {names[slot] for slot in self.slots if (there := state.pods[slot]) is None or completed(there)}
        gone = {names[slot] for slot in self.slots if self.uids.get(slot) in delete}
        creates = {action.pod for action, _ in steps if isinstance(action, Create)}
        removes = {action.pod for action, _ in steps if isinstance(action, Remove)}
        if create <= 0 and any(isinstance(action, Replace) for action, _ in steps):
            return "replaces a pod, although none is to be created"
        if creates != (free if create > 0 else set()):
            return f"creates {sorted(creates)}, not {create} of {sorted(free)}"
        return "" if removes == gone else f"removes {sorted(removes)}, not one of {sorted(gone)}"


EVENTS = ("complete", "crash", "delete", "evict")


NODE_EVENTS = ("fail", "return", "unreachable", "ready", "taint", "shutdown")
EVICTS = Taint("broken", "NoExecute")


def drawn(chance: Random) -> Scenario:
    """A Job, and perhaps a node that fails, is tainted, is out of reach or shuts down."""
    found = of_pods(chance)
    if chance.random() < 0.5 or "kubelet" not in found.controllers:
        return found
    rules = [
        Rule(event, nodes=("n0",), bound=3, taint=EVICTS if event == "taint" else None)
        for event in NODE_EVENTS
        if chance.random() < 0.5
    ]
    shut = any(rule.event == "shutdown" for rule in rules)
    (job,) = found.jobs
    return replace(
        found, rules=(*found.rules, *rules), controllers=found.controllers | {"lifecycle", "podgc"},
        shutdown_priorities=(0,) if shut else (), jobs=(replace(job, limit=chance.choice((2, 5, 9))),),
    )  # fmt: skip


def of_pods(chance: Random) -> Scenario:
    completions = chance.choice((None, 1, 2, 3, 4))
    events = [(event, None) for event in EVENTS if chance.random() < 0.6]
    return made(
        chance.choice((1, 2, 3)), completions, chance.choice((0, 1, 2, 9)), *events, cpu=chance.choice((1, 2)),
        above=chance.random() < 0.4, kubelet=chance.random() < 0.5, number=3 if chance.random() < 0.3 else None,
    )  # fmt: skip


def walked(seed: int, length: int = 40) -> tuple[str, set[str]]:
    """The first difference in a random walk, and what happened in it."""
    chance = Random(seed)
    scenario = drawn(chance)
    of, followed, happened = machine(scenario), Followed(scenario), set[str]()
    (state,) = of.initial_states()
    for _ in range(length):
        steps = list(of.steps(state))
        if told := followed.differs(state, steps):
            return f"{scenario.jobs[0]} {seed}: {told}", happened
        moving = [each for each in steps if each[1] != state]
        if not moving:
            break
        kind = chance.choice(sorted({type(action).__name__ for action, _ in moving}))
        action, reached = chance.choice([each for each in moving if type(each[0]).__name__ == kind])
        followed.follow(state, action, reached)
        happened.add(type(action).__name__)
        happened |= {followed.upstream.finished} - {""}
        state = reached
    return "", happened


def test_every_step_is_one_of_a_simulation_with_finalizers() -> None:
    happened = set[str]()
    for seed in range(150):
        told, found = walked(seed)
        assert told == ""
        happened |= found
    assert happened >= {
        "Arrive", "Bind", "Collect", "Complete", "Crash", "Create", "Delete", "End", "Evict", "EvictVictim", "Failed", "Kill",
        "Remove", "Replace", "Start", "TaintEvict", "Terminate",
    }  # fmt: skip


def ignores_deletion(job: Job, counts: Counts, before: Pod | None, after: Pod | None) -> Counts:
    return counts if after is None or after.terminating else COUNTED(job, counts, before, after)


def fails_one_early(job: Job, counts: Counts) -> bool:
    return counts.failed >= job.limit


def forgets_completions(job: Job, counts: Counts, running: int) -> int:
    return 0 if controller.has_failed(job, counts) else job.parallelism


def counts_two_failures(job: Job, counts: Counts, before: Pod | None, after: Pod | None) -> Counts:
    found = COUNTED(job, counts, before, after)
    return found if before is None or not before.terminating else found._replace(failed=found.failed + 1)


def keeps_pods_of_a_failed_job(job: Job, counts: Counts, pods: Any) -> list[Pod]:
    return []


COUNTED = controller.counted


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        ("counted", ignores_deletion),
        ("counted", counts_two_failures),
        ("has_failed", fails_one_early),
        ("wanted", forgets_completions),
        ("surplus", keeps_pods_of_a_failed_job),
    ],
)
def test_the_simulation_notices_a_broken_controller(
    name: str, broken: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(controller, name, broken)
    assert any(walked(seed)[0] for seed in range(60))


@pytest.mark.parametrize(("limit", "replaced"), [(0, False), (1, True)])
def test_a_pod_on_an_unreachable_node_is_replaced_unless_the_job_has_failed(limit: int, replaced: bool) -> None:
    each = made(1, 1, limit, ("delete", 1), kubelet=True)
    each = replace(each, rules=(*each.rules, Rule("unreachable", nodes=("n0",))))
    assert replaced is any(isinstance(action, Replace) for _, steps in reachable(each) for action, _ in steps)


# Symmetry: the pods of one Job are interchangeable.


@pytest.mark.parametrize("kubelet", [False, True])
def test_the_states_with_symmetry_are_the_orbits_of_all_states(kubelet: bool) -> None:
    each = made(2, 3, 1, ("complete", None), ("crash", 1), kubelet=kubelet)
    each = replace(each, properties=("no_overcommit",))
    plain, merged = (check(each, symmetry=symmetry) for symmetry in (False, True))
    of = machine(each)
    orbit = Canonical(of, pod_classes(each, frozenset()), node_classes(each, frozenset()))
    states = [state for state, _ in reachable(each)]
    assert plain.result.distinct == len(states) and merged.result.distinct == len({orbit(state) for state in states})
    assert merged.result.distinct < plain.result.distinct
    assert plain.result.verdict is merged.result.verdict is Verdict.HOLDS


# All states, beside an enumeration of numbers alone.


def enumerated(parallelism: int, completions: int | None, limit: int) -> set[tuple[int, int, int, int]]:
    """The reachable numbers of unbound and bound active pods, and of those that succeeded and failed; all pods have room."""
    found, left = set[tuple[int, int, int, int]](), [(0, 0, 0, 0)]
    while left:
        at = unbound, bound, succeeded, failed = left.pop()
        if at in found:
            continue
        found.add(at)
        if bound and failed <= limit:
            most = succeeded + 1 if completions is not None else 1
            left += [(unbound, bound - 1, most, failed), (unbound, bound - 1, succeeded, failed + 1)]
        if bound and failed > limit:
            left.append((unbound, bound - 1, succeeded, failed))
        if unbound:
            left.append((unbound - 1, bound + 1, succeeded, failed))
        remaining = completions - succeeded if completions is not None else 0 if succeeded else parallelism
        if failed > limit:
            left += [(unbound - 1, bound, succeeded, failed)] if unbound else []
        elif unbound + bound < min(parallelism, remaining):
            left.append((unbound + 1, bound, succeeded, failed))
    return found


@pytest.mark.parametrize(
    ("parallelism", "completions", "limit"), [(1, 1, 0), (2, 3, 1), (2, None, 1), (3, 2, 0), (1, 3, 2), (3, None, 0)]
)
def test_the_reachable_numbers_are_those_of_an_enumeration(
    parallelism: int, completions: int | None, limit: int
) -> None:
    numbers = set()
    for state, _ in reachable(made(parallelism, completions, limit, ("complete", None), ("crash", None))):
        there = [each for each in state.pods if each is not None and not completed(each)]
        bound = sum(each.node_name != "" for each in there)
        numbers.add((len(there) - bound, bound, *state.jobs[0]))
    assert numbers == enumerated(parallelism, completions, limit)


def test_a_job_that_has_failed_never_gets_a_pod_again() -> None:
    after = 0
    for state, steps in reachable(made(2, 4, 1, ("complete", None), ("crash", None), ("delete", None))):
        if controller.has_failed(JOB, state.jobs[0]):
            after += 1
            assert not any(isinstance(action, Create) for action, _ in steps)
            assert all(each.jobs == state.jobs for _, each in steps)
    assert after > 0


def test_an_ended_pod_gives_its_name_to_the_next_one_and_a_complete_job_rests() -> None:
    last = [state for state, steps in reachable(made(1, 3, 0, ("complete", None))) if not steps]
    assert [(state.jobs, [each.phase for each in state.pods if each]) for state in last] == [
        ((Counts(3, 0),), ["Succeeded"])
    ]


def test_events_end_pods_only_once_they_are_bound() -> None:
    for state, steps in reachable(made(1, 1, 1, ("complete", None), ("crash", None))):
        ending = [action for action, _ in steps if isinstance(action, Complete | Crash)]
        assert bool(ending) == any(each is not None and each.node_name and not completed(each) for each in state.pods)
