"""Manifests that the events `apply` of a scenario apply: `revised`, `Revised`, `beyond`; for `deploy`: `with_whole`, `waiting`.

The objects are merged with those of the input, as `deploy` merges them (`applying`), and what becomes of each workload is what
`deploy` says of it (`rollouts`). Until its event a workload is as the input has it. All workloads of a manifest change at once.

Not modelled: a second manifest of a workload; a DaemonSet whose nodes change; budgets in shares of pods whose number changes.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from schedcheck.errors import InputError
from schedcheck.manifests.applying import Applied, applied_to
from schedcheck.manifests.as_read import as_read
from schedcheck.manifests.autoscalers import KIND as AUTOSCALERS
from schedcheck.manifests.documents import Document, documents
from schedcheck.manifests.fields import INT32, Field
from schedcheck.manifests.identities import Identity, objects_of
from schedcheck.manifests.objects import Cluster
from schedcheck.manifests.pods import Entry
from schedcheck.manifests.rollouts import Change, Making
from schedcheck.manifests.seen import why_unseen
from schedcheck.manifests.workloads import KINDS, Workload
from schedcheck.model.production.extenders.as_read import AsRead
from schedcheck.model.rollouts import Rollout
from schedcheck.model.scenario import APPLY, SHUTDOWN, Rule, Scenario
from schedcheck.spec.budgets import protects
from schedcheck.spec.objects import Pod
from schedcheck.spec.schedulers import VARIANTS

NEEDED: Final = ("owners", "kubelet")
"""The controllers that a rollout consists of: those of workloads, and the kubelets that start and end pods."""

ONCE: Final = 1
"""A manifest that is applied again changes nothing."""

OF_NODES: Final = ("fail", "return", "taint", "untaint", "label")
"""The events after which a DaemonSet may run on other nodes."""


@dataclass(frozen=True)
class Revised:
    """The input with the pods to come, the workloads that events change, and the event at each place of `events`."""

    cluster: Cluster
    rollouts: tuple[Rollout, ...] = ()
    rules: Mapping[int, Rule] = field(default_factory=dict)

    @property
    def keys(self) -> frozenset[tuple[str, str]]:
        """The keys of all pods that the workloads may have."""
        return frozenset[tuple[str, str]]().union(*(each.keys for each in self.rollouts))


def revised(spec: Field, cluster: Cluster, profile: str, schedulers: Collection[str]) -> Revised:
    """Return what the manifests of the events of a scenario change. Raises: InputError; it names the event's field."""
    made = Revised(cluster)
    for place, item in enumerate(spec["events"].items()):
        if not isinstance(item.value, dict) or not item["manifest"]:
            continue
        given = item["manifest"]
        if not VARIANTS[profile].scheduler.has_plugins:
            raise given.error(f"not modelled together with the profile {profile}")
        rollouts = _rollouts(given, made, schedulers)
        bound = item["bound"]
        rule = Rule(
            APPLY,
            workloads=tuple(sorted(map(str, rollouts.rollouts))),
            bound=min(bound.integer(0, INT32 - 1), ONCE) if bound and bound.value != "unlimited" else ONCE,
            manifest=_name(given, rollouts.rollouts),
        )
        made = Revised(rollouts.cluster, (*made.rollouts, *rollouts.rollouts), {**made.rules, place: rule})
    return made


def _name(given: Field, rollouts: Iterable[Rollout]) -> str:
    return given.value if isinstance(given.value, str) else ", ".join(map(str, rollouts))


def _documents(given: Field) -> list[Document]:
    """Return the documents of a manifest: of a file next to the scenario, or the object itself."""
    if isinstance(given.value, dict):
        return [replace(given.document, value=given.value, notes=())]
    path = Path(given.document.file).parent / given.required("the file of a manifest, or the object")
    if not path.exists():
        raise given.error("no such file")
    return list(documents([path]))


def _rollouts(given: Field, so_far: Revised, schedulers: Collection[str]) -> Revised:
    """Return the input with the pods that one manifest brings, and the workloads that it changes."""
    cluster, new = so_far.cluster, _documents(given)
    result = applied_to(new, cluster.documents)
    _refuse_others(new, result, given)
    for each in so_far.rollouts:
        if (each.shown, each.namespace, each.name) in result.given:
            raise given.error(
                f"another event applies a manifest of {each}: a second change of a workload is not modelled"
            )
    fresh = _of_new_workloads(result, cluster)
    before = frozenset(pod.key for pod in cluster.pods)
    pods = tuple(sorted((*cluster.pods, *fresh), key=lambda pod: pod.key))
    after = replace(result.after, pods=pods, live=before, deletion_costs=cluster.deletion_costs)
    making = Making(replace(result, after=after, scaled_by={}))
    changes = [(name, making.change(name)) for name in sorted(result.given)]
    rollouts = tuple(
        _changing(name, change, making, given, cluster)
        for name, change in changes
        if change.rollout is not None or change.unknown
    )
    if not rollouts:
        raise given.error("changes no workload: expected one with another template, or with other replicas")
    _refuse_pods(rollouts, given, result.after, schedulers)
    coming = [pod for pod in (*making.more, *fresh) if pod.key not in before]
    templates = {pod.key: _template(pod, result.after.workloads) for pod in coming}
    entries = [_entry(pod, templates[pod.key]) for pod in coming]
    there = {each.key for each in cluster.workloads}
    return Revised(
        replace(
            cluster,
            pods=tuple(sorted((*cluster.pods, *coming), key=lambda pod: pod.key)),
            whole=AsRead({**cluster.whole.pods, **as_read(entries, ()).pods}, cluster.whole.nodes),
            workloads=(*cluster.workloads, *(each for each in result.after.workloads if each.key not in there)),
        ),
        rollouts,
    )


def _refuse_others(new: Iterable[Document], result: Applied, given: Field) -> None:
    """Raises: InputError for an object that is read and is no workload, and without a workload."""
    kinds = {kind for each in new for kind, _ in objects_of(Field(each, each.value))} & {AUTOSCALERS}
    for kind in sorted(kinds | {name[0] for name in result.given} - {*KINDS}):
        raise given.error(f"an event applies workloads alone; expected one of {', '.join(KINDS)}, not {kind}")
    if not any(name[0] in KINDS for name in result.given):
        raise given.error(f"expected one of {', '.join(KINDS)}")


def _of_new_workloads(result: Applied, cluster: Cluster) -> list[Pod]:
    """Return the pods of the workloads of a manifest that have none in the input."""
    there = {pod.key for pod in cluster.pods}
    named = {(namespace, kind, name) for kind, namespace, name in result.given}
    makers = {(each.namespace, each.maker) for each in result.after.workloads if each.key in named}
    return [pod for pod in result.after.pods if pod.key not in there and (pod.namespace, pod.owner) in makers]


def _changing(name: Identity, change: Change, making: Making, given: Field, cluster: Cluster) -> Rollout:
    """Return the workload of a change, with what it is before it. Raises: InputError for what is not modelled."""
    kind, namespace, own_name = name
    rollout, own = change.rollout, making.own.get((namespace, kind, own_name), [])
    if change.unknown or rollout is None:
        raise given.error(f"{change}: {change.unknown}")
    was = change.before or 0
    if change.what != "added" and rollout.kind != "DaemonSet" and len(own) != was:
        raise given.error(
            f"{change}: the input has {len(own)} of its {was} pods, which is not modelled before its manifest is applied"
        )
    before = _before(rollout, was, change.what == "added")
    _refuse_shares(change, rollout, before, given, cluster)
    stored = making.applied.stored.get(name)
    before = replace(before, waits=stored is not None and _waits(stored))
    return replace(rollout, waits=_waits(making.applied.given[name]), before=before)


def _before(rollout: Rollout, was: int, new: bool) -> Rollout:
    """Return a workload before the event: its former pods, or as many of the same as it had."""
    if new:
        return replace(rollout, replicas=0, forms=(), former=(), revision="", partition=0)
    if rollout.kind == "StatefulSet":
        first = {form.key: form for form in (*rollout.forms, *rollout.former)}
        ordinals = sorted(first.values(), key=lambda form: (len(form.name), form.name))
        forms = rollout.former if rollout.rolling else tuple(ordinals[:was])
        return replace(rollout, replicas=was, forms=forms, former=(), revision="", partition=0)
    if not rollout.rolling:
        return replace(rollout, replicas=was)
    return replace(
        rollout, replicas=len(rollout.former) if rollout.kind == "DaemonSet" else was, forms=rollout.former, former=(),
        revision="", surge=0, recreate=False,
    )  # fmt: skip


def _waits(workload: Field) -> bool:
    """Whether a workload has a minReadySeconds above 0."""
    seconds = workload["spec"]["minReadySeconds"]
    return bool(seconds) and seconds.integer(0) > 0


def _refuse_shares(change: Change, rollout: Rollout, before: Rollout, given: Field, cluster: Cluster) -> None:
    """Raises: InputError for a budget that depends on the number of pods, which the change changes."""
    if rollout.replicas == before.replicas:
        return
    for budget in cluster.budgets:
        shared = budget.max_unavailable is not None or isinstance(budget.min_available, str)
        if shared and any(protects(budget, form) for form in rollout.forms):
            why = f"the replicas change, on which the budget {budget} depends: not modelled"
            raise given.error(f"{change}: {why}")


def _refuse_pods(rollouts: Sequence[Rollout], given: Field, after: Cluster, schedulers: Collection[str]) -> None:
    """Raises: InputError for pods to come that these schedulers do not see, or with fields that are not modelled there."""
    for rollout in rollouts:
        for form in (*rollout.forms, *rollout.former):
            if form.resource_claims or form.workload is not None or form.scheduling_group:
                raise given.error(f"{rollout}: pods of gangs, or with resource claims, are not modelled here")
            why = (
                "held back by their scheduling gates" if form.scheduling_gates else why_unseen(form, after, schedulers)
            )
            if why:
                raise given.error(f"{rollout}: its pods are {why}")


def with_whole(cluster: Cluster) -> Cluster:
    """Return the cluster with the whole objects of the pods to come as well, which controllers may read."""
    coming = [pod for pod in cluster.pods if pod.key not in cluster.whole.pods]
    entries = [_entry(pod, _template(pod, cluster.workloads)) for pod in coming]
    return replace(cluster, whole=AsRead({**cluster.whole.pods, **as_read(entries, ()).pods}, cluster.whole.nodes))


def waiting(name: Identity, applied: Applied) -> bool:
    """Whether a workload has a minReadySeconds above 0, before or after manifests are applied."""
    return any(_waits(field) for field in (applied.given.get(name), applied.stored.get(name)) if field is not None)


def beyond_pools(scenario: Scenario, rollouts: Iterable[Rollout]) -> str:
    """Return what is not modelled of workloads that change beside configured controllers; empty if all is."""
    return next(_of_kinds(scenario, rollouts), "")


def _template(pod: Pod, workloads: Iterable[Workload]) -> Field:
    """Return the template of a pod to come: that of its owner, or of the workload that its name begins with."""
    own = [each for each in workloads if each.namespace == pod.namespace]
    found = [each for each in own if each.maker == pod.owner]
    named = [each for each in own if pod.name.startswith(f"{each.name}-")]
    return next(iter((*found, *sorted(named, key=lambda each: -len(each.name))))).template


def _entry(pod: Pod, template: Field) -> Entry:
    return Entry(pod, template["spec"], Field(template.document, None, template, "status"))


def beyond(scenario: Scenario) -> str:
    """Return what is not modelled together with manifests that events apply; empty if all is."""
    if not scenario.revised:
        return ""
    for name in NEEDED:
        if name not in scenario.controllers:
            return f"the event {APPLY} with a manifest needs the controller {name}"
    if any(rule.event == SHUTDOWN for rule in scenario.rules):
        return f"the event {SHUTDOWN} is not modelled together with the event {APPLY} of a manifest"
    changing = [each for each in scenario.rollouts if each.before is not None]
    keys = frozenset[tuple[str, str]]().union(*(each.keys for each in changing))
    ending = (rule for rule in scenario.rules if rule.event == "complete" and keys & {*rule.pods})
    if scenario.completed == "kept" and next(ending, None) is not None:
        return f"completed: kept is not modelled for pods of a workload whose manifest the event {APPLY} applies"
    return next(_of_kinds(scenario, changing), "")


def _of_kinds(scenario: Scenario, changing: Iterable[Rollout]) -> Iterator[str]:
    """Yield what is not modelled together with changes of DaemonSets and of StatefulSets."""
    events = [rule.event for rule in scenario.rules if rule.event in OF_NODES]
    pooled = [name for name in ("nodePools", "karpenter") if scenario.configured[name] is not None]
    for rollout in changing:
        for name in events if rollout.kind == "DaemonSet" else ():
            yield f"the event {name} is not modelled while the manifest of {rollout} may be applied: its nodes may change"
        for name in pooled if rollout.kind == "DaemonSet" else ():
            yield f"the controller {name} is not modelled while the manifest of {rollout} may be applied: its nodes may change"
        for name in scenario.configured if rollout.kind == "StatefulSet" and rollout.rolling else ():
            if scenario.configured[name] is not None:
                yield f"the controller {name} is not modelled while the template of {rollout} may change"


def refuse_beyond(scenario: Scenario, spec: Field) -> None:
    """Raises: InputError at the events of a scenario for what is not modelled together with their manifests."""
    if why := beyond(scenario):
        raise InputError(why, **spec["events"].place())
