"""Graceful node shutdowns as constants of tla/KubeShutdownCluster.tla: `shutting`, `shutdown_constants`."""

from schedcheck.model.scenario import SHUTDOWN, Scenario
from schedcheck.tla_export.amounts import Scale
from schedcheck.tla_export.beside import refuse_beside
from schedcheck.tla_export.text import Value


def shutting(scenario: Scenario) -> bool:
    """Whether nodes may shut down gracefully."""
    return any(rule.event == SHUTDOWN for rule in scenario.rules)


def refuse_shutdowns(scenario: Scenario, symmetry: bool) -> None:
    """Raises: NotExportable for shutdowns together with what their module does not have."""
    if shutting(scenario):
        refuse_beside(f"the event {SHUTDOWN}", scenario, symmetry)


def shutdown_constants(scenario: Scenario, scaled: Scale) -> dict[str, Value]:
    """Return the constant of tla/NodeShutdown.tla; none without shutdowns.

    Priorities of pods are divided without a remainder, so that a bound which is rounded up is above the same pods.
    """
    if not shutting(scenario):
        return {}
    return {"ShutdownPriorities": tuple(-(-each // scaled.priority) for each in scenario.shutdown_priorities)}
