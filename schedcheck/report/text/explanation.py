"""The text of an explanation, whatever its profile: `show`, `show_explained`."""

from collections.abc import Callable, Mapping
from typing import Any

from frozendict import frozendict

from schedcheck.checker.explain.classic import ClassicExplanation
from schedcheck.checker.explain.kubernetes import CycleExplanation
from schedcheck.checker.explain.published import Explanation
from schedcheck.model.scenario import Scenario
from schedcheck.report.text import profiles, published_explanation
from schedcheck.report.text.classic_explanation import show_classic
from schedcheck.report.text.group_explanation import show_group
from schedcheck.report.text.kubernetes_explanation import show_cycle
from schedcheck.report.text.left_aside import show_left_aside
from schedcheck.report.text.published_explanation import Beside
from schedcheck.report.text.terminal import Terminal
from schedcheck.spec.faults import Fault
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.schedulers import CLASSIC, KUBERNETES, PUBLISHED, Scheduler


def show_explained(found: Any, console: Terminal) -> None:
    """Print an explanation of the API, which may be about a gang."""
    scenario = found.prepared.scenario
    if found.group is not None:
        show_group(found, profiles.departures(scenario.profile), console)
    else:
        SHOWN[scenario.scheduler](found.made, found.snapshot, scenario, Beside(found.added, found.unseen), console)


def show(
    made: CycleExplanation | ClassicExplanation | Explanation,
    snapshot: Snapshot,
    scenario: Scenario,
    beside: Beside,
    console: Terminal,
) -> None:
    """Print why a pod of the snapshot is placed where it is, or stays pending."""
    SHOWN[scenario.scheduler](made, snapshot, scenario, beside, console)
    show_left_aside(scenario, console)


def _published(made: Explanation, snapshot: Snapshot, scenario: Scenario, beside: Beside, console: Terminal) -> None:
    faults = frozenset(Fault(name) for name in scenario.faults)
    published_explanation.show(made, snapshot, profiles.faults(scenario), faults, beside, console)


def _kubernetes(
    made: CycleExplanation, snapshot: Snapshot, scenario: Scenario, beside: Beside, console: Terminal
) -> None:
    show_cycle(made, snapshot, profiles.departures(scenario.profile), beside, console)


def _classic(
    made: ClassicExplanation, snapshot: Snapshot, scenario: Scenario, beside: Beside, console: Terminal
) -> None:
    show_classic(made, snapshot, scenario.profile, beside, console)


SHOWN: Mapping[Scheduler, Callable[[Any, Snapshot, Scenario, Beside, Terminal], None]] = frozendict(
    {PUBLISHED: _published, KUBERNETES: _kubernetes, CLASSIC: _classic}
)
"""How the explanation of each scheduler is printed."""
