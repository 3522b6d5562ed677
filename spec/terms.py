"""The rules that a pod states about nodes and other pods: requirements, selectors and affinity terms."""

from dataclasses import dataclass

from schedcheck.spec.values import NO_LABELS, Labels


@dataclass(frozen=True)
class Requirement:
    """One expression of a selector: `key operator values`.

    The operator is In, NotIn, Exists or DoesNotExist, and for nodes also Gt or Lt.
    """

    key: str
    operator: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class LabelSelector:
    """matchLabels and matchExpressions, all of which must hold; the empty selector matches every object."""

    match_labels: Labels = NO_LABELS
    match_expressions: tuple[Requirement, ...] = ()


@dataclass(frozen=True)
class NodeSelectorTerm:
    """One alternative of a node affinity; a term without requirements matches no node."""

    match_expressions: tuple[Requirement, ...] = ()
    match_fields: tuple[Requirement, ...] = ()


@dataclass(frozen=True)
class PodAffinityTerm:
    """A term of a pod affinity or anti-affinity: the pods that it selects, and the topology key of its domains.

    `label_selector` None matches no pod. If `namespaces` is empty and `namespace_selector` is None, the term selects in
    the namespace of the pod that carries it.
    """

    topology_key: str
    label_selector: LabelSelector | None = None
    namespaces: tuple[str, ...] = ()
    namespace_selector: LabelSelector | None = None


@dataclass(frozen=True)
class PreferredNodeTerm:
    """A node-selector term with the weight, 1 to 100, that a matching node gains."""

    weight: int
    term: NodeSelectorTerm


@dataclass(frozen=True)
class PreferredPodTerm:
    """A pod-affinity term with its weight, 1 to 100, which a node gains (for anti-affinity: loses)."""

    weight: int
    term: PodAffinityTerm


@dataclass(frozen=True)
class Affinity:
    """spec.affinity of a pod. An empty tuple means that the list is absent."""

    node_required: tuple[NodeSelectorTerm, ...] = ()
    node_preferred: tuple[PreferredNodeTerm, ...] = ()
    pod_required: tuple[PodAffinityTerm, ...] = ()
    pod_preferred: tuple[PreferredPodTerm, ...] = ()
    anti_required: tuple[PodAffinityTerm, ...] = ()
    anti_preferred: tuple[PreferredPodTerm, ...] = ()

    @property
    def node_terms(self) -> tuple[NodeSelectorTerm, ...]:
        """All node-selector terms, required and preferred."""
        return (*self.node_required, *(preferred.term for preferred in self.node_preferred))

    @property
    def pod_terms(self) -> tuple[PodAffinityTerm, ...]:
        """All terms about other pods, required and preferred, of affinity and of anti-affinity."""
        preferred = (each.term for each in (*self.pod_preferred, *self.anti_preferred))
        return (*self.pod_required, *self.anti_required, *preferred)


NO_AFFINITY = Affinity()
