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
    "a preemptor is not taken up before its victims are evicted": ("MC_kube_preemption", 0),
    "a victim is known as one": ("MC_kube_preemption", 0),
    "an eviction goes on without its preemptor": ("MC_kube_leaving", 1),
    "who is gone is not to be evicted": ("MC_kube_preemption", 0),
    "who is deleted otherwise is not made anew at once": ("MC_kube_leaving", 0),
    "who is deleted already is not evicted": ("MC_kube_preemption", 0),
    "who is made anew is nominated nowhere": ("MC_kube_leaving", 0),
    "where the kubelet runs it ends the victims": ("MC_kube_budget", 0),
    "two budgets allow nothing": ("MC_kube_ending", 0),
    "a spent budget allows nothing": ("MC_kube_budget", 0),
    "an eviction is counted at once": ("MC_kube_budget", 0),
    "what was not started does not end": ("MC_kube_ending", 0),
    "the pods of a job are kept": ("MC_kube_ending", 0),
    "without a kubelet nobody lingers": ("MC_kube_nominations", 0),
    "nobody is deleted twice": ("MC_kube_ending", 1),
    "what is borne for some time is not borne in the end": ("MC_kube_lifecycle", 0),
    "a node that is ready again is untainted": ("MC_kube_lifecycle", 0),
    "a pod without an owner is not made anew": ("MC_kube_budget", 0),
    "a status that is up to date is not written": ("MC_kube_budget", 0),
    "on a node that is not reached nobody ends": ("controlled", 6),
    "only a ready node starts a pod": ("controlled", 10),
}
"""The scenario and seed of a walk that meets the difference, by claim; `controlled` scenarios are drawn from the
seed too.
"""

ALL = scenarios()


def by_claim(broken: Broken) -> str:
    return broken.claim


@pytest.mark.parametrize("broken", SURROUNDING, ids=by_claim)
def test_a_broken_definition_of_the_environment_is_detected(broken: Broken, tmp_path: Path) -> None:
    name, seed = WALKS[broken.claim]
    scenario = as_exported(controlled(seed) if name == "controlled" else ALL[name])
    for file, text in broken_module(broken).items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    with pytest.raises(AssertionError):
        walked(scenario, tmp_path, seed, LONG)


@pytest.mark.parametrize("broken", CLASSIC, ids=by_claim)
def test_a_broken_definition_of_the_classic_scheduler_is_detected(broken: Broken, tmp_path: Path) -> None:
    scenario = as_exported(CASES[broken.claim])
    walked(scenario, tmp_path, 0, 1)
    for file, text in broken_module(broken).items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    with pytest.raises(AssertionError):
        walked(scenario, tmp_path, 0, 1)
