"""A vocabulary of terms of one key, of what comes twice, and of image names of every form: `EQUAL`, features for random small clusters

A pod has two constraints, terms or preferences of one topology key, or of one label key, that differ in all else, or that are the same.
Pods of other namespaces have the name of the one that is asked about, several Services select it, and resources are rated for which it does
not ask. Images are named with a registry, its port, a tag, a digest or none of them.
"""

from dataclasses import replace
from itertools import cycle, permutations
from typing import Any

from frozendict import frozendict

from schedcheck.checker.drawing.objects import HOSTNAME
from schedcheck.spec.kubernetes.plugins import ScoringStrategy
from schedcheck.spec.objects import Container, NodeImage, Service, SpreadConstraint
from schedcheck.spec.terms import LabelSelector, PodAffinityTerm, PreferredNodeTerm, Requirement
from tests.checker.differential.enumeration.spaces import BASES, Change, Feature, same
from tests.checker.differential.enumeration.vocabulary import (
    GPU,
    ZONE_A,
    ZONE_B,
    apart,
    arguing,
    asking,
    begins,
    both,
    fitting,
    having,
    image,
    labelled,
    near,
    pending,
    preferring,
    room,
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


def _namesake(pod: Any) -> Any:
    """Give the pod the name of the one that is asked about, in a namespace of its own."""
    return replace(pod, name=BASES["asked"].name, namespace=f"of-{pod.name}")


def _services(*selectors: dict[str, str]) -> Change:
    return having(
        services=tuple(Service(f"s{place}", selector=frozendict(each)) for place, each in enumerate(selectors))
    )


ONCE = tuple(PodAffinityTerm("zone", each) for each in SELECTORS)
OWNED = having(owner=("ReplicaSet", "r"))
RATED = tuple(
    arguing(scoring_strategy=ScoringStrategy(kind, resources, ((0, 0), (50, 10), (100, 0)) if kind == "RequestedToCapacityRatio" else ()))
    for kind in ("LeastAllocated", "MostAllocated", "RequestedToCapacityRatio") for resources in (((GPU, 1),), ((GPU, 3), ("cpu", 1)))
)  # fmt: skip
EQUAL: tuple[Feature, ...] = (
    Feature("equal spread", _of_labels(*_spread()), LABELS, ZONES),
    Feature("equal soft spread", _of_labels(*_spread(required=False)), LABELS, ZONES),
    Feature("equal affinity", _of_labels(*(near(*each) for each in TERMS), *(apart(*each) for each in TERMS)),
            (*LABELS, *LABELS, *_of_labels(*(apart(*each) for each in TERMS))), ZONES),
    Feature("equal preferences",
            tuple(both(preferring(weight, one), preferring(3, other, anti=anti)) for one, other in TERMS for weight, anti in ((5, False), (10, True))),
            (*LABELS, *_of_labels(*(both(preferring(5, one), preferring(2, other)) for one, other in TERMS))), ZONES),
    Feature("repeated preferences",
            tuple(both(label, preferring(weight, term, anti=anti), preferring(weight, term, anti=anti))
                  for label in LABELS for term in ONCE for weight, anti in ((5, False), (5, True))),
            tuple(both(label, preferring(5, term), preferring(weight, term)) for label in LABELS for term in ONCE for weight in (5, 2)), ZONES),
    Feature("namesakes", (asking(cpu=1), asking(cpu=2)),
            (both(asking(cpu=1), _namesake, pending), both(asking(cpu=1), _namesake), both(asking(cpu=1), pending), asking(cpu=1)),
            (room(cpu=2), room(cpu=3))),
    Feature("several services", (both(labelled(app="a", tier="1"), OWNED), labelled(app="a", tier="1"), labelled(app="a")), LABELS, ZONES,
            (_services({"app": "a"}, {"tier": "1"}), _services({"tier": "1"}, {"app": "a"}), _services({"app": "a"}, {"app": "b"}), _services({}, {"app": "a"})),
            (same, arguing(default_constraints=(SpreadConstraint(1, "zone", True),)))),
    Feature("rated extended resources", (same, asking(gpu=1), asking(cpu=1)), (same, asking(gpu=1)), (room(gpu=2), same, room(gpu=4), room(gpu=0)), plugins=RATED),
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
