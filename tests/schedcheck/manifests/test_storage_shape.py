"""The shape of VolumeBinding belongs to the feature gate StorageCapacityScoring, whatever it holds."""

import json
from pathlib import Path
from typing import Any

import pytest

from schedcheck.errors import InputError
from schedcheck.manifests.configuration import configuration
from schedcheck.spec.kubernetes.departures import Departure
from schedcheck.spec.kubernetes.versions import NEWEST, VERSIONS

DEFAULT = [{"utilization": 0, "score": 10}, {"utilization": 100, "score": 0}]
OTHER = [{"utilization": 0, "score": 0}, {"utilization": 100, "score": 10}]


def written(folder: Path, args: dict[str, Any]) -> Path:
    file = folder / "configuration.json"
    profile = {"pluginConfig": [{"name": "VolumeBinding", "args": args}]}
    head = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    file.write_text(json.dumps({**head, "profiles": [profile]}))
    return file


@pytest.mark.parametrize("shape", [DEFAULT, OTHER, []])
def test_any_shape_is_refused_where_the_gate_is_off(shape: list[Any], tmp_path: Path) -> None:
    off = VERSIONS["1.36"].departures
    assert Departure.STORAGE_CAPACITY_UNRATED in off
    with pytest.raises(InputError, match=r"shape: .*the feature gate StorageCapacityScoring is off"):
        configuration(written(tmp_path, {"shape": shape}), departures=off)


@pytest.mark.parametrize("args", [{}, {"shape": None}, {"bindTimeoutSeconds": 5}])
def test_arguments_without_a_shape_are_taken_where_the_gate_is_off(args: dict[str, Any], tmp_path: Path) -> None:
    assert configuration(written(tmp_path, args), departures=VERSIONS["1.36"].departures).profiles


@pytest.mark.parametrize("shape", [DEFAULT, OTHER])
def test_a_shape_is_taken_where_the_gate_is_on(shape: list[Any], tmp_path: Path) -> None:
    assert configuration(written(tmp_path, {"shape": shape}), departures=NEWEST.departures).profiles
