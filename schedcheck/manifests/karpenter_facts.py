"""The fields of pods and nodes that only Karpenter reads: `facts_of`, `kept`; and what is not modelled: `unmodelled`."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

from schedcheck.manifests.documents import Document
from schedcheck.manifests.fields import Field
from schedcheck.model.controllers.karpenter.asking import asking, of_node
from schedcheck.model.controllers.karpenter.candidates import DISRUPTED
from schedcheck.model.controllers.karpenter.rules import Rule, rules
from schedcheck.model.profiles import has_claims
from schedcheck.model.provisioning import NODE_POOL, WELL_KNOWN, Karpenter, PodFacts
from schedcheck.model.scenario import Scenario, permitting
from schedcheck.spec.objects import Pod
from schedcheck.spec.storage import ClaimSource, Ephemeral
from schedcheck.spec.terms import PodAffinityTerm, Requirement

PROTECTED: Final = "karpenter.sh/do-not-disrupt"
COSTS: Final = ("karpenter.sh/disruption-cost", "controller.kubernetes.io/pod-deletion-cost")
CRITICAL: Final = ("system-cluster-critical", "system-node-critical")
RESERVED: Final = ("karpenter.sh/", "beta.kubernetes.io/", "failure-domain.beta.kubernetes.io/")
"""The beginnings of labels that Karpenter sets, forbids or takes for others."""


def facts_of(key: tuple[str, str], whole: Mapping[str, Any]) -> PodFacts:
    """Return what only Karpenter reads of a pod's object. Raises: InputError for annotations that are not modelled."""
    field = Field(Document(f"pod {'/'.join(key)}", 0, whole), dict(whole))
    metadata = field["metadata"]
    given = metadata["annotations"]
    for name in COSTS:
        if given[name]:
            raise given[name].error("not modelled together with Karpenter")
    return PodFacts(
        created=metadata["creationTimestamp"].text(),
        uid=metadata["uid"].text(),
        do_not_disrupt=_protected(given),
        critical=field["spec"]["priorityClassName"].text() in CRITICAL,
        unschedulable=any(
            each["type"].text() == "PodScheduled" and each["reason"].text() == "Unschedulable"
            for each in field["status"]["conditions"].items()
        ),
    )


def kept(name: str, whole: Mapping[str, Any]) -> bool:
    """Whether the annotation of a node forbids its disruption; only "true" does."""
    field = Field(Document(f"node {name}", 0, whole), dict(whole))
    return field["metadata"]["annotations"][PROTECTED].text() == "true"


def _protected(annotations: Field) -> bool:
    """Whether the annotation of a pod forbids its disruption. Raises: InputError for a duration."""
    value = annotations[PROTECTED].text()
    if value[:1].isdigit():
        raise annotations[PROTECTED].error("a duration is not modelled")
    return value == "true"


ASSUMED: Final = (
    "assumed of Karpenter: no pool has more than {most} nodes at once, launches succeed, DaemonSets leave new nodes what the catalogue says, nodes do not expire or drift,"
    " consolidateAfter has passed, and the provisioner runs before each disruption; what holds is proved only under these"
    " assumptions"
)


def with_assumption(scenario: Scenario) -> Scenario:
    """Return the scenario with what is assumed of Karpenter, if it runs."""
    if scenario.karpenter is None:
        return scenario
    said = ASSUMED.format(most=scenario.karpenter.most)
    return scenario if said in scenario.cut else replace(scenario, cut=(*scenario.cut, said))


def unmodelled(scenario: Scenario) -> str:
    """Return what is not modelled of a scenario beside Karpenter, empty if all is."""
    given = scenario.karpenter
    if given is None:
        return ""
    if not scenario.scheduler.has_plugins:
        return f"not modelled together with the profile {scenario.profile}"
    if scenario.node_pools is not None:
        return "Karpenter is not modelled together with node pools of the cluster autoscaler"
    managed = {node.name for node in scenario.nodes if NODE_POOL in node.labels}
    for rule in scenario.rules:
        if rule.event in ("fail", "return", "label") and managed & {*rule.nodes}:
            return f"the event {rule.event} of a node of a NodePool is not modelled"
    for node in scenario.nodes:
        if NODE_POOL in node.labels and given.pool_of(node) is None:
            return f"{node}: its NodePool {node.labels[NODE_POOL]} is not in the file"
    if permitting(scenario):
        return "gangs are not modelled together with Karpenter"
    if scenario.autoscalers:
        return "Karpenter is not modelled together with an autoscaler of pods"
    if why := next((f"{pod}: {why}" for pod in scenario.pods for why in _unmodelled(pod, scenario)), ""):
        return why
    return _ambiguous(scenario, given)


def _unmodelled(pod: Pod, scenario: Scenario) -> Iterator[str]:
    """Yield what is not modelled of a pod beside Karpenter."""
    affinity = pod.affinity
    terms = (*affinity.anti_required, *(each.term for each in affinity.anti_preferred))
    expressions = [each for term in affinity.node_terms for each in term.match_expressions]
    keys = (*pod.node_selector, *(each.key for each in expressions))
    if any(_selects_more(term) for term in affinity.anti_required):
        yield "a term with a namespaceSelector or without a labelSelector is not modelled together with Karpenter"
    if of_node(pod):
        return
    if has_claims(pod, scenario):
        yield "resource claims are not modelled together with Karpenter"
    if any(isinstance(each.source, ClaimSource | Ephemeral) for each in pod.volumes):
        yield "persistent volume claims are not modelled together with Karpenter"
    if any(container.ports for container in (*pod.containers, *pod.init_containers)):
        yield "host ports are not modelled together with Karpenter"
    if affinity.pod_required or affinity.pod_preferred:
        yield "pod affinity is not modelled together with Karpenter; anti-affinity is"
    if any(_selects_more(term) for term in terms) or any(each.selector is None for each in pod.spread):
        yield "a term with a namespaceSelector or without a labelSelector is not modelled together with Karpenter"
    if any(term.match_fields for term in affinity.node_terms) or any(_compares(each) for each in expressions):
        yield "matchFields and the operators Gt and Lt are not modelled together with Karpenter"
    if any(not term.match_expressions for term in affinity.node_terms):
        yield "an empty term of node affinity is not modelled together with Karpenter"
    for key in keys:
        if key == "kubernetes.io/hostname" or (key.startswith(RESERVED) and key not in WELL_KNOWN):
            yield f"Karpenter does not take the label {key} of a node selector or a node affinity"
    if len(affinity.node_required) > 1 and pod.spread:
        yield "alternative terms of node affinity together with topology spread are not modelled together with Karpenter"
    if asking(pod).tolerates((DISRUPTED,)):
        yield f"a toleration of {DISRUPTED.key} is not modelled together with Karpenter"


def _selects_more(term: PodAffinityTerm) -> bool:
    return term.namespace_selector is not None or term.label_selector is None


def _compares(requirement: Requirement) -> bool:
    return requirement.operator in ("Gt", "Lt")


def _ambiguous(scenario: Scenario, given: Karpenter) -> str:
    """Return which pods have constraints that Karpenter takes for the same though they count other nodes.

    Karpenter 1.15 tells topology groups apart by a hash without minDomains and without the values of node selectors and
    node affinity: pkg/controllers/provisioning/scheduling/topologygroup.go, Hash.
    """
    known: dict[object, tuple[Rule, Pod]] = {}
    for pod in scenario.pods:
        for rule in rules(asking(pod)) if not of_node(pod) else ():
            sees = rule.filter
            keys = frozenset(frozenset(key for key, _ in each) for each in sees.alternatives)
            hashed = rule._replace(least=0, filter=sees._replace(alternatives=())), keys
            other, its = known.setdefault(hashed, (rule, pod))
            if other != rule:
                return f"{pod} and {its}: Karpenter confuses their topology spread, as only values of selectors differ"
    return ""
