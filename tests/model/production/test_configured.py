"""A scheduler built from a configuration: profiles, backoffs and extenders"""

from dataclasses import replace
from typing import Any

from schedcheck.manifests.documents import Document
from schedcheck.manifests.objects import cluster
from schedcheck.model.production.configured import configured
from schedcheck.model.production.cycle.delivery import Delivery
from schedcheck.model.production.extenders.as_read import NOT_READ, AsRead
from schedcheck.spec.extender_configuration import Extender
from schedcheck.spec.kubernetes.configuration import Configuration
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from tests.model.production.api_server import ApiServer, Running
from tests.support.building import node, pod


def running(
    configuration: Configuration, answer: Any, *things: Any, read: AsRead = NOT_READ
) -> tuple[Running, list[str]]:  # fmt: skip
    asked: list[str] = []
    server = ApiServer()

    def transport(extender: Extender) -> Any:
        def send(url: str, message: Any) -> Any:
            asked.append(url)
            return answer(url, message)

        return send

    scheduler = configured(
        configuration, server, lambda: server.now, transport=transport, recorder=server.record, read=read
    )
    made = Running(server, scheduler, Delivery(scheduler))
    made.put(*things)
    return made, asked


def test_each_pod_is_placed_by_the_profile_that_it_names() -> None:
    packing = replace(
        DEFAULT_PLUGINS,
        scheduler_name="packing",
        arguments=replace(
            DEFAULT_PLUGINS.arguments, scoring_strategy=replace(DEFAULT_PLUGINS.arguments.scoring_strategy, kind="MostAllocated")
        ),
    )  # fmt: skip
    things = (node("n1", 3), node("n2", 8), pod("p", 1), pod("q", 1, scheduler_name="packing"))
    made, _ = running(Configuration(profiles=(DEFAULT_PLUGINS, packing)), None, *things)
    made.step()
    made.step()
    assert (made.server.pod("p").node_name, made.server.pod("q").node_name) == ("n2", "n1")


def test_backoffs_are_those_of_the_configuration() -> None:
    made, _ = running(Configuration(pod_initial_backoff=3, pod_max_backoff=7), None, pod("p"))
    seconds = [made.scheduler.queue.backoff.seconds(failures) for failures in range(4)]
    assert seconds == [0, 3, 6, 7]


def test_a_binding_extender_replaces_the_bind_plugins() -> None:
    extender = Extender("http://outside", bind_verb="bind")
    made, asked = running(Configuration(extenders=(extender,)), lambda url, message: {}, node("n1", 1), pod("p", 1))
    made.step()
    assert asked == ["http://outside/bind"] and made.server.calls == []
    assert made.scheduler.cache.is_assumed(("default", "p"))


def test_a_failed_bind_by_an_extender_is_undone_or_ignored() -> None:
    for ignorable, place in ((False, "backing off"), (True, "")):
        extender = Extender("http://outside", bind_verb="bind", ignorable=ignorable)
        made, _ = running(
            Configuration(extenders=(extender,)), lambda url, message: {"Error": "no"}, node("n1", 1), pod("p", 1)
        )
        made.step()
        assert made.place("p") == ([place] if place else [])
        assert made.server.pod("p").node_name == ("n1" if ignorable else "")


def test_an_extender_may_choose_any_pod_of_the_node_as_victim() -> None:
    def answer(url: str, message: Any) -> Any:
        victims = {node: {"Pods": [{"UID": "default/dear"}]} for node in message["NodeNameToVictims"]}
        return {"NodeNameToMetaVictims": victims}

    extender = Extender("http://outside", preempt_verb="preempt")
    low = [pod("cheap", 1, "n1", priority=1, start_time=2), pod("dear", 1, "n1", priority=2, start_time=1)]
    made, asked = running(Configuration(extenders=(extender,)), answer, node("n1", 2), *low, pod("p", 1, priority=3))
    made.step()
    assert asked == ["http://outside/preempt"]
    assert [name for verb, name, _ in made.server.calls if verb == "evict"] == ["dear"]


def test_extenders_get_objects_as_they_were_read() -> None:
    """The scheduler nominates the pod, evicts its victim and binds it: only these changes are added to the objects."""
    metadata = {"namespace": "default", "annotations": {"a": "b"}}
    requests = {"containers": [{"name": "c", "env": [{"name": "A"}], "resources": {"requests": {"cpu": "1"}}}]}
    low = {
        "kind": "Pod",
        "metadata": {**metadata, "name": "low", "uid": "u-low"},
        "spec": {**requests, "nodeName": "n1"},
    }
    high = {"kind": "Pod", "metadata": {**metadata, "name": "p", "uid": "u-p"}, "spec": {**requests, "priority": 9}}
    capacity = {"capacity": {"cpu": "2"}, "allocatable": {"cpu": "1", "pods": "10"}}
    given = {"kind": "Node", "metadata": {"name": "n1", "annotations": {"c": "d"}}, "status": capacity}
    found = cluster(Document("input", number, each) for number, each in enumerate((low, high, given), 1))
    sent: list[Any] = []

    def answer(url: str, message: Any) -> Any:
        sent.append((url.rpartition("/")[2], message))
        match sent[-1][0]:
            case "preempt":
                return {"NodeNameToMetaVictims": {"n1": {"Pods": [{"UID": "u-low"}]}}}
            case "filter":
                return {"Nodes": {"items": [{"metadata": {"name": "n1"}}]}}
        return {}

    extender = Extender("http://outside", "filter", "preempt", bind_verb="bind")
    things = (*found.nodes, *found.pods)
    made, _ = running(Configuration(extenders=(extender,)), answer, *things, read=found.whole)
    made.step()
    assert [verb for verb, _ in sent] == ["preempt"]
    assert sent[0][1]["Pod"] == high
    assert sent[0][1]["NodeNameToVictims"] == {"n1": {"Pods": [low], "NumPDBViolations": 0}}
    assert made.server.pod("p").nominated_node_name == "n1"
    made.server.now += 60
    made.step()
    assert [verb for verb, _ in sent] == ["preempt", "filter", "bind"]
    assert sent[1][1]["Pod"] == {**high, "status": {"nominatedNodeName": "n1"}}
    assert sent[1][1]["Nodes"]["items"] == [given]
    assert sent[2][1] == {"PodName": "p", "PodNamespace": "default", "PodUID": "u-p", "Node": "n1"}
