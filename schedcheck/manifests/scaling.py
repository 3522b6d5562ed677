"""A workload that a timeline scales: `scaled`."""

from collections.abc import Sequence
from dataclasses import replace

from schedcheck.manifests.admission import admitted
from schedcheck.manifests.arriving import Arriving, grace
from schedcheck.manifests.fields import Field, nearest
from schedcheck.manifests.objects import Cluster
from schedcheck.manifests.workloads import MOST_REPLICAS, Workload, one_of
from schedcheck.model.simulation.timeline import OwnerKey, Scale, Traits
from schedcheck.spec.owners import served_kind

SCALED = ("Deployment", "ReplicaSet", "StatefulSet", "ReplicationController")


def scaled(field: Field, cluster: Cluster, earlier: Sequence[Arriving]) -> Scale:
    """Return the event. Raises: InputError for a workload that neither the cluster nor an earlier arrival has."""
    named = field["workload"]
    named.only("kind", "name", "namespace")
    kind = named["kind"].one_of(SCALED, SCALED[0])
    wanted = (named["namespace"].text() or "default", kind, named["name"].required("the name of a workload"))
    if not field["replicas"]:
        raise field["replicas"].error("expected the number of replicas")
    replicas = field["replicas"].integer(0, MOST_REPLICAS)
    workloads = [*cluster.workloads, *(each.workload for each in earlier if each.workload is not None)]
    found = _making(wanted, workloads)
    if found is None:
        names = {each.name for each in workloads if (each.namespace, each.kind) == wanted[:2]}
        raise named["name"].error(f"no {kind} of this namespace has this name{nearest(wanted[2], names)}")
    entry = one_of(found)
    form = admitted(entry, cluster.admits).pod
    traits = Traits(str(replace(found, kind=kind, name=wanted[2])), grace(entry))
    return Scale((found.namespace, *found.maker), replicas, replace(form, name=f"{found.name}-0"), traits)


def _making(wanted: OwnerKey, workloads: Sequence[Workload]) -> Workload | None:
    """Return the workload that makes the pods: for a Deployment its ReplicaSet with the most replicas, if it has one."""
    below = [
        each
        for each in workloads
        if (each.namespace, served_kind(each.owner[0]), each.owner[1]) == wanted and each.kind == "ReplicaSet"
    ]
    if below:
        return max(below, key=lambda each: (each.replicas, each.name))
    return next((each for each in workloads if each.key == wanted), None)
