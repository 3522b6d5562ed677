"""How a trial ends: the exception at the end of its time, and its words; nothing of the project is imported here"""


class OutOfTimeError(BaseException):
    """The CPU time of a trial is used up."""


def over(*_: object) -> None:
    """End a case that takes longer than the whole trial may."""
    raise OutOfTimeError


def short(error: BaseException) -> str:
    """Return the kind of the error and the beginning of its text, in one line."""
    return f"{type(error).__name__} {' '.join(str(error).split())[:200]}"
