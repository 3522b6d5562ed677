"""The claim of an ephemeral volume is the pod's own, by the uid of its owner"""

import pytest

from schedcheck.model.production.snapshot.claims import not_made_for
from schedcheck.spec.storage import ClaimSource, Ephemeral, PersistentVolumeClaim, Volume
from tests.support.building import pod

EPHEMERAL = Volume("scratch", Ephemeral("uid-of-p"))
NAMED = Volume("scratch", ClaimSource("p-scratch"))
OTHERS = "PVC default/p-scratch was not created for pod default/p (pod is not owner)"


@pytest.mark.parametrize(
    ("volume", "owner", "why"),
    [
        (EPHEMERAL, "uid-of-p", ""),
        (EPHEMERAL, "uid-of-another", OTHERS),
        (EPHEMERAL, None, OTHERS),
        (NAMED, "uid-of-another", ""),
    ],
)
def test_a_claim_of_another_pod_is_refused_for_an_ephemeral_volume_alone(
    volume: Volume, owner: str | None, why: str
) -> None:
    claim = PersistentVolumeClaim("p-scratch", owner_uid=owner)
    assert not_made_for(pod("p"), volume, claim) == why
