"""Small scenarios with gangs or PodGroups whose modules may carry properties of behaviours: `SCENES`"""

from dataclasses import replace

from tests.support.building import pod
from tests.tla import test_gangs as gangs
from tests.tla import test_pod_groups as groups
from tests.tla.random_groups import CHOSEN

LEAVING = replace(gangs.PAIR, pods=(*gangs.PAIR.pods, pod("gone", 1, on=gangs.PAIR.nodes[0].name, terminating=True)))

REFUSED = {"a budget over a unit", "budgets over a unit in any order"}
"""The chosen scenarios with a single pod that preempts pods of PodGroups: `tla export` refuses them."""

SCENES = {
    "pair": gangs.PAIR,
    "leaving": LEAVING,
    "group": groups.PAIR,
    "large": groups.LARGE,
    "lured": groups.LURED,
    **{f"gangs {number}": each for number, each in enumerate(gangs.CASES[2:16])},
    **{f"groups {number}": each for number, each in enumerate(groups.CASES[11:20])},
    **{name: each for name, each in CHOSEN.items() if name not in REFUSED},
}
