"""A document NodePools to `NodePools`: `node_pools` of a file, `node_pools_of` a document; `unmodelled` beside them.

```yaml
apiVersion: schedcheck/v1alpha1
kind: NodePools
label: node-pool                 # the label by which nodes belong to pools; this one if it is absent
drainedNode: tainted             # or removed, as in cluster autoscaler 1.34.0 to 1.34.3: how a removal is simulated
pools:
- name: a
  min: 0
  max: 3
  scaleDownUtilizationThreshold: 0.5
  template:                      # a Node: labels, taints, allocatable
    metadata: {labels: {zone: a}}
    status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
```
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from frozendict import frozendict

from schedcheck.errors import InputError
from schedcheck.manifests.documents import Document
from schedcheck.manifests.fields import Field, only_document
from schedcheck.manifests.nodes import node
from schedcheck.manifests.objects import Cluster
from schedcheck.model.controllers.node_pools.draining import TO_BE_DELETED
from schedcheck.model.pooling import DRAINED_NODES, LABEL, TAINTED, NodePool, NodePools, PodFacts, daemon
from schedcheck.model.profiles import has_claims
from schedcheck.model.scenario import Scenario, grouping, permitting
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.objects import Node, Pod
from schedcheck.spec.tolerations import tolerated

KIND: Final = "NodePools"
VERSION: Final = "schedcheck/v1alpha1"
MOST: Final = 100
"""The greatest size of a pool."""
EXPENDABLE: Final = -10
"""The priority below which the autoscaler ignores a pod."""
ANNOTATIONS: Final = "cluster-autoscaler.kubernetes.io"
GPU: Final = "nvidia.com/gpu"


def node_pools(file: str | Path, cluster: Cluster, pods: Iterable[Pod]) -> NodePools:
    """Return the pools of the one document of the file, for these pods of `cluster`. Raises: InputError."""
    return node_pools_of(only_document(file, "document"), cluster, pods, str(file))


def node_pools_of(given: Field, cluster: Cluster, pods: Iterable[Pod], file: str = "") -> NodePools:
    """Return the pools of a document for these pods of `cluster`. Raises: InputError."""
    if given["kind"].text() != KIND:
        raise given["kind"].error(f"expected {KIND}")
    if given["apiVersion"].text() != VERSION:
        raise given["apiVersion"].error(f"expected {VERSION}")
    given.only("apiVersion", "kind", "metadata", "label", "drainedNode", "pools")
    label = given["label"].text() or LABEL
    read = [_pool(item, label) for item in given["pools"].items()]
    if not read:
        raise given["pools"].error("expected at least one pool")
    for place, item in enumerate(given["pools"].items()):
        if read[place].name in (each.name for each in read[:place]):
            raise item["name"].error("expected each name once")
        _refuse_taken_names(item, read[place], label, cluster.nodes)
    keys = {pod.key for pod in pods}
    if any(key not in cluster.whole.pods for key in keys):
        raise InputError("node pools need the pods as they were read: read(…, whole=True)")
    return NodePools(
        pools=tuple(sorted(read, key=lambda pool: pool.name)),
        label=label,
        drained=given["drainedNode"].one_of(DRAINED_NODES, TAINTED),
        facts=frozendict({key: _facts(key, each.whole()) for key, each in cluster.whole.pods.items() if key in keys}),
        kept=frozenset(name for name, each in cluster.whole.nodes.items() if _kept(each.whole())),
        file=file,
    )


def _pool(field: Field, label: str) -> NodePool:
    field.only("name", "min", "max", "template", "scaleDownUtilizationThreshold")
    name, template = field["name"].required("a name"), field["template"]
    least = field["min"].integer(0, MOST) if field["min"].value is not None else 0
    most = field["max"].integer(1, MOST)
    if least > most:
        raise field["min"].error("expected no more than max")
    template.only("apiVersion", "kind", "metadata", "spec", "status")
    template["metadata"].only("labels")
    template["spec"].only("taints")
    template["status"].only("allocatable", "capacity")
    made = node(template)
    if made.labels.get(label, name) != name:
        raise template["metadata"]["labels"][label].error(f"expected the name of the pool, {name}")
    labels = frozendict(sorted({**made.labels, label: name}.items()))
    return NodePool(name, least, most, _named(made, name, labels), _threshold(field["scaleDownUtilizationThreshold"]))


def _named(made: Node, name: str, labels: Mapping[str, str]) -> Node:
    """Return a template with the name of its pool."""
    return Node(name, frozendict(labels), made.allocatable, made.taints, capacity=made.capacity)


def _threshold(field: Field) -> float:
    """Return the threshold of utilisation, from 0 to 1."""
    value = 0.5 if field.value is None else field.value
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise field.error("expected a number from 0 to 1")
    return float(value)


def _refuse_taken_names(field: Field, pool: NodePool, label: str, nodes: Iterable[Node]) -> None:
    """Raises: InputError if a node that is in another pool, or in none, has a name that the pool may give."""
    for each in nodes:
        if each.name in pool.names and each.labels.get(label) != pool.name:
            raise field["name"].error(f"expected no node {each.name} outside the pool, which may give this name")


def _facts(key: tuple[str, str], whole: Mapping[str, Any]) -> PodFacts:
    """Return what only the autoscaler reads of a pod's object.

    Cluster autoscaler 1.34: utils/drain/drain.go, HasBlockingLocalStorage and isLocalVolume; utils/pod/pod.go.
    """
    field = Field(Document(f"pod {'/'.join(key)}", 0, whole), dict(whole))
    given = dict(field["metadata"]["annotations"].entries())
    named = {name: each.text() for name, each in given.items() if name.startswith(ANNOTATIONS)}
    passed = named.get(f"{ANNOTATIONS}/safe-to-evict-local-volumes", "").split(",")
    return PodFacts(
        safe_to_evict=named.get(f"{ANNOTATIONS}/safe-to-evict", ""),
        local_storage=any(
            _local(each) and each["name"].text() not in passed for each in field["spec"]["volumes"].items()
        ),
        daemon=named.get(f"{ANNOTATIONS}/daemonset-pod") == "true",
        mirror="kubernetes.io/config.mirror" in given,
    )


def _local(volume: Field) -> bool:
    """Whether a volume is on the node's disk: an emptyDir, unless in memory, or a hostPath."""
    on_disk = volume["emptyDir"].value is not None and volume["emptyDir"]["medium"].text() != "Memory"
    return on_disk or volume["hostPath"].value is not None


def _kept(whole: Mapping[str, Any]) -> bool:
    """Whether the annotation of a node disables its removal."""
    annotations = (whole.get("metadata") or {}).get("annotations") or {}
    return annotations.get(f"{ANNOTATIONS}/scale-down-disabled") == "true"


ASSUMED: Final = (
    "assumed of the cluster autoscaler: the scheduler has tried each waiting pod before it decides, and new nodes are ready"
    " at once; what holds is proved only under this assumption"
)


def with_assumption(scenario: Scenario) -> Scenario:
    """Return the scenario with what is assumed of its node pools, if it has any."""
    assumed = scenario.node_pools is not None and ASSUMED not in scenario.cut
    return replace(scenario, cut=(*scenario.cut, ASSUMED)) if assumed else scenario


def unmodelled(scenario: Scenario) -> str:
    """Return what is not modelled of a scenario beside its node pools, empty if all is."""
    pools = scenario.node_pools
    if pools is None:
        return ""
    if not scenario.scheduler.has_plugins:
        return f"not modelled together with the profile {scenario.profile}"
    for rule in scenario.rules:
        if rule.event in ("fail", "return") and any(
            pools.pool_of(each) for each in scenario.nodes if each.name in rule.nodes
        ):
            return f"the event {rule.event} of a node of a pool is not modelled together with node pools"
        if rule.event == "label" and rule.label_key == pools.label:
            return "a change of the label of node pools is not modelled"
    if any(GPU in each.allocatable for each in pools.slots(scenario.nodes) if pools.pool_of(each)):
        return f"the utilization of {GPU} is not modelled together with node pools"
    if permitting(scenario) or grouping(scenario):
        return "gangs are not modelled together with node pools"
    if scenario.autoscalers:
        return "node pools are not modelled together with an autoscaler of pods"
    return next((f"{pod}: {why}" for pod in scenario.pods if (why := _unmodelled(pod, scenario, pools))), "")


def _unmodelled(pod: Pod, scenario: Scenario, pools: NodePools) -> str:
    """Return what is not modelled of a pod beside node pools, empty if all is."""
    if has_claims(pod, scenario):
        return "resource claims are not modelled together with node pools"
    if pod.priority < EXPENDABLE:
        return f"a priority below {EXPENDABLE} is not modelled together with node pools"
    if not daemon(pod, pools.of(pod)) and tolerated(TO_BE_DELETED, pod, NO_FAULTS):
        return f"a toleration of {TO_BE_DELETED.key} is not modelled together with node pools"
    return ""
