"""A vocabulary of terms of one key, and of image names of every form: `EQUAL`, features for random small clusters

A pod has two constraints, terms or preferences of one topology key, or of one label key, that differ in all else. Images are
named with a registry, its port, a tag, a digest or none of them.
"""

from itertools import cycle, permutations
from typing import Any

from schedcheck.checker.drawing.objects import HOSTNAME
from schedcheck.spec.objects import Container, NodeImage, SpreadConstraint
from schedcheck.spec.terms import LabelSelector, PodAffinityTerm, PreferredNodeTerm, Requirement
from tests.checker.differential.enumeration.spaces import Change, Feature, same
from tests.checker.differential.enumeration.vocabulary import (
    ZONE_A,
    ZONE_B,
    apart,
    begins,
    both,
    fitting,
    having,
    image,
    labelled,
    near,
    preferring,
    where,
    zone,
)

MIB = 2**20
SELECTORS = tuple(
    LabelSelector(match_expressions=expressions)
    for expressions in (
        (Requirement("app", "In", ("a",)),),
        (Requirement("app", "In", ("b",)),),
        (Requirement("app", "Exists"),),
        (Requirement("tier", "Exists"),),
    )
)
PAIRS = tuple(permutations(SELECTORS, 2))
LABELS: tuple[Change, ...] = (
    labelled(app="a"),
    labelled(app="b"),
    labelled(tier="1"),
    labelled(app="a", tier="1"),
    same,
)
ZONES: tuple[Change, ...] = (ZONE_A, ZONE_A, ZONE_B, same)
KEYS = ("zone", HOSTNAME)


def _terms(key: str) -> tuple[tuple[PodAffinityTerm, PodAffinityTerm], ...]:
    return tuple((PodAffinityTerm(key, one), PodAffinityTerm(key, other)) for one, other in PAIRS)


def _spread(**fields: Any) -> tuple[Change, ...]:
    """Return two constraints of one key with different selectors, and with one or two maxSkew."""
    return tuple(
        having(spread=(SpreadConstraint(1, key, selector=one, **fields), SpreadConstraint(skew, key, selector=other, **fields)))
        for key in KEYS for one, other in PAIRS for skew in (1, 2)
    )  # fmt: skip


def _of_labels(*changes: Change) -> tuple[Change, ...]:
    return tuple(both(label, change) for label in LABELS for change in changes)


TERMS = tuple(pair for key in KEYS for pair in _terms(key))
NAMES = ("i", "i:latest", "i:1", "r/i", "r/i:1", "r:5000/i", "r:5000/i:latest", "r:5000/i:1", "r:5000/n/i", "i@sha256:1",
         "r:5000/i@sha256:1", "i:1@sha256:1")  # fmt: skip
"""Names of images; a kubelet reports them with a tag or a digest."""
REPORTED = ("i:latest", "i:1", "r/i:latest", "r/i:1", "r:5000/i:latest", "r:5000/i:1", "r:5000/n/i:latest", "i@sha256:1",
            "r:5000/i@sha256:1")  # fmt: skip
SIZES = dict(zip(REPORTED, cycle((600, 100, 1500, 300)), strict=False))
"""The MiB of each image: of one with several, kube-scheduler takes what the first node has told, which no cluster shows."""


def _held(*names: str, more: tuple[str, ...] = ()) -> Change:
    return having(images=tuple(NodeImage((name, *more), SIZES[name] * MIB) for name in names))


HELD = tuple(
    change
    for place, name in enumerate(REPORTED)
    for change in (_held(name), _held(name, more=(f"x:{place}",)), _held(name, REPORTED[place - 2]))
)
EQUAL: tuple[Feature, ...] = (
    Feature("equal spread", _of_labels(*_spread()), LABELS, ZONES),
    Feature("equal soft spread", _of_labels(*_spread(required=False)), LABELS, ZONES),
    Feature("equal affinity", _of_labels(*(near(*each) for each in TERMS), *(apart(*each) for each in TERMS)),
            (*LABELS, *LABELS, *_of_labels(*(apart(*each) for each in TERMS))), ZONES),
    Feature("equal preferences",
            tuple(both(preferring(weight, one), preferring(3, other, anti=anti)) for one, other in TERMS for weight, anti in ((5, False), (10, True))),
            (*LABELS, *_of_labels(*(both(preferring(5, one), preferring(2, other)) for one, other in TERMS))), ZONES),
    Feature("equal node terms",
            tuple(change for one, other in permutations((zone("a"), zone("b"), zone("a", operator="NotIn"), zone(operator="Exists")), 2)
                  for change in (fitting(node_required=(where(one, other),)), fitting(node_required=(where(one), where(other))),
                                 fitting(node_preferred=(PreferredNodeTerm(5, where(one)), PreferredNodeTerm(2, where(other)))))),
            nodes=ZONES),
    Feature("image names", tuple(change for name in NAMES
                                 for change in (image(name), both(image(name), begins(Container(image=NAMES[-NAMES.index(name)]))))),
            nodes=(*HELD, *HELD, same)),
)  # fmt: skip
"""Features with many values, which are drawn and not enumerated."""
