"""Whether a reply is allowed on one knowledge: `Opinions`, `OnStanding`.

The judge of all nodes at once decides, and small clusters with plugins that it lacks are left to the definitions.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from schedcheck.checker.judging.judge import Question, judged_by
from schedcheck.checker.judging.judge import judge as judge_by_definitions
from schedcheck.checker.judging.judged import Judged, Strictness
from schedcheck.checker.judging.matching import EVICTING, WAITING, matches
from schedcheck.checker.judging.reply import Reply
from schedcheck.checker.judging.tellings import nomination_kept
from schedcheck.checker.judging.turn import not_in_turn
from schedcheck.checker.judging.views import View
from schedcheck.checker.replaying.knowledge import Knowledge
from schedcheck.checker.replaying.sampling import sampled_bind, sampled_candidates, wanted_candidates, wanted_nodes
from schedcheck.checker.vectors.counting import Counting
from schedcheck.checker.vectors.filtering import PASSED
from schedcheck.checker.vectors.judge import CycleJudge
from schedcheck.checker.vectors.trials import TooManyOrders, permitted_nominations
from schedcheck.spec.decisions import Bind, Decision, Nominate, Wait
from schedcheck.spec.kubernetes.control_loop import UNMODELLED
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.profiles import Profile, by_scheduler_name
from schedcheck.spec.refusal import Refusal

TOO_MANY_ORDERS = "the potential victims are equally important and can be reprieved in too many orders"
SAMPLE = "it depends on the feasible nodes at which the search stopped, which are not recorded"
CANDIDATES = "it depends on the candidates at which the dry run stopped, which are not recorded"
SMALL_ONLY = "the plugins of the profile are judged on small clusters only"
LARGEST_BY_DEFINITIONS = 100
"""The least number of nodes that are not left to the definitions."""

ALLOWED = Judged("allowed", judged={"decision": (1, 1)})


@dataclass(frozen=True)
class OnStanding:
    """The result of a cycle, from the judge of all nodes at once."""

    judge: CycleJudge
    pod: Pod
    plugins: Plugins

    @cached_property
    def cycle(self) -> Counting:
        """The cycle."""
        return self.judge.cycle(self.pod, self.plugins)

    @cached_property
    def numbers(self) -> "np.typing.NDArray[np.int64]":
        """The number of each node's refusal."""
        return self.judge.profile(self.plugins)[0].numbers(self.cycle)

    @cached_property
    def decisions(self) -> frozenset[Decision]:
        """The allowed decisions if all nodes are looked at; some of them if there are too many."""
        return self.among(frozenset())

    def among(self, made: frozenset[Decision]) -> frozenset[Decision]:
        """Return the allowed decisions; `made` alone if it is an allowed nomination. Raises: TooManyOrders."""
        return self.judge.judged_by(self.cycle, self.numbers, self.plugins, made).decisions

    @property
    def feasible(self) -> tuple[str, ...]:
        """The names of the feasible nodes."""
        return tuple(self.judge.there.names[place] for place in np.flatnonzero(self.numbers == PASSED))

    @cached_property
    def totals(self) -> Mapping[str, int]:
        """The total scores of the feasible nodes, if there are several."""
        places = np.flatnonzero(self.numbers == PASSED)
        nominated = self.judge.there.place.get(self.pod.nominated_node_name)
        if len(places) < 2 or self.failing or nominated in places or not self.plugins.at("score"):
            return {}
        weighted = self.judge.profile(self.plugins)[1].weighted(self.cycle, places)
        if isinstance(weighted, str):
            return {}
        sums = sum(weighted.values(), np.zeros(len(places), np.int64)).tolist()
        return {self.judge.there.names[place]: score for place, score in zip(places, sums, strict=True)}

    @cached_property
    def failing(self) -> str:
        """The error in which the cycle ends."""
        return self.judge.choice_of(self.cycle, self.numbers, self.plugins).error

    def refusals(self, node: str) -> tuple[Refusal, ...]:
        """Return the recorded refusal of a node."""
        verdict = self.judge.profile(self.plugins)[0].verdicts[self.numbers[self.judge.there.place[node]]]
        return () if verdict is None or verdict.refusal is None else (verdict.refusal,)


class Opinions:
    """The verdict on replies, by one profile of kube-scheduler and one strictness."""

    def __init__(self, profile: Profile, strictness: Strictness) -> None:
        assert profile.scheduler.has_plugins
        self.profile, self.strictness = profile, strictness

    @property
    def schedulers(self) -> frozenset[str]:
        """The names of the judged schedulers."""
        return frozenset(each.scheduler_name for each in self.profile.plugins)

    def quick(self, known: Knowledge, pod: Pod, reply: Reply) -> Judged:
        """Return the verdict on a reply about a pod of the cluster, without numbers and without what is allowed instead."""
        judge, plugins = known.judge, by_scheduler_name(pod, self.profile.plugins)
        waiting = not_in_turn(pod, Snapshot((pod,)), self.profile)
        if waiting:
            return Judged("refused", "turn", (waiting,), judged={"decision": (1, 1)})
        missing = self._missing(known, reply)
        if missing:
            return Judged("refused", "exists", missing, judged={"decision": (1, 1)})
        if judge.there.claiming(pod, plugins) and len(judge.there) >= LARGEST_BY_DEFINITIONS:
            return Judged("unknown", reasons=(UNMODELLED,))
        if not judge.judges(pod, plugins):
            if len(judge.there) >= LARGEST_BY_DEFINITIONS:
                return Judged("unknown", reasons=(SMALL_ONLY,))
            return judge_by_definitions(pod, judge.there.snapshot(), self.profile, reply, self.strictness)
        view = OnStanding(judge, pod, plugins)
        try:
            return self._by(view, known, reply)
        except TooManyOrders:
            return Judged("unknown", reasons=(TOO_MANY_ORDERS,))

    def full(self, known: Knowledge, pod: Pod, reply: Reply) -> Judged:
        """Return the verdict with the clause, the numbers, and what is allowed instead."""
        found = self.quick(known, pod, reply)
        plugins = by_scheduler_name(pod, self.profile.plugins)
        if found.clause in ("turn", "exists") or not known.judge.judges(pod, plugins) or found.verdict == "unknown":
            return found
        told = judged_by(OnStanding(known.judge, pod, plugins), self._question(known, pod, reply))
        if told.verdict == found.verdict:
            return replace(told, reasons=told.reasons or found.reasons)
        return replace(found, allowed=told.allowed, numbers=told.numbers)

    def _question(self, known: Knowledge, pod: Pod, reply: Reply) -> Question:
        return Question(pod, known.judge.there.snapshot(), self.profile, reply, self.strictness)

    def _missing(self, known: Knowledge, reply: Reply) -> tuple[str, ...]:
        there = known.judge.there
        found = [f"there is no node {reply.node}"] if reply.node and reply.node not in there.place else []
        gone = (key for key in sorted(reply.victims or ()) if key not in there.pods)
        return (*found, *(f"there is no pod {'/'.join(key)}" for key in gone))

    def _by(self, view: OnStanding, known: Knowledge, reply: Reply) -> Judged:
        """Return the verdict by the cycle. Raises: TooManyOrders."""
        place = view.judge.there.place.get(reply.node, -1)
        if reply.kind == "bind" and self.strictness == "feasible":
            return ALLOWED if view.numbers[place] == PASSED else self._refused(view, known, reply)
        if reply.kind == "bind" and view.numbers[place] != PASSED:
            return Judged("refused", "filters", judged={"decision": (1, 1)})
        if reply.kind in WAITING and (view.numbers == PASSED).any():
            return self._refused(view, known, reply) if view.failing == "" else ALLOWED
        if reply.kind == "bind" and self._in_part(view):
            return self._sampled(view, known, reply, place)
        decisions = view.among(self._made(view, known, reply))
        if any(matches(reply, each) for each in decisions):
            return self._told(view, known, reply, decisions)
        if reply.kind in EVICTING and self.strictness != "feasible":
            return self._candidates(view, known, reply)
        return self._refused(view, known, reply)

    def _in_part(self, view: OnStanding) -> bool:
        """Whether the search stops before it has seen all feasible nodes; the nominated node is looked at first."""
        feasible = int((view.numbers == PASSED).sum())
        own = view.judge.there.place.get(view.pod.nominated_node_name)
        if own is not None and view.numbers[own] == PASSED:
            return False
        return feasible > wanted_nodes(view.judge, view.cycle, view.plugins) and view.failing == ""

    def _made(self, view: OnStanding, known: Knowledge, reply: Reply) -> frozenset[Decision]:
        there = view.judge.there
        if reply.kind == "bind":
            return frozenset({Bind(view.pod, there.infos[there.place[reply.node]].node)})
        if reply.kind == "nominate" and reply.victims is not None:
            victims = frozenset(known.judge.there.pods[key] for key in reply.victims)
            return frozenset({Nominate(view.pod, there.infos[there.place[reply.node]].node, victims)})
        return frozenset()

    def _sampled(self, view: OnStanding, known: Knowledge, reply: Reply, place: int) -> Judged:
        """Return the verdict on a binding if the search stopped at enough feasible nodes."""
        found = self._told_sample(view, reply)
        if found is None:
            found = sampled_bind(view.judge, view.cycle, view.numbers, view.plugins, place)
        if found == "unknown":
            return Judged("unknown", reasons=(SAMPLE,))
        if found == "refused":
            return Judged("refused", "bestScore", judged={"decision": (1, 1)})
        return self._told(view, known, reply, frozenset()) if self.strictness != "exact" else ALLOWED

    def _told_sample(self, view: OnStanding, reply: Reply) -> "str | None":
        """Return the verdict by the nodes that the reply scores, if these may be the ones found."""
        if reply.scores is None:
            return None
        there = view.judge.there
        places = np.array([there.place[name] for name in reply.scores if name in there.place], np.int64)
        fits = len(places) == len(reply.scores) == wanted_nodes(view.judge, view.cycle, view.plugins)
        if not fits or (view.numbers[places] != PASSED).any():
            return "refused"
        best = view.judge.profile(view.plugins)[1].best(view.cycle, places)
        return "allowed" if not isinstance(best, str) and there.place[reply.node] in best else "refused"

    def _candidates(self, view: OnStanding, known: Knowledge, reply: Reply) -> Judged:
        """Return the verdict on a nomination if the dry run stopped at enough candidates."""
        if view.feasible or view.failing or not reply.node:
            return self._refused(view, known, reply)
        filtering, _ = view.judge.profile(view.plugins)
        run = view.judge.run(view.cycle, view.numbers, filtering)
        if run.said.code != "Success" or wanted_candidates(len(run.potential), view.plugins) is None:
            return self._refused(view, known, reply)
        part = sampled_candidates(run, view.plugins, reply.node)
        if part is None:
            return Judged("refused", "leastCasualty", judged={"decision": (1, 1)})
        found = permitted_nominations(part, self._made(view, known, reply))
        if any(matches(reply, each) for each in found):
            return ALLOWED
        return Judged("unknown", reasons=(CANDIDATES,))

    def _told(self, view: OnStanding, known: Knowledge, reply: Reply, decisions: frozenset[Decision]) -> Judged:
        """Return the verdict on what the reply tells beside a decision that is allowed."""
        if self.strictness == "exact":
            return judged_by(view, self._question(known, view.pod, reply))
        if (
            self.strictness == "best"
            and reply.unnominated is not None
            and any(isinstance(each, Wait) for each in decisions)
        ):
            broken = list(nomination_kept(view, reply))
            if broken:
                return Judged("refused", broken[0].clause, tuple(each.reason for each in broken))
        return ALLOWED

    def _refused(self, view: View, known: Knowledge, reply: Reply) -> Judged:
        assert isinstance(view, OnStanding)
        if self.strictness != "feasible" and reply.kind in WAITING:
            return Judged("refused", "feasibleNode" if view.feasible else "preempts", judged={"decision": (1, 1)})
        if self.strictness != "feasible" and reply.kind == "bind":
            return Judged("refused", "bestScore", judged={"decision": (1, 1)})
        return judged_by(view, self._question(known, view.pod, reply))
