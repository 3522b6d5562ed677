"""The JSON Schemas of Scenario and Timeline documents name exactly the fields that the readers accept"""

import json
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from schedcheck.errors import InputError
from schedcheck.manifests import read, scenario
from schedcheck.manifests.fields import Field
from schedcheck.manifests.timelines import timeline
from schedcheck.model.scenario import (
    ANY,
    APPLY,
    AUTOSCALER,
    CONFIGURED,
    CONTROLLERS,
    CRASH,
    JOBS,
    NODE_EVENTS,
    POD_EVENTS,
    RESTART,
    SHUTDOWN,
)
from schedcheck.model.simulation.delays import DELAYS
from schedcheck.spec.schedulers import NAMES

ROOT = Path(__file__).parents[3]
SCHEMAS: dict[str, Any] = {
    kind: json.loads((files("schedcheck") / "schemas" / f"{kind.lower()}.schema.json").read_text("utf-8"))
    for kind in ("Scenario", "Timeline")
}
HEAD = {"apiVersion": "schedcheck/v1alpha1"}
NODE = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1", "labels": {"a": "b"}}}
TAINT = {"key": "k", "effect": "NoSchedule"}
OWN: dict[str, dict[str, Any]] = {
    "taint": {"taint": TAINT}, "untaint": {"taint": TAINT}, "label": {"key": "k", "values": ["v", None]}, ANY: {"bound": 3},
}  # fmt: skip


def events(kind: str) -> dict[str, dict[str, Any]]:
    """The schema of each event that is a map, by its name."""
    items = SCHEMAS[kind]["properties"]["spec"]["properties"]["events"]["items"]["anyOf"]
    return {name: each for each in items if "properties" in each for name in each["properties"]["event"]["enum"]}


@pytest.fixture
def accepted(monkeypatch: pytest.MonkeyPatch) -> dict[str, set[str]]:
    """What the readers accept, filled while they read: the keys of each map, by its path without numbers."""
    found: dict[str, set[str]] = {}
    plain = Field.only

    def only(self: Field, *keys: str) -> None:
        found.setdefault(self.path().partition("[")[0], set()).update(keys)
        plain(self, *keys)

    monkeypatch.setattr(Field, "only", only)
    return found


def read_scenario(folder: Path, **spec: Any) -> None:
    file = folder / "scenario.yaml"
    file.write_text(yaml.safe_dump_all([NODE, {**HEAD, "kind": "Scenario", "spec": spec}]))
    cluster = read([file])
    scenario(cluster, frozenset())


def read_timeline(folder: Path, **spec: Any) -> None:
    (folder / "node.yaml").write_text(yaml.safe_dump(NODE))
    file = folder / "timeline.yaml"
    file.write_text(yaml.safe_dump({**HEAD, "kind": "Timeline", "spec": spec}))
    timeline(file, read([folder / "node.yaml"]))


def test_the_maps_of_documents_have_the_keys_that_the_readers_accept(
    accepted: dict[str, set[str]], tmp_path: Path
) -> None:
    for kind, reading in (("Scenario", read_scenario), ("Timeline", read_timeline)):
        accepted.clear()
        reading(tmp_path)
        schema = SCHEMAS[kind]
        assert accepted[""] == {*schema["properties"]} and schema["additionalProperties"] is False
        spec = schema["properties"]["spec"]
        assert accepted["spec"] == {*spec["properties"]} and spec["additionalProperties"] is False


@pytest.mark.parametrize("name", [*POD_EVENTS, RESTART, *NODE_EVENTS, ANY])
def test_an_event_of_a_scenario_has_the_keys_that_the_reader_accepts(
    name: str, accepted: dict[str, set[str]], tmp_path: Path
) -> None:
    given = {"event": name, **OWN.get(name, {})}
    read_scenario(tmp_path, events=[given])
    schema = events("Scenario")[name]
    assert accepted["spec.events"] == {*schema["properties"]} and schema["additionalProperties"] is False
    document = {**HEAD, "kind": "Scenario", "spec": {"events": [given]}}
    assert Draft202012Validator(SCHEMAS["Scenario"]).is_valid(document)


def test_the_events_and_choices_of_a_scenario_are_those_of_the_reader() -> None:
    assert {*events("Scenario")} == {*POD_EVENTS, RESTART, CRASH, *NODE_EVENTS, SHUTDOWN, ANY, APPLY}
    spec = SCHEMAS["Scenario"]["properties"]["spec"]["properties"]
    assert spec["profile"]["enum"] == [*NAMES]
    plain, configured, alone, scaling = spec["controllers"]["items"]["anyOf"]
    assert plain["enum"] == [*CONTROLLERS, JOBS] and {*configured["properties"]} == {*CONFIGURED}
    assert alone["enum"] == [*scaling["properties"]] == [AUTOSCALER]
    delays = SCHEMAS["Timeline"]["properties"]["spec"]["properties"]["delays"]
    assert [*delays["properties"]] == [*DELAYS] and delays["additionalProperties"] is False


@pytest.mark.parametrize("name", sorted(events("Timeline")))
def test_an_event_of_a_timeline_has_the_keys_that_the_reader_accepts(
    name: str, accepted: dict[str, set[str]], tmp_path: Path
) -> None:
    with pytest.raises(InputError):
        read_timeline(tmp_path, events=[{"event": name, "no-such-field": 1}])
    schema = events("Timeline")[name]
    assert accepted["spec.events"] == {*schema["properties"]} and schema["additionalProperties"] is False


def test_the_reader_refuses_an_event_that_the_schema_lacks(tmp_path: Path) -> None:
    from schedcheck.manifests.timelines import EVENTS

    assert {*events("Timeline")} == {*EVENTS}
    for reading in (read_scenario, read_timeline):
        with pytest.raises(InputError, match="no event has this name"):
            reading(tmp_path, events=[{"event": "explode", "at": "1s"}])


def shipped() -> Iterator[tuple[str, Any]]:
    for file in sorted([*(ROOT / "examples").rglob("*.yaml"), *(ROOT / "tests/data").rglob("*.yaml")]):
        try:
            documents = [*yaml.safe_load_all(file.read_text(encoding="utf-8"))]
        except yaml.YAMLError:
            continue
        for each in documents:
            if isinstance(each, dict) and each.get("kind") in SCHEMAS:
                yield str(file), each


def test_every_shipped_document_is_what_its_schema_says_and_a_wrong_one_is_not() -> None:
    found = list(shipped())
    assert len(found) > 50 and {each["kind"] for _, each in found} == {*SCHEMAS}
    for file, document in found:
        validator = Draft202012Validator(SCHEMAS[document["kind"]])
        assert list(validator.iter_errors(document)) == [], file
        assert not validator.is_valid({**document, "spec": {**(document.get("spec") or {}), "evnts": []}})
        assert not validator.is_valid({**document, "kind": "Pod"})
