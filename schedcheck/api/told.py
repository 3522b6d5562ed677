"""An explanation in the shape that all schedulers share: `Refusal`, `Score`, `NodeExplanation`, `Told`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from schedcheck.checker.explain.shortages import Shortage
from schedcheck.spec.decisions import Decision

SCHEDULED, UNSCHEDULABLE = "scheduled", "unschedulable"


@dataclass(frozen=True)
class Refusal:
    """Why a node is refused: the plugin (or filter, or predicate), the status code, and the reasons.

    code
        "Unschedulable", "UnschedulableAndUnresolvable" or "Error"; None in the published model, which has none.
    """

    plugin: str | None
    code: str | None
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Score:
    """A score of a node: raw, normalised to 0 to 100 (None in profiles that do not normalise), and times its weight."""

    raw: int
    normalised: int | None
    weighted: int


@dataclass(frozen=True)
class NodeExplanation:
    """A node: whether the pod may be placed there, every refusal, every score and their weighted sum.

    feasible
        None where that depends on what is not known.
    source
        What refused the node first: "preFilter", "filter"; empty elsewhere.
    scores, total
        None where the node is not scored.
    short
        The resources of which the node has too little left, with what the pod asks for and what is free, in the smallest
        unit; the reasons of the published model say so themselves.
    """

    name: str
    feasible: bool | None
    source: str
    refusals: tuple[Refusal, ...]
    scores: Mapping[str, Score] | None
    total: int | None
    short: tuple[Shortage, ...] = ()


class Told(NamedTuple):
    """The result of a pod's cycle: the kind, the best nodes, all nodes, the decisions, and the message.

    `mode` and `error` are those of kube-scheduler's choice of a host; None if it makes none. `filters` are the filters
    in the order in which they refuse, if that is known. `all_decisions` is false if there are too many to name them all.
    """

    kind: str
    best: tuple[str, ...]
    nodes: Mapping[str, NodeExplanation]
    decisions: tuple[Decision, ...] | None
    message: str
    mode: str | None = None
    error: str | None = None
    filters: tuple[str, ...] = ()
    all_decisions: bool = True


ENDED = Told("", (), {}, (), "")
"""What is told of a pod that has ended."""
