"""Extenders of which only the configuration is known: every answer of theirs that matters, `answers`.

Such an extender is assumed to keep to its contract. It keeps any of the nodes, and refuses the others as failed or
unresolvable; scores each node from 0 to 10; keeps any candidates of preemption with the victims as offered; or fails. A
few of these answers yield every decision that any answer yields, apart from the texts of events
(tests/spec/kubernetes/test_unasked_extenders.py). Keeping each node alone yields every bind that scores could choose.
Keeping none, each refused node in turn is the one that evictions may free.

Not modelled: an extender that names victims of its own.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain

from frozendict import frozendict

from schedcheck.spec.kubernetes import configuration
from schedcheck.spec.kubernetes.cycle import Cycle
from schedcheck.spec.kubernetes.extenders import (
    EXTENDER_UNIT,
    Extender,
    Extenders,
    Failed,
    Filtered,
    MetaVictims,
    Nodes,
    Offered,
    interested,
)
from schedcheck.spec.kubernetes.filter import Verdict, admitted
from schedcheck.spec.kubernetes.preemption.importance import potential_victims
from schedcheck.spec.kubernetes.select_host import scores_of
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


def concerned(pod: Pod, plugins_unasked: tuple[configuration.Extender, ...]) -> tuple[configuration.Extender, ...]:
    """Return the extenders with unknown answers that would be called for `pod`."""
    return tuple(each for each in plugins_unasked if interested(each, pod))


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
        _filtering(together, names, offers) if together.filter_verb else _scoring(together, names, made),
        _evicting(together, names, made, offers),
    )
    yield from (Answer(says, (*made.plugins.extenders, extender)) for says, extender in said)


def joined(offers: tuple[configuration.Extender, ...]) -> configuration.Extender:
    """Return one extender that offers everything that these extenders offer; all must be interested in the pod."""
    verbs = ("filter_verb", "prioritize_verb", "preempt_verb")
    return configuration.Extender(
        " and ".join(each.url_prefix for each in offers),
        weight=sum(each.weight for each in offers if each.prioritize_verb),
        **{verb: max(getattr(each, verb) for each in offers) for verb in verbs},
    )


Said = Iterator[tuple[str, Extender]]
Filter = Callable[[Pod, Nodes], Filtered | Failed]


def _filtering(
    offer: configuration.Extender, names: tuple[str, ...], offers: tuple[configuration.Extender, ...]
) -> Said:
    """Yield the answers to filter: every node kept, each node kept alone, or an error."""
    yield f"{offer.url_prefix} keeps every node", Extender(offer)
    for name in names:
        if len(names) > 1:
            yield f"{offer.url_prefix} keeps {name} alone", Extender(offer, filter=keeping(name))
    if names and not all(each.ignorable for each in offers if each.filter_verb):
        yield f"{offer.url_prefix} fails to filter", Extender(offer, filter=lambda pod, nodes: FAILED)


def _scoring(offer: configuration.Extender, names: tuple[str, ...], made: Cycle) -> Said:
    """Yield the answers to prioritize: all nodes alike, or the highest score for one node that can thus become best."""
    yield f"{offer.url_prefix} changes nothing", Extender(offer)
    total = scores_of(made, names).total if offer.prioritize_verb and len(names) > 1 else {}
    for name, score in total.items():
        if score + MOST_POINTS * offer.weight * EXTENDER_UNIT >= max(total.values()):
            says = f"{offer.url_prefix} scores {name} {MOST_POINTS} and every other node 0"
            yield says, Extender(offer, prioritize=rating(name))


def rating(name: str) -> Callable[[Pod, Nodes], frozendict[str, int]]:
    """Return a prioritize function with the highest score for the node of this name, and none for the others."""
    return lambda pod, nodes: frozendict({name: MOST_POINTS})


def _evicting(
    offer: configuration.Extender, names: tuple[str, ...], made: Cycle, offers: tuple[configuration.Extender, ...]
) -> Said:
    """Yield the answers that keep no node: all unresolvable, or one failed; each with the answers about victims."""
    if names and not offer.filter_verb:
        return
    for why, refuses in _refusing(names, made) if names else (("", keeping("")),):
        choosing = _choosing(offer, made, offers) if offer.preempt_verb else iter([("", Extender(offer).preempt)])
        for which, chooses in choosing:
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


def keeping(name: str) -> Filter:
    """Return a filter that keeps the node of this name, and refuses the others as failed."""

    def filtered(pod: Pod, nodes: Nodes) -> Filtered | Failed:
        others = [node.name for node in nodes if node.name != name]
        return Filtered(
            frozenset(node.name for node in nodes) - frozenset(others), frozendict(dict.fromkeys(others, REFUSED))
        )

    return filtered


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


Choose = Callable[[Pod, Offered], frozendict[str, MetaVictims] | Failed]


def _choosing(
    offer: configuration.Extender, made: Cycle, offers: tuple[configuration.Extender, ...]
) -> Iterator[tuple[str, Choose]]:
    """Yield the answers to preempt: every candidate kept, each kept alone, none kept, or an error."""
    nodes = [info.node.name for info in made.infos if potential_victims(made.pod, info)]
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
