"""The production scheduler for a case: `production`."""

from typing import Any

from schedcheck.checker.divergences.case import Case
from schedcheck.model.production.machine.machine import Production
from schedcheck.model.reference import Reference
from schedcheck.model.scenario import Rule, Scenario
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.profiles import kubernetes


def production(case: Case, *rules: Rule, **options: Any) -> Production:
    """Return the production scheduler for a case in which these events may happen; `options` are those of `Production`."""
    of = Scenario("case", case.snapshot.pods, case.snapshot.nodes, rules=rules, profile="kubernetes")
    return Production(of, Reference(of, kubernetes("kubernetes", (DEFAULT_PLUGINS,))), **options)
