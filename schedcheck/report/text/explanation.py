"""The text of an explanation, whatever its profile: `show`."""

from schedcheck.checker.explain.classic import ClassicExplanation
from schedcheck.checker.explain.kubernetes import CycleExplanation
from schedcheck.checker.explain.published import Explanation
from schedcheck.model.scenario import Scenario
from schedcheck.report.text import profiles, published_explanation
from schedcheck.report.text.classic_explanation import show_classic
from schedcheck.report.text.kubernetes_explanation import show_cycle
from schedcheck.report.text.left_aside import show_left_aside
from schedcheck.report.text.published_explanation import Beside
from schedcheck.report.text.terminal import Terminal
from schedcheck.spec.faults import Fault
from schedcheck.spec.objects import Snapshot


def show(
    made: CycleExplanation | ClassicExplanation | Explanation,
    snapshot: Snapshot,
    scenario: Scenario,
    beside: Beside,
    console: Terminal,
) -> None:
    """Print why a pod of the snapshot is placed where it is, or stays pending."""
    match made:
        case CycleExplanation():
            show_cycle(made, snapshot, profiles.departures(scenario.profile), beside, console)
        case ClassicExplanation():
            show_classic(made, snapshot, scenario.profile, beside, console)
        case _:
            faults = frozenset(Fault(name) for name in scenario.faults)
            published_explanation.show(made, snapshot, profiles.faults(scenario), faults, beside, console)
    show_left_aside(scenario, console)
