"""The base of every error that schedcheck raises on purpose: `SchedcheckError`; and `GaveUp`."""


class SchedcheckError(Exception):
    """The base of every error that schedcheck raises on purpose; its text is one line."""


class GaveUp(SchedcheckError):
    """A limit of time or memory ended a question before there was an answer; the text names the limit."""
