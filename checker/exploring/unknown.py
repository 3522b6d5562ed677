"""What is said of a result in which decisions were unknown: `with_unknown`.

A decision is unknown where it hangs on what is not modelled (`spec.kubernetes.control_loop.unmodelled`). What comes after it was not
explored. What was broken on the way without it stays broken; that something cannot happen, or never does, is unknown.
"""

from collections.abc import Sequence
from dataclasses import replace

from schedcheck.checker.exploring.result import Result, Verdict
from schedcheck.spec.decisions import Unknown
from schedcheck.spec.properties import Always, Property, Sometimes, Step


def with_unknown(result: Result, questions: Sequence[Property], why: str) -> Result:
    """The result, with what is unknown of it."""
    if not result.coverage.get(Unknown.__name__):
        return result
    broken = tuple(each for each in result.violations if isinstance(each.property, Always | Step))
    if broken or result.stopped:
        return replace(result, verdict=Verdict.VIOLATED if broken else Verdict.GAVE_UP, violations=broken)
    unwitnessed = {each.property.name for each in result.violations if isinstance(each.property, Sometimes)}
    open_ended = [each.name for each in questions if not isinstance(each, Sometimes) or each.name in unwitnessed]
    verdict = Verdict.UNKNOWN if open_ended else result.verdict
    return replace(result, verdict=verdict, violations=(), unknown=tuple((name, why) for name in open_ended))
