"""The page about Scenario documents has every field in an example, the examples are read, and odd values are refused in one line"""

import json
import re
import shutil
from collections.abc import Iterator
from copy import deepcopy
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

import schedcheck
from schedcheck.cli import main
from schedcheck.errors import InputError
from schedcheck.manifests import scenario
from schedcheck.manifests.documents import Document
from schedcheck.manifests.objects import cluster
from schedcheck.model.scenario import Scenario
from schedcheck.spec.faults import ALL_FAULTS

ROOT = Path(__file__).parents[3]
SCHEMA: dict[str, Any] = json.loads((files("schedcheck") / "schemas" / "scenario.schema.json").read_text("utf-8"))
HEAD = {"apiVersion": "schedcheck/v1alpha1", "kind": "Scenario"}
FILES = {
    "policy.yaml": "descheduler-duplicates/policy.yaml",
    "pools.yaml": "node-pools-zone-kept/pools.yaml",
    "karpenter.yaml": "karpenter-limit/karpenter.yaml",
}
CONTAINERS = {"containers": [{"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}]}
LABELS, OWN = {"app": "web", "tier": "front"}, {"app": "web", "made": "here"}
TEMPLATE, SELECTOR = {"metadata": {"labels": OWN}, "spec": CONTAINERS}, {"matchLabels": OWN}
METRIC = {"type": "External", "external": {"metric": {"name": "queue_length"}, "target": {"type": "AverageValue", "averageValue": "30"}}}  # fmt: skip
TARGET = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "web"}


def pod(name: str, namespace: str = "default", on: str = "") -> dict[str, Any]:
    owner = [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web-5d9c", "uid": "r", "controller": True}]
    meta = {"name": name, "namespace": namespace, "labels": OWN if on else LABELS}
    owned = {"ownerReferences": owner} if on else {}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": meta | owned,
        "spec": CONTAINERS | ({"nodeName": on} if on else {}),
    }


def node(name: str, zone: str) -> dict[str, Any]:
    status = {"allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"}}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name, "labels": {"zone": zone}}, "status": status}


CLUSTER: list[dict[str, Any]] = [
    node("n1", "a"), node("n2", "b"), node("node-1", "b"),
    pod("web-1"), pod("web-2"), pod("web-2", "shop"), pod("web-3", on="n1"),
    {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web", "uid": "d"}, "spec": {"replicas": 1, "selector": SELECTOR, "template": TEMPLATE}},
    {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": {"name": "web"}, "spec": {"scaleTargetRef": TARGET, "maxReplicas": 2, "metrics": [METRIC]}},
    {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "import"}, "spec": {"template": {"spec": CONTAINERS | {"restartPolicy": "Never"}}}},
]  # fmt: skip


def documents() -> Iterator[dict[str, Any]]:
    """The examples of the page as whole documents; those that begin with two blanks are parts of a spec."""
    for text in re.findall(r"^```yaml\n(.*?)^```$", (ROOT / "docs" / "scenarios.md").read_text("utf-8"), re.MULTILINE | re.DOTALL):  # fmt: skip
        found = yaml.safe_load(f"spec:\n{text}" if text.startswith("  ") else text)
        yield HEAD | {"metadata": {"name": "example"}} | found


DOCUMENTS = [*documents()]


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, example in FILES.items():
        shutil.copy(ROOT / "examples" / example, tmp_path / name)
    monkeypatch.chdir(tmp_path)


def made(document: dict[str, Any]) -> Scenario:
    """The scenario of a document, which is the last one of its file."""
    numbered = enumerate([*CLUSTER, document], start=1)
    whole = cluster(Document("scenario.yaml", number, each) for number, each in numbered)
    return scenario(whole, frozenset(map(str, ALL_FAULTS)))


def write(document: dict[str, Any]) -> None:
    Path("scenario.yaml").write_text(yaml.safe_dump_all([*CLUSTER, document]), encoding="utf-8")


def fields(schema: dict[str, Any], path: str = "") -> Iterator[str]:
    """The paths of all fields of a schema."""
    for choice in schema.get("anyOf", []):
        yield from fields(choice, path)
    yield from fields(schema["items"], path) if "items" in schema else ()
    for name, each in schema.get("properties", {}).items():
        yield f"{path}.{name}".removeprefix(".")
        yield from fields(each, f"{path}.{name}")


def used(value: Any, path: str = "") -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The paths of all fields of a document, each with its way in the document."""
    if isinstance(value, list):
        for number, each in enumerate(value):
            yield from ((name, (number, *way)) for name, way in used(each, path))
    if isinstance(value, dict):
        for name, each in value.items():
            yield f"{path}.{name}".removeprefix("."), (name,)
            yield from ((inner, (name, *way)) for inner, way in used(each, f"{path}.{name}"))


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda each: "-".join(each["spec"]))
def test_every_example_of_the_page_is_read_and_follows_the_schema(document: dict[str, Any]) -> None:
    assert [error.message for error in Draft202012Validator(SCHEMA).iter_errors(document)] == []
    assert made(document).profile == document["spec"].get("profile", "kubernetes")


def test_every_field_that_is_read_has_an_example() -> None:
    shown = {name for document in DOCUMENTS for name, _ in used(document)}
    assert set(fields(SCHEMA)) - shown == set()
    assert set(fields(SCHEMA | {"properties": {**SCHEMA["properties"], "new": {}}})) - shown == {"new"}


def test_every_example_is_explored_or_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    for document in DOCUMENTS:
        write(document)
        code = main(["check", "scenario.yaml", "--max-states", "10", "--no-directed", "--quiet"])
        assert code in (0, 1, 2), (document, capsys.readouterr().err)


ODD = (None, 7, -1, 1.5, True, "", "no-such", [], {}, ["no-such"], [["a"]], {"no-such": 1}, [{"no-such": {}}], 10**30)


@pytest.mark.medium
def test_an_odd_value_is_read_or_refused_with_file_document_and_field() -> None:
    refused = 0
    for document in DOCUMENTS:
        for name, way in used(document):
            for odd in ODD:
                changed = deepcopy(document)
                inner = changed
                for step in way[:-1]:
                    inner = inner[step]
                inner[way[-1]] = odd
                try:
                    made(changed)
                except InputError as error:
                    refused += 1
                    assert "\n" not in str(error), (name, odd)
                    assert str(error).startswith(("scenario.yaml: document 11: ", "scenario.yaml: document 11\n")), (
                        name,
                        odd,
                        str(error),
                    )
    assert refused > 500


def test_a_field_that_is_not_known_is_one_line_with_exit_code_3(capsys: pytest.CaptureFixture[str]) -> None:
    write(HEAD | {"spec": {"evnets": []}})
    assert main(["check", "scenario.yaml"]) == 3
    *_, line = capsys.readouterr().err.splitlines()
    assert line == "schedcheck: scenario.yaml: document 11: spec.evnets: unknown field; did you mean 'events'?"


def test_pods_of_an_event_are_selected_by_owner_and_namespace() -> None:
    def selected(**chosen: Any) -> tuple[tuple[str, str], ...]:
        return made(HEAD | {"spec": {"events": [{"event": "delete", **chosen}]}}).rules[0].pods

    every = tuple(key for key in selected() if key[1] != "import-0")  # The pod of the Job has no labels.
    assert selected(namespace="shop") == (("shop", "web-2"),)
    assert selected(owner="replicaset/web-5d9c") == (("default", "web-3"),)
    assert set(selected(owner="deployment/web")) == {key for key in every if key[1] not in ("web-1", "web-2")}
    assert selected(namespace="default", pods={"app": "web"}) == tuple(key for key in every if key[0] == "default")
    assert selected(namespace="shop", pods=["shop/web-2"]) == (("shop", "web-2"),)


@pytest.mark.parametrize(
    ("chosen", "said"),
    [
        ({"namespace": "shp"}, "spec.events[0].namespace: 'shp': no pod is in this namespace; did you mean 'shop'?"),
        ({"owner": "job/x"}, "spec.events[0].owner: 'job/x': no pod has this owner"),
        ({"owner": "web"}, "spec.events[0].owner: 'web': expected an owner, as deployment/web"),
        ({"owner": "pod/web-1"}, "spec.events[0].owner: 'pod/web-1': expected an owner, as deployment/web"),
        ({"namespace": "shop", "pods": ["web-1"]}, "spec.events[0].pods: "),
    ],
)  # fmt: skip
def test_a_selection_of_no_pod_is_refused(chosen: dict[str, Any], said: str) -> None:
    with pytest.raises(schedcheck.InputError) as caught:
        made(HEAD | {"spec": {"events": [{"event": "delete", **chosen}]}})
    assert str(caught.value).startswith(f"scenario.yaml: document 11: {said}")
