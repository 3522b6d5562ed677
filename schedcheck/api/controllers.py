"""The controllers that a question adds to those of the scenario: `with_controllers`; refused ones: `without_descheduler`, `refuse_descheduler`."""

from collections.abc import Sequence
from dataclasses import replace

from schedcheck.api.preparing import Prepared
from schedcheck.checker.limits.parameters import parameter
from schedcheck.errors import InputError
from schedcheck.manifests import Cluster
from schedcheck.manifests.autoscaled import KUBELET, Readings, with_autoscalers
from schedcheck.manifests.autoscalers import names_autoscaler
from schedcheck.manifests.descheduler_policy import descheduler_policy
from schedcheck.manifests.fields import Place, nearest
from schedcheck.manifests.running import owning
from schedcheck.model.scenario import AUTOSCALER, CONTROLLERS, DESCHEDULER, Scenario

NAMES = (*CONTROLLERS, DESCHEDULER, AUTOSCALER)
MOST_READINGS = 100


def with_controllers(made: Prepared, given: Sequence[str]) -> Scenario:
    """Return the scenario with these controllers as well: names, `descheduler=FILE`, or `autoscaler=20,50,90` with readings.

    In a cluster without a scenario the owners of pods run beside a descheduler, and the disruption controller if
    there are budgets: otherwise it would soon have nothing to evict. Beside an autoscaler runs the kubelet.

    Raises: InputError. Unanswerable for pods with which a plugin of the descheduler is not modelled.
    """
    scenario, place = made.scenario, parameter("search.controllers")
    for text in given:
        name, separator, file = text.partition("=")
        if name not in NAMES:
            raise InputError(f"no controller has this name{nearest(name, NAMES)}", path=place, value=name)
        if name == AUTOSCALER:
            scenario = _scaled(scenario, made, text, file if separator else None)
            continue
        if name != DESCHEDULER and separator:
            raise InputError("expected no file, as this controller has no configuration", path=place, value=text)
        if name == DESCHEDULER and not file:
            raise InputError("expected descheduler=FILE, with a DeschedulerPolicy", path=place, value=text)
        if name != DESCHEDULER:
            scenario = replace(scenario, controllers=scenario.controllers | {name})
            continue
        if not scenario.scheduler.surroundings:
            raise InputError(f"not modelled together with the profile {scenario.profile}", path=place, value=text)
        policy = descheduler_policy(file, made.cluster, scenario.pods)
        scenario = replace(scenario, descheduler=policy, controllers=scenario.controllers | _beside(made))
    return scenario


def _beside(made: Prepared) -> frozenset[str]:
    """Return the controllers that run beside a descheduler if no scenario names any."""
    if made.cluster.scenario is not None:
        return frozenset()
    budgets = frozenset({"disruption"}) if made.scenario.budgets else frozenset[str]()
    return budgets | owning(made.scenario.pods)


def _scaled(scenario: Scenario, made: Prepared, text: str, percentages: str | None) -> Scenario:
    """Return the scenario with the autoscalers of the cluster, which may read these percentages; None for any."""
    place = parameter("search.controllers")
    if scenario.autoscalers:
        raise InputError(f"the scenario has the controller {AUTOSCALER} already", path=place, value=text)
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


def without_descheduler(made: Prepared) -> Prepared:
    """Return what is given. Raises: InputError if its scenario has a descheduler or an autoscaler, which a question does not know."""
    refuse_descheduler(made.scenario, made.cluster)
    return made


def refuse_descheduler(scenario: Scenario, cluster: Cluster) -> None:
    """Raises: InputError if the scenario of the cluster has a descheduler or an autoscaler, which a question does not know."""
    if names_autoscaler(cluster.scenario) and cluster.scenario is not None:
        place = cluster.scenario["spec"]["controllers"].place()
        raise InputError("the controller autoscaler is modelled in check only", **place)
    if scenario.descheduler is not None and cluster.scenario is not None:
        place = cluster.scenario["spec"]["controllers"].place()
        raise InputError("the controller descheduler is modelled in check only", **place)
