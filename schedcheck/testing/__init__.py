"""Tests of schedulers: random clusters, and assertions by the specification.

    from hypothesis import given
    from schedcheck.testing import assert_allowed, questions

    @given(questions({"resources", "taints"}))
    def test_every_decision_is_allowed(question):
        pod, cluster = question
        assert_allowed(cluster, pod, my_scheduler(cluster, pod))

`questions`, `clusters`, `asked` and `snapshots` are Hypothesis strategies by kinds of feature (`KINDS`), `configurations`
draws KubeSchedulerConfigurations, and `scenarios` bounded models. They are those with which schedcheck tests itself.
`assert_allowed` judges a decision; `Driven` drives a scheduler that is a program. `import schedcheck` imports nothing of
this. docs/testing.md shows all of it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from schedcheck.testing.asserting import NotAllowed as NotAllowed
    from schedcheck.testing.asserting import assert_allowed as assert_allowed
    from schedcheck.testing.asserting import cluster_of as cluster_of
    from schedcheck.testing.drawn_configurations import configurations as configurations
    from schedcheck.testing.drawn_scenarios import scenarios as scenarios
    from schedcheck.testing.driven import Driven as Driven
    from schedcheck.testing.driven import SchedulerFailed as SchedulerFailed
    from schedcheck.testing.strategies import ALL as ALL
    from schedcheck.testing.strategies import KINDS as KINDS
    from schedcheck.testing.strategies import as_objects as as_objects
    from schedcheck.testing.strategies import asked as asked
    from schedcheck.testing.strategies import clusters as clusters
    from schedcheck.testing.strategies import questions as questions
    from schedcheck.testing.strategies import snapshots as snapshots

_HOMES = {
    "asserting": ("NotAllowed", "assert_allowed", "cluster_of"),
    "drawn_configurations": ("configurations",),
    "driven": ("Driven", "SchedulerFailed"),
    "drawn_scenarios": ("scenarios",),
    "strategies": ("ALL", "KINDS", "as_objects", "asked", "clusters", "questions", "snapshots"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "ALL", "KINDS", "Driven", "NotAllowed", "SchedulerFailed", "as_objects", "asked", "assert_allowed", "cluster_of",
    "clusters", "configurations", "questions", "scenarios", "snapshots",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import a name where it is first used, so that assertions do not import Hypothesis."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    """Return the names of the interface."""
    return [*__all__]
