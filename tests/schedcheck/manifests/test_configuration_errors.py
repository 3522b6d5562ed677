"""Every error of a KubeSchedulerConfiguration at once: the file without the named fields is accepted"""

import random
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from schedcheck.errors import InputError
from schedcheck.manifests.configuration import configuration
from schedcheck.manifests.configuration_errors import Refused, configuration_errors, steps

HEAD = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}


def errors(folder: Path, **fields: Any) -> list[str]:
    return [f"{each.path}: {each.why}" for each in refused(folder, **fields)]


def refused(folder: Path, **fields: Any) -> tuple[Refused, ...]:
    file = folder / "configuration.yaml"
    file.write_text(yaml.safe_dump(HEAD | fields))
    return configuration_errors(file)


def test_a_valid_configuration_has_no_errors(tmp_path: Path) -> None:
    assert errors(tmp_path, profiles=[{"schedulerName": "a"}], parallelism=4) == []


def test_all_unknown_fields_are_named_first_with_their_places_in_the_file(tmp_path: Path) -> None:
    fit = {"name": "NodeResourcesFit", "args": {"scoringStrategy": {"type": "Least"}, "ignored": []}}
    profiles = [
        {"schedulerName": "a", "plugin": {}},
        {"percentageOfNodesToScore": 200},
        {"schedulerName": "c", "pluginConfig": [{"name": "Nope", "arg": 1}, fit]},
    ]
    told = errors(tmp_path, paralelism=4, podMaxBackoffSeconds=0, profiles=profiles)
    assert told == [
        "paralelism: unknown field; did you mean 'parallelism'?",
        "profiles[0].plugin: unknown field; did you mean 'plugins'?",
        "profiles[2].pluginConfig[0].arg: unknown field; did you mean 'args'?",
        "profiles[2].pluginConfig[1].args.ignored: unknown field; did you mean 'ignoredResources'?",
        "profiles[1].schedulerName: expected a name",
        "profiles[2].pluginConfig[1].args.scoringStrategy.type: 'Least': expected one of LeastAllocated, MostAllocated,"
        " RequestedToCapacityRatio",
        "profiles[1].percentageOfNodesToScore: 200: expected an integer from 0 to 100",
        "podMaxBackoffSeconds: 0: expected at least the 1 of podInitialBackoffSeconds",
    ]


def test_items_of_a_list_keep_their_numbers_after_others_are_left_out(tmp_path: Path) -> None:
    enabled = [{"name": "One"}, {"name": "NodeAffinity"}, {"name": "Two"}, {"name": "Three"}]
    told = refused(tmp_path, profiles=[{"plugins": {"score": {"enabled": enabled}}}])
    assert [each.path for each in told] == [f"profiles[0].plugins.score.enabled[{place}].name" for place in (0, 2, 3)]


def test_a_file_of_another_kind_is_one_error(tmp_path: Path) -> None:
    (one,) = refused(tmp_path, kind="Pod")
    assert one.path == "kind"


def test_several_documents_are_wrong_input(tmp_path: Path) -> None:
    file = tmp_path / "two.yaml"
    file.write_text(yaml.safe_dump_all([HEAD, HEAD]))
    with pytest.raises(InputError, match="no more than one"):
        configuration_errors(file)


FAULTS: tuple[tuple[tuple[str | int, ...], Any], ...] = (
    (("nonsense",), 1),
    (("parallelism",), 0),
    (("leaderElection",), {"leaderElect": "maybe", "unknown": 1}),
    (("percentageOfNodesToScore",), 101),
    (("profiles", 0, "nothing"), {}),
    (("profiles", 0, "percentageOfNodesToScore"), -1),
    (
        ("profiles", 1, "plugins", "filter"),
        {"disabled": [{"name": 3}], "enabled": [{"name": "NodePorts", "weight": "x"}]},
    ),
    (("profiles", 1, "pluginConfig"), [{"name": "NodeAffinity", "args": {"addedAffinity": 3}}, {"args": {}}]),
    (("extenders",), [{"urlPrefix": "", "weight": -1}, {"urlPrefix": "http://a", "other": 1}]),
)


@pytest.mark.parametrize("seed", range(60))
def test_the_file_without_the_named_fields_is_accepted_and_the_first_is_that_of_reading(
    seed: int, tmp_path: Path
) -> None:
    draw = random.Random(seed)
    given: Any = HEAD | {"profiles": [{"schedulerName": "a"}, {"schedulerName": "b", "plugins": {}}]}
    for path, value in draw.sample(FAULTS, draw.randint(1, 5)):
        put(given, path, value)
    told = refused(tmp_path, **given)
    assert told
    with pytest.raises(InputError) as first:
        configuration(tmp_path / "configuration.yaml")
    assert first.value.path in {each.path for each in told}
    for each in sorted(told, key=lambda each: [*map(str, steps(each.path))], reverse=True):
        leave_out(given, list(steps(each.path)))
    assert [each for each in refused(tmp_path, **given) if each.path not in {one.path for one in told}] == []


def put(given: Any, path: tuple[str | int, ...], value: Any) -> None:
    for step in path[:-1]:
        given = given[step]
    given[path[-1]] = deepcopy(value)


def leave_out(given: Any, path: list[str | int]) -> None:
    """Take a field away if it is there; an item of a list stays as an empty map, so that the others keep their places."""
    for step in path[:-1]:
        if not isinstance(given, (dict, list)) or (isinstance(given, dict) and step not in given):
            return
        given = given[step]  # type: ignore[index]
    if isinstance(given, dict):
        given.pop(path[-1], None)
