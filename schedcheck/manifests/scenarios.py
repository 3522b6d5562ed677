"""The scenario of a cluster: `scenario`, from a document of kind Scenario, or a default without one.

```yaml
apiVersion: schedcheck/v1alpha1
kind: Scenario
metadata: {name: reference}
spec:
  profile: corrected             # kubernetes (default), kubernetes-1.36, kubernetes-documented: kube-scheduler; corrected: the published
                                 # model; article: as it is printed, with all its faults but those that are `repaired`;
                                 # classic: the early scheduler
  faults: [sum-over-set]         # corrected: faults of the published model to put in
  ratedResource: cpu
  absent: all                    # all unbound pods, a list of pods, or a map of labels; not there at first
  events:
  - arrive                       # of every pod, without limit
  - {event: complete, pods: [web-1, shop/web-2], bound: 3}
  - {event: cordon, nodes: {zone: a}, bound: 1}
  - {event: taint, nodes: [n1], taint: {key: gpu, value: x, effect: NoSchedule}}
  - {event: label, nodes: [n1], key: disk, values: [ssd, null]}
  - {event: evict, pods: {app: web}}
  - {event: delete, namespace: shop, owner: deployment/web}   # beside `pods`, if that is given too
  - {event: evict, nodes: [n1]}  # only while they are on these nodes, as a drain does
  - {event: unready, nodes: [n1], bound: 1}
  - {event: fail, when: [at_most_out(0)]}   # only while these hold: predicates of `manifests.guards`, formulas of TLA+
  - {event: apply, workloads: [deployment/web], replicas: missing, bound: 1}   # beside an autoscaler
  - {event: apply, manifest: web-2.yaml}   # another template or other replicas; the file, or the object
  - {event: any, bound: 5}       # all events together
  controllers: [owners, disruption, lifecycle, kubelet, podgc]   # the controllers that run; if absent those
                                 # that failing nodes require; none for the published model. Also
                                 # {descheduler: policy.yaml} and {nodePools: pools.yaml}, or the document for the file;
                                 # {karpenter: karpenter.yaml}; jobs, which counts the ended pods of Jobs; and
                                 # autoscaler, or {autoscaler: {readings: [20, 50, 90], starting: [200]}}
  victims: absent                # or pending
  completed: absent              # or kept
  properties: [no_overcommit, "never_evicted(web-1)", "Turn # {} ~> Turn = {}", Own.tla!Safe]   # as --property
  constraints: ["at_most_unbound(2)"]
  featureGates: [GenericWorkload=true, GangScheduling=true]   # of kube-scheduler, as --feature-gates
  kubelet: {shutdownGracePeriodByPodPriority: [{priority: 0, shutdownGracePeriodSeconds: 20}]}   # for the event shutdown
  fairness: weak                 # or strong, or none: how the scheduler and the controllers are treated
```
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from schedcheck.errors import InputError
from schedcheck.manifests import karpenter_facts
from schedcheck.manifests.autoscaled import with_autoscalers
from schedcheck.manifests.autoscaler_fields import application, readings_of
from schedcheck.manifests.configured import descheduler_in, karpenter_in, node_pools_in, plain_controller
from schedcheck.manifests.descheduler_policy import with_statuses
from schedcheck.manifests.feature_gates import gated, switched
from schedcheck.manifests.fields import INT32, Field, nearest
from schedcheck.manifests.guards import guards_of
from schedcheck.manifests.jobs import counted_jobs, with_jobs
from schedcheck.manifests.kubelet_fields import shutdown_priorities
from schedcheck.manifests.looked_at import lost, not_looked_at, told_node, told_pod
from schedcheck.manifests.node_pools import unmodelled, with_assumption
from schedcheck.manifests.nodes import taint
from schedcheck.manifests.objects import Cluster
from schedcheck.manifests.revisions import NEEDED, Revised, refuse_beyond, revised
from schedcheck.manifests.running import by_itself, called_for, owning
from schedcheck.manifests.seen import OURS, seen
from schedcheck.manifests.selections import PodKey, chosen_nodes, chosen_pods, pods_of_event
from schedcheck.model.controllers import RECREATING
from schedcheck.model.scenario import (
    ANY,
    APPLY,
    AUTOSCALER,
    CRASH,
    JOBS,
    NODE_EVENTS,
    POD_EVENTS,
    RESTART,
    SHUTDOWN,
    Rule,
    Scenario,
)
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Plugins
from schedcheck.spec.objects import Pod
from schedcheck.spec.schedulers import NAMES, VARIANTS, as_printed

DEFAULT_PROFILE = "kubernetes"
"""The profile of an input that names none."""

OWN_FIELDS = {"evict": ("nodes",), "taint": ("taint",), "untaint": ("taint",), "label": ("key", "values")}


def scenario(
    cluster: Cluster,
    known_faults: frozenset[str],
    profile: str = "",
    schedulers: Collection[str] = OURS,
    *,
    scaled: bool = True,
) -> Scenario:
    """Return the scenario of the cluster's document, or `default_scenario` if there is none.

    A `profile` given here wins. Unless `scaled`, no autoscaler runs, and no manifest is applied.

    Raises: InputError also for an unknown field, pod, node or fault.
    """
    document = cluster.scenario
    if document is None:
        return default_scenario(cluster, known_faults, profile or DEFAULT_PROFILE, schedulers)
    given, cluster = cluster, seen(cluster, schedulers, placed=False)
    document.only("apiVersion", "kind", "metadata", "spec")
    spec = document["spec"]
    spec.only(
        "profile", "faults", "repaired", "ratedResource", "absent", "events", "victims", "completed", "properties",
        "constraints", "controllers", "fairness", "featureGates", "kubelet",
    )  # fmt: skip
    _not_both_ways(spec)
    profile = profile or named_profile(spec)
    kept = spec["completed"].text() == "kept"
    existing = frozenset(pod.key for pod in cluster.pods)
    cluster, jobs = counted_jobs(spec["controllers"], given, cluster, profile)
    revising = revised(spec, cluster, profile, schedulers) if scaled else Revised(cluster)
    cluster = revising.cluster
    rules = tuple(_rules(spec["events"], cluster, kept, revising))
    readings = readings_of(spec, profile)
    controllers = _controllers(spec["controllers"], rules, cluster, profile)
    priorities = shutdown_priorities(spec, rules, profile, controllers)
    if priorities and readings is not None:
        raise spec["controllers"].error(f"the event {SHUTDOWN} is not modelled together with an autoscaler of pods")
    rules = rules if scaled else tuple(rule for rule in rules if rule.event != APPLY)
    made = _with_needed_templates(
        Scenario(
            name=document["metadata"]["name"].text() or "scenario",
            **_objects(cluster, profile),
            absent=_absent(spec["absent"], cluster, any(rule.event == "arrive" for rule in rules))
            | {pod.key for pod in cluster.pods if pod.key not in existing},
            rules=rules,
            profile=profile,
            faults=_faults(spec, known_faults, profile),
            lost=() if as_printed(profile) else lost(cluster),
            not_looked_at=not_looked_at(cluster, profile, _faults(spec, known_faults, profile)),
            rated_resource=spec["ratedResource"].text() or "cpu",
            victims=spec["victims"].one_of(("absent", "pending"), "absent"),
            completed=spec["completed"].one_of(("absent", "kept"), "absent"),
            properties=spec["properties"].texts(),
            constraints=spec["constraints"].texts(),
            budgets=cluster.budgets,
            controllers=controllers,
            shutdown_priorities=priorities,
            descheduler=descheduler_in(spec["controllers"], cluster, profile),
            node_pools=node_pools_in(spec["controllers"], cluster, profile),
            karpenter=karpenter_in(spec["controllers"], cluster, profile),
            fairness=spec["fairness"].one_of(("none", "weak", "strong"), "weak"),
            plugins=_gated(spec["featureGates"], profile),
        )
    )
    if why := unmodelled(made) or karpenter_facts.unmodelled(made):
        raise spec["controllers"].error(why)
    made = with_statuses(karpenter_facts.with_assumption(with_assumption(made)))
    made = with_jobs(replace(made, rollouts=revising.rollouts), jobs, cluster, spec)
    refuse_beyond(made, spec)
    if readings is None or not scaled:
        return made
    if made.jobs:
        raise spec["controllers"].error("the controller jobs is not modelled together with an autoscaler of pods")
    if made.node_pools is not None:
        raise spec["controllers"].error("node pools are not modelled together with an autoscaler of pods")
    if made.karpenter is not None:
        raise spec["controllers"].error("Karpenter is not modelled together with an autoscaler of pods")
    return with_autoscalers(made, cluster, readings, spec["controllers"].place())


def gates_of(document: Field, profile: str) -> tuple[str, ...]:
    """Return the feature gates of a scenario's document. Raises: InputError for those that the profile has not."""
    gates = document["spec"]["featureGates"]
    _gated(gates, profile)
    return gates.texts()


def _gated(field: Field, profile: str) -> tuple[Plugins, ...]:
    """Return the default profile of kube-scheduler with the feature gates of a document."""
    variant = VARIANTS[profile]
    if not field.items():
        return (DEFAULT_PLUGINS,)
    if not variant.scheduler.has_plugins:
        raise field.error(f"belongs to the profiles of kube-scheduler; this scenario names {profile}")
    try:
        gates = switched(field.texts(), variant.patch, field.path())
    except InputError as error:
        raise InputError(error.told, **field.place()) from None
    return (gated(DEFAULT_PLUGINS, gates),)


def named_profile(spec: Field) -> str:
    """Return the profile that a scenario names. The default is `corrected` if its fields require it, else `kubernetes`.

    Faults and a rated resource belong to the published model alone, so a scenario with either means that model.
    Raises: InputError for either in a scenario that names another profile.
    """
    of_the_model = next((spec[key] for key in ("faults", "ratedResource") if spec[key]), None)
    name = spec["profile"].one_of(NAMES, "corrected" if of_the_model else DEFAULT_PROFILE)
    if of_the_model and not VARIANTS[name].scheduler.has_faults:
        raise of_the_model.error(f"belongs to the profiles article and corrected; this scenario names {name}")
    return name


def default_scenario(
    cluster: Cluster, known_faults: frozenset[str], profile: str, schedulers: Collection[str] = OURS
) -> Scenario:
    """Return the scenario of a cluster without a document: unbound pods without a uid arrive, pods that end complete.

    The controller of its owner creates a pod, and recreates it; a pod without such an owner arrives by itself. Pods
    complete if they belong to Jobs, if their restartPolicy is not Always, or if they are already deleted. Pods on an
    unhealthy or missing node are evicted or collected. No other event happens: no deletion, drain or scaling.
    The profile article decides itself about bound and ended pods.
    """
    cluster = seen(cluster, schedulers, placed=not as_printed(profile))
    controllers = by_itself(cluster)
    collected = tuple(pod for pod in cluster.lost if pod.owner[0] in RECREATING)
    cluster = replace(cluster, pods=tuple(sorted((*cluster.pods, *collected), key=lambda pod: pod.key)))
    absent = (*(key for key in _unbound(cluster) if key not in cluster.live), *(pod.key for pod in collected))
    owned = {pod.key for pod in cluster.pods if pod.owner[0] in RECREATING}
    arriving = tuple(key for key in absent if key not in owned)
    completing = tuple(pod.key for pod in cluster.pods if pod.key in cluster.ending or pod.terminating)
    rules = (Rule("arrive", pods=arriving), Rule("complete", pods=completing))
    faults = known_faults if as_printed(profile) else frozenset[str]()
    return _with_needed_templates(
        Scenario(
            name="cluster",
            **_objects(cluster, profile),
            absent=frozenset(absent),
            rules=tuple(rule for rule in rules if rule.pods),
            profile=profile,
            faults=faults,
            lost=() if as_printed(profile) else lost(cluster),
            not_looked_at=not_looked_at(cluster, profile, faults),
            budgets=cluster.budgets,
            controllers=owning(cluster.pods) if as_printed(profile) else controllers,
        )
    )


def _with_needed_templates(scenario: Scenario) -> Scenario:
    """Return the scenario without the templates of pods that are never recreated.

    More objects are then interchangeable.
    """
    arriving = {key for rule in scenario.rules if rule.event == "arrive" for key in rule.pods}
    owners = RECREATING if "owners" in scenario.controllers else frozenset[str]()

    def made(pod: Pod) -> bool:
        return scenario.victims == "pending" or pod.key in arriving or pod.owner[0] in owners

    pods = (pod if made(pod) else replace(pod, template_node_name="") for pod in scenario.pods)
    return replace(scenario, pods=tuple(pods))


def _objects(cluster: Cluster, profile: str) -> dict[str, Any]:
    """Return the objects of a scenario; for the published model without the fields that it ignores."""
    fixed = {
        "services": cluster.services,
        "owners": cluster.controllers,
        "storage": cluster.storage,
        "devices": cluster.devices,
        "workloads": cluster.groups,
        "pod_groups": cluster.pod_groups,
    }
    if VARIANTS[profile].scheduler.surroundings:
        return {"pods": cluster.pods, "nodes": cluster.nodes, "namespaces": cluster.namespaces, **fixed}
    nodes = tuple(map(told_node, cluster.nodes))
    pods = tuple(told_pod(pod, profile) for pod in cluster.pods)
    return {"pods": pods, "nodes": nodes, "namespaces": cluster.namespaces}


def _unbound(cluster: Cluster) -> Sequence[PodKey]:
    return [pod.key for pod in cluster.pods if not pod.node_name]


def _controllers(field: Field, rules: Collection[Rule], cluster: Cluster, profile: str) -> frozenset[str]:
    """Return the controllers that a document names; if it has no such field, those that its events require."""
    if field.value is None and VARIANTS[profile].scheduler.surroundings:
        return called_for(rules, cluster.pods) | {name for name in NEEDED if any(rule.manifest for rule in rules)}
    plain = (
        item for item in field.items() if not isinstance(item.value, dict) and item.value not in (AUTOSCALER, JOBS)
    )
    return frozenset(map(plain_controller, plain))


def _absent(field: Field, cluster: Cluster, may_arrive: bool) -> frozenset[PodKey]:
    if field.value == "all" or (not field and may_arrive):
        return frozenset(_unbound(cluster))
    if not field:
        return frozenset()
    if isinstance(field.value, str):
        raise field.error("expected all, a list of pods, or a map of labels")
    return frozenset(chosen_pods(field, cluster.pods))


def _faults(spec: Field, known_faults: frozenset[str], profile: str) -> frozenset[str]:
    """Return the faults that are on: in the profile `article` all that are not repaired, in `corrected` those listed.

    A profile of another scheduler has none, whatever the document lists.
    """
    if not VARIANTS[profile].scheduler.has_faults:
        return frozenset()
    on, off = (frozenset(_fault(item, known_faults) for item in spec[key].items()) for key in ("faults", "repaired"))
    return known_faults - off if as_printed(profile) else on


def _not_both_ways(spec: Field) -> None:
    """Raises: InputError for a list of faults that the document's own profile does not use."""
    printed = as_printed(spec["profile"].text())
    if printed and spec["faults"]:
        raise spec["faults"].error("the profile article has every fault; list those to repair under 'repaired'")
    if not printed and spec["repaired"]:
        raise spec["repaired"].error(
            "only the profile article has faults to repair; list those to put in under 'faults'"
        )


def _fault(field: Field, known_faults: frozenset[str]) -> str:
    name = field.text()
    if name not in known_faults:
        raise field.error(f"no fault has this name{nearest(name, known_faults)}")
    return name


def _rules(events: Field, cluster: Cluster, kept: bool, revising: Revised) -> Iterator[Rule]:
    """Yield the events. Pods of a workload whose manifest is applied do not arrive by themselves: its controller makes them."""
    for place, item in enumerate(events.items()):
        if isinstance(item.value, dict) and item["manifest"]:
            item.only("event", "manifest", "bound")
            yield from (rule for at, rule in revising.rules.items() if at == place)
            continue
        rule = _rule(item, cluster, kept)
        arriving = tuple(key for key in rule.pods if key not in revising.keys)
        yield replace(rule, pods=arriving) if rule.event == "arrive" else rule


def _rule(field: Field, cluster: Cluster, kept: bool) -> Rule:
    """Return an event: its name, or a map with its name, the objects that it may affect (else all), bound and guards."""
    named = field["event"] if isinstance(field.value, dict) else field
    if named.value == ANY:
        return _all_together(field)
    if named.value == APPLY:
        bound = _bound(field["bound"]) if isinstance(field.value, dict) else None
        return replace(application(field, cluster), bound=bound)
    event = _event(named)
    objects = "pods" if event in (*POD_EVENTS, RESTART, CRASH) else "nodes"
    own = OWN_FIELDS.get(event, ())
    if named is field:
        field = Field(field.document, {}, field.parent, field.key)
    chosen_by = ("pods", "namespace", "owner") if objects == "pods" else ("nodes",)
    field.only("event", *chosen_by, "bound", "when", *own)
    return Rule(
        event,
        pods=pods_of_event(field, cluster) if objects == "pods" else (),
        nodes=chosen_nodes(field["nodes"], cluster.nodes) if objects == "nodes" or field["nodes"] else (),
        bound=_bound(field["bound"]),
        taint=taint(field["taint"]) if "taint" in own else None,
        label_key=field["key"].required("a label key") if "key" in own else "",
        label_values=_label_values(field["values"]) if "values" in own else (),
        guards=guards_of(field["when"], cluster.pods, cluster.nodes, objects == "pods", kept),
    )


def _all_together(field: Field) -> Rule:
    """Return the rule that bounds all events together."""
    if not isinstance(field.value, dict) or not field["bound"]:
        raise field.error(f"expected {{event: {ANY}, bound: NUMBER}}: the bound of all events together")
    field.only("event", "bound")
    return Rule(ANY, bound=field["bound"].integer(0, INT32 - 1))


def _event(field: Field) -> str:
    events = (*POD_EVENTS, RESTART, CRASH, *NODE_EVENTS, SHUTDOWN, APPLY, ANY)
    name = field.required(f"one of {', '.join(events)}")
    if name not in events:
        raise field.error(f"no event has this name{nearest(name, events)}")
    return name


def _bound(field: Field) -> int | None:
    return None if not field or field.value == "unlimited" else field.integer(0, INT32 - 1)


def _label_values(field: Field) -> tuple[str | None, ...]:
    """Return the values that a label may take; null removes the label."""
    values = tuple(item.text() if item else None for item in field.items())
    if not values:
        raise field.error("expected the values that the label may take")
    for place, item in enumerate(field.items()):
        if values[place] in values[:place]:
            raise item.error("expected each value once")
    return values
