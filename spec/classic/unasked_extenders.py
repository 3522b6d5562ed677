"""Extenders of the early scheduler of which only the configuration is known: every answer that matters, `answers`.

Such an extender is assumed to keep to its contract (spec/unasked_extenders.py). A few answers yield every decision that
any answer yields (tests/spec/classic/test_unasked_extenders.py). Keeping each node alone yields every bind that scores
could choose. Keeping none makes every node a candidate of preemption, as evictions may resolve every refusal.

Not modelled: an extender that names victims of its own.
"""

from collections.abc import Iterator
from itertools import chain

from schedcheck.spec.classic.extenders import NO_REFUSALS
from schedcheck.spec.classic.policy import Classic
from schedcheck.spec.classic.preemption import potential_nodes
from schedcheck.spec.classic.priorities.scale import Scores
from schedcheck.spec.classic.ranking import totals
from schedcheck.spec.extender_configuration import Extender as Offer
from schedcheck.spec.extenders import Extender, Nodes
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.unasked_extenders import (
    MOST_POINTS,
    Answer,
    Said,
    choosing,
    concerned,
    filtering,
    joined,
    keeping,
    rating,
)


def answers(pod: Pod, nodes: Nodes, snapshot: Snapshot, classic: Classic) -> Iterator[Answer]:
    """Yield the extenders' answers about `pod`, which passes every predicate on these nodes.

    These are their own answers if all are known, else each assumed answer that matters; the first changes nothing.
    """
    offers = concerned(pod, classic.unasked)
    if offers == ():
        yield Answer("", classic.extenders)
        return
    names, together = tuple(node.name for node in nodes), joined(offers)
    said = chain(
        filtering(together, names, offers)
        if together.filter_verb
        else _scoring(together, totals(pod, nodes, snapshot, classic)),
        _evicting(together, names, _candidates(pod, nodes, snapshot, classic), offers),
    )
    yield from (Answer(says, (*classic.extenders, extender)) for says, extender in said)


def _scoring(offer: Offer, total: Scores) -> Said:
    """Yield the answers to prioritize: all nodes alike, or the highest score for one node that can thus become best."""
    yield f"{offer.url_prefix} changes nothing", Extender(offer)
    for name, score in total.items() if offer.prioritize_verb and len(total) > 1 else ():
        if score + MOST_POINTS * offer.weight >= max(total.values()):
            says = f"{offer.url_prefix} scores {name} {MOST_POINTS} and every other node 0"
            yield says, Extender(offer, prioritize=rating(name))


def _evicting(offer: Offer, names: tuple[str, ...], candidates: tuple[str, ...], offers: tuple[Offer, ...]) -> Said:
    """Yield the answers that keep no node, each with the answers about the candidates of preemption."""
    if names and not offer.filter_verb:
        return
    why = "refuses every node" if names else ""
    ways = choosing(candidates, offers) if offer.preempt_verb else iter([("", Extender(offer).preempt)])
    for which, chooses in ways:
        says = " and ".join(each for each in (why, which) if each)
        if says:
            yield f"{offer.url_prefix} {says}", Extender(offer, filter=keeping(""), preempt=chooses)


def _candidates(pod: Pod, nodes: Nodes, snapshot: Snapshot, classic: Classic) -> tuple[str, ...]:
    """Return the nodes that are candidates of preemption once an extender refuses these nodes."""
    refused = NO_REFUSALS | {node.name: () for node in nodes}
    return tuple(node.name for node in potential_nodes(pod, snapshot, classic, refused))
