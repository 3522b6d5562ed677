"""The constants of the modules Kube* of tla/: the enabled plugins, and tables that TLC cannot compute in 32 bits.

Logarithms are given in millionths; FallsShort lists the balances that are one less in 64-bit floating point.
"""

import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import product

from schedcheck.spec.importance import OFFSET
from schedcheck.spec.kubernetes.departures import NO_DEPARTURES
from schedcheck.spec.kubernetes.filters.node_resources_fit import ignored
from schedcheck.spec.kubernetes.label_values import unreadable
from schedcheck.spec.kubernetes.plugins import AddedAffinity, Plugins
from schedcheck.spec.kubernetes.scores.arithmetic import HIGHEST
from schedcheck.spec.kubernetes.scores.balanced_allocation import deviation
from schedcheck.spec.kubernetes.scores.image_locality import MEBIBYTE, image_names, images_of
from schedcheck.spec.kubernetes.scores.node_resources_fit import DEFAULTS
from schedcheck.spec.objects import Node, Pod, Snapshot, SpreadConstraint
from schedcheck.spec.quantities import amount
from schedcheck.spec.requests import counted, pod_level
from schedcheck.spec.selectors import numeral
from schedcheck.spec.terms import Requirement
from schedcheck.tla_export.amounts import Scale
from schedcheck.tla_export.kubernetes_objects import spread_record
from schedcheck.tla_export.objects import node_term_record, preferred_record
from schedcheck.tla_export.text import Function, NotExportable, Record, Set, Value

MILLION = 10**6
POINTS = ("preEnqueue", "preFilter", "filter", "postFilter", "preScore", "score")
Share = tuple[int, int]
"""The used amount of a resource, and its capacity."""


def kubernetes_constants(snapshot: Snapshot, plugins: Plugins, scale: Scale, image_unit: int) -> dict[str, Value]:
    """Return the constants of a model whose objects are among those of `snapshot`."""
    names = sorted({node.name for node in snapshot.nodes})
    arguments = plugins.arguments
    texts = set(_texts(snapshot, arguments.added_affinity))
    return {
        "Faults": Set(()),
        "Departures": Set(tuple(str(each) for each in plugins.departures)),
        "Enabled": Record({point: plugins.at(point) for point in POINTS}),
        "PluginWeights": Function(dict(plugins.weights)),
        "ResourceNames": Set(scale.resources),
        "AddedAffinity": _added(arguments.added_affinity),
        "IgnoredResources": Set(tuple(name for name in scale.resources if ignored(name, arguments))),
        "DefaultConstraints": _constraints(arguments.default_constraints),
        "CountedResources": Set(tuple(name for name in scale.resources if counted(name))),
        "PodLevelResources": Set(tuple(name for name in scale.resources if pod_level(name))),
        "Numeral": Function({text: number for text in texts if (number := numeral(text)) is not None}),
        "LabelValues": Set(tuple(text for text in texts if not any(unreadable(Requirement("", "In", (text,)))))),
        "DefaultRequests": Function({name: _default(name, scale) for name in DEFAULTS if name in scale.divisors}),
        "ScoringStrategy": Record(
            {
                "Kind": arguments.scoring_strategy.kind,
                "Resources": arguments.scoring_strategy.resources,
                "Shape": arguments.scoring_strategy.shape,
            }
        ),
        "BalancedResources": arguments.balanced,
        "FallsShort": falls_short(*(_capacities(name, snapshot.nodes, scale) for name in arguments.balanced)),
        "Logarithm": logarithms(len(names) + 2),
        "HardPodAffinityWeight": arguments.hard_pod_affinity_weight,
        "IgnorePreferredTermsOfExistingPods": arguments.ignore_preferred_terms_of_existing_pods,
        "PriorityOffset": priority_offset(snapshot.pods, scale),
        "SchedulerName": plugins.scheduler_name,
        "Mebibyte": MEBIBYTE // image_unit,
        "SeenAs": Function({name: rank for rank, name in enumerate(names)}),
    }


def priority_offset(pods: Iterable[Pod], scale: Scale) -> int:
    """Return an offset by which a sum of more priorities is always greater, as with 2^31.

    Raises: NotExportable if not even 2^31 does.
    """
    most = sum(abs(pod.priority) for pod in pods)
    if most >= OFFSET:
        raise NotExportable(f"the priorities come to {most}, which is not below {OFFSET}")
    return most // scale.priority + 1


def logarithms(most: int) -> tuple[int, ...]:
    """Return the natural logarithms of 1 to `most`, in millionths, rounded."""
    return tuple(round(math.log(number) * MILLION) for number in range(1, most + 1))


def falls_short(first: Iterable[int] = (), second: Iterable[int] = ()) -> Set:
    """Return the pairs of shares of these capacities whose balance is one less in floating point than exactly."""
    shares = product(_shares(first), _shares(second))
    return Set(tuple(pair for pair in shares if floating_balance(*pair) < exact_balance(*pair)))


def _shares(capacities: Iterable[int]) -> list[Share]:
    return [(given, capacity) for capacity in sorted(set(capacities)) for given in range(capacity + 1)]


def exact_balance(share: Share, other: Share) -> int:
    """Return 100 less 50 times the difference of the shares, rounded down."""
    return int(HIGHEST - HIGHEST * abs(Fraction(*share) - Fraction(*other)) / 2)


def floating_balance(share: Share, other: Share) -> int:
    """Return the same balance as kube-scheduler computes it in floating point."""
    return int((1 - deviation([float(given) / float(capacity) for given, capacity in (share, other)])) * float(HIGHEST))


def _capacities(resource: str, nodes: Iterable[Node], scale: Scale) -> list[int]:
    given = (scale.allocatable(resource, node.allocatable) for node in nodes if resource in node.allocatable)
    return [capacity for capacity in given if capacity > 0]


def _default(resource: str, scale: Scale) -> int:
    """Return the default request of a container. Raises: NotExportable if it is no whole number."""
    divisor = scale.divisors[resource]
    whole = amount(resource, DEFAULTS[resource])
    if whole % divisor:
        raise NotExportable(f"amounts of {resource} are divided by {divisor}, which does not divide {whole}")
    return whole // divisor


def _added(affinity: AddedAffinity) -> Record:
    """Return the record of addedAffinity in the arguments of NodeAffinity, in the form of a pod's affinity."""
    required = affinity.required
    return Record(
        {
            "Required": None if required is None else Set(tuple(node_term_record(term) for term in required)),
            "Preferred": tuple(preferred_record(each, node_term_record(each.term)) for each in affinity.preferred),
        }
    )


def _constraints(constraints: tuple[SpreadConstraint, ...] | None) -> Value:
    return None if constraints is None else tuple(spread_record(constraint) for constraint in constraints)


def _texts(snapshot: Snapshot, added: AddedAffinity) -> Iterator[str]:
    """Yield every value that a requirement on nodes holds or is compared with."""
    for node in snapshot.nodes:
        yield from (node.name, *node.labels.values())
    terms = [term for pod in snapshot.pods for term in pod.affinity.node_terms]
    terms += [*(added.required or ()), *(preferred.term for preferred in added.preferred)]
    for term in terms:
        for requirement in (*term.match_expressions, *term.match_fields):
            yield from requirement.values


def refuse_images(snapshot: Snapshot, unit: int) -> None:
    """Raises: NotExportable if the scaled size of an image is no whole number of units, or rounds in floating point."""
    for name in sorted({name for pod in snapshot.pods for name in images_of(pod, NO_DEPARTURES)}):
        holders = {node.name for node in snapshot.nodes if name in image_names(node)}
        sizes = {image.size for node in snapshot.nodes for image in node.images if name in image.names}
        numbers = range(1, len(holders) + 1), range(1, len({node.name for node in snapshot.nodes}) + 1)
        for size, there, nodes in product(sorted(sizes), *numbers):
            exact = Fraction(size * there, nodes)
            if there <= nodes and (exact % unit or int(float(size) * (float(there) / float(nodes))) != exact):
                raise NotExportable(f"the image {name} counts for {exact} bytes if {there} of {nodes} nodes have it")
