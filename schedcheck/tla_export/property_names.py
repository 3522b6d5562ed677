"""Which texts are names of properties, and which are formulas of TLA+: `called`."""

import re

CALL = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:\(.*\)\s*)?", re.DOTALL)
"""What a named property looks like, and many a formula."""


FAIRNESS = ("WF_", "SF_")
"""What begins so is no name, but fairness in a formula."""


def called(text: str) -> str:
    """What the text calls if it looks like a named property, whose parentheses end where it does; else nothing."""
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
