"""The form of a workload's pods, or of the pod in a file of its own, as the API server would store it: `Form`."""

from dataclasses import dataclass, replace
from pathlib import Path

from schedcheck.errors import InputError
from schedcheck.manifests.admission import Admission, admitted
from schedcheck.manifests.documents import documents
from schedcheck.manifests.identities import distinct
from schedcheck.manifests.names import called
from schedcheck.manifests.pods import Entry, pod
from schedcheck.manifests.workloads import KINDS, Workload, one_of, workload
from schedcheck.spec.objects import Pod

DAEMONS = "DaemonSet"


@dataclass(frozen=True)
class Form:
    """A pod that others are like, and the name of the pod or workload that it is of, as commands take it."""

    pod: Pod
    of: str


def form_of(made_by: Workload, by: Admission) -> Form:
    """Return the form of the workload's pods."""
    return Form(admitted(one_of(made_by), by).pod, called(made_by.kind, made_by.namespace, made_by.name))


def form_in(path: str | Path, namespace: str | None, by: Admission) -> Form:
    """Return the form of the pod, or of the workload's pods, that is alone in a file; in `namespace` if it names none.

    Raises: InputError for another number of them, for another namespace, and for a DaemonSet, whose pods belong to one
    node each.
    """
    kinds, _ = distinct(documents([path]), [])
    found = [(kind, field) for kind in ("Pod", *KINDS) for field in kinds[kind]]
    if len(found) != 1:
        raise InputError(f"expected a single pod or workload; there are {len(found)}", file=str(path))
    kind, field = found[0]
    own = field["metadata"]["namespace"]
    if own.text() and namespace not in (None, own.text()):
        raise own.error(f"expected the namespace {namespace}, or none")
    there = own.text() or namespace or "default"
    if kind == DAEMONS:
        raise field["kind"].error("expected a pod or a workload whose pods may be on any node")
    if kind != "Pod":
        return form_of(replace(workload(kind, field), namespace=there), by)
    made = replace(pod(field["metadata"], field["spec"], field["status"]), namespace=there)
    entry = Entry(made, field["spec"], field["status"])
    made = made if field["metadata"]["uid"].text() else admitted(entry, by).pod
    return Form(made, called("Pod", made.namespace, made.name))
