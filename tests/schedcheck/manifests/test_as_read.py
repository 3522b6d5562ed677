"""Pods that are not stored yet, as extenders get them: their manifest or template, with what admission adds"""

import pickle
from pathlib import Path
from typing import Any

import pytest
import yaml

from schedcheck.manifests import read
from schedcheck.model.production.extenders.as_read import NOT_READ

TEXT = """
apiVersion: v1
kind: Pod
metadata: {name: new, annotations: {note: kept}, ownerReferences: [{apiVersion: v1, kind: Thing, name: t, uid: u}]}
spec:
  priorityClassName: high
  volumes: [{name: v, emptyDir: {}}]
  containers: [{name: c, env: [{name: A, value: "1"}], resources: {limits: {cpu: "2", memory: 1Gi}}}]
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 7
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: shop}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}, annotations: {from: template}}
    spec:
      serviceAccountName: builder
      tolerations: [{key: gpu, operator: Exists}]
      containers: [{name: c, image: web, args: [-v], resources: {requests: {cpu: 100m}}}]
"""


@pytest.fixture
def sent(tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "input.yaml").write_text(TEXT)
    found = read([tmp_path / "input.yaml"])
    again = pickle.loads(pickle.dumps(found.whole))
    for each in found.pods:
        assert again.pod_object(each) == found.whole.pod_object(each)
    return {each.name: found.whole.pod_object(each) for each in found.pods}


def test_a_new_pod_keeps_its_manifest_and_gets_the_fields_of_admission(sent: dict[str, Any]) -> None:
    given = next(iter(yaml.safe_load_all(TEXT)))
    new = sent["new"]
    assert new["metadata"] == {**given["metadata"], "namespace": "default", "uid": "default/new"}
    assert {name: new["spec"][name] for name in ("priorityClassName", "volumes")} == {
        "priorityClassName": "high",
        "volumes": [{"name": "v", "emptyDir": {}}],
    }
    assert new["spec"]["priority"] == 7
    assert [(each["key"], each["tolerationSeconds"]) for each in new["spec"]["tolerations"]] == [
        ("node.kubernetes.io/not-ready", 300),
        ("node.kubernetes.io/unreachable", 300),
    ]
    (container,) = new["spec"]["containers"]
    assert container == {
        **given["spec"]["containers"][0],
        "resources": {"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "2", "memory": "1073741824"}},
    }


def test_the_pods_of_a_workload_have_its_template(sent: dict[str, Any]) -> None:
    assert sorted(sent) == ["new", "web-0", "web-1"]
    for name in ("web-0", "web-1"):
        made = sent[name]
        metadata, spec = made["metadata"], made["spec"]
        assert (metadata["name"], metadata["namespace"], metadata["uid"]) == (name, "shop", f"shop/{name}")
        assert metadata["annotations"] == {"from": "template"}
        assert metadata["labels"]["app"] == "web" and "pod-template-hash" in metadata["labels"]
        assert [(each["kind"], each["controller"]) for each in metadata["ownerReferences"]] == [("ReplicaSet", True)]
        assert spec["serviceAccountName"] == "builder" and spec["containers"][0]["args"] == ["-v"]
        assert spec["tolerations"][0]["key"] == "gpu" and len(spec["tolerations"]) == 3


def test_a_cluster_keeps_no_object_if_it_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "input.yaml").write_text(TEXT)
    assert read([tmp_path / "input.yaml"], whole=False).whole is NOT_READ
