"""The fields of a scenario that are about autoscalers: `readings_of`, and the event `apply`, `application`."""

from frozendict import frozendict

from schedcheck.manifests.autoscaled import given
from schedcheck.manifests.autoscaler_metrics import Percentages, Readings
from schedcheck.manifests.autoscalers import autoscalers_named
from schedcheck.manifests.fields import Field, nearest
from schedcheck.manifests.objects import Cluster
from schedcheck.manifests.workloads import MOST_REPLICAS
from schedcheck.model.scenario import APPLY, AUTOSCALER, Rule
from schedcheck.spec.schedulers import VARIANTS


def readings_of(spec: Field, profile: str) -> Readings | None:
    """Return what autoscalers may read, None if the document names none. An event `apply` needs them."""
    named = autoscalers_named(spec)
    for each in named[1:]:
        raise each.error(f"expected {AUTOSCALER} no more than once")
    for event in spec["events"].items() if not named else ():
        alone = isinstance(event.value, dict) and event["event"].value == APPLY and not event["manifest"]
        if event.value == APPLY or alone:
            raise event.error(f"the event {APPLY} without a manifest belongs to the controller {AUTOSCALER}")
    if not named:
        return None
    if not VARIANTS[profile].scheduler.surroundings:
        raise named[0].error(f"not modelled together with the profile {profile}")
    if not isinstance(named[0].value, dict):
        return Readings()
    named[0].only(AUTOSCALER)
    given = named[0][AUTOSCALER]
    given.only("readings", "starting", "values")
    values = {name: _values(field) for name, field in given["values"].entries()}
    return Readings(_percentages(given["readings"]), _percentages(given["starting"]), frozendict(values))


def _percentages(field: Field) -> Percentages:
    """Return utilizations in per cent, ascending; None if the field is absent."""
    found = tuple(sorted({each.integer(0) for each in field.items()}))
    if field.value is not None and not found:
        raise field.error("expected utilizations in per cent, as [20, 50, 90]")
    return found or None


def _values(field: Field) -> tuple[int, ...]:
    """Return the values of a metric in thousandths, ascending."""
    found = tuple(sorted({-(-each.quantity() // 10**6) for each in field.items()}))
    if not found:
        raise field.error("expected values of the metric, as [100m, 5]")
    return found


def application(field: Field, cluster: Cluster) -> Rule:
    """Return the event that manifests of autoscaled workloads are applied: those of the input, or with other replicas.

    The bound of the event is not read.
    """
    if not isinstance(field.value, dict):
        field = Field(field.document, {}, field.parent, field.key)
    field.only("event", "workloads", "replicas", "bound")
    there = {str(each): each for each in cluster.autoscalers if each.workload is not None}
    for each in field["workloads"].items():
        if each.text() not in there:
            raise each.error(f"no autoscaler scales this workload{nearest(each.text(), there)}")
    workloads = tuple(sorted({*(field["workloads"].texts() or there)}))
    replicas = field["replicas"]
    own = {_own_replicas(there[name].workload) for name in workloads}
    if replicas and replicas.value != "missing":
        own = {replicas.integer(0, MOST_REPLICAS)}
    elif replicas:
        own = {None}
    if len(own) > 1:
        raise replicas.error("expected the field, as the manifests of these workloads differ in it")
    return Rule(APPLY, workloads=workloads, replicas=next(iter(own), None))


def _own_replicas(field: Field | None) -> int | None:
    """Return the replicas that the manifest of a workload was applied with; None if it lacks the field."""
    if field is None or not given(field):
        return None
    return field["spec"]["replicas"].integer(0, MOST_REPLICAS) if field["spec"]["replicas"] else None
