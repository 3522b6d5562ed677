"""A broken definition of a system in tla/ makes some step differ from the Python transition system"""

from pathlib import Path

import pytest

from tests.tla.kubernetes_broken import Broken, broken_module
from tests.tla.operators.broken_steps import CLASSIC, SURROUNDING
from tests.tla.operators.classic_cases import CASES
from tests.tla.operators.test_steps import as_exported, walked
from tests.tla.random_clusters import controlled
from tests.tla.regenerate import scenarios

LONG = 12
WALKS = {
    "a preemptor is not scheduled before its victims are evicted": ("MC_kube_preemption", 0),
    "a deleted victim is marked as preempted": ("MC_kube_preemption", 0),
    "an eviction continues when its preemptor is deleted": ("MC_kube_leaving", 1),
    "a deleted pod is no longer to be evicted": ("MC_kube_preemption", 0),
    "a pod deleted otherwise is not recreated at once": ("MC_kube_leaving", 0),
    "a terminating pod is not evicted": ("MC_kube_preemption", 0),
    "a recreated pod has no nominated node": ("MC_kube_leaving", 0),
    "with a running kubelet the kubelet ends the victims": ("MC_kube_budget", 0),
    "a pod with two budgets is not evicted": ("MC_kube_ending", 0),
    "a spent budget allows no eviction": ("MC_kube_budget", 0),
    "no budget is asked about a pod that has not started": ("controlled", 243),
    "an eviction lowers the budget at once": ("MC_kube_budget", 0),
    "a pod that has not started does not complete": ("MC_kube_ending", 0),
    "finished pods of a job are kept": ("MC_kube_ending", 0),
    "without a kubelet no pod remains terminating": ("MC_kube_nominations", 0),
    "a terminating pod is not deleted again": ("MC_kube_ending", 1),
    "a toleration with a time limit ends": ("MC_kube_lifecycle", 0),
    "a node loses its taints when it is ready again": ("MC_kube_lifecycle", 0),
    "a pod without an owner is not recreated": ("MC_kube_budget", 0),
    "an up-to-date budget status is not written": ("MC_kube_budget", 0),
    "pods on an unreachable node do not terminate": ("controlled", 6),
    "only a ready node starts a pod": ("controlled", 10),
}
"""The scenario and seed of a walk that meets the difference, by claim; `controlled` scenarios are drawn from the seed
too.
"""

ALL = scenarios()


def by_claim(broken: Broken) -> str:
    return broken.claim


@pytest.mark.sampled(5)
@pytest.mark.parametrize("broken", SURROUNDING, ids=by_claim)
def test_a_broken_definition_of_the_environment_is_detected(broken: Broken, tmp_path: Path) -> None:
    name, seed = WALKS[broken.claim]
    scenario = as_exported(controlled(seed) if name == "controlled" else ALL[name])
    for file, text in broken_module(broken).items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    with pytest.raises(AssertionError):
        walked(scenario, tmp_path, seed, LONG)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("broken", CLASSIC, ids=by_claim)
def test_a_broken_definition_of_the_classic_scheduler_is_detected(broken: Broken, tmp_path: Path) -> None:
    scenario = as_exported(CASES[broken.claim])
    walked(scenario, tmp_path, 0, 1)
    for file, text in broken_module(broken).items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    with pytest.raises(AssertionError):
        walked(scenario, tmp_path, 0, 1)
