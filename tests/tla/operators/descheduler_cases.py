"""Clusters with a descheduler that the operators are asked about: `DeschedulerCase`, `settings`; and those to walk: `of_seed`

The clusters are those of `tests.descheduler.drawn`. Those of `settings` have a policy with every plugin.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from random import Random

from frozendict import frozendict

from schedcheck.errors import InputError
from schedcheck.model.controllers.descheduler import ANEW, Cycle, Descheduling
from schedcheck.model.controllers.descheduler.evictor import at_first, filtered
from schedcheck.model.controllers.descheduler.plan import Done, Plan, Stage, Work
from schedcheck.model.controllers.descheduler.plugins import works
from schedcheck.model.controllers.descheduler.view import View
from schedcheck.model.descheduling import (
    DEFAULT_PROTECTIONS,
    EVERYTHING,
    Descheduler,
    Evictor,
    Namespaces,
    NodeTaints,
    PodLifeTime,
    RemoveDuplicates,
    Run,
    Utilization,
)
from schedcheck.model.profiles import profile_of
from schedcheck.model.reference import Reference
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.terms import LabelSelector
from schedcheck.tla_export import text
from schedcheck.tla_export.descheduling import _evictor, _run
from schedcheck.tla_export.kubernetes_model import kubernetes_parts
from schedcheck.tla_export.module import NotExportable, _taint_keys, _tolerating
from schedcheck.tla_export.values import NULL, evaluated
from tests.descheduler.drawn import PLUGINS, drawn
from tests.descheduler.replayed import scenario_of
from tests.tla.operators.asking import Setting
from tests.tla.operators.cases import Case, NoSuch
from tests.tla.operators.descheduler_changes import LOWER, crowded, disturbed, modest, otherwise
from tests.tla.operators.descheduler_told import told_cycle, told_plan, told_work
from tests.tla.operators.settings import RestartRecords
from tests.tla.operators.told import Raw

TRIED = 12
"""How many arguments are tried to find a run that has work."""


@dataclass(frozen=True)
class OfRun(Raw):
    """The record of a run, and the run."""

    run: Run


@dataclass(frozen=True)
class OfEvictor(Raw):
    """The record of an evictor, and the evictor."""

    evictor: Evictor


@dataclass(frozen=True)
class OfPlan(Raw):
    """A plan as a value, and the plan by slots."""

    plan: Plan


@dataclass(frozen=True)
class OfWork(Raw):
    """A work as a value, with its run, and the work by slots."""

    run: Run
    work: Work


@dataclass(frozen=True)
class OfCycle(Raw):
    """A cycle as a value, and the cycle by slots."""

    cycle: Cycle


@dataclass(frozen=True)
class DeschedulerCase(Case):
    """A cluster with a descheduler."""

    scenario: Scenario = field(default_factory=lambda: Scenario("", (), ()))

    @property
    def descheduler(self) -> Descheduler:
        assert self.scenario.descheduler is not None
        return self.scenario.descheduler

    @cached_property
    def descheduling(self) -> Descheduling:
        return Descheduling(self.scenario, self.descheduler, self.slots)

    @cached_property
    def view(self) -> View:
        return View(self.snapshot, self.descheduler)

    @cached_property
    def keys(self) -> list[tuple[str, str]]:
        return [pod.key for pod in self.scenario.pods]

    @cached_property
    def slots(self) -> dict[tuple[str, str], int]:
        return {key: slot for slot, key in enumerate(self.keys)}

    @cached_property
    def by_slot(self) -> list[Pod | None]:
        there = {pod.key: pod for pod in self.snapshot.pods}
        return [there.get(key) for key in self.keys]

    def slot(self, pod: Pod) -> int:
        return self.slots[pod.key]

    def run(self, *kinds: type) -> OfRun:
        """A run, perhaps with another evictor and other arguments; if possible, one that has work."""
        runs = [run for run in self.descheduler.runs if not kinds or isinstance(run.arguments, kinds)]
        run = self.one(runs)
        for _ in range(TRIED if len(kinds) == 1 else 1):
            run = self.scoped(self.one(runs))
            if any(work for _, work in self.works_of(run)):
                break
        run = self.limited(run)
        return OfRun(evaluated(_run(run, self.scenario, self.records.scale)), run)

    def scoped(self, run: Run) -> Run:
        """The run, perhaps with another evictor and other namespaces."""
        if self.random.random() < 0.5:
            run = replace(run, evictor=self.any_evictor())
        if self.random.random() < 0.3 and not isinstance(run.arguments, Utilization):
            some = frozenset({self.one(("default", "shop"))})
            within = self.one((Namespaces(include=some), Namespaces(exclude=some)))
            run = replace(run, arguments=replace(run.arguments, namespaces=within))
        return run

    def limited(self, run: Run) -> Run:
        """The run, perhaps with other taints or kinds of owners."""
        given = run.arguments
        if self.random.random() < 0.6 and isinstance(given, NodeTaints):
            named = frozenset({self.one(("dedicated", "dedicated=batch", "dedicated=other", "old"))})
            return replace(run, arguments=self.one((replace(given, included=named), replace(given, excluded=named))))
        if self.random.random() < 0.4 and isinstance(given, RemoveDuplicates | PodLifeTime):
            excluded = frozenset({self.one(("ReplicaSet", "StatefulSet", "Job"))})
            given = replace(given, exclude_owner_kinds=excluded)
        if self.random.random() < 0.3 and isinstance(given, PodLifeTime):
            given = replace(given, owner_kinds=frozenset({self.one(("ReplicaSet", "StatefulSet"))}))
        return replace(run, arguments=given)

    def evictor(self) -> OfEvictor:
        evictor = self.any_evictor()
        return OfEvictor(evaluated(_evictor(evictor, self.records.scale)), evictor)

    def any_evictor(self) -> Evictor:
        chosen = self.random.choice
        return Evictor(
            protections=self.some((*DEFAULT_PROTECTIONS, "PodsWithoutPDB")),
            threshold=chosen((0, 10, LOWER, LOWER)),
            node_fit=chosen((False, True)),
            node_selector=chosen((EVERYTHING, EVERYTHING, LabelSelector(frozendict(disk="ssd")))),
            label_selector=chosen((None, None, LabelSelector(frozendict(app="a")))),
            namespace_selector=chosen((None, EVERYTHING, LabelSelector(frozendict(team="shop")))),
            min_replicas=chosen((0, 1, 2, 3)),
            no_eviction_mandatory=chosen((False, True)),
        )

    def cycle_node(self) -> Node:
        return self.one(self.view.nodes)

    def listed_pod(self) -> Pod:
        """A pod on a node of a cycle."""
        return self.one([pod for node in self.view.nodes for pod in self.view.pods_on(node)])

    def owned(self) -> Pod:
        return self.one([pod for pod in self.snapshot.pods if self.descheduler.of(pod).owners])

    def done(self) -> frozenset[Stage]:
        """Most often no stage, else some."""
        if self.random.random() < 0.6:
            return frozenset()
        names = [node.name for node in self.snapshot.nodes]
        by_node = [(number, name) for number in (0, 1) for name in names]
        return self.some(by_node, 1) if self.random.random() < 0.7 else frozenset({(0, "")})

    def works_of(self, run: Run, done: Done = ()) -> list[tuple[Stage, Work]]:
        def passing(pod: Pod) -> bool:
            return filtered(pod, run.evictor, self.view)

        def able(pod: Pod) -> bool:
            return at_first(pod, run, self.view)

        return list(works(run.arguments, self.view, passing, able, self.slot, done))

    def any_work(self) -> tuple[Run, Work]:
        """What a run may do, perhaps after some evictions."""
        found = [(run, work) for run in self.descheduler.runs for _, work in self.works_of(run) if work]
        run, work = self.one(found)
        return run, self.continued(work)

    def continued(self, work: Work) -> Work:
        """The work after no evictions or some, of which some are refused."""
        while work and self.random.random() < 0.5:
            _, left, refused = self.one(list(work.next()))
            work = self.one((left, left, refused))
        return work

    def work(self) -> OfWork:
        run, work = self.any_work()
        return OfWork(told_work(work, self.keys, run, self.records.scale), run, work)

    def levelling(self) -> tuple[Run, Work | None]:
        """A run by little or much used nodes, with its work; by other thresholds if it has none."""
        run = self.one([run for run in self.descheduler.runs if isinstance(run.arguments, Utilization)])
        for number in range(TRIED):
            work = next((work for _, work in self.works_of(run) if work), None)
            if work is not None or number == TRIED - 1:
                break
            other = self.thresholds()
            plugin = "HighNodeUtilization" if other.empties else "LowNodeUtilization"
            run = Run(plugin, other, Evictor(frozenset(), node_fit=run.evictor.node_fit))
        return run, work

    def thresholds(self) -> Utilization:
        low = {name: float(self.random.choice((10, 25, 33, 50))) for name in self.some(("cpu", "memory", "pods"), 1)}
        high = {name: most + self.random.choice((0, 7, 25)) for name, most in low.items()}
        empties, most = self.random.random() < 0.4, self.random.choice((None, None, 1))
        return Utilization(empties, low, {} if empties else high, most=None if empties else most)

    def levelling_run(self) -> OfRun:
        run, _ = self.levelling()
        return OfRun(evaluated(_run(run, self.scenario, self.records.scale)), run)

    def relief(self) -> OfWork:
        run, work = self.levelling()
        if work is None:
            raise NoSuch
        left = self.continued(work)
        return OfWork(told_work(left, self.keys, run, self.records.scale), run, left)

    def plan(self) -> OfPlan:
        """The plan of a work that has one, or the order in which pods of all nodes are visited."""
        _, work = self.any_work()
        found: Plan = getattr(work, "plan", getattr(work, "order", ()))
        return OfPlan(told_plan(found, self.keys), found)

    def some_keys(self) -> frozenset[tuple[str, str]]:
        return self.some(self.keys)

    def counted(self) -> tuple[tuple[str, str, int], ...]:
        """The evictions of a cycle so far, within its limits and beyond."""
        counted: tuple[tuple[str, str, int], ...] = ()
        for _ in range(self.random.choice((0, 0, 1, 2))):
            counted = self.descheduling._counted(counted, self.pod())
        return counted

    def cycle(self) -> OfCycle:
        """A cycle that has begun, or not yet, and what it has still to do."""
        here = ANEW
        if self.random.random() < 0.8:
            run, work = self.any_work()
            place = self.descheduler.runs.index(run)
            here = Cycle(place, work or None, self.counted(), tuple(sorted(self.done())), tuple(sorted(self.done())))
        if self.random.random() < 0.4:
            here = here._replace(due=None)
        return OfCycle(told_cycle(here, self.scenario, self.records.scale), here)


def of_seed(seed: int) -> Scenario:
    """A drawn cluster whose pods are created again. Raises: InputError."""
    given = modest(scenario_of(drawn(seed)))
    return replace(given, properties=("type_correct",), controllers=frozenset({"owners"}), rules=())


def settings(seeds: Iterable[int]) -> Iterator[Setting]:
    """Yield each drawn cluster that can be exported, with its constants."""
    for seed in seeds:
        try:
            policy = drawn(seed, PLUGINS)["policy"]
            cluster = {**drawn(seed, PLUGINS if seed % 3 else ()), "policy": policy}
            given = otherwise(crowded(modest(scenario_of(cluster)), Random(f"{seed} room")), Random(f"{seed} facts"))
            keys = _taint_keys(given)
            running = given.controllers | ({"kubelet"} if seed % 2 else frozenset())
            scenario = replace(given, pods=tuple(_tolerating(pod, keys) for pod in given.pods), controllers=running)
            scaled, _, written = kubernetes_parts(scenario, scenario.pods)
        except (InputError, NotExportable):
            continue
        constants = {name: evaluated(value) for name, value in written.items()}
        constants |= {"Null": NULL, "VictimsBecome": "absent", "CompletedBecome": "absent"}
        constants |= {"RunningControllers": evaluated(text.Set(tuple(sorted(running))))}
        judge = profile_of(scenario)
        machine = Reference(scenario, judge)
        (state,) = machine.initial_states()
        starts = sorted({pod.start_time for pod in scenario.pods if pod.start_time is not None})
        records = RestartRecords(scaled, kubernetes=True, starts=starts)
        seen = disturbed(machine.view(state), Random(f"{seed} changes"))
        case = DeschedulerCase(seen, records, Random(seed), judge=judge, scenario=scenario)
        yield Setting(f"cluster {seed}", {str(seed): case}, constants, ("KubeDescheduledCluster",))
