"""Profiles in words: `faults`, `departures`."""

from collections.abc import Callable, Mapping

from frozendict import frozendict

from schedcheck.model.scenario import Scenario
from schedcheck.report.text.terminal import counted, listed
from schedcheck.spec.kubernetes.versions import DOCUMENTED_OTHERWISE
from schedcheck.spec.schedulers import CLASSIC, KUBERNETES, PUBLISHED, VARIANTS, Scheduler


def faults(scenario: Scenario) -> str:
    """Return the profile, and the faults of the published model, or departures of kube-scheduler, that are on."""
    return STATED[scenario.scheduler](scenario)


def _faults(scenario: Scenario) -> str:
    on = sorted(scenario.faults)
    return (
        f"{scenario.profile}, {counted(len(on), 'fault')} on: {listed(on)}"
        if on
        else f"{scenario.profile}, no fault on"
    )


def departures(name: str) -> str:
    """Return the profile of kube-scheduler, and the number of its departures from the documentation."""
    variant = VARIANTS[name]
    on = variant.departures & DOCUMENTED_OTHERWISE
    return f"{name} ({variant.patch}), {counted(len(on), 'departure') if on else 'no departure'} from its documentation"


STATED: Mapping[Scheduler, Callable[[Scenario], str]] = frozendict(
    {PUBLISHED: _faults, KUBERNETES: lambda scenario: departures(scenario.profile), CLASSIC: _faults}
)
"""How the profiles of each scheduler are stated."""
