"""The effective affinity of a pod: spec.affinity and, for parts that it lacks, the affinity annotation."""

from schedcheck.spec.objects import Pod
from schedcheck.spec.terms import Affinity


def affinity(pod: Pod) -> Affinity:
    """Return the effective affinity of `pod`: node affinity, pod affinity and anti-affinity, each from one place.

    Kubernetes 1.6: ReconcileAffinity in plugin/pkg/scheduler/schedulercache, with the feature AffinityInAnnotations.
    Differs: 1.2 to 1.5 have no such field and read the annotation alone.
    """
    given, annotated = pod.affinity, pod.annotated_affinity
    nodes = given if given.node_terms else annotated
    near = given if given.pod_required or given.pod_preferred else annotated
    apart = given if given.anti_required or given.anti_preferred else annotated
    return Affinity(
        node_required=nodes.node_required,
        node_preferred=nodes.node_preferred,
        pod_required=near.pod_required,
        pod_preferred=near.pod_preferred,
        anti_required=apart.anti_required,
        anti_preferred=apart.anti_preferred,
    )
