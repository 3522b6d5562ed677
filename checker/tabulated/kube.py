"""The control loop of kube-scheduler, taken apart for the tables: `Kube`.

Of one node it is asked on a snapshot that holds what the question sees and nothing else. What follows from all nodes is
put together from what was answered of each, by the definitions that say what follows.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any, NamedTuple

from frozendict import frozendict

from schedcheck.checker.questions import DEFINITIONS
from schedcheck.checker.tabulated.oracle import OF_CHOICES, OF_OPTIONS, OF_OUTCOMES, Ending, Option
from schedcheck.checker.tabulated.program import Plan
from schedcheck.checker.tabulated.sight import NEAR
from schedcheck.spec.binding import completed
from schedcheck.spec.decisions import Bind, Decision, Nominate, Wait
from schedcheck.spec.feasibility.cycle import Cycle, Verdict, admitted, verdicts
from schedcheck.spec.feasibility.node_info import NodeInfo, node_info, node_infos
from schedcheck.spec.feasibility.refusal import Refusal
from schedcheck.spec.footprints import UNSEEN
from schedcheck.spec.kubernetes import taken_up
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.plugins import Plugins
from schedcheck.spec.preemption.choice import Casualty, casualty
from schedcheck.spec.preemption.dry_run import Candidate, DryRun, tried
from schedcheck.spec.preemption.eligibility import waits_on
from schedcheck.spec.preemption.importance import by_importance, potential_victims
from schedcheck.spec.preemption.post_filter import post_filter
from schedcheck.spec.preemption.ties import possible
from schedcheck.spec.profiles import Profile, by_scheduler_name
from schedcheck.spec.properties import Step
from schedcheck.spec.values import Amounts
from schedcheck.spec.viability.arithmetic import Scores
from schedcheck.spec.viability.choice import choice_among, open_to_scores
from schedcheck.spec.viability.scores import SCORE_PLUGINS, Scored, ScorePlugin, scored

COMPANY = next(plugin for plugin in SCORE_PLUGINS if plugin.name == "InterPodAffinity")
"""Its raw score of a node does not depend on which others there are to choose from."""

OF_A_BINDING = OF_OPTIONS | OF_OUTCOMES | {"bind_most_viable"}
"""Properties of a binding, or of nothing done, that are judged once it is known what all nodes are like."""

OF_THE_NODE = OF_CHOICES - OF_A_BINDING
"""Those that look at one node."""

Requested = dict[tuple[int, ...], tuple[tuple[Pod, ...], Amounts]]
"""What several pods request together, by their identities in this process."""

Raw = tuple[int, ...]
"""The raw scores of a node by the plugins of `RATED`."""

RATED = (*NEAR, COMPANY)


AT_PRE_FILTER = ("outcomes", "asked", "rejection", "skipped", "narrowing", "named")
"""What a cycle finds out before it tries a node."""


class Admitted(NamedTuple):
    """What matters of a node to the choice: the verdict and scores, and by the judge; whether a binding there breaks anything.

    Scores are None where it is not feasible.
    """

    verdict: Verdict
    raw: Raw | None
    judged: Raw | None
    breaks: int


class Evicted(NamedTuple):
    """What matters of a node to evictions: what they cost there, or why they do not help."""

    verdict: Verdict
    costs: tuple[Casualty, ...]
    why: Refusal | None
    waits: bool
    feasible: bool


@dataclass(frozen=True)
class Told(DryRun):
    """A dry run of which is known what comes of each node."""

    told: Mapping[str, Evicted]

    @cached_property
    def verdicts(self) -> frozendict[str, Verdict]:
        """What was answered."""
        return frozendict({info.node.name: self.told[info.node.name].verdict for info in self.cycle.infos})

    @cached_property
    def outcomes(self) -> frozendict[str, Candidate | Refusal]:
        """A candidate stands for any there."""
        return frozendict(
            {
                info.node.name: self.told[info.node.name].why or Candidate(info.node, (), 0)
                for info in self.potential_nodes
            }
        )


@dataclass(frozen=True)
class Remembering(NodeInfo):
    """A node with pods of which it is remembered what they request together."""

    known: Requested = field(default_factory=dict, compare=False)

    @classmethod
    def of(cls, info: NodeInfo, known: Requested) -> "Remembering":
        """The same node."""
        return cls(info.node, info.pods, info.ports, info.changes, known)

    @cached_property
    def requested(self) -> Amounts:
        """What the pods request together."""
        which = tuple(map(id, self.pods))
        if which not in self.known:
            # The pods are kept as well, so that no other has the identity of one of them.
            self.known[which] = self.pods, NodeInfo.requested.func(self)
        return self.known[which][1]


class Shown(NamedTuple):
    """What a question is asked of: the node, and the snapshot with the pod that asks."""

    node: Node
    snapshot: Snapshot


class Kube:
    """The loop of kube-scheduler; `steps` are the properties of decisions that are asked."""

    def __init__(self, plan: Plan, steps: Sequence[Step]) -> None:
        self.sights = plan.sights
        self.own, self.judge = plan.machine.profile, plan.judge
        self.steps = [(number, each) for number, each in enumerate(steps) if each.name in DEFINITIONS]
        self.rates_viability = any(each.name == "bind_most_viable" for each in steps)
        # Who waits of higher priority is not in what was answered of the nodes.
        self._remembers = all(each.name != "highest_priority_first" for each in steps)
        self._known: dict[Hashable, Any] = {}
        self._numbers: dict[Hashable, int] = {}
        self._cycles: dict[Hashable, Cycle] = {}
        self._requested: Requested = {}

    def admission(self, pod: Pod, node: Node, snapshot: Snapshot) -> Admitted:
        """All that matters of the node to `choice`."""
        shown = self._shown(pod, node, snapshot, evicting=False)
        made = self._cycle(pod, shown, self.own)
        verdict = _plain(verdicts(made)[node.name])
        fits = cache(self._fits)
        judged = fits(pod, shown.node, shown.snapshot)
        breaks = 0
        if verdict.refusal is None:
            judge = replace(self.judge, feasibility=fits)
            breaks = self._broken(Bind(pod, shown.node), shown.snapshot, judge, OF_THE_NODE)
        return Admitted(
            verdict,
            self._raw(made, shown) if verdict.refusal is None else None,
            self._raw(self._cycle(pod, shown, self.judge), shown) if judged and self.rates_viability else None,
            breaks,
        )

    def evictions(self, pod: Pod, node: Node, snapshot: Snapshot) -> tuple[Evicted, Sequence[Option]]:
        """All that matters of the node to `outcome`, and whom the pod may evict there."""
        seen = self.sights.of_kube(pod)
        shown = self._shown(pod, node, snapshot, evicting=True)
        if seen is None:
            return self._evictions(pod, shown, node)
        victims = [
            each
            for each in snapshot.pods
            if each.node_name == node.name and not completed(each) and each.priority < pod.priority
        ]
        # Which of several that are alike is asked about does not matter, as long as each is told again from the others.
        victims.sort(key=lambda each: self._number(seen.victim(each)))
        question = (
            seen.pod,
            pod.nominated_node_name == node.name,
            shown.node if seen.keys is None else replace(shown.node, name=""),
            tuple(self._number(seen.victim(each)) for each in victims),
            frozenset(Counter(seen.company(each, node.name) for each in snapshot.pods if each != pod).items()),
            shown.snapshot.budgets,
            shown.snapshot.nodes if seen.looks_far else (),
        )
        found = self._known.get(question)
        if found is None:
            matters, options = self._evictions(pod, shown, node)
            places = {victim: place for place, victim in enumerate(victims)}
            kinds = [(each.kind, [places[victim] for victim in each.decision.victims], each.breaks) for each in options]
            found = self._known[question] = matters, kinds
        matters, kinds = found
        return matters, [
            Option(kind, Nominate(pod, node, frozenset(victims[place] for place in places)), breaks)
            for kind, places, breaks in kinds
        ]

    def _evictions(self, pod: Pod, shown: Shown, node: Node) -> tuple[Evicted, Sequence[Option]]:
        run = DryRun(self._cycle(pod, shown, self.own))
        verdict = _plain(run.verdicts[node.name])
        (info,) = run.cycle.infos
        is_potential = info in run.potential_nodes
        found = tried(run.cycle, info, by_importance(potential_victims(pod, info))) if is_potential else None
        candidates = possible(run, info) if is_potential else frozenset()
        costs = sorted({casualty(each) for each in candidates})
        fits = cache(self._fits)
        judge = replace(self.judge, feasibility=fits)
        options = []
        for each in candidates:
            decision = Nominate(pod, shown.node, frozenset(each.victims))
            breaks = self._broken(decision, shown.snapshot, judge, OF_OPTIONS)
            options.append(Option(costs.index(casualty(each)), replace(decision, node=node), breaks))
        why = _reduced(found) if isinstance(found, Refusal) else None
        return (
            Evicted(
                verdict,
                tuple(costs),
                why,
                waits_on(pod, info, run.verdicts),
                fits(pod, shown.node, shown.snapshot),
            ),
            options,
        )

    def choice(self, pod: Pod, snapshot: Snapshot, answers: Mapping[str, Any]) -> tuple[Sequence[Ending], bool]:
        """Where the pod may be bound, or that its cycle ends in an error; else it must be asked what follows."""
        seen = self.sights.of_kube(pod)
        if seen is not None and not seen.soft and self._remembers:
            question = seen.pod, pod.nominated_node_name, tuple(answers.items())
            if question not in self._known:
                self._known[question] = self._choice(pod, snapshot, answers)
            endings, asks_more = self._known[question]
            return [Ending(replace(each.decision, pod=pod), each.breaks) for each in endings], asks_more
        return self._choice(pod, snapshot, answers)

    def _choice(self, pod: Pod, snapshot: Snapshot, answers: Mapping[str, Any]) -> tuple[Sequence[Ending], bool]:
        plugins = by_scheduler_name(pod, self.own.plugins)
        found = {name: answer.verdict for name, answer in answers.items()}
        others = snapshot - frozenset({pod})
        made = Cycle(pod, others, plugins, (), ())
        names = admitted(found)
        scores = Scored()
        if open_to_scores(made, names):
            scores = self._scored(pod, others, plugins, {name: answers[name].raw for name in names})
        end = choice_among(made, found, scores)
        if end.kind == "unschedulable":
            return (), True
        judge = self._judge_of(pod, others, answers)
        if end.kind == "error":
            decisions: Iterable[Decision] = self.own.decision(pod, snapshot, self.own)
        else:
            decisions = (Bind(pod, node) for node in snapshot.nodes if node.name in end.hosts)
        return [
            Ending(
                decision,
                self._broken(decision, snapshot, judge, OF_A_BINDING)
                | (answers[decision.node.name].breaks if isinstance(decision, Bind) else 0),
            )
            for decision in decisions
        ], False

    def outcome(self, pod: Pod, snapshot: Snapshot, answers: Mapping[str, Any]) -> Iterable[Ending]:
        """The kinds of candidates that may be nominated on each node, or that the pod waits."""
        seen = self.sights.of_kube(pod)
        if seen is None or not self._remembers:
            return list(self._outcome(pod, snapshot, answers))
        question = seen.pod, pod.nominated_node_name, "outcome", tuple(answers.items())
        if question not in self._known:
            self._known[question] = list(self._outcome(pod, snapshot, answers))
        return [Ending(replace(each.decision, pod=pod), each.breaks, each.kind) for each in self._known[question]]

    def _outcome(self, pod: Pod, snapshot: Snapshot, answers: Mapping[str, Any]) -> Iterable[Ending]:
        judge = replace(self.judge, feasibility=lambda _pod, node, _snapshot: answers[node.name].feasible)
        run = Told(taken_up(pod, snapshot, by_scheduler_name(pod, self.own.plugins)), answers)
        said = post_filter(run)
        if said.code != "Success":
            wait = Wait(pod, "", said.unnominated and pod.nominated_node_name != "")
            yield Ending(wait, self._broken(wait, snapshot, judge, OF_A_BINDING))
            return
        # The candidates are permitted that `permitted` says, by what they cost.
        worst = min(max(answer.costs) for answer in answers.values() if answer.costs)
        for node in snapshot.nodes:
            for number, cost in enumerate(answers[node.name].costs):
                if cost <= worst:
                    nominate = Nominate(pod, node, frozenset())
                    yield Ending(nominate, self._broken(nominate, snapshot, judge, OF_OUTCOMES), number)

    def _judge_of(self, pod: Pod, others: Snapshot, answers: Mapping[str, Any]) -> Profile:
        """The judge, who has said already what it thinks of the nodes."""
        raw = {name: answer.judged for name, answer in answers.items() if answer.judged is not None}

        @cache
        def totals() -> Scores:
            return self._scored(pod, others, by_scheduler_name(pod, self.judge.plugins), raw).total if raw else {}

        return replace(
            self.judge,
            feasibility=lambda _pod, node, _snapshot: node.name in raw,
            viability=lambda _pod, node, _snapshot: totals().get(node.name, 0),
        )

    def _scored(self, pod: Pod, others: Snapshot, plugins: Plugins, raw: Mapping[str, Raw]) -> Scored:
        """The scores of these nodes, given the raw ones of `RATED`."""

        def known(place: int, plugin: ScorePlugin) -> ScorePlugin:
            return replace(plugin, raw=lambda *_: {name: each[place] for name, each in raw.items()})

        rated = {plugin.name: known(place, plugin) for place, plugin in enumerate(RATED)}
        rated[COMPANY.name] = replace(rated[COMPANY.name], skipped=lambda *_: False)
        nodes = tuple(node for node in others.nodes if node.name in raw)
        return scored(pod, nodes, others, plugins, tuple(rated.get(plugin.name, plugin) for plugin in SCORE_PLUGINS))

    def _raw(self, made: Cycle, shown: Shown) -> Raw:
        pod, plugins = made.pod, made.plugins
        seen = self.sights.of_kube(pod)
        heard = RATED if seen is None or seen.keeps_company else NEAR
        return tuple(
            plugin.raw(pod, (shown.node,), made.snapshot, plugins)[shown.node.name] if plugin in heard else 0
            for plugin in RATED
        )

    def _broken(self, decision: Decision, before: Snapshot, judge: Profile, names: Iterable[str]) -> int:
        """A bit for each of the properties that the decision breaks, of those of these names."""
        return sum(
            1 << number
            for number, question in self.steps
            if type(decision) in question.kinds
            and question.name in names
            and not DEFINITIONS[question.name](before, decision, judge)
        )

    def _fits(self, pod: Pod, node: Node, snapshot: Snapshot) -> bool:
        """Whether the judge finds the node feasible."""
        made = self._cycle(pod, Shown(node, snapshot), self.judge)
        return verdicts(made)[node.name].refusal is None

    def _cycle(self, pod: Pod, shown: Shown, profile: Profile) -> Cycle:
        """The cycle of the pod in which one node is tried."""
        plugins = by_scheduler_name(pod, profile.plugins)
        ended = frozenset(each for each in shown.snapshot.pods if completed(each) or each.key == pod.key)
        others = shown.snapshot - ended
        seen = self.sights.of_kube(pod)
        if seen is None:
            infos = node_infos(others)
            return Cycle(pod, others, plugins, tuple(info for info in infos if info.node == shown.node), infos)
        there = others.pods_by_node
        info = Remembering.of(node_info(shown.node, there.get(shown.node.name, ())), self._requested)
        cluster = tuple(
            info if node is shown.node else NodeInfo(node, there.get(node.name, ()), frozenset())
            for node in others.nodes
        )
        made = Cycle(pod, others, plugins, (info,), cluster)
        if not seen.looks_far:
            # What plugins say at PreFilter depends on nothing but the pod then.
            first = self._cycles.setdefault((seen.pod, pod.nominated_node_name, plugins.scheduler_name, plugins.departures), made)
            vars(made).update({name: getattr(first, name) for name in AT_PRE_FILTER})
        return made

    def _shown(self, pod: Pod, node: Node, snapshot: Snapshot, evicting: bool) -> Shown:
        """The node, and the snapshot cut down to what is seen."""
        seen = self.sights.of_kube(pod)
        if seen is None:
            return Shown(node, snapshot)
        pods = []
        for each in snapshot.pods:
            if each.key == pod.key:
                pods.append(each)
            elif node.name in (each.node_name, each.nominated_node_name):
                if seen.sees_near(each):
                    pods.append(seen.shown_near(each, evicting))
            elif seen.sees_afar(each):
                pods.append(seen.shown_afar(each))
        here = seen.shown_node(node)
        nodes: tuple[Node, ...] = (here,)
        if seen.looks_far:
            nodes = tuple(here if each.name == node.name else seen.far_node(each) for each in snapshot.nodes)
        return Shown(
            here,
            Snapshot(
                tuple(pods), nodes, snapshot.namespaces, snapshot.budgets if evicting else UNSEEN,
                snapshot.services, snapshot.controllers, snapshot.storage,
            ),
        )  # fmt: skip

    def _number(self, label: Hashable) -> int:
        return self._numbers.setdefault(label, len(self._numbers))


def _plain(verdict: Verdict) -> Verdict:
    """The verdict without its text."""
    return verdict if verdict.refusal is None else replace(verdict, refusal=_reduced(verdict.refusal))


def _reduced(refusal: Refusal) -> Refusal:
    """What matters of a refusal."""
    return Refusal("", refusal.code, ())
