"""A scheduler that is a program, asked and judged: `Foreign`; the memory of its answers, `Answers`."""

import time
from collections.abc import Callable, Hashable

from schedcheck.api.judge import Judging, read_reply
from schedcheck.checker.foreign.answered import Answered
from schedcheck.checker.foreign.machine import decisions_of
from schedcheck.checker.foreign.program import CannotStart, Failure, Program
from schedcheck.checker.judging import judged as core
from schedcheck.checker.judging.judge import judge
from schedcheck.checker.judging.reply import Reply
from schedcheck.checker.limits.effort import Effort, Spent
from schedcheck.checker.limits.parameters import parameter
from schedcheck.errors import InputError, Unanswerable
from schedcheck.manifests.int64 import refuse_beyond_int64
from schedcheck.manifests.questions import question
from schedcheck.model.production.extenders.as_read import NOT_READ, AsRead
from schedcheck.spec.decisions import Decision, Unknown
from schedcheck.spec.objects import Pod, Snapshot

TOLD_APART = "the scheduler answers a question otherwise in a process that was asked nothing before"

MOST_REASONS = 3
"""The most failures that are named where many decisions are unknown."""

MOST_AGAIN = 20
"""The most refused answers that are asked again."""

SECONDS_OF_A_PROOF = 5.0
"""The most seconds for the proof of one least casualty."""


class Foreign:
    """A program that is asked about pods, and the judge of its replies."""

    def __init__(self, program: Program, judging: Judging, read: AsRead = NOT_READ) -> None:
        self.program = program
        self.judging = judging
        self.read = read

    def ask(self, pod: Pod, snapshot: Snapshot) -> Answered:
        """Ask about a pod of the snapshot, and judge the reply. Raises: InputError if the program cannot be started."""
        asked = question(pod, snapshot, self.read)
        try:
            told = self.program.ask(asked)
        except CannotStart as why:
            raise InputError(str(why), path=parameter("command"), value=" ".join(self.program.command)) from None
        if isinstance(told, Failure):
            return Answered(pod, snapshot, asked, None, None, None, told)
        told = {name: value for name, value in told.items() if name != "id"}
        try:
            reply = read_reply(told)
        except InputError as error:
            failed = self.program.rejected(f"wrote no reply: {error}")
            return Answered(pod, snapshot, asked, told, None, None, failed)
        return Answered(pod, snapshot, asked, told, reply, self._judged(pod, snapshot, reply), None)

    def _judged(self, pod: Pod, snapshot: Snapshot, reply: Reply) -> core.Judged:
        judging = self.judging
        if judging.scenario.scheduler.int64:
            try:
                refuse_beyond_int64(snapshot.pods, snapshot.nodes)
            except Unanswerable as why:
                return core.Judged("unknown", reasons=(str(why),))
        spent = Spent(Effort(judging.limits.rounds, SECONDS_OF_A_PROOF)) if judging.least else None
        if spent is not None:
            # The effort is for this proof, not for the command.
            spent.end = time.monotonic() + SECONDS_OF_A_PROOF
        return judge(pod, snapshot, judging.profile, reply, judging.strictness, rules=judging.rules, spent=spent)


class Answers:
    """The answers of a program, each asked once for a pod and what there is to know.

    Some questions are asked again of a second process, which was asked nothing before. `failed` and `differing` hold the
    answers that are none, and the pairs that differ.
    """

    def __init__(self, foreign: Foreign, fresh: Callable[[], Program]) -> None:
        self.foreign = foreign
        self.fresh = fresh
        self.kept: dict[Hashable, Answered] = {}
        self.failed: list[Answered] = []
        self.differing: list[tuple[Answered, Answered]] = []
        self.again = 0

    def answered(self, pod: Pod, snapshot: Snapshot) -> Answered:
        """Return the answer about a pod of the snapshot, asked only once."""
        key = pod, snapshot
        found = self.kept.get(key)
        if found is None:
            found = self.kept[key] = self.foreign.ask(pod, snapshot)
            if found.failure is not None:
                self.failed.append(found)
            elif self._is_asked_again(found):
                self._ask_again(found)
        return found

    def judged(self, pod: Pod, snapshot: Snapshot) -> core.Judged | None:
        """Return the judgement of the answer; None if there is none."""
        return self.answered(pod, snapshot).judged

    def decides(self, pod: Pod, snapshot: Snapshot) -> frozenset[Decision]:
        """Return what the program does; Unknown where it gives no answer, or several."""
        found = self.answered(pod, snapshot)
        if found.reply is None or found.judged is None:
            return frozenset({Unknown(pod, str(found.failure))})
        made = decisions_of(found.reply, pod, snapshot, found.judged)
        if found.judged.verdict == "unknown":
            return made | {Unknown(pod, "; ".join(found.judged.reasons))}
        if any(found is each for each, _ in self.differing):
            return made | {Unknown(pod, TOLD_APART)}
        return made

    def because(self) -> str:
        """Return why decisions are unknown, the first reason of each kind."""
        kinds = dict.fromkeys(str(each.failure) for each in self.failed)
        unknown = (
            each.judged.reasons for each in self.kept.values() if each.judged and each.judged.verdict == "unknown"
        )
        said = [f"the scheduler {each}" for each in [*kinds][:MOST_REASONS]]
        said += [TOLD_APART] if self.differing else []
        return "; ".join(dict.fromkeys([*said, *[each for reasons in unknown for each in reasons][:1]]))

    def _is_asked_again(self, found: Answered) -> bool:
        """Whether the answer is compared: the 1st, 2nd, 4th, 8th, …, and the first that are refused."""
        number = len(self.kept)
        refused = found.complaint is not None and self.again < MOST_AGAIN
        return refused or number & (number - 1) == 0

    def _ask_again(self, found: Answered) -> None:
        self.again += 1
        with self.fresh() as program:
            other = Foreign(program, self.foreign.judging, self.foreign.read).ask(found.pod, found.snapshot)
        if _decision(found) != _decision(other):
            self.differing.append((found, other))


def _decision(answered: Answered) -> object:
    """Return what is decided, without what else is told."""
    if answered.reply is None:
        assert answered.failure is not None
        return answered.failure.kind
    return answered.reply.kind, answered.reply.node, answered.reply.victims
