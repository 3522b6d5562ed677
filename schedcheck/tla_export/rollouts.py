"""Workloads that events change as constants of tla/KubeRolloutCluster.tla: `refuse_rollouts`, `rollout_constants`, `forms_of`."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from schedcheck.model.controllers.daemon_set import host
from schedcheck.model.environment import newly_arrived
from schedcheck.model.rollouts import Rollout
from schedcheck.model.scenario import APPLY, SHUTDOWN, Scenario
from schedcheck.spec.objects import Pod
from schedcheck.tla_export.beside import refuse_beside
from schedcheck.tla_export.shutdowns import shutting
from schedcheck.tla_export.text import Name, NotExportable, Record, Set, Value

FORM = "Form"
"""The beginning of the names of pods as they are created, which are no objects of the catalogue."""


def refuse_rollouts(scenario: Scenario, symmetry: bool) -> None:
    """Raises: NotExportable for manifests that events apply together with what their module does not have."""
    if not scenario.revised:
        return
    what = f"the event {APPLY} of a manifest"
    if shutting(scenario):
        raise NotExportable(f"{what} beside the event {SHUTDOWN} has no module in tla/")
    refuse_beside(what, scenario, symmetry)


def forms_of(scenario: Scenario) -> tuple[Pod, ...]:
    """Return the pods as workloads create them, each once; none if no event changes a workload."""
    ways = [way for each in scenario.rollouts for way in (each, each.before or each)] if scenario.revised else []
    return tuple(dict.fromkeys(newly_arrived(form) for way in ways for form in (*way.forms, *way.former)))


def with_forms(scenario: Scenario) -> Scenario:
    """Return the scenario with the pods that workloads create and that are none of its pods, so that all constants know them."""
    known = {newly_arrived(pod) for pod in scenario.pods}
    return replace(scenario, pods=(*scenario.pods, *(form for form in forms_of(scenario) if form not in known)))


def formed_by(scenario: Scenario, changed: Callable[[Pod], Pod]) -> Scenario:
    """Return the scenario with a change of each pod that workloads create."""

    def every(forms: Iterable[Pod]) -> tuple[Pod, ...]:
        return tuple(map(changed, forms))

    def one(rollout: Rollout) -> Rollout:
        before = None if rollout.before is None else one(rollout.before)
        return replace(rollout, forms=every(rollout.forms), former=every(rollout.former), before=before)

    return replace(scenario, rollouts=tuple(map(one, scenario.rollouts))) if scenario.revised else scenario


def rollout_constants(scenario: Scenario) -> dict[str, Value]:
    """Return the constant of tla/KubeRolloutCluster.tla; none unless an event changes a workload."""
    if not scenario.revised:
        return {}
    names = {form: f"{FORM}{number}" for number, form in enumerate(forms_of(scenario), 1)}
    return {"Rollouts": tuple(_rollout(each, names) for each in scenario.rollouts)}


def number_of(name: str, scenario: Scenario) -> int:
    """Return the place of the workload of this name, such as deployment/web, among those that change; the first has 1."""
    return 1 + tuple(map(str, scenario.rollouts)).index(name)


def _rollout(rollout: Rollout, names: dict[Pod, str]) -> Record:
    before = rollout.before or rollout
    return Record(
        {
            "Workload": str(rollout),
            "Changes": rollout.before is not None,
            "Before": _way(before, names),
            "After": _way(rollout, names),
            "Begun": before.start,
            "Start": rollout.start,
            "Waiting": (Set(_waiting(rollout, before)), Set(_waiting(rollout, rollout))),
        }
    )


def _waiting(rollout: Rollout, way: Rollout) -> tuple[tuple[str, str], ...]:
    """Return the keys of the pods whose controller has a minReadySeconds; the ReplicaSet of a former template keeps its own."""
    if rollout.before is None:
        return ()
    if rollout.kind != "Deployment" or not rollout.rolling:
        return tuple(sorted(rollout.keys)) if way.waits else ()
    former = frozenset(form.key for form in rollout.former)
    return tuple(sorted(key for key in rollout.keys if (rollout.before if key in former else rollout).waits))


def _way(rollout: Rollout, names: dict[Pod, str]) -> Record:
    """Return a workload as it is before or after its event."""

    def named(forms: Iterable[Pod]) -> tuple[Name, ...]:
        return tuple(Name(names[newly_arrived(form)]) for form in forms)

    hosts = {(form.key, host(newly_arrived(form))) for form in (*rollout.former, *rollout.forms)}
    return Record(
        {
            "Kind": rollout.kind,
            "Replicas": rollout.replicas,
            "Forms": named(rollout.forms),
            "Former": named(rollout.former),
            "Revision": rollout.revision,
            "Surge": rollout.surge,
            "Unavailable": rollout.unavailable,
            "Recreate": rollout.recreate,
            "Ordered": rollout.ordered,
            "Partition": rollout.partition,
            "Costs": Set(tuple(sorted(rollout.costs.items()))),
            "Order": tuple(sorted(rollout.keys)),
            "Hosts": Set(tuple(sorted(hosts)) if rollout.kind == "DaemonSet" else ()),
        }
    )
