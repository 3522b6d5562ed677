"""What a cycle does to the objects and to what the scheduler knows, beyond its decision: `agree`

A cycle that nominates evicts exactly its victims, clears the nominations that it outranks, and writes its own; one that
finds a node assumes the pod there as it is, and notes no nomination of it. No other object changes.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from schedcheck.checker.differential.assumed_volumes import set_aside
from schedcheck.checker.differential.decisions import cycled, difference
from schedcheck.checker.differential.standing import drained, informed
from schedcheck.checker.drawing.volumes import Question
from schedcheck.model.production.cycle.conclusion import Conclusion
from schedcheck.model.production.cycle.delivery import Delivery
from schedcheck.model.production.cycle.scheduler import Binding, Scheduler
from schedcheck.model.production.framework.extender import Extender
from schedcheck.model.production.framework.handle import ClientError
from schedcheck.model.production.machine.api import Api
from schedcheck.spec.extenders import interested
from schedcheck.spec.nominations import outranked
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.storage import PersistentVolume, PersistentVolumeClaim
from tests.checker.differential.search.blame import agree_on_blame
from tests.support.extending import Ruled

Key = tuple[str, str]
FAILURE = "no connection"
"""What the server says to a call that fails."""


def agree(
    asked: Question, rules: Sequence[Any] = (), extenders: Sequence[Extender] = (), before: Snapshot | None = None
) -> None:
    """Fail if the cycle concludes something else than specified, or does anything else than it concludes.

    `rules` judge, and `extenders` are how the scheduler reaches them. The scheduler has seen the cluster as it was `before`, if given.
    """
    pod, there, plugins = asked
    first = before is None
    scheduler, binding = cycled(pod, there, plugins, extenders=extenders) if first else _later(asked, before or there)
    made = scheduler.concluded
    assert made is not None, f"{pod} was not tried"
    found = difference(made, there, plugins, rules)
    assert found is None, found
    _notes(scheduler, made)
    _assumes(scheduler, made, binding)
    _sets_aside(scheduler, binding, there)
    if not rules and not made.hosts and made.statuses is not None:
        agree_on_blame(scheduler, pod, there, plugins)
    scheduler.run_background()
    _writes(scheduler, expected(made, _listed(pod, there), there))
    if binding is not None and any(each.binds for each in rules):
        _binds(scheduler, binding, rules)


def _later(asked: Question, before: Snapshot) -> tuple[Scheduler, Binding | None]:
    """Run the cycle in a scheduler whose snapshot was of other nodes and pods, of which it hears the changes since."""
    pod, there, plugins = asked
    known = {each.key: each for each in (*before.pods, pod)}
    scheduler = informed(tuple(known.values()), replace(there, nodes=before.nodes), (plugins,))
    scheduler.cache.update(scheduler.handle.snapshot)
    delivery, api = Delivery(scheduler), scheduler.handle.client
    old, new = ({each.name: each for each in some.nodes} for some in (before, there))
    for name in sorted({*old, *new}):
        if old.get(name) != new.get(name):
            delivery.node(old.get(name), new.get(name))
    listed = _listed(pod, there)
    for key in sorted({*known, *listed}):
        if known.get(key) != listed.get(key):
            delivery.pod(known.get(key), listed.get(key))
    assert isinstance(api, Api)
    api.pods = dict(listed)
    drained(scheduler, pod.key)
    return scheduler, scheduler.schedule_one()


def _at_once(asked: Question, fails: Collection[Key] = ()) -> tuple[Scheduler, Binding | None, Conclusion]:
    """Run a cycle whose preemption is not asynchronous, and in which calls to evict pods of these keys fail."""
    pod, there, plugins = asked
    scheduler = informed(tuple(_listed(pod, there).values()), there, (plugins,), asynchronous_preemption=False)
    drained(scheduler, pod.key)
    api = scheduler.handle.client
    assert isinstance(api, Api)
    evict = api.evict

    def called(victim: Pod, preemptor: Pod) -> None:
        if victim.key in fails:
            raise ClientError(FAILURE)
        evict(victim, preemptor)

    api.evict = called  # type: ignore[method-assign]
    binding = scheduler.schedule_one()
    made = scheduler.concluded
    assert made is not None, f"{pod} was not tried"
    assert not any(each.running for each in scheduler.handle.background), f"{pod} is still preempting"
    return scheduler, binding, made


def agree_at_once(asked: Question) -> Conclusion:
    """Fail if a cycle whose preemption is not asynchronous concludes or does anything else than specified.

    Its victims are deleted and its nominations are cleared when it ends: prepareCandidate in framework/preemption/executor.go of 1.37.
    """
    pod, there, plugins = asked
    scheduler, binding, made = _at_once(asked)
    found = difference(made, there, plugins)
    assert found is None, found
    _notes(scheduler, made)
    _assumes(scheduler, made, binding)
    _writes(scheduler, expected(made, _listed(pod, there), there, at_once=True))
    return made


def fail_at_once(asked: Question, last: Conclusion, fails: Collection[Key]) -> None:
    """Fail if a cycle of which some evictions fail, and which concluded `last` without, does not end in that failure.

    The pod is not nominated, keeps its nomination, and waits. Victims may be evicted up to the failure; no nomination is cleared.
    Kubernetes 1.37: prepareCandidate in framework/preemption/executor.go, RunPostFilterPlugins in framework/runtime/framework.go.
    """
    pod, there, _ = asked
    listed, alive = _listed(pod, there), {each.key for each in last.victims if not each.terminating}
    scheduler, binding, made = _at_once(asked, fails)
    assert alive & set(fails) and binding is None, f"{pod} is being bound"
    assert made.nominated is None, f"{pod} is nominated to {made.nominated or 'none'}, although an eviction failed"
    assert FAILURE in made.message, f"{pod} is told {made.message}"
    noted = scheduler.queue.nominator.node_of.get(pod.key, "")
    assert noted == pod.nominated_node_name, f"{pod} is noted on {noted or 'no node'}"
    assert pod.key in scheduler.queue.unschedulable, f"{pod} does not wait"
    api = scheduler.handle.client
    assert isinstance(api, Api)
    evicted = {key: replace(listed[key], terminating=True, preempted=True) for key in alive - set(fails)}
    wrong = [key for key, each in api.pods.items() if each not in (listed[key], evicted.get(key))]
    assert not wrong, f"{wrong} are changed, although an eviction failed"


def _listed(pod: Pod, there: Snapshot) -> dict[Key, Pod]:
    return {each.key: each for each in (*there.pods, pod)}


def expected(made: Conclusion, before: dict[Key, Pod], there: Snapshot, *, at_once: bool = False) -> dict[Key, Pod]:
    """Return the pods as they are written after the cycle and its evictions.

    If all victims are terminating already, nominations are cleared only in the cycle, not after it: prepareCandidateAsync of 1.37.
    """
    after, asked = dict(before), made.pod
    if made.hosts or made.nominated is None:
        return after
    after[asked.key] = replace(asked, nominated_node_name=made.nominated)
    alive = [victim for victim in made.victims if not victim.terminating]
    after |= {victim.key: replace(victim, terminating=True, preempted=True) for victim in alive}
    if alive or (at_once and made.nominated):
        node = next(each for each in there.nodes if each.name == made.nominated)
        after |= {loser.key: replace(loser, nominated_node_name="") for loser in outranked(asked, node, there)}
    return after


def _writes(scheduler: Scheduler, after: dict[Key, Pod]) -> None:
    api = scheduler.handle.client
    assert isinstance(api, Api)
    differing = sorted(key for key in after if api.pods[key] != after[key])
    assert not differing, (
        f"{differing} are {[api.pods[key] for key in differing]}, not {[after[key] for key in differing]}"
    )


def _notes(scheduler: Scheduler, made: Conclusion) -> None:
    """Check the nomination of the pod that the scheduler knows."""
    noted = scheduler.queue.nominator.node_of.get(made.pod.key, "")
    wanted = "" if made.hosts else made.nominated
    assert wanted is None or noted == wanted, f"{made.pod} is noted on {noted or 'no node'}, not {wanted or 'none'}"


def _assumes(scheduler: Scheduler, made: Conclusion, binding: Binding | None) -> None:
    """Check that a pod for which there is a node is assumed there as it is."""
    known = scheduler.cache.pods.get(made.pod.identity)
    if binding is None:
        assert known is None, f"{made.pod} is assumed, and not being bound"
        return
    assert made.hosts and binding.node in made.hosts
    assert known is not None, f"{made.pod} is being bound, and not assumed"
    plain = replace(known.pod, node_name="", nominated_node_name=made.pod.nominated_node_name)
    assert plain == made.pod and known.pod.node_name == binding.node, f"{known.pod} is assumed for {made.pod}"


def _sets_aside(scheduler: Scheduler, binding: Binding | None, there: Snapshot) -> None:
    """Check that exactly the specified volumes are assumed."""
    assumed = scheduler.handle.assumed
    now = set(assumed.volumes.values()), set(assumed.claims.values())
    wanted: tuple[set[PersistentVolume], set[PersistentVolumeClaim]] = set(), set()
    if binding is not None:
        node = next(each for each in there.nodes if each.name == binding.node)
        more = set_aside(binding.pod, node, there.storage)
        wanted = set(more.volumes), set(more.claims)
    assert now == wanted, f"{now} are assumed for {wanted}"


def _binds(scheduler: Scheduler, binding: Binding, rules: Sequence[Ruled]) -> None:
    """Check who binds: the first extender with the verb that is interested, unless it fails and can be ignored."""
    able = [each for each in rules if each.binds and interested(each.offer, binding.pod)]
    able = [each for each in able if not (each.down and each.ignorable)]
    scheduler.finish(binding)
    api = scheduler.handle.client
    assert isinstance(api, Api)
    by_itself = api.pods[binding.pod.key].node_name != ""
    assert by_itself is (not able), f"{binding.pod} is {'' if by_itself else 'not '}bound by the scheduler itself"
    failed = bool(able) and able[0].down
    kept = binding.pod.identity in scheduler.cache.pods
    assert kept is not failed, f"{binding.pod} is {'' if kept else 'not '}kept on its node"
