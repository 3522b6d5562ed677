"""The constants of tla/KubeCluster.tla for a scenario, and its objects: `kubernetes_parts`.

A scenario that the modules cannot express, or TLC cannot compute, is refused with the reason.
"""

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from math import gcd

from schedcheck.model.environment import relabelled
from schedcheck.model.scenario import Scenario, grouping, permitting
from schedcheck.spec.kubernetes.departures import NO_DEPARTURES
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.kubernetes.requests import occupied
from schedcheck.spec.kubernetes.scores.image_locality import MEBIBYTE, images_of
from schedcheck.spec.kubernetes.scores.node_resources_fit import DEFAULTS
from schedcheck.spec.objects import Node, Pod, Snapshot, SpreadConstraint
from schedcheck.spec.profiles import departing
from schedcheck.spec.quantities import amount
from schedcheck.tla_export.amounts import Scale, scale, within
from schedcheck.tla_export.descheduling import begun, descheduler_constants, restarting
from schedcheck.tla_export.devices import claiming, device_constants, numerals_of_terms
from schedcheck.tla_export.devices_refused import refuse_devices
from schedcheck.tla_export.jobs import job_constants
from schedcheck.tla_export.kubernetes_constants import (
    MILLION,
    Share,
    exact_balance,
    floating_balance,
    kubernetes_constants,
    logarithms,
    refuse_images,
)
from schedcheck.tla_export.kubernetes_objects import (
    budget_record,
    controller_record,
    kubernetes_node_record,
    kubernetes_pod_record,
    service_record,
    workload_record,
)
from schedcheck.tla_export.objects import namespace_record
from schedcheck.tla_export.pod_groups import pod_group_constants, refuse_groups
from schedcheck.tla_export.pools import pool_constants, widened
from schedcheck.tla_export.provisioners import limited, provisioner_constants
from schedcheck.tla_export.rollouts import FORM, forms_of, rollout_constants, with_forms
from schedcheck.tla_export.scalers import scaler_constants
from schedcheck.tla_export.shutdowns import shutdown_constants
from schedcheck.tla_export.text import Function, NotExportable, Record, Set, Value

MOST_SUMS = 100_000
"""The most sums of pod requests that are searched for floating-point rounding errors."""

MOST_PODS, MOST_NODES, MOST_CONSTRAINTS = 40, 10, 2
"""The bounds up to which logarithms in millionths round as the exact ones do."""


def kubernetes_parts(scenario: Scenario, pods: Iterable[Pod]) -> tuple[Scale, dict[str, Value], dict[str, Value]]:
    """Return the divisors, the objects by their names in the module, and the constants except those of the rules.

    `pods` are the scenario's pods without irrelevant tolerations. Raises: NotExportable.
    """
    plugins = _scheduler(scenario)
    whole = with_forms(widened(scenario))
    unit = _image_unit(whole)
    scaled = _scale(whole, plugins)
    of_karpenter = provisioner_constants(scenario, scaled, unit)
    constants = {**_constants(whole, plugins, scaled, unit), **of_karpenter}
    return scaled, _objects(scenario, tuple(pods), scaled, unit), constants


def _scheduler(scenario: Scenario) -> Plugins:
    """Return the plugins of the one scheduler. Raises: NotExportable if tla/ does not model them."""
    if len(scenario.plugins) > 1:
        names = ", ".join(each.scheduler_name for each in scenario.plugins)
        raise NotExportable(f"the profiles {names} run side by side, and tla/ has one scheduler")
    (plugins,) = scenario.plugins
    for url in (*(each.offer.url_prefix for each in plugins.extenders), *(each.url_prefix for each in plugins.unasked)):
        raise NotExportable(f"the answers of extender {url} are not exported")
    known = {"GangScheduling"}.union(name for names in DEFAULT_PLUGINS.points.values() for name in names)
    if permitting(scenario) and len({pod.priority for pod in scenario.pods}) > 1:
        raise NotExportable("preemption beside gangs has no module in tla/, and the pods have several priorities")
    own = sorted({each.plugin for each in plugins.rules} | {n for ns in plugins.points.values() for n in ns} - known)
    if own:
        raise NotExportable(f"the plugin {own[0]} is not kube-scheduler's, and has no module in tla/")
    if len(plugins.arguments.balanced) > MOST_CONSTRAINTS:
        names = ", ".join(plugins.arguments.balanced)
        raise NotExportable(f"NodeResourcesBalancedAllocation balances {names}: tla/ knows at most two resources")
    departing_so = departing(scenario.profile, scenario.plugins)[0]
    refuse_devices(scenario, departing_so.departures)
    refuse_groups(scenario, departing_so, _everything(scenario).nodes)
    return departing_so


def _scale(scenario: Scenario, plugins: Plugins) -> Scale:
    arguments = plugins.arguments
    rated = {"cpu", "memory", *arguments.balanced, *(name for name, _ in arguments.scoring_strategy.resources)}
    scaled = scale(scenario, rated, {name: amount(name, billionths) for name, billionths in DEFAULTS.items()})
    for node in scenario.nodes:
        whole = [scaled.allocatable(name, node.allocatable) for name in arguments.balanced if name in node.allocatable]
        if len(whole) == len(arguments.balanced) == MOST_CONSTRAINTS:
            what = f"a hundred times {' by '.join(arguments.balanced)} of node {node}"
            within(100 * whole[0] * whole[1], what)
    _spreads(scenario, plugins)
    return scaled


def _spreads(scenario: Scenario, plugins: Plugins) -> None:
    """Raises: NotExportable if the sums of PodTopologySpread might round otherwise, or exceed TLC's integers."""
    for pod in scenario.pods:
        soft = [each for each in _constraints_of(pod, scenario, plugins) if not each.required]
        if not soft:
            continue
        numbers = (len(scenario.pods), len(scenario.nodes), len(soft))
        if any(number > most for number, most in zip(numbers, (MOST_PODS, MOST_NODES, MOST_CONSTRAINTS), strict=True)):
            raise NotExportable(
                f"pod {pod} is spread by {numbers[2]} constraints among {numbers[0]} pods on {numbers[1]} nodes:"
                f" rounding is sure for {MOST_CONSTRAINTS}, {MOST_PODS} and {MOST_NODES}"
            )
        logarithm = max(logarithms(len(scenario.nodes) + 2))
        total = sum(len(scenario.pods) * logarithm + (each.max_skew - 1) * MILLION for each in soft)
        within(2 * total, f"the spreading of pod {pod} in millionths")


def _constraints_of(pod: Pod, scenario: Scenario, plugins: Plugins) -> tuple[SpreadConstraint, ...]:
    """Return the pod's own spread constraints, or the default ones, of which the system's are two.

    Default constraints use the selectors of services and owners; without these there are none.
    """
    if pod.spread:
        return pod.spread
    if not (scenario.services or scenario.owners):
        return ()
    given = plugins.arguments.default_constraints
    return (SpreadConstraint(5, "", required=False),) * MOST_CONSTRAINTS if given is None else given


def _image_unit(scenario: Scenario) -> int:
    """Return the greatest common divisor of the scaled image sizes, at most a mebibyte. Raises: NotExportable."""
    wanted, nodes = _wanted(scenario), len(scenario.nodes)
    sizes = {
        (name, image.size) for node in scenario.nodes for image in node.images for name in image.names if name in wanted
    }
    unit = MEBIBYTE
    for name, size in sorted(sizes):
        for among in range(1, nodes + 1):
            for there in range(1, among + 1):
                counts = Fraction(size * there, among)
                unit = gcd(unit, counts.numerator) if counts.denominator == 1 else unit
        within(nodes * size // unit, f"the size of the image {name}")
    refuse_images(_everything(scenario), unit)
    if sizes:
        most = max(len(images_of(pod, NO_DEPARTURES)) for pod in scenario.pods)
        within(100_000 * (MEBIBYTE // unit) * most, f"the sizes of images in units of {unit} bytes")
    return unit


def _wanted(scenario: Scenario) -> frozenset[str]:
    """Return the images that the pods run or mount."""
    return frozenset(name for pod in scenario.pods for name in images_of(pod, NO_DEPARTURES))


def _with_wanted_images(node: Node, wanted: frozenset[str]) -> Node:
    """Return the node without the images that no pod uses."""
    return replace(node, images=tuple(image for image in node.images if wanted & frozenset(image.names)))


def _everything(scenario: Scenario) -> Snapshot:
    """Return all pods, and all nodes with every label that they may ever have."""
    values = [(rule, value) for rule in scenario.rules for value in rule.label_values if value is not None]
    labelled = [
        relabelled(node, rule.label_key, value)
        for rule, value in values
        for node in scenario.nodes
        if node.name in rule.nodes
    ]
    return Snapshot(pods=scenario.pods, nodes=(*scenario.nodes, *labelled))


def _objects(scenario: Scenario, pods: tuple[Pod, ...], scaled: Scale, unit: int) -> dict[str, Value]:
    starts = sorted({pod.start_time for pod in pods if pod.start_time is not None})
    nodes = [_with_wanted_images(node, _wanted(scenario)) for node in scenario.nodes]
    made: dict[str, list[Record]] = {
        "Pod": [
            kubernetes_pod_record(
                begun(pod, scenario),
                scaled,
                starts,
                gangs=permitting(scenario),
                groups=grouping(scenario),
                claims=claiming(scenario),
                restarts=restarting(scenario),
                uids=scenario.revised,
            )
            for pod in pods
        ],
        FORM: [kubernetes_pod_record(form, scaled, starts, uids=True) for form in forms_of(scenario)],
        "Node": [kubernetes_node_record(node, scaled, unit, limited(scenario)) for node in nodes],
        "Namespace": [namespace_record(each) for each in scenario.namespaces],
        "Budget": [budget_record(each) for each in scenario.budgets],
        "Service": [service_record(each) for each in scenario.services],
        "Controller": [controller_record(each) for each in scenario.owners],
    }
    return {f"{kind}{number}": record for kind, records in made.items() for number, record in enumerate(records, 1)}


def _constants(scenario: Scenario, plugins: Plugins, scaled: Scale, unit: int) -> dict[str, Value]:
    everything = _everything(scenario)
    balanced = plugins.arguments.balanced
    without = replace(plugins, arguments=replace(plugins.arguments, balanced=()))
    constants = kubernetes_constants(everything, without, scaled, unit)
    offset = constants["PriorityOffset"]
    assert isinstance(offset, int)
    within(2 * (len(scenario.pods) + 1) * offset, "the sum of the priorities of victims")
    return {
        **constants,
        **({"Workloads": Set(tuple(map(workload_record, scenario.workloads)))} if permitting(scenario) else {}),
        **pod_group_constants(scenario, scaled),
        **device_constants(scenario),
        **scaler_constants(scenario),
        **job_constants(scenario),
        **rollout_constants(scenario),
        **shutdown_constants(scenario, scaled),
        **pool_constants(scenario, scaled, unit),
        **descheduler_constants(scenario, scaled),
        "Numeral": _numerals(scenario, constants["Numeral"]),
        "RatedResource": scenario.rated_resource,
        "BalancedResources": balanced,
        "FallsShort": _falls_short(scenario, plugins, balanced, scaled),
        "Now": len({pod.start_time for pod in scenario.pods} - {None}),
    }


def _numerals(scenario: Scenario, known: Value) -> Function:
    """Return `known` with the numbers in the terms of devices."""
    assert isinstance(known, Function)
    return Function({**known.values, **(numerals_of_terms(scenario.devices) if claiming(scenario) else {})})


def _falls_short(scenario: Scenario, plugins: Plugins, balanced: tuple[str, ...], scaled: Scale) -> Set:
    """Return the reachable pairs of shares whose balance is one less in floating point than exactly.

    Any of the pods may be on a node, so the pairs with and without the pod to be placed are among them.
    """
    if len(balanced) < MOST_CONSTRAINTS:
        return Set(())
    first, second = balanced
    sums = {(0, 0)}
    for pod in scenario.pods:
        takes = occupied(pod, plugins.departures)
        one, other = (takes.get(name, 0) // scaled.divisors[name] for name in balanced)
        sums |= {(given + one, taken + other) for given, taken in sums}
        if len(sums) > MOST_SUMS:
            raise NotExportable(f"the pods make more than {MOST_SUMS} different sums of {first} and {second}")
    wholes = {tuple(scaled.allocatable(name, node.allocatable) for name in balanced)
              for node in scenario.nodes if all(node.allocatable.get(name, 0) for name in balanced)}  # fmt: skip
    pairs: set[tuple[Share, Share]] = {
        ((min(given, whole), whole), (min(taken, another), another))
        for whole, another in wholes
        for given, taken in sums
    }
    return Set(tuple(pair for pair in sorted(pairs) if floating_balance(*pair) < exact_balance(*pair)))
