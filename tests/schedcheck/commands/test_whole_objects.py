"""What extenders are sent: each object as it was read, whole, by the specification and by the production scheduler"""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import schedcheck
from schedcheck.cli import main
from schedcheck.model.production.extenders.as_read import NOT_READ, AsRead
from tests.model.production.extenders.serving import Asked, server

RESOURCES = {"requests": {"cpu": "1"}, "limits": {"cpu": "1500m", "memory": "1Gi"}}


def a_pod(name: str, priority: int, node: str = "") -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": name,
            "namespace": "shop",
            "uid": f"uid-of-{name}",
            "creationTimestamp": "2026-01-01T00:00:00Z",
            "annotations": {"example.com/note": name},
        },
        "spec": {
            "priority": priority,
            "volumes": [{"name": "v", "configMap": {"name": "settings"}}],
            "containers": [{"name": "c", "env": [{"name": "A", "value": "1"}], "resources": RESOURCES}],
            **({"nodeName": node} if node else {}),
        },
        "status": {
            "phase": "Running" if node else "Pending",
            "qosClass": "Burstable",
            "conditions": [{"type": "PodScheduled", "status": "True" if node else "False"}],
        },
    }


def a_node(name: str, cpu: str) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "uid": f"uid-of-{name}", "annotations": {"a": "b"}, "labels": {"zone": "z"}},
        "spec": {"podCIDR": "10.0.0.0/24"},
        "status": {
            "capacity": {"cpu": "8", "memory": "9Gi", "pods": "110"},
            "allocatable": {"cpu": cpu, "memory": "8Gi", "pods": "110"},
            "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}],
            "nodeInfo": {"kubeletVersion": "v1.34.1"},
        },
    }


ROOMY = [a_node("n1", "4"), a_node("n2", "4"), a_pod("high", 9)]
FULL = [a_node("n1", "1"), a_node("n2", "1"), a_pod("high", 9), a_pod("a", 1, "n1"), a_pod("b", 1, "n2")]
ANSWERS = {
    "/filter": {"NodeNames": ["n1", "n2"], "Nodes": {"items": [{"metadata": {"name": "n1"}}]}},
    "/prioritize": [],
    "/preempt": {"NodeNameToMetaVictims": {"n2": {"Pods": [{"UID": "uid-of-b"}]}}},
}


def lost(sent: Any, read: Any, place: str = "") -> Iterator[str]:
    """Yield the places of a read object that the sent one lacks or has otherwise."""
    if isinstance(read, dict) and isinstance(sent, dict):
        for name, value in read.items():
            yield from lost(sent.get(name), value, f"{place}.{name}")
    elif sent != read:
        yield place


def lost_objects(asked: Asked, objects: list[dict[str, Any]]) -> list[str]:
    """Return what the messages lack of the objects that were read."""
    read = {each["metadata"]["name"]: each for each in objects}
    sent = [message["Pod"] for _, _, message in asked]
    for _, _, message in asked:
        sent += (message.get("Nodes") or {"items": []})["items"]
        sent += [each for part in (message.get("NodeNameToVictims") or {}).values() for each in part["Pods"]]
    assert sent
    return sorted({each for one in sent for each in lost(one, read[one["metadata"]["name"]])})


@pytest.fixture
def asked() -> Asked:
    return []


@pytest.fixture
def url(asked: Asked) -> Iterator[str]:
    def answer() -> str:
        path = asked[-1][0]
        return json.dumps(ANSWERS[path])

    with server(200, answer, asked) as address:
        yield address


def written(folder: Path, url: str, objects: list[dict[str, Any]], more: str = "") -> tuple[str, str]:
    """Write cluster and configuration; return their files."""
    cluster, config = folder / "cluster.json", folder / "config.yaml"
    cluster.write_text(json.dumps({"kind": "List", "items": objects}))
    config.write_text(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nextenders:\n"
        f"- urlPrefix: {url}\n  filterVerb: filter\n  prioritizeVerb: prioritize\n  preemptVerb: preempt\n  weight: 1\n{more}"
    )
    return str(cluster), str(config)


@pytest.mark.parametrize("command", ["explain", "victims", "diff", "check"])
@pytest.mark.parametrize("objects", [ROOMY, FULL], ids=["roomy", "full"])
def test_every_object_is_sent_whole(
    command: str, objects: list[dict[str, Any]], asked: Asked, url: str, tmp_path: Path
) -> None:
    cluster, config = written(tmp_path, url, objects)
    pod = {"explain": ["high"], "victims": ["high"]}.get(command, [])
    if pod:
        pod = [*pod, "-n", "shop"]
    main([command, *pod, cluster, "--config", config, "--ask-extenders"])
    if command == "victims" and objects is ROOMY:
        return  # No victims are sought where there is room.
    if command != "check":
        assert lost_objects(asked, objects) == []
    else:
        # A state of `check` may hold changed pods: bound, nominated, deleted. Nothing else of them differs.
        known = (".spec.nodeName", ".status.phase", ".status.nominatedNodeName", ".metadata.deletionTimestamp")
        assert set(lost_objects(asked, objects)) <= set(known)


def test_the_production_scheduler_asks_what_the_specification_asks(asked: Asked, url: str, tmp_path: Path) -> None:
    cluster, config = written(tmp_path, url, ROOMY)
    assert main(["diff", cluster, "--config", config, "--ask-extenders"]) == 0
    # Twice in a row by the conversation; a question that differs by a field would be sent twice more.
    assert [path for path, _, _ in asked] == ["/filter"] * 2


def test_names_only_are_sent_to_an_extender_that_caches_nodes(asked: Asked, url: str, tmp_path: Path) -> None:
    cluster, config = written(tmp_path, url, FULL, "  nodeCacheCapable: true\n")
    main(["victims", "high", "-n", "shop", cluster, "--config", config, "--ask-extenders"])
    (message, *_) = [message for path, _, message in asked if path == "/preempt"]
    assert message["NodeNameToVictims"] is None and message["Pod"] == FULL[2]
    assert {name: each["Pods"] for name, each in message["NodeNameToMetaVictims"].items()} == {
        "n1": [{"UID": "uid-of-a"}],
        "n2": [{"UID": "uid-of-b"}],
    }
    asked.clear()
    cluster, config = written(tmp_path, url, ROOMY, "  nodeCacheCapable: true\n")
    main(["explain", "high", "-n", "shop", cluster, "--config", config, "--ask-extenders"])
    assert asked
    for _, _, message in asked:
        assert (message["Nodes"], message["NodeNames"], message["Pod"]) == (None, ["n1", "n2"], ROOMY[2])


def test_a_victim_named_by_its_uid_is_evicted(asked: Asked, url: str, tmp_path: Path) -> None:
    cluster, config = written(tmp_path, url, FULL)
    profile = schedcheck.Profile(config=config, ask_extenders=True)
    found = schedcheck.diff(schedcheck.read(cluster), profile=profile)
    assert found.exit_code == 0
    assert "Nominate(shop/high, n2, {shop/b})" in found.text()


def stripped(whole: AsRead, place: tuple[str, ...]) -> AsRead:
    """Return a broken reader that drops one field of each pod and node."""

    class Broken(AsRead):
        def pod_object(self, pod: Any) -> Any:
            return without(whole.pod_object(pod), place)

        def node_object(self, node: Any) -> Any:
            return without(whole.node_object(node), place)

    return Broken(whole.pods, whole.nodes)


def without(of: dict[str, Any], place: tuple[str, ...]) -> dict[str, Any]:
    first, *others = place
    if first not in of:
        return of
    if others:
        return {**of, first: without(of[first], tuple(others))}
    return {name: value for name, value in of.items() if name != first}


@pytest.mark.parametrize(
    "place",
    [
        (),
        ("metadata", "annotations"),
        ("metadata", "uid"),
        ("spec", "volumes"),
        ("spec", "containers"),
        ("status", "capacity"),
        ("status", "conditions"),
    ],
    ids=".".join,
)
def test_a_reader_that_loses_a_field_is_noticed(place: tuple[str, ...], asked: Asked, url: str, tmp_path: Path) -> None:
    cluster, config = written(tmp_path, url, ROOMY)
    read = schedcheck.read(cluster)
    broken = stripped(read.whole, place) if place else NOT_READ
    profile = schedcheck.Profile(config=config, ask_extenders=True)
    schedcheck.diff(replace(read, whole=broken), profile=profile)
    found = lost_objects(asked, ROOMY)
    assert found and all(each.startswith("." + ".".join(place)) for each in found)
