"""What Karpenter's simulation computes as values of tla/: `Shown`"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from schedcheck.checker.language.values.values import Value
from schedcheck.model.controllers.karpenter.asking import Asking
from schedcheck.model.controllers.karpenter.candidates import Candidate
from schedcheck.model.controllers.karpenter.consolidation import Command
from schedcheck.model.controllers.karpenter.hosts import ExistingNode, NewClaim
from schedcheck.model.controllers.karpenter.requirements import Requirements, Values
from schedcheck.model.controllers.karpenter.rules import APART, SPREAD, Rule
from schedcheck.model.controllers.karpenter.solving import Claim, Solution, Solving
from schedcheck.model.controllers.karpenter.topology import Group, Topology
from schedcheck.model.provisioning import HOSTNAME, InstanceType, Offering, Pool
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Pod
from schedcheck.tla_export.objects import pod_term_record
from schedcheck.tla_export.prices import costs_of
from schedcheck.tla_export.provisioners import _pool, _type, limited
from schedcheck.tla_export.records import Records
from schedcheck.tla_export.values import evaluated
from tests.tla.operators.told import Raw, told


@dataclass(frozen=True)
class Of(Raw):
    """A value of tla/, and the Python object that it shows."""

    of: Any


class Shown:
    """The conversion of what a simulation of a scenario computes."""

    def __init__(self, scenario: Scenario, records: Records) -> None:
        assert scenario.karpenter is not None
        self.given, self.records, self.scenario = scenario.karpenter, records, scenario

    def of(self, convert: Callable[[Any], Value], thing: Any) -> Of:
        """The thing with its value."""
        return Of(convert(thing), thing)

    def all(self, convert: Callable[[Any], Value], things: Iterable[Any]) -> frozenset[Raw]:
        """The values of things, as a set."""
        return frozenset(Raw(convert(each)) for each in things)

    def fields(self, **values: Any) -> Value:
        """A record."""
        return told(values, self.records)

    @cached_property
    def costs(self) -> Any:
        return costs_of(self.scenario)

    @cached_property
    def divisors(self) -> Mapping[str, int]:
        return limited(self.scenario) or {}

    @cached_property
    def _pools(self) -> dict[str, Value]:
        return {each.name: evaluated(_pool(each, self.given, self.divisors)) for each in self.given.pools}

    @cached_property
    def _types(self) -> dict[str, Value]:
        scaled = self.records.scale
        return {each.name: evaluated(_type(each, scaled, 1, self.divisors, self.costs)) for each in self.given.types}

    def pool(self, pool: Pool) -> Value:
        return self._pools[pool.name]

    def type(self, kind: InstanceType) -> Value:
        return self._types[kind.name]

    def offering(self, each: Offering) -> Value:
        price = self.costs.price(each.price)
        return self.fields(Zone=each.zone, CapacityType=each.capacity_type, Price=price, Available=each.available)

    def amounts(self, given: Mapping[str, int]) -> Value:
        """Amounts in the units of the module, of the resources that it counts."""
        known = self.records.scale.divisors
        return told(
            {name: n // known.get(name, 1) for name, n in given.items() if name in (*known, "pods")}, self.records
        )

    def limits(self, given: Mapping[str, int]) -> Value:
        """Amounts in the units of limits."""
        return told({name: number // self.divisors.get(name, 1) for name, number in given.items()}, self.records)

    def values(self, values: Values) -> Value:
        return self.fields(But=values.complement, Named=values.named)

    def requirements(self, given: Requirements) -> Value:
        return told({key: Raw(self.values(each)) for key, each in given.items()}, self.records)

    def asking(self, asked: Asking) -> Value:
        apart = sorted(asked.apart, key=lambda each: -each.weight)
        preferred = sorted(asked.preferred, key=lambda each: -each.weight)
        return self.fields(
            Pod=asked.pod,
            Terms=[frozenset(term.match_expressions) for term in asked.required],
            Preferred=[frozenset(each.term.match_expressions) for each in preferred],
            Apart=[Raw(evaluated(pod_term_record(each.term))) for each in apart],
            Spread=asked.spread,
            Tolerations=frozenset(asked.tolerations),
        )

    def rule(self, rule: Rule) -> Value:
        assert rule.kind in (SPREAD, APART)
        return self.fields(
            Key=rule.key,
            Spreads=rule.kind == SPREAD,
            Namespaces=rule.namespaces,
            Selector=rule.selector,
            Skew=rule.skew,
            Least=rule.least,
            Alternatives=self.all(self.requirements, map(dict, rule.filter.alternatives)),
            Affinity=rule.filter.affinity,
            Taints=rule.filter.taints,
            Tolerations=frozenset(rule.filter.tolerations),
        )

    def group(self, group: Group) -> Value:
        return self.fields(Counts=group.counts, Owners=frozenset(group.owners))

    def groups(self, groups: Mapping[Rule, Group]) -> Value:
        return told({Raw(self.rule(rule)): Raw(self.group(group)) for rule, group in groups.items()}, self.records)

    def topology(self, topology: Topology) -> Value:
        groups, forbidding = Raw(self.groups(topology._groups)), Raw(self.groups(topology._inverse))
        return self.fields(Groups=groups, Forbidding=forbidding)

    def host(self, host: ExistingNode) -> Value:
        return self.fields(
            Node=host.node,
            Host=host.node.labels.get(HOSTNAME) or host.node.name,
            Taints=frozenset(host.taints),
            Left=Raw(self.amounts(host._left)),
            Requirements=Raw(self.requirements(host._requirements)),
            Pods=frozenset(host.pods),
        )

    def claim(self, claim: NewClaim, host: str) -> Value:
        """A claim of a simulation; its hostname counts the claims that were made, and in Python those that were tried."""
        return self.fields(
            Pool=Raw(self.pool(claim.pool)),
            Types=self.all(self.type, claim.types),
            Host=host,
            Amounts=Raw(self.amounts(claim._requests)),
            Requirements=Raw(self.requirements(claim.requirements)),
            Pods=frozenset(claim.pods),
        )

    def made(self, claim: Claim) -> Value:
        """A claim of a solution."""
        return self.fields(
            Pool=Raw(self.pool(claim.pool)),
            Types=self.all(self.type, claim.types),
            Requirements=Raw(self.requirements(claim.requirements)),
            Pods=frozenset(claim.pods),
        )

    def claims(self, claims: Iterable[Claim]) -> Value:
        return told([Raw(self.made(each)) for each in claims], self.records)

    def solution(self, solution: Solution) -> Value:
        placed = (Raw(self.fields(Node=node, Pods=frozenset(pods))) for node, pods in solution.placed)
        claims = Raw(self.claims(solution.claims))
        return self.fields(Claims=claims, Placed=frozenset(placed), Failed=frozenset(solution.failed))

    def hosting(self, solving: Solving) -> Value:
        """A simulation without claims."""
        assert not solving._claims
        return self.fields(
            Topology=Raw(self.topology(solving._topology)),
            Hosts=[Raw(self.host(each)) for each in solving._existing],
            Claims=(),
            Limits={name: Raw(self.limits(each)) for name, each in solving._limits.items()},
        )

    def candidate(self, each: Candidate) -> Value:
        return self.fields(
            Node=each.node,
            Pool=Raw(self.pool(each.pool)),
            Types=self.all(self.type, () if each.type is None else (each.type,)),
            Price=self.costs.price(each.price),
            Cost=self.costs.empty + sum(map(self.costs.of, each.pods)),
            Pods=frozenset(each.pods),
        )

    def command(self, command: Command) -> Value:
        by = () if command.replacement is None else (command.replacement,)
        return self.fields(Reason=command.reason, Nodes=frozenset(command.nodes), By=self.all(self.made, by))

    def outcome(self, command: Command | None) -> Value:
        """What a method decides: a set of at most one command."""
        return told(self.all(self.command, () if command is None else (command,)), self.records)

    def pod_amounts(self, pod: Pod, given: Mapping[str, int]) -> Value:
        return self.amounts(given)
