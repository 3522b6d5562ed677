"""Profiles in words: `faults`, `departures`."""

from schedcheck.model.scenario import Scenario
from schedcheck.report.text.terminal import counted, listed
from schedcheck.spec.profiles import KUBERNETES


def faults(scenario: Scenario) -> str:
    """Return the profile, and the faults of the published model that are on."""
    if scenario.profile in KUBERNETES:
        return departures(scenario.profile)
    on = sorted(scenario.faults)
    return (
        f"{scenario.profile}, {counted(len(on), 'fault')} on: {listed(on)}"
        if on
        else f"{scenario.profile}, no fault on"
    )


def departures(name: str) -> str:
    """Return the profile of kube-scheduler, and the number of its departures from the documentation."""
    on = KUBERNETES[name]
    return f"{name} (1.34), {counted(len(on), 'departure') if on else 'no departure'} from its documentation"
