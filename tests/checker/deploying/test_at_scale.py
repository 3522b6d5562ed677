"""Behaviours that the production scheduler decides are behaviours of the specification, up to their end"""

from dataclasses import replace

import pytest

from schedcheck.checker.deploying import at_scale
from schedcheck.checker.deploying.at_scale import Behaviour, NotAllowed, ended, follows
from schedcheck.checker.deploying.question import Deploying
from schedcheck.checker.limits.clock import Clock
from schedcheck.model.controllers import Start
from schedcheck.model.profiles import profile_of
from schedcheck.model.reference import Reference
from schedcheck.spec.kubernetes.node_info import host_ports
from schedcheck.spec.objects import Snapshot
from tests.checker.deploying.test_deployed import KNOWN, added, drawn, form, hosts, rolling


def standing(cluster: Snapshot) -> dict[tuple[str, str], tuple[str, bool, str]]:
    """The node of each pod, whether it is deleted, and its nomination."""
    return {pod.key: (pod.node_name, pod.terminating, pod.nominated_node_name) for pod in cluster.pods}


def replayed(question: Deploying, made: Behaviour) -> None:
    """Take the actions in the machine of the specification; each state is that of the trail, the last one an end.

    The kubelet's start of pods that nothing depends on is left out of the behaviour.
    """
    machine = Reference(question.scenario, profile_of(question.scenario))
    machine.eager = False
    (state,) = machine.initial_states()
    (first, cluster), *trail = made.trail()
    assert first is None and standing(cluster) == standing(machine.view(state))
    for text, (action, cluster) in zip(made.actions, trail, strict=True):
        assert str(action) == text
        reached = [after for action, after in machine.steps(state) if str(action) == text]
        assert reached, (text, made.actions)
        state = reached[0]
        assert standing(cluster) == standing(machine.view(state)), (text, made.actions)
    while started := [after for action, after in machine.steps(state) if isinstance(action, Start)]:
        state = started[0]
    assert not [str(action) for action, after in machine.steps(state) if after != state]
    there = {pod.key: pod.node_name for pod in machine.view(state).pods}
    assert there == {pod.key: pod.node_name for pod in made.pods.values()}


def possible(question: Deploying) -> bool:
    """Whether no two pods on a node have one host port: kube-scheduler frees the port when one of them goes."""
    used = [(pod.node_name, port) for pod in question.scenario.pods if pod.node_name for port in host_ports(pod)]
    return len(used) == len(set(used))


@pytest.mark.medium
def test_random_behaviours_are_behaviours_of_the_specification() -> None:
    ends, evictions = 0, 0
    for seed, question in ((seed, drawn(seed)) for seed in range(170)):
        if not possible(question):
            continue
        assert follows(question)
        made = ended(question, seed, Clock(None), 500)
        assert made is not None, seed
        replayed(question, made)
        ends += 1
        evictions += any(each.startswith("EvictVictim") for each in made.actions)
    assert ends >= 150 and evictions >= 10


@pytest.mark.parametrize("name", KNOWN)
def test_known_updates_end_as_they_do_in_small_clusters(name: str) -> None:
    stuck, repaired = (make() for make in KNOWN[name])
    for question, completes in ((stuck, False), (repaired, True)):
        made = ended(question, 0, Clock(None), 500)
        assert made is not None
        replayed(question, made)
        pending = [pod for pod in made.pods.values() if not pod.node_name]
        assert (not pending) == completes


def test_other_profiles_are_not_followed_by_the_production_scheduler() -> None:
    question = rolling(1, hosts(1), 0, 1)
    assert follows(question)
    documented = replace(question.scenario, profile="kubernetes-documented")
    assert not follows(replace(question, scenario=documented))


def test_a_placement_that_the_specification_forbids_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    class Deceived(at_scale.Behaviour):
        def _judge(self, pod: object, node: str, before: object) -> None:
            super()._judge(pod, "n1" if node == "n0" else "n0", before)  # type: ignore[arg-type]

    monkeypatch.setattr(at_scale, "Behaviour", Deceived)
    nodes = [*hosts(1, cpu=4), *hosts(2, cpu=1)[1:]]
    with pytest.raises(NotAllowed):
        ended(added([form(cpu=2)], nodes), 0, Clock(None), 500)
