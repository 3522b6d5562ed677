"""NodePools of Karpenter and the catalogue of a provider to `Karpenter`: `karpenter` of a file.

```yaml
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: general}
spec:
  template:
    spec:
      nodeClassRef: {group: example.com, kind: NodeClass, name: default}
      requirements: [{key: topology.kubernetes.io/zone, operator: In, values: [a, b]}]
      expireAfter: Never
  disruption: {consolidationPolicy: WhenEmptyOrUnderutilized, consolidateAfter: 0s, budgets: [{nodes: "1"}]}
---
apiVersion: schedcheck/v1alpha1
kind: InstanceTypes
mostNodes: 3                     # the most nodes that each pool has at once in the model
launch: any                      # or cheapest: the offering that the provider launches
instanceTypes:
- name: small
  labels: {kubernetes.io/arch: amd64}
  allocatable: {cpu: "2", memory: 4Gi, pods: "110"}
  offerings: [{zone: a, capacityType: on-demand, price: 1}]
```
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Final, TypeVar

from frozendict import frozendict

from schedcheck.errors import InputError
from schedcheck.manifests.documents import documents
from schedcheck.manifests.durations import duration
from schedcheck.manifests.fields import Field
from schedcheck.manifests.identities import objects_of
from schedcheck.manifests.karpenter_facts import PROTECTED, RESERVED, facts_of, kept
from schedcheck.manifests.nodes import taint
from schedcheck.manifests.objects import Cluster
from schedcheck.model.provisioning import (
    ANY,
    CAPACITY_TYPE,
    CAPACITY_TYPES,
    INSTANCE_TYPE,
    LAUNCHES,
    NODES,
    POLICIES,
    REASONS,
    WELL_KNOWN,
    WHEN_UNDERUTILIZED,
    ZONE,
    Budget,
    InstanceType,
    Karpenter,
    Offering,
    Pool,
)
from schedcheck.spec.objects import Pod
from schedcheck.spec.quantities import amount
from schedcheck.spec.terms import Requirement
from schedcheck.spec.values import Amounts

POOL: Final = ("karpenter.sh/v1", "NodePool")
CATALOGUE: Final = ("schedcheck/v1alpha1", "InstanceTypes")
MOST: Final = 100
"""The greatest number of nodes of a pool."""
OPERATORS: Final = ("In", "NotIn", "Exists", "DoesNotExist")
GIVEN: Final = (ZONE, CAPACITY_TYPE, INSTANCE_TYPE)
"""The labels that an offering gives."""
NEVER: Final = "Never"
Thing = TypeVar("Thing", InstanceType, Pool)


def karpenter(file: str | Path, cluster: Cluster, pods: Iterable[Pod]) -> Karpenter:
    """Return the Karpenter of a file, for these pods of `cluster`. Raises: InputError."""
    catalogues: list[Field] = []
    given: list[Field] = []
    for field in (each for document in documents((file,)) for _, each in objects_of(Field(document, document.value))):
        kind = field["apiVersion"].text(), field["kind"].text()
        if kind not in (POOL, CATALOGUE):
            raise field["kind"].error(
                f"expected {' or '.join(f'{name} of {version}' for version, name in (POOL, CATALOGUE))}"
            )
        (given if kind == POOL else catalogues).append(field)
    for field in catalogues[1:]:
        raise field["kind"].error("expected no more than one InstanceTypes")
    if not catalogues:
        raise InputError("expected a document InstanceTypes, the catalogue of the provider", file=str(file))
    if not given:
        raise InputError("expected at least one NodePool", file=str(file))
    return _made(given, catalogues[0], cluster, pods, str(file))


def _made(given: list[Field], catalogue: Field, cluster: Cluster, pods: Iterable[Pod], file: str) -> Karpenter:
    """Return the Karpenter of these documents."""
    catalogue.only("apiVersion", "kind", "metadata", "mostNodes", "launch", "instanceTypes")
    types = _each_once(catalogue["instanceTypes"].items(), [_type(item) for item in catalogue["instanceTypes"].items()])
    if not types:
        raise catalogue["instanceTypes"].error("expected at least one instance type")
    labels = {key for each in types for key in each.labels}
    pools = _each_once([field["metadata"] for field in given], [_pool(field, labels) for field in given])
    keys = {pod.key for pod in pods}
    if any(key not in cluster.whole.pods for key in keys):
        raise InputError("Karpenter needs the pods as they were read: read(…, whole=True)")
    made = Karpenter(
        pools=tuple(sorted(sorted(pools, key=lambda pool: pool.name, reverse=True), key=lambda pool: -pool.weight)),
        types=types,
        most=catalogue["mostNodes"].integer(1, MOST),
        launch=catalogue["launch"].one_of(LAUNCHES, ANY),
        facts=frozendict({key: facts_of(key, each.whole()) for key, each in cluster.whole.pods.items() if key in keys}),
        kept=frozenset(name for name, each in cluster.whole.nodes.items() if kept(name, each.whole())),
        file=file,
    )
    _refuse_nodes(made, cluster, {pool.name: field for pool, field in zip(pools, given, strict=True)})
    return made


def _each_once(fields: list[Field], things: list[Thing]) -> tuple[Thing, ...]:
    """Return these things. Raises: InputError if two have the same name."""
    for place, field in enumerate(fields):
        if things[place].name in (each.name for each in things[:place]):
            raise field["name"].error("expected each name once")
    return tuple(things)


def _type(field: Field) -> InstanceType:
    """Return an instance type; its capacity is what it allocates, unless it is given."""
    field.only("name", "labels", "allocatable", "capacity", "offerings")
    labels = field["labels"].labels()
    for key in labels:
        if key in GIVEN or key == "kubernetes.io/hostname" or key.startswith(RESERVED):
            raise field["labels"][key].error("expected a label of the instance type alone")
    offerings = tuple(_offering(item) for item in field["offerings"].items())
    if not offerings:
        raise field["offerings"].error("expected at least one offering")
    allocatable = _amounts(field["allocatable"])
    capacity = _amounts(field["capacity"]) if field["capacity"] else allocatable
    return InstanceType(field["name"].required("a name"), labels, allocatable, capacity, offerings)


def _offering(field: Field) -> Offering:
    field.only("zone", "capacityType", "price", "available")
    price = field["price"].value
    if isinstance(price, bool) or not isinstance(price, int | float) or not 0 <= price < 1e9:
        raise field["price"].error("expected a price, which is not negative")
    capacity_type = field["capacityType"].one_of(CAPACITY_TYPES)
    if not capacity_type:
        raise field["capacityType"].error(f"expected one of {', '.join(CAPACITY_TYPES)}")
    available = field["available"].boolean() if field["available"] else True
    return Offering(field["zone"].required("a zone"), capacity_type, float(price), available)


def _amounts(field: Field) -> Amounts:
    return frozendict({name: amount(name, exact) for name, exact in field.quantities().items()})


def _pool(field: Field, of_types: set[str]) -> Pool:
    """Return a NodePool. Raises: InputError for what is not modelled of it."""
    field.only("apiVersion", "kind", "metadata", "spec", "status")
    spec = field["spec"]
    spec.only("template", "disruption", "limits", "weight")
    template = spec["template"]
    template.only("metadata", "spec")
    template["metadata"].only("labels", "annotations")
    made = template["spec"]
    made.only("taints", "startupTaints", "requirements", "nodeClassRef", "expireAfter")
    _refuse_protection(template["metadata"]["annotations"])
    disruption = spec["disruption"]
    disruption.only("consolidationPolicy", "consolidateAfter", "budgets")
    for after in (made["expireAfter"], disruption["consolidateAfter"]):
        if after.text() != NEVER:
            duration(after)
    return Pool(
        name=field["metadata"]["name"].required("a name"),
        weight=spec["weight"].integer(1, 100) if spec["weight"] else 0,
        labels=_labels(template["metadata"]["labels"]),
        node_class=_node_class(made["nodeClassRef"]),
        taints=tuple(taint(item) for item in made["taints"].items()),
        startup_taints=tuple(taint(item) for item in made["startupTaints"].items()),
        requirements=tuple(_requirement(item, of_types) for item in made["requirements"].items()),
        limits=_limits(spec["limits"]),
        policy=disruption["consolidationPolicy"].one_of(POLICIES, WHEN_UNDERUTILIZED),
        consolidates=disruption["consolidateAfter"].text() != NEVER,
        budgets=_budgets(disruption["budgets"]),
    )


def _refuse_protection(annotations: Field) -> None:
    """Raises: InputError if all nodes of a pool are protected by an annotation."""
    if annotations[PROTECTED]:
        raise annotations[PROTECTED].error("not modelled in a template; consolidateAfter: Never disables consolidation")


def _labels(field: Field) -> frozendict[str, str]:
    for key, each in field.entries():
        _refuse_key(key, each)
    return field.labels()


def _refuse_key(key: str, field: Field) -> None:
    """Raises: InputError for a label that Karpenter sets, forbids or takes for another."""
    if key == "kubernetes.io/hostname" or (key.startswith(RESERVED) and key not in WELL_KNOWN):
        raise field.error("expected another label, as Karpenter does not take this one")


def _node_class(field: Field) -> tuple[str, str]:
    """Return the label of a node class. Karpenter: pkg/apis/v1/labels.go, NodeClassLabelKey."""
    field.only("group", "kind", "name")
    return f"{field['group'].text()}/{field['kind'].required('a kind').lower()}", field["name"].required("a name")


def _requirement(field: Field, of_types: set[str]) -> Requirement:
    """Return a requirement; a label that neither types nor offerings give must have one value, which the nodes get."""
    field.only("key", "operator", "values")
    key, operator = field["key"].required("a key"), field["operator"].one_of(OPERATORS)
    _refuse_key(key, field["key"])
    values = tuple(sorted(set(field["values"].texts())))
    if not operator:
        raise field["operator"].error(f"expected one of {', '.join(OPERATORS)}")
    if (operator in ("In", "NotIn")) != bool(values):
        raise field["values"].error(f"expected {'values' if not values else 'no values'} with the operator {operator}")
    if key not in (*GIVEN, *of_types) and (operator != "In" or len(values) != 1):
        raise field["operator"].error("expected In with one value, as no instance type has this label")
    return Requirement(key, operator, values)


def _limits(field: Field) -> Amounts | None:
    """Return the limits of a pool, None if it has none."""
    if not field:
        return None
    exact = field.quantities()
    return frozendict(
        {name: number // 10**9 if name == NODES else amount(name, number) for name, number in exact.items()}
    )


def _budgets(field: Field) -> tuple[Budget, ...]:
    """Return the disruption budgets of a pool; one of 10% if they are absent."""
    return tuple(_budget(item) for item in field.items()) if field else (Budget("10%"),)


def _budget(field: Field) -> Budget:
    field.only("nodes", "reasons")
    text = str(field["nodes"].value) if isinstance(field["nodes"].value, int) else field["nodes"].text("10%")
    number = text.removesuffix("%")
    if not (number.isascii() and number.isdecimal() and len(number) <= 9) or (text != number and int(number) > 100):
        raise field["nodes"].error('expected a number or a percentage, as "10%"')
    for item in field["reasons"].items():
        if item.text() not in REASONS:
            raise item.error(f"expected one of {', '.join(REASONS)}")
    if field["reasons"] and not field["reasons"].items():
        raise field["reasons"].error("expected at least one reason")
    reasons = frozenset(field["reasons"].texts()) if field["reasons"] else None
    return Budget(int(number) if text == number else text, reasons)


def _refuse_nodes(made: Karpenter, cluster: Cluster, fields: dict[str, Field]) -> None:
    """Raises: InputError if a node outside a pool has a name that the pool may give."""
    for pool in made.pools:
        for node in cluster.nodes:
            if node.name in made.names(pool) and made.pool_of(node) is not pool:
                said = f"expected no node {node.name} outside the pool, which may give this name"
                raise fields[pool.name]["metadata"]["name"].error(said)
