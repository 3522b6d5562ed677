"""Random scenarios as documents: `scenarios`."""

from hypothesis import strategies as st

from schedcheck.checker.drawing.scenarios import admitted
from schedcheck.checker.drawing.scenarios import scenarios as values
from schedcheck.manifests.manifests import Manifest
from schedcheck.manifests.scenario_manifests import scenario_manifests
from schedcheck.manifests.snapshots import listed


def scenarios(*, features: bool = True) -> st.SearchStrategy[Manifest]:
    """A List of objects with a Scenario of usually at most a few hundred states, which `schedcheck check` takes.

    With `features` its pods and nodes also have selectors, terms and taints.
    """
    return values(features=features).map(lambda made: listed(scenario_manifests(admitted(made))))
