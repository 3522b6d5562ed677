"""The plugin DefaultEvictor: which pods the descheduler may evict. `evictable`, `admitted`, `filtered`, `pre_evictable`.

descheduler 0.36: pkg/framework/plugins/defaultevictor/defaultevictor.go and constraints.go.

Not modelled: minPodAge, which the reader of the policy refuses; evictions in the background.
"""

from schedcheck.model.controllers.descheduler.node_fit import fits_another
from schedcheck.model.controllers.descheduler.view import View
from schedcheck.model.descheduling import (
    SYSTEM_CRITICAL,
    Evictor,
    InterPodAntiAffinity,
    Run,
    TopologySpread,
    Utilization,
)
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Pod
from schedcheck.spec.selectors import selects
from schedcheck.spec.storage import ClaimSource


def evictable(pod: Pod, evictor: Evictor, view: View) -> bool:
    """Whether the evictor admits `pod` at both of its extension points."""
    return filtered(pod, evictor, view) and pre_evictable(pod, evictor, view)


def judged_late(run: Run) -> bool:
    """Whether the evictor judges each pod of a run when it comes to it, and may judge otherwise than at the beginning."""
    late = isinstance(run.arguments, InterPodAntiAffinity | TopologySpread | Utilization)
    return late and (run.evictor.node_fit or run.evictor.min_replicas > 1)


def at_first(pod: Pod, run: Run, view: View) -> bool:
    """Whether the evictor admits a pod at the beginning of a run. What it judges late does not count."""
    if not judged_late(run):
        return evictable(pod, run.evictor, view)
    return not isinstance(run.arguments, Utilization) or filtered(pod, run.evictor, view)


def admitted(pod: Pod, run: Run, view: View) -> bool:
    """Whether the evictor admits a pod of a run when it comes to it. Of Utilization it has judged the rest before.

    descheduler 0.36: Deschedule in pod_antiaffinity.go, Balance in topologyspreadconstraint.go, evictPods in nodeutilization.go.
    """
    if not judged_late(run):
        return True
    judge = pre_evictable if isinstance(run.arguments, Utilization) else evictable
    return judge(pod, run.evictor, view)


def filtered(pod: Pod, evictor: Evictor, view: View) -> bool:
    """Whether `pod` passes the extension point Filter. The annotation `evict` outweighs everything else.

    descheduler 0.36: defaultevictor.go, Filter.
    """
    facts = view.descheduler.of(pod)
    if facts.evict:
        return True
    return not (
        (evictor.no_eviction_mandatory and facts.prefers_no_eviction)
        or facts.mirror
        or facts.static
        or pod.terminating
        or protected(pod, evictor, view)
        or too_few(pod, evictor, view)
        or (evictor.label_selector is not None and not selects(evictor.label_selector, pod.labels, NO_FAULTS))
    )


def protected(pod: Pod, evictor: Evictor, view: View) -> bool:
    """Whether a protection of the evictor applies to `pod`.

    The priority threshold belongs to the protection of critical pods: without that, no priority protects a pod.
    PodsWithoutPDB protects every pod: the list of budgets stays empty, as its informer is asked for when the others run.

    descheduler 0.36: defaultevictor.go, applyEffectivePodProtections.
    """
    facts, on = view.descheduler.of(pod), evictor.protections
    kinds = [kind for kind, _, _ in facts.owners]
    bare = not kinds and (pod.phase != "Failed" or "FailedBarePods" in on)
    return (
        bare
        or ("SystemCriticalPods" in on and pod.priority >= min(evictor.threshold, SYSTEM_CRITICAL))
        or ("PodsWithLocalStorage" in on and facts.local_storage)
        or ("DaemonSetPods" in on and "DaemonSet" in kinds)
        or ("PodsWithPVC" in on and _claims_protect(pod, evictor, view))
        or "PodsWithoutPDB" in on
        or ("PodsWithResourceClaims" in on and bool(pod.resource_claims))
    )


def _claims_protect(pod: Pod, evictor: Evictor, view: View) -> bool:
    """Whether the PersistentVolumeClaims of `pod` protect it: any, or those of the protected classes.

    A claim that does not exist, or has no class, protects its pod as well.
    """
    names = [each.source.claim_name for each in pod.volumes if isinstance(each.source, ClaimSource)]
    if not evictor.protected_classes:
        return bool(names)
    claims = {claim.key: claim for claim in view.snapshot.storage.claims}
    found = [claims.get((pod.namespace, name)) for name in names]
    return any(
        each is None or not each.storage_class or each.storage_class in evictor.protected_classes for each in found
    )


def too_few(pod: Pod, evictor: Evictor, view: View) -> bool:
    """Whether the one owner of `pod` has fewer pods than minReplicas, which counts from 2 on.

    descheduler 0.36: constraints.go, evictionConstraintsForMinReplicas.
    """
    one_owner = len(view.descheduler.of(pod).owners) == 1
    return evictor.min_replicas > 1 and one_owner and view.replicas(pod) < evictor.min_replicas


def pre_evictable(pod: Pod, evictor: Evictor, view: View) -> bool:
    """Whether `pod` passes the extension point PreEvictionFilter: nodeFit, and the labels of its namespace.

    descheduler 0.36: defaultevictor.go, PreEvictionFilter.
    """
    if evictor.node_fit and not fits_another(pod, view.ready(evictor.node_selector), view):
        return False
    selector = evictor.namespace_selector
    if selector is None or selector == type(selector)():
        return True
    return any(
        each.name == pod.namespace and selects(selector, each.labels, NO_FAULTS) for each in view.snapshot.namespaces
    )
