"""A scheduler's record replayed: each decision judged by what the scheduler may have known: `replay`, `Replayed`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from schedcheck.api.answer import Answer, within
from schedcheck.api.preparing import configured, of_kube_scheduler
from schedcheck.api.values import SILENT, Limits, Observer, Profile, as_profile, noting
from schedcheck.checker.judging.judged import STRICTNESSES, Strictness
from schedcheck.checker.limits.parameters import parameter
from schedcheck.checker.limits.timer import LimitReached, doing, ended
from schedcheck.checker.replaying.exploring import Lag
from schedcheck.checker.replaying.opinion import Opinions
from schedcheck.checker.replaying.records import Record
from schedcheck.checker.replaying.replay import Finding, Options, Outcome, Replay
from schedcheck.errors import InputError
from schedcheck.manifests import Cluster, reading
from schedcheck.manifests.durations import nanoseconds
from schedcheck.manifests.int64 import refuse_beyond_int64
from schedcheck.manifests.traces.forms import Trace, trace_of
from schedcheck.report.json.pieces import Json
from schedcheck.report.json.replay import replay_json
from schedcheck.spec.profiles import departing, kubernetes

NAME = "kubernetes"
LAG = "1s"
LAG_CHANGES = 16
TRIES = 2000
EVERY = 200
"""The decisions between two looks at the clock's words."""


@dataclass(frozen=True)
class Replayed(Answer):
    """What a replay came to.

    form
        The form of the record: "schedcheck", "audit", "events" or "simulator".
    decisions, verdicts
        The number of decisions, and how many are allowed, refused, unknown and not judged.
    first
        The first decision that no knowledge explains; None if there is none.
    findings
        The first refused and unknown decisions.
    stopped
        Why the replay stopped before the end of the record; empty if it did not.
    """

    form: str
    profile: str
    strictness: Strictness
    decisions: int
    verdicts: Mapping[str, int]
    first: Finding | None
    findings: tuple[Finding, ...]
    stopped: str
    notes: tuple[str, ...]
    outcome: Outcome = field(repr=False)
    options: Options = field(repr=False)

    @property
    def exit_code(self) -> Literal[0, 1, 2]:
        """1 if a decision is refused; 2 if one is unknown, the record contradicts itself, or the replay stopped; else 0."""
        if self.first is not None:
            return 1
        return 2 if self.stopped or self.verdicts["unknown"] or self.outcome.contradictions else 0

    def to_json(self) -> Json:
        """Return what `schedcheck replay --format json` prints."""
        return replay_json(
            self.form, self.profile, self.strictness, self.options, self.outcome, self.notes, self.exit_code
        )


def replay(
    trace: str | Path,
    onto: Cluster | None = None,
    *,
    profile: Profile | str | None = None,
    strictness: Strictness = "best",
    lag: str | float = LAG,
    tries: int = TRIES,
    limits: Limits | None = None,
    observer: Observer = SILENT,
) -> Replayed:
    """Judge every decision in a record by what the scheduler may have known when it made it.

    trace
        A file, plain or gzipped, or "-": JSON lines of events and decisions, the API server's audit log, Kubernetes events,
        or pods with the result annotations of kube-scheduler-simulator. The form is recognized by the content.
    onto
        The cluster before the record.
    strictness
        As of `judge`.
    lag
        How late the scheduler may learn of a change, as a duration (`500ms`) or in seconds.
    tries
        How many knowledges are tried for a decision; it is unknown if there are more.

    Raises: InputError, GaveUp.
    """
    limits = limits or Limits()
    with within(limits):
        told, said = noting(observer)
        options = Options(Lag(_seconds(lag), LAG_CHANGES), _at_least_one(tries))
        cluster = onto or Cluster()
        name, opinions = _opinions(of_kube_scheduler(cluster, as_profile(profile)), strictness, told)
        refuse_beyond_int64(cluster.pods, cluster.nodes)
        with reading():
            found = trace_of(str(trace), cluster)
            options = replace(options, in_order=found.in_order, complete=found.complete)
            made = Replay(found.start, opinions, options)
            outcome = _run(made, found)
        for note in found.notes():
            told.note(note)
    if not outcome.decisions and not outcome.stopped:
        raise InputError("expected a decision of the scheduler, but there is none", file=str(trace))
    return Replayed(
        form=found.form,
        profile=name,
        strictness=strictness,
        decisions=outcome.decisions,
        verdicts={each: outcome.verdicts[each] for each in ("allowed", "refused", "unknown", "not judged")},
        first=outcome.first,
        findings=tuple(outcome.findings),
        stopped=outcome.stopped,
        notes=tuple(said),
        outcome=outcome,
        options=options,
    )


def _run(made: Replay, found: Trace) -> Outcome:
    """Run the replay; what it came to is kept where a limit or an interrupt ends it."""

    def told() -> Iterator[Record]:
        for number, record in enumerate(found.records):
            if number % EVERY == 0:
                doing(f"replaying, {made.outcome.decisions:,} decisions")
            yield record

    try:
        return made.run(told())
    except (LimitReached, KeyboardInterrupt) as end:
        made.outcome.stopped = ended(end) if isinstance(end, LimitReached) else "interrupted"
        return made.outcome


def _opinions(profile: Profile, strictness: Strictness, observer: Observer) -> tuple[str, Opinions]:
    """Return the name of the profile, and the verdicts by it. Raises: InputError."""
    if strictness not in STRICTNESSES:
        raise InputError(f"expected one of {', '.join(STRICTNESSES)}", path=parameter("strictness"), value=strictness)
    name = profile.name or NAME
    for what, value in (("profile.plugins", profile.plugins), ("profile.rules", profile.rules)):
        if value:
            raise InputError("out-of-tree plugins are not replayed", path=parameter(what))
    given = configured(profile, None, profile.ask_extenders, observer)
    if any(each.extenders for each in given.plugins):
        raise InputError("expected extenders that are not asked", path=parameter("profile.ask_extenders"))
    return name, Opinions(kubernetes(name, departing(name, given.plugins)), strictness)


def _seconds(lag: str | float) -> float:
    found = nanoseconds(lag) if isinstance(lag, str) else round(lag * 10**9)
    if found is None or found < 0:
        raise InputError("expected a duration, such as 500ms or 2s", path=parameter("lag"), value=lag)
    return found / 10**9


def _at_least_one(tries: int) -> int:
    if tries < 1:
        raise InputError("expected a number of at least 1", path=parameter("tries"), value=tries)
    return tries
