"""The control loop of kube-scheduler, split into the four questions of the tables: `Kube`.

Each node is judged on a snapshot reduced to what the question depends on. Decisions that depend on all nodes are
computed from the answers for each node, by the specification's own definitions.
"""

from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

from frozendict import frozendict

from schedcheck.checker.derived import given
from schedcheck.checker.properties.by_name import DEFINITIONS
from schedcheck.checker.tabulated.answers.matters import Admitted, Evicted
from schedcheck.checker.tabulated.answers.oracle import OF_CHOICES, OF_OPTIONS, OF_OUTCOMES, Ending, Option
from schedcheck.checker.tabulated.answers.sampled import Judging, Sample
from schedcheck.checker.tabulated.answers.trials import COMPANY, RATED, Raw, Shown, Trials, for_choice, reduced
from schedcheck.checker.tabulated.search.plan import FEWEST_BUDGETS_VIOLATED, Plan
from schedcheck.spec.binding import completed
from schedcheck.spec.decisions import Bind, Decision, Nominate, Wait
from schedcheck.spec.kubernetes.cycle import Cycle
from schedcheck.spec.kubernetes.filter import Verdict, admitted
from schedcheck.spec.kubernetes.node_info import NodeInfo
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.preemption.choice import Casualty, casualty
from schedcheck.spec.kubernetes.preemption.dry_run import Candidate, DryRun
from schedcheck.spec.kubernetes.preemption.eligibility import waits_on
from schedcheck.spec.kubernetes.preemption.post_filter import post_filter
from schedcheck.spec.kubernetes.preemption.ties import possible
from schedcheck.spec.kubernetes.scores.arithmetic import Scores
from schedcheck.spec.kubernetes.scores.scored import SCORE_PLUGINS, Scored, ScorePlugin, scored
from schedcheck.spec.kubernetes.select_host import choice_among, open_to_scores
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.profiles import Profile, by_scheduler_name
from schedcheck.spec.properties.kinds import Step
from schedcheck.spec.properties.of_decisions import budget_violations
from schedcheck.spec.published.preemption import victim_sets
from schedcheck.spec.refusal import Refusal

OF_A_BINDING = OF_OPTIONS | OF_OUTCOMES | {"bind_most_viable"}
"""Properties of a binding, or of waiting, that are judged when the answers for all nodes are known."""

OF_THE_NODE = OF_CHOICES - OF_A_BINDING
"""Properties of a binding that look at one node."""


@dataclass(frozen=True)
class Told(DryRun):
    """A dry run whose result for each node is already known."""

    told: Mapping[str, Evicted]

    @cached_property
    def verdicts(self) -> frozendict[str, Verdict]:
        """The verdict answered for each node."""
        return frozendict({info.node.name: self.told[info.node.name].verdict for info in self.cycle.infos})

    @cached_property
    def outcomes(self) -> frozendict[str, Candidate | Refusal]:
        """The refusal of each potential node, or one candidate that stands for all candidates there."""
        return frozendict(
            {
                info.node.name: self.told[info.node.name].why or Candidate(info.node, (), 0)
                for info in self.potential_nodes
            }
        )


class Kube:
    """The loop of kube-scheduler; `steps` are the properties asked of decisions."""

    def __init__(self, plan: Plan, steps: Sequence[Step]) -> None:
        self.sights = plan.sights
        self.own, self.judge = plan.machine.profile, plan.judge
        self.steps = [(number, each) for number, each in enumerate(steps) if each.name in DEFINITIONS]
        self.rates_viability = any(each.name == "bind_most_viable" for each in steps)
        # `highest_priority_first` also depends on waiting pods, which the answers for nodes do not contain.
        self._remembers = all(each.name != "highest_priority_first" for each in steps)
        # This property reads only whether the node is feasible to the judge.
        self._only_feasible = OF_THE_NODE & {each.name for _, each in self.steps} <= {"bind_feasible"}
        self._comparing = [number for number, each in self.steps if each.name == FEWEST_BUDGETS_VIOLATED]
        self._trials, self._sample = (
            Trials(plan.sights),
            Sample(
                self.own, Judging(self.judge, self._broken_by_whole_cycles, self.rates_viability, bool(self._comparing))
            ),
        )
        self._fitting = replace(self.judge, feasibility=self._fits)
        self._known: dict[Hashable, Any] = {}
        self._raw: Mapping[str, Raw] = {}
        self._plugins = tuple(self._given())

    def admission(self, pod: Pod, node: Node, snapshot: Snapshot) -> Admitted:
        """Return everything about the node that matters to `choice`. Raises Differs."""
        found = self._admission(pod, node, snapshot)
        if self._sample.due(snapshot):
            self._sample.admission(Bind(pod, node), snapshot, found)
        return found

    def _admission(self, pod: Pod, node: Node, snapshot: Snapshot) -> Admitted:
        shown = self._trials.shown(pod, node, snapshot, evicting=False)
        verdict, judged = (self._trials.verdict(shown, profile) for profile in (self.own, self.judge))
        verdict = for_choice(verdict)
        raw = breaks = None
        if verdict.refusal is None:
            raw = self._trials.raw(shown, self.own)
            breaks = self._broken_there(shown, feasible=judged.refusal is None)
        fits = judged.refusal is None
        rated = self._trials.raw(shown, self.judge) if fits and self.rates_viability else None
        return Admitted(verdict, raw, rated, breaks or 0, fits)

    def _broken_there(self, shown: Shown, *, feasible: bool) -> int:
        """Return a bit for each property of a binding that looks at one node and is broken; `feasible`: to the judge."""
        if not self._only_feasible or feasible not in self._known:
            bind = Bind(shown.pod, shown.node)
            self._known[feasible] = self._broken(bind, shown.snapshot, self._fitting, OF_THE_NODE)
        broken: int = self._known[feasible]
        return broken

    def evictions(self, pod: Pod, node: Node, snapshot: Snapshot) -> tuple[Evicted, Sequence[Option]]:
        """Return all that matters of the node to `outcome`, and the victim sets the pod may evict there. Raises Differs."""
        matters, options = self._evictions(pod, node, snapshot)
        if self._sample.due(snapshot):
            self._sample.evictions(pod, node, snapshot, matters, options)
        return matters, options

    def _evictions(self, pod: Pod, node: Node, snapshot: Snapshot) -> tuple[Evicted, Sequence[Option]]:
        seen, trials = self.sights.of_kube(pod), self._trials
        if seen is None:
            return self._tried(trials.shown(pod, node, snapshot, evicting=True), node)
        victims = [
            each
            for each in snapshot.pods
            if each.node_name == node.name and not completed(each) and each.priority < pod.priority
        ]
        # Similar victims are interchangeable in the question; `order` maps the answer back to the actual pods.
        numbered = sorted((trials.victim(seen, each), place) for place, each in enumerate(victims))
        company = (trials.company(seen, each, node.name) for each in snapshot.pods if each is not pod)
        question = (
            seen.nameless,
            seen.node_label(seen.shown_node(node), pod),
            tuple(number for number, _ in numbered),
            tuple(sorted(each for each in company if each >= 0)),
            snapshot.budgets,
            tuple(map(seen.far_node, snapshot.nodes)) if seen.looks_far else (),
        )
        order = [victims[place] for _, place in numbered]
        if question not in self._known:
            matters, options = self._tried(trials.shown(pod, node, snapshot, evicting=True), node)
            places = {victim: place for place, victim in enumerate(order)}
            kinds = [(each.kind, [places[victim] for victim in each.decision.victims], each.breaks) for each in options]
            self._known[question] = matters.but(waits=False), kinds
        matters, kinds = self._known[question]
        if pod.nominated_node_name == node.name:
            there = NodeInfo(node, tuple(victims), frozenset())
            matters = matters.but(waits=waits_on(pod, there, {node.name: matters.verdict}))
        return matters, [
            Option(kind, Nominate(pod, node, frozenset(order[place] for place in places)), breaks)
            for kind, places, breaks in kinds
        ]

    def _tried(self, shown: Shown, node: Node) -> tuple[Evicted, Sequence[Option]]:
        verdict = self._trials.verdict(shown, self.own)
        run = given(DryRun(self._trials.evicting(shown, self.own)), verdicts=frozendict({node.name: verdict}))
        (info,) = run.cycle.infos
        candidates = possible(run, info) if run.potential_nodes else frozenset()
        costs = sorted({self._cost(each, shown) for each in candidates})
        judge = self._fitting
        # The same victims may result from several orders, at different costs: they are allowed if the lowest cost is.
        kinds: dict[frozenset[Pod], int] = {}
        for each in candidates:
            victims, kind = frozenset(each.victims), costs.index(self._cost(each, shown))
            kinds[victims] = min(kind, kinds.get(victims, kind))
        options = []
        for victims, kind in kinds.items():
            decision = Nominate(shown.pod, shown.node, victims)
            breaks = self._broken(decision, shown.snapshot, judge, OF_OPTIONS)
            options.append(Option(kind, replace(decision, node=node), breaks))
        why = None if candidates else next(iter(run.statuses.values()), None)
        waits = waits_on(shown.pod, info, run.verdicts)
        sets = victim_sets(*shown, judge) if self._comparing else frozenset()
        least = min((budget_violations(each, shown.snapshot) for each in sets), default=None)
        paid, violated = tuple(cost for cost, _ in costs), tuple(number for _, number in costs)
        told = Evicted(verdict, paid, why and reduced(why), waits, self._fits(*shown), violated, least)
        return told, options

    def _cost(self, candidate: Candidate, shown: Shown) -> tuple[Casualty, int]:
        """Return what tells options on a node apart: their cost and, if asked, the number of violated budgets."""
        violated = budget_violations(frozenset(candidate.victims), shown.snapshot) if self._comparing else 0
        return casualty(candidate), violated

    def choice(self, pod: Pod, snapshot: Snapshot, answers: Mapping[str, Any]) -> tuple[Sequence[Ending], bool]:
        """Return where the pod may be bound, or that its cycle ends in an error; and whether to ask for `outcome`.

        Raises Differs.
        """
        endings, asks_more = self._chosen(pod, snapshot, answers)
        if self._sample.due(snapshot):
            self._sample.decision(pod, snapshot, endings, None if asks_more else {})
        return endings, asks_more

    def _chosen(self, pod: Pod, snapshot: Snapshot, answers: Mapping[str, Any]) -> tuple[Sequence[Ending], bool]:
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
        seen = self.sights.of_kube(pod)
        gone = frozenset(each for each in snapshot.pods if each is pod or completed(each))
        others = snapshot - gone if seen is None else seen.shown_to_choice(snapshot)
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
        """Return the kinds of candidates that may be nominated on each node, or that the pod waits. Raises Differs."""
        endings = self._ended(pod, snapshot, answers)
        if self._sample.due(snapshot):
            self._sample.decision(pod, snapshot, endings, answers)
        return endings

    def _ended(self, pod: Pod, snapshot: Snapshot, answers: Mapping[str, Any]) -> Sequence[Ending]:
        seen = self.sights.of_kube(pod)
        if seen is None or not self._remembers:
            return list(self._outcome(pod, snapshot, answers))
        question = seen.pod, pod.nominated_node_name, "outcome", tuple(answers.items())
        if question not in self._known:
            self._known[question] = list(self._outcome(pod, snapshot, answers))
        return [Ending(replace(each.decision, pod=pod), each.breaks, each.kind) for each in self._known[question]]

    def _outcome(self, pod: Pod, snapshot: Snapshot, answers: Mapping[str, Any]) -> Iterable[Ending]:
        judge = replace(self.judge, feasibility=lambda _pod, node, _snapshot: answers[node.name].feasible)
        run = Told(self._trials.of_all(pod, snapshot, self.own), answers)
        said = post_filter(run)
        if said.code != "Success":
            wait = Wait(pod, "", said.unnominated and pod.nominated_node_name != "")
            yield Ending(wait, self._broken(wait, snapshot, judge, OF_A_BINDING))
            return
        # These are the candidates that `permitted` allows, compared by cost.
        worst = min(max(answer.costs) for answer in answers.values() if answer.costs)
        for node in snapshot.nodes:
            violated = answers[node.name].violated
            for number, cost in enumerate(answers[node.name].costs):
                if cost <= worst:
                    nominate = Nominate(pod, node, frozenset())
                    breaks = self._broken(nominate, snapshot, judge, OF_OUTCOMES)
                    if any(each.least is not None and each.least < violated[number] for each in answers.values()):
                        breaks |= sum(1 << question for question in self._comparing)
                    yield Ending(nominate, breaks, number)

    def _judge_of(self, pod: Pod, others: Snapshot, answers: Mapping[str, Any]) -> Profile:
        """Return the judge, with feasibility and viability read from the answers for each node."""
        raw = {name: answer.judged for name, answer in answers.items() if answer.judged is not None}

        @cache
        def totals() -> Scores:
            return self._scored(pod, others, by_scheduler_name(pod, self.judge.plugins), raw).total if raw else {}

        return replace(
            self.judge,
            feasibility=lambda _pod, node, _snapshot: answers[node.name].fits,
            viability=lambda _pod, node, _snapshot: totals().get(node.name, 0),
        )

    def _scored(self, pod: Pod, others: Snapshot, plugins: Plugins, raw: Mapping[str, Raw]) -> Scored:
        """Return the scores of the nodes in `raw`, which holds their raw scores by the plugins of `RATED`."""
        self._raw = raw
        nodes = tuple(node for node in others.nodes if node.name in raw)
        return scored(pod, nodes, others, plugins, self._plugins)

    def _given(self) -> Iterator[ScorePlugin]:
        """Yield the score plugins; those of `RATED` return the given raw scores."""

        def given(place: int) -> Callable[..., Scores]:
            return lambda *_: {name: each[place] for name, each in self._raw.items()}

        for plugin in SCORE_PLUGINS:
            known = replace(plugin, raw=given(RATED.index(plugin))) if plugin in RATED else plugin
            yield replace(known, skipped=lambda *_: False) if plugin is COMPANY else known

    def _broken(self, decision: Decision, before: Snapshot, judge: Profile, names: Container[str]) -> int:
        """Return a bit for each of the named properties that the decision breaks."""
        return sum(
            1 << number
            for number, question in self.steps
            if type(decision) in question.kinds
            and question.name in names
            and not DEFINITIONS[question.name](before, decision, judge)
        )

    def _broken_by_whole_cycles(self, decision: Decision, before: Snapshot, names: Container[str]) -> int:
        return self._broken(decision, before, self.judge, names)

    def _fits(self, pod: Pod, node: Node, snapshot: Snapshot) -> bool:
        """Whether the judge finds the node feasible."""
        return self._trials.verdict(Shown(pod, node, snapshot), self.judge).refusal is None
