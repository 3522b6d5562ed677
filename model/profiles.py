"""The profile that a scenario names: `profile_of`, `judging`, `plugins_of`."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from frozendict import frozendict

from schedcheck.model.scenario import Scenario
from schedcheck.spec.faults import Fault
from schedcheck.spec.kubernetes.filters.dynamic_resources import claiming
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Pod
from schedcheck.spec.profiles import Profile, by_scheduler_name, classic, departing, kubernetes, profile
from schedcheck.spec.schedulers import CLASSIC, FAULTLESS, KUBERNETES, PUBLISHED, Scheduler

PROFILES: Mapping[Scheduler, Callable[[Scenario], Profile]] = frozendict(
    {
        PUBLISHED: lambda of: profile(of.profile, frozenset(Fault(name) for name in of.faults), of.rated_resource),
        KUBERNETES: lambda of: kubernetes(of.profile, departing(of.profile, of.plugins)),
        CLASSIC: lambda of: classic(of.policy),
    }
)
"""The profile of a scenario of each scheduler."""


def profile_of(scenario: Scenario) -> Profile:
    """Return the profile of the scenario's scheduler."""
    return PROFILES[scenario.scheduler](scenario)


def judging(scenario: Scenario) -> Profile:
    """Return the profile that judges the decisions: that of the scheduler without faults or departures."""
    return profile_of(replace(scenario, profile=FAULTLESS[scenario.scheduler], faults=frozenset()))


def has_claims(pod: Pod, scenario: Scenario) -> bool:
    """Whether the scheduler of a scenario allocates devices to `pod`, by claims or extended resources."""
    return scenario.scheduler.claims_unmodelled and claiming(
        pod, scenario.devices, plugins_of(pod, scenario).departures
    )


def plugins_of(pod: Pod, scenario: Scenario) -> Plugins:
    """Return the plugins that schedule `pod` in a scenario of kube-scheduler, with the departures of its profile."""
    return by_scheduler_name(pod, departing(scenario.profile, scenario.plugins))
