"""The text of the properties and constraints that can be named: `show`."""

from collections.abc import Iterable

from rich.text import Text

from schedcheck.checker.exploring.constraints import CONSTRAINTS
from schedcheck.checker.properties.by_name import OF_A_BUDGET, OF_A_POD, SOUND, SOUNDNESS
from schedcheck.checker.properties.of_jobs import NAMES as OF_A_JOB
from schedcheck.checker.properties.of_rollouts import ROLLOUT_COMPLETES
from schedcheck.report.text.terminal import Terminal, table


def show(rows: Iterable[tuple[str, str, str]], console: Terminal) -> None:
    """Print the properties, each as its title, kind and claim, and the constraints of a scenario."""
    shown = table("Property", "Kind", "Claim")
    for title, kind, claim in rows:
        shown.add_row(Text(title), kind, Text(claim))
    console.show(shown)
    console.show()
    console.show("* Checked if neither the scenario nor --property names a property; for each pod that can ever wait.")
    console.show(
        f"{SOUND}: those of {', '.join(SOUNDNESS)} that the scheduler promises, and room_kept if it nominates."
    )
    console.show(f"{', '.join(OF_A_POD)}: for each pod if none is named.")
    console.show(f"{', '.join(OF_A_BUDGET)}: for each budget if none is named.")
    console.show(f"{ROLLOUT_COMPLETES}: for each workload whose manifest an event applies if none is named.")
    console.show(f"{', '.join(OF_A_JOB)}: for each Job that the controller jobs counts if none is named.")
    console.show(
        "eventually, leads_to, infinitely_often, ceases: properties of whole behaviours, under the fairness of --fair."
    )
    console.show("once: two steps for one reason need an event between them; no fairness matters.")
    console.show("A label is one of key, !key, key=value and key!=value.")
    console.show()
    console.show("Constraints of a scenario. A state outside them is checked, but not expanded:")
    for name in CONSTRAINTS:
        console.show(f"  {name}(N)")
