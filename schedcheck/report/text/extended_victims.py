"""The effect of extenders on the victims of a pod: `Extended`, `extended`, and its text and JSON."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from frozendict import frozendict

from schedcheck.checker.extenders.wording import not_asked
from schedcheck.checker.victims.strategies import Ways
from schedcheck.report.json.pieces import reference
from schedcheck.report.text.terminal import joined
from schedcheck.spec.classic import extenders as early
from schedcheck.spec.classic.policy import Classic
from schedcheck.spec.classic.preemption import reprieve_order, violates
from schedcheck.spec.extenders import Failed, Offered, Victims, preempting
from schedcheck.spec.importance import by_importance
from schedcheck.spec.kubernetes.extenders import Kept, agreed, kept
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.preemption.disruption import violations
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.refusal import unschedulable
from schedcheck.spec.unasked_extenders import concerned

Json = dict[str, Any]
Asking = Plugins | Classic
"""The configuration of the scheduler that asks extenders."""


class Extended(NamedTuple):
    """The answers of extenders about nodes and victims.

    `unasked` names the unasked extenders on which the answer depends. `kept` are the nodes that the asked extenders
    keep, with their refusals or an error. `agreed` are the candidates by reprieve that they keep, None if no extender
    is asked about victims.
    """

    unasked: tuple[str, ...] = ()
    kept: Kept = Kept(())
    agreed: Offered | Failed | None = None


def nodes_kept(pod: Pod, nodes: tuple[Node, ...], asking: Asking) -> Kept:
    """Return the nodes that the asked extenders keep for `pod`; only there are victims searched."""
    if isinstance(asking, Plugins):
        return kept(pod, nodes, asking.extenders)
    left = early.kept(pod, nodes, asking.extenders)
    words = {name: unschedulable("", *(each.words for each in failed)) for name, failed in left.refused.items()}
    return Kept(left.nodes, frozendict(words), left.error)


def extended(pod: Pod, left: Kept, found: tuple[Ways, ...], snapshot: Snapshot, asking: Asking) -> Extended:
    """Return the answers of the scheduler's extenders about the victims found."""
    helping = any(each.least.victims is not None for each in found)
    unasked = [each for each in concerned(pod, asking.unasked) if each.filter_verb or each.preempt_verb]
    asked = preempting(pod, asking.extenders)
    # Only an extender needs the candidates; no other answer names them.
    offered = _offered(pod, found, snapshot, asking) if asked else None
    agree = agreed if isinstance(asking, Plugins) else early.agreed
    return Extended(
        tuple(each.url_prefix for each in unasked) if helping else (),
        left,
        agree(pod, offered, snapshot, asking.extenders) if offered else None,
    )


def _offered(pod: Pod, found: tuple[Ways, ...], snapshot: Snapshot, asking: Plugins | Classic) -> Offered:
    """Return the victims by reprieve of each node, in the form in which the extenders are asked about them."""
    offered = {}
    for each in found:
        if each.reprieve:
            there = snapshot.pods_by_node[each.node.name]
            order = by_importance(other for other in there if other.priority < pod.priority)
            if isinstance(asking, Plugins):
                victims = tuple(other for other in order if other in each.reprieve)
                violating = violations(order, each.reprieve, snapshot.budgets_over(order), asking.departures)
            else:
                victims = reprieve_order(tuple(other for other in order if other in each.reprieve), snapshot.budgets)
                violating = sum(violates(victim, snapshot.budgets) for victim in victims)
            offered[each.node.name] = Victims(victims, violating)
    return frozendict(offered)


def sentences(said: Extended) -> Iterator[str]:
    """Yield sentences about the extenders, if there is anything to say."""
    if said.kept.error is not None:
        yield f"The cycle ends in an error: {said.kept.error.reason}"
    for name, refusal in sorted(said.kept.refused.items()):
        yield f"An extender refuses {name}: {'; '.join(refusal.reasons) or 'it gives no reason'}."
    if isinstance(said.agreed, Failed):
        yield f"Preemption ends in an error: {said.agreed.reason}"
    elif said.agreed is not None:
        victims = {name: joined([str(pod) for pod in each.pods]) for name, each in sorted(said.agreed.items())}
        kept_ = joined([f"{name} with {pods}" for name, pods in victims.items()])
        yield f"Of the candidates by reprieve the extenders keep {kept_ or 'none'}."
    if said.unasked:
        yield (f"Unknown: {not_asked(said.unasked)}; it may refuse a node or name other victims. --ask-extenders asks.")


def extended_json(said: Extended) -> Json:
    """Return the answers as plain data."""
    found: Mapping[str, Victims] = {} if said.agreed is None or isinstance(said.agreed, Failed) else said.agreed
    return {
        "unknown": list(said.unasked),
        "error": said.kept.error.reason if said.kept.error else None,
        "refused": {name: list(each.reasons) for name, each in sorted(said.kept.refused.items())},
        "kept": None
        if said.agreed is None
        else {name: [reference(pod) for pod in each.pods] for name, each in sorted(found.items())},
        "preemptionError": said.agreed.reason if isinstance(said.agreed, Failed) else None,
    }
