"""The pods that arrive in a simulation, from a Pod or a workload in the timeline or in a file: `arriving`, `traits`."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from frozendict import frozendict

from schedcheck.errors import InputError
from schedcheck.manifests.admission import admitted
from schedcheck.manifests.documents import Document, documents
from schedcheck.manifests.durations import duration
from schedcheck.manifests.fields import Field
from schedcheck.manifests.identities import distinct
from schedcheck.manifests.objects import Cluster
from schedcheck.manifests.pods import Entry, pod
from schedcheck.manifests.workloads import KINDS, MOST_REPLICAS, Workload, made, workload
from schedcheck.model.simulation.delays import GRACE
from schedcheck.model.simulation.timeline import Arrive, Key, Traits
from schedcheck.spec.objects import Pod
from schedcheck.spec.owners import served_kind

DAEMONS = "DaemonSet"
COMPLETING = ("Pod", "Job", "CronJob")
SECOND = 10**9


@dataclass(frozen=True)
class Arriving:
    """An arrival, and the workload that arrives; None for single pods."""

    event: Arrive
    workload: Workload | None


def arriving(field: Field, cluster: Cluster, folder: Path, earlier: Sequence[Arriving]) -> Arriving:
    """Return the arrival that an event describes. Raises: InputError also for a workload that there is already."""
    if bool(field["manifest"]) == bool(field["file"]):
        raise field.error("expected either manifest or file")
    if field["file"]:
        path = folder / field["file"].required("the path of a file")
        return _arriving(field, documents([path]), str(path), cluster, earlier)
    own = field.document
    inline = Document(own.file, own.number, field["manifest"].value)
    try:
        return _arriving(field, [inline], own.file, cluster, earlier)
    except InputError as error:
        if error.path.startswith(field.path()):
            raise
        path_there = ".".join(part for part in (field["manifest"].path(), error.path) if part)
        raise InputError(error.told, file=own.file, document=own.number, path=path_there) from None


def _arriving(
    field: Field, found: Iterable[Document], file: str, cluster: Cluster, earlier: Sequence[Arriving]
) -> Arriving:  # fmt: skip
    kinds, unread = distinct(found, [])
    objects = [(kind, each) for kind in kinds for each in kinds[kind]]
    others = sorted({*unread, *(kind for kind, _ in objects)} - {"Pod", *KINDS})
    if len(objects) != 1 or others:
        known = f"there is a {others[0]}" if others else f"there are {len(objects)}"
        raise InputError(f"expected a single Pod or workload; {known}", file=file)
    kind, manifest = objects[0]
    if kind == DAEMONS:
        raise manifest["kind"].error("expected a Pod, or a workload whose pods may be on any node")
    runs = _runs(field["runs"], kind)
    replicas = field["replicas"].integer(1, MOST_REPLICAS) if field["replicas"] else None
    if kind == "Pod":
        return Arriving(_pods(manifest, cluster, replicas or 1, runs), None)
    made_by = workload(kind, manifest)
    there = {each.key for each in cluster.workloads} | {each.workload.key for each in earlier if each.workload}
    if made_by.key in there:
        raise manifest["metadata"]["name"].error("there is a workload of this kind and name already")
    if replicas is not None:
        made_by = replace(made_by, replicas=replicas)
    entries, _ = made([made_by], [], [])
    pods = tuple(admitted(entry, cluster.admits).pod for entry in entries)
    if not pods:
        raise manifest["kind"].error("expected a workload that makes pods")
    return Arriving(Arrive(pods, Traits(str(made_by), grace(entries[0]), runs)), made_by)


def _pods(manifest: Field, cluster: Cluster, number: int, runs: float | None) -> Arrive:
    """Return copies of a pod; if there are several, their names are numbered."""
    spec = manifest["spec"]
    one = Entry(pod(manifest["metadata"], spec, Field(manifest.document, None, manifest, "status")), spec, spec)
    form = replace(admitted(one, cluster.admits).pod, terminating=False)
    names = [form.name] if number == 1 else [f"{form.name}-{each}" for each in range(number)]
    return Arrive(tuple(replace(form, name=name) for name in names), Traits(f"Pod {form}", grace(one), runs))


def _runs(field: Field, kind: str) -> float | None:
    if not field:
        return None
    if kind not in COMPLETING:
        raise field.error(f"belongs to a Pod or a Job; the pods of a {kind} do not complete")
    found = duration(field)
    if found < 0:
        raise field.error("expected a duration that is not negative")
    return found / SECOND


def grace(entry: Entry) -> float:
    """Return the terminationGracePeriodSeconds of a pod."""
    given = entry.grace()
    return GRACE if given is None else float(given)


def traits(cluster: Cluster) -> Mapping[Key, Traits]:
    """Return the traits of the cluster's pods: the workload that each belongs to, and its grace period."""
    names: dict[tuple[str, str, str], str] = {}
    for each in cluster.workloads:
        kind, name = each.owner
        above = replace(each, kind=served_kind(kind), name=name) if kind else each
        names[each.key] = names[each.namespace, *each.maker] = str(above)
    return frozendict(
        {
            each.key: Traits(
                _of(each, names),
                float(cluster.grace.get(each.key, GRACE)),
                cost=cluster.deletion_costs.get(each.key, 0),
                ready=each.key not in cluster.unready,
            )
            for each in cluster.pods
        }
    )


def _of(pod: Pod, names: Mapping[tuple[str, str, str], str]) -> str:
    kind, name = pod.owner
    return names.get((pod.namespace, served_kind(kind), name), "")
