"""A wider vocabulary for random small clusters: `WIDE`

The vocabulary that is enumerated has few values of each feature. Here are those of the API that it lacks: selectors of
several values and of every operator, namespaces by selectors, tolerations and taints of every form, requests of two
resources in which some are resized, and spread constraints with all of these.
"""

from dataclasses import replace
from typing import Any

from frozendict import frozendict

from schedcheck.checker.drawing.objects import HOSTNAME
from schedcheck.spec.objects import Container, Namespace, SpreadConstraint, Taint, Toleration
from schedcheck.spec.terms import LabelSelector, PodAffinityTerm, Requirement
from tests.checker.differential.enumeration.spaces import Change, Feature, same
from tests.checker.differential.enumeration.vocabulary import (
    ZONE_A,
    ZONE_B,
    amounts,
    apart,
    asking,
    begins,
    both,
    fitting,
    having,
    labelled,
    near,
    preferring,
    room,
    sized,
    where,
    zone,
)


def _app(operator: str, *values: str) -> Requirement:
    return Requirement("app", operator, values)


def _said(*expressions: Requirement, **labels: str) -> LabelSelector:
    return LabelSelector(frozendict(labels), expressions)


TIER = Requirement("tier", "DoesNotExist")
SELECTORS = (
    _said(_app("In", "a", "b")), _said(_app("In", "b", "c")), _said(_app("In", "c", "a")), _said(_app("In", "b")),
    _said(_app("NotIn", "a")), _said(_app("NotIn", "b", "c")), _said(_app("Exists")), _said(_app("DoesNotExist")),
    _said(app="a"), _said(app="b", tier="1"), _said(TIER, app="a"), _said(_app("In", "a", "b"), TIER),
    _said(_app("In", "a", "b"), _app("NotIn", "a")), _said(),
)  # fmt: skip
LABELS: tuple[Change, ...] = (
    labelled(app="a"), labelled(app="b"), labelled(app="c"), labelled(app="b", tier="1"), labelled(app="a", tier="1"), same,
)  # fmt: skip
TEAMS = (_said(team="x"), _said(Requirement("team", "In", ("x", "y"))), _said(Requirement("team", "NotIn", ("x",))),
         _said(Requirement("team", "Exists")), _said(Requirement("team", "DoesNotExist")), _said())  # fmt: skip
ELSEWHERE: tuple[Change, ...] = (same, same, having(namespace="other"), having(namespace="third"))
KEYS = ("zone", "zone", HOSTNAME)
ZONES: tuple[Change, ...] = (ZONE_A, ZONE_B, ZONE_A, labelled(zone="c"), same)
TERMS = tuple(PodAffinityTerm(key, selector) for key in dict.fromkeys(KEYS) for selector in SELECTORS)
ABROAD = tuple(
    PodAffinityTerm(key, selector, names, team)
    for key in dict.fromkeys(KEYS)
    for selector in (_said(app="a"), _said(_app("In", "a", "b")))
    for names in ((), ("other",), ("other", "third"))
    for team in (None, *TEAMS)
    if names or team is not None
)
SPACES = tuple(
    having(namespaces=tuple(Namespace(name, frozendict({"team": team} if team else {})) for name, team in teams))
    for teams in (
        (("default", "x"), ("other", "y"), ("third", "")), (("default", ""), ("other", "x"), ("third", "x")),
        (("default", "y"), ("other", ""), ("third", "x")), (("default", "x"), ("other", "x"), ("third", "y")),
    )
)  # fmt: skip


def _of_labels(*changes: Change) -> tuple[Change, ...]:
    """Return each of the changes with each of some labels."""
    return tuple(both(label, change) for change in changes for label in LABELS)


def _spreads(**fields: Any) -> tuple[Change, ...]:
    """Return a spread constraint of each key and selector with these fields, also beside another one."""

    def adding(constraint: SpreadConstraint) -> Change:
        return lambda pod: replace(pod, spread=(*pod.spread, constraint))

    each = [SpreadConstraint(1, key, selector=made, **fields) for key in KEYS[1:] for made in SELECTORS[:10]]
    other = SpreadConstraint(2, HOSTNAME, selector=SELECTORS[0], **fields)
    return (*map(adding, each), *(both(adding(one), adding(other)) for one in each if one.topology_key != HOSTNAME))


def _tolerating(*tolerations: Toleration) -> Change:
    return lambda pod: replace(pod, tolerations=(*pod.tolerations, *tolerations))


def _tainted(*taints: Taint) -> Change:
    return lambda node: replace(node, taints=(*node.taints, *taints))


EFFECTS = ("NoSchedule", "NoExecute", "PreferNoSchedule")
TAINTS: tuple[Change, ...] = (
    same, *(_tainted(Taint(key, effect, value)) for key in ("t", "u") for effect in EFFECTS for value in ("", "v")),
    _tainted(Taint("t", "NoSchedule"), Taint("t", "NoExecute")), _tainted(Taint("t", "NoSchedule", "v"), Taint("u", "PreferNoSchedule")),
)  # fmt: skip
TOLERATED = tuple(
    _tolerating(Toleration(key, operator, value if operator != "Exists" else "", effect))
    for key in ("t", "u") for operator in ("Equal", "", "Exists") for value in ("", "v", "w") for effect in ("", *EFFECTS)
    if operator != "Exists" or not value
)  # fmt: skip
SIZES: tuple[Change, ...] = tuple(asking(cpu=cpu, memory=memory) for cpu in (0, 1, 2, 3) for memory in (0, 1, 2, 3))
PARTS: tuple[Change, ...] = tuple(
    begins(Container(amounts(cpu=cpu, memory=memory), sidecar=sidecar))
    for cpu, memory in ((1, 0), (2, 1), (0, 2), (3, 3)) for sidecar in (True, False)
)  # fmt: skip
RESIZED: tuple[Change, ...] = tuple(
    sized(**fields)
    for cpu, memory in ((1, 1), (2, 0), (0, 2), (3, 1))
    for fields in ({"actual": amounts(cpu=cpu, memory=memory)}, {"allocated": amounts(cpu=cpu, memory=memory)},
                   {"actual": amounts(cpu=cpu)}, {"actual": amounts(memory=memory), "allocated": amounts(cpu=cpu)})
)  # fmt: skip
ROOMS: tuple[Change, ...] = tuple(room(cpu=cpu, memory=memory) for cpu in (2, 3, 4, 5) for memory in (2, 3, 4, 5))
OVER = having(overhead=amounts(cpu=1))
WIDE: tuple[Feature, ...] = (
    Feature("wide anti-affinity", (*LABELS, *_of_labels(*map(apart, TERMS))), (*LABELS, *LABELS, *_of_labels(*map(apart, TERMS))), ZONES),
    Feature("wide affinity", tuple(both(label, near(*some)) for label in LABELS[1:4]
                                   for some in (*((each,) for each in TERMS), *zip(TERMS, TERMS[5:], strict=False))), LABELS, ZONES),
    Feature("wide preferences", tuple(both(label, preferring(weight, each, anti=anti)) for label in LABELS[:3] for each in TERMS
                                      for weight, anti in ((10, False), (3, True))),
            (*LABELS, *(both(label, preferring(7, each, anti=anti)) for label in LABELS[:3] for each in TERMS for anti in (True, False)),
             *(both(label, near(each)) for label in LABELS[:2] for each in TERMS)), ZONES),
    Feature("wide namespaces", tuple(both(space, change) for space in ELSEWHERE for each in ABROAD for change in (near(each), apart(each))),
            (*(both(space, label) for space in ELSEWHERE for label in LABELS[:3]),
             *(both(space, apart(each)) for space in ELSEWHERE for each in ABROAD)), ZONES, SPACES),
    Feature("wide spread", _of_labels(*_spreads(), *_spreads(min_domains=2), *_spreads(taints_honored=True),
                                      *_spreads(affinity_honored=False, taints_honored=True)),
            tuple(both(space, label) for space in (same, same, ELSEWHERE[2]) for label in LABELS), ZONES),
    Feature("wide soft spread", _of_labels(*_spreads(required=False), *_spreads(required=False, taints_honored=True)),
            LABELS, (*ZONES, *(both(each, _tainted(Taint("t", "NoSchedule"))) for each in ZONES))),
    Feature("wide taints", (same, *TOLERATED, *(both(one, other) for one, other in zip(TOLERATED, TOLERATED[7:], strict=False))),
            nodes=TAINTS),
    Feature("wide node affinity",
            tuple(change for made in (zone("a", "b"), zone("b", "c"), zone("a", "c", operator="NotIn"), zone(operator="Exists"),
                                      zone(operator="DoesNotExist"), Requirement("size", "Gt", ("3",)), Requirement("size", "Lt", ("4",)))
                  for change in (fitting(node_required=(where(made),)), fitting(node_required=(where(made, zone("a", "b", "c")),)),
                                 fitting(node_required=(where(made), where(Requirement("size", "In", ("3", "4"))))),
                                 both(having(node_selector=frozendict(zone="a")), fitting(node_required=(where(made),))))),
            nodes=tuple(both(each, size) for each in ZONES for size in (same, labelled(size="3"), labelled(size="5"), labelled(size="x")))),
    Feature("wide requests", (*SIZES[1:], *(both(size, part) for size in SIZES[5:7] for part in PARTS), *(both(size, OVER) for size in SIZES[5:8])),
            (*SIZES, *(both(size, change) for size in SIZES[5:8] for change in (*RESIZED, *RESIZED, *PARTS, OVER))), ROOMS),
)  # fmt: skip
"""Features with many values, which are drawn and not enumerated."""
