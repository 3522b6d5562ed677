"""PodGroups as a constant of tla/KubePodGroups.tla, and the scenarios with PodGroups that tla/ does not have.

No module of tla/ says that a decision is unknown. So a scenario is refused if a decision of the Python specification may be.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from math import factorial, prod

from schedcheck.model.scenario import Scenario, grouping
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.node_info import host_ports
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.pod_groups import judged
from schedcheck.spec.kubernetes.preemption.disruption import overlapping
from schedcheck.spec.kubernetes.preemption.of_units import KEPT_DOMAINS
from schedcheck.spec.kubernetes.preemption.units import MOST_ORDERS
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.workload_objects import PodGroup
from schedcheck.tla_export.amounts import Scale
from schedcheck.tla_export.kubernetes_objects import pod_group_record
from schedcheck.tla_export.text import NotExportable, Set, Value

TOO_MANY = f"in more than {MOST_ORDERS:,} orders of equally important pods"


def pod_group_constants(scenario: Scenario, scaled: Scale) -> dict[str, Value]:
    """Return the constant of the PodGroups; none without pods of PodGroups."""
    if not grouping(scenario):
        return {}
    return {"PodGroups": Set(tuple(pod_group_record(each, scaled) for each in scenario.pod_groups))}


def refuse_groups(scenario: Scenario, plugins: Plugins, nodes: tuple[Node, ...]) -> None:
    """Raises: NotExportable if a PodGroup, or a pod, has what tla/ does not model.

    `plugins` have the departures of the profile, `nodes` every label that a node may ever have.
    """
    if not grouping(scenario):
        return
    for group in scenario.pod_groups:
        if group.unmodelled:
            raise NotExportable(f"{group.unmodelled} of the pod group {group} are not modelled")
        if len({each.scheduler_name for each in members(group, scenario)}) > 1:
            raise NotExportable(f"pods of the pod group {group} differ in schedulerName")
    if Departure.MEMBERS_PREEMPT in plugins.departures:
        # All pods are tried, and whether one ends in an error makes no difference, as no pod is nominated.
        _refuse_members(scenario)
    elif not judged(plugins):
        raise NotExportable(
            "GangScheduling is not at placementFeasible, and tla/ ends a cycle as soon as too few pods are left"
        )
    else:
        _refuse_preemptors_of_groups(scenario)
        _refuse_nominations(scenario)
        for group in scenario.pod_groups:
            for why in _unknown(group, scenario, plugins, nodes):
                raise NotExportable(f"the pod group {group} may preempt {why}, which is not modelled")


def members(group: PodGroup, scenario: Scenario) -> list[Pod]:
    """Return the pods that name this group."""
    return [each for each in scenario.pods if _key(each) == group.key]


def _key(pod: Pod) -> tuple[str, str]:
    return pod.namespace, pod.scheduling_group


def _refuse_members(scenario: Scenario) -> None:
    """Raises: NotExportable if in 1.36 a pod of a PodGroup may preempt, or is nominated."""
    lowest = min(each.priority for each in scenario.pods)
    for group in scenario.pod_groups:
        for each in members(group, scenario):
            if each.preemption_policy != "Never" and each.priority > lowest:
                raise NotExportable(f"pod {each} of the pod group {group} may preempt by itself, which is not modelled")
            if each.nominated_node_name:
                raise NotExportable(f"pod {each} of the pod group {group} is nominated, which is not modelled in 1.36")


def _refuse_preemptors_of_groups(scenario: Scenario) -> None:
    """Raises: NotExportable if a pod without a PodGroup may evict pods of one."""
    of_groups = {group.key: group.priority for group in scenario.pod_groups}
    grouped = [each for each in scenario.pods if each.scheduling_group]
    lowest = min(min(each.priority, of_groups.get(_key(each), each.priority)) for each in grouped)
    for pod in scenario.pods:
        if not pod.scheduling_group and pod.preemption_policy != "Never" and pod.priority > lowest:
            raise NotExportable(
                f"pod {pod} may preempt pods of pod groups, and preemption of these has no module in tla/"
            )
    for pod in scenario.pods:
        lower_ones = Counter(each.priority for each in scenario.pods if each.priority < pod.priority)
        if not pod.scheduling_group and pod.preemption_policy != "Never" and _orders(lower_ones) > MOST_ORDERS:
            raise NotExportable(f"pod {pod} may preempt {TOO_MANY}, which is not modelled beside pod groups")


def _refuse_nominations(scenario: Scenario) -> None:
    """Raises: NotExportable if a pod of a PodGroup is nominated although no node may be left."""
    left = {node.name for node in scenario.nodes} - failing(scenario)
    nominated = [each for each in scenario.pods if each.scheduling_group and each.nominated_node_name]
    if nominated and not left:
        raise NotExportable(
            f"pod {nominated[0]} of a pod group is nominated, and every node may fail: this is not modelled"
        )


def failing(scenario: Scenario) -> set[str]:
    """Return the names of the nodes that may cease to exist."""
    return {name for rule in scenario.rules if rule.event == "fail" for name in rule.nodes}


def lower(group: PodGroup, scenario: Scenario) -> dict[Pod, int]:
    """Return the pods that the group may have to evict, each with the priority that counts."""
    of_groups = {each.key: each.priority for each in scenario.pod_groups}
    counts = {each: of_groups.get(_key(each), each.priority) for each in scenario.pods}
    if all(each.preemption_policy == "Never" for each in members(group, scenario)):
        return {}
    return {pod: priority for pod, priority in counts.items() if priority < group.priority}


def _unknown(group: PodGroup, scenario: Scenario, plugins: Plugins, nodes: tuple[Node, ...]) -> Iterator[str]:
    """Yield why it may not be known what the group preempts."""
    victims = lower(group, scenario)
    there = {node.name for node in scenario.nodes} - failing(scenario)
    if not victims:
        return
    if failing(scenario) or any(name not in {"", *there} for each in victims for name in _named(each, scenario)):
        yield "pods on a node that does not exist"
    if _shares_ports(scenario, plugins):
        yield "on a node of which several pods use the same host port"
    budgets = overlapping(scenario.budgets, victims, plugins.departures)
    charged = factorial(len(budgets)) if Departure.LATER_BUDGETS_UNCHARGED in plugins.departures else 1
    if _orders(Counter(victims.values())) * charged > MOST_ORDERS:
        yield TOO_MANY
    for pod in members(group, scenario):
        given = pod.spread or plugins.arguments.default_constraints or ()
        for key in (each.topology_key for each in given if each.required):
            if len({node.labels[key] for node in nodes if key in node.labels}) > KEPT_DOMAINS:
                yield f"pods of several of three or more domains, {key}, of a spread constraint"


def _orders(priorities: Counter[int]) -> int:
    """Return a bound of the orders of so many pods of each priority; those of a unit are together in all of them."""
    return prod(map(factorial, priorities.values()))


def _named(pod: Pod, scenario: Scenario) -> tuple[str, str]:
    """Return the nodes on which the pod is without being scheduled: at first, and by its template."""
    return "" if pod.key in scenario.absent else pod.node_name, pod.template_node_name


def _shares_ports(scenario: Scenario, plugins: Plugins) -> bool:
    """Whether two pods with a host port in common may be on one node: the filter keeps them apart, nodes named before do not."""
    filtered = all("NodePorts" in plugins.at(point) for point in ("preFilter", "filter"))
    for one, other in combinations(scenario.pods, 2):
        (first, made), (second, remade) = _named(one, scenario), _named(other, scenario)
        together = not filtered or made or remade or (first != "" and first == second)
        if together and host_ports(one) & host_ports(other):
            return True
    return False
