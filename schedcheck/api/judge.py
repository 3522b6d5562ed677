"""Whether a scheduler's decision is allowed: `judge`, `Judged`, and many of one profile, `Judging`."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from schedcheck.api.answer import Answer, within
from schedcheck.api.naming import pod_named
from schedcheck.api.preparing import Prepared, ignored, left_over, prepared
from schedcheck.api.values import SECONDS, SILENT, Limits, Observer, Profile, as_profile, noting
from schedcheck.checker.judging import judged as core
from schedcheck.checker.judging.judge import judge as judge_reply
from schedcheck.checker.judging.judged import STRICTNESSES, Numbers, Strictness, Verdict
from schedcheck.checker.judging.reply import Reply
from schedcheck.checker.judging.rules import Rule
from schedcheck.checker.limits.effort import Effort, Spent
from schedcheck.checker.limits.parameters import parameter
from schedcheck.errors import InputError, Unanswerable
from schedcheck.manifests import Cluster
from schedcheck.manifests.documents import Document
from schedcheck.manifests.fields import Field
from schedcheck.manifests.int64 import refuse_beyond_int64
from schedcheck.manifests.looked_at import lost
from schedcheck.manifests.replies import reply as reply_of
from schedcheck.manifests.seen import seen
from schedcheck.model.profiles import profile_of
from schedcheck.model.scenario import Scenario
from schedcheck.report.json.judged import judged_json
from schedcheck.report.json.pieces import FORMAT, Json, reference
from schedcheck.report.text.left_aside import left_aside_json
from schedcheck.spec.decisions import Decision
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.properties.kinds import Always, Step
from schedcheck.version import __version__


@dataclass(frozen=True)
class Judged(Answer):
    """The judgement of a scheduler's decision about one pod.

    verdict
        "allowed", "refused", or "unknown" where it depends on what is not modelled, or was not asked.
    clause
        The clause that refuses it, a key of `schedcheck.checker.judging.judged.CLAUSES`; empty if none does.
    reasons
        Why it is refused or unknown, a sentence each.
    allowed
        Every decision that the specification allows.
    numbers
        The score of the node beside the best; the casualty of the victims beside the specified and the least one.
    parts
        For each part of the reply how much of it was judged, and how much of it there is.
    """

    pod: Pod
    profile: str
    strictness: Strictness
    verdict: Verdict
    clause: str
    reasons: tuple[str, ...]
    allowed: tuple[Decision, ...]
    numbers: Numbers
    parts: Mapping[str, tuple[int, int]]
    notes: tuple[str, ...]
    found: core.Judged = field(repr=False)
    aside: Scenario = field(repr=False)

    @property
    def exit_code(self) -> int:
        """0 where it is allowed, 1 where it is refused, 2 where that is unknown."""
        return EXIT_CODES[self.verdict]

    def to_json(self) -> Json:
        """Return what a line of `schedcheck oracle` holds."""
        return {
            "format": FORMAT,
            "schedcheck": __version__,
            "pod": reference(self.pod),
            "profile": self.profile,
            "strictness": self.strictness,
            **judged_json(self.found),
            "notes": list(self.notes),
            **left_aside_json(self.aside),
        }


EXIT_CODES: Mapping[str, int] = {"allowed": 0, "refused": 1, "unknown": 2}
"""The exit code of each verdict."""


def judge(
    cluster: Cluster,
    pod: str,
    reply: Reply | Mapping[str, Any],
    *,
    profile: Profile | str | None = None,
    strictness: Strictness = "best",
    least: bool = False,
    limits: Limits | None = None,
    observer: Observer = SILENT,
) -> Judged:
    """Say whether a scheduler that knows the cluster may decide so about a pod (`web-1`, `shop/web-1`).

    reply
        The decision: `{"kind": "bind", "node": "node-1"}`, or of kind nominate, evict, unschedulable or error, with what
        else the scheduler tells (docs/oracle.md).
    strictness
        "feasible" (any feasible node, any victims that help), "best" (what the specification allows, with every tie) or
        "exact" (also the scores, refusals and texts that the reply tells).
    least
        Whether the least casualty is proved, beside that of the reply.

    Raises: InputError, Unanswerable, GaveUp.
    """
    limits = limits or Limits()
    with within(limits):
        told, said = noting(observer)
        wanted = pod_named(pod, None, cluster, parameter("pod"))
        made = Judging(prepared(cluster, as_profile(profile), told), strictness, least, limits)
        return made.judged(cluster, wanted, read_reply(reply), notes=tuple(said))


def read_reply(given: Reply | Mapping[str, Any]) -> Reply:
    """Return the reply of a map. Raises: InputError."""
    if isinstance(given, Reply):
        return given
    return reply_of(Field(Document("", 0, dict(given), within="reply"), dict(given)))


LEFT_OVER = "the node may be left over from an earlier pod (feature gate OpportunisticBatching), which is not modelled"
"""The reason why a feasible node that is not the best may still be the choice of kube-scheduler."""


class Judging:
    """The judgement of many replies by one profile.

    The profile, its configuration and its rules are read once.
    """

    def __init__(self, made: Prepared, strictness: Strictness, least: bool, limits: Limits) -> None:
        """Raises: InputError for a strictness that there is not, or a rule that no decision can break."""
        if strictness not in STRICTNESSES:
            raise InputError(
                f"expected one of {', '.join(STRICTNESSES)}", path=parameter("strictness"), value=strictness
            )
        self.scenario, self.schedulers, self.given = made.scenario, made.given.schedulers, made.given
        self.strictness, self.least, self.limits = strictness, least, limits
        self.profile = profile_of(made.scenario)
        self.rules = tuple(_rules(made))

    def judged(
        self,
        cluster: Cluster,
        pod: Pod,
        reply: Reply,
        strictness: Strictness | None = None,
        notes: tuple[str, ...] = (),
    ) -> Judged:
        """Return the judgement of a reply about a pod of the cluster."""
        visible = seen(cluster, self.schedulers)
        strict = strictness or self.strictness
        found = self._judged(visible, pod, reply, strict)
        profile = self.scenario.profile
        return Judged(
            pod=pod,
            profile=profile,
            strictness=strict,
            verdict=found.verdict,
            clause=found.clause,
            reasons=found.reasons,
            allowed=found.allowed,
            numbers=found.numbers,
            parts=found.judged,
            notes=notes,
            found=found,
            aside=Scenario(
                "", (), (), profile=profile, not_looked_at=ignored(visible, profile, self.given), lost=lost(visible)
            ),
        )

    def snapshot(self, visible: Cluster, pod: Pod) -> Snapshot:
        """Return the cluster as the scheduler sees it, with the pod."""
        if self.scenario.scheduler.surroundings:
            return visible.snapshot(pod)
        return Snapshot.of({*visible.pods, pod}, visible.nodes, visible.namespaces)

    def _judged(self, visible: Cluster, pod: Pod, reply: Reply, strictness: Strictness) -> core.Judged:
        if self.scenario.scheduler.int64:
            try:
                refuse_beyond_int64((*visible.pods, pod), visible.nodes)
            except Unanswerable as why:
                return core.Judged("unknown", reasons=(str(why),))
        found = self._by_definitions(visible, pod, reply, strictness)
        alone = replace(visible, pods=(pod,))
        if found.clause == "bestScore" and left_over(alone, self.scenario.profile, self.given):
            return replace(found, verdict="unknown", clause="", reasons=(LEFT_OVER,))
        return found

    def _by_definitions(self, visible: Cluster, pod: Pod, reply: Reply, strictness: Strictness) -> core.Judged:
        effort = Effort(self.limits.rounds, self.limits.seconds or SECONDS)
        return judge_reply(
            pod,
            self.snapshot(visible, pod),
            self.profile,
            reply,
            strictness,
            rules=self.rules,
            spent=Spent(effort) if self.least else None,
        )


def _rules(made: Prepared) -> "list[Rule]":
    """Return the user's properties that a decision may break. Raises: InputError for another kind."""
    found: list[Rule] = []
    for each in () if made.extensions is None else made.extensions.properties:
        if not isinstance(each, Always | Step):
            raise InputError(
                "asks for a behaviour, and a decision is one step", path=parameter("profile.rules"), value=each.name
            )
        found.append(each)
    return found
