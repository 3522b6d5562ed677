"""An operator of tla/ with its twin in Python: `Twin`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.tla.operators.cases import Case

Draw = Callable[..., Any]


@dataclass(frozen=True)
class Twin:
    """What answers in Python as the operator does.

    `python` is given, by name, what its parameters ask for: the operator's own parameters in lower case, and what the
    case has of that name; with `case` the case itself. Parameters of other names get what arguments are left, in order.
    `drawn` says how parameters of the operator are drawn, if not as `DRAWN` has it by their names; a function that takes
    a parameter before it is given that. `of` makes another case of the one that is drawn.
    """

    operator: str
    python: Callable[..., Any]
    drawn: Mapping[str, Draw] = field(default_factory=dict)
    of: Callable[[Case], Case] = lambda case: case


DRAWN: dict[str, Draw] = {
    "Pod": Case.pod,
    "Node": Case.node,
    "OtherNode": Case.node,
    "Other": Case.pod,
    "Owner": Case.pod,
    "Snapshot": lambda case: case.snapshot,
    "Resource": Case.a_resource,
    "Key": Case.key,
    "Term": Case.pod_term,
    "Requirement": Case.requirement,
    "Labels": Case.labels,
    "Selector": Case.selector,
    "Taint": Case.taint,
    "Toleration": Case.toleration,
    "Container": Case.container,
    "Containers": Case.containers,
    "Info": Case.info,
    "Plugin": Case.plugin,
}
"""How parameters are drawn."""


def words(name: str) -> str:
    """The name of a parameter in Python."""
    return "".join(f"_{letter.lower()}" if letter.isupper() and i else letter.lower() for i, letter in enumerate(name))
