"""What the production scheduler does, as a machine, and what is done to it: the kinds of `Step`."""

from dataclasses import dataclass, field

from schedcheck.model.production.cycle.conclusion import Conclusion


@dataclass(frozen=True)
class Step:
    """Something that the scheduler does or that is done to it, with what went wrong on the way, and what a plugin raised."""

    what: str
    wrong: str = field(default="", kw_only=True)
    raised: str = field(default="", kw_only=True)

    @property
    def about(self) -> str:
        """The pod or the node that it is done to; of what is done with it, only that."""
        return self.what.partition(",")[0]

    def __str__(self) -> str:
        wrong = f", {self.wrong}" if self.wrong else ", a plugin fails" if self.raised else ""
        return f"{type(self).__name__}({self.what}{wrong})"


class Deliver(Step):
    """The scheduler learns of the next change of a pod, or of a node."""


@dataclass(frozen=True)
class Try(Step):
    """A scheduling cycle, with what it came to; None where no node was looked for."""

    concluded: Conclusion | None = field(default=None, kw_only=True, compare=False, repr=False)

    __str__ = Step.__str__


class Advance(Step):
    """The next step of a binding cycle."""


class Evicting(Step):
    """The next step of an eviction."""


class BackedOff(Step):
    """A pod has backed off long enough."""


class TimedOut(Step):
    """A pod has been unschedulable for too long."""


class PermitOver(Step):
    """A plugin has let a pod wait for too long."""


KINDS = (Deliver, Try, Advance, Evicting, BackedOff, TimedOut, PermitOver)
