"""The operators of Karpenter with their twins: `TWINS`

What depends on choices is compared as the set of all that they lead to. Simulations begin with some pods placed.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from schedcheck.model.controllers.karpenter import asking as asks
from schedcheck.model.controllers.karpenter import candidates as going
from schedcheck.model.controllers.karpenter import consolidation, domains, hosts, launching, requirements, rules
from schedcheck.model.controllers.karpenter.choosing import Choices
from schedcheck.model.controllers.karpenter.consolidation import Disrupting
from schedcheck.model.controllers.karpenter.solving import Solving, usage
from schedcheck.model.controllers.karpenter.topology import Group
from schedcheck.model.environment import in_order
from schedcheck.model.provisioning import REASONS, Progress
from schedcheck.spec.objects import Node, Pod, Snapshot, Taint
from tests.tla.operators.cases import NoSuch
from tests.tla.operators.karpenter_cases import VALUES, KarpenterCase
from tests.tla.operators.karpenter_values import Of
from tests.tla.operators.told import Raw, told
from tests.tla.operators.twin import Twin

Case = KarpenterCase


def joined(case: Case, some: Of, others: Of) -> Raw:
    return Raw(case.show.requirements(requirements.joined(some.of, others.of)))


def meeting(case: Case, some: frozenset[Of]) -> Raw:
    made = requirements.EXISTS
    for each in some:
        made = made.meeting(each.of)
    return Raw(case.show.values(made))


def in_pool(case: Case, pool: Of, key: str) -> frozenset[str]:
    """The values that a pool alone would make domains."""
    return frozenset(domains.universe(replace(case.given, pools=(pool.of,))).get(key, {}))


def counted_so_far(case: Case, rule: Of, tolerations: frozenset[Any], around: Of) -> Mapping[str, int]:
    topology = around.of(Choices())
    asked = replace(asks.asking(case.snapshot.pods[0]), tolerations=tuple(tolerations))
    counts: Mapping[str, int] = topology._counted(rule.of, asked).counts
    return counts


def open_domains(case: Case, rule: Of, tolerations: frozenset[Any]) -> frozenset[str]:
    topology = case.solving((), (), Choices())._topology
    asked = replace(asks.asking(case.snapshot.pods[0]), tolerations=tuple(tolerations))
    return frozenset(topology._open(rule.of, asked))


def forbidding(case: Case, around: Of) -> frozenset[Raw]:
    return case.show.all(lambda topology: case.show.groups(topology._inverse), case.ways(around.of))


def updated(case: Case, topology: Of, asking: Of) -> Raw:
    made = topology.of()
    made.update(asking.of)
    return Raw(case.show.topology(made))


def allowed(case: Case, rule: Of, numbers: Mapping[str, int], pod: Pod, wishing: Of, offered: Of) -> frozenset[Raw]:
    group = Group(rule.of[0], ())
    group.counts = dict(numbers)
    return case.show.all(
        case.show.values, case.ways(lambda choices: group.allowed(pod, wishing.of, offered.of, choices))
    )


def narrowings(case: Case, topology: Of, asking: Of, borne: frozenset[Taint], required: Of) -> frozenset[Raw]:
    found = case.ways(lambda choices: topology.of().narrowed(asking.of, tuple(borne), required.of, choices))
    return case.show.all(case.show.requirements, (each for each in found if each is not None))


def with_placed(case: Case, topology: Of, pod: Pod, borne: frozenset[Taint], required: Of) -> Raw:
    made = topology.of()
    made.record(pod, tuple(borne), required.of)
    return Raw(case.show.topology(made))


def with_host(case: Case, topology: Of, host: str) -> Raw:
    made = topology.of()
    made.register(host)
    return Raw(case.show.topology(made))


def host_of(case: Case, node: Node) -> Raw:
    solving = case.solving((), (node,), Choices())
    return Raw(case.show.host(solving._existing[0]))


def taken(case: Case, simulation: Of, i: int, asking: Of) -> Raw:
    def run(choices: Choices) -> tuple[bool, Solving]:
        solving: Solving = simulation.of()
        return solving._existing[i - 1].takes(asking.of, choices), solving

    found = case.ways(run)
    ways = case.show.all(case.show.hosting, (solving for took, solving in found if took))
    return Raw(case.show.fields(Ways=ways, Fails=not all(took for took, _ in found)))


def solutions(case: Case, some: frozenset[Pod], visible: frozenset[Node]) -> frozenset[Raw]:
    nodes = [node for node in case.snapshot.nodes if node in visible]
    found = case.ways(lambda choices: case.solving(some, nodes, choices).run()) if some else []
    if not some:
        raise NoSuch
    return case.show.all(case.show.solution, found)


def simulated(case: Case, gone: frozenset[Of]) -> frozenset[Raw]:
    some = _in_order(gone)
    return case.show.all(case.show.solution, case.ways(lambda choices: case.looking(choices).simulated(some)))


def outcomes(case: Case, run: Callable[[Disrupting], Any]) -> frozenset[Raw]:
    return case.show.all(case.show.outcome, case.ways(lambda choices: run(case.looking(choices))))


def by_worth(case: Case, some: frozenset[Of]) -> frozenset[Raw]:
    found = case.ways(lambda choices: case.looking(choices)._by_worth(_in_order(some)))
    return case.show.all(lambda line: told([Raw(case.show.candidate(each)) for each in line], case.records), found)


def within_budgets(case: Case, ordered: Of, reason: str) -> tuple[Raw, ...]:
    kept = case.looking(Choices())._within(ordered.of, reason)
    return tuple(Raw(case.show.candidate(each)) for each in kept)


def line(case: Case) -> Of:
    """All nodes that may be disrupted, in some order."""
    some = case.random.sample(case.candidates, len(case.candidates))
    return Of(tuple(case.show.candidate(each) for each in some), some)


def _in_order(some: Iterable[Of]) -> list[Any]:
    return sorted((each.of for each in some), key=lambda each: each.node.name)


def other_types(case: Case, command: Of, gone: frozenset[Of]) -> frozenset[Raw]:
    if command.of.replacement is None:
        return case.show.all(case.show.command, (command.of,))
    found = case.looking(Choices())._other_types(command.of, _in_order(gone))
    return case.show.all(case.show.command, () if found is None else (found,))


def agrees(case: Case, command: Of, gone: frozenset[Of], solution: Of) -> bool:
    class Found(Disrupting):
        def simulated(self, gone: Iterable[Any]) -> Any:
            return solution.of

    names = tuple(sorted(each.of.node.name for each in gone))
    return Found(case.given, case.snapshot, tuple(case.pending), Choices())._valid(
        command.of._replace(nodes=names), _in_order(gone)
    )


def changed(case: Case, kinds: tuple[str, ...]) -> frozenset[Raw]:
    """What the steps of these kinds change. Raises: NoSuch if there are too many ways."""
    looked: tuple[Callable[[Disrupting], Any], ...] = (
        lambda each: each.simulated(()).claims,
        lambda each: each.command(),
    )
    for look in looked:
        case.ways(lambda choices, look=look: look(case.looking(choices)))
    there = {node.name: node for node in case.snapshot.nodes}
    found = []
    for action, altered, after in case.steps.changes(case.snapshot, case.progress):
        if type(action).__name__ in kinds:
            come = frozenset(node for _, node in altered)
            gone = frozenset(there[name] for name, _ in altered if name in there)
            pairs = frozenset(after.replaced) - frozenset(case.progress.replaced)
            found.append(Raw(case.show.fields(Gone=gone, Come=come, Replaces=pairs)))
    return frozenset(found)


def names_of(case: Case, claims: Of, snapshot: Snapshot) -> tuple[str, ...]:
    return case.steps._names(claims.of, snapshot)


def validated(case: Case, result: Of, existing: frozenset[Of]) -> frozenset[Raw]:
    there = _in_order(existing)
    found = (
        case.ways(lambda choices: case.looking(choices)._valid(result.of, there)) if result.of is not None else [True]
    )
    return case.show.all(case.show.outcome, (result.of if each else None for each in found))


def launch_choices(case: Case, claim: Of) -> frozenset[Raw]:
    return case.show.all(lambda each: a_choice(case, each).value, launching.choices(claim.of, case.given))


def a_choice(case: Case, choice: Any) -> Of:
    kind, offering = Raw(case.show.type(choice[0])), Raw(case.show.offering(choice[1]))
    return Of(case.show.fields(Type=kind, Offering=offering), choice)


def chosen(case: Case, claim: Of) -> Of:
    return a_choice(case, case.one(launching.choices(claim.of, case.given)))


def replacing(pairs: frozenset[tuple[str, str]]) -> Progress:
    return Progress(replaced=tuple(sorted(pairs)))


def group_of(case: Case) -> Of:
    """A rule, with numbers of pods by domain."""
    topology = case.simulation().of()._topology
    rule, group = case.one([*topology._groups.items(), *topology._inverse.items()])
    numbers = {each: case.random.choice((0, number, number + 1)) for each, number in group.counts.items()}
    return Of(case.show.rule(rule), (rule, numbers))


REQUIRED = {"Requirements": Case.required}
SOME = {"Some": lambda case: frozenset(case.values() for _ in range(case.random.choice((1, 2, 3))))}
VALUE = {"Value": lambda case: case.one(VALUES), "Values": Case.values, "Others": Case.values}
TWO = {
    "Has": Case.required,
    "Wants": Case.required,
    "Undefined": lambda case: frozenset(case.some(sorted(case.given.well_known))),
}
POOL = {"Pool": Case.pool, "Key": Case.label}
TYPE = {"Type": Case.type}
ASKING = {"Asking": Case.asked}
TOLERATIONS = {"Tolerations": Case.some_tolerations}
BORNE = {"Borne": Case.some_taints}
RULE = {"Rule": Case.a_rule}
TOPOLOGY = {"Topology": Case.topology, "Host": lambda case: case.one(("n0", "new 1"))}
LEAVER = {"Leaver": Case.leaver}
GONE = {"Gone": Case.leavers, "Waiting": lambda case: case.pending}
REASON = {"Reason": lambda case: case.one(REASONS), "Number": lambda case: case.random.randint(0, 20)}
EXISTING = {"Existing": Case.every_leaver, "Waiting": lambda case: case.pending, "Expecting": Case.nominated}
CLAIMS = {"Claims": Case.claims, "Claim": Case.a_claim}
BUDGET = {"Budget": Case.budget}

TWINS = (
    # LabelValues
    Twin("Allows", lambda values, value: values.of.has(value), VALUE),
    Twin("Negative", lambda values: values.of.negative, VALUE),
    Twin("IsOne", lambda values: values.of.only is not None, VALUE),
    Twin("MeetingOf", meeting, SOME),
    Twin("Meets", lambda values, others: values.of.meets(others.of), VALUE),
    Twin("ExpressionValues", lambda case, requirement: Raw(case.show.values(requirements.values_of(requirement)))),
    Twin("ValuesIn", lambda case, requirements, key: Raw(case.show.values(requirements.of.get(key, consolidation.EXISTS))), REQUIRED | POOL),
    Twin("Combined", joined, {"Some": Case.required, "Others": Case.required}),
    Twin("OfLabels", lambda case, labels: Raw(case.show.requirements(requirements.of_labels(labels)))),
    Twin("OfExpressions", lambda case, some: Raw(case.show.requirements(requirements.of_expressions(some))), {"Some": Case.expressions}),
    Twin("Intersect", lambda has, wants: requirements.intersect(has.of, wants.of), TWO),
    Twin("Compatible", lambda has, wants, undefined: requirements.compatible(has.of, wants.of, undefined), TWO),
    # KarpenterPools
    Twin("PoolsOver", lambda case, node: case.show.all(case.show.pool, {case.given.pool_of(node)} - {None})),
    Twin("TypesOver", lambda case, node: case.show.all(case.show.type, {case.given.type_of(node)} - {None})),
    Twin("InFlight", domains.in_flight),
    Twin("Disrupted", going.disrupted),
    Twin("TaintsOf", lambda node: frozenset(domains.taints_of(node)), {"Node": lambda case: replace(case.node(), unschedulable=case.random.random() < 0.5)}),
    Twin("AllTolerated", lambda some, tolerations: domains.tolerated(tuple(some), tuple(tolerations)), TOLERATIONS | {"Some": Case.some_taints}),
    Twin("Overlaid", lambda labels, others: {**labels, **others}, {"Others": Case.labels}),
    Twin("TypeRequirements", lambda case, type: Raw(case.show.requirements(domains.type_requirements(type.of, case.given))), TYPE),
    Twin("TemplateRequirements", lambda case, pool: Raw(case.show.requirements(hosts.template(pool.of))), POOL),
    Twin("ValuesInPool", in_pool, POOL),
    Twin("FitIn", lambda amounts, room: hosts.fits(amounts.of, room.of), {"Amounts": Case.amounts, "Room": Case.room}),
    Twin("PodAmounts", lambda case, pod: Raw(case.show.amounts(asks.amounts(pod)))),
    Twin("OfferingsFor", lambda case, type, requirements: case.show.all(case.show.offering, hosts.compatible_offerings(type.of, requirements.of, case.given)), TYPE | REQUIRED),
    Twin("TypesLeft", lambda case, types, requirements, amounts: case.show.all(case.show.type, hosts.left(tuple(each.of for each in types), requirements.of, amounts.of, case.given)), REQUIRED | {"Types": Case.types, "Amounts": Case.amounts}),
    Twin("UsageOf", lambda case, pool, some: Raw(case.show.limits({name: usage(pool.of, case.given, some).get(name, 0) for name in pool.of.limits or {}})), POOL | {"Some": lambda case: case.some(case.snapshot.nodes)}),
    # KarpenterAsking
    Twin("AskingFor", lambda case, pod: Raw(case.show.asking(asks.asking(pod)))),
    Twin("IsMirror", asks.mirror),
    Twin("OfItsNode", asks.of_node),
    Twin("Strict", lambda case, asking: Raw(case.show.requirements(asking.of.strict)), ASKING),
    Twin("Wishes", lambda case, asking: Raw(case.show.requirements(asking.of.requirements)), ASKING),
    Twin("Relaxed", lambda case, asking: case.show.all(case.show.asking, {asks.relaxed(asking.of, case.solving((), (), Choices())._tolerate)} - {None}), ASKING),
    Twin("ForbiddingRules", lambda case, pod: case.show.all(case.show.rule, (rules.apart(term, pod) for term in pod.affinity.anti_required))),
    Twin("RulesOf", lambda case, asking: case.show.all(case.show.rule, rules.rules(asking.of)), ASKING),
    Twin("CountsAt", lambda rule, borne, requirements: rule.of.filter.passes(tuple(borne), requirements.of), RULE | BORNE | REQUIRED),
    Twin("AppliesTo", lambda rule, pod: Group(rule.of, ()).selects(pod), RULE),
    # KarpenterTopology
    Twin("OpenDomains", open_domains, RULE | TOLERATIONS),
    Twin("CountedSoFar", counted_so_far, RULE | TOLERATIONS | {"Around": Case.around}),
    Twin("ForbiddingAtFirst", forbidding, {"Around": Case.around}),
    Twin("Updated", updated, ASKING | {"Around": Case.around, "Topology": Case.topology_around}),
    Twin("AllowedDomains", allowed, {"Rule": group_of, "Numbers": lambda case, rule: rule.of[1], "Wishing": Case.domains, "Offered": Case.domains}),
    Twin("Narrowings", narrowings, TOPOLOGY | ASKING | BORNE | REQUIRED),
    Twin("WithPlaced", with_placed, TOPOLOGY | BORNE | REQUIRED),
    Twin("WithHost", with_host, TOPOLOGY),
    # KarpenterSolving
    Twin("HostOf", host_of),
    Twin("TakenByHost", taken, {"Simulation": Case.simulation, "i": lambda case, simulation: case.one(range(1, len(simulation.value["Hosts"]) + 1))} | ASKING),
    Twin("Solutions", solutions, {"Some": Case.to_place, "Visible": lambda case: frozenset(case.visible())}),
    # KarpenterCandidates
    Twin("Active", going.active),
    Twin("Reschedulable", going.reschedulable),
    Twin("AskedToLeave", lambda case, pod: going.evictable(pod, case.given)),
    Twin("BudgetsOver", lambda case, pod, snapshot: frozenset(going.protecting(pod, snapshot))),
    Twin("FullyBlocking", going.fully_blocking, BUDGET),
    Twin("Movable", lambda case, pod, snapshot: going.movable(pod, snapshot, case.given)),
    Twin("Disruptable", lambda case, pod, snapshot: going._disruptable(pod, snapshot, case.given)),
    Twin("PodsAt", lambda node, snapshot: frozenset(snapshot.pods_by_node.get(node.name, ()))),
    Twin("PriceOf", lambda case, node: case.show.costs.price(going.price(node, case.given.type_of(node)))),
    Twin("CandidatesIn", lambda case, expecting: case.show.all(case.show.candidate, going.candidates(case.snapshot, case.given, frozenset(node.name for node in expecting))), EXISTING),
    Twin("IsEmpty", lambda leaver: leaver.of.empty, LEAVER),
    Twin("Consolidatable", lambda leaver: going.consolidatable(leaver.of), LEAVER),
    Twin("AllowedAtOnce", lambda pool, number, reason: going.allowed(pool.of, number, reason), POOL | REASON),
    Twin("SpareNodes", lambda case, pool, snapshot, reason: going.spare(snapshot, case.given, reason)[pool.of.name], POOL | REASON),
    # KarpenterConsolidation
    Twin("Pending", lambda case, marks: case.pending, {"Marks": lambda case: frozenset(case.progress.unschedulable)}),
    Twin("Simulated", simulated, GONE),
    Twin("WorstPrice", lambda case, type, requirements: worst(case, consolidation.worst_price(type.of, requirements.of, case.given)), TYPE | REQUIRED),
    Twin("Consolidations", lambda case, gone: outcomes(case, lambda look: look._consolidated(_in_order(gone))), GONE | {"Gone": Case.several_gone}),
    Twin("WithOtherTypes", other_types, {"Gone": Case.several_gone, "Command": Case.command}),
    Twin("Agrees", agrees, GONE | {"Gone": Case.several_gone, "Command": Case.command, "Solution": lambda case, gone: case.solution(gone)}),
    Twin("Validated", validated, EXISTING | {"Result": Case.result}),
    Twin("ByWorth", by_worth, {"Some": Case.leavers}),
    Twin("WithinBudgets", within_budgets, {"Ordered": line} | REASON),
    Twin("Emptied", lambda case, existing: outcomes(case, lambda look: look._emptiness(_in_order(existing))), EXISTING),
    Twin("SeveralAtOnce", lambda case, existing: outcomes(case, lambda look: look._several(_in_order(existing))), EXISTING),
    Twin("Single", lambda case, existing: outcomes(case, lambda look: look._single(_in_order(existing))), EXISTING),
    Twin("OutcomesBeside", lambda case, expecting: outcomes(case, lambda look: look.after(frozenset(node.name for node in expecting))), EXISTING),
    Twin("Commands", lambda case, waiting: case.show.all(case.show.command, (each for each in case.ways(lambda choices: case.looking(choices).command()) if each is not None)), GONE),
    # KubeProvisionedCluster
    Twin("Exceeded", lambda case, pool, snapshot: case.steps._exceeded(pool.of, snapshot), POOL),
    Twin("ClaimsOfProvisioner", lambda case: case.show.all(case.show.claims, case.steps.claims(case.snapshot, case.progress)) if case.all_claims else frozenset(), GONE),
    Twin("NamesOfClaims", names_of, CLAIMS | {"Snapshot": Case.with_taken_names}),
    Twin("LaunchChoices", launch_choices, CLAIMS),
    Twin("LaunchedNode", lambda claim, name, chosen: launching.launched(claim.of, name, chosen.of), CLAIMS | {"Name": lambda case: "p-1", "Chosen": chosen}),
    Twin("ProvisionerChanges", lambda case: changed(case, ("Provision",)), GONE),
    Twin("DisruptionChanges", lambda case: changed(case, ("RemoveEmpty", "Consolidate", "ReplaceNodes")), GONE),
    Twin("MarkedForDisruption", lambda node: consolidation.marked(node) if not going.disrupted(node) else node),
    Twin("InitializedNode", lambda node, pool: in_order(launching.initialized(node, pool.of)), POOL),
    Twin("IsDeleted", lambda case, node, pairs: case.steps._drained(node, replacing(pairs)), {"Node": Case.going, "Pairs": Case.pairs}),
    Twin("AwaitedBy", lambda case, node, pod: case.steps._waits(pod, node)),
    Twin("FirstToLeave", lambda case, node, snapshot: frozenset(case.steps._first(node, snapshot))),
    Twin("LastingMarks", lambda some, snapshot: frozenset(Progress(tuple(some)).lasting(snapshot.pods).unschedulable), {"Some": lambda case: case.some([pod.key for pod in case.snapshot.pods])}),
)  # fmt: skip


def worst(case: Case, price: float) -> int:
    return 2**31 - 1 if price == consolidation.WITHOUT_END else case.show.costs.price(price)
