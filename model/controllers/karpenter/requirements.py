"""Sets of label values, as Karpenter computes with them: `Values`, and requirements of several labels.

Karpenter 1.15: pkg/scheduling/requirement.go and requirements.go.

Not modelled: the operators Gt, Lt, Gte and Lte, and minValues.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from schedcheck.spec.terms import Requirement


class Values(NamedTuple):
    """The values that a label may have: those named, or all but those named (`complement`)."""

    complement: bool
    named: frozenset[str]

    def has(self, value: str) -> bool:
        """Whether the label may have this value."""
        return (value in self.named) != self.complement

    @property
    def negative(self) -> bool:
        """Whether the operator is NotIn or DoesNotExist."""
        return self.complement == bool(self.named)

    @property
    def only(self) -> str | None:
        """The one value that the label may have, None if there is not just one."""
        return next(iter(self.named)) if not self.complement and len(self.named) == 1 else None

    def meeting(self, other: "Values") -> "Values":
        """Return the values that both allow. Karpenter: Intersection."""
        if self.complement and other.complement:
            return Values(True, self.named | other.named)
        if self.complement:
            return Values(False, other.named - self.named)
        if other.complement:
            return Values(False, self.named - other.named)
        return Values(False, self.named & other.named)

    def meets(self, other: "Values") -> bool:
        """Whether some value is allowed by both. Karpenter: HasIntersection."""
        both = self.meeting(other)
        return both.complement or bool(both.named)


EXISTS = Values(True, frozenset())
NOTHING = Values(False, frozenset())

Requirements = Mapping[str, Values]


def one_of(*values: str) -> Values:
    """Return the set of these values."""
    return Values(False, frozenset(values))


def values_of(requirement: Requirement) -> Values:
    """Return the values that an expression allows."""
    match requirement.operator:
        case "In":
            return Values(False, frozenset(requirement.values))
        case "NotIn":
            return Values(True, frozenset(requirement.values))
        case "Exists":
            return EXISTS
        case _:
            return NOTHING


def joined(*parts: Requirements) -> dict[str, Values]:
    """Return the requirements that all of these state together. Karpenter: Requirements.Add."""
    made: dict[str, Values] = {}
    for part in parts:
        for key, values in part.items():
            made[key] = values.meeting(made[key]) if key in made else values
    return made


def of_labels(labels: Mapping[str, str]) -> dict[str, Values]:
    """Return the requirement of each label to have its value."""
    return {key: one_of(value) for key, value in labels.items()}


def of_expressions(expressions: Iterable[Requirement]) -> dict[str, Values]:
    """Return the requirements of expressions."""
    return joined(*({each.key: values_of(each)} for each in expressions))


def compatible(has: Requirements, wants: Requirements, undefined: frozenset[str] = frozenset()) -> bool:
    """Whether what is wanted can be met: labels that are not defined are denied, unless they are among `undefined`.

    Karpenter: Requirements.Compatible.
    """
    known = all(key in undefined or key in has or values.negative for key, values in wants.items())
    return known and intersect(has, wants)


def intersect(has: Requirements, wants: Requirements) -> bool:
    """Whether each label that both name may have a common value, or is denied by both. Karpenter: Intersects."""
    return all(
        has[key].meets(values) or (has[key].negative and values.negative) for key, values in wants.items() if key in has
    )
