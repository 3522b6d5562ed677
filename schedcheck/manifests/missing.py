"""The objects that the input lacks though its pods refer to them, and references that are not read: `missing`.

Each note is one line: the missing kind, what is assumed, and the command that supplies it.
"""

from collections.abc import Collection, Iterable, Iterator

from schedcheck.manifests.fields import Field
from schedcheck.manifests.pods import Entry
from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Pod
from schedcheck.spec.terms import LabelSelector

SUPPLIES = {
    "Node": "kubectl get nodes -o json > nodes.json",
    "Namespace": "kubectl get namespaces -o json > namespaces.json",
    "RuntimeClass": "kubectl get runtimeclasses -o json > runtimeclasses.json",
    "PersistentVolumeClaim": "kubectl get pvc,pv,storageclasses -A -o json > volumes.json",
    "ResourceClaim": "kubectl get resourceclaims,resourceclaimtemplates,resourceslices,deviceclasses -A -o json > devices.json",
    "DeviceClass": "kubectl get deviceclasses -o json > deviceclasses.json",
    "ResourceSlice": "kubectl get resourceslices -o json > resourceslices.json",
    "PodDisruptionBudget": "kubectl get poddisruptionbudgets -A -o json > budgets.json",
}
"""The command that supplies each kind that may be missing."""

ASSUMED = {
    "Node": "there is none, so no pod can be bound",
    "Namespace": "none has a label",
    "RuntimeClass": "a runtime has no overhead and runs on every node",
    "PersistentVolumeClaim": "a volume fits every node or, under the profile kubernetes, does not exist",
    "ResourceClaim": "a claim can be met on every node, except under the profile kubernetes, where it is unknown",
    "DeviceClass": "a claim can be met on every node, except under the profile kubernetes, where it is unknown",
    "ResourceSlice": "a claim can be met on every node, except under the profile kubernetes, where it is unknown",
    "PodDisruptionBudget": "there is none, so any pod may be evicted",
}
"""The assumption made for each missing kind."""


def missing(entries: Iterable[Entry], kinds: Collection[str], scenario: Field | None) -> tuple[str, ...]:
    """Return a note for each kind of object that a pod or a property refers to, and that is none of `kinds`."""
    entries, referring = list(entries), dict[str, list[Pod]]()
    for entry in entries:
        for kind in _referred(entry, kinds):
            if kind not in kinds:
                referring.setdefault(kind, []).append(entry.pod)
    notes = [lacking(kind, named(referring[kind])) for kind in SUPPLIES if kind in referring]
    asked = scenario["spec"]["properties"].texts() if scenario else ()
    if "PodDisruptionBudget" not in kinds and any("budget" in name for name in asked):
        notes.append(lacking("PodDisruptionBudget", "the scenario's properties"))
    return tuple(notes)


def lacking(kind: str, referring: str) -> str:
    """Return the note that the input lacks objects of this kind, which `referring` need."""
    plural = f"{kind}es" if kind.endswith("s") else f"{kind}s"
    return f"no {plural}, which {referring} need: assumed that {ASSUMED[kind]}; to supply them: {SUPPLIES[kind]}"


def named(pods: list[Pod]) -> str:
    """Return pods as a note names them: their number, and the first of them."""
    first = ", ".join(sorted(map(str, pods))[:3])
    return f"{len(pods)} pods ({first}{', …' if len(pods) > 3 else ''})" if len(pods) > 1 else f"pods ({first})"


def _referred(entry: Entry, kinds: Collection[str]) -> Iterator[str]:
    """Yield the kinds of object that matter for scheduling the pod, or other pods near it."""
    pod, spec = entry.pod, entry.spec
    if completed(pod):
        return
    if _selects_namespaces(pod):
        yield "Namespace"
    if not entry.live and spec["runtimeClassName"].text():
        yield "RuntimeClass"
    if pod.node_name:
        return
    yield "Node"
    if any(volume["persistentVolumeClaim"] or volume["ephemeral"] for volume in spec["volumes"].items()):
        yield "PersistentVolumeClaim"
    if spec["resourceClaims"].items():
        yield from ("DeviceClass", "ResourceSlice") if "ResourceClaim" in kinds else ("ResourceClaim",)


def _selects_namespaces(pod: Pod) -> bool:
    """Whether a term of the pod selects namespaces by their labels."""
    return any(term.namespace_selector not in (None, LabelSelector()) for term in pod.affinity.pod_terms)
