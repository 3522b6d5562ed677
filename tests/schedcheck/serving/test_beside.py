"""A scheduler that has the server as its extender decides as without it; one that is wrong is held back"""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, given, settings

import schedcheck
from schedcheck.checker.differential.decisions import concluded
from schedcheck.checker.drawing.questions import FAMILIES
from schedcheck.checker.drawing.volumes import Question
from schedcheck.manifests.documents import Document
from schedcheck.manifests.objects import cluster as cluster_of
from schedcheck.manifests.snapshots import snapshot_manifests
from schedcheck.model.production.cycle.conclusion import Conclusion
from schedcheck.model.production.extenders.http import HttpExtender
from schedcheck.spec.extender_configuration import Extender
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Pod, Snapshot
from tests.schedcheck.serving.asking import Server, a_node, a_pod, read, server
from tests.schedcheck.serving.starting import started

ROOT = Path(__file__).parents[3]
SLOW = list(HealthCheck)


def extender(asked: Server, found: schedcheck.Cluster, *, names_only: bool = False) -> HttpExtender:
    """The production scheduler's extender, which sends its messages to this server."""
    offer = Extender("http://x", "filter", "preempt", node_cache_capable=names_only)

    def send(url: str, message: Any) -> Any:
        return asked.post(urlsplit(url).path, json.loads(json.dumps(message)))

    on = found.snapshot().pods_by_node
    return HttpExtender(offer, send, lambda node: on.get(node, ()), nodes_stay_known=True, read=found.whole)


def as_read(pod: Pod, snapshot: Snapshot) -> tuple[schedcheck.Cluster, Pod] | None:
    """The snapshot written as manifests and read again, as far as both mean the same; else None."""
    if pod.node_name or pod.scheduler_name != "default-scheduler" or pod.scheduling_gates:
        return None
    try:
        items = list(snapshot_manifests(snapshot))
        found = cluster_of([Document("input", 1, {"kind": "List", "items": items})])
    except schedcheck.InputError:
        return None
    one = next((each for each in found.pods if each.key == pod.key), None)
    return None if one is None or one.node_name or one.terminating else (found, one)


def outcome(made: Conclusion) -> tuple[Any, ...]:
    return made.hosts, made.nominated, made.victims


def decides_alike(question: Question, names_only: bool, counted: list[str]) -> None:
    """Fail if the production scheduler decides otherwise with the server beside it, or if the server objects."""
    pod, snapshot, _ = question
    if all(each.key != pod.key for each in snapshot.pods):
        others = tuple(sorted((*snapshot.pods, pod), key=lambda each: each.key))
        snapshot = Snapshot(others, snapshot.nodes, snapshot.namespaces, snapshot.budgets)
    made = as_read(pod, snapshot)
    if made is None:
        return
    found, one = made
    reported: list[Any] = []
    asked = server()
    asked.reported = reported
    asked.post("/v1/cluster", {"kind": "List", "items": list(snapshot_manifests(snapshot))})
    there = found.snapshot()
    alone = concluded(one, there, DEFAULT_PLUGINS)
    beside = concluded(one, there, DEFAULT_PLUGINS, extenders=[extender(asked, found, names_only=names_only)])
    assert outcome(beside) == outcome(alone)
    counted.append("bind" if alone.hosts else "nominate" if alone.nominated else "wait")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("names_only", [False, True], ids=["whole", "names"])
def test_the_production_scheduler_is_never_held_back(names_only: bool) -> None:
    counted: list[str] = []
    for name in ("questions", "contests"):
        settings(max_examples=40, suppress_health_check=SLOW, deadline=None)(
            given(FAMILIES[name])(lambda each: decides_alike(each, names_only, counted))
        )()
    assert counted.count("bind") >= 5


def test_a_scheduler_that_forgets_resources_is_held_back() -> None:
    items = (a_node("n1"), a_node("n2"), a_pod("big", "4", on="n1"), a_pod("p", "3"))
    found = read(*items)
    one = next(each for each in found.pods if each.name == "p")
    filters = tuple(each for each in DEFAULT_PLUGINS.at("filter") if each != "NodeResourcesFit")
    forgetful = replace(DEFAULT_PLUGINS, points=DEFAULT_PLUGINS.points.set("filter", filters))
    asked, judge = server(*items), server(*items, judge_only=True)
    # A judge does not hinder it, and reports the same.
    judged = concluded(one, found.snapshot(), forgetful, extenders=[extender(judge, found)])
    assert outcome(judged) == outcome(concluded(one, found.snapshot(), forgetful))
    assert judge.differences(1)[0]["nodes"] == ["n1"]
    beside = concluded(one, found.snapshot(), forgetful, extenders=[extender(asked, found)])
    assert list(beside.hosts) == ["n2"]
    (told,) = asked.differences(1)
    assert (told["nodes"], told["plugin"]) == (["n1"], "NodeResourcesFit")


CONFIG = """apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
extenders:
- {{urlPrefix: '{address}', filterVerb: filter, preemptVerb: preempt, weight: 1}}
"""


@pytest.fixture
def config(tmp_path: Path) -> Callable[[str], str]:
    def written(address: str) -> str:
        (tmp_path / "config.yaml").write_text(CONFIG.format(address=address))
        return str(tmp_path / "config.yaml")

    return written


def decisions(cluster: schedcheck.Cluster, profile: schedcheck.Profile) -> Iterator[tuple[str, str]]:
    for pod in cluster.pods:
        if not pod.node_name:
            yield (
                str(pod),
                str(sorted(map(str, schedcheck.explain(cluster, "/".join(pod.key), profile=profile).decisions or ()))),
            )


@pytest.mark.medium
def test_the_dump_is_decided_alike_with_the_server_beside_the_specification(config: Callable[[str], str]) -> None:
    cluster = schedcheck.read(ROOT / "examples" / "dump")
    alone = dict(decisions(cluster, schedcheck.kubernetes()))
    items = [json.loads(each.read_text()) for each in (ROOT / "examples" / "dump").glob("*.json")]
    with started({"kind": "List", "items": items}) as address:
        asking = schedcheck.kubernetes(config=config(address), ask_extenders=True)
        assert dict(decisions(cluster, asking)) == alone
        assert schedcheck.diff(cluster, profile=asking).exit_code == 0
    assert alone
