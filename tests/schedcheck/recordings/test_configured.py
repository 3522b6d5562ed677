"""kube-scheduler 1.34.1 on random configurations and pods: comparison with records made by its own code

configurations.jsonl.gz: `configuration`, whether it was `accepted`, and if so for each of the `profiles` the plugins at
every point in order, and the weights. cycles.jsonl.gz: `configuration`, a `case` as in tests/data/conformance, and the
`answer`: `skip` and `rejected` of PreFilter; what Filter said of the `nodes`, as code, plugin and reasons; the scores
of the feasible ones.
"""

import gzip
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from schedcheck.checker.differential.decisions import concluded, difference
from schedcheck.errors import InputError
from schedcheck.manifests.configuration import configuration
from schedcheck.manifests.documents import Document
from schedcheck.manifests.fields import Field
from schedcheck.recordings.recorded import question
from schedcheck.spec.kubernetes.configuration import Configuration
from schedcheck.spec.kubernetes.cycle import cycle
from schedcheck.spec.kubernetes.filter import Verdict, admitted, verdicts
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.kubernetes.select_host import scores_of
from schedcheck.spec.refusal import Code
from tests.support.recorded import DEPARTURES, RECORDING_PLUGINS


def lines(name: str) -> list[dict[str, Any]]:
    with gzip.open(Path(__file__).parents[2] / "data" / "configured" / name, "rt", encoding="utf-8") as recorded:
        return [json.loads(line) for line in recorded]


CONFIGURATIONS = lines("configurations.jsonl.gz")
CYCLES = lines("cycles.jsonl.gz")


def read(folder: Path, document: object) -> Configuration:
    (folder / "in.json").write_text(json.dumps(document))
    return configuration(folder / "in.json", departures=DEPARTURES)


@pytest.mark.parametrize("record", CONFIGURATIONS, ids=range(len(CONFIGURATIONS)))
def test_a_configuration_is_accepted_or_refused_as_recorded(record: dict[str, Any], tmp_path: Path) -> None:
    if not record["accepted"]:
        with pytest.raises(InputError):
            read(tmp_path, record["configuration"])
        return
    said = [
        {
            "schedulerName": plugins.scheduler_name,
            "percentageOfNodesToScore": plugins.percentage_of_nodes_to_score,
            "points": {point: [*names] for point, names in plugins.points.items()},
            "weights": {**plugins.weights},
        }
        for plugins in read(tmp_path, record["configuration"]).profiles
    ]
    assert said == record["profiles"]


def of_node(verdict: Verdict) -> list[str]:
    """A verdict in the form of the records; kube-scheduler prefixes an error with its origin."""
    refusal = verdict.refusal
    if refusal is None:
        return ["Success", ""]
    if refusal.code == Code.ERROR:
        return [refusal.code.value, refusal.plugin, f'running "{refusal.plugin}" filter plugin: {refusal.reasons[0]}']
    return [refusal.code.value, refusal.plugin, *sorted(refusal.reasons)]


def answer(case: dict[str, Any], plugins: Plugins) -> dict[str, Any]:
    """The answer of the specification to the case, in the form of the records."""
    asked = question(Field(Document("case", 1, case), case))
    made = cycle(asked.pod, asked.snapshot, plugins)
    if made.rejection is not None:
        return {"rejected": True}
    found = verdicts(made)
    scores = scores_of(made, admitted(found))
    tried = (name for name in found if made.named is None or name in made.named)
    nodes = [name for name in scores.total if scores.weighted]
    if scores.error is not None:
        return {"rejected": False, "nodes": {name: of_node(found[name]) for name in tried}, "scoreError": scores.error}
    return {
        "rejected": False,
        "skip": sorted(made.skipped),
        "nodes": {name: of_node(found[name]) for name in tried},
        "scoreError": "",
        "skipScore": [*scores.skipped],
        "total": {**scores.total},
        "weighted": {name: {plugin: by_node[name] for plugin, by_node in scores.weighted.items()} for name in nodes},
    }


@pytest.mark.parametrize("record", CYCLES, ids=[f"{i}-{record['id']}" for i, record in enumerate(CYCLES)])
def test_a_cycle_gives_the_recorded_answer(record: dict[str, Any], tmp_path: Path) -> None:
    (plugins,) = (each.departing(DEPARTURES) for each in read(tmp_path, record["configuration"]).profiles)
    said = answer(record["case"], plugins)
    assert said == {key: record["answer"][key] for key in said}


@pytest.mark.parametrize("record", CYCLES, ids=[f"{i}-{record['id']}" for i, record in enumerate(CYCLES)])
def test_the_production_scheduler_gives_the_recorded_answer_too(record: dict[str, Any], tmp_path: Path) -> None:
    (plugins,) = (each.departing(DEPARTURES) for each in read(tmp_path, record["configuration"]).profiles)
    asked = question(Field(Document("case", 1, record["case"]), record["case"]))
    pod = replace(asked.pod, scheduler_name=plugins.scheduler_name)
    made = concluded(pod, asked.snapshot, plugins)
    assert difference(made, asked.snapshot, plugins) is None
    failed = [said[2] for said in record["answer"]["nodes"].values() if said[0] == "Error"]
    assert not failed or made.message in failed


def test_the_random_configurations_change_the_answers() -> None:
    """The broken twin: the default plugins answer differently in most cases, in every part of the answer."""
    differing: Counter[str] = Counter()
    for record in CYCLES:
        said = answer(record["case"], RECORDING_PLUGINS)
        differing.update(key for key, value in said.items() if value != record["answer"][key])
    assert all(differing[key] > 2 for key in ("skip", "nodes", "scoreError", "skipScore", "total", "weighted"))


def test_every_kind_of_answer_is_recorded() -> None:
    assert {record["accepted"] for record in CONFIGURATIONS} == {True, False}
    codes = {node[0] for record in CYCLES for node in record["answer"]["nodes"].values()}
    assert codes == {"Success", *(code.value for code in Code)}
    assert {record["answer"]["scoreError"] != "" for record in CYCLES} == {True, False}
