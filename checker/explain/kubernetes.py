"""Explanations of kube-scheduler's decision on a pod: every filter, every score and the choice between nodes."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from frozendict import frozendict

from schedcheck.checker.explain.candidates import Allowed, allowed, in_order, once
from schedcheck.checker.explain.devices import Lack, lacks
from schedcheck.checker.explain.extenders import Consulted, consulted
from schedcheck.checker.explain.shortages import NOTHING_SHORT, Shortage, shortages
from schedcheck.checker.limits.timer import doing
from schedcheck.model.environment import unplaced
from schedcheck.spec.binding import completed
from schedcheck.spec.decisions import Bind, Nominate, Unknown, Wait
from schedcheck.spec.extenders import Failed, Victims
from schedcheck.spec.kubernetes.control_loop import claims_met, decision, unmodelled
from schedcheck.spec.kubernetes.cycle import Cycle, cycle
from schedcheck.spec.kubernetes.extended_cycle import Decisions, ExtendedRun, node_of, offers
from schedcheck.spec.kubernetes.extenders import agreed
from schedcheck.spec.kubernetes.filter import Verdict, admitted, refusals, verdicts, with_nominated
from schedcheck.spec.kubernetes.filters import dynamic_resources, scheduling_gates
from schedcheck.spec.kubernetes.filters.dynamic_resources import unmodelled as unmodelled_claims
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.preemption.dry_run import Candidate, DryRun
from schedcheck.spec.kubernetes.preemption.eligibility import ineligibility
from schedcheck.spec.kubernetes.preemption.post_filter import message, nominated_messages, post_filter
from schedcheck.spec.kubernetes.scores.scored import Scored
from schedcheck.spec.kubernetes.select_host import Choice, choice_among, scores_of
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.refusal import Refusal, unresolvable

NOTHING_LACKING: Mapping[str, tuple[Lack, ...]] = frozendict()


@dataclass(frozen=True)
class Evictions:
    """The result of preemption if no node is feasible: the possible texts of the event, the victims, and the choice.

    `statuses` say why evictions on a node do not help, `ineligible` why the pod may not preempt at all. `selected` are
    all candidates that may be chosen, for any order of pods with equal priority and start time and of the budgets.
    `candidates` are these and those of one order. If there are too many orders, `all_orders` is false and `selected` is
    for one order: the pods by their names, the budgets as they are given.
    """

    events: tuple[str, ...]
    ineligible: str | None
    candidates: tuple[Candidate, ...]
    statuses: Mapping[str, Refusal]
    selected: tuple[Candidate, ...]
    all_orders: bool = True

    @property
    def event(self) -> str:
        """The text of the event; the first of several."""
        return self.events[0]


@dataclass(frozen=True)
class CycleExplanation:
    """The scheduling cycle of `pod`, taken as pending; `stood` is the node that it is bound to in the input.

    - `gated`: why the pod is not in the queue, None if it is.
    - `refusals`: for each refused node all refusals by filters, with nominated pods counted if those are the reason. The
      first is the one that kube-scheduler records.
    - `scores`: the scores of the feasible nodes, even if kube-scheduler would choose without scoring.
    - `evictions`: None if a node is feasible, or the cycle ends in an error.
    - `consulted`: the effect of extenders, None without extenders. The kind of the choice is "unknown" if the result depends
      on unasked extenders, or on the unmodelled feature `unmodelled`.
    - `short`: for each refused node the resources of which it has too little left, with the amounts.
    - `devices`: for each node on which devices cannot be allocated, the requests that it cannot meet even alone.
    - `possible`: the decisions if the unmodelled feature does not refuse the pod.
    """

    stood: str
    cycle: Cycle
    gated: Refusal | None
    verdicts: Mapping[str, Verdict]
    refusals: Mapping[str, tuple[Refusal, ...]]
    scores: Scored
    choice: Choice
    evictions: "Evictions | None"
    consulted: Consulted | None = None
    unmodelled: str = ""
    possible: Decisions = frozenset()
    short: Mapping[str, tuple[Shortage, ...]] = NOTHING_SHORT
    devices: Mapping[str, tuple[Lack, ...]] = NOTHING_LACKING

    @property
    def pod(self) -> Pod:
        """The pod, taken as pending."""
        return self.cycle.pod

    @property
    def feasible(self) -> tuple[str, ...]:
        """The names of the feasible nodes, in order."""
        return admitted(self.verdicts)


def cycle_explanation(pod: Pod, snapshot: Snapshot, plugins: Plugins) -> CycleExplanation | None:
    """Return the explanation for a pod of the snapshot, as if it were pending; None if it has ended."""
    if completed(pod):
        return None
    doing("asking the filters, scores and evictions")
    pending = unplaced(pod) if pod.node_name else pod
    if unmodelled_claims(pending, snapshot.devices, plugins.departures):
        return _with_claims(pod, pending, snapshot, plugins)
    made = cycle(pending, snapshot - frozenset({pod}), plugins)
    found = verdicts(made)
    asked = consulted(made)
    if asked is not None and asked.judgement.verdicts is not None:
        found = asked.judgement.verdicts
    refused, short = _refusals(made, found)
    scores = scores_of(made, admitted(found))
    chosen = choice_among(made, found, scores)
    if asked is not None:
        scores, chosen = with_extenders(asked, scores)
    return CycleExplanation(
        stood=pod.node_name,
        cycle=made,
        gated=scheduling_gates.refusal(pending, plugins) or _kept_by_claims(made),
        verdicts=found,
        refusals=refused,
        scores=scores,
        choice=chosen,
        evictions=_evictions(made, asked) if chosen.kind == "unschedulable" else None,
        consulted=asked,
        short=short,
        devices=_lacking(made, refused),
    )


def _kept_by_claims(made: Cycle) -> Refusal | None:
    """Return why a claim keeps the pod out of the queue; None if none does."""
    devices, plugins = made.snapshot.devices, made.plugins
    if dynamic_resources.NAME not in plugins.at("preEnqueue"):
        return None
    waits = dynamic_resources.waits_for_claims(made.pod, devices, plugins.departures)
    return dynamic_resources.rejection(made.pod, devices, plugins.departures) if waits else None


def _lacking(made: Cycle, refused: Mapping[str, tuple[Refusal, ...]]) -> dict[str, tuple[Lack, ...]]:
    """Return the lacking devices of each node on which the devices for the claims cannot be allocated."""
    told = unresolvable(dynamic_resources.NAME, dynamic_resources.NO_DEVICES_LEFT)
    nodes = (info.node for info in made.infos if told in refused.get(info.node.name, ()))
    return {node.name: lacks(made.pod, node, made.snapshot.devices, made.plugins.departures) for node in nodes}


def _with_claims(pod: Pod, pending: Pod, snapshot: Snapshot, plugins: Plugins) -> CycleExplanation:
    """Return the explanation with the pod's resource claims met; unknown if the result depends on them."""
    there = replace(snapshot, pods=tuple(pending if each == pod else each for each in snapshot.pods))
    met, around = claims_met(pending, there, plugins)
    told = cycle_explanation(met, around, plugins)
    assert told is not None, "the pod has not ended"
    why = unmodelled(pending, there, plugins)
    told = replace(told, stood=pod.node_name)
    if not why:
        return told
    return replace(
        told,
        scores=replace(told.scores, best=()),
        choice=Choice("unknown"),
        evictions=None,
        unmodelled=why,
        possible=decision(met, around, plugins),
    )


def with_extenders(asked: Consulted, scores: Scored) -> tuple[Scored, Choice]:
    """Return the scores with the points of the extenders, and the choice with their answers."""
    decided = asked.judgement.decisions
    hosts = tuple(sorted(each.node.name for each in decided if isinstance(each, Bind)))
    total = asked.judgement.totals
    scores = replace(scores, total=total, best=hosts) if total and scores.error is None else scores
    if asked.unknown:
        return replace(scores, best=()), Choice("unknown")
    if hosts:
        nominated = any(isinstance(each, Bind) and each.node.name == each.pod.nominated_node_name for each in decided)
        return scores, Choice("scheduled", "nominated" if nominated else "scored" if total else "single", hosts)
    if asked.judgement.verdicts is None:
        return scores, Choice("error", error=next(each.message for each in decided if isinstance(each, Wait)))
    return scores, Choice("unschedulable")


def _evictions(made: Cycle, asked: Consulted | None) -> Evictions:
    """Return the result of preemption on every node where evictions may help."""
    if asked is not None:
        return _agreed_evictions(made, asked)
    run = DryRun(made)
    ineligible = ineligibility(made, run.verdicts)
    nominated = ineligible is None and post_filter(run).code == "Success"
    chosen = allowed(run) if nominated else Allowed((), all=True)
    found = run.candidates if ineligible is None else ()
    return Evictions(
        events=tuple(sorted(nominated_messages(run, chosen.candidates))) if nominated else (message(run),),
        ineligible=ineligible,
        candidates=in_order(once(dict.fromkeys((*chosen.candidates, *found)))),
        statuses=run.statuses if ineligible is None else {},
        selected=chosen.candidates,
        all_orders=chosen.all,
    )


def _agreed_evictions(made: Cycle, asked: Consulted) -> Evictions:
    """Return the same with extenders, which may have refused nodes, dropped candidates or named victims."""
    assert asked.judgement.verdicts is not None, "the cycle has not ended in an error"
    run = ExtendedRun(made, asked.judgement.verdicts, asked.extenders)
    ineligible = ineligibility(made, run.verdicts)
    nominated = {(each.node, each.victims) for each in asked.judgement.decisions if isinstance(each, Nominate)}
    waits = [each.message for each in asked.judgement.decisions if isinstance(each, Wait)]
    kept = [each for offered in offers(run) for each in _kept(run, offered)] if ineligible is None else []
    taken = [each for each in dict.fromkeys(kept) if (each.node, frozenset(each.victims)) in nominated]
    return Evictions(
        events=tuple(sorted({*waits, *nominated_messages(run, taken)})) or (message(run),),
        ineligible=ineligible,
        candidates=tuple(dict.fromkeys(kept)),
        statuses=run.statuses if ineligible is None else {},
        selected=tuple(taken),
        all_orders=not any(isinstance(each, Unknown) for each in asked.judgement.decisions),
    )


def _kept(run: ExtendedRun, offered: Mapping[str, Victims]) -> list[Candidate]:
    """Return the candidates that the extenders keep, with the victims that they name."""
    said = agreed(run.cycle.pod, offered, run.cycle.snapshot, run.extenders)
    if isinstance(said, Failed):
        return []
    return [Candidate(node_of(run, name), each.pods, each.violations) for name, each in sorted(said.items())]


def _refusals(
    made: Cycle, found: Mapping[str, Verdict]
) -> tuple[dict[str, tuple[Refusal, ...]], dict[str, tuple[Shortage, ...]]]:
    """Return all refusals of each refused node, the recorded one first, and what it has too little of."""
    said: dict[str, tuple[Refusal, ...]] = {}
    short: dict[str, tuple[Shortage, ...]] = {}
    for info in made.infos:
        name, refusal = info.node.name, found[info.node.name].refusal
        if refusal is None:
            continue
        if found[name].source in ("preFilter", "preFilterResult"):
            said[name] = (refusal,)
            continue
        crowded = with_nominated(made, info)
        with_them = tuple(refusals(made, crowded)) if crowded is not None else ()
        # A node that no plugin's filter refuses is refused by an extender.
        said[name] = with_them or tuple(refusals(made, info)) or (refusal,)
        judged = crowded if crowded is not None and with_them else info
        short[name] = shortages(made.pod, made.plugins, judged, said[name])
    return said, short
