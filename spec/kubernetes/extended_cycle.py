"""The scheduling cycle of kube-scheduler with extenders: `judgement`, `decisions`, `ExtendedRun`.

Extenders filter the nodes that the plugins admit, and their scores are added to those of the plugins. Extenders that
preempt may drop a candidate of preemption or name other victims.

Kubernetes 1.34: schedulePod in pkg/scheduler/schedule_one.go; Preempt in
pkg/scheduler/framework/preemption/preemption.go; for candidates without victims kubernetes#135486.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import product

from frozendict import frozendict

from schedcheck.spec.decisions import Bind, Decision, Nominate, Unknown, Wait
from schedcheck.spec.extender_configuration import Extender as Offer
from schedcheck.spec.extenders import Extenders, Failed, Nodes, Victims, preempting
from schedcheck.spec.fit_error import fit_error, histogram
from schedcheck.spec.kubernetes.cycle import Cycle
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.extenders import agreed, kept, points
from schedcheck.spec.kubernetes.filter import Verdict, admitted, failure, verdicts
from schedcheck.spec.kubernetes.preemption.choice import selected
from schedcheck.spec.kubernetes.preemption.disruption import TOO_MANY_LISTINGS
from schedcheck.spec.kubernetes.preemption.dry_run import NO_VICTIMS, Candidate, DryRun
from schedcheck.spec.kubernetes.preemption.post_filter import POST_FILTERS, message, post_filter
from schedcheck.spec.kubernetes.preemption.ties import listed, possible
from schedcheck.spec.kubernetes.scores.scored import Scored
from schedcheck.spec.kubernetes.select_host import scores_of
from schedcheck.spec.kubernetes.unasked_extenders import answers
from schedcheck.spec.objects import Node
from schedcheck.spec.refusal import Refusal, failed
from schedcheck.spec.unasked_extenders import Answer, concerned

Decisions = frozenset[Decision]
Verdicts = frozendict[str, Verdict]
Rated = Callable[[tuple[str, ...]], Scored]
NO_TOTALS: frozendict[str, int] = frozendict()
NO_CANDIDATE = "preemption: no candidate node for preemption"


@dataclass(frozen=True)
class Judgement:
    """The decisions possible for a pod, and the verdicts on the nodes; None if the cycle ends in an error.

    `totals` are the scores of plugins and extenders together, if the remaining nodes are scored; `rated` are those of
    the plugins, None if no node is scored.
    """

    decisions: Decisions
    verdicts: Verdicts | None
    totals: frozendict[str, int] = NO_TOTALS
    rated: Scored | None = None


@dataclass(frozen=True)
class Ended:
    """A cycle after the plugins' filters: their verdicts, and the extenders that are then called.

    `rated` gives the plugins' scores for the nodes of given names.
    """

    made: Cycle
    verdicts: Verdicts
    extenders: Extenders
    rated: Rated


def ended(made: Cycle, rated: Rated | None = None) -> Iterator[tuple[Answer, Judgement]]:
    """Yield each possible answer of the extenders with the end of the cycle that follows from it.

    `rated` gives the plugins' scores for the nodes of given names; a caching function may be passed.
    """
    found = verdicts(made)
    for each in answers(made, found):
        yield each, judgement(Ended(made, found, each.extenders, rated or partial(scores_of, made)))


def decisions(made: Cycle) -> Decisions:
    r"""Return the possible decisions for the pod, over all answers of extenders known by configuration only.

    TLA+: ExtendedDecisions(Pod, Snapshot) ==
            LET Now == Seen(Snapshot)
                Own == OwnKept(Pod, Now)
                All == AllKept(Pod, Now)
                Found == Scored(Pod, All.Nodes, Now)
                More == ExtenderPoints(Pod, All.Nodes)
                Sums == [Node \in All.Nodes |-> Found.Total[Node] + More[Node]]
            IN IF Own.Nodes # {} THEN {Bind(Node) : Node \in Own.Nodes}
               ELSE IF Failure(Pod, Now) \/ All.Error THEN {Wait(Pod, TRUE)}
               ELSE IF All.Nodes = {} THEN ExtendedWithoutANode(Pod, Now)
               ELSE IF Cardinality(All.Nodes) = 1 THEN {Bind(Node) : Node \in All.Nodes}
               ELSE IF Found.Error THEN {Wait(Pod, TRUE)}
               ELSE {Bind(Node) : Node \in {Each \in All.Nodes : \A Other \in All.Nodes : Sums[Other] <= Sums[Each]}}
    """
    return frozenset(decided for _, said in ended(made) for decided in said.decisions)


def undecided(made: Cycle, rated: Rated | None = None) -> tuple[Offer, ...]:
    """Return the extenders with unknown answers on which the end of the cycle depends; `rated` is as for `ended`."""
    if made.plugins.unasked == ():
        return ()
    ends = (without_texts(said.decisions) for _, said in ended(made, rated))
    first = next(ends)
    return concerned(made.pod, made.plugins.unasked) if any(each != first for each in ends) else ()


def without_texts(decisions: Decisions) -> Decisions:
    """Return the decisions without the messages of waits, and without whether a wait clears the nomination."""
    return frozenset(
        replace(each, message="", unnominated=False) if isinstance(each, Wait) else each for each in decisions
    )  # fmt: skip


def judgement(cycle: Ended) -> Judgement:
    """Return the end of the cycle: the nominated node is tried first, and an error there is ignored."""
    made, found, extenders = cycle.made, cycle.verdicts, cycle.extenders
    nodes = {info.node.name: info.node for info in made.infos}
    admissible = tuple(nodes[name] for name in admitted(found))
    pod = made.pod
    own = kept(pod, tuple(node for node in admissible if node.name == pod.nominated_node_name), extenders)
    if own.nodes:
        return Judgement(bindings(made, own.nodes), found)
    failing = failure(found)
    if failing is not None:
        return error(made, failing)
    left = kept(pod, tuple(node for node in admissible if found[node.name].source != "nominatedFirst"), extenders)
    if left.error is not None:
        return error(made, left.error.reason)
    found = refused(found, own.refused | left.refused)
    if left.nodes == ():
        return Judgement(without_a_node(ExtendedRun(made, found, extenders)), found)
    if len(left.nodes) == 1:
        return Judgement(bindings(made, left.nodes), found)
    return scored(replace(cycle, verdicts=found), left.nodes)


def refused(found: Verdicts, refusals: Mapping[str, Refusal]) -> Verdicts:
    """Return the verdicts, with the extenders' refusals in place of the plugins' verdicts on those nodes."""
    return frozendict(
        {name: Verdict(refusals.get(name, each.refusal), each.source) for name, each in found.items()}
    )  # fmt: skip


def bindings(made: Cycle, nodes: Nodes) -> Decisions:
    """Return the binds of the pod to each of these nodes."""
    return frozenset(Bind(made.pod, node) for node in nodes)


def error(made: Cycle, why: str) -> Judgement:
    """Return the end of a cycle in an error, which clears the pod's nomination."""
    return Judgement(frozenset({Wait(made.pod, why, made.pod.nominated_node_name != "")}), None)


def scored(cycle: Ended, nodes: Nodes) -> Judgement:
    """Return the binds to the nodes with the highest sum of the scores of plugins and extenders."""
    made = cycle.made
    plugins = cycle.rated(tuple(node.name for node in nodes))
    if plugins.error is not None:
        return error(made, plugins.error)
    more = points(made.pod, nodes, cycle.extenders)
    total = frozendict({name: score + more[name] for name, score in plugins.total.items()})
    best = tuple(node for node in nodes if total[node.name] == max(total.values()))
    return Judgement(bindings(made, best), cycle.verdicts, total, plugins)


@dataclass(frozen=True)
class ExtendedRun(DryRun):
    """A dry run of preemption on nodes that extenders may have refused.

    On such a node the pod may fit as it is, and only an extender can know which pods to evict. The node is then a
    candidate without victims if some extender is called for preemption, else no candidate. By departure
    "needless-preemption-fails" the dry run fails there.
    """

    found: Verdicts
    extenders: Extenders

    @cached_property
    def verdicts(self) -> Verdicts:
        """The verdicts of filters and extenders on every node."""
        return self.found

    @cached_property
    def outcomes(self) -> frozendict[str, Candidate | Refusal]:
        """The result of the dry run on each potential node: a candidate or a refusal."""
        return frozendict(
            {
                name: self.needless(name) or each if isinstance(each, Candidate) and not each.victims else each
                for name, each in super().outcomes.items()
            }
        )

    def needless(self, node: str) -> Refusal | None:
        """Return why this node, from which no pod has to go, is no candidate; None if it is one.

        Kubernetes 1.34 to 1.37: DryRunPreemption in pkg/scheduler/framework/preemption/preemption.go.
        """
        if Departure.NEEDLESS_PREEMPTION_FAILS in self.cycle.plugins.departures:
            return failed("", f'expected at least one victim pod on node "{node}"')
        return None if preempting(self.cycle.pod, self.extenders) else NO_VICTIMS


def without_a_node(run: ExtendedRun) -> Decisions:
    r"""Return the decisions for a pod that plugins and extenders leave no node.

    TLA+: ExtendedWithoutANode(Pod, Snapshot) ==
            LET Said == ExtendedPostFilter(Pod, Snapshot)
                Ends(Offered) ==
                  LET Left == AgreedFrom(1, Pod, Offered, Snapshot).Candidates
                  IN IF Left = {} THEN {Wait(Pod, FALSE)} ELSE {Nominate(Each.Node, Each.Victims) : Each \in LeastOf(Left)}
            IN IF Said.Code = "Success" THEN UNION {Ends(Offered) : Offered \in Offers(Pod, Snapshot)}
               ELSE {Wait(Pod, Said.Unnominated)}
    """
    pod, said = run.cycle.pod, post_filter(run)
    if said.code == "Success" and not run.listings:
        return frozenset({Unknown(pod, TOO_MANY_LISTINGS)})
    if said.code == "Success":
        return frozenset(decided for offered in offers(run) for decided in nominations(run, offered))
    return frozenset({Wait(pod, message(run), said.unnominated and pod.nominated_node_name != "")})


def nominations(run: ExtendedRun, offered: Mapping[str, Victims]) -> Decisions:
    """Return the decisions that follow from these candidates: nominate to the best that extenders keep, else wait."""
    pod, best = run.cycle.pod, nominated(run, offered)
    if isinstance(best, Failed):
        return frozenset({Wait(pod, event(run, f"preemption: {best.reason}"))})
    if best:
        return frozenset(Nominate(pod, each.node, frozenset(each.victims)) for each in best)
    asked = [name for name in run.cycle.plugins.at("postFilter") if name in POST_FILTERS]
    told = (POST_FILTERS[name](run) for name in asked)
    texts = (NO_CANDIDATE if each.code == "Success" else each.message for each in told)
    return frozenset({Wait(pod, event(run, ", ".join(text for text in texts if text)))})


def nominated(run: ExtendedRun, offered: Mapping[str, Victims]) -> tuple[Candidate, ...] | Failed:
    """Return the best of the candidates that the extenders keep, with the victims that the extenders name."""
    candidates = agreed(run.cycle.pod, offered, run.cycle.snapshot, run.extenders)
    if isinstance(candidates, Failed):
        return candidates
    return selected([Candidate(node_of(run, name), each.pods, each.violations) for name, each in candidates.items()])


def offers(run: ExtendedRun) -> Iterator[dict[str, Victims]]:
    """Yield the candidates by node, in every way in which budgets are listed and equally important pods reprieved."""
    for listing in run.listings:
        yield from offers_by(listed(run, listing))


def offers_by(run: ExtendedRun) -> Iterator[dict[str, Victims]]:
    """Yield the candidates by node, in every way in which equally important pods may be reprieved."""
    infos = [info for info in run.potential_nodes if isinstance(run.outcomes[info.node.name], Candidate)]
    ways = [sorted(possible(run, info), key=str) for info in infos]
    fails = Departure.NEEDLESS_PREEMPTION_FAILS in run.cycle.plugins.departures
    for way in product(*ways):
        yield {each.node.name: Victims(each.victims, each.violations) for each in way if each.victims or not fails}


def node_of(run: ExtendedRun, name: str) -> Node:
    """Return the node of this name."""
    return next(info.node for info in run.cycle.infos if info.node.name == name)


def event(run: ExtendedRun, end: str) -> str:
    """Return the text of the event of a pod that is left no node, with `end` as its last part."""
    refusals = (each.refusal for each in run.verdicts.values() if each.refusal is not None)
    return fit_error(len(run.cycle.infos), histogram(refusals), end)
