"""Extenders of which only the configuration is known: every answer of theirs that matters, `answers`.

Such an extender is assumed to keep to its contract. It keeps any of the nodes, and refuses the others as failed or
unresolvable; scores each node from 0 to 10; keeps any candidates of preemption with the victims as offered; or fails. A
few of these answers yield every decision that any answer yields, apart from the texts of events
(tests/spec/kubernetes/test_unasked_extenders.py). Keeping each node alone yields every bind that scores could choose.
Keeping none, each refused node in turn is the one that evictions may free.

Not modelled: an extender that names victims of its own.
"""

from collections.abc import Iterator
from itertools import chain

from frozendict import frozendict

from schedcheck.spec.extender_configuration import Extender as Offer
from schedcheck.spec.extenders import Extender, Failed, Filtered, Nodes
from schedcheck.spec.kubernetes.cycle import Cycle
from schedcheck.spec.kubernetes.extenders import EXTENDER_UNIT
from schedcheck.spec.kubernetes.filter import Verdict, admitted
from schedcheck.spec.kubernetes.preemption.potential_victims import potential_victims
from schedcheck.spec.kubernetes.select_host import scores_of
from schedcheck.spec.objects import Pod
from schedcheck.spec.unasked_extenders import (
    MOST_POINTS,
    REFUSED,
    Answer,
    Filter,
    Said,
    choosing,
    concerned,
    filtering,
    joined,
    keeping,
    rating,
)


def answers(made: Cycle, found: frozendict[str, Verdict]) -> Iterator[Answer]:
    """Yield the extenders' answers about the pod: their own if all are known, else each assumed answer that matters.

    The first assumed answer changes nothing.
    """
    offers = concerned(made.pod, made.plugins.unasked)
    if offers == ():
        yield Answer("", made.plugins.extenders)
        return
    names = admitted(found)
    together = joined(offers)
    said = chain(
        filtering(together, names, offers) if together.filter_verb else _scoring(together, names, made),
        _evicting(together, names, made, offers),
    )
    yield from (Answer(says, (*made.plugins.extenders, extender)) for says, extender in said)


def _scoring(offer: Offer, names: tuple[str, ...], made: Cycle) -> Said:
    """Yield the answers to prioritize: all nodes alike, or the highest score for one node that can thus become best."""
    yield f"{offer.url_prefix} changes nothing", Extender(offer)
    total = scores_of(made, names).total if offer.prioritize_verb and len(names) > 1 else {}
    for name, score in total.items():
        if score + MOST_POINTS * offer.weight * EXTENDER_UNIT >= max(total.values()):
            says = f"{offer.url_prefix} scores {name} {MOST_POINTS} and every other node 0"
            yield says, Extender(offer, prioritize=rating(name))


def _evicting(offer: Offer, names: tuple[str, ...], made: Cycle, offers: tuple[Offer, ...]) -> Said:
    """Yield the answers that keep no node: all unresolvable, or one failed; each with the answers about victims."""
    if names and not offer.filter_verb:
        return
    candidates = [info.node.name for info in made.infos if potential_victims(made.pod, info)]
    for why, refuses in _refusing(names, made) if names else (("", keeping("")),):
        ways = choosing(candidates, offers) if offer.preempt_verb else iter([("", Extender(offer).preempt)])
        for which, chooses in ways:
            says = " and ".join(each for each in (why, which) if each)
            if says:
                yield f"{offer.url_prefix} {says}", Extender(offer, filter=refuses, preempt=chooses)


def _refusing(names: tuple[str, ...], made: Cycle) -> Iterator[tuple[str, Filter]]:
    """Yield the answers to filter that refuse every node: all as unresolvable, or one of them as failed.

    One as failed matters only if it has potential victims, or if the pod is nominated to it.
    """
    yield "refuses every node for good", refusing("")
    for info in made.infos:
        name = info.node.name
        if name in names and (potential_victims(made.pod, info) or name == made.pod.nominated_node_name):
            yield f"refuses {name} for now and every other node for good", refusing(name)


def refusing(name: str) -> Filter:
    """Return a filter that refuses the node of this name as failed, and the others as unresolvable."""

    def filtered(pod: Pod, nodes: Nodes) -> Filtered | Failed:
        reasons = {node.name: REFUSED for node in nodes}
        return Filtered(
            frozenset(),
            frozendict({each: reason for each, reason in reasons.items() if each == name}),
            frozendict({each: reason for each, reason in reasons.items() if each != name}),
        )

    return filtered
