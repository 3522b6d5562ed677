"""Data derived from a pod alone: here the weights of its preferred terms"""

from dataclasses import replace

from schedcheck.model.production.snapshot.pod_info import PodInfo
from tests.support.building import pod, preferring, term


def test_anti_affinity_preferences_count_with_negative_weight() -> None:
    affinity = replace(
        preferring(5, term("zone")), anti_preferred=preferring(3, term("rack"), anti=True).anti_preferred
    )  # fmt: skip
    found = [(each.topology_key, weight) for each, weight in PodInfo(pod(affinity=affinity)).preferred]
    assert found == [("zone", 5), ("rack", -3)]
