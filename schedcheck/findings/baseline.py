"""The known findings of `lint`, which fail no more: `Known`, `known`, `baseline_text`, `compared`.

A finding is known by its rule, severity, object, field and detail. Its sentence, with its numbers, and its line may change.
A known warning that becomes an error is a new finding.
"""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from schedcheck.errors import InputError
from schedcheck.findings.finding import Finding

FORMAT = 1


class Known(NamedTuple):
    """What makes a finding the same one in two runs."""

    rule: str
    severity: str
    kind: str
    namespace: str
    name: str
    field: str
    detail: str

    def __str__(self) -> str:
        where = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"{self.severity}  {self.kind} {where}  [{self.rule}]"


def identity(each: Finding) -> Known:
    """Return what makes a finding the same one in two runs."""
    of = each.thing
    return Known(each.rule, each.severity.value, of.kind, of.namespace, of.name, each.field, each.detail)


def baseline_text(found: Iterable[Finding], version: str) -> str:
    """Return the text of a baseline with these findings; equal findings are equal texts."""
    listed = [each._asdict() for each in sorted(map(identity, found))]
    return json.dumps({"baseline": FORMAT, "schedcheck": version, "findings": listed}, indent=1) + "\n"


def known(file: str | Path) -> tuple[Known, ...]:
    """Return the findings of a baseline. Raises: InputError."""
    try:
        read = json.loads(Path(file).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(error.strerror or str(error), file=str(file)) from None
    except (ValueError, RecursionError):
        raise InputError("expected a baseline, which lint --write-baseline writes", file=str(file)) from None
    if not isinstance(read, dict) or read.get("baseline") != FORMAT or not isinstance(read.get("findings"), list):
        raise InputError(f"expected a baseline of format {FORMAT}, which lint --write-baseline writes", file=str(file))
    return tuple(_known(each, number, str(file)) for number, each in enumerate(read["findings"]))


def _known(each: Any, number: int, file: str) -> Known:
    if (
        not isinstance(each, dict)
        or {*each} != {*Known._fields}
        or not all(isinstance(one, str) for one in each.values())
    ):
        raise InputError(f"expected texts of {', '.join(Known._fields)}", file=file, path=f"findings[{number}]")
    return Known(**each)


def compared(
    found: Sequence[Finding], baseline: Iterable[Known]
) -> tuple[tuple[Finding, ...], tuple[Finding, ...], tuple[Known, ...]]:
    """Return the new findings, the known ones, and those of the baseline that have gone.

    Of several equal findings, as many are known as the baseline has.
    """
    left = Counter(baseline)
    new: list[Finding] = []
    old: list[Finding] = []
    for each in found:
        one = identity(each)
        if left[one] > 0:
            left[one] -= 1
            old.append(each)
        else:
            new.append(each)
    return tuple(new), tuple(old), tuple(sorted(left.elements()))
