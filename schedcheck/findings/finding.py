"""The finding of a rule about one object, and what a rule cannot tell: `Finding`, `Undecided`, `Severity`."""

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """The severity of a finding: it can never work, it will cause harm, or it is useful to know."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True)
class Thing:
    """An object by kind, namespace (empty for cluster-scoped kinds) and name."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.namespace}/{self.name}" if self.namespace else f"{self.kind} {self.name}"


@dataclass(frozen=True)
class Change:
    """A smallest change that lets a node take a pod: the steps, and the nodes on which they are enough."""

    steps: tuple[str, ...]
    nodes: tuple[str, ...]


@dataclass(frozen=True)
class Finding:
    """A finding: the rule, the object and the path of its field, and one sentence.

    - `witness`: the facts that show it, one line each.
    - `changes`: the smallest changes that mend it, all of the same number of steps; empty if the rule knows none.
    - `detail`: what tells it from other findings of the rule about the field, such as the claim that a pod names.
    """

    rule: str
    severity: Severity
    thing: Thing
    field: str
    sentence: str
    witness: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    detail: str = ""


@dataclass(frozen=True)
class Undecided:
    """A question of a rule that depends on something that is not modelled, or that the input lacks."""

    rule: str
    thing: Thing
    why: str


Found = Finding | Undecided
