"""The result of an exploration with unknown decisions: `with_unknown`.

A decision is unknown if it depends on something that is not modelled (`spec.kubernetes.control_loop.unmodelled`). The
states after it were not explored. A violation found without it remains a violation. That something cannot happen, or
never happens, is unknown.
"""

from collections.abc import Sequence
from dataclasses import replace

from schedcheck.checker.result import Result, Verdict
from schedcheck.spec.decisions import Unknown
from schedcheck.spec.properties.kinds import Always, Property, Sometimes, Step


def with_unknown(result: Result, questions: Sequence[Property], why: str) -> Result:
    """Return the result with its unknown properties marked."""
    if not result.coverage.get(Unknown.__name__):
        return result
    broken = tuple(each for each in result.violations if isinstance(each.property, Always | Step))
    if broken or result.stopped:
        return replace(result, verdict=Verdict.VIOLATED if broken else Verdict.GAVE_UP, violations=broken)
    unwitnessed = {each.property.name for each in result.violations if isinstance(each.property, Sometimes)}
    open_ended = [each.name for each in questions if not isinstance(each, Sometimes) or each.name in unwitnessed]
    verdict = Verdict.UNKNOWN if open_ended else result.verdict
    return replace(result, verdict=verdict, violations=(), unknown=tuple((name, why) for name in open_ended))
