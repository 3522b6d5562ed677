"""kube-scheduler itself calls `schedcheck serve` as its extender: filter, prioritize, preempt and bind"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.control_plane.conftest import Start
from tests.control_plane.objects import budget, node, pod, priority_class
from tests.control_plane.plane import BASE, ControlPlane
from tests.control_plane.programs import HOST, free_port
from tests.control_plane.relay import VERBS, Call, Relay, relaying
from tests.control_plane.waiting import nodes_ready, settled, wait_for
from tests.schedcheck.serving.starting import running

pytestmark = [pytest.mark.control_plane, pytest.mark.slow]
Json = dict[str, Any]
SIZES = {"n0": "4", "n1": "4", "n2": "2"}


def configuration(port: int) -> Json:
    """A configuration whose only extender is at this port, with all four verbs."""
    extender = {
        "urlPrefix": f"http://{HOST}:{port}", **{f"{verb}Verb": verb for verb in VERBS}, "weight": 1,
        "nodeCacheCapable": True, "httpTimeout": "60s",
    }  # fmt: skip
    return {**BASE, "extenders": [extender]}


@contextmanager
def extended(start: Start, folder: Path) -> Iterator[tuple[ControlPlane, Relay]]:
    """Start a control plane whose scheduler asks schedcheck, with three nodes and two priority classes."""
    port = free_port()
    given = configuration(port)
    file = folder / "configuration.json"
    file.write_text(json.dumps(given))
    plane = start(given)
    with (
        running("--config", str(file), "--record-bindings", "--time", "30") as served,
        relaying(plane.api, served.address, port) as relay,
    ):
        plane.api.create_all(priority_class(name, value) for name, value in (("low", 1), ("high", 100)))
        plane.api.create_all(node(name, {"cpu": cpu, "memory": "8Gi"}) for name, cpu in SIZES.items())
        wait_for(lambda: nodes_ready(plane.api), "the nodes are ready")
        yield plane, relay
        assert relay.failures == []
        assert served.stop() == 0


def place(plane: ControlPlane, name: str) -> str:
    return str(plane.api.get("Pod", name)["spec"].get("nodeName", ""))


def kept(call: Call) -> tuple[set[str], set[str]]:
    """The nodes that were sent to filter, and those that were returned."""
    (sent,) = (value for key, value in call.asked.items() if key.lower() == "nodenames")
    return set(sent), set(call.answered["NodeNames"])


def test_every_pod_is_filtered_scored_and_bound_by_the_specification(start: Start, tmp_path: Path) -> None:
    with extended(start, tmp_path) as (plane, relay):
        for number in range(6):
            plane.api.create(pod(f"p{number}", {"cpu": "1"}, priorityClassName="low"))
            settled(plane.api, quiet=0.5)
        for number in range(6):
            name = f"p{number}"
            for call in relay.of("filter", name):
                sent, returned = kept(call)
                assert sent == returned, "a node that kube-scheduler's filters admit is refused"
            assert len(relay.of("bind", name)) == 1
            assert relay.of("bind", name)[0].asked["Node"] == place(plane, name)
            scored = relay.of("prioritize", name)
            assert scored and place(plane, name) in scored[-1].best
        assert {call.verb for call in relay.calls} == {"filter", "prioritize", "bind"}


def test_a_node_that_the_specification_refuses_gets_no_pod(start: Start, tmp_path: Path) -> None:
    def cordoned(cluster: Json) -> Json:
        made = deepcopy(cluster)
        for each in made["items"]:
            if each["kind"] == "Node" and each["metadata"]["name"] != "n2":
                each["spec"]["unschedulable"] = True
        return made

    with extended(start, tmp_path) as (plane, relay):
        relay.shown = cordoned
        plane.api.create(pod("p", {"cpu": "1"}, priorityClassName="low"))
        settled(plane.api, quiet=0.5)
        sent, returned = kept(relay.of("filter", "p")[-1])
        assert (sent, returned) == ({"n0", "n1", "n2"}, {"n2"})
        assert place(plane, "p") == "n2"


def test_candidates_of_preemption_are_offered_and_the_least_casualty_is_taken(start: Start, tmp_path: Path) -> None:
    with extended(start, tmp_path) as (plane, relay):
        plane.api.create(budget("kept", minAvailable=1))
        for number, cpu in enumerate(SIZES.values()):
            labels = {"app": "kept"} if number == 0 else {"app": "other"}
            wanted = {"kubernetes.io/hostname": f"n{number}"}
            low = pod(f"low-{number}", {"cpu": cpu}, labels, priorityClassName="low", nodeSelector=wanted)
            plane.api.create(low)
        settled(plane.api)
        wait_for(lambda: plane.api.get("PodDisruptionBudget", "kept")["status"]["currentHealthy"] == 1, "it is healthy")
        plane.api.create(pod("high", {"cpu": "3"}, priorityClassName="high"))
        wait_for(lambda: place(plane, "high"), "the pod has preempted")
        found = settled(plane.api)
        offered = relay.of("preempt", "high")[0]
        sent = {
            name
            for key, each in offered.asked.items()
            if key.lower().startswith("nodenameto") and each
            for name in each
        }
        assert sent == set(offered.answered["NodeNameToMetaVictims"]) == {"n0", "n1"}
        assert place(plane, "high") == "n1", "n0 has a pod that its budget protects"
        assert {each["metadata"]["name"] for each in found} == {"low-0", "low-2", "high"}
        assert {call.verb for call in relay.calls} == {"filter", "preempt", "bind"}, "no two nodes are feasible"


def test_a_candidate_that_the_specification_refuses_is_not_taken(start: Start, tmp_path: Path) -> None:
    """The specification is shown more important pods on n1 than there are, so it refuses n1 as a candidate."""

    def important(cluster: Json) -> Json:
        made = deepcopy(cluster)
        for each in made["items"]:
            if each["kind"] == "Pod" and each["metadata"]["name"] == "low-1":
                each["spec"]["priority"] = 1000
        return made

    with extended(start, tmp_path) as (plane, relay):
        for number, cpu in enumerate(SIZES.values()):
            wanted = {"kubernetes.io/hostname": f"n{number}"}
            plane.api.create(pod(f"low-{number}", {"cpu": cpu}, priorityClassName="low", nodeSelector=wanted))
        settled(plane.api)
        relay.shown = important
        plane.api.create(pod("high", {"cpu": "3"}, priorityClassName="high"))
        wait_for(lambda: place(plane, "high"), "the pod has preempted")
        assert set(relay.of("preempt", "high")[0].answered["NodeNameToMetaVictims"]) == {"n0"}
        assert place(plane, "high") == "n0"
