"""Random small workloads that an event changes, beside few other events: `drawn`"""

from dataclasses import replace
from random import Random

from schedcheck.model.scenario import Rule, Scenario
from tests.checker.deploying import test_deployed
from tests.checker.test_revisions import revised

OF_PODS = ("delete", "evict", "complete", "arrive")
OF_NODES = ("unreachable", "ready", "fail", "cordon")


def drawn(seed: int) -> Scenario:
    """A workload of `deploy` that an event changes; in half of the cases one other event may happen, to its pods or a node."""
    random = Random(seed)
    asked = test_deployed.drawn(seed).scenario
    return replace(
        revised(asked, *_others(random, asked), waits=random.random() < 0.3), properties=("type_correct",)
    )  # fmt: skip


def _others(random: Random, asked: Scenario) -> tuple[Rule, ...]:
    if random.random() < 0.5:
        return ()
    if random.random() < 0.6:
        (rollout,) = asked.rollouts
        return (Rule(random.choice(OF_PODS), pods=tuple(sorted(rollout.keys)), bound=1),)
    return (Rule(random.choice(OF_NODES), nodes=(random.choice(asked.nodes).name,), bound=1),)
