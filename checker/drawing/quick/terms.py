"""Random labels, selectors, affinities, taints and spread constraints, of few values: `affinity`, `spread`, ..."""

from frozendict import frozendict

from schedcheck.checker.drawing.objects import HOSTNAME
from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.spec.objects import SpreadConstraint, Taint, Toleration
from schedcheck.spec.terms import (
    NO_AFFINITY,
    Affinity,
    LabelSelector,
    NodeSelectorTerm,
    PodAffinityTerm,
    PreferredNodeTerm,
    PreferredPodTerm,
    Requirement,
)
from schedcheck.spec.values import Labels

KEYS = ("zone", "app", HOSTNAME)
NODE_NAMES = ("n1", "n2", "n3", "n4", "n5", "n6")
NAMESPACES = ("default", "other")
EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
OFFICIAL_ZONE = "topology.kubernetes.io/zone"
"""The label by which the scheduler orders its nodes."""
CORDON = "node.kubernetes.io/unschedulable"


def pod_labels(chance: Chance) -> Labels:
    """Return up to two labels."""
    made = {"app": chance.one("a", "a", "b")} if chance.often(0.75) else {}
    return frozendict({**made, "tier": chance.one("1", "2")} if chance.often(0.2) else made)


def node_labels(chance: Chance, name: str) -> Labels:
    """Return labels of a node: usually its hostname and a zone, now and then a number."""
    made = {HOSTNAME: name} if chance.often(0.9) else {}
    if chance.often(0.8):
        made["zone"] = chance.one("a", "a", "b", "c")
    if chance.often(0.3):
        made["app"] = chance.one("a", "b", "1", "10")
    if chance.often(0.25):
        made[OFFICIAL_ZONE] = chance.one("a", "a", "b")
    return frozendict(made)


def requirement(chance: Chance, of_nodes: bool) -> Requirement:
    """Return one requirement, about labels of nodes or of pods."""
    key = chance.one("zone", "zone", "app", HOSTNAME) if of_nodes else chance.one("app", "app", "app", "tier")
    offered = {"zone": ("a", "b", "c"), HOSTNAME: NODE_NAMES[:3], "tier": ("1", "2")}.get(key, ("a", "b", "1", "10"))
    operators = ("In", "In", "NotIn", "Exists", "DoesNotExist", *(("Gt", "Lt") if of_nodes else ()))
    operator = chance.one(*operators)
    match operator:
        case "Exists" | "DoesNotExist":
            return Requirement(key, operator)
        case "Gt" | "Lt":
            return Requirement("app", operator, (chance.one("1", "5", "10"),))
    return Requirement(key, operator, chance.some(offered, 1, 2))


def selector(chance: Chance) -> LabelSelector | None:
    """Return a label selector of pods: usually one label, now and then expressions, everything, or none."""
    match chance.randrange(10):
        case 0:
            return LabelSelector()
        case 1:
            return None if chance.often(0.3) else LabelSelector(frozendict(app="a", tier="1"))
        case 2 | 3:
            return LabelSelector(match_expressions=(requirement(chance, False),))
    return LabelSelector(frozendict(app=chance.one("a", "a", "b")))


def node_term(chance: Chance) -> NodeSelectorTerm:
    """Return a term of a node selector: expressions, fields, both, or neither."""
    fields = chance.list(lambda: _field(chance), 1, chance.one(1, 1, 2))
    match chance.randrange(9):
        case 0 | 8:
            return NodeSelectorTerm((), fields)
        case 1:
            return NodeSelectorTerm((requirement(chance, True),), fields)
        case 2:
            return NodeSelectorTerm(tuple(requirement(chance, True) for _ in range(2)))
        case 3 if chance.often(0.2):
            return NodeSelectorTerm()
    return NodeSelectorTerm((requirement(chance, True),))


def _field(chance: Chance) -> Requirement:
    name = chance.one(*NODE_NAMES[:3], *NODE_NAMES[:3], "gone")
    return Requirement("metadata.name", chance.one("In", "In", "In", "NotIn"), (name,))


def pod_term(chance: Chance) -> PodAffinityTerm:
    """Return a pod-affinity term; with the feature `namespaces` also about other namespaces."""
    key = chance.one(HOSTNAME, HOSTNAME, "zone", "zone", "app")
    if not chance.has("namespaces", 0.6):
        return PodAffinityTerm(key, selector(chance))
    listed = chance.some(NAMESPACES) if chance.often(0.5) else ()
    labelled = LabelSelector(frozendict(team=chance.one("x", "y"))) if chance.often(0.7) else LabelSelector()
    return PodAffinityTerm(key, selector(chance), listed, labelled if chance.often(0.6) else None)


def affinity(chance: Chance) -> Affinity:
    """Return an affinity with the parts that the features allow, of several terms now and then."""

    def weight() -> int:
        return chance.one(1, 1, 10, 50, 100)

    def soft() -> tuple[PreferredPodTerm, ...]:
        return chance.list(lambda: PreferredPodTerm(weight(), pod_term(chance)), 1, 2)

    required = chance.list(lambda: node_term(chance), 1, 2) if chance.has("node-affinity") else ()
    preferred = (
        chance.list(lambda: PreferredNodeTerm(weight(), node_term(chance)), 1, 2)
        if chance.has("node-affinity") and chance.has("preferred-terms", 0.8)
        else ()
    )
    near = chance.list(lambda: pod_term(chance), 1, 2) if chance.has("affinity", 0.35) else ()
    apart = chance.list(lambda: pod_term(chance), 1, 3) if chance.has("anti-affinity", 0.35) else ()
    near_if = soft() if chance.has("preferred-terms", 0.5) and chance.has("affinity", 0.8) else ()
    apart_if = soft() if chance.has("preferred-terms", 0.5) and chance.has("anti-affinity", 0.8) else ()
    return Affinity(required, preferred, near, near_if, apart, apart_if)


def affinity_or_none(chance: Chance) -> Affinity:
    """Return an affinity, or none."""
    wanted = {"node-affinity", "affinity", "anti-affinity"} & chance.features
    return affinity(chance) if wanted and chance.often(0.8) else NO_AFFINITY


def constraint(chance: Chance, required: bool) -> SpreadConstraint:
    """Return a spread constraint; with the feature `policies` also with other policies than the default ones."""
    other = chance.has("policies", 0.6)
    return SpreadConstraint(
        chance.one(1, 1, 2),
        chance.one(HOSTNAME, "zone", "zone", "app"),
        required,
        selector(chance),
        chance.one(1, 2, 3) if other and required else 1,
        chance.often(0.5) if other else True,
        chance.often(0.6) if other else False,
    )


def spread(chance: Chance) -> tuple[SpreadConstraint, ...]:
    """Return up to three constraints, of different keys."""
    hard = chance.list(lambda: constraint(chance, True), 1, 2) if chance.has("spread") else ()
    soft = chance.list(lambda: constraint(chance, False), 1, 2) if chance.has("soft-spread") else ()
    return tuple({(each.topology_key, each.required): each for each in (*hard, *soft)}.values())


def taint(chance: Chance) -> Taint:
    """Return a taint of any effect."""
    return Taint(chance.one("t", "u"), chance.choice(EFFECTS), chance.one("", "v"))


def tolerations(chance: Chance) -> tuple[Toleration, ...]:
    """Return up to three tolerations, also of the taint of a cordoned node."""
    made = chance.list(lambda: _toleration(chance), 0, 2) if chance.has("taints", 0.7) else ()
    return (*made, Toleration(CORDON, "Exists")) if chance.has("cordons", 0.3) else made


def _toleration(chance: Chance) -> Toleration:
    key, effect = chance.one("t", "t", "u", ""), chance.one("", *EFFECTS)
    if not key or chance.often(0.5):
        return Toleration(key, "Exists", "", effect, chance.one(None, None, 5))
    return Toleration(key, chance.one("", "Equal"), chance.one("", "v"), effect)
