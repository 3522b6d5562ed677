"""The named properties about pods with some labels: where they run, how many stand, and how they are spread.

`WORDS` gives the arguments of each name.
"""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from schedcheck.checker.properties.behaviours import ENVIRONMENT, RESTING, negated
from schedcheck.checker.properties.unknown_property import UnknownProperty
from schedcheck.spec.binding import occupants
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.properties import of_workloads
from schedcheck.spec.properties.kinds import Always, Fairness, LeadsTo, Premise, Property
from schedcheck.spec.values import Labels

STAYS_ON, NEVER_BELOW, NEVER_ABOVE, REPLICAS_REACHED, SKEW_KEPT, SKEW_RESTORED = (
    "stays_on",
    "never_below",
    "never_above",
    "replicas_reached",
    "skew_kept",
    "skew_restored",
)
WORDS: Mapping[str, tuple[str, str]] = {
    STAYS_ON: ("two labels, of pods and of nodes", "app=web, disk!=ssd"),
    NEVER_BELOW: ("a label of pods and a number", "app=web, 2"),
    NEVER_ABOVE: ("a label of pods and a number", "app=web, 3"),
    REPLICAS_REACHED: ("a label of pods and a number", "app=web, 3"),
    SKEW_KEPT: ("a label of pods, a topology key and a number", "app=web, zone, 1"),
    SKEW_RESTORED: ("a label of pods, a topology key and a number", "app=web, zone, 1"),
}
"""The arguments of each property, in words and in an example."""

EXAMPLES: Mapping[str, str] = {name: f"{name}({example})" for name, (_, example) in WORDS.items()}
"""Each property with arguments."""

LABEL = re.compile(r"(!?)\s*([^\s!=]+)\s*(?:(!?==?)\s*([^\s!=]*))?")
"""Labels that are asked for: `key`, `!key`, `key=value` or `key!=value`."""


class Asked(NamedTuple):
    """The arguments of a property as they are written: labels of pods, a topology key or labels of nodes, a number."""

    pods: str
    other: str = ""
    number: int = 0


def written(name: str, arguments: tuple[str, ...]) -> Asked:
    """Return the arguments of a property. Raises: UnknownProperty."""
    words, example = WORDS[name]
    if len(arguments) != len(example.split(", ")):
        raise UnknownProperty(f"takes {words}, as {name}({example})")
    if name == STAYS_ON:
        return Asked(arguments[0], arguments[1])
    if re.fullmatch(r"0|[1-9][0-9]{0,8}", arguments[-1]) is None:
        raise UnknownProperty(f"{arguments[-1]!r} is no number")
    return Asked(arguments[0], arguments[1] if len(arguments) > 2 else "", int(arguments[-1]))


def of_workload(name: str, arguments: tuple[str, ...], *, kubelet: bool, fairness: Fairness) -> Property:
    """Return the property of this name, one of `WORDS`. Raises: UnknownProperty."""
    asked = written(name, arguments)
    chosen = labelled(asked.pods)
    values = frozenset(re.split("!?=+", each)[-1].strip() for each in arguments[: 1 + (name == STAYS_ON)])
    title, pods = f"{name}({', '.join(arguments)})", f"pods with {asked.pods}"
    if name == STAYS_ON:
        return _stays_on(title, asked, chosen, values)
    if name in (NEVER_BELOW, REPLICAS_REACHED):
        return _numbered(title, asked, chosen, values, fairness if name == REPLICAS_REACHED else None, kubelet)
    if name == NEVER_ABOVE:
        return _never_above(title, asked, chosen, values, kubelet)

    def kept(snapshot: Snapshot) -> bool:
        return of_workloads.skew_kept(chosen, asked.other, asked.number, snapshot, kubelet)

    def spread(snapshot: Snapshot) -> bool:
        domains = {node.labels[asked.other] for node in snapshot.nodes if asked.other in node.labels}
        return len(domains) > 1 and bool(of_workloads.standing(chosen, snapshot, kubelet))

    close = f"the numbers of {pods} in any two domains of {asked.other} differ by at most {asked.number}."
    if name == SKEW_RESTORED:
        claim = f"{RESTING} in the end {close}"
        return LeadsTo(title, claim, negated(kept), kept, fairness, ENVIRONMENT, values)
    unmet = Premise(f"no pod with {asked.pods} was ever bound while {asked.other} had two domains", when=spread)
    return Always(title, f"T{close[1:]}", kept, values, (unmet,))


def _numbered(
    title: str, asked: Asked, chosen: of_workloads.Chosen, values: frozenset[str], fair: Fairness | None, kubelet: bool
) -> Property:
    """Return the property that so many pods are bound: at all times, or, with a fairness, in the end."""

    def enough(snapshot: Snapshot) -> bool:
        return of_workloads.never_below(chosen, asked.number, snapshot, kubelet)

    if asked.number == 0:
        raise UnknownProperty("takes a number from 1")
    pods = f"{asked.number} pod{'s' if asked.number > 1 else ''} with {asked.pods}"
    are = "are" if asked.number > 1 else "is"
    if fair is None:
        return Always(title, f"At least {pods} {are} bound at all times.", enough, values)
    claim = f"{RESTING} in the end at least {pods} {are} bound."
    unmet = Premise(f"never were fewer than {pods} bound", when=negated(enough))
    return LeadsTo(title, claim, negated(enough), enough, fair, ENVIRONMENT, values, (unmet,))


def _never_above(
    title: str, asked: Asked, chosen: of_workloads.Chosen, values: frozenset[str], kubelet: bool
) -> Property:  # fmt: skip
    """Return the property that at no time more pods are bound."""

    def few(snapshot: Snapshot) -> bool:
        return of_workloads.never_above(chosen, asked.number, snapshot, kubelet)

    def some(snapshot: Snapshot) -> bool:
        return bool(of_workloads.standing(chosen, snapshot, kubelet))

    pods = f"{asked.number} pod{'s' if asked.number != 1 else ''} with {asked.pods}"
    premise = Premise(f"no pod with {asked.pods} was ever bound", when=some)
    claim = f"At most {pods} {'are' if asked.number != 1 else 'is'} bound at any time."
    return Always(title, claim, few, values, (premise,))


def _stays_on(title: str, asked: Asked, chosen: of_workloads.Chosen, values: frozenset[str]) -> Property:
    """Return the property that pods with one label run only on nodes with another."""
    allowed = labelled(asked.other)

    def holds(snapshot: Snapshot) -> bool:
        return all(
            allowed(node.labels)
            for node in snapshot.nodes
            for pod in occupants(node, snapshot, NO_FAULTS)
            if chosen(pod.labels)
        )

    def put(snapshot: Snapshot) -> bool:
        return any(pod.node_name and chosen(pod.labels) for pod in snapshot.pods)

    premise = Premise(f"no pod with {asked.pods} was ever bound", when=put, of_pods=True)
    claim = f"Pods with {asked.pods} run only on nodes with {asked.other}."
    return Always(title, claim, holds, values, (premise,))


def labelled(text: str) -> Callable[[Labels], bool]:
    """Return the predicate whether labels satisfy `key`, `!key`, `key=value` or `key!=value`. Raises: UnknownProperty."""
    matched = LABEL.fullmatch(text)
    if matched is None or (matched[1] and matched[3]):
        raise UnknownProperty(f"{text!r} is none of key, !key, key=value and key!=value")
    absent, key, operator, value = matched.groups()
    if operator is None:
        return lambda labels: (key in labels) != bool(absent)
    return lambda labels: (labels.get(key) == value) != operator.startswith("!")
