"""Extenders that were not asked: every answer that matters of those that they could give, `answers`.

Only the configuration of such an extender is known. It is taken to keep to its contract: it keeps any of the nodes, and
refuses the others for now or for good; scores each from 0 to 10; keeps any candidates of preemption with their victims
as offered; or fails. A few of these answers come to all decisions that any of them comes to, but for the texts of events
(tests/spec/kubernetes/test_unasked_extenders.py): with each node kept alone every binding is there that scores could choose; with none kept,
each refused node by itself as the one that evictions may free.

Not modelled: an extender that names victims of its own.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain

from frozendict import frozendict

from schedcheck.spec.kubernetes import configuration
from schedcheck.spec.kubernetes.cycle import Cycle, Verdict, admitted
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
from schedcheck.spec.kubernetes.preemption.importance import potential_victims
from schedcheck.spec.kubernetes.select_host import scores_of
from schedcheck.spec.objects import Pod

REFUSED = "refused by an extender that was not asked"
FAILED = Failed("an extender that was not asked fails")
MOST_POINTS = 10
"""The highest score of an extender."""


@dataclass(frozen=True)
class Answer:
    """What extenders are assumed to answer, in words and as extenders that answer so. No words: nothing is assumed."""

    says: str
    extenders: Extenders


def concerned(pod: Pod, plugins_unasked: tuple[configuration.Extender, ...]) -> tuple[configuration.Extender, ...]:
    """The extenders that would be asked about `pod`, and were not."""
    return tuple(each for each in plugins_unasked if interested(each, pod))


def answers(made: Cycle, found: frozendict[str, Verdict]) -> Iterator[Answer]:
    """What the extenders may answer about the pod: as they do where they are asked; else each answer that matters.

    The first is that they change nothing.
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
    """One extender that offers all that these do, which are asked about the pod."""
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
    """Every node kept; or each alone; or an error."""
    yield f"{offer.url_prefix} keeps every node", Extender(offer)
    for name in names:
        if len(names) > 1:
            yield f"{offer.url_prefix} keeps {name} alone", Extender(offer, filter=keeping(name))
    if names and not all(each.ignorable for each in offers if each.filter_verb):
        yield f"{offer.url_prefix} fails to filter", Extender(offer, filter=lambda pod, nodes: FAILED)


def _scoring(offer: configuration.Extender, names: tuple[str, ...], made: Cycle) -> Said:
    """Every node scored alike; or one that can come to be the best by itself as high as can be."""
    yield f"{offer.url_prefix} changes nothing", Extender(offer)
    total = scores_of(made, names).total if offer.prioritize_verb and len(names) > 1 else {}
    for name, score in total.items():
        if score + MOST_POINTS * offer.weight * EXTENDER_UNIT >= max(total.values()):
            says = f"{offer.url_prefix} scores {name} {MOST_POINTS} and every other node 0"
            yield says, Extender(offer, prioritize=rating(name))


def rating(name: str) -> Callable[[Pod, Nodes], frozendict[str, int]]:
    """The highest score for the node of this name, and none for the others."""
    return lambda pod, nodes: frozendict({name: MOST_POINTS})


def _evicting(
    offer: configuration.Extender, names: tuple[str, ...], made: Cycle, offers: tuple[configuration.Extender, ...]
) -> Said:
    """No node kept, one of them refused for now and the others for good, or all for good; and what becomes of victims."""
    if names and not offer.filter_verb:
        return
    for why, refuses in _refusing(names, made) if names else (("", keeping("")),):
        choosing = _choosing(offer, made, offers) if offer.preempt_verb else iter([("", Extender(offer).preempt)])
        for which, chooses in choosing:
            says = " and ".join(each for each in (why, which) if each)
            if says:
                yield f"{offer.url_prefix} {says}", Extender(offer, filter=refuses, preempt=chooses)


def _refusing(names: tuple[str, ...], made: Cycle) -> Iterator[tuple[str, Filter]]:
    """Every node refused for good, or one of them for now.

    One for now matters where there is somebody to evict, or where the pod is nominated.
    """
    yield "refuses every node for good", refusing("")
    for info in made.infos:
        name = info.node.name
        if name in names and (potential_victims(made.pod, info) or name == made.pod.nominated_node_name):
            yield f"refuses {name} for now and every other node for good", refusing(name)


def keeping(name: str) -> Filter:
    """A filter that keeps the node of this name, and refuses the others for now."""

    def filtered(pod: Pod, nodes: Nodes) -> Filtered | Failed:
        others = [node.name for node in nodes if node.name != name]
        return Filtered(
            frozenset(node.name for node in nodes) - frozenset(others), frozendict(dict.fromkeys(others, REFUSED))
        )

    return filtered


def refusing(name: str) -> Filter:
    """A filter that refuses the node of this name for now, and the others for good."""

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
    """Every candidate kept; or each alone; or none; or an error."""
    nodes = [info.node.name for info in made.infos if potential_victims(made.pod, info)]
    yield "keeps every candidate of preemption", candidates(*nodes)
    for name in nodes:
        yield f"keeps the candidate {name} alone", candidates(name)
    yield "keeps no candidate of preemption", candidates()
    if not all(each.ignorable for each in offers if each.preempt_verb):
        yield "fails to preempt", lambda pod, offered: FAILED


def candidates(*names: str) -> Choose:
    """What keeps the candidates on these nodes, with their victims."""
    return lambda pod, offered: frozendict(
        {
            name: MetaVictims(tuple(victim.key for victim in each.pods), each.violations)
            for name, each in offered.items()
            if name in names
        }
    )
