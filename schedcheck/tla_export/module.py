"""A scenario as a TLA+ module and configuration that TLC checks with the modules of tla/.

The module extends tla/Cluster.tla, tla/KubeCluster.tla or tla/ClassicCluster.tla, depending on the profile, and defines
their constants; `model_module` gives the text of both files.
"""

import re
from dataclasses import replace

from schedcheck.model.controllers.node_pools.draining import TO_BE_DELETED
from schedcheck.model.pooling import NodePools
from schedcheck.model.scenario import (
    APPLY,
    AUTOSCALER,
    CRASH,
    DESCHEDULER,
    JOBS,
    KARPENTER,
    NODE_POOLS,
    RESTART,
    Rule,
    Scenario,
    permitting,
)
from schedcheck.spec.objects import Pod
from schedcheck.spec.tolerations import CORDON
from schedcheck.tla_export import guards
from schedcheck.tla_export.amounts import Scale
from schedcheck.tla_export.descheduling import refuse_descheduler
from schedcheck.tla_export.devices import claiming
from schedcheck.tla_export.jobs import refuse_jobs
from schedcheck.tla_export.objects import taint_record
from schedcheck.tla_export.pools import refuse_pools
from schedcheck.tla_export.properties import InTla, asked_of, comments, properties_in_tla, words_of
from schedcheck.tla_export.rollouts import FORM, formed_by, refuse_rollouts
from schedcheck.tla_export.shutdowns import refuse_shutdowns
from schedcheck.tla_export.symmetry import VIEW, orbit
from schedcheck.tla_export.systems import System, refuse_extensions, system_of
from schedcheck.tla_export.text import Name, NotExportable, Record, Set, Value, layout

__all__ = ["NotExportable", "model_module"]

CONSTRAINTS = {
    "at_most_present": "AtMostPresent",
    "at_most_unbound": "AtMostUnbound",
    "at_most_bound": "AtMostBound",
}
"""The operator of tla/Surroundings.tla for each state constraint of a scenario."""

LIFECYCLE_KEYS = frozenset({"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"})
"""The keys of the taints that the node lifecycle controller puts on nodes."""


def model_module(
    scenario: Scenario, name: str, written_by: str = "make tla", *, symmetry: bool = False
) -> tuple[str, str]:
    """Return the texts of `name`.tla and `name`.cfg; `symmetry` adds a VIEW that identifies symmetric states.

    Raises: NotExportable if TLC cannot count with the numbers of the scenario.
    """
    _refuse_what_has_no_module(scenario, symmetry)
    system = system_of(scenario)
    # Karpenter tells spread constraints apart by the tolerations of their pods.
    keys = _taint_keys(scenario)
    trimmed = (_tolerating(pod, keys) for pod in scenario.pods)
    pods = scenario.pods if scenario.karpenter is not None else tuple(trimmed)
    divisors, objects, own = system.parts(formed_by(scenario, lambda form: _tolerating(form, keys)), pods)
    constants = {**own, **_constants_of_rules(scenario, tuple(objects))}
    constraints = [_constraint(text) for text in scenario.constraints]
    definitions = {**objects, **{f"MC_{constant}": value for constant, value in constants.items()}}
    asked = properties_in_tla(scenario, symmetry)
    view = (orbit(scenario, asked_of(scenario, symmetry)[0]),) if symmetry else ()
    modules = (
        system.module,
        words_of(scenario).module,
        *(["Orbits"] if symmetry else []),
        *([guards.MODULE] if scenario.guarded else []),
        *asked.modules,
    )
    guard = (guards.definition(scenario, divisors),) if scenario.guarded else ()
    extended = ", ".join(dict.fromkeys(modules))
    prose = _prose(scenario, divisors, written_by)
    text = _module(name, extended, prose, definitions, constraints, (*guard, *view, *asked.definitions))
    replaced = {"Created": system.created, **({"GuardHolds": guards.OPERATOR} if scenario.guarded else {})}
    return text, _configuration(system, replaced, tuple(constants), constraints, asked, symmetry)


def _refuse_what_has_no_module(scenario: Scenario, symmetry: bool) -> None:
    """Raises: NotExportable for scenarios that Python models and no module of tla/ does."""
    for name in scenario.beside:
        if name not in (AUTOSCALER, NODE_POOLS, KARPENTER, DESCHEDULER, JOBS):
            raise NotExportable(f"the controller {name} has no module in tla/")
    if scenario.autoscalers and (permitting(scenario) or claiming(scenario)):
        raise NotExportable(f"the controller {AUTOSCALER} beside gangs or resource claims has no module in tla/")
    if scenario.autoscalers and symmetry:
        raise NotExportable(f"the symmetry of scenarios with the controller {AUTOSCALER} has no module in tla/")
    refuse_extensions(scenario)
    refuse_jobs(scenario, symmetry)
    refuse_rollouts(scenario, symmetry)
    refuse_shutdowns(scenario, symmetry)
    refuse_pools(scenario, symmetry)
    refuse_descheduler(scenario, symmetry)
    for rule in scenario.rules:
        if rule.event == RESTART or (rule.event == CRASH and not scenario.jobs):
            raise NotExportable(f"the event {rule.event} has no action in tla/")
    if not scenario.faults:
        return
    # In Python the environment has no faults; in tla/ it shares the selectors and tolerations of the scheduler.
    for name in sorted(scenario.controllers & {"disruption", "lifecycle"}):
        raise NotExportable(f"the controller {name} together with faults of the printed model has no module in tla/")
    if scenario.budgets and any(rule.event == "evict" for rule in scenario.rules):
        raise NotExportable("the event evict together with faults of the printed model has no action in tla/")


def _module(
    name: str,
    extended: str,
    prose: str,
    definitions: dict[str, Value],
    constraints: list[str],
    asked: tuple[str, ...],
) -> str:
    rule = "-" * 30
    return "\n\n".join(
        [
            f"{rule} MODULE {name} {rule}\n{prose}\nEXTENDS {extended}, TLC",
            *(f"{defined} ==\n  {layout(value, 2)}" for defined, value in definitions.items()),
            *(["\n".join(["MC_Constraint ==", *(f"  /\\ {each}" for each in constraints)])] if constraints else []),
            *asked,
            "=" * (2 * len(rule) + len(name) + 9) + "\n",
        ]
    )


def _prose(scenario: Scenario, divisors: Scale, written_by: str) -> str:
    lines = [
        f"The scenario {scenario.name}, as `{written_by}` writes it.",
        *divided(divisors),
    ]
    return "\n".join(f"(* {line:<75} *)" for line in lines)


def divided(divisors: Scale) -> list[str]:
    """Return sentences that name the divisors."""
    return [
        *(f"Amounts of {name} are divided by {by}." for name, by in divisors.divisors.items() if by != 1),
        *([f"Priorities are divided by {divisors.priority}."] if divisors.priority != 1 else []),
    ]


def _configuration(
    system: System,
    replaced: dict[str, str],
    constants: tuple[str, ...],
    constraints: list[str],
    asked: InTla,
    symmetry: bool,
) -> str:
    return "\n".join(
        [
            f"SPECIFICATION {system.specification}",
            "CONSTANTS",
            "  Null = Null",
            *(f"  {operator} <- {by}" for operator, by in replaced.items()),
            *(f"  {constant} <- MC_{constant}" for constant in constants),
            *(["CONSTRAINT MC_Constraint"] if constraints else []),
            *([f"VIEW {VIEW}"] if symmetry else []),
            *(f"INVARIANT {each}" for each in asked.invariants),
            *(f"PROPERTY {each}" for each in asked.of_behaviours),
            *comments(asked),
            "CHECK_DEADLOCK FALSE\n",
        ]
    )


def _constants_of_rules(scenario: Scenario, objects: tuple[str, ...]) -> dict[str, Value]:
    """Return the constants that describe the environment of the scheduler."""
    return {
        "VictimsBecome": scenario.victims,
        "CompletedBecome": scenario.completed,
        "RunningControllers": Set(tuple(scenario.controllers)),
        "Catalogue": Set(tuple(Name(name) for name in objects if not name.startswith(FORM))),
        "Absent": Set(tuple(scenario.absent)),
        "Rules": tuple(_rule(rule, guards.numbers_of(scenario).get(rule)) for rule in scenario.rules),
    }


def _taint_keys(scenario: Scenario) -> frozenset[str]:
    """Return the key of every taint that a node may ever have, and the empty key, by which a toleration matches any."""
    taints = [taint for node in scenario.nodes for taint in node.taints]
    taints += [rule.taint for rule in scenario.rules if rule.taint is not None]
    by_condition = LIFECYCLE_KEYS if "lifecycle" in scenario.controllers else frozenset[str]()
    drained = frozenset[str]() if scenario.node_pools is None else _keys_of_pools(scenario.node_pools)
    return by_condition.union(drained, (taint.key for taint in taints), (CORDON.key, ""))


def _keys_of_pools(pools: NodePools) -> frozenset[str]:
    """Return the keys of the taints of nodes that are added or drained."""
    return frozenset({TO_BE_DELETED.key, *(taint.key for pool in pools.pools for taint in pool.template.taints)})


def _tolerating(pod: Pod, keys: frozenset[str]) -> Pod:
    """Return the pod without tolerations of taints that never occur, such as those that admission adds to every pod."""
    return replace(pod, tolerations=tuple(each for each in pod.tolerations if each.key in keys))


def _rule(rule: Rule, guard: int | None = None) -> Record:
    return Record(
        {
            "Event": rule.event,
            "Pods": Set(rule.pods),
            "Nodes": Set(rule.nodes),
            "Bounded": rule.bound is not None,
            "Bound": rule.bound or 0,
            "Taint": None if rule.taint is None else taint_record(rule.taint),
            "LabelKey": rule.label_key,
            "LabelValues": Set(rule.label_values),
            **({} if guard is None else {"Guard": guard}),
            **({"Workloads": Set(rule.workloads), "Replicas": rule.replicas} if rule.event == APPLY else {}),
        }
    )


def _constraint(text: str) -> str:
    """Return a constraint such as `at_most_bound(3)` as an operator of tla/Surroundings.tla."""
    called = re.fullmatch(r"(\w+)\(\s*(\d+)\s*\)", text.strip(), re.ASCII)
    if called is None or called[1] not in CONSTRAINTS:
        raise NotExportable(f"the constraint {text} is none of {', '.join(sorted(CONSTRAINTS))}, with a number")
    return f"{CONSTRAINTS[called[1]]}({layout(int(called[2]), 0)})"
