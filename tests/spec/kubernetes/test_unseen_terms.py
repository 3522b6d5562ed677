"""Which terms of a pod assumed in the cycle of its group a later pod overlooks in 1.36

Kubernetes 1.36: AssumePod in pkg/scheduler/backend/cache/snapshot.go puts no node into the lists of nodes with such pods.
InterPodAffinity filters by the nodes with required anti-affinity, and scores by those with any term, or by all nodes if the
pod itself has preferences.
"""

from dataclasses import replace

import pytest

from schedcheck.spec.kubernetes.unseen_terms import with_terms_of
from schedcheck.spec.terms import NO_AFFINITY, Affinity
from tests.support.building import apart, near, pod, preferring, term

LIKES, AVOIDS = near(term("zone")).pod_required, apart(term("rack")).anti_required
LIKED, AVOIDED = preferring(1, term("zone")).pod_preferred, preferring(1, term("rack"), anti=True).anti_preferred
EVERY = Affinity(pod_required=LIKES, pod_preferred=LIKED, anti_required=AVOIDS, anti_preferred=AVOIDED)
SCORED = replace(EVERY, anti_required=())


@pytest.mark.parametrize(
    ("own", "beside", "seen"),
    [
        (NO_AFFINITY, (), NO_AFFINITY),
        (NO_AFFINITY, (NO_AFFINITY,), NO_AFFINITY),
        (near(term("zone")), (), NO_AFFINITY),
        (apart(term("zone")), (), NO_AFFINITY),
        (preferring(1, term("zone")), (), SCORED),
        (preferring(1, term("zone"), anti=True), (), SCORED),
        (NO_AFFINITY, (NO_AFFINITY, near(term("host"))), SCORED),
        (NO_AFFINITY, (preferring(1, term("host")),), SCORED),
        (NO_AFFINITY, (preferring(1, term("host"), anti=True),), SCORED),
        (NO_AFFINITY, (NO_AFFINITY, apart(term("host"))), EVERY),
    ],
)
def test_terms_are_overlooked_unless_another_pod_puts_the_node_into_the_list(
    own: Affinity, beside: tuple[Affinity, ...], seen: Affinity
) -> None:
    others = [pod(f"o{number}", affinity=affinity) for number, affinity in enumerate(beside)]
    assert with_terms_of(pod("a", affinity=EVERY), pod("p", affinity=own), others).affinity == seen
