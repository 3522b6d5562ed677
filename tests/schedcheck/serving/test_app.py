"""The paths of the server: errors with their places, limits, health, metrics, verdicts and the cluster"""

import threading
from typing import Any

import pytest

import schedcheck
from schedcheck.api.serve import open_to_all
from schedcheck.serving import extender as extender_module
from tests.schedcheck.serving.asking import Server, a_node, a_pod, named, read, server, wait, whole

CLUSTER = (a_node("n1"), a_node("n2"), a_pod("big", "4", on="n1"), a_pod("p", "1"))


@pytest.mark.parametrize(
    ("path", "message", "place", "error"),
    [
        ("/filter", [], "", "request: expected an object"),
        ("/filter", {}, "Pod", "request: Pod: expected a pod"),
        ("/filter", {"Pod": a_pod("p")}, "Nodes", "expected Nodes or NodeNames"),
        ("/filter", {"Pod": [], "NodeNames": []}, "Pod", "expected a map"),
        ("/filter", {"Pod": a_pod("p"), "NodeNames": [1]}, "NodeNames[0]", "expected a string"),
        ("/filter", {"Pod": a_pod("p"), "Nodes": []}, "Nodes", "expected an object"),
        ("/filter", {"Pod": a_pod("p"), "Nodes": {"items": {}}}, "Nodes.items", "expected a list"),
        ("/filter", whole(a_pod("p"), a_node("n1"), {"metadata": {}}), "Nodes.items[1].metadata.name", "a name"),
        ("/filter", whole(a_pod("p"), a_node("n1", "x")), "Nodes.items[0].status.allocatable.cpu", "quantities must match"),
        ("/prioritize", {"Pod": {"metadata": {"name": 3}}, "NodeNames": []}, "Pod.metadata.name", "expected a"),
        ("/preempt", {"Pod": a_pod("p")}, "NodeNameToVictims", "expected NodeNameToVictims or"),
        ("/preempt", {"Pod": a_pod("p"), "NodeNameToVictims": {"n1": {"NumPDBViolations": "1"}}}, "NodeNameToVictims.n1.NumPDBViolations", "an integer"),
        ("/bind", {"PodName": "p"}, "PodNamespace", "the namespace of a pod"),
        ("/v1/verdict", [], "", "expected a map"),
        ("/v1/verdict", {"pod": "shop/p", "decision": {"kind": "what"}}, "decision.kind", ""),
        ("/v1/verdict", {"pod": "shop/none", "decision": {"kind": "bind", "node": "n1"}}, "", "no pod has this name"),
        ("/v1/verdict", {"pod": "shop/p", "cluster": {"items": [3]}, "decision": {"kind": "bind", "node": "n1"}}, "", "expected a map"),
        ("/v1/cluster", {"kind": "ConfigMap"}, "", "expected a List with nodes or pods"),
        ("/v1/cluster", {"kind": "List", "items": [{"kind": "Node", "metadata": {"name": ["x"]}}]}, "items[0].metadata.name", "expected a string"),
    ],
)  # fmt: skip
def test_a_wrong_field_is_named_with_its_place(path: str, message: Any, place: str, error: str) -> None:
    found = server(*CLUSTER).post(path, message, 400)
    assert place in found["place"] and error in found["error"]


BODIES = {
    "empty": b"",
    "open map": b"{",
    "a word cut short": b"nul",
    "not UTF-8": b"\xff\xfe",
    "a number that is none": b'{"Pod": NaN}',
    "nested lists": b"[" * 100_000,
    "nested maps": b'{"Pod":' * 5_000,
    "text not UTF-8": b'{"Pod": "\xff"}',
    "a wrong node": b'{"Pod": {"metadata": {"name": "p"}}, "Nodes": {"items": [{"a": tru}]}}',
    "two values": b'{"Pod": 1} {}',
}


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("path", ["/filter", "/prioritize", "/preempt", "/bind", "/v1/verdict", "/v1/cluster"])
def test_a_body_that_is_not_json_is_a_400_with_a_reason(path: str, body: str) -> None:
    asked = server(*CLUSTER)
    answer = asked.client.post(path, content=BODIES[body], headers={"Content-Type": "application/json"})
    assert answer.status_code == 400 and answer.json()["error"]
    assert asked.post("/filter", named(a_pod("p"), "n1", "n2"))["NodeNames"] == ["n2"]


def test_other_paths_methods_and_kinds_of_content_are_refused() -> None:
    asked = server(*CLUSTER)
    assert asked.client.get("/nowhere").status_code == 404
    assert asked.client.get("/nowhere").json() == {"error": "no such path", "place": ""}
    wrong = asked.client.get("/filter")
    assert (wrong.status_code, wrong.headers["Allow"]) == (405, "POST")
    assert asked.client.post("/filter", content=b"{}").status_code == 415
    packed = asked.client.post(
        "/filter", content=b"{}", headers={"Content-Type": "application/json", "Content-Encoding": "gzip"}
    )
    assert packed.status_code == 415


def test_a_body_that_is_too_long_is_refused_with_and_without_a_length() -> None:
    asked = server(*CLUSTER, megabytes=0.001)
    body = b'{"Pod": "' + b"x" * 2000 + b'"}'
    kind = {"Content-Type": "application/json"}
    assert asked.client.post("/filter", content=body, headers=kind).status_code == 413
    parts = (body[start : start + 100] for start in range(0, len(body), 100))
    assert asked.client.post("/filter", content=parts, headers=kind).status_code == 413
    assert asked.post("/bind", {"PodName": "p", "PodNamespace": "shop", "Node": "n2"})


def test_more_requests_than_allowed_are_told_to_come_again(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = server(*CLUSTER, requests=1)
    began, go = threading.Event(), threading.Event()
    filtered = extender_module.filtered

    def slow(*given: Any) -> Any:
        began.set()
        assert go.wait(20)
        return filtered(*given)

    monkeypatch.setattr(extender_module, "filtered", slow)
    first: list[int] = []
    ask = threading.Thread(target=lambda: first.append(_status(asked)))
    with asked.client:  # one event loop for both requests
        ask.start()
        assert began.wait(20)
        assert asked.client.get("/readyz").status_code == 503
        second = asked.client.post("/filter", json=named(a_pod("p"), "n1"))
        go.set()
        ask.join()
    assert (second.status_code, second.headers["Retry-After"], first) == (503, "1", [200])
    assert asked.client.get("/readyz").status_code == 200


def _status(asked: Server) -> int:
    return asked.client.post("/filter", json=named(a_pod("p"), "n1")).status_code


def test_an_answer_that_is_too_late_is_a_503(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = server(*CLUSTER, seconds=0.05)
    go = threading.Event()
    asked_for = extender_module.filtered

    def slow(*given: Any) -> Any:
        assert go.wait(20)
        return asked_for(*given)

    monkeypatch.setattr(extender_module, "filtered", slow)
    codes: list[int] = []
    threads = [threading.Thread(target=lambda: codes.append(_status(asked))) for _ in range(2)]
    with asked.client:
        for each in threads:
            each.start()
        wait(lambda: True)
        threading.Timer(0.3, go.set).start()
        for each in threads:
            each.join()
    assert 503 in codes


def test_health_metrics_and_the_description() -> None:
    asked = server(*CLUSTER)
    assert asked.client.get("/healthz").text == asked.client.get("/readyz").text == "ok"
    asked.post("/filter", named(a_pod("p"), "n1", "n2"))
    asked.post("/filter", {}, 400)
    text = asked.client.get("/metrics").text
    for line in (
        'schedcheck_requests_total{code="200",path="/filter"} 1.0',
        'schedcheck_requests_total{code="400",path="/filter"} 1.0',
        'schedcheck_verdicts_total{verb="filter",verdict="refused"} 1.0',
        'schedcheck_verdicts_total{verb="filter",verdict="allowed"} 1.0',
        'schedcheck_differences_total{plugin="NodeResourcesFit",verb="filter"} 1.0',
        "schedcheck_cluster_version 1.0",
        "schedcheck_requests_in_flight 0.0",
    ):
        assert line in text
    paths = asked.client.get("/openapi.json").json()["paths"]
    assert {"/filter", "/prioritize", "/preempt", "/bind", "/v1/verdict", "/v1/cluster", "/healthz", "/readyz"} <= set(
        paths
    )


def test_the_cluster_is_replaced_and_described() -> None:
    asked = server(*CLUSTER)
    assert asked.client.get("/v1/cluster").json() == {"version": 1, "nodes": 2, "pods": 2}
    assert asked.post("/filter", whole(a_pod("p"), *CLUSTER[:2]))["FailedNodes"] == {
        "n1": "NodeResourcesFit: Insufficient cpu"
    }
    told = asked.post("/v1/cluster", {"kind": "List", "items": [*CLUSTER[:2], a_pod("big", "4", on="n2")]})
    assert told == {"version": 2, "nodes": 2, "pods": 1}
    assert asked.post("/filter", whole(a_pod("p"), *CLUSTER[:2]))["FailedNodes"] == {
        "n2": "NodeResourcesFit: Insufficient cpu"
    }
    asked.post("/v1/cluster", {"kind": "List", "items": [3]}, 400)
    assert asked.client.get("/v1/cluster").json()["version"] == 2


def test_a_server_without_a_cluster_can_be_given_one() -> None:
    asked = server()
    assert asked.client.get("/v1/cluster").json() == {"version": 0, "nodes": 0, "pods": 0}
    asked.post("/v1/cluster", {"kind": "List", "items": list(CLUSTER)})
    assert asked.post("/filter", named(a_pod("p"), "n1", "n2"))["NodeNames"] == ["n2"]


def test_a_verdict_is_that_of_the_oracle() -> None:
    asked = server(*CLUSTER)
    question = {
        "id": 7,
        "cluster": {"items": list(CLUSTER)},
        "pod": "shop/p",
        "decision": {"kind": "bind", "node": "n1"},
    }
    found = asked.post("/v1/verdict", question)
    assert (found["id"], found["verdict"], found["clause"]["name"]) == (7, "refused", "filters")
    right = asked.post("/v1/verdict", question | {"decision": {"kind": "bind", "node": "n2"}})
    assert right["verdict"] == "allowed"
    judged = schedcheck.judge(read(*CLUSTER), "shop/p", {"kind": "bind", "node": "n1"})
    assert found["reasons"] == list(judged.reasons)


def test_a_verdict_without_a_cluster_is_about_the_one_that_is_held() -> None:
    question = {"id": "x", "pod": "shop/p", "decision": {"kind": "bind", "node": "n1"}, "strictness": "feasible"}
    found = server(*CLUSTER).post("/v1/verdict", question)
    assert (found["id"], found["verdict"], found["strictness"]) == ("x", "refused", "feasible")
    assert "cluster" in server().post("/v1/verdict", question, 400)["place"]


@pytest.mark.parametrize(
    ("address", "open_"),
    [
        (schedcheck.Address(), False),
        (schedcheck.Address("localhost"), False),
        (schedcheck.Address("::1"), False),
        (schedcheck.Address("127.9.9.9"), False),
        (schedcheck.Address("0.0.0.0"), True),
        (schedcheck.Address("::"), True),
        (schedcheck.Address("node.example"), True),
        (schedcheck.Address("0.0.0.0", client_ca="ca.pem"), False),
    ],
)
def test_an_address_that_others_reach_is_noted(address: schedcheck.Address, open_: bool) -> None:
    assert open_to_all(address) is open_


def test_options_that_make_no_sense_are_refused() -> None:
    for name in ("seconds", "megabytes", "requests"):
        with pytest.raises(schedcheck.InputError, match=f"service.{name}: 0: expected more than 0"):
            schedcheck.asgi(service=schedcheck.Service(**{name: 0}))
    with pytest.raises(schedcheck.InputError, match=r"service\.extender: 'x': expected one of the extenders"):
        schedcheck.asgi(service=schedcheck.Service(extender="x"))
    with pytest.raises(schedcheck.InputError, match=r"profile\.plugins: out-of-tree plugins are not served"):
        schedcheck.asgi(profile=schedcheck.Profile(plugins=("a:b",)))
    with pytest.raises(schedcheck.InputError, match="profile"):
        schedcheck.asgi(profile="classic")
