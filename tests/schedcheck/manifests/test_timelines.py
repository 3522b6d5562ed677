"""Timelines: every event, and every mistake with its place"""

import json
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml
from frozendict import frozendict

from schedcheck.errors import InputError
from schedcheck.manifests import Cluster, read
from schedcheck.manifests.timelines import Timeline, timeline
from schedcheck.model.simulation.delays import DELAYS
from schedcheck.model.simulation.timeline import Add, Arrive, OnNodes, OnPods, Scale, When
from schedcheck.spec.objects import Taint

CLUSTER = """
{apiVersion: v1, kind: Node, metadata: {name: n1, labels: {zone: a, kubernetes.io/hostname: n1}}, status: {allocatable: {cpu: 4}}}
---
{apiVersion: v1, kind: Node, metadata: {name: n2, labels: {zone: b}}, status: {allocatable: {cpu: 4}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {terminationGracePeriodSeconds: 7, containers: [{name: main, image: x}]}
---
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: high}, value: 7}
"""
JOB = "{apiVersion: batch/v1, kind: Job, metadata: {name: job}, spec: {template: {spec: {restartPolicy: Never, containers: [{name: m, image: x}]}}}}"
POD = "{apiVersion: v1, kind: Pod, metadata: {name: one}, spec: {priorityClassName: high, containers: [{name: m, image: x}]}}"


@pytest.fixture(name="cluster")
def _cluster(tmp_path: Path) -> Cluster:
    (tmp_path / "cluster.yaml").write_text(CLUSTER)
    (tmp_path / "job.yaml").write_text(JOB)
    return read([tmp_path / "cluster.yaml"])


def made(tmp_path: Path, cluster: Cluster, *events: str, spec: str = "") -> Timeline:
    lines = "".join(f"  - {each}\n" for each in events)
    text = f"apiVersion: schedcheck/v1alpha1\nkind: Timeline\nspec:\n  {spec or '{}' if not events else spec}\n"
    path = tmp_path / "timeline.yaml"
    path.write_text(text + (f"  events:\n{lines}" if events else ""))
    return timeline(path, cluster)


def test_times_are_those_of_the_document(tmp_path: Path, cluster: Cluster) -> None:
    end = "event: cordon, nodes: [n1]}"
    found = made(
        tmp_path,
        cluster,
        "{at: 1m30s, " + end,
        "{every: 20s, from: 5s, until: 1h, " + end,
        "{rate: 30/m, until: 10m, " + end,
        "{rate: 2/h, " + end,
        spec="until: 2h",
    )
    assert [each.when for each in found.events] == [
        When(90.0),
        When(5.0, every=20.0, until=3600.0),
        When(mean=2.0, until=600.0),
        When(mean=1800.0),
    ]
    assert found.until == 7200.0
    assert [each.when.endless for each in found.events] == [False, False, False, True]


def test_arrivals_are_pods_as_the_api_server_stores_them(tmp_path: Path, cluster: Cluster) -> None:
    found = made(
        tmp_path,
        cluster,
        "{at: 1s, event: arrive, file: job.yaml, replicas: 2, runs: 1m}",
        f"{{at: 2s, event: arrive, manifest: {POD}, replicas: 2}}",
    )
    job, pods = (each.event for each in found.events)
    assert isinstance(job, Arrive) and isinstance(pods, Arrive)
    assert [pod.name for pod in job.pods] == ["job-0", "job-1"]
    assert {pod.owner for pod in job.pods} == {("Job", "job")}
    assert (job.traits.of, job.traits.runs, job.traits.grace) == ("Job job", 60.0, 30.0)
    assert [(pod.name, pod.priority) for pod in pods.pods] == [("one-0", 7), ("one-1", 7)]
    assert all(len(pod.tolerations) == 2 for pod in pods.pods)


def test_a_deployment_is_scaled_through_its_replica_set(tmp_path: Path, cluster: Cluster) -> None:
    found = made(tmp_path, cluster, "{at: 1s, event: scale, workload: {kind: Deployment, name: web}, replicas: 5}")
    event = found.events[0].event
    assert isinstance(event, Scale)
    assert {("default", *pod.owner) for pod in cluster.pods} == {event.owner}
    assert event.form is not None and event.form.name == "web-0"
    assert (event.replicas, event.traits.of, event.traits.grace) == (5, "Deployment web", 7.0)


def test_events_of_nodes_and_pods(tmp_path: Path, cluster: Cluster) -> None:
    found = made(
        tmp_path,
        cluster,
        "{at: 1s, event: add, like: n1, count: 2}",
        "{at: 1s, event: fail, nodes: [n1-added-2]}",
        "{at: 1s, event: drain, nodes: {zone: a}}",
        "{at: 1s, event: taint, nodes: [n2], taint: {key: gpu, effect: NoExecute}}",
        "{at: 1s, event: label, nodes: [n2], key: disk, value: ssd}",
        "{at: 1s, event: label, nodes: [n2], key: disk}",
        "{at: 1s, event: delete, pods: [web-1]}",
        "{at: 1s, event: evict, pods: {app: web}}",
    )
    add, *others = (each.event for each in found.events)
    assert isinstance(add, Add)
    assert [(node.name, dict(node.labels)) for node in add.nodes] == [
        (f"n1-added-{each}", {"zone": "a", "kubernetes.io/hostname": f"n1-added-{each}"}) for each in (1, 2)
    ]
    assert others == [
        OnNodes("fail", ("n1-added-2",)),
        OnNodes("drain", ("n1", "n1-added-1", "n1-added-2")),
        OnNodes("taint", ("n2",), Taint("gpu", "NoExecute")),
        OnNodes("label", ("n2",), key="disk", value="ssd"),
        OnNodes("label", ("n2",), key="disk"),
        OnPods("delete", (("default", "web-1"),)),
        OnPods("evict", labels=frozendict({"app": "web"})),
    ]


def test_delays_are_one_duration_or_two(tmp_path: Path, cluster: Cluster) -> None:
    found = made(tmp_path, cluster, spec="delays: {start: 2s, binding: [10ms, 1s], termination: [0.5, 1]}")
    bounds = {name: (each.least, each.most) for name, each in found.delays.bounds.items()}
    assert (bounds["start"], bounds["binding"], bounds["termination"]) == ((2.0, 2.0), (0.01, 1.0), (0.5, 1.0))
    assert bounds["cycle"] == (DELAYS["cycle"].least, DELAYS["cycle"].most)


@pytest.mark.parametrize(
    ("event", "message"),
    [
        ("{event: cordon, nodes: [n1]}", "spec.events[0]: a map: expected one of at, every and rate"),
        ("{at: 1s, rate: 1/s, event: cordon, nodes: [n1]}", "expected one of at, every and rate"),
        ("{at: soon, event: cordon, nodes: [n1]}", "spec.events[0].at: 'soon': expected a duration"),
        ("{at: -1s, event: cordon, nodes: [n1]}", "expected a duration that is not negative"),
        ("{at: 1s, until: 2s, event: cordon, nodes: [n1]}", "spec.events[0].until: '2s': belongs to every and rate"),
        ("{every: 0s, event: cordon, nodes: [n1]}", "expected a duration of more than 0s"),
        ("{rate: 0/m, event: cordon, nodes: [n1]}", "spec.events[0].rate: '0/m': expected a rate"),
        ("{at: 1s, event: explode}", "no event has this name"),
        ("{at: 1s, event: cordon}", "spec.events[0].nodes: expected nodes"),
        ("{at: 1s, event: cordon, nodes: [n3]}", "spec.events[0].nodes[0]: 'n3': no node has this name"),
        ("{at: 1s, event: cordon, pods: [web-0]}", "unknown field"),
        ("{at: 1s, event: delete, pods: [nope]}", "spec.events[0].pods[0]: 'nope': no pod has this name"),
        ("{at: 1s, event: arrive}", "expected either manifest or file"),
        ("{at: 1s, event: arrive, file: none.yaml}", "none.yaml: No such file or directory"),
        (f"{{at: 1s, event: arrive, manifest: {POD}, replicas: 0}}", "spec.events[0].replicas: 0: expected an integer"),
        (
            "{at: 1s, event: arrive, manifest: {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers:"
            " [{name: m, image: x, resources: {requests: {cpu: much}}}]}}}",
            "document 1: spec.events[0].manifest.spec.containers[0].resources.requests.cpu: 'much'",
        ),
        ("{at: 1s, event: arrive, manifest: {kind: Service, metadata: {name: s}}}", "there is a Service"),
        (
            "{at: 1s, event: scale, workload: {name: nope}, replicas: 1}",
            "no Deployment of this namespace has this name",
        ),
        ("{at: 1s, event: scale, workload: {name: web}}", "spec.events[0].replicas: expected the number of replicas"),
        ("{at: 1s, event: add, like: n7}", "no node has this name"),
        ("{at: 1s, event: add, like: n1, nodes: [n2]}", "there is a node of this name already"),
        ("{at: 1s, event: taint, nodes: [n1], taint: {key: a}}", "spec.events[0].taint.effect"),
    ],
)
def test_a_mistake_is_one_line_with_its_place(tmp_path: Path, cluster: Cluster, event: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        made(tmp_path, cluster, event)
    assert message in str(error.value) and "\n" not in str(error.value)
    assert ".yaml" in str(error.value)


def test_pods_of_a_deployment_do_not_complete(tmp_path: Path, cluster: Cluster) -> None:
    (tmp_path / "web.yaml").write_text(CLUSTER.split("---")[2].replace("name: web}", "name: other}", 1))
    with pytest.raises(InputError, match="runs: '1m': belongs to a Pod or a Job"):
        made(tmp_path, cluster, "{at: 1s, event: arrive, file: web.yaml, runs: 1m}")


def test_a_workload_cannot_arrive_twice_by_name(tmp_path: Path, cluster: Cluster) -> None:
    (tmp_path / "web.yaml").write_text(CLUSTER.split("---")[2])
    with pytest.raises(InputError, match="there is a workload of this kind and name already"):
        made(tmp_path, cluster, "{at: 1s, event: arrive, file: web.yaml}")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("delays: {begin: 1s}", "spec.delays.begin: no delay has this name"),
        ("delays: {start: [2s, 1s]}", "expected one duration, or a list of the least and the most"),
        ("delays: {termination: 2s}", "expected a number from 0 to 1"),
        ("until: 5", "spec.until: 5: expected a string"),
        ("ends: 5m", "unknown field"),
    ],
)
def test_a_mistake_in_the_specification_is_named(tmp_path: Path, cluster: Cluster, spec: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        made(tmp_path, cluster, spec=spec)
    assert message in str(error.value)


def test_another_document_is_no_timeline(tmp_path: Path, cluster: Cluster) -> None:
    with pytest.raises(InputError, match="expected Timeline"):
        timeline(tmp_path / "job.yaml", cluster)


def places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of all values in a document."""
    if place:
        yield place
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in entries:
        yield from places(each, (*place, key))


@pytest.mark.medium
def test_any_value_in_any_place_is_read_or_refused_in_one_line(tmp_path: Path) -> None:
    folder = Path(__file__).parents[3] / "examples" / "simulate"
    for name in ("api.yaml", "batch.yaml"):
        (tmp_path / name).write_text((folder / name).read_text())
    there = read([folder / "cluster.yaml"])
    whole = yaml.safe_load((folder / "timeline.yaml").read_text())
    whole["spec"]["events"] += [
        {"at": "1s", "event": "arrive", "manifest": yaml.safe_load(POD), "replicas": 2, "runs": "1m"},
        {"at": "1s", "event": "add", "like": "n1", "count": 2},
        {"at": "1s", "event": "taint", "nodes": ["n1"], "taint": {"key": "a", "effect": "NoExecute"}},
        {"every": "1s", "from": "1s", "until": "5s", "event": "delete", "pods": {"app": "web"}},
    ]
    whole["spec"]["delays"] = {"start": ["1s", "2s"], "termination": [0, 1]}
    values = (None, "", -1, 1.5, 10**30, True, [], {}, "x", [1], {"a": None}, [None], ["n1", "n1"], float("inf"))
    read_in_vain = 0
    for place in places(whole):
        for value in values:
            changed = deepcopy(whole)
            inside = changed
            for key in place[:-1]:
                inside = inside[key]
            inside[place[-1]] = value
            (tmp_path / "timeline.yaml").write_text(json.dumps(changed))
            try:
                timeline(tmp_path / "timeline.yaml", there)
            except InputError as error:
                read_in_vain += 1
                assert "\n" not in str(error)
    assert read_in_vain > 500
