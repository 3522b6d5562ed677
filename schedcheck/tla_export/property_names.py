"""The distinction of names of properties from formulas of TLA+: `called`."""

import re

CALL = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:\(.*\)\s*)?", re.DOTALL)
"""The pattern of a named property, which many formulas match too."""


FAIRNESS = ("WF_", "SF_")
"""The prefixes of fairness formulas, which are no names of properties."""


def called(text: str) -> str:
    """Return the name in a text that looks like a named property with optional arguments; else the empty string."""
    found = CALL.fullmatch(text)
    if found is None or ".tla!" in text or found[1].startswith(FAIRNESS):
        return ""
    inside = text[found.end(1) :].strip()[1:-1]
    depth = 0
    for each in inside:
        depth += (each == "(") - (each == ")")
        if depth < 0:
            return ""
    return found[1]
