"""The results of exploring the production scheduler, as text and as JSON: `show`, `explored_json`."""

from schedcheck.checker.check import Checked, Search
from schedcheck.checker.differential.decisions import Difference
from schedcheck.checker.differential.exploration import why
from schedcheck.checker.result import Violation
from schedcheck.model.production.machine.machine import Production
from schedcheck.report.json import answers
from schedcheck.report.json.pieces import Json
from schedcheck.report.text import verdict
from schedcheck.report.text.comparison import difference_json, show_difference
from schedcheck.report.text.terminal import Terminal, facts


def show(checked: Checked, console: Terminal) -> None:
    """Print all results, and after the traces the fault in the last step of each."""
    verdict.show(checked, Search(), console)
    for violation in checked.result.violations:
        reason = _why(checked, violation)
        if reason is not None:
            console.show()
            console.show(facts([("Why", violation.property.name)]))
            if isinstance(reason, Difference):
                show_difference(reason, console)
            else:
                console.show(reason)


def explored_json(checked: Checked, exit_code: int) -> Json:
    """Return the results as plain data: those of `check`, and for each violation the reason."""
    found = answers.checked_json(checked, Search(), exit_code)
    reasons = [_why(checked, violation) for violation in checked.result.violations]
    said = [difference_json(each) if isinstance(each, Difference) else each for each in reasons]
    violations = [{**shown, "why": reason} for shown, reason in zip(found["violations"], said, strict=True)]
    return {**found, "violations": violations}


def _why(checked: Checked, violation: Violation) -> Difference | str | None:
    assert isinstance(checked.machine, Production)
    return why(checked.machine, violation) if violation.trace else None
