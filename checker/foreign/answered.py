"""What a scheduler that is a program said about a pod, with its judgement: `Answered`."""

from dataclasses import dataclass
from typing import Any

from schedcheck.checker.foreign.program import Failure
from schedcheck.checker.judging.judged import Judged
from schedcheck.checker.judging.reply import Reply
from schedcheck.spec.objects import Pod, Snapshot

Object = dict[str, Any]


@dataclass(frozen=True)
class Answered:
    """What a program said about a pod.

    question, told
        The question, and the reply as it was written; None without one.
    reply, judged
        The reply and its judgement; None without a reply.
    failure
        Why there is no reply; None with one.
    """

    pod: Pod
    snapshot: Snapshot
    question: Object
    told: Object | None
    reply: Reply | None
    judged: Judged | None
    failure: Failure | None

    @property
    def complaint(self) -> tuple[str, str] | None:
        """What is wrong: ("refused", the clause) or ("fails", the kind of failure); None if nothing is."""
        if self.failure is not None:
            return "fails", self.failure.kind
        assert self.judged is not None
        return ("refused", self.judged.clause) if self.judged.verdict == "refused" else None
