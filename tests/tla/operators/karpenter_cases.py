"""The clusters that operators of Karpenter are asked about: `settings`, each a `KarpenterCase`

The clusters are those of `tests.karpenter.drawn`, each pool with at most two nodes more. From `OPEN` on pools leave a label open.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from random import Random
from typing import Any

from frozendict import frozendict

from schedcheck.errors import InputError
from schedcheck.model.controllers.karpenter import asking as asks
from schedcheck.model.controllers.karpenter import candidates as going
from schedcheck.model.controllers.karpenter import domains, hosts, requirements, rules
from schedcheck.model.controllers.karpenter.choosing import Choices, every
from schedcheck.model.controllers.karpenter.consolidation import Command, Disrupting, marked
from schedcheck.model.controllers.karpenter.solving import Claim, Solving
from schedcheck.model.controllers.karpenter.steps import Provisioning, provisionable
from schedcheck.model.controllers.karpenter.topology import Topology
from schedcheck.model.profiles import profile_of
from schedcheck.model.provisioning import HOSTNAME, INSTANCE_TYPE, NODE_POOL, UNDERUTILIZED, ZONE, Karpenter, Progress
from schedcheck.model.reference import Reference
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Node, Pod, PodDisruptionBudget, Snapshot, Taint, Toleration
from schedcheck.spec.terms import LabelSelector, PodAffinityTerm
from schedcheck.tla_export.kubernetes_model import kubernetes_parts
from schedcheck.tla_export.provisioners import limited
from schedcheck.tla_export.records import Records
from schedcheck.tla_export.text import NotExportable
from schedcheck.tla_export.values import NULL, evaluated
from tests.karpenter.drawn import drawn
from tests.karpenter.replayed import scenario_of
from tests.tla.operators.asking import Setting
from tests.tla.operators.cases import Case, NoSuch
from tests.tla.operators.karpenter_open import opened
from tests.tla.operators.karpenter_values import Of, Shown

OPEN = 1_000_000
"""The first seed of clusters whose pools leave a label open."""
MOST_WAYS = 40
"""The most ways of choosing that are looked at."""
MOST_NODES = 2
"""The most nodes that each pool has at once."""
VALUES = ("a", "b", "c", "x", "y")
APP = LabelSelector(frozendict(app="a"))


@dataclass(frozen=True)
class KarpenterCase(Case):
    """A cluster with Karpenter."""

    scenario: Scenario = field(default_factory=lambda: Scenario("", (), ()))
    progress: Progress = field(default_factory=Progress)

    @property
    def given(self) -> Karpenter:
        assert self.scenario.karpenter is not None
        return self.scenario.karpenter

    @cached_property
    def show(self) -> Shown:
        return Shown(self.scenario, self.records)

    @cached_property
    def steps(self) -> Provisioning:
        return Provisioning(self.scenario, self.given)

    # What is drawn.

    def pool(self) -> Of:
        return self.show.of(self.show.pool, self.one(self.given.pools))

    def type(self) -> Of:
        return self.show.of(self.show.type, self.one(self.given.types))

    def types(self) -> frozenset[Of]:
        return frozenset(self.show.of(self.show.type, each) for each in self.some(self.given.types))

    def label(self) -> str:
        keys = (ZONE, HOSTNAME, INSTANCE_TYPE, NODE_POOL, "team", *sorted(self.given.provider_labels))
        return self.one(keys)

    def values(self) -> Of:
        some = requirements.Values(self.random.random() < 0.5, self.some(VALUES))
        return self.show.of(self.show.values, some)

    def domains(self, rule: Of) -> Of:
        """Some domains of a rule, or all but some."""
        there = sorted({*rule.of[1], "elsewhere"})
        named = self.one((frozenset(self.some(there)), frozenset({self.one(there)}), frozenset[str]()))
        return self.show.of(self.show.values, requirements.Values(self.random.random() < 0.5, named))

    def required(self) -> Of:
        """The requirements of a pool, of a pod, of a type or of a node."""
        pool, kind, node = self.one(self.given.pools), self.one(self.given.types), self.node()
        own = hosts.template(pool), asks.asking(self.pod()).requirements, domains.type_requirements(kind, self.given)
        made = self.one((*own, requirements.of_labels(node.labels), {self.label(): self.values().of}))
        return self.show.of(self.show.requirements, dict(made))

    def amounts(self) -> Of:
        """What a pod requests."""
        return self.show.of(self.show.amounts, asks.amounts(self.pod()))

    def room(self) -> Of:
        """What a node or a type has, of which some amount may be exceeded."""
        kind = self.one(
            (*(each.allocatable for each in self.given.types), *(each.allocatable for each in self.snapshot.nodes))
        )
        known = self.records.scale.divisors
        room = {name: number for name, number in kind.items() if name in known or name == "pods"}
        less = self.one((*room, ""))
        left = {name: -known.get(name, 1) if name == less else number for name, number in room.items()}
        return self.show.of(self.show.amounts, left)

    def expressions(self) -> frozenset[Any]:
        pods = (pod.affinity.node_terms for pod in self.snapshot.pods)
        terms = [term.match_expressions for each in pods for term in each] + [p.requirements for p in self.given.pools]
        return frozenset(self.one([each for each in terms if each]))

    def asked(self) -> Of:
        """A pod with some preferences less."""
        asked = asks.asking(self.pod())
        for _ in range(self.random.choice((0, 0, 1, 2))):
            asked = asks.relaxed(asked, tolerate=False) or asked
        return self.show.of(self.show.asking, asked)

    def a_rule(self) -> Of:
        """A rule of a pod, or one of anti-affinity by zone."""
        found = [rule for pod in self.snapshot.pods for rule in rules.rules(asks.asking(pod))]
        apart = rules.apart(PodAffinityTerm(ZONE, label_selector=APP), self.pod())
        return self.show.of(self.show.rule, self.one(found or [apart]))

    def some_taints(self) -> frozenset[Taint]:
        return frozenset(self.one([(), *(each.taints for each in (*self.given.pools, *self.snapshot.nodes))]))

    def some_tolerations(self) -> frozenset[Toleration]:
        return frozenset(self.pod().tolerations)

    def budget(self) -> PodDisruptionBudget:
        """A budget of the cluster, or one with other limits."""
        least, most = self.one((("100%", None), (1, None), (None, 0), (None, "0%"), (None, "50%"), (0, None)))
        other = PodDisruptionBudget("b", selector=APP, min_available=least, max_unavailable=most)
        return self.one((*self.snapshot.budgets, other))

    # The simulation.

    def looking(self, choices: Choices) -> Disrupting:
        return self.steps.disrupting(self.snapshot, self.progress, choices)

    @cached_property
    def pending(self) -> frozenset[Pod]:
        return frozenset(pod for pod in self.snapshot.pods if provisionable(pod, self.progress))

    def ways(self, run: Callable[[Choices], Any]) -> list[Any]:
        """What a run leads to in every way. Raises: NoSuch if there are too many."""
        found = list(islice(every(run), MOST_WAYS + 1))
        if len(found) > MOST_WAYS:
            raise NoSuch
        return found

    @cached_property
    def candidates(self) -> tuple[going.Candidate, ...]:
        return tuple(going.candidates(self.snapshot, self.given, frozenset()))

    @cached_property
    def managed(self) -> tuple[going.Candidate, ...]:
        """The nodes of pools as if each might be disrupted."""
        found = []
        for node in self.snapshot.nodes:
            pool, kind = self.given.pool_of(node), self.given.type_of(node)
            pods = tuple(pod for pod in self.snapshot.pods_by_node.get(node.name, ()) if going.reschedulable(pod))
            if pool is not None and kind is not None:
                found.append(going.Candidate(node, pool, kind, going.price(node, kind), going.cost(pods), pods))
        return tuple(found)

    def leaver(self) -> Of:
        return self.show.of(self.show.candidate, self.one(self.managed))

    def several_gone(self) -> frozenset[Of]:
        """At least one of the nodes of pools."""
        return frozenset(self.show.of(self.show.candidate, each) for each in self.some(self.managed, 1))

    def leavers(self) -> frozenset[Of]:
        """Some of the nodes that may be disrupted, and sometimes none."""
        return frozenset(self.show.of(self.show.candidate, each) for each in self.some(self.candidates))

    def every_leaver(self) -> frozenset[Of]:
        return frozenset(self.show.of(self.show.candidate, each) for each in self.candidates)

    def result(self, existing: frozenset[Of]) -> Of:
        """A command for some of these nodes, or none."""
        gone = frozenset(self.some(sorted(existing, key=lambda each: each.of.node.name)))
        made = self.command(gone).of if gone else None
        return self.show.of(self.show.outcome, made)

    def going(self) -> Node:
        """A node, which in half of the cases is disrupted."""
        node = self.node()
        return marked(node) if self.random.random() < 0.5 and not going.disrupted(node) else node

    def with_taken_names(self) -> Snapshot:
        """The cluster with some of the nodes that its pools may add."""
        there = {node.name for node in self.snapshot.nodes}
        free = [node for node in self.given.slots(self.snapshot.nodes) if node.name not in there]
        return replace(
            self.snapshot, nodes=(*self.snapshot.nodes, *sorted(self.some(free), key=lambda node: node.name))
        )

    def solution(self, leavers: frozenset[Of]) -> Of:
        some = [each.of for each in leavers]
        return self.show.of(
            self.show.solution, self.one(self.ways(lambda choices: self.looking(choices).simulated(some)))
        )

    @cached_property
    def all_claims(self) -> list[tuple[Claim, ...]]:
        return self.ways(lambda choices: self.looking(choices).simulated(()).claims)

    def claims(self) -> Of:
        return self.show.of(self.show.claims, self.one(self.all_claims))

    def a_claim(self) -> Of:
        """A claim that the provisioner may create, or one that only its pool restricts."""
        found = [each for claims in self.all_claims for each in claims]
        pool = self.one(self.given.pools)
        required = hosts.template(pool)
        return self.show.of(self.show.made, self.one(found or [Claim(pool, self.given.types, required, ())]))

    def command(self, gone: frozenset[Of]) -> Of:
        """A replacement of nodes by a claim, or their removal."""
        claim, names = self.a_claim().of, tuple(sorted(each.of.node.name for each in gone))
        by = claim if self.random.random() < 0.9 else None
        return self.show.of(self.show.command, Command(UNDERUTILIZED, names, by))

    def to_place(self) -> frozenset[Pod]:
        """Pods that need a place: those that wait, and some others."""
        more = [pod for pod in self.snapshot.pods if pod.node_name and not asks.of_node(pod)]
        return self.pending | self.some(more)

    def visible(self) -> tuple[Node, ...]:
        chosen = self.some(self.snapshot.nodes)
        return tuple(node for node in self.snapshot.nodes if node in chosen)

    def solving(self, pods: Iterable[Pod], nodes: Iterable[Node], choices: Choices, placed: int = 0) -> Solving:
        """A simulation in which some pods have been placed, as long as existing nodes take them."""
        made = Solving(self.given, self.snapshot, nodes, sorted(pods, key=lambda pod: pod.key), choices)
        for asked in made._queue[:placed]:
            any(each.takes(asked, choices) for each in made._existing)
        return made

    def simulation(self) -> "Of":
        """A simulation without claims, with the function that makes it again for other choices."""
        pods, nodes, placed = self.to_place(), self.visible(), self.random.choice((0, 1, 2))
        first = self.solving(pods, nodes, Choices(), placed)
        return Of(self.show.hosting(first), lambda: self.solving(pods, nodes, Choices(), placed))

    def topology(self) -> Of:
        simulated = self.simulation()
        return Of(simulated.value["Topology"], lambda: simulated.of()._topology)

    def around(self) -> Of:
        """A cluster of which some nodes are seen and some pods moved."""
        pods, nodes = self.to_place(), self.visible()
        moved = [asks.asking(pod) for pod in sorted(pods, key=lambda pod: pod.key)]
        value = self.show.fields(
            Snapshot=self.snapshot, Nodes=frozenset(nodes), Moved=frozenset(pod.key for pod in pods)
        )
        return Of(value, lambda choices: Topology(self.given, self.snapshot, nodes, moved, choices))

    def topology_around(self, around: Of) -> Of:
        """A topology to which the rules of some pods apply."""
        asked = [asks.asking(pod) for pod in self.snapshot.pods if self.random.random() < 0.6]

        def made() -> Topology:
            topology: Topology = around.of(Choices())
            for each in asked:
                topology.update(each)
            return topology

        return Of(self.show.topology(made()), made)

    def nominated(self) -> frozenset[Node]:
        return self.some(self.snapshot.nodes) if self.random.random() < 0.3 else frozenset()

    def pairs(self) -> frozenset[tuple[str, str]]:
        """Names of nodes with those of their replacements."""
        return frozenset((node.name, "another") for node in self.snapshot.nodes if self.random.random() < 0.5)


def settings(seeds: Iterable[int]) -> Iterator[Setting]:
    """Yield each drawn cluster that can be exported, with its constants."""
    for seed in seeds:
        try:
            scenario = _with_mirror(scenario_of(drawn(seed), MOST_NODES), seed)
            scenario = scenario if seed < OPEN else opened(scenario, seed)
            scaled, _, written = kubernetes_parts(scenario, scenario.pods)
        except (InputError, NotExportable):
            continue
        constants = {name: evaluated(value) for name, value in written.items()}
        constants |= {"Null": NULL, "VictimsBecome": "absent", "CompletedBecome": "absent"}
        profile = profile_of(scenario)
        machine = Reference(scenario, profile)
        (state,) = machine.initial_states()
        starts = sorted({pod.start_time for pod in scenario.pods if pod.start_time is not None})
        records = Records(scaled, kubernetes=True, starts=starts, limited=limited(scenario))
        case = KarpenterCase(
            machine.view(state), records, Random(seed), judge=profile, scenario=scenario, progress=state.progress
        )
        yield Setting(f"cluster {seed}", {str(seed): case}, constants, ("KubeProvisionedCluster",))


def _with_mirror(scenario: Scenario, seed: int) -> Scenario:
    """The scenario, in which in some clusters a node owns one of its pods."""
    bound = [pod for pod in scenario.pods if pod.node_name]
    if seed % 5 or not bound:
        return scenario
    mirror = replace(bound[0], owner=("Node", bound[0].node_name))
    return replace(scenario, pods=tuple(mirror if pod is bound[0] else pod for pod in scenario.pods))
