"""Go's own types of the extender protocol read and write the messages of both sides without loss"""

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from schedcheck.model.production.extenders import messages
from schedcheck.model.production.framework.extender import Victims
from tests.schedcheck.serving.asking import Json, a_node, a_pod, named, read, server, whole
from tests.schedcheck.serving.starting import started

PROGRAM = Path(__file__).parent / "roundtrip"
pytestmark = pytest.mark.slow
CLUSTER = (a_node("n1"), a_node("n2"), a_pod("low", "4", on="n1", priority=1), a_pod("p", "1", priority=5))


@pytest.fixture(scope="module")
def roundtrip(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The program, built."""
    if shutil.which("go") is None:
        pytest.skip("go is not installed")
    made = tmp_path_factory.mktemp("go") / "roundtrip"
    had = subprocess.run(["go", "mod", "download"], cwd=PROGRAM, capture_output=True, text=True, check=False)
    if had.returncode:
        pytest.skip(f"the modules of k8s.io/kube-scheduler cannot be had: {had.stderr.splitlines()[-1:]}")
    subprocess.run(["go", "build", "-o", str(made), "."], cwd=PROGRAM, check=True)
    return str(made)


def run(program: str, *arguments: str, message: Any) -> tuple[int, Any, str]:
    made = subprocess.run(
        [program, *arguments], input=json.dumps(message), capture_output=True, text=True, check=False
    )  # fmt: skip
    return made.returncode, json.loads(made.stdout) if made.stdout else None, made.stderr


def answers() -> Iterator[tuple[str, Any]]:
    """The answers of the server and the messages of the client, each with the name of its Go type."""
    asked = server(*CLUSTER, record_bindings=True)
    pod, nodes = CLUSTER[3], CLUSTER[:2]
    offered = {"n1": {"Pods": [CLUSTER[2]], "NumPDBViolations": 0}}
    yield "ExtenderFilterResult", asked.post("/filter", whole(pod, *nodes))
    yield "ExtenderFilterResult", asked.post("/filter", named(pod, "n1", "n2"))
    yield "HostPriorityList", asked.post("/prioritize", whole(pod, *nodes))
    yield "ExtenderPreemptionResult", asked.post("/preempt", {"Pod": pod, "NodeNameToVictims": offered})
    binding = {"PodName": "p", "PodNamespace": "shop", "PodUID": "u-p", "Node": "n1"}
    yield "ExtenderBindingResult", asked.post("/bind", binding)
    cluster = read(*CLUSTER)
    low, high = cluster.pods
    victims = {"n1": Victims((low,), 1)}
    for names_only in (False, True):
        yield "ExtenderArgs", messages.extender_args(high, cluster.nodes, names_only=names_only, read=cluster.whole)
        yield (
            "ExtenderPreemptionArgs",
            messages.preemption_args(high, victims, names_only=names_only, read=cluster.whole),
        )
    yield "ExtenderArgs", messages.extender_args(high, cluster.nodes, names_only=False)
    yield "ExtenderBindingArgs", messages.binding_args(high, "n1", cluster.whole)


def left(message: Any) -> Any:
    """The message without what is empty, and without quantities, which Go writes in their canonical form."""
    if isinstance(message, dict):
        made = {name: left(each) for name, each in message.items() if name not in ("cpu", "memory", "pods")}
        return {name: each for name, each in made.items() if each not in (None, {}, [], "", 0)}
    return [left(each) for each in message] if isinstance(message, list) else message


def test_every_message_is_read_by_go_without_an_unknown_field_and_written_again_the_same(roundtrip: str) -> None:
    for name, message in answers():
        code, found, error = run(roundtrip, "read", name, message=message)
        assert code == 0, (name, error)
        if name == "HostPriorityList":
            assert found == message
        else:
            assert left(found) == left(message), name


def test_a_message_with_another_name_is_refused_by_go(roundtrip: str) -> None:
    code, _, error = run(roundtrip, "read", "ExtenderFilterResult", message={"FailedNode": {}})
    assert code == 1 and "unknown field" in error


def test_go_asks_the_server_as_kube_scheduler_does(roundtrip: str) -> None:
    pod, nodes = CLUSTER[3], list(CLUSTER[:2])
    given: Json = {
        "Pod": pod,
        "Nodes": {"items": nodes},
        "Victims": {"n1": {"Pods": [CLUSTER[2]], "NumPDBViolations": 0}},
        "Meta": {"n1": {"Pods": [{"UID": "u-low"}], "NumPDBViolations": 0}},
        "Node": "n2",
    }
    with started({"kind": "List", "items": list(CLUSTER)}, "--record-bindings") as address:
        code, found, error = run(roundtrip, "ask", address, message=given)
    assert code == 0, error
    assert [each["metadata"]["name"] for each in found["Whole"]["Nodes"]["items"]] == ["n2"] and found["Same"]
    assert found["Whole"]["FailedNodes"] == {"n1": "NodeResourcesFit: Insufficient cpu"}
    assert found["Names"]["NodeNames"] == ["n2"]
    assert found["Scores"] == [{"Host": "n1", "Score": 0}, {"Host": "n2", "Score": 10}]
    # n2 is feasible without evictions, but n1 is not: its candidate is that of the specification.
    assert list(found["Victims"]["NodeNameToMetaVictims"]) == list(found["Meta"]["NodeNameToMetaVictims"]) == ["n1"]
    assert found["Binding"] == {"Error": ""}
