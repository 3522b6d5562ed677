"""On random clusters every possible reply is judged as the definitions say, by brute force."""

from collections import Counter
from collections.abc import Iterator
from itertools import chain, combinations

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from schedcheck.checker.foreign.variants import variants
from schedcheck.checker.judging import judge as module
from schedcheck.checker.judging.judge import judge
from schedcheck.checker.judging.reply import Reply
from schedcheck.spec.binding import completed
from schedcheck.spec.classic.policy import DEFAULT
from schedcheck.spec.decisions import Bind, Decision, Nominate, Preempt, Wait
from schedcheck.spec.kubernetes.departures import ALL_DEPARTURES
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.profiles import CORRECTED, Profile, classic, kubernetes
from schedcheck.testing import asked

PROFILES = {
    "kubernetes": kubernetes("kubernetes", (DEFAULT_PLUGINS.departing(ALL_DEPARTURES),)),
    "corrected": CORRECTED,
    "classic": classic(DEFAULT),
}
KINDS = {"resources", "taints", "affinity", "ports", "preemption", "priorities", "budgets"}
MOST_PODS = 4
"""The most pods on a node of which every subset is tried as victims."""


def subsets(pods: tuple[Pod, ...]) -> Iterator[frozenset[Pod]]:
    return map(frozenset, chain.from_iterable(combinations(pods, n) for n in range(len(pods) + 1)))


def replies(snapshot: Snapshot) -> Iterator[tuple[Reply, Decision | None]]:
    """Every reply that names one node, with the decision that it is but for its pod; None for a wait."""
    for node in snapshot.nodes:
        yield Reply("bind", node.name), Bind(snapshot.pods[0], node)
        for victims in subsets(tuple(snapshot.pods_by_node.get(node.name, ()))[:MOST_PODS]):
            keys = frozenset(each.key for each in victims)
            yield Reply("nominate", node.name, keys), Nominate(snapshot.pods[0], node, victims)
    yield Reply("unschedulable"), None


def best(reply: Reply, decisions: frozenset[Decision]) -> bool:
    """Whether the reply is one of the decisions, compared by their parts."""
    for each in decisions:
        if isinstance(each, Bind) and (reply.kind, reply.node) == ("bind", each.node.name):
            return True
        if isinstance(each, Wait) and reply.kind == "unschedulable":
            return True
        if isinstance(each, Nominate | Preempt) and (reply.kind, reply.node, reply.victims) == (
            "nominate", each.node.name, frozenset(victim.key for victim in each.victims),
        ):  # fmt: skip
            return True
    return False


def modest(reply: Reply, pod: Pod, snapshot: Snapshot, profile: Profile, decisions: frozenset[Decision]) -> bool:
    """Whether the reply is a feasible one: by feasibility alone, unless the specification decides so anyway."""
    if best(reply, decisions):
        return True
    feasible = [node for node in snapshot.nodes if profile.feasibility(pod, node, snapshot)]
    preempts = any(isinstance(each, Nominate | Preempt) for each in decisions)
    if reply.kind == "bind":
        return reply.node in {node.name for node in feasible}
    if feasible or reply.kind == "unschedulable" or not preempts:
        return False
    victims = frozenset(each for each in snapshot.pods if each.key in (reply.victims or ()))
    node = next(each for each in snapshot.nodes if each.name == reply.node)
    lower = all(each.priority < pod.priority for each in victims)
    return lower and profile.feasibility(pod, node, snapshot - victims)


def compared(pod: Pod, snapshot: Snapshot, profile: Profile, counts: Counter[str]) -> None:
    """Assert that every reply is judged as brute force says."""
    decisions = profile.decision(pod, snapshot, profile)
    for reply, _ in replies(snapshot):
        strict = judge(pod, snapshot, profile, reply)
        loose = judge(pod, snapshot, profile, reply, "feasible")
        if "unknown" in (strict.verdict, loose.verdict):
            counts["unknown"] += 1
            continue
        assert (strict.verdict == "allowed") == best(reply, decisions), (reply, strict)
        assert (loose.verdict == "allowed") == modest(reply, pod, snapshot, profile, decisions), (reply, loose)
        counts[f"{reply.kind} {strict.clause or 'allowed'}"] += 1
        counts[f"{reply.kind} {loose.clause or 'allowed'} feasible"] += 1


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", PROFILES)
def test_every_reply_is_judged_as_brute_force_says(name: str) -> None:
    profile, counts = PROFILES[name], Counter[str]()

    @settings(
        max_examples=60,
        derandomize=True,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(asked(KINDS))
    def judged(question: tuple[Pod, Snapshot]) -> None:
        # The questions about full nodes are those in which victims must be chosen.
        for pod, there in variants(question, KINDS):
            ended = frozenset(each for each in there.pods if completed(each) and each != pod)
            if pod in profile.turn(there - ended, profile):
                compared(pod, there - ended, profile, counts)

    judged()
    assert counts["bind filters"] > 20 and counts["bind allowed"] > 20, counts
    assert counts["nominate allowed feasible"] > counts["nominate allowed"], counts
    assert counts["unschedulable allowed"] > 5, counts


def test_a_judge_that_forgets_a_clause_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "jeopardy", lambda *_: frozenset())
    monkeypatch.setattr(module, "_wait", lambda view: iter(()))
    with pytest.raises(AssertionError):
        test_every_reply_is_judged_as_brute_force_says("kubernetes")
