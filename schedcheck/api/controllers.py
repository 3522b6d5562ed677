"""The controllers that a question adds to those of the scenario: `with_controllers`, `beside`; refused ones: `without_configured`, `refuse_configured`."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from schedcheck.api.preparing import Prepared
from schedcheck.checker.limits.parameters import parameter
from schedcheck.errors import InputError
from schedcheck.manifests import Cluster, karpenter_facts
from schedcheck.manifests.autoscaled import KUBELET, with_autoscalers
from schedcheck.manifests.autoscaler_metrics import Readings
from schedcheck.manifests.autoscalers import names_autoscaler
from schedcheck.manifests.descheduler_policy import descheduler_policy, with_statuses
from schedcheck.manifests.fields import Place, nearest
from schedcheck.manifests.karpenter import karpenter
from schedcheck.manifests.node_pools import node_pools, unmodelled, with_assumption
from schedcheck.manifests.objects import applies_manifests
from schedcheck.manifests.revisions import beyond
from schedcheck.manifests.running import owning
from schedcheck.model.scenario import (
    AUTOSCALER,
    CONFIGURED,
    CONTROLLERS,
    DESCHEDULER,
    JOBS,
    KARPENTER,
    NODE_POOLS,
    Scenario,
)

KINDS: Final = {DESCHEDULER: "DeschedulerPolicy", NODE_POOLS: "NodePools", KARPENTER: "NodePools and InstanceTypes"}
"""The kind of the file of each controller that has one."""

NAMES: Final = (*CONTROLLERS, *CONFIGURED, AUTOSCALER)
MOST_READINGS: Final = 100


def with_controllers(made: Prepared, given: Sequence[str], place: str = "") -> Scenario:
    """Return the scenario with these controllers as well: names, `descheduler=FILE`, `nodePools=FILE`, `karpenter=FILE`, `autoscaler=20,50,90`.

    In a cluster without a scenario the owners of pods run beside such a controller, and the disruption controller if
    there are budgets: otherwise they would soon have nothing to evict. Beside an autoscaler of pods runs the kubelet.
    Each configured one may be given once. `place` is how errors name the parameter of a question other than `check`.

    Raises: InputError. Unanswerable for pods with which a plugin of the descheduler is not modelled.
    """
    jobs = "modelled in check only" if place else "named in a scenario alone"
    scenario, place = made.scenario, place or parameter("search.controllers")
    heads = [text.partition("=")[0] for text in given]
    for name in CONFIGURED:
        if heads.count(name) > 1:
            raise InputError("given more than once", path=place, value=name)
    for text in given:
        name, separator, file = text.partition("=")
        if name == JOBS:
            raise InputError(f"the controller {JOBS} is {jobs}", path=place, value=name)
        if name not in NAMES:
            raise InputError(f"no controller has this name{nearest(name, NAMES)}", path=place, value=name)
        if name == AUTOSCALER:
            scenario = _scaled(scenario, made, text, file if separator else None, place)
            continue
        if name not in CONFIGURED and separator:
            raise InputError("expected no file, as this controller has no configuration", path=place, value=text)
        if name in CONFIGURED and not file:
            raise InputError(
                f"expected {name}=FILE, with {'' if name == KARPENTER else 'a '}{KINDS[name]}", path=place, value=text
            )
        if name not in CONFIGURED:
            scenario = replace(scenario, controllers=scenario.controllers | {name})
            continue
        if made.scenario.configured[name] is not None:
            raise InputError(f"the scenario has the controller {name} already", path=place, value=text)
        if not scenario.scheduler.surroundings:
            raise InputError(f"not modelled together with the profile {scenario.profile}", path=place, value=text)
        scenario = replace(scenario, controllers=scenario.controllers | _beside(made))
        if name == DESCHEDULER:
            scenario = replace(scenario, descheduler=descheduler_policy(file, made.cluster, scenario.pods))
        elif name == NODE_POOLS:
            scenario = replace(scenario, node_pools=node_pools(file, made.cluster, scenario.pods))
        else:
            scenario = replace(scenario, karpenter=karpenter(file, made.cluster, scenario.pods))
    if why := unmodelled(scenario):
        raise InputError(why, path=place, value=NODE_POOLS)
    if why := karpenter_facts.unmodelled(scenario):
        raise InputError(why, path=place, value=KARPENTER)
    if why := beyond(scenario):
        raise InputError(why, path=place, value=", ".join(given))
    return with_statuses(karpenter_facts.with_assumption(with_assumption(scenario)))


def _beside(made: Prepared) -> frozenset[str]:
    """Return the controllers that run beside a configured one if no scenario names any."""
    if made.cluster.scenario is not None:
        return frozenset()
    budgets = frozenset({"disruption"}) if made.scenario.budgets else frozenset[str]()
    return budgets | owning(made.scenario.pods)


def _scaled(scenario: Scenario, made: Prepared, text: str, percentages: str | None, place: str) -> Scenario:
    """Return the scenario with the autoscalers of the cluster, which may read these percentages; None for any."""
    if scenario.autoscalers:
        raise InputError(f"the scenario has the controller {AUTOSCALER} already", path=place, value=text)
    if scenario.jobs:
        raise InputError(f"not modelled together with the controller {JOBS}", path=place, value=text)
    if not scenario.scheduler.surroundings:
        raise InputError(f"not modelled together with the profile {scenario.profile}", path=place, value=text)
    parts = [] if percentages is None else percentages.split(",")
    if not all(part.isascii() and part.isdecimal() and len(part) <= 9 for part in parts) or len(parts) > MOST_READINGS:
        raise InputError("expected utilizations in per cent, as autoscaler=20,50,90", path=place, value=text)
    readings = Readings(tuple(sorted(set(map(int, parts)))) or None)
    beside = scenario.controllers | {KUBELET} | _beside(made)
    return with_autoscalers(
        replace(scenario, controllers=beside), made.cluster, readings, Place(file="", document=0, line=0, path=place)
    )


def beside(made: Prepared, given: Sequence[str]) -> tuple[Prepared, frozenset[str]]:
    """Return the input of a question with the controllers that run beside it, and their names; none if nothing asks for any.

    These are the given ones and, if any is given or the scenario has one with a configuration, all of the scenario's.

    Raises: InputError. Unanswerable for pods with which a plugin of the descheduler is not modelled.
    """
    refuse_of_check_alone(made.scenario, made.cluster)
    if not given and not made.scenario.beside:
        return made, frozenset()
    scenario = with_controllers(made, given, parameter("controllers")) if given else made.scenario
    return replace(made, scenario=scenario), frozenset(scenario.running)


def without_configured(made: Prepared) -> Prepared:
    """Return what is given. Raises: InputError if its scenario has a controller that a question does not know."""
    refuse_configured(made.scenario, made.cluster)
    return made


def refuse_configured(scenario: Scenario, cluster: Cluster) -> None:
    """Raises: InputError if the scenario of the cluster has a controller or a guard that a question does not know."""
    if cluster.scenario is None:
        return
    place = cluster.scenario["spec"]["controllers"].place()
    named = [name for name, given in scenario.configured.items() if given is not None]
    named += [AUTOSCALER] if names_autoscaler(cluster.scenario) else []
    for name in named:
        raise InputError(f"the controller {name} is not modelled here", **place)
    refuse_of_check_alone(scenario, cluster)


def refuse_of_check_alone(scenario: Scenario, cluster: Cluster) -> None:
    """Raises: InputError if the scenario of the cluster has Jobs that are counted, or events that only `check` knows."""
    if cluster.scenario is None:
        return
    if scenario.jobs:
        place = cluster.scenario["spec"]["controllers"].place()
        raise InputError(f"the controller {JOBS} is modelled in check only", **place)
    if applies_manifests(cluster.scenario):
        raise InputError(
            "manifests that events apply are modelled in check only", **cluster.scenario["spec"]["events"].place()
        )
    if scenario.guarded:
        place = cluster.scenario["spec"]["events"].place()
        raise InputError("events with a guard are modelled in check only", **place)
