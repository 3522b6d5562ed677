"""Filter 1.4: which taints reject pods"""

from schedcheck.spec.faults import NO_FAULTS, Fault, Faults
from schedcheck.spec.objects import Taint, Toleration
from schedcheck.spec.published.taints import taints, why_not_tolerated
from tests.support.building import node, pod, snapshot

TAINT = Taint("k", "NoSchedule", "v")


def admits(*effects: str, faults: Faults = NO_FAULTS) -> bool:
    at = node(taints=tuple(Taint(f"k{number}", effect) for number, effect in enumerate(effects)))
    return taints(pod(tolerations=(Toleration("k0", "Exists"),)), at, snapshot(at), faults)


def test_every_no_schedule_and_no_execute_taint_must_be_tolerated() -> None:
    assert admits()
    assert admits("NoSchedule")
    assert admits("NoExecute")
    assert not admits("NoSchedule", "NoSchedule")
    assert not admits("NoSchedule", "NoExecute")


def test_a_prefer_no_schedule_taint_rejects_only_as_printed() -> None:
    assert admits("NoSchedule", "PreferNoSchedule")
    assert not admits("NoSchedule", "PreferNoSchedule", faults=frozenset({Fault.SOFT_TAINT_FILTERS}))


def test_the_reason_names_the_untolerated_taints() -> None:
    at = node(taints=(TAINT, Taint("soft", "PreferNoSchedule"), Taint("l", "NoExecute")))
    assert why_not_tolerated(pod(), at, snapshot(at), NO_FAULTS) == "untolerated taint k=v:NoSchedule, l:NoExecute"
    assert why_not_tolerated(pod(tolerations=(Toleration(operator="Exists"),)), at, snapshot(at), NO_FAULTS) is None
