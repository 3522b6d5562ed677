"""The cluster after kubectl apply: `applied`, `Applied`.

An object of the manifests that the cluster has is merged with it (`three_way`); another one is added. An object of the
cluster without a uid was never stored: it counts as what was applied before, so that the manifest replaces it.

Not modelled: what an API server refuses because a field is immutable; it is said of StatefulSets and Jobs alone.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from schedcheck.checker.limits.parameters import parameter
from schedcheck.errors import InputError
from schedcheck.manifests.documents import Document, documents
from schedcheck.manifests.fields import Field
from schedcheck.manifests.hooks import HOOK
from schedcheck.manifests.identities import WITHOUT_NAMESPACE, Identity, object_identity, objects_of
from schedcheck.manifests.names import called, nearest_three
from schedcheck.manifests.objects import Cluster, cluster
from schedcheck.manifests.three_way import merged

LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
OPENSHIFT = "DeploymentConfig"
AUTOSCALER = "HorizontalPodAutoscaler"
SCALED = ("Deployment", "ReplicaSet", "StatefulSet", "ReplicationController")
"""The kinds that have replicas."""


@dataclass(frozen=True)
class Autoscaler:
    """A HorizontalPodAutoscaler: its name, and the least and the most replicas that it sets; the most may be missing."""

    name: str
    least: int
    most: int | None

    def __str__(self) -> str:
        return f"{AUTOSCALER} {self.name}"

    def moves(self, replicas: int) -> str:
        """Return the replicas to which it scales at once, in words; empty if it need not. It leaves 0 replicas alone.

        Kubernetes 1.34: pkg/controller/podautoscaler/horizontal.go, reconcileAutoscaler.
        """
        if 0 < replicas < self.least:
            return f"at least {self.least:,}"
        return f"at most {self.most:,}" if self.most is not None and replicas > self.most else ""


@dataclass(frozen=True)
class Applied:
    """The cluster after it, and what was applied.

    - `stored`: the objects of the cluster before it. - `given`: the objects of the manifests and those scaled by hand, as
    they are stored after it, in order of the input. - `hooks`: the hooks of Helm, which were left out, as `kind name: hook`.
    - `configs`: the objects of `given` that are DeploymentConfigs. - `scaled_by`: the workloads (kind, namespace, name)
    that an autoscaler scales, with it.
    """

    after: Cluster
    given: Mapping[Identity, Field]
    stored: Mapping[Identity, Field]
    hooks: tuple[str, ...]
    configs: frozenset[Identity]
    scaled_by: Mapping[Identity, Autoscaler]


def applied(
    files: Iterable[str | Path],
    onto: Iterable[str | Path],
    *,
    namespace: str | None = None,
    replicas: Mapping[Identity, int] | None = None,
    chosen: Callable[[Mapping[str, str]], bool] | None = None,
) -> Applied:
    """Return the cluster in `onto` after the manifests in `files` are applied, and then scaled to `replicas`.

    `chosen` says of an object's labels whether it is applied.

    Raises: InputError.
    """
    there = list(documents(onto))
    return applied_to(documents(files), there, namespace=namespace, replicas=replicas, chosen=chosen)


def applied_to(
    new_documents: Iterable[Document],
    there: Iterable[Document],
    *,
    namespace: str | None = None,
    replicas: Mapping[Identity, int] | None = None,
    chosen: Callable[[Mapping[str, str]], bool] | None = None,
) -> Applied:
    """Return the cluster of the documents `there` after the new ones are applied, as `applied` does. Raises: InputError."""
    found = list(_objects(there))
    configs, new_configs = dict(_deployment_configs(found)), set[Identity]()
    hooks: list[str] = []
    asked = _objects(new_documents)
    if chosen is not None:
        asked = (each for each in asked if chosen(each[1]["metadata"]["labels"].labels()))
    new = list(_manifests(asked, namespace, hooks, new_configs))
    if not new and not hooks and not replicas and chosen is None:
        raise InputError("expected objects to apply; the input has none")
    stored = {**configs, **{name: field for name, field in found if name is not None}}
    given = {name: _stored(stored.get(name), field) for name, field in new if name is not None}
    for name, number in (replicas or {}).items():
        given[name] = _scaled(name, {**stored, **given}, number)
    others = [field.document for name, field in new if name is None and not _is_read_here(field)]
    kept = [field.document for name, field in found if name not in given and not _is_read_here(field)]
    real = {name for name, _ in found}
    return Applied(
        after=cluster([*kept, *others, *(field.document for field in given.values())]),
        given=given,
        stored=stored,
        hooks=tuple(hooks),
        configs=frozenset(new_configs | {name for name in configs if name in given and name not in real}),
        scaled_by=dict(_autoscaled([*found, *new])),
    )


def _objects(of: Iterable[Document]) -> Iterator[tuple[Identity | None, Field]]:
    """Yield each object as a document of its own, with its identity; None for a kind that is not read."""
    for document in of:
        for kind, field in objects_of(Field(document, document.value)):
            single = field
            if field.parent is not None and isinstance(field.value, dict):
                value = field.value if field.value.get("kind") else {**field.value, "kind": kind}
                single = Field(replace(document, value=value, notes=()), value)
            yield object_identity(kind, single), single


def _manifests(
    found: Iterable[tuple[Identity | None, Field]], namespace: str | None, hooks: list[str], configs: set[Identity]
) -> Iterator[tuple[Identity | None, Field]]:
    """Yield the objects to apply, in their namespace; hooks are left out, a DeploymentConfig is a Deployment."""
    for name, field in found:
        metadata, kind = field["metadata"], field["kind"].text()
        hook = metadata["annotations"][HOOK]
        if hook:
            hooks.append(f"{kind} {metadata['name'].text()}: {hook.text()}")
        elif _is_config(field):
            made = _as_deployment(field)
            config, made = _in_namespace(object_identity("Deployment", made), made, namespace)
            configs |= {config} if config is not None else set()
            yield config, made
        else:
            yield _in_namespace(name, field, namespace)


def _is_config(field: Field) -> bool:
    return field["kind"].text() == OPENSHIFT and field["apiVersion"].text().startswith("apps.openshift.io/")


def _is_read_here(field: Field) -> bool:
    """Whether the object is read here, and not as an object of the cluster."""
    return _is_config(field) or field["kind"].text() == AUTOSCALER


def _deployment_configs(found: Iterable[tuple[Identity | None, Field]]) -> Iterator[tuple[Identity, Field]]:
    """Yield the DeploymentConfigs of the cluster as Deployments."""
    for _, field in found:
        if _is_config(field):
            made = _as_deployment(field)
            yield (
                ("Deployment", made["metadata"]["namespace"].text() or "default", made["metadata"]["name"].text()),
                made,
            )


def _in_namespace(
    name: Identity | None, field: Field, namespace: str | None
) -> tuple[Identity | None, Field]:  # fmt: skip
    """Return the object in this namespace, unless it names its own or has none."""
    own = field["metadata"]["namespace"].text()
    if not namespace or own or (field["kind"].text() != AUTOSCALER if name is None else name[0] in WITHOUT_NAMESPACE):
        return name, field
    return name and (name[0], namespace, name[2]), _with(field, ("metadata", "namespace"), namespace)


def _as_deployment(field: Field) -> Field:
    """Return the DeploymentConfig of OpenShift as a Deployment with the same template and strategy."""
    spec = dict(field["spec"].entries())
    strategy = field["spec"]["strategy"]
    kind = {"": "RollingUpdate", "Rolling": "RollingUpdate"}.get(strategy["type"].text(), strategy["type"].text())
    made = {
        key: each.value for key, each in spec.items() if key in ("replicas", "template", "minReadySeconds", "paused")
    }
    limits = {
        key: each.value for key, each in strategy["rollingParams"].entries() if key in ("maxSurge", "maxUnavailable")
    }
    labels = field["spec"]["selector"].value or field["spec"]["template"]["metadata"]["labels"].value
    value = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": field["metadata"].value,
        "spec": {
            **made,
            "selector": {"matchLabels": labels},
            "strategy": {"type": kind, **({"rollingUpdate": limits} if kind == "RollingUpdate" and limits else {})},
        },
    }
    return Field(replace(field.document, value=value), value)


def _stored(stored: Field | None, manifest: Field) -> Field:
    """Return the object after the manifest is applied."""
    if stored is None:
        return manifest
    value = merged(stored.value, _last(stored), manifest.value)
    return Field(replace(manifest.document, value=value), value)


def _last(stored: Field) -> object:
    """Return what was applied last: the annotation of kubectl, or the object itself if it was never stored."""
    if not stored["metadata"]["uid"].text():
        return stored.value
    text = stored["metadata"]["annotations"][LAST_APPLIED].text()
    try:
        return json.loads(text) if text else None
    except ValueError:
        raise stored["metadata"]["annotations"][LAST_APPLIED].error("expected JSON") from None


def _scaled(name: Identity, there: Mapping[Identity, Field], number: int) -> Field:
    """Return the workload with this many replicas. Raises: InputError."""
    if name not in there:
        near = nearest_three(
            "/".join((name[1], *name[::2])),
            ["/".join((each[1], each[0].lower(), each[2])) for each in there if each[0] in SCALED],
        )
        missing = f"no such workload is in the manifests or the cluster{near}"
        raise InputError(missing, path=parameter("replicas"), value=called(*name))
    return _with(there[name], ("spec", "replicas"), number)


def _with(field: Field, path: Sequence[str], value: object) -> Field:
    """Return a copy of the object with another value at this path."""

    def changed(there: object, rest: Sequence[str]) -> object:
        entries = there if isinstance(there, dict) else {}
        return {**entries, rest[0]: changed(entries.get(rest[0]), rest[1:])} if rest else value

    made = changed(field.value, path)
    return Field(replace(field.document, value=made), made)


def _autoscaled(found: Iterable[tuple[Identity | None, Field]]) -> Iterator[tuple[Identity, Autoscaler]]:
    """Yield the workloads that autoscalers scale, with these."""
    for _, field in found:
        if field["kind"].text() == AUTOSCALER:
            target, metadata = field["spec"]["scaleTargetRef"], field["metadata"]
            space = metadata["namespace"].text() or "default"
            kind = "Deployment" if target["kind"].text() == OPENSHIFT else target["kind"].text()
            spec = field["spec"]
            least = spec["minReplicas"].integer(0) if spec["minReplicas"] else 1
            most = spec["maxReplicas"].integer(0) if spec["maxReplicas"] else None
            yield (kind, space, target["name"].text()), Autoscaler(metadata["name"].text(), least, most)
