"""The production scheduler's extenders as values of the specification: `as_value`, `judged`.

The production scheduler reaches an extender by messages; the specification gets the answers to the same questions.
An extender always answers one question in one way.
"""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache, partial

from frozendict import frozendict

from schedcheck.checker.derived import given
from schedcheck.checker.incremental.scores import Counted
from schedcheck.model.production.framework import extender as production
from schedcheck.spec.binding import completed
from schedcheck.spec.extender_configuration import Extender as Offer
from schedcheck.spec.extenders import Extender, Failed, Filtered, MetaVictims, Nodes, Offered
from schedcheck.spec.kubernetes.control_loop import decision, ending, taken_up
from schedcheck.spec.kubernetes.cycle import Cycle
from schedcheck.spec.kubernetes.extended_cycle import Ended, Judgement, Rated, judgement
from schedcheck.spec.kubernetes.filter import admitted, verdicts
from schedcheck.spec.kubernetes.filters.dynamic_resources import claiming
from schedcheck.spec.kubernetes.node_info import node_infos
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.scores.scored import Scored
from schedcheck.spec.kubernetes.select_host import choice_among, open_to_scores, scores_of
from schedcheck.spec.objects import Pod, Snapshot


def rated_once(made: Cycle) -> Rated:
    """Return the plugins' scores in this cycle as a cached function of node names."""
    return cache(partial(scores_of, made))


def as_value(asked: production.Extender, pod: Pod) -> Extender:
    """Return the extender as a value in the cycle of `pod`; an extender that is not interested offers nothing."""
    interested = asked.interested(pod)
    offer = Offer(
        asked.name,
        filter_verb="filter" if asked.filters and interested else "",
        prioritize_verb="prioritize" if asked.prioritizes and interested else "",
        preempt_verb="preempt" if asked.preempts and interested else "",
        weight=asked.weight,
        ignorable=asked.ignorable,
    )

    def filtered(pod: Pod, nodes: Nodes) -> Filtered | Failed:
        try:
            said = asked.filter(pod, nodes)
        except production.ExtenderError as error:
            return Failed(str(error))
        return Filtered(frozenset(said.kept), frozendict(said.failed), frozendict(said.hopeless))

    def prioritized(pod: Pod, nodes: Nodes) -> Mapping[str, int] | Failed:
        try:
            return asked.prioritize(pod, nodes)
        except production.ExtenderError as error:
            return Failed(str(error))

    def chosen(pod: Pod, offered: Offered) -> Mapping[str, MetaVictims] | Failed:
        whole = {name: production.Victims(each.pods, each.violations) for name, each in offered.items()}
        try:
            said = asked.preempt(pod, whole)
        except production.ExtenderError as error:
            return Failed(str(error))
        return {
            name: MetaVictims(tuple(victim.key for victim in each.pods), each.violations)
            for name, each in said.items()
        }  # fmt: skip

    return Extender(offer, filtered, prioritized, chosen)


def begun(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> tuple[Cycle, Counted]:
    """Return the cycle of a pod of the snapshot, as `taken_up` gives it, and its nodes.

    The part that does not depend on the pod is computed once for all unplaced pods of a snapshot.
    """
    if pod.node_name or completed(pod):
        made = taken_up(pod, snapshot, plugins)
        return made, Counted(made.infos)
    running, there = _there(snapshot)
    return Cycle(pod, _without(pod, running), plugins, there.infos, there.infos), there


@lru_cache(maxsize=1)
def _there(snapshot: Snapshot) -> tuple[Snapshot, Counted]:
    """Return the snapshot without the pods that have ended, and its nodes with the pods on them."""
    running = replace(snapshot, pods=tuple(each for each in snapshot.pods if not completed(each)))
    return running, Counted(node_infos(running))


def _without(pod: Pod, running: Snapshot) -> Snapshot:
    """Return the snapshot without a pod that is on no node, so that its pods by node are the same."""
    place = bisect_left(running.pods, pod.key, key=_key)
    if running.pods[place : place + 1] != (pod,):
        return running - frozenset({pod})
    less = replace(running, pods=(*running.pods[:place], *running.pods[place + 1 :]))
    return given(less, pods_by_node=running.pods_by_node)


def _key(pod: Pod) -> tuple[str, str]:
    return pod.key


def judged(pod: Pod, snapshot: Snapshot, plugins: Plugins, asked: Sequence[production.Extender]) -> Judgement:
    """Return the allowed decisions for `pod` in the snapshot if the plugins' extenders, then `asked`, are consulted."""
    made, there = begun(pod, snapshot, plugins)
    found = verdicts(made)
    if not asked and not plugins.extenders:
        names = admitted(found)
        rated = there.scores(made, names) if open_to_scores(made, names) else None
        end = choice_among(made, found, rated or Scored())
        beyond = plugins.unasked or claiming(pod, snapshot.devices, plugins.departures)
        decisions = decision(pod, snapshot, plugins) if beyond else ending(made, end)
        if end.mode == "scored" and rated is not None:
            return Judgement(decisions, found, frozendict(rated.total), rated)
        return Judgement(decisions, None if end.kind == "error" else found)
    return judgement(
        Ended(made, found, (*plugins.extenders, *(as_value(each, pod) for each in asked)), partial(there.scores, made))
    )
