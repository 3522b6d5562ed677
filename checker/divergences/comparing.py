"""The smallest cluster on which two schedulers decide differently: `first_difference`, over the domains of `COMPARED`.

The domains are those of the departures, of the changes between versions and of the choice of victims, and two more for
the filters and scores of nodes.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from heapq import merge
from itertools import groupby

from frozendict import frozendict

from schedcheck.checker.divergences.builders import APP, FOR_APP, PORT, apart, bound, containers, nodes, waiting
from schedcheck.checker.divergences.case import EVERY_NODE_TAKES, Case
from schedcheck.checker.divergences.domain import Domain, cases
from schedcheck.checker.divergences.domains import DOMAINS
from schedcheck.checker.divergences.version_domains import OF_CHANGES
from schedcheck.checker.divergences.victims import CHOOSING
from schedcheck.checker.limits.timer import doing, reason
from schedcheck.spec.decisions import Decision, Unknown
from schedcheck.spec.kubernetes.scores.pod_topology_spread import HOSTNAME
from schedcheck.spec.objects import Node, NodeImage, Pod, SpreadConstraint, Taint, Toleration
from schedcheck.spec.terms import (
    Affinity,
    NodeSelectorTerm,
    PodAffinityTerm,
    PreferredNodeTerm,
    PreferredPodTerm,
    Requirement,
)

TAINT = Taint("dedicated", "NoSchedule")
SSD: frozendict[str, str] = frozendict(disk="ssd")
ON_SSD = NodeSelectorTerm((Requirement("disk", "In", ("ssd",)),))
NEAR = PodAffinityTerm(HOSTNAME, FOR_APP)
HOST: frozendict[str, str] = frozendict({HOSTNAME: ""})


def _node(**fields: object) -> Node:
    return replace(nodes((2,), HOST)[0], **fields)  # type: ignore[arg-type]


def _pods(*more: dict[str, object]) -> tuple[Pod, ...]:
    return tuple(waiting(**{"labels": APP, "containers": containers(1), **each}) for each in more)


def _spread(*, required: bool) -> tuple[SpreadConstraint, ...]:
    return (SpreadConstraint(1, HOSTNAME, required, FOR_APP),)


FILTERING = Domain(
    "at most 2 nodes of 2 cpus, plain, cordoned, tainted with `dedicated`, with the label `disk=ssd`, or full at 1 pod, and at"
    " most 1 other pod, plain, with the label `app=a`, with port 80 or kept apart from that label; the pod has the label,"
    " requests 1 cpu or 3, and is plain, tolerates the taint, selects the label or requires it, asks for port 80, or is kept"
    " apart from, near to, or spread over the pods with the label `app=a`",
    pending=_pods(
        {},
        {"containers": containers(3)},
        {"tolerations": (Toleration("dedicated", "Exists"),)},
        {"node_selector": SSD},
        {"affinity": Affinity(node_required=(ON_SSD,))},
        {"containers": containers(1, PORT)},
        {"affinity": apart(FOR_APP)},
        {"affinity": Affinity(pod_required=(NEAR,))},
        {"spread": _spread(required=True)},
    ),
    nodes=(
        _node(),
        _node(unschedulable=True),
        _node(taints=(TAINT,)),
        _node(labels=frozendict({HOSTNAME: "", **SSD})),
        _node(allocatable=frozendict(cpu=2000, pods=1)),
    ),
    others=(bound(), bound(labels=APP), bound(containers=containers(0, PORT)), bound(affinity=apart(FOR_APP))),
    most_nodes=2,
    most_others=1,
)

SCORING = Domain(
    "2 nodes of 2 or 4 cpus, one kind with 4 GiB and one with 8, with the label `disk=ssd`, the image of the pod, or a"
    " PreferNoSchedule taint, and at most 1 other pod that requests 1 cpu or none, with the label `app=a` or none; the pod has"
    " the label, requests 1 cpu, and is plain, or prefers the label of nodes, to be near to or apart from pods with the"
    " label, or to spread over hosts",
    pending=_pods(
        {},
        {"affinity": Affinity(node_preferred=(PreferredNodeTerm(1, ON_SSD),))},
        {"affinity": Affinity(pod_preferred=(PreferredPodTerm(1, NEAR),))},
        {"affinity": Affinity(anti_preferred=(PreferredPodTerm(1, NEAR),))},
        {"spread": _spread(required=False)},
    ),
    nodes=tuple(
        replace(_node(), allocatable=frozendict(cpu=cpu, memory=gigabytes << 30, pods=EVERY_NODE_TAKES), **more)
        for cpu, gigabytes in ((2000, 4), (4000, 4), (4000, 8))
        for more in (
            {},
            {"labels": frozendict({HOSTNAME: "", **SSD})},
            {"images": (NodeImage(("pause:latest", "docker.io/library/pause:latest"), 500 << 20),)},
            {"taints": (Taint("dedicated", "PreferNoSchedule"),)},
        )
    ),
    others=(bound(), bound(containers=containers(1)), bound(labels=APP), bound(labels=APP, containers=containers(1))),
    fewest_nodes=2,
    most_nodes=2,
    most_others=1,
)

_EVERY = (FILTERING, SCORING, *DOMAINS.values(), *OF_CHANGES.values(), *(row.domain for row in CHOOSING))
COMPARED: tuple[Domain, ...] = tuple(dict.fromkeys(_EVERY))
"""The domains in which two schedulers are compared."""

Decides = Callable[[Case], frozenset[Decision]]


@dataclass(frozen=True)
class Searched:
    """The smallest case that differs, None if there is none, with what was looked at before it.

    - `before`: the number of clusters on which the two do not differ.
    - `size`: the objects and the sum of quantities up to which every cluster was looked at, if there is no case.
    - `unknown`: the number of clusters among these about which nothing can be said.
    - `stopped`: the limit that ended the search.
    """

    case: Case | None
    before: int
    size: tuple[int, int]
    unknown: int
    stopped: str


def differs(case: Case, first: Decides, second: Decides) -> bool | None:
    """Whether the two allow different decisions on the case; None if either is unknown."""
    made = first(case), second(case)
    if any(isinstance(each, Unknown) for some in made for each in some):
        return None
    one, other = (frozenset(map(str, some)) for some in made)
    return one != other


def ordered(domains: tuple[Domain, ...] = COMPARED) -> Iterator[Case]:
    """Yield every case of the domains once, in the order of size."""
    for _, same in groupby(merge(*map(cases, domains), key=size_of), key=size_of):
        yield from dict.fromkeys(same)


def size_of(case: Case) -> tuple[int, int]:
    """Return the size by which cases are ordered."""
    return case.size


def first_difference(first: Decides, second: Decides, domains: tuple[Domain, ...] = COMPARED) -> Searched:
    """Return the smallest case of the domains on which the two differ; or how far the search came."""
    return first_case(lambda case: differs(case, first, second), domains)


def first_case(differing: Callable[[Case], bool | None], domains: tuple[Domain, ...] = COMPARED) -> Searched:
    """Return the smallest case of the domains that is `differing`, None where that is unknown; or how far it came."""
    before = unknown = 0
    complete = size = (0, 0)
    try:
        for case in ordered(domains):
            if case.size != size:
                complete, size = size, case.size
                doing(f"comparing clusters of {size[0]} objects whose quantities sum to {size[1]}")
            found = differing(case)
            if found:
                return Searched(case, before, complete, unknown, "")
            before += 1
            unknown += found is None
    except KeyboardInterrupt as end:
        return Searched(None, before, complete, unknown, reason(end))
    return Searched(None, before, size, unknown, "")
