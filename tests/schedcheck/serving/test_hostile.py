"""Requests that no scheduler sends: drawn by schemathesis from the description, and changed by hand; never a 500"""

import copy
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from starlette.applications import Starlette

import schedcheck
from schedcheck.serving import extender as extender_module
from schedcheck.serving import wire
from tests.schedcheck.serving.asking import Json, Server, a_node, a_pod, named, read, server, whole

CLUSTER = (a_node("n1"), a_node("n2"), a_pod("big", "4", on="n1", priority=1), a_pod("p", "1"))
AFFINE = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [
    {"topologyKey": "zone", "labelSelector": {"matchExpressions": [{"key": "app", "operator": "In", "values": ["web"]}]}}]}}  # fmt: skip
SPREAD = [
    {
        "maxSkew": 1,
        "topologyKey": "zone",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"a": "b"}},
    }
]
RICH = a_pod(
    "p", "1", affinity=AFFINE, topologySpreadConstraints=SPREAD, tolerations=[{"key": "k", "operator": "Exists"}], priority=5,
    volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}], nodeSelector={"zone": "n2"}, overhead={"cpu": "10m"},
)  # fmt: skip
MESSAGES: dict[str, Any] = {
    "/filter": whole(RICH, a_node("n1"), a_node("n2", taints=[{"key": "k", "effect": "NoSchedule"}])),
    "/prioritize": named(RICH, "n1", "n2"),
    "/preempt": {"Pod": RICH, "NodeNameToVictims": {"n1": {"Pods": [CLUSTER[2]], "NumPDBViolations": 0}}},
    "/bind": {"PodName": "p", "PodNamespace": "shop", "PodUID": "u-p", "Node": "n2"},
    "/v1/verdict": {"cluster": {"items": list(CLUSTER)}, "pod": "shop/p", "decision": {"kind": "bind", "node": "n1"}},
    "/v1/cluster": {"kind": "List", "items": [*CLUSTER, RICH]},
}
WRONG: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 2**70, -(2**70), 1e300, "", "x", "\x00", "é" * 300, "-1", "1e999", "9" * 400, [], {}, [[]], {"": ""},
    [None], {"a": {"a": {"a": []}}}, "../../etc/passwd", "<script>", "%s%n", "x" * 20_000,
)  # fmt: skip


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place of a JSON value: the map or list, and the key or index."""
    for key, each in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        yield value, key
        yield from places(each)


def changed(message: Json, chance: random.Random) -> Any:
    """The message with one to three places changed, removed, doubled or renamed."""
    made = copy.deepcopy(message)
    for _ in range(chance.randrange(1, 4)):
        holder, key = chance.choice(list(places(made)) or [(made, None)])
        match chance.randrange(5):
            case 0 if isinstance(holder, dict):
                holder.pop(key)
            case 1 if isinstance(holder, list):
                holder.extend(holder[:3])
            case 2 if isinstance(holder, dict):
                holder[str(key).upper()] = holder.pop(key)
            case _:
                holder[key] = copy.deepcopy(chance.choice(WRONG))
    return made


def codes(asked: Server, path: str, number: int, seed: int) -> Counter[int]:
    """Send changed messages; return how often each status code was answered. Fail for a 500 or an error without a reason."""
    chance, found = random.Random(seed), Counter[int]()
    for _ in range(number):
        message = changed(MESSAGES[path], chance)
        answer = asked.client.post(path, json=message)
        found[answer.status_code] += 1
        assert answer.status_code in (200, 400, 422), (message, answer.text)
        if answer.status_code != 200:
            assert answer.json()["error"], message
    return found


@pytest.mark.parametrize("path", MESSAGES)
def test_changed_messages_are_answered_or_refused_with_a_reason(path: str) -> None:
    asked = server(*CLUSTER, record_bindings=True)
    found = codes(asked, path, 150, 7)
    assert found[200] > 10
    assert found[400] > 10
    other = server(*CLUSTER)
    assert other.post("/filter", named(a_pod("p"), "n1", "n2"))["NodeNames"] == ["n2"]


def test_a_server_that_fails_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: Any) -> Any:
        raise KeyError("lost")

    monkeypatch.setattr(extender_module, "filtered", failing)
    with pytest.raises(KeyError, match="lost"):
        codes(server(*CLUSTER), "/filter", 300, 7)


def described() -> Starlette:
    return schedcheck.asgi(read(*CLUSTER))


SCHEMA = schemathesis.openapi.from_asgi("/openapi.json", described())
OPERATIONS = {f"{each.ok().method.upper()} {each.ok().path}": each.ok() for each in SCHEMA.get_all_operations()}


CHECKS = [
    schemathesis.checks.not_a_server_error, schemathesis.checks.status_code_conformance,
    schemathesis.checks.content_type_conformance, schemathesis.checks.response_schema_conformance,
]  # fmt: skip


@pytest.mark.sampled(4)
@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=["positive", "negative"])
@pytest.mark.parametrize("name", [each for each in OPERATIONS if each.startswith("POST")])
def test_drawn_requests_get_documented_answers(name: str, mode: GenerationMode) -> None:
    counted: Counter[int] = Counter()

    @settings(max_examples=30, suppress_health_check=list(HealthCheck), deadline=None)
    @given(st.data())
    def ask(data: st.DataObject) -> None:
        case = data.draw(OPERATIONS[name].as_strategy(generation_mode=mode))
        answer = case.call()
        counted[answer.status_code] += 1
        case.validate_response(answer, checks=CHECKS)

    ask()
    assert 4 in {code // 100 for code in counted}


@pytest.mark.parametrize("name", [each for each in OPERATIONS if each.startswith("GET")])
def test_the_other_paths_answer_as_described(name: str) -> None:
    case = OPERATIONS[name].Case()
    case.validate_response(case.call(), checks=CHECKS)


def test_an_answer_that_is_not_described_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "binding_result", lambda error="": {"error": error})
    case = OPERATIONS["POST /bind"].Case(body=MESSAGES["/bind"], media_type="application/json")
    with pytest.raises(BaseExceptionGroup):
        case.validate_response(case.call(), checks=CHECKS)
