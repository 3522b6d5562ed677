"""A DeschedulerPolicy to a `Descheduler`: `descheduler_policy` of a file, `descheduler_of` a document.

A policy is refused where the descheduler refuses it, and also for unknown fields, which the descheduler ignores.
descheduler 0.36: pkg/descheduler/policyconfig.go, pkg/api/v1alpha2/types.go, pkg/framework/profile/profile.go.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from schedcheck.errors import InputError, Unanswerable
from schedcheck.manifests.descheduler_arguments import (
    ARGUMENTS,
    EVICTOR,
    NOT_MODELLED,
    count,
    evictor,
    selector_text,
)
from schedcheck.manifests.descheduler_metrics import judge_metrics
from schedcheck.manifests.descheduler_reading import Reading, reading
from schedcheck.manifests.documents import Document
from schedcheck.manifests.fields import Field, nearest, only_document
from schedcheck.manifests.objects import Cluster
from schedcheck.manifests.qos import qos_class
from schedcheck.manifests.times import instant
from schedcheck.model.controllers.descheduler.view import owned_by
from schedcheck.model.descheduling import Condition, Descheduler, Facts, Key, Run, Status
from schedcheck.model.scenario import Scenario
from schedcheck.spec.objects import Pod

KIND: Final = "DeschedulerPolicy"
VERSION: Final = "descheduler/v1alpha2"
POINTS: Final = ("presort", "sort", "deschedule", "balance", "filter", "preevictionfilter")
OF_THE_EVICTOR: Final = ("filter", "preevictionfilter")
STATUSES: Final = (
    "assumed of the statuses that the descheduler reads: of a pod that changes or is created later it sees the phase alone; "
    "what holds is proved only under this assumption"
)
ANNOTATIONS: Final = "descheduler.alpha.kubernetes.io"


def descheduler_policy(file: str | Path, cluster: Cluster, pods: Iterable[Pod]) -> Descheduler:
    """Return the descheduler whose policy is the one document of the file, for these pods of `cluster`.

    Raises: InputError. Unanswerable for pods with which a plugin is not modelled.
    """
    return descheduler_of(only_document(file, "policy"), cluster, pods, str(file))


def descheduler_of(policy: Field, cluster: Cluster, pods: Iterable[Pod], file: str = "") -> Descheduler:
    """Return the descheduler with this policy for these pods of `cluster`. Raises: as `descheduler_policy`."""
    if policy["kind"].text() != KIND:
        raise policy["kind"].error(f"expected {KIND}")
    if policy["apiVersion"].text() != VERSION:
        raise policy["apiVersion"].error(f"expected {VERSION}")
    said = reading(cluster.classes)
    said.unknown.only(
        policy, "apiVersion", "kind", "profiles", "nodeSelector", "maxNoOfPodsToEvictPerNode",
        "maxNoOfPodsToEvictPerNamespace", "maxNoOfPodsToEvictTotal", "evictionFailureEventNotification",
        "metricsCollector", "metricsProviders", "gracePeriodSeconds",
    )  # fmt: skip
    count(policy["gracePeriodSeconds"])
    policy["evictionFailureEventNotification"].boolean()
    judge_metrics(policy, said)
    runs = [run for profile in policy["profiles"].items() for run in _runs(profile, said)]
    said.unknown.refuse()
    keys = {pod.key for pod in pods}
    read = _all_read(cluster, keys)
    facts = {key: each for key, each in read.items() if key in keys}
    _refuse_several_owners([run for _, run in runs], facts)
    made = Descheduler(
        runs=tuple(run for point in ("deschedule", "balance") for at, run in runs if at == point),
        node_selector=selector_text(policy["nodeSelector"]),
        per_node=count(policy["maxNoOfPodsToEvictPerNode"]),
        per_namespace=count(policy["maxNoOfPodsToEvictPerNamespace"]),
        total=count(policy["maxNoOfPodsToEvictTotal"]),
        facts=facts,
        others=Counter(
            owned_by(namespace, owner)
            for (namespace, name), each in read.items()
            if (namespace, name) not in facts
            for owner in each.owners
        ),
        file=file,
    )
    _refuse_undated(made)
    return made


def _runs(profile: Field, said: Reading) -> Iterator[tuple[str, Run]]:
    """Yield the enabled plugins of a profile, each with its extension point."""
    said.unknown.only(profile, "name", "pluginConfig", "plugins")
    profile["name"].text()
    configs: dict[str, Field] = {}
    for config in profile["pluginConfig"].items():
        said.unknown.only(config, "name", "args")
        configs.setdefault(_known(config["name"]), config["args"])
    plugins = profile["plugins"]
    said.unknown.only(plugins, *POINTS)
    own = evictor(configs.get(EVICTOR, Field(profile.document, None, profile, "pluginConfig")), said)
    read = {name: ARGUMENTS[name][1](args, said) for name, args in configs.items() if name in ARGUMENTS}
    for point in POINTS:
        said.unknown.only(plugins[point], "enabled", "disabled")
        plugins[point]["disabled"].texts()
        for item in plugins[point]["enabled"].items():
            name = _known(item)
            if point not in _points(name):
                raise item.error(f"expected a plugin of the extension point {point}; this one is of {_points(name)[0]}")
            if name == EVICTOR:
                continue
            if name in NOT_MODELLED:
                raise item.error("not modelled: this plugin")
            if name not in read:
                raise item.error("expected a pluginConfig of this name, without which the descheduler does not start")
            yield point, Run(name, read[name], own)


def _known(field: Field) -> str:
    """Return the name of a plugin that the descheduler has."""
    known = (EVICTOR, *ARGUMENTS, *NOT_MODELLED)
    name = field.required(f"one of {', '.join(known)}")
    if name not in known:
        raise field.error(f"the descheduler has no plugin of this name{nearest(name, known)}")
    return name


def _points(name: str) -> tuple[str, ...]:
    """Return the extension points of a plugin."""
    if name == EVICTOR:
        return OF_THE_EVICTOR
    return (ARGUMENTS[name][0] if name in ARGUMENTS else NOT_MODELLED[name],)


def _all_read(cluster: Cluster, keys: Iterable[Key]) -> dict[Key, Facts]:
    """Return the facts of all pods that were read. Raises: InputError if they were not kept as they were read."""
    if any(key not in cluster.whole.pods for key in keys):
        raise InputError("a descheduler needs the pods as they were read: read(…, whole=True)")
    return {key: _facts(key, each.whole()) for key, each in cluster.whole.pods.items()}


def _facts(key: Key, whole: Mapping[str, Any]) -> Facts:
    """Return what only the descheduler reads of a pod's object. Raises: InputError; it names the pod.

    descheduler 0.36: pkg/utils/pod.go, IsMirrorPod, IsStaticPod and IsPodWithLocalStorage.
    """
    field = Field(Document(f"pod {'/'.join(key)}", 0, whole), dict(whole))
    metadata, volumes = field["metadata"], field["spec"]["volumes"].items()
    annotations = dict(metadata["annotations"].entries())
    source = annotations.get("kubernetes.io/config.source")
    return Facts(
        owners=tuple(
            (each["kind"].text(), each["name"].text(), each["uid"].text())
            for each in metadata["ownerReferences"].items()
        ),
        evict=f"{ANNOTATIONS}/evict" in annotations,
        prefers_no_eviction=f"{ANNOTATIONS}/prefer-no-eviction" in annotations,
        mirror="kubernetes.io/config.mirror" in annotations,
        static=source is not None and source.text() != "api",
        restarts=(
            _restarts(field["status"]["containerStatuses"]),
            _restarts(field["status"]["initContainerStatuses"]),
        ),
        qos=qos_class(field["spec"], field["status"]),
        status=_status(field["status"]) if field["spec"]["nodeName"].text() else None,
        local_storage=any(bool(each[kind]) for each in volumes for kind in ("hostPath", "emptyDir")),
    )


def _status(field: Field) -> Status:
    """Return what the descheduler reads of a status. Raises: InputError."""
    of_containers, of_init, of_ephemeral = (
        field[name].items() for name in ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses")
    )
    return Status(
        phase=field["phase"].text() or "Pending",
        reason=field["reason"].text(),
        containers=_reasons(of_containers),
        init_containers=_reasons(of_init),
        ephemeral_containers=_reasons(of_ephemeral),
        exit_codes=_codes(of_containers),
        init_exit_codes=_codes(of_init),
        conditions=tuple(
            Condition(
                each["type"].text(), each["status"].text(), each["reason"].text(), bool(each["lastTransitionTime"])
            )
            for each in field["conditions"].items()
        ),
        started=instant(field["startTime"]),
    )


def _reasons(statuses: Iterable[Field]) -> frozenset[str]:
    """Return the reasons for which containers wait or have ended."""
    states = (each["state"][kind]["reason"].text() for each in statuses for kind in ("waiting", "terminated"))
    return frozenset(states) - {""}


def _codes(statuses: Iterable[Field]) -> frozenset[int]:
    """Return the exit codes of the containers that have ended."""
    ended = (each["state"]["terminated"] for each in statuses)
    return frozenset(each["exitCode"].integer() if each["exitCode"] else 0 for each in ended if each)


def _refuse_undated(descheduler: Descheduler) -> None:
    """Raises: Unanswerable for a pod with a status that is read, but without a startTime."""
    for key, each in sorted(descheduler.facts.items()) if descheduler.reads_statuses else ():
        if each.status is not None and each.status.started is None and each.status != Status(each.status.phase):
            why = "by which a plugin of the descheduler would tell it from a later pod of this name"
            raise Unanswerable(f"{'/'.join(key)} has no status.startTime, {why}")


def with_statuses(scenario: Scenario) -> Scenario:
    """Return the scenario with what is assumed of statuses, if a plugin of its descheduler reads them."""
    given = scenario.descheduler
    if given is None or not given.reads_statuses or STATUSES in scenario.cut:
        return scenario
    return replace(scenario, cut=(*scenario.cut, STATUSES))


def _restarts(statuses: Field) -> int:
    """Return how often the containers with these statuses have restarted."""
    counts = (each["restartCount"] for each in statuses.items())
    return sum(count.integer(0) for count in counts if count)


def _refuse_several_owners(runs: list[Run], facts: Mapping[Key, Facts]) -> None:
    """Raises: Unanswerable if pods have several owners, and a plugin is not modelled for them."""
    several = next((key for key, each in sorted(facts.items()) if len(each.owners) > 1), None)
    run = next((each for each in runs if each.plugin == "RemoveDuplicates"), None)
    if several is not None and run is not None:
        raise Unanswerable(f"{'/'.join(several)} has several owners, for which {run.plugin} is not modelled")
