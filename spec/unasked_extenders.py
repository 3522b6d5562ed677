"""Extenders of which only the configuration is known: the parts of the answers that every scheduler explores.

Such an extender is assumed to keep to its contract. It keeps any of the nodes and refuses the others; scores each node
from 0 to 10; keeps any candidates of preemption with the victims as offered; or fails. Each scheduler with extenders
puts a few such answers together that yield every decision that any answer yields.

Not modelled: an extender that names victims of its own.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from frozendict import frozendict

from schedcheck.spec.extender_configuration import Extender as Offer
from schedcheck.spec.extenders import Extender, Extenders, Failed, Filtered, MetaVictims, Nodes, Offered, interested
from schedcheck.spec.objects import Pod

REFUSED = "refused by an extender that was not asked"
FAILED = Failed("an extender that was not asked fails")
MOST_POINTS = 10
"""The highest score that an extender gives."""


@dataclass(frozen=True)
class Answer:
    """Assumed answers of extenders, in words and as extenders that give them. Empty words: nothing is assumed."""

    says: str
    extenders: Extenders


def concerned(pod: Pod, plugins_unasked: tuple[Offer, ...]) -> tuple[Offer, ...]:
    """Return the extenders with unknown answers that would be called for `pod`."""
    return tuple(each for each in plugins_unasked if interested(each, pod))


def joined(offers: tuple[Offer, ...]) -> Offer:
    """Return one extender that offers everything that these extenders offer; all must be interested in the pod."""
    verbs = ("filter_verb", "prioritize_verb", "preempt_verb")
    return Offer(
        " and ".join(each.url_prefix for each in offers),
        weight=sum(each.weight for each in offers if each.prioritize_verb),
        **{verb: max(getattr(each, verb) for each in offers) for verb in verbs},
    )


Said = Iterator[tuple[str, Extender]]
Filter = Callable[[Pod, Nodes], Filtered | Failed]


def filtering(offer: Offer, names: tuple[str, ...], offers: tuple[Offer, ...]) -> Said:
    """Yield the answers to filter: every node kept, each node kept alone, or an error."""
    yield f"{offer.url_prefix} keeps every node", Extender(offer)
    for name in names:
        if len(names) > 1:
            yield f"{offer.url_prefix} keeps {name} alone", Extender(offer, filter=keeping(name))
    if names and not all(each.ignorable for each in offers if each.filter_verb):
        yield f"{offer.url_prefix} fails to filter", Extender(offer, filter=lambda pod, nodes: FAILED)


def rating(name: str) -> Callable[[Pod, Nodes], frozendict[str, int]]:
    """Return a prioritize function with the highest score for the node of this name, and none for the others."""
    return lambda pod, nodes: frozendict({name: MOST_POINTS})


def keeping(name: str) -> Filter:
    """Return a filter that keeps the node of this name, and refuses the others as failed."""

    def filtered(pod: Pod, nodes: Nodes) -> Filtered | Failed:
        others = [node.name for node in nodes if node.name != name]
        return Filtered(
            frozenset(node.name for node in nodes) - frozenset(others), frozendict(dict.fromkeys(others, REFUSED))
        )

    return filtered


Choose = Callable[[Pod, Offered], frozendict[str, MetaVictims] | Failed]


def choosing(nodes: Sequence[str], offers: tuple[Offer, ...]) -> Iterator[tuple[str, Choose]]:
    """Yield the answers to preempt about these nodes: every candidate kept, each alone, none, or an error."""
    yield "keeps every candidate of preemption", candidates(*nodes)
    for name in nodes:
        yield f"keeps the candidate {name} alone", candidates(name)
    yield "keeps no candidate of preemption", candidates()
    if not all(each.ignorable for each in offers if each.preempt_verb):
        yield "fails to preempt", lambda pod, offered: FAILED


def candidates(*names: str) -> Choose:
    """Return a preempt function that keeps the candidates on these nodes, with their victims."""
    return lambda pod, offered: frozendict(
        {
            name: MetaVictims(tuple(victim.key for victim in each.pods), each.violations)
            for name, each in offered.items()
            if name in names
        }
    )
