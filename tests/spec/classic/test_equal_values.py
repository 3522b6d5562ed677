"""Equal texts that are different objects, as two manifests have them, are one value to the early scheduler"""

from schedcheck.spec.classic.filtering import nominated
from schedcheck.spec.classic.policy import Ratio, ServiceAffinity
from schedcheck.spec.classic.predicates.check_volume_binding import check_volume_binding
from schedcheck.spec.classic.predicates.match_inter_pod_affinity import same_domain
from schedcheck.spec.storage import ClaimSource, Volume
from tests.support.building import another, node, pod, snapshot


def test_a_pod_is_nominated_to_the_node_of_its_name() -> None:
    there, asked = node("node-1", 2), pod("asked", 1)
    coming = pod("coming", 1, nominated_node_name="node-1")
    assert coming.nominated_node_name is not there.name, "otherwise this tests nothing"
    elsewhere = pod("elsewhere", 1, nominated_node_name="node-2")
    assert nominated(asked, there, snapshot(asked, coming, elsewhere, there)) == {coming}


def test_nodes_with_one_value_are_in_one_domain() -> None:
    one, two, other = (
        node(name, labels={"zone": another(zone)}) for name, zone in zip("abc", ("za", "za", "zb"), strict=True)
    )
    assert one.labels["zone"] is not two.labels["zone"], "otherwise this tests nothing"
    assert same_domain("zone", one, two) and not same_domain("zone", one, other)
    assert not same_domain("rack", one, two)


def test_equal_arguments_of_a_policy_are_one() -> None:
    assert len({Ratio(((0, 0), (100, 10))), Ratio(((0, 0), (100, 10))), Ratio(((0, 10), (100, 0)))}) == 2
    assert len({ServiceAffinity("a", ("zone",)), ServiceAffinity("a", ("zone",)), ServiceAffinity("a", ())}) == 2


def test_a_pod_without_volumes_fits_and_one_without_its_claim_does_not() -> None:
    there, plain = node("node-1", 2), pod("plain", 1)
    assert check_volume_binding(plain, there, snapshot(plain, there))
    stuck = pod("stuck", 1, volumes=(Volume("v", ClaimSource("gone")),))
    assert not check_volume_binding(stuck, there, snapshot(stuck, there))
