"""A record replayed, decision by decision: `Replay`, `Options`, `Finding`.

Each decision is judged by every knowledge that the scheduler may have had. It is allowed if one of them allows it, unknown if
none does and one leaves it open, and refused otherwise.
"""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field

from schedcheck.checker.judging.judged import Judged
from schedcheck.checker.judging.reply import PodKey
from schedcheck.checker.replaying.exploring import Explorer, Lag
from schedcheck.checker.replaying.knowledge import Knowledge
from schedcheck.checker.replaying.opinion import Opinions
from schedcheck.checker.replaying.records import Change, Decided, Record
from schedcheck.checker.replaying.wanting import wanting
from schedcheck.spec.objects import Pod, Snapshot

AHEAD = 200
"""The records that are read ahead of a decision."""

NOT_THERE = "the pod is not in the record"
NO_NODE = "the record does not say to which node"
ANOTHERS = "another scheduler's pod"
INCOMPLETE = "the record does not say which pods were there"
CERTAIN = frozenset({"filters", "lowerPriority"})
"""The clauses by which a decision is refused whatever other pods there were."""

TOO_MANY = "more knowledge was possible than was tried"


@dataclass(frozen=True)
class Options:
    """How late changes may be known, how many knowledges are tried for a decision, and what the record tells."""

    lag: Lag = field(default_factory=Lag)
    tries: int = 2000
    in_order: bool = True
    """Whether the decisions are in the order of the scheduler's cycles. Bindings are else in the order of their calls."""
    complete: bool = True
    """Whether the record has all changes. A refusal that an unknown pod may explain is else unknown."""


@dataclass(frozen=True)
class Finding:
    """A decision that is refused or unknown.

    judged
        The verdict by the knowledge of the record, with what would be allowed.
    tried
        The number of knowledges that were tried.
    wanting
        What the scheduler would have had to know, a sentence each; for the first refused decision only.
    """

    number: int
    decided: Decided
    judged: Judged
    tried: int
    wanting: tuple[str, ...] = ()


@dataclass
class Outcome:
    """What a replay came to.

    verdicts, reasons
        The decisions by verdict (allowed, refused, unknown, not judged), and by the clause or reason for the last three.
    explained
        The allowed decisions that needed an earlier knowledge than that of the record.
    changes
        The changes in the record.
    first
        The first refused decision.
    findings
        The first refused and unknown decisions.
    contradictions
        The pods that are bound to another node than the scheduler decided.
    stopped
        Why the replay stopped before the end; empty if it did not.
    """

    verdicts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[tuple[str, str]] = field(default_factory=Counter)
    explained: int = 0
    changes: int = 0
    first: Finding | None = None
    findings: list[Finding] = field(default_factory=list)
    contradictions: list[str] = field(default_factory=list)
    stopped: str = ""

    @property
    def decisions(self) -> int:
        """The number of decisions."""
        return self.verdicts.total()


MOST_FINDINGS = 20
"""The findings that are kept; all are counted."""


class Replay:
    """One replay from a cluster on."""

    def __init__(self, snapshot: Snapshot, opinions: Opinions, options: Options = Options()) -> None:
        self.known = Knowledge(snapshot, opinions.schedulers)
        self.explorer = Explorer(self.known, options.lag)
        self.opinions, self.options = opinions, options
        self.outcome = Outcome()

    def run(self, records: Iterable[Record], stop: Callable[[], str] = str) -> Outcome:
        """Replay all records; `stop` says why it is to end."""
        for record, ahead in looking_ahead(records, AHEAD):
            if isinstance(record, Change):
                self.outcome.changes += 1
                self._compare(record)
                self.explorer.deliver(record)
                continue
            if why := stop():
                self.outcome.stopped = why
                break
            self._judge(record, ahead)
            self.known.decide(record)
        return self.outcome

    def _compare(self, change: Change) -> None:
        """Note a pod that is bound to another node than the scheduler decided."""
        own, version = self.known.bound.get(change.key), self.known.versions.get(change.key)
        after = change.after
        if (
            change.stream != "pod"
            or own is None
            or version is None
            or version.pod is None
            or not isinstance(after, Pod)
        ):
            return
        if not version.pod.node_name and own.line > version.identity and after.node_name not in ("", own.node):
            said = f"line {change.line}: {after} is bound to {after.node_name}; line {own.line} decides {own.node}"
            self.outcome.contradictions.append(said)

    def _judge(self, decided: Decided, ahead: "deque[Record]") -> None:
        number = self.outcome.decisions + 1
        if self.known.assumed(decided.pod):
            self.known.forget(decided.pod)
        pod = self.known.pod(decided.pod)
        if pod is not None and pod.scheduler_name not in self.opinions.schedulers:
            self._count("not judged", ANOTHERS)
            return
        if decided.reply.kind == "bind" and not decided.reply.node:
            self._count("unknown", NO_NODE)
            return
        verdict, why, tried = self._explored(decided, ahead)
        self._count(verdict, why)
        if verdict in ("refused", "unknown") and (
            len(self.outcome.findings) < MOST_FINDINGS or self.outcome.first is None
        ):
            finding = self._finding(number, decided, verdict, why, tried, ahead)
            if verdict == "refused" and self.outcome.first is None:
                self.outcome.first = finding
            if len(self.outcome.findings) < MOST_FINDINGS:
                self.outcome.findings.append(finding)

    def _count(self, verdict: str, why: str) -> None:
        self.outcome.verdicts[verdict] += 1
        if verdict != "allowed":
            self.outcome.reasons[verdict, why] += 1

    def _explored(self, decided: Decided, ahead: "deque[Record]") -> tuple[str, str, int]:
        """Return the verdict by all knowledges, the reason, and how many were tried."""
        clause, unknown, tried, absent = "", "", 0, 0
        same = list(_known_already(ahead, decided.time))
        failing = [key for key in self.known.bound if self._may_be_unknown(key, decided, ahead)]
        coming = [] if self.options.in_order else list(self._coming(decided, ahead))
        with (
            self._own(decided.pod, same),
            closing(self.explorer.knowledges(decided, same, failing, coming)) as knowledges,
        ):
            for _ in knowledges:
                pod = self.known.pod(decided.pod)
                if tried + absent == self.options.tries:
                    return "unknown", TOO_MANY if tried else NOT_THERE, tried
                if pod is None:
                    absent += 1
                    continue
                tried += 1
                found = self.opinions.quick(self.known, pod, decided.reply)
                if found.verdict == "allowed":
                    self.outcome.explained += tried > 1
                    return "allowed", "", tried
                if found.verdict == "unknown":
                    unknown = unknown or found.reasons[0]
                clause = clause or found.clause
        if not tried:
            return "unknown", NOT_THERE, 0
        if not unknown and not self.options.complete and clause not in CERTAIN:
            unknown = INCOMPLETE
        return ("unknown", unknown, tried) if unknown else ("refused", clause, tried)

    @contextmanager
    def _own(self, key: PodKey, same: Sequence[Change]) -> Iterator[None]:
        """Know of a pod, as long as the context, if it is created by a call that is answered later: it was decided on."""
        created = (each for each in same if each.key == key and getattr(each.after, "node_name", "") == "")
        change = next(created, None) if self.known.pod(key) is None else None
        delivered = self.known.deliver(change) if change is not None else None
        try:
            yield
        finally:
            if delivered is not None:
                self.known.undo(delivered)

    def _may_be_unknown(self, key: PodKey, decided: Decided, ahead: "deque[Record]") -> bool:
        """Whether the scheduler may not know a binding that is recorded before: it failed, or its cycle came later."""
        made, now = self.known.bound[key].time, decided.time
        if not self.options.in_order and key != decided.pod and made is not None and now is not None:
            return made >= now - self.options.lag.seconds or self._may_have_failed(key, decided, ahead)
        return self._may_have_failed(key, decided, ahead)

    def _coming(self, decided: Decided, ahead: "deque[Record]") -> Iterator[Decided]:
        """Yield the later bindings that the scheduler may have decided before."""
        for record in ahead:
            if record.time is None or decided.time is None or record.time > decided.time + self.options.lag.seconds:
                return
            if isinstance(record, Decided) and record.reply.kind == "bind" and record.pod != decided.pod:
                pod = self.known.pod(record.pod)
                if pod is not None and not pod.node_name and record.pod not in self.known.nominated:
                    yield record

    def _may_have_failed(self, key: PodKey, decided: Decided, ahead: "deque[Record]") -> bool:
        """Whether the record does not say that a binding on its way succeeded: its pod ends, or is decided on again."""
        if key == decided.pod or not self.known.assumed(key):
            return False
        version = self.known.versions[key].pod
        if version is not None and version.terminating:
            return True
        for record in ahead:
            if isinstance(record, Decided) and record.pod == key:
                return True
            if isinstance(record, Change) and record.stream == "pod" and record.key == key:
                after = record.after
                if after is None or getattr(after, "terminating", False):
                    return True
                if getattr(after, "node_name", ""):
                    return False
        return False

    def _finding(
        self, number: int, decided: Decided, verdict: str, why: str, tried: int, ahead: "deque[Record]"
    ) -> Finding:
        pod = self.known.pod(decided.pod)
        if pod is None or verdict == "unknown":
            return Finding(number, decided, Judged("unknown", reasons=(why,)), tried)
        judged = self.opinions.full(self.known, pod, decided.reply)
        first = self.outcome.first is None and judged.verdict == "refused"
        changes = [each for each in ahead if isinstance(each, Change)]
        return Finding(
            number,
            decided,
            judged,
            tried,
            tuple(wanting(self.explorer, self.opinions, decided, changes)) if first else (),
        )


def looking_ahead(records: Iterable[Record], most: int) -> Iterator[tuple[Record, "deque[Record]"]]:
    """Yield each record with those that follow it, at most so many."""
    waiting: deque[Record] = deque()
    for record in records:
        waiting.append(record)
        if len(waiting) > most:
            yield waiting.popleft(), waiting
    while waiting:
        yield waiting.popleft(), waiting


def _known_already(records: Iterable[Record], time: float | None) -> Iterator[Change]:
    """Yield the later changes that the scheduler may have known at this time; none if it is not known."""
    for record in records:
        if time is None or record.time is None:
            return
        if isinstance(record, Change) and time >= (record.time if record.began is None else record.began):
            yield record
