"""A descheduler as the records of tla/DeschedulerView.tla: `refuse_descheduler`, `descheduler_constants`, `begun`."""

from collections.abc import Hashable, Iterator
from dataclasses import replace

from schedcheck.model.controllers.descheduler.remove_duplicates import owner_key
from schedcheck.model.controllers.descheduler.spreading import judged_as
from schedcheck.model.controllers.descheduler.view import owned_by
from schedcheck.model.controllers.owners import RECREATING
from schedcheck.model.descheduling import (
    SYSTEM_CRITICAL,
    Descheduler,
    Evictor,
    Namespaces,
    NodeAffinity,
    NodeTaints,
    PodLifeTime,
    RemoveDuplicates,
    RemoveFailedPods,
    Run,
    TooManyRestarts,
    TopologySpread,
    Utilization,
)
from schedcheck.model.scenario import DESCHEDULER, Scenario, grouping, permitting
from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Pod
from schedcheck.spec.owners import served_kind
from schedcheck.tla_export.amounts import Scale
from schedcheck.tla_export.devices import claiming
from schedcheck.tla_export.node_usage import utilization_fields
from schedcheck.tla_export.objects import selector_record
from schedcheck.tla_export.text import Function, NotExportable, Pairs, Record, Set, Value

PENDING = "pending"


def refuse_descheduler(scenario: Scenario, symmetry: bool) -> None:
    """Raises: NotExportable for a descheduler together with what its module does not have."""
    given = scenario.descheduler
    if given is None:
        return
    if len(scenario.beside) > 1:
        raise NotExportable(f"the controllers {' and '.join(scenario.beside)} together have no module in tla/")
    if permitting(scenario) or grouping(scenario) or claiming(scenario):
        raise NotExportable(f"the controller {DESCHEDULER} beside gangs or resource claims has no module in tla/")
    if scenario.rollouts:
        raise NotExportable(f"rollouts beside the controller {DESCHEDULER} have no module in tla/")
    if symmetry:
        raise NotExportable(f"the symmetry of scenarios with the controller {DESCHEDULER} has no module in tla/")
    _refuse_ended(scenario, given)
    if restarting(scenario) and scenario.victims == PENDING:
        raise NotExportable("victims that are recreated at once, beside a count of restarts, have no module in tla/")


def _refuse_ended(scenario: Scenario, given: Descheduler) -> None:
    """Raises: NotExportable for plugins that look at the statuses of pods, and for ended pods that PodLifeTime may evict."""
    for run in given.runs:
        ageing = run.arguments if isinstance(run.arguments, PodLifeTime) else None
        if isinstance(run.arguments, RemoveFailedPods) or (ageing is not None and ageing.of_status):
            raise NotExportable(
                f"{run.plugin} of the controller {DESCHEDULER}, which reads the status of pods, has no module in tla/"
            )
        kept = scenario.completed == "kept" or any(pod.owner[0] == "Job" for pod in scenario.pods)
        ends = kept and any(rule.event == "complete" for rule in scenario.rules)
        if ageing is not None and ageing.ended and (ends or any(map(completed, scenario.pods))):
            raise NotExportable(f"pods that have ended, which {run.plugin} may evict, have no module in tla/")


def restarting(scenario: Scenario) -> bool:
    """Whether a plugin of the descheduler counts how often pods have restarted."""
    return scenario.descheduler is not None and scenario.descheduler.threshold > 0


def begun(pod: Pod, scenario: Scenario) -> Pod:
    """Return a pod of the beginning with its restarts, if a plugin counts them."""
    given = scenario.descheduler
    return replace(pod, restarts=given.of(pod).restarts) if given is not None and restarting(scenario) else pod


def descheduler_constants(scenario: Scenario, scaled: Scale) -> dict[str, Value]:
    """Return the constants of tla/DeschedulerView.tla; none without a descheduler."""
    given = scenario.descheduler
    if given is None:
        return {}
    return {
        "Descheduler": Record(
            {
                "NodeSelector": selector_record(given.node_selector),
                "PerNode": given.per_node,
                "PerNamespace": given.per_namespace,
                "Total": given.total,
                "Runs": tuple(_run(each, scenario, scaled) for each in given.runs),
            }
        ),
        "DeschedulerFacts": Pairs(tuple(_facts(scenario.pods, given))),
        "OtherReplicas": Function(dict(given.others)),
    }


def _run(run: Run, scenario: Scenario, scaled: Scale) -> Record:
    own = _arguments(run)
    if isinstance(run.arguments, Utilization):
        own = utilization_fields(run.arguments, scenario, scaled)
    return Record({"Plugin": run.plugin, "Evictor": _evictor(run.evictor, scaled), **_scope(run), **own})


def _evictor(evictor: Evictor, scaled: Scale) -> Record:
    """Return the record of an evictor.

    Priorities of pods are divided without a remainder, so that a threshold which is rounded up is reached by the same pods.
    """
    return Record(
        {
            "Protections": Set(tuple(evictor.protections)),
            "Threshold": -(-min(evictor.threshold, SYSTEM_CRITICAL) // scaled.priority),
            "NodeFit": evictor.node_fit,
            "NodeSelector": selector_record(evictor.node_selector),
            "LabelSelector": selector_record(evictor.label_selector),
            "NamespaceSelector": selector_record(evictor.namespace_selector),
            "MinReplicas": evictor.min_replicas,
            "NoEvictionMandatory": evictor.no_eviction_mandatory,
        }
    )


def _scope(run: Run) -> dict[str, Value]:
    """Return the namespaces and labels of the pods that the plugin considers."""
    arguments = run.arguments
    if isinstance(arguments, Utilization):
        namespaces, selector = Namespaces(exclude=arguments.excluded), None
    else:
        namespaces = arguments.namespaces
        selector = None if isinstance(arguments, RemoveDuplicates) else selector_record(arguments.selector)
    within = {"Include": Set(tuple(namespaces.include)), "Exclude": Set(tuple(namespaces.exclude))}
    return {"Namespaces": Record(within), "Selector": selector}


def _arguments(run: Run) -> dict[str, Value]:
    """Return the fields of the run that only its plugin has."""
    match run.arguments:
        case RemoveDuplicates(exclude_owner_kinds=excluded):
            return {"ExcludedKinds": Set(tuple(excluded))}
        case NodeAffinity(kinds=kinds):
            return {"Kinds": kinds}
        case NodeTaints() as taints:
            included = None if taints.included is None else _named(taints.included)
            return {
                "PreferNoSchedule": taints.prefer_no_schedule,
                "Excluded": _named(taints.excluded),
                "Included": included,
            }
        case PodLifeTime() as life:
            return {
                "IncludedKinds": Set(tuple(life.owner_kinds)),
                "ExcludedKinds": Set(tuple(life.exclude_owner_kinds)),
            }
        case TooManyRestarts() as restarts:
            return {"Threshold": restarts.threshold, "WithInitContainers": restarts.with_init_containers}
        case TopologySpread(actions=actions, node_fit=node_fit):
            return {"Actions": Set(tuple(actions)), "NodeFit": node_fit}
    return {}


def _named(texts: frozenset[str]) -> Set:
    """Return the pairs of key and value, or key alone, that name the same taints as KEY and KEY=VALUE."""
    parted = [each.partition("=") for each in texts if not each.endswith("=")]
    return Set((*((each, "") for each in texts), *((key, value) for key, sign, value in parted if sign)))


def _facts(pods: tuple[Pod, ...], descheduler: Descheduler) -> Iterator[tuple[Value, Value]]:
    """Yield the identity of each pod with its facts."""
    choices = _numbered([(pod.tolerations, pod.node_selector, pod.affinity.node_required) for pod in pods])
    duplicates = _numbered([_duplicate(pod, descheduler) for pod in pods])
    constraints = _numbered([judged_as(each, pod) for pod in pods for each in pod.spread])
    numbers = iter(constraints)
    for pod, choice, duplicate in zip(pods, choices, duplicates, strict=True):
        facts = descheduler.of(pod)
        owners = tuple(Record({"Kind": each[0], "Owner": owned_by(pod.namespace, each)}) for each in facts.owners)
        named = served_kind(pod.owner[0]) == "StatefulSet" or pod.owner[0] not in RECREATING
        yield (
            (pod.namespace, pod.name),
            Record(
                {
                    "Owners": owners,
                    "Evict": facts.evict,
                    "PrefersNoEviction": facts.prefers_no_eviction,
                    "Mirror": facts.mirror,
                    "Static": facts.static,
                    "LocalStorage": facts.local_storage,
                    "Qos": facts.qos,
                    "Tolerations": len(pod.tolerations),
                    "Choice": choice,
                    "Duplicates": duplicate,
                    "Spreads": tuple(next(numbers) for _ in pod.spread),
                    "Named": named,
                }
            ),
        )


def _numbered(keys: list[Hashable]) -> list[int]:
    """Return a number for each key, the same for equal ones."""
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(key, len(numbers) + 1) for key in keys]


def _duplicate(pod: Pod, descheduler: Descheduler) -> Hashable:
    """Return what duplicates have in common."""
    owners = descheduler.of(pod).owners
    return owner_key(pod, owners[0]) if owners else pod.key
