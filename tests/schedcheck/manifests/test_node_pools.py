"""NodePools documents: what is read of them and of pods and nodes, and what is refused by one line"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

import schedcheck
from schedcheck.errors import InputError
from schedcheck.manifests.documents import Document
from schedcheck.manifests.fields import Field
from schedcheck.manifests.node_pools import node_pools, node_pools_of, unmodelled
from schedcheck.manifests.objects import cluster
from schedcheck.model.pooling import NodePools, PodFacts
from schedcheck.model.scenario import Rule
from schedcheck.spec.objects import Toleration
from tests.support.building import node, pod
from tests.support.building import scenario as built

CA = "cluster-autoscaler.kubernetes.io"
MINIMAL = {"name": "a", "max": 3, "template": {}}


def document(*pools: Any, **fields: Any) -> dict[str, Any]:
    return {"apiVersion": "schedcheck/v1alpha1", "kind": "NodePools", "pools": list(pools or (MINIMAL,)), **fields}


def read(given: Any, *objects: Any) -> NodePools:
    """The pools of a document, beside these objects."""
    found = cluster(Document("objects", number, each) for number, each in enumerate(objects, 1))
    return node_pools_of(Field(Document("pools.yaml", 1, given), given), found, found.pods)


def manifest(kind: str, name: str, **metadata: Any) -> dict[str, Any]:
    spec = {"containers": [{"name": "c"}], **metadata.pop("spec", {})} if kind == "Pod" else {}
    return {"kind": kind, "apiVersion": "v1", "metadata": {"name": name, "uid": name, **metadata}, "spec": spec}


def test_a_minimal_pool_has_the_defaults() -> None:
    made = read(document())
    (pool,) = made.pools
    assert (made.label, made.drained, pool.least, pool.most, pool.threshold) == ("node-pool", "tainted", 0, 3, 0.5)
    assert dict(pool.fresh("a-1").labels) == {"node-pool": "a", "kubernetes.io/hostname": "a-1"}
    assert pool.names == ("a-1", "a-2", "a-3")


def test_a_folder_is_refused_as_one(tmp_path: Path) -> None:
    found = cluster(())
    with pytest.raises(InputError, match="is a folder; expected a file with one document"):
        node_pools(tmp_path, found, found.pods)


def test_every_field_is_read() -> None:
    template = {
        "metadata": {"labels": {"zone": "z"}},
        "spec": {"taints": [{"key": "gpu", "effect": "NoSchedule"}]},
        "status": {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}},
    }
    whole = {"name": "b", "min": 1, "max": 2, "scaleDownUtilizationThreshold": 0.7, "template": template}
    made = read(document(whole, MINIMAL, label="pool", drainedNode="removed"))
    assert [pool.name for pool in made.pools] == ["a", "b"]
    pool = made.pools[1]
    assert (made.label, made.drained, pool.least, pool.most, pool.threshold) == ("pool", "removed", 1, 2, 0.7)
    new = pool.fresh("b-1")
    assert dict(new.labels) == {"kubernetes.io/hostname": "b-1", "pool": "b", "zone": "z"}
    assert ([str(taint) for taint in new.taints], new.allocatable["cpu"]) == (["gpu:NoSchedule"], 4000)


@pytest.mark.parametrize(
    ("annotations", "volumes", "facts"),
    [
        ({}, [], PodFacts()),
        ({f"{CA}/safe-to-evict": "false"}, [], PodFacts(safe_to_evict="false")),
        ({}, [{"name": "v", "emptyDir": {}}], PodFacts(local_storage=True)),
        ({}, [{"name": "v", "hostPath": {"path": "/"}}], PodFacts(local_storage=True)),
        ({}, [{"name": "v", "emptyDir": {"medium": "Memory"}}], PodFacts()),
        ({f"{CA}/safe-to-evict-local-volumes": "u,v"}, [{"name": "v", "emptyDir": {}}], PodFacts()),
        ({f"{CA}/safe-to-evict-local-volumes": "u"}, [{"name": "v", "emptyDir": {}}], PodFacts(local_storage=True)),
        ({f"{CA}/daemonset-pod": "true"}, [], PodFacts(daemon=True)),
        ({f"{CA}/daemonset-pod": "yes"}, [], PodFacts()),
        ({"kubernetes.io/config.mirror": "x"}, [], PodFacts(mirror=True)),
    ],
)
def test_annotations_and_volumes_of_pods_are_read(annotations: Any, volumes: Any, facts: PodFacts) -> None:
    one = manifest("Pod", "p", annotations=annotations, spec={"volumes": volumes})
    assert read(document(), one).facts["default", "p"] == facts


def test_nodes_whose_removal_is_disabled_are_read() -> None:
    values = {"n1": "true", "n2": "false"}
    nodes = [manifest("Node", name, annotations={f"{CA}/scale-down-disabled": each}) for name, each in values.items()]
    assert read(document(), *nodes, manifest("Node", "n3")).kept == {"n1"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (document(kind="Pools"), "kind: 'Pools': expected NodePools"),
        (document(apiVersion="v1"), "apiVersion: 'v1': expected schedcheck/v1alpha1"),
        (document(labels="x"), "labels: unknown field; did you mean 'label'?"),
        (document(drainedNode="gone"), "drainedNode: 'gone': expected one of tainted, removed"),
        ({**document(), "pools": []}, "pools: []: expected at least one pool"),
        (document({**MINIMAL, "minimum": 1}), "pools[0].minimum: unknown field; did you mean 'min'?"),
        (document({**MINIMAL, "max": 0}), "pools[0].max: 0: expected an integer from 1 to 100"),
        (document({**MINIMAL, "min": 4}), "pools[0].min: 4: expected no more than max"),
        (document({**MINIMAL, "name": ""}), "pools[0].name: '': expected a name"),
        (document(MINIMAL, MINIMAL), "pools[1].name: 'a': expected each name once"),
        (document({**MINIMAL, "scaleDownUtilizationThreshold": 2}), "pools[0].scaleDownUtilizationThreshold: 2: expected a number from 0 to 1"),
        (document({**MINIMAL, "template": {"spec": {"unschedulable": True}}}), "pools[0].template.spec.unschedulable: unknown field; expected one of taints"),
        (
            document({**MINIMAL, "template": {"metadata": {"labels": {"node-pool": "b"}}}}),
            "pools[0].template.metadata.labels.node-pool: 'b': expected the name of the pool, a",
        ),
    ],
)  # fmt: skip
def test_a_wrong_document_is_one_line(given: Any, said: str) -> None:
    with pytest.raises(InputError) as raised:
        read(given)
    assert str(raised.value).endswith(f"document 1: {said}")


@pytest.mark.parametrize("labels", [{}, {"node-pool": "b"}])
def test_a_node_outside_the_pool_must_not_have_a_name_of_the_pool(labels: Any) -> None:
    read(document(), manifest("Node", "a-4", labels=labels), manifest("Node", "a-1", labels={"node-pool": "a"}))
    with pytest.raises(InputError, match="expected no node a-3 outside the pool, which may give this name"):
        read(document(), manifest("Node", "a-3", labels=labels))


def beside(*things: Any, profile: str = "kubernetes", **fields: Any) -> str:
    """What is not modelled of a scenario with one pool."""
    return unmodelled(replace(built(*things, **fields), profile=profile, node_pools=read(document())))


def test_what_is_not_modelled_beside_node_pools_is_named() -> None:
    ours = node("n", 1, labels={"node-pool": "a"})
    assert beside(ours, pod("p", 1)) == beside(ours, rules=(Rule("fail", nodes=("m",)),)) == ""
    assert beside(profile="classic") == "not modelled together with the profile classic"
    for event in ("fail", "return"):
        assert beside(ours, rules=(Rule(event, nodes=("n",)),)).startswith(f"the event {event} of a node of a pool")
    assert beside(rules=(Rule("label", nodes=("n",), label_key="node-pool"),)).startswith("a change of the label")
    assert beside(rules=(Rule("label", nodes=("n",), label_key="zone"),)) == ""
    assert beside(node("n", 1, labels={"node-pool": "a"}, allocatable={"nvidia.com/gpu": 1})).startswith("the util")
    assert beside(node("n", 1, allocatable={"nvidia.com/gpu": 1})) == ""
    assert (beside(pod("p", priority=-10)), beside(pod("p", priority=-11))[:23]) == ("", "p: a priority below -10")
    tolerant = pod("p", tolerations=(Toleration(operator="Exists"),))
    assert beside(tolerant).startswith("p: a toleration of ToBeDeletedByClusterAutoscaler")
    assert beside(replace(tolerant, owner=("DaemonSet", "log"))) == ""


def test_a_scenario_names_the_file_of_pools_or_has_them_itself(tmp_path: Path) -> None:
    (tmp_path / "pools.yaml").write_text(yaml.safe_dump(document()))
    for given in ("pools.yaml", document()):
        scenario = {"apiVersion": "schedcheck/v1alpha1", "kind": "Scenario", "metadata": {"name": "s"}}
        scenario["spec"] = {"controllers": ["owners", {"nodePools": given}]}  # type: ignore[assignment]
        (tmp_path / "scenario.yaml").write_text(yaml.safe_dump(scenario))
        (tmp_path / "pod.yaml").write_text(yaml.safe_dump(manifest("Pod", "p")))
        found = schedcheck.read(tmp_path / "scenario.yaml", tmp_path / "pod.yaml")
        assert schedcheck.check(found).checked.scenario.running == ("owners", "nodePools")


def test_a_file_with_two_documents_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "pools.yaml"
    file.write_text(yaml.safe_dump_all([document(), document()]))
    with pytest.raises(InputError, match="expected no more than one document"):
        node_pools(file, cluster(()), ())
