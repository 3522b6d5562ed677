"""The operators of kube-scheduler's scores with their twins: `TWINS`"""

from dataclasses import replace
from typing import Any

from frozendict import frozendict

from schedcheck.spec.kubernetes.missing_state import unprepared_to_score
from schedcheck.spec.kubernetes.scores import arithmetic
from schedcheck.spec.kubernetes.scores import balanced_allocation as balance
from schedcheck.spec.kubernetes.scores import image_locality as images
from schedcheck.spec.kubernetes.scores import inter_pod_affinity as company
from schedcheck.spec.kubernetes.scores import node_affinity as preferred
from schedcheck.spec.kubernetes.scores import node_resources_fit as fitting
from schedcheck.spec.kubernetes.scores import pod_topology_spread as spread
from schedcheck.spec.kubernetes.scores import taint_toleration as tainted
from schedcheck.spec.kubernetes.scores.scored import (
    SCORE_PLUGINS,
    best,
    enabled,
    errors_after,
    errors_before,
    errors_between,
    scored,
)
from schedcheck.spec.objects import Node, Pod
from tests.tla.operators.cases import Case, NoSuch
from tests.tla.operators.told import Fields
from tests.tla.operators.twin import Twin
from tests.tla.random_kubernetes import HOSTNAME

WAITS = {"Pod": Case.waits}
PLUGINS = {each.name: each for each in SCORE_PLUGINS}


def among(case: Case) -> frozenset[Node]:
    return frozenset(case.nodes())


def ordered(case: Case, nodes: frozenset[Node]) -> tuple[Node, ...]:
    return tuple(node for node in case.snapshot.nodes if node in nodes)


def raw(name: str) -> Any:
    """The raw scores of a plugin, by node."""

    def python(case: Case, pod: Pod, among: frozenset[Node]) -> Any:
        return case.by_node(PLUGINS[name].raw(pod, ordered(case, among), case.snapshot, case.plugins))

    return python


def skipped(name: str) -> Any:
    """Whether a plugin is skipped."""

    def python(case: Case, pod: Pod) -> bool:
        return PLUGINS[name].skipped(pod, case.snapshot.nodes, case.snapshot, case.plugins)

    return python


def normalised_of(case: Case, name: str, scores: dict[Node, int], pod: Pod) -> Any:
    by_name = {node.name: score for node, score in scores.items()}
    nodes = ordered(case, frozenset(scores))
    return case.by_node(PLUGINS[name].normalised(by_name, pod, nodes, case.snapshot, case.plugins))


def some_scores(case: Case) -> dict[Node, int]:
    return case.by_node(case.scores())


def signed_scores(case: Case) -> dict[Node, int]:
    return case.by_node(case.scores(least=-20))


def plugin(case: Case) -> str:
    return case.one(tuple(PLUGINS))


def plugin_with_scores(case: Case) -> str:
    """A plugin that may score in tla/: DynamicResources gives 0 there, as no module knows claims."""
    return case.one([each for each in PLUGINS if each != "DynamicResources"])


def normalised_by_plugin(case: Case) -> dict[str, dict[Node, int]]:
    return {plugin(case): case.by_node(case.scores(most=101)) for _ in range(2)}


def scoring(case: Case) -> frozenset[str]:
    return case.some(tuple(PLUGINS))


def number(case: Case) -> int:
    return case.random.randint(-300, 300)


def magnitude(number: int) -> int:
    return abs(number)


def divisor(case: Case) -> int:
    return case.random.randint(1, 40)


def share(case: Case, resource: str) -> tuple[int, int]:
    """A part of the allocatable amount of some node among the constants, and that amount."""
    capacities = {node.allocatable.get(resource, 0) for node in case.snapshot.nodes} - {0}
    whole = case.less(case.one(sorted(capacities)), resource)
    return case.random.randint(0, whole), whole


def balanced_of(share: tuple[int, int], other: tuple[int, int]) -> int:
    """The balance as kube-scheduler computes it, in floating point."""
    shares = [float(part) / float(whole) for part, whole in (share, other)]
    return int((1 - balance.deviation(shares)) * float(arithmetic.HIGHEST))


def balanced_resource(case: Case, number: int) -> str:
    names = case.arguments.balanced
    if len(names) < 2:
        raise NoSuch
    return names[number]


def rating(case: Case, amount: int, capacity: int) -> int:
    return fitting.strategy_of(case.arguments).rating(amount, capacity)


def weighted(terms: Any) -> tuple[Fields, ...]:
    return tuple(Fields({"Weight": weight, "Term": term}) for weight, term in terms)


def cast(case: Case, pod: Pod, other: Pod, node: Node) -> Any:
    votes = company.votes(pod, other, node, case.snapshot, case.departures, case.arguments.hard_pod_affinity_weight)
    return tuple(Fields({"Domain": pair, "Weight": weight}) for pair, weight in votes)


def with_company(case: Case) -> Pod:
    """A pod with at most one required affinity term; TLA+ leaves the order of several open."""
    pod = case.pod()
    if len(pod.affinity.pod_required) > 1:
        raise NoSuch
    return pod


def hundredths(case: Case, part: int, whole: int) -> int:
    """The normalised score as kube-scheduler computes it in floating point, for the scores 0, part and whole."""
    scores = {"least": 0, "part": part, "greatest": whole}
    return company.normalised_inter_pod_affinity(scores, Pod(""), (), case.snapshot, case.plugins)["part"]


def domain_score(case: Case, constraint: Any, pod: Pod, node: Node, chosen: frozenset[Node]) -> int:
    """The score in millionths: the count times its weight, plus the term for the skew."""
    found = spread.domains(constraint, pod, ordered(case, chosen), case.snapshot)
    by_node = constraint.topology_key == spread.HOSTNAME
    count = found.counts[node.name if by_node else node.labels[constraint.topology_key]]
    return count * round(found.weight * 10**6) + (constraint.max_skew - 1) * 10**6


def without_hosts(case: Case) -> Case:
    """The case; every second time with the hostname label on one node only."""
    if case.random.random() < 0.5:
        return case
    kept = case.node()
    nodes = (
        node
        if node == kept
        else replace(node, labels=node.labels.delete(HOSTNAME))
        if HOSTNAME in node.labels
        else node
        for node in case.snapshot.nodes
    )
    return replace(case, snapshot=replace(case.snapshot, nodes=tuple(nodes)))


def chosen_with(case: Case, constraint: Any, node: Node) -> frozenset[Node]:
    """All nodes in half of the cases, otherwise some of them with the one that is scored."""
    return frozenset(case.snapshot.nodes) if case.random.random() < 0.5 else among(case) | {node}


def all_scored(case: Case, pod: Pod, among: frozenset[Node]) -> Fields:
    found = scored(pod, ordered(case, among), case.snapshot, case.plugins)
    if found.error is not None:
        raise NoSuch
    by_plugin = {
        kind: {name: case.by_node(scores) for name, scores in given.items()}
        for kind, given in (("Raw", found.raw), ("Normalised", found.normalised), ("Weighted", found.weighted))
    }
    others = {"Error": False, "Skipped": frozenset(found.skipped), "Total": case.by_node(found.total)}
    return Fields({**others, **by_plugin, "Best": case.named(found.best)})


def whether_an_error(case: Case, pod: Pod) -> bool:
    return preferred.node_affinity_error(pod) is not None


def plugins_at_pre_score(case: Case) -> Any:
    return enabled(case.plugins, "preScore", SCORE_PLUGINS)


AMONG = WAITS | {"Among": among}
LACKING = {"Resource": lambda case: case.one(("cpu", "memory"))}

TWINS = (
    # KubeScoreArithmetic
    Twin("Highest", lambda: arithmetic.HIGHEST),
    Twin("Magnitude", magnitude, {"Number": number}),
    Twin("Quotient", arithmetic.quotient, {"Dividend": number, "Divisor": lambda case: divisor(case) * case.one((1, -1))}),
    Twin("Rounded", lambda dividend, divisor: arithmetic.rounded(dividend / divisor), {"Dividend": number, "Divisor": divisor}),
    Twin("Greatest", lambda scores: max((0, *scores.values())), {"Scores": some_scores}),
    Twin("DefaultNormalised", arithmetic.default_normalised, {"Scores": some_scores, "Reverse": lambda case: case.one((False, True))}),
    # KubeScoreNodes
    Twin("IntolerableTaints", tainted.intolerable_taints),
    Twin("TaintTolerationScore", raw("TaintToleration"), AMONG),
    Twin("NormalisedTaintToleration", lambda case, scores: normalised_of(case, "TaintToleration", scores, Pod("")), {"Scores": some_scores}),
    Twin("Counting", preferred.counting, {"Preferred": Case.preference}),
    Twin("NodeAffinityScore", raw("NodeAffinity"), AMONG),
    Twin("NormalisedNodeAffinity", lambda case, scores: normalised_of(case, "NodeAffinity", scores, Pod("")), {"Scores": some_scores}),
    Twin("NodeAffinityScoreSkipped", skipped("NodeAffinity"), WAITS),
    Twin("NodeAffinityError", whether_an_error, {"Pod": Case.prefers}),
    # KubeScoreFit
    Twin("WithDefault", fitting.with_default, LACKING),
    Twin("Defaulted", fitting.defaulted, LACKING),
    Twin("RatedOccupation", lambda case, pod, resource: case.less(fitting.rated_occupation(pod, resource, case.departures), resource)),
    Twin("RatedRequest", lambda case, pod, resource: case.less(fitting.rated_request(pod, resource), resource)),
    Twin("RatedRequestOfPlaced", lambda case, pod, resource: case.less(fitting.rated_request_of_placed(pod, resource, case.departures), resource)),
    Twin("RatedUse", lambda case, node, snapshot, resource: case.less(fitting.rated_use(node, snapshot, resource, case.departures), resource)),
    Twin("LeastRequested", fitting.least_requested, {"Amount": divisor, "Capacity": divisor}),
    Twin("MostRequested", fitting.most_requested, {"Amount": divisor, "Capacity": divisor}),
    Twin("BrokenLine", fitting.broken_line, {"Shape": Case.shape, "Utilization": lambda case: case.random.randint(0, 100)}),
    Twin("Rating", rating, {"Amount": divisor, "Capacity": divisor}),
    Twin("LookedAt", fitting.looked_at, {"Wants": lambda case: case.random.randint(0, 1)}),
    Twin("Fit", lambda case, pod, node, snapshot: fitting.fit(pod, node, snapshot, case.departures, fitting.strategy_of(case.arguments)), WAITS),
    Twin("NodeResourcesFitScore", raw("NodeResourcesFit"), AMONG),
    # KubeScoreBalanced
    Twin("BalancedAllocationSkipped", skipped("NodeResourcesBalancedAllocation"), WAITS),
    Twin("Balance", balanced_of, {"Share": lambda case: share(case, balanced_resource(case, 0)), "Other": lambda case: share(case, balanced_resource(case, 1))}),
    Twin("Balanced", lambda case, pod, node, snapshot: balance.balanced(pod, node, snapshot, case.arguments.balanced, case.departures), WAITS),
    Twin("BalancedAllocationScore", raw("NodeResourcesBalancedAllocation"), AMONG),
    # KubeScoreSpread
    Twin("Million", lambda: 10**6),
    Twin("Hostname", lambda: spread.HOSTNAME),
    Twin("SystemDefaults", lambda: spread.SYSTEM_DEFAULTS),
    Twin("SoftConstraints", spread.soft_constraints, WAITS),
    Twin("TopologySpreadSkipped", skipped("PodTopologySpread"), WAITS),
    Twin("LeftOut", spread.left_out, {"Pod": Case.soft_pod}),
    Twin("Included", spread.included, {"Constraint": Case.spread}),
    Twin("Alike", spread.alike, {"Constraint": Case.spread}),
    Twin("DomainScore", domain_score, {"Constraint": Case.spread, "Node": Case.keyed, "Chosen": chosen_with, "Pod": Case.waits}, of=without_hosts),
    Twin("TopologySpreadScore", raw("PodTopologySpread"), AMONG),
    Twin("NormalisedTopologySpread", lambda case, scores, pod: normalised_of(case, "PodTopologySpread", scores, pod), WAITS | {"Scores": some_scores}),
    # KubeScoreInterPod
    Twin("SpokenOf", company.spoken_of),
    Twin("OwnTerms", lambda pod: weighted(company.own_terms(pod))),
    Twin("OthersTerms", lambda case, other: weighted(company.others_terms(other, case.arguments.hard_pod_affinity_weight)), {"Other": with_company}),
    Twin("Votes", cast, {"Other": with_company}),
    Twin("DomainScores", lambda pod, snapshot, plugins: frozendict(company.domain_scores(pod, snapshot, plugins)), WAITS),
    Twin("InterPodAffinityScoreSkipped", skipped("InterPodAffinity"), WAITS),
    Twin("InterPodAffinityScore", raw("InterPodAffinity"), AMONG),
    Twin("Hundredths", hundredths, {"Whole": lambda case: case.random.choice((100, 50, 200, divisor(case))), "Part": lambda case, whole: case.random.randint(0, whole)}),
    Twin("NormalisedInterPodAffinity", lambda case, scores: normalised_of(case, "InterPodAffinity", scores, Pod("")), {"Scores": signed_scores}),
    # KubeScoreImages
    Twin("ImageNames", images.image_names),
    Twin("ImageSize", lambda case, name, snapshot: images.image_size(name, snapshot) // case.records.image_unit, {"Name": Case.an_image}),
    Twin("RatedImages", images.images_of),
    Twin("NumberOfImages", images.number_of_images),
    Twin("ImageLocalityScore", raw("ImageLocality"), AMONG),
    # KubeScores
    Twin("ScoreSkipped", lambda case, plugin, pod: PLUGINS[plugin].skipped(pod, case.snapshot.nodes, case.snapshot, case.plugins), WAITS | {"Plugin": plugin}),
    Twin("RawScores", lambda case, plugin, pod, among: raw(plugin)(case, pod, among), AMONG | {"Plugin": plugin}),
    Twin("NormalisedScores", normalised_of, WAITS | {"Plugin": plugin_with_scores, "Scores": some_scores}),
    Twin("UnpreparedToScore", lambda case, plugin: unprepared_to_score(plugin, case.plugins) is not None, {"Plugin": plugin}),
    Twin("ErrorsBefore", lambda case, pod: any(True for _ in errors_before(pod, case.plugins, plugins_at_pre_score(case))), {"Pod": Case.prefers}),
    Twin("ErrorsBetween", lambda case, pod, scoring: any(True for _ in errors_between(pod, case.plugins, tuple(PLUGINS[name] for name in scoring))), {"Pod": Case.prefers, "Scoring": scoring}),
    Twin("ErrorsAfter", lambda normalised: any(True for _ in errors_after({name: {node.name: score for node, score in scores.items()} for name, scores in normalised.items()})), {"Normalised": normalised_by_plugin}),
    Twin("Best", lambda case, sums: case.named(best({node.name: score for node, score in sums.items()})), {"Sums": some_scores}),
    Twin("ScorePlugins", lambda: frozenset(PLUGINS)),
    Twin("Scored", all_scored, AMONG),
)  # fmt: skip
