"""A counterexample as a TLA+ module: a sequence of records, each an action and the objects after it."""

from schedcheck.checker.check import Checked
from schedcheck.checker.result import Violation
from schedcheck.tla_export.module import divided
from schedcheck.tla_export.records import Records
from schedcheck.tla_export.text import Record, layout

CONFIGURATION = "CONSTANT Null = Null\n"

HEAD = """\
EXTENDS Integers, Sequences, FiniteSets, TLC

CONSTANT Null

NoLabels == [Label \\in {} |-> ""]

NoAffinity ==
  LET None == [Required |-> {}, Preferred |-> <<>>]
  IN [NodeAffinity |-> None, PodAffinity |-> None, PodAntiAffinity |-> None]"""


def trace_module(name: str, violation: Violation, checked: Checked, records: Records) -> str:
    """Return the text of the module. Raises: NotExportable if TLC cannot count with the numbers."""
    rule = "-" * 30
    states = tuple(
        Record(
            {
                "Action": "" if stage.action is None else str(stage.action),
                "Objects": records.written_snapshot(checked.machine.view(stage.state)),
            }
        )
        for stage in violation.trace
    )
    said = [f"{violation.property.name} does not hold of {checked.scenario.name}.", *divided(records.scale)]
    prose = [f"\\* {line}" for line in said]
    goes_on = "\\* The number of the state to which the last one returns; 0 if the trace is finite."
    return "\n".join(
        [
            f"{rule} MODULE {name} {rule}",
            *prose,
            HEAD,
            "",
            f"Trace ==\n  {layout(states, 2)}",
            "",
            goes_on,
            f"Loop == {0 if violation.loop is None else violation.loop + 1}",
            "=" * (2 * len(rule) + len(name) + 9),
            "",
        ]
    )
