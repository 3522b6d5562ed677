"""The actions of the production scheduler's state machine: the kinds of `Step`."""

from dataclasses import dataclass, field

from schedcheck.model.production.cycle.conclusion import Conclusion


@dataclass(frozen=True)
class Step:
    """A step of the scheduler, or an input to it, with the API calls that failed and the error that a plugin raised."""

    what: str
    wrong: str = field(default="", kw_only=True)
    raised: str = field(default="", kw_only=True)

    @property
    def about(self) -> str:
        """Return the pod or the node that the step concerns: the part of `what` before the comma."""
        return self.what.partition(",")[0]

    def __str__(self) -> str:
        wrong = f", {self.wrong}" if self.wrong else ", a plugin fails" if self.raised else ""
        return f"{type(self).__name__}({self.what}{wrong})"


class Deliver(Step):
    """The delivery of the next informer event of a pod or a node."""


@dataclass(frozen=True)
class Try(Step):
    """A scheduling cycle with its conclusion, which is None if no node was searched for."""

    concluded: Conclusion | None = field(default=None, kw_only=True, compare=False, repr=False)

    __str__ = Step.__str__


class Advance(Step):
    """The next step of a binding cycle."""


class Evicting(Step):
    """The next step of an eviction."""


class BackedOff(Step):
    """The end of a pod's backoff."""


class TimedOut(Step):
    """The timeout of a pod in the unschedulable queue."""


class PermitOver(Step):
    """The timeout of a pod that waits for a Permit plugin."""


KINDS = (Deliver, Try, Advance, Evicting, BackedOff, TimedOut, PermitOver)
