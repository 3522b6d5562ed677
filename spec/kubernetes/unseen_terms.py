"""The terms of an assumed pod that InterPodAffinity overlooks in 1.36: `with_terms_of`.

Kubernetes 1.36: AssumePod in pkg/scheduler/backend/cache/snapshot.go.
"""

from collections.abc import Sequence
from dataclasses import replace

from schedcheck.spec.objects import Pod
from schedcheck.spec.terms import Affinity


def with_terms_of(assumed: Pod, pod: Pod, beside: Sequence[Pod]) -> Pod:
    r"""Return the assumed pod without the terms that are overlooked for `pod`; `beside` were on its node before.

    A pod with preferences of its own looks at all nodes when they are scored.

    TLA+: WithTermsOf(Assumed_, Pod, Beside) ==
            LET Affinities == {Other.Spec.Affinity : Other \in Beside}
                Averse == \E Each \in Affinities : Each.PodAntiAffinity.Required # {}
                Rated == \/ Prefers(Pod.Spec.Affinity)
                         \/ Averse
                         \/ \E Each \in Affinities : Prefers(Each) \/ Each.PodAffinity.Required # {}
            IN [Assumed_ EXCEPT
                  !.Spec.Affinity.PodAntiAffinity.Required = IF Averse THEN @ ELSE {},
                  !.Spec.Affinity.PodAntiAffinity.Preferred = IF Rated THEN @ ELSE <<>>,
                  !.Spec.Affinity.PodAffinity = IF Rated THEN @ ELSE [Required |-> {}, Preferred |-> <<>>]]
    """
    averse = any(each.affinity.anti_required for each in beside)
    scored = prefers(pod.affinity) or any(each.affinity.pod_terms for each in beside)
    seen = assumed.affinity if averse else replace(assumed.affinity, anti_required=())
    return replace(
        assumed,
        affinity=seen if scored else replace(seen, pod_required=(), pod_preferred=(), anti_preferred=()),
    )  # fmt: skip


def prefers(affinity: Affinity) -> bool:
    r"""Whether a pod prefers to be near other pods, or apart from them.

    TLA+: Prefers(Affinity) == Affinity.PodAffinity.Preferred # <<>> \/ Affinity.PodAntiAffinity.Preferred # <<>>
    """
    return affinity.pod_preferred != () or affinity.anti_preferred != ()
