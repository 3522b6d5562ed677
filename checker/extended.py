"""What is allowed where extenders have a say: `Judgement`, `judged`.

The specification knows of no extender. Here its definitions are asked around them: the filters before theirs, the scores
beside theirs, the dry run before they are asked about victims. An extender answers one question always in one way.

Kubernetes 1.34: findNodesThatPassExtenders and prioritizeNodes in pkg/scheduler/schedule_one.go, callExtenders in
pkg/scheduler/framework/preemption/preemption.go; for candidates without victims kubernetes#135486.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from frozendict import frozendict

from schedcheck.model.production.framework.extender import Extender, ExtenderError, Victims
from schedcheck.spec.decisions import Bind, Decision, Nominate, Wait
from schedcheck.spec.feasibility.cycle import Cycle, Verdict, admitted, failure, verdicts
from schedcheck.spec.feasibility.refusal import Refusal, unresolvable, unschedulable
from schedcheck.spec.fit_error import fit_error, histogram
from schedcheck.spec.kubernetes import decision, taken_up
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.plugins import Plugins
from schedcheck.spec.preemption.choice import selected
from schedcheck.spec.preemption.dry_run import NO_VICTIMS, Candidate, DryRun
from schedcheck.spec.preemption.post_filter import POST_FILTERS, message, post_filter
from schedcheck.spec.preemption.ties import possible
from schedcheck.spec.viability.choice import choice, scores_of

EXTENDER_UNIT = 10
"""What a point of an extender is worth before its weight: theirs go from 0 to 10, those of plugins from 0 to 100."""

Verdicts = Mapping[str, Verdict]
Extenders = Sequence[Extender]


@dataclass(frozen=True)
class Judgement:
    """All that may be done with a pod, and what is said of each node; None where the cycle ends in an error."""

    decisions: frozenset[Decision]
    verdicts: Verdicts | None


def judged(pod: Pod, snapshot: Snapshot, plugins: Plugins, extenders: Extenders) -> Judgement:
    """What may be done with `pod`, which is one of the snapshot's, if these extenders are asked in turn."""
    made = taken_up(pod, snapshot, plugins)
    found = verdicts(made)
    if not extenders:
        return Judgement(decision(pod, snapshot, plugins), None if choice(made).kind == "error" else found)
    nodes = {info.node.name: info.node for info in made.infos}
    first = [nodes[name] for name in admitted(found) if name == pod.nominated_node_name]
    try:
        own, refused = kept(pod, first, extenders)
    except ExtenderError:
        own, refused = [], {}
    if own:
        return Judgement(_bound(pod, own), found)
    failing = failure(found)
    if failing is not None:
        return _error(pod, failing)
    tried = [nodes[name] for name in admitted(found) if found[name].source != "nominatedFirst"]
    try:
        left, more = kept(pod, tried, extenders)
    except ExtenderError as error:
        return _error(pod, str(error))
    refused |= more
    found = frozendict(
        {name: Verdict(refused.get(name, each.refusal), each.source) for name, each in found.items()}
    )  # fmt: skip
    if len(left) <= 1:
        return Judgement(_bound(pod, left) or without_a_node(made, found, extenders), found)
    return _scored(made, left, found, extenders)


def kept(pod: Pod, nodes: Sequence[Node], extenders: Extenders) -> tuple[list[Node], dict[str, Refusal]]:
    """The nodes that every extender keeps, each asked about what those before it kept; and why not the others.

    Raises: ExtenderError if one fails that may not be ignored.
    """
    left, refused = list(nodes), dict[str, Refusal]()
    for extender in extenders:
        if left and extender.filters and extender.interested(pod):
            try:
                said = extender.filter(pod, left)
            except ExtenderError:
                if not extender.ignorable:
                    raise
                continue
            refused |= {name: unschedulable("", reason) for name, reason in said.failed.items()}
            refused |= {name: unresolvable("", reason) for name, reason in said.hopeless.items()}
            left = [node for node in left if node.name in said.kept]
    return left, refused


def _bound(pod: Pod, nodes: Sequence[Node]) -> frozenset[Decision]:
    return frozenset(Bind(pod, node) for node in nodes)


def _error(pod: Pod, why: str) -> Judgement:
    return Judgement(frozenset({Wait(pod, why, pod.nominated_node_name != "")}), None)


def _scored(made: Cycle, left: Sequence[Node], found: Verdicts, extenders: Extenders) -> Judgement:
    """The nodes of the highest sum of what plugins and extenders say; an extender that fails adds nothing."""
    plugins = scores_of(made, tuple(node.name for node in left))
    if plugins.error is not None:
        return _error(made.pod, plugins.error)
    total = dict(plugins.total)
    for extender in extenders:
        if extender.prioritizes and extender.interested(made.pod):
            try:
                points = extender.prioritize(made.pod, left)
            except ExtenderError:
                continue
            total = {name: sum_ + points.get(name, 0) * extender.weight * EXTENDER_UNIT for name, sum_ in total.items()}
    return Judgement(_bound(made.pod, [node for node in left if total[node.name] == max(total.values())]), found)


@dataclass(frozen=True)
class ExtendedRun(DryRun):
    """A dry run on nodes of which extenders have spoken as well.

    A node on which the pod fits as it is, so that only an extender can know whom to evict, is a candidate without
    victims if there is an extender to be `asked`; else it is none.
    """

    found: Verdicts
    asked: bool

    @cached_property
    def verdicts(self) -> frozendict[str, Verdict]:
        """What filters and extenders say of every node."""
        return frozendict(self.found)

    @cached_property
    def outcomes(self) -> frozendict[str, Candidate | Refusal]:
        """What comes of evictions on each potential node."""
        return frozendict(
            {
                name: NO_VICTIMS if isinstance(each, Candidate) and not each.victims and not self.asked else each
                for name, each in super().outcomes.items()
            }
        )


def without_a_node(made: Cycle, found: Verdicts, extenders: Extenders) -> frozenset[Decision]:
    """What may be done with a pod that no node is left for."""
    pod = made.pod
    asked = [each for each in extenders if each.preempts and each.interested(pod)]
    run = ExtendedRun(made, found, asked != [])
    said = post_filter(run)
    if said.code != "Success":
        return frozenset({Wait(pod, message(run), said.unnominated and pod.nominated_node_name != "")})
    decisions: set[Decision] = set()
    for offered in _worlds(run):
        try:
            candidates = _agreed(pod, offered, asked)
        except ExtenderError as error:
            decisions.add(Wait(pod, _message(run, f"preemption: {error}")))
            continue
        best = selected([Candidate(_node(run, name), each.pods, each.violations) for name, each in candidates.items()])
        decisions |= {Nominate(pod, each.node, frozenset(each.victims)) for each in best}
        if not best:
            others = [POST_FILTERS[name](run).message for name in made.plugins.at("postFilter") if name in POST_FILTERS]
            texts = [text or "preemption: no candidate node for preemption" for text in others]
            decisions.add(Wait(pod, _message(run, ", ".join(texts))))
    return frozenset(decisions)


def _worlds(run: DryRun) -> Iterator[dict[str, Victims]]:
    """The candidates by node, in every way in which pods that matter alike may be spared."""
    infos = [info for info in run.potential_nodes if isinstance(run.outcomes[info.node.name], Candidate)]
    ways = [sorted(possible(run, info), key=str) for info in infos]
    for way in product(*ways):
        yield {each.node.name: Victims(each.victims, each.violations) for each in way}


def _agreed(pod: Pod, offered: Mapping[str, Victims], extenders: Extenders) -> dict[str, Victims]:
    """The candidates that all of these keep; one may be passed on without victims, but not come to be without.

    Raises: ExtenderError if one fails, or takes all victims of a node, that may not be ignored.
    """
    there = dict(offered)
    for extender in extenders:
        try:
            said = extender.preempt(pod, there)
        except ExtenderError:
            if not extender.ignorable:
                raise
            continue
        passed_on = {name for name, each in there.items() if not each.pods}
        lost = sorted(name for name, each in said.items() if not each.pods and name not in passed_on)
        if lost and not extender.ignorable:
            raise ExtenderError(f'expected at least one victim pod on node "{lost[0]}"')
        there = {name: each for name, each in said.items() if name not in lost}
        if not there:
            break
    return {name: each for name, each in there.items() if each.pods}


def _node(run: DryRun, name: str) -> Node:
    return next(info.node for info in run.cycle.infos if info.node.name == name)


def _message(run: DryRun, end: str) -> str:
    refusals = (each.refusal for each in run.verdicts.values() if each.refusal is not None)
    return fit_error(len(run.cycle.infos), histogram(refusals), end)
