"""Default values: the zero value of the Kubernetes API except where the API has another default; and all values are
immutable
"""

import pkgutil
from collections.abc import Iterator
from dataclasses import MISSING, fields, is_dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest

import schedcheck.spec
from schedcheck.spec import extenders, objects, storage, terms
from schedcheck.spec.kubernetes import plugins

OTHERS = {
    ("SpreadConstraint", "required"): True,  # DoNotSchedule
    ("SpreadConstraint", "min_domains"): 1,
    ("SpreadConstraint", "affinity_honored"): True,  # nodeAffinityPolicy: Honor
    ("Arguments", "hard_pod_affinity_weight"): 1,
    ("Arguments", "min_candidate_nodes_percentage"): 10,
    ("Arguments", "min_candidate_nodes_absolute"): 100,
    ("Arguments", "storage_shape"): ((0, 10), (100, 0)),
}
"""Kubernetes 1.34: staging/src/k8s.io/api/core/v1/types.go and pkg/scheduler/apis/config/v1/defaults.go."""


def modules() -> Iterator[ModuleType]:
    for found in pkgutil.walk_packages(schedcheck.spec.__path__, "schedcheck.spec."):
        yield import_module(found.name)


def values(module: ModuleType) -> list[Any]:
    """The dataclasses that a module defines."""
    own = (each for each in vars(module).values() if isinstance(each, type) and each.__module__ == module.__name__)
    return [each for each in own if is_dataclass(each)]


def numbers(default: object) -> bool:
    """Whether a default is a number, or several: a truth counts as one."""
    return isinstance(default, int) or (isinstance(default, tuple) and default != () and all(map(numbers, default)))


@pytest.mark.parametrize("module", [extenders, objects, plugins, storage, terms], ids=lambda module: module.__name__)
def test_omitted_fields_have_the_defaults_of_the_kubernetes_api(module: ModuleType) -> None:
    """Those of an extender's answer too: k8s.io/kube-scheduler/extender/v1."""
    given = {
        (each.__name__, field.name): field.default
        for each in values(module)
        for field in fields(each)
        if field.default is not MISSING and numbers(field.default)
    }
    none = {where: tuple(0 for _ in each) if isinstance(each, tuple) else 0 for where, each in given.items()}
    assert given == {where: OTHERS.get(where, zero) for where, zero in none.items()}


def test_every_value_of_the_specification_is_frozen_and_compared_by_content() -> None:
    found = [each for module in modules() for each in values(module)]
    assert len(found) > 60
    assert [each.__name__ for each in found if not each.__dataclass_params__.frozen] == []
    assert [each.__name__ for each in found if each.__hash__ is object.__hash__] == []
