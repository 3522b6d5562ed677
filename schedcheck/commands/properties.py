"""`schedcheck properties`: what may be asked."""


def properties() -> int:
    """List the properties that --property and a scenario may name, and the constraints of a scenario."""
    from rich.text import Text

    from schedcheck.checker.exploring.constraints import CONSTRAINTS
    from schedcheck.checker.properties.by_name import (
        DEFAULT,
        NAMES,
        OF_A_BUDGET,
        OF_A_POD,
        OF_SELECTORS,
        SOUND,
        SOUNDNESS,
        asked,
    )
    from schedcheck.report.text import statement
    from schedcheck.report.text.terminal import output, table
    from schedcheck.spec.objects import Pod, PodDisruptionBudget
    from schedcheck.spec.profiles import CORRECTED

    shown = table("Property", "Kind", "Claim")
    for name in (each for each in NAMES if each != SOUND):
        text = f"{name}(POD-LABEL, NODE-LABEL)" if name in OF_SELECTORS else name
        for question in asked(text, [Pod("POD")], CORRECTED, [PodDisruptionBudget("BUDGET")]):
            title = f"{question.name} *" if name in DEFAULT else question.name
            shown.add_row(Text(title), statement.kind(question), Text(question.claim))
    console = output()
    console.show(shown)
    console.show()
    console.show("* asked where neither the scenario nor --property asks anything; of each pod that can ever wait.")
    console.show(f"{SOUND}: all that a scheduler promises of {', '.join(SOUNDNESS)}, and room_kept where it nominates.")
    console.show(f"{', '.join(OF_A_POD)}: of each pod if none is named.")
    console.show(f"{', '.join(OF_A_BUDGET)}: of each budget if none is named.")
    console.show("eventually, leads_to, infinitely_often, ceases: of whole behaviours that are fair, as --fair says.")
    console.show("A label is one of key, !key, key=value and key!=value.")
    console.show()
    console.show("Constraints of a scenario; a state outside one is judged, but not explored from:")
    for name in CONSTRAINTS:
        console.show(f"  {name}(N)")
    return 0
