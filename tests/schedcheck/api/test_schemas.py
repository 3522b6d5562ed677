"""Every answer in JSON satisfies its schema, and a schema refuses a missing field or another type."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import schedcheck
from schedcheck.cli import main

ROOT = Path(__file__).parents[3]
SCHEMAS = files("schedcheck") / "schemas"
EXTENDER = ("--config", "examples/extender/configuration.yaml")

PROMISE = ("--config", "examples/schedulers/promise.yaml", "--scheduler")
NO_EXECUTE = (*PROMISE, "python3 examples/schedulers/scheduler.py no-execute")
STALE = (*PROMISE, "python3 examples/schedulers/scheduler.py stale")

GANGS = ("--feature-gates", "GenericWorkload=true")

ANSWERS: dict[str, list[tuple[str, ...]]] = {
    "check": [
        ("check", "examples/gpu-small-without-taints"),
        ("check", "examples/gpu-small"),
        ("check", "examples/node-in-template"),
        ("check", "examples/budget-broken"),
        ("diff", "--explore", "examples/plugins/cluster", "--max-states", "50"),
    ],
    "explain": [
        ("explain", "web-1", "examples/gpu-small"),
        ("explain", "web-1", "examples/gpu-small", "--profile", "kubernetes"),
        ("explain", "web-1", "examples/gpu-small", "--profile", "classic"),
        ("explain", "platform", "examples/least-casualty", "--profile", "corrected"),
        ("explain", "platform", "examples/least-casualty", "--profile", "kubernetes"),
        ("explain", "platform", "examples/least-casualty", "--profile", "classic"),
        ("explain", "data/db-2", "examples/dump"),
        ("explain", "red-2", "examples/pod-groups"),
        ("explain", "red-2", "examples/gang-deadlock"),
        ("explain", "trainer-0", "examples/gang-waiting", *GANGS),
    ],
    "explain_selected": [
        ("explain", "-l", "app=web", "-n", "shop", "examples/dump"),
        ("explain", "-A", "-l", "app in (web,import)", "examples/dump"),
    ],
    "each_selected": [
        ("capacity", "-l", "app=web", "-n", "shop", "examples/dump"),
        ("victims", "-A", "-l", "app in (web,import)", "examples/dump"),
    ],
    "victims": [
        ("victims", "platform", "examples/least-casualty"),
        ("victims", "platform", "examples/least-casualty", "--profile", "corrected", "--all"),
        ("victims", "data/db-2", "examples/dump"),
    ],
    "capacity": [
        ("capacity", "deploy/web", "examples/capacity"),
        ("capacity", "deploy/api", "examples/capacity", "--count", "2"),
        ("capacity", "data/db-2", "examples/dump", "--profile", "kubernetes-documented"),
    ],
    "nodes_needed": [
        ("capacity", "deploy/web", "examples/capacity", "--count", "8", "--nodes", "like=node-1,label=rack=rack-2"),
        ("capacity", "examples/dump", "--nodes", "cpu=8,memory=16Gi"),
        ("capacity", "--profile", "kubernetes", "examples/gpu-small", "--nodes", "cpu=8,memory=16Gi"),
    ],
    "nodes_to_spare": [("capacity", "--empty", "examples/dump")],
    "optimum": [("optimum", "examples/gpu-small"), ("optimum", "examples/least-casualty")],
    "induct": [("induct", "examples/budget-broken"), ("induct", "examples/node-failure")],
    "compare": [
        ("compare", "--config", "examples/compare/most-allocated.yaml", "examples/compare/cluster.yaml"),
        ("compare", "--profile", "kubernetes", "--profile", "classic", "examples/volumes"),
    ],
    "smallest_difference": [("compare", "--config", "examples/compare/most-allocated.yaml", "--smallest")],
    "lint": [("lint", "examples/dump"), ("lint", "examples/volumes"), ("lint", "examples/gpu", "--strict")],
    "relocation": [
        ("drain", "dev-worker", "examples/dump"),
        ("drain", "node-1", "--profile", "kubernetes", "examples/budget-kept"),
        ("drain", "n2,n3", "examples/drain", "--in-turn"),
        ("drain", "dev-worker,dev-worker2", "examples/dump", "--in-turn"),
        ("fail", "--each", "topology.kubernetes.io/zone", "examples/zone-lost"),
        ("drain", "node-3", "examples/drain-beside", "--controllers", "descheduler=examples/drain-beside/policy.yaml"),
    ],
    "deploy": [
        ("deploy", "examples/deploy/web-2.yaml", "--onto", "examples/deploy/cluster.yaml"),
        ("deploy", "examples/deploy/release.yaml", "--onto", "examples/deploy/cluster.yaml"),
        ("deploy", "--replicas", "deploy/batch=8", "--onto", "examples/deploy/cluster.yaml"),
        (
            "deploy",
            "examples/deploy/web-2.yaml",
            "--onto",
            "examples/deploy/cluster.yaml",
            "--controllers",
            "descheduler=examples/drain-beside/policy.yaml",
        ),
    ],
    "simulate": [
        ("simulate", "examples/dump", "--runs", "2"),
        ("simulate", "examples/simulate/cluster.yaml", "--events", "examples/simulate/timeline.yaml", "--run", "1"),
    ],
    "replay": [("replay", "examples/replay/trace.jsonl", "--onto", "examples/replay/cluster.json")],
    "scheduler_differences": [
        ("diff", *NO_EXECUTE, "--kinds", "taints", "--count", "20", "--ends", "2"),
        ("diff", *STALE, "--kinds", "resources", "--count", "20", "--ends", "0"),
        ("diff", "--scheduler", "false", "--kinds", "taints", "--count", "2", "--ends", "1"),
        ("diff", *NO_EXECUTE, "examples/least-casualty"),
    ],
    "scheduler_check": [
        ("check", *NO_EXECUTE, "examples/schedulers/cluster"),
        ("check", *STALE, "examples/schedulers/cluster"),
        ("check", "--scheduler", "false", "examples/schedulers/cluster"),
    ],
    "diff": [
        ("diff", "examples/dump"),
        ("diff", "examples/least-casualty", "--profile", "classic"),
        ("diff", "examples/plugins/cluster"),
    ],
}


def schema(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))
    return found


def errors(answer: Any, name: str) -> list[str]:
    return [f"{each.json_path}: {each.message}" for each in Draft202012Validator(schema(name)).iter_errors(answer)]


def answer(argv: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    main([*argv, "--format", "json"])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.fixture(autouse=True)
def _at_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def test_every_schema_is_one_and_has_answers() -> None:
    names = {path.name.removesuffix(".schema.json") for path in SCHEMAS.iterdir()}
    assert names == {*ANSWERS, "difference", "unknown", "oracle", "question", "trace", "scenario", "timeline", "place"}
    for name in names:
        Draft202012Validator.check_schema(schema(name))


@pytest.mark.sampled(9)
@pytest.mark.parametrize(
    ("name", "argv"), [(name, argv) for name, all_of_it in ANSWERS.items() for argv in all_of_it], ids=lambda value: " ".join(value) if isinstance(value, tuple) else value
)  # fmt: skip
def test_an_answer_is_what_its_schema_says(
    name: str, argv: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert errors(answer(argv, capsys), name) == []


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", sorted(ANSWERS))
def test_a_schema_refuses_an_answer_without_a_field_or_of_another_format(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = answer(ANSWERS[name][0], capsys)
    assert errors(found, name) == []
    required = schema(name).get("required") or schema(name)["oneOf"][0]["required"]
    for field in required:
        assert errors({key: value for key, value in found.items() if key != field}, name), field
    assert errors(found | {"format": 1}, name)


@pytest.mark.parametrize(("example", "path"), [("node-pools-zone-lost", (1, 1, 0)), ("dump", ()), ("article", ())])
def test_a_place_is_what_its_schema_says(example: str, path: tuple[int, ...]) -> None:
    with schedcheck.explore(f"examples/{example}") as explorer:
        found = json.loads(explorer.place(path).text())
    assert errors(found, "place") == []
    for field in schema("place")["required"]:
        assert errors({key: value for key, value in found.items() if key != field}, "place"), field


def test_an_unknown_answer_has_its_own_schema(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    node = {"kind": "Node", "apiVersion": "v1", "metadata": {"name": "n"}, "status": {"allocatable": {"cpu": "9223372036854775807", "pods": "9"}}}  # fmt: skip
    pod = {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}  # fmt: skip
    file = tmp_path / "huge.json"
    file.write_text(json.dumps({"kind": "List", "apiVersion": "v1", "items": [node, pod]}))
    found = answer(("explain", "p", str(file)), capsys)
    assert found["verdict"] == "unknown"
    assert errors(found, "unknown") == []
