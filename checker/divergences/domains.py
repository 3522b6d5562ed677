"""The domain of each departure from the documentation: the kinds of objects that it is about, few of each, and small quantities.

Objects that do not affect the departure are left out, so that the search terminates.
"""

from frozendict import frozendict

from schedcheck.checker.divergences.builders import (
    APP,
    CPU,
    DRIVER,
    FOR_APP,
    PORT,
    ZONE,
    apart,
    bound,
    budgets,
    containers,
    nodes,
    nominated,
    space,
    waiting,
)
from schedcheck.checker.divergences.domain import Domain
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.scores.pod_topology_spread import HOSTNAME
from schedcheck.spec.objects import SpreadConstraint
from schedcheck.spec.storage import (
    CSI,
    ClaimSource,
    CSINode,
    PersistentVolume,
    PersistentVolumeClaim,
    Storage,
    StorageClass,
    Volume,
    VolumeAttachment,
)
from schedcheck.spec.terms import NO_AFFINITY, Affinity, LabelSelector, PodAffinityTerm, Requirement
from schedcheck.spec.values import NO_LABELS, Labels

SPACES = tuple(
    LabelSelector(match_expressions=(Requirement("team", operator, values),))
    for operator, values in (("Exists", ()), ("DoesNotExist", ()), ("In", ("red",)), ("NotIn", ("red",)))
)


NAMESPACE_SELECTOR = Domain(
    "at most 2 nodes with a host name and 2 other pods, in the namespace `default` or in `other`, each of which has the"
    " label `team=red` or not; the pod requires no anti-affinity, or one to all pods, of its own or all namespaces or of"
    " those that Exists, DoesNotExist, In or NotIn selects by the label",
    pending=tuple(
        waiting(affinity=affinity)
        for affinity in (NO_AFFINITY, *(apart(LabelSelector(), spaces) for spaces in (None, LabelSelector(), *SPACES)))
    ),
    nodes=nodes(labels=frozendict({HOSTNAME: ""})),
    others=(bound(), bound(namespace="other")),
    namespaces=tuple(
        (space("default", **own), *more)
        for own in ({}, {"team": "red"})
        for more in ((), (space("other"),), (space("other", team="red"),))
    ),
    most_nodes=2,
)

POD_LEVEL = Domain(
    "at most 2 nodes of 1 to 6 cpus and 1 other pod that requests 0 to 2; the pod requests 0 to 2 in its container, and"
    " nothing or as much or more, up to 2, as a whole",
    pending=tuple(
        waiting(containers=containers(cpu), pod_requests=frozendict(cpu=whole * CPU) if whole else frozendict())
        for whole in range(3)
        for cpu in range(3)
        if not whole or cpu <= whole
    ),
    nodes=nodes(range(1, 7)),
    others=tuple(bound(containers=containers(cpu)) for cpu in range(3)),
    most_nodes=2,
    most_others=1,
)

FIRST_OF_GROUP = Domain(
    "at most 2 nodes, in a zone or in none, and 2 other pods, with the label `app=a` or none; the pod has one of the two"
    " as well, and requires no affinity, or one to pods with the label in its zone, or on its node",
    pending=tuple(
        waiting(labels=labels, affinity=affinity)
        for labels in (NO_LABELS, APP)
        for affinity in (
            NO_AFFINITY,
            *(Affinity(pod_required=(PodAffinityTerm(key, FOR_APP),)) for key in (ZONE, HOSTNAME)),
        )
    ),
    nodes=tuple(
        each for labels in ({HOSTNAME: ""}, {HOSTNAME: "", ZONE: "east"}) for each in nodes(labels=frozendict(labels))
    ),
    others=(bound(), bound(labels=APP)),
    most_nodes=2,
)

TERMINATING = Domain(
    "at most 2 nodes with a host name and 2 other pods with the label `app=a`, of priority 0 or 1, terminating or not; the"
    " pod has the label, priority 0 or 1, and is spread over the nodes by it with a skew of 1 or 2 and at least 1 or 2"
    " domains, or not at all",
    pending=tuple(
        waiting(labels=APP, priority=priority, spread=spread)
        for priority in (0, 1)
        for spread in (
            (),
            *((SpreadConstraint(skew, HOSTNAME, True, FOR_APP, least),) for skew in (1, 2) for least in (1, 2)),
        )
    ),
    nodes=nodes(labels=frozendict({HOSTNAME: ""})),
    others=tuple(
        bound(labels=APP, priority=priority, terminating=ending) for priority in (0, 1) for ending in (False, True)
    ),
    most_nodes=2,
)

PORTS = Domain(
    "at most 2 nodes and 3 other pods; all pods have priority 0 or 1, and hold, or ask for, port 80 of the node or none",
    pending=tuple(
        waiting(priority=priority, containers=containers(ports=ports)) for priority in (0, 1) for ports in ((), PORT)
    ),
    nodes=nodes(),
    others=tuple(
        bound(priority=priority, containers=containers(ports=ports)) for priority in (0, 1) for ports in ((), PORT)
    ),
    most_nodes=2,
    most_others=3,
)

NOMINATED = Domain(
    "at most 2 nodes with a host name and 2 other pods, on a node or nominated to it; all pods have the label `app=a` or"
    " none, and the others require no anti-affinity, or one to pods with the label",
    pending=tuple(waiting(labels=labels) for labels in (NO_LABELS, APP)),
    nodes=nodes(labels=frozendict({HOSTNAME: ""})),
    others=tuple(
        made(labels=labels, affinity=affinity)
        for made in (bound, nominated)
        for labels in (NO_LABELS, APP)
        for affinity in (NO_AFFINITY, apart(FOR_APP))
    ),
    most_nodes=2,
)


CHARGED = Domain(
    "at most 2 nodes of 1 or 2 cpus, 3 other pods of priority 0 or 1 that request 0 or 1, with the label `app=a` or none,"
    " and 1 budget over those with the label, which allows 0 or 1 disruptions; the pod has priority 2 and requests 1",
    pending=(waiting(priority=2, containers=containers(1)),),
    nodes=nodes((1, 2)),
    others=tuple(
        bound(labels=labels, priority=priority, containers=containers(cpu))
        for labels in (NO_LABELS, APP)
        for priority in (0, 1)
        for cpu in (0, 1)
    ),
    budgets=budgets(FOR_APP),
    most_nodes=2,
    most_others=3,
    most_budgets=1,
)

ABSENT = LabelSelector(match_expressions=(Requirement("app", "DoesNotExist"),))


def protecting(says: str, selector: LabelSelector, labels: Labels) -> Domain:
    """Return the domain of a departure by which a budget with this selector protects no pod with these labels."""
    return Domain(
        f"at most 2 nodes of 1 or 2 cpus, 2 other pods of priority 0 or 1 that request 1, {says}, which allows 0 or 1"
        " disruptions; the pod has priority 1 or 2 and requests 1 or 2",
        pending=tuple(waiting(priority=priority, containers=containers(cpu)) for priority in (1, 2) for cpu in (1, 2)),
        nodes=nodes((1, 2)),
        others=tuple(bound(labels=labels, priority=priority, containers=containers(1)) for priority in (0, 1)),
        budgets=budgets(selector),
        most_nodes=2,
        most_budgets=1,
    )


CLAIM = (Volume("data", ClaimSource("data")),)


def claimed_alone(mode: str) -> Storage:
    """Return a claim `data` with this access mode in two namespaces, whose volumes are provisioned on demand."""
    claims = (PersistentVolumeClaim("data", space, access_modes=(mode,), storage_class="made") for space in SPACES_OF)
    return Storage(claims=tuple(claims), classes=(StorageClass("made", DRIVER, "WaitForFirstConsumer"),))


SPACES_OF = ("default", "other")

CLAIMS = Domain(
    "1 node and at most 3 other pods, in the namespace `default` or in `other`; in each there is a claim `data`, of access"
    " mode ReadWriteOnce or ReadWriteOncePod; all pods have priority 0 or 1, and use the claim of their namespace or none",
    pending=tuple(waiting(priority=priority, volumes=volumes) for priority in (0, 1) for volumes in ((), CLAIM)),
    nodes=nodes(),
    others=tuple(
        bound(namespace=space, priority=priority, volumes=volumes)
        for space in SPACES_OF
        for priority in (0, 1)
        for volumes in ((), CLAIM)
    ),
    namespaces=((space("other"),),),
    storages=tuple(claimed_alone(mode) for mode in ("ReadWriteOnce", "ReadWriteOncePod")),
    most_others=3,
)


def attaching(most: int, there: bool) -> Storage:
    """Return a bound claim for a driver that attaches at most `most` volumes to a node; `there` if already attached."""
    return Storage(
        volumes=(
            PersistentVolume(
                "volume",
                access_modes=("ReadWriteOnce",),
                storage_class="made",
                phase="Bound",
                source=CSI(DRIVER, "volume"),
            ),
        ),
        claims=(
            PersistentVolumeClaim(
                "data",
                volume_name="volume",
                phase="Bound",
                access_modes=("ReadWriteOnce",),
                storage_class="made",
                bind_completed=True,
            ),
        ),
        nodes=(CSINode("node-1", frozenset({DRIVER}), frozendict({DRIVER: most})),),
        attachments=(VolumeAttachment("attached", DRIVER, "node-1", "volume"),) if there else (),
    )


ATTACHED = Domain(
    "1 node to which a driver attaches at most 1 or 2 volumes, 1 volume with its claim, attached to the node by a"
    " VolumeAttachment or not, and at most 1 other pod; all pods use the claim or none",
    pending=tuple(waiting(volumes=volumes) for volumes in ((), CLAIM)),
    nodes=nodes(),
    others=tuple(bound(volumes=volumes) for volumes in ((), CLAIM)),
    storages=tuple(attaching(most, there) for there in (False, True) for most in (1, 2)),
    most_others=1,
)

FRONT = LabelSelector(frozendict(tier="front"))

BOTH = frozendict(app="a", tier="front")

TWO_BUDGETS = Domain(
    "1 node of 1 to 3 cpus, at most 3 other pods of priority 0 to 2 that request 1, with the label `tier=front`, with"
    " `app=a` as well, or with none, and at most 2 budgets over those with the one or the other label, which allow 0 or 1"
    " disruptions; the pod has priority 3 and requests 1",
    pending=(waiting(priority=3, containers=containers(1)),),
    nodes=nodes((1, 2, 3)),
    others=tuple(
        bound(labels=labels, priority=priority, containers=containers(1))
        for labels in (NO_LABELS, FRONT.match_labels, BOTH)
        for priority in range(3)
    ),
    budgets=budgets(FOR_APP, FRONT),
    most_others=3,
    most_budgets=2,
)

DOMAINS: frozendict[Departure, Domain] = frozendict(
    {
        Departure.NAMESPACE_SELECTOR_ON_NO_LABELS: NAMESPACE_SELECTOR,
        Departure.POD_LEVEL_UNRATED: POD_LEVEL,
        Departure.FIRST_OF_GROUP_BY_PAIRS: FIRST_OF_GROUP,
        Departure.TERMINATING_UNCOUNTED_TWICE: TERMINATING,
        Departure.PORTS_ARE_A_SET: PORTS,
        Departure.SKIPPED_SEES_NO_NOMINATED: NOMINATED,
        Departure.BUDGETS_CHARGED_FOR_ALL: CHARGED,
        Departure.EMPTY_BUDGET_PROTECTS_NO_POD: protecting(
            "with the label `app=a`, and 1 budget over all pods", LabelSelector(), APP
        ),
        Departure.UNLABELLED_UNPROTECTED: protecting(
            "without labels, and 1 budget over pods without the label `app`", ABSENT, NO_LABELS
        ),
        Departure.CLAIMS_BY_NAME_ALONE: CLAIMS,
        Departure.ATTACHED_COUNTS_TWICE: ATTACHED,
        Departure.LATER_BUDGETS_UNCHARGED: TWO_BUDGETS,
    }
)
"""The domain of each departure from the documentation."""
