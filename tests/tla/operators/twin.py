"""An operator of tla/ with its twin in Python: `Twin`"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.tla.operators.cases import Case

Draw = Callable[..., Any]


@dataclass(frozen=True)
class Twin:
    """The Python counterpart of an operator.

    `python` receives by name what its parameters ask for: the operator's own parameters in lower case, the attributes
    of the case with that name, or with `case` the case itself. Parameters with other names receive the remaining
    arguments in order. `drawn` says how parameters of the operator are drawn, if not by name as in `DRAWN`; a function
    that has an earlier parameter receives that argument. `of` derives another case from the drawn one.
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
