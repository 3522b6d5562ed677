"""Which of the properties that are asked are formulas of TLA+."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from schedcheck.model.scenario import Scenario
    from schedcheck.spec.properties import Property

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


def in_tla(texts: Sequence[str], scenario: "Scenario") -> "tuple[tuple[str, ...], tuple[Property, ...]]":
    """Those that are names of properties, and what the others say. Raises: InputError.

    What looks like a name is one, unless no property is called so and the vocabulary of tla/ has it.
    """
    from schedcheck.checker.questions import NAMES

    doubtful = {text: name for text in texts if (name := called(text))}
    if all(text in doubtful and doubtful[text] in NAMES for text in texts):
        return tuple(texts), ()
    from schedcheck.bridge.formulas import Vocabulary

    words = Vocabulary(scenario)
    named = [text for text in doubtful if doubtful[text] in NAMES or not words.defines(doubtful[text])]
    return tuple(text for text in texts if text in named), tuple(
        words.property_of(text) for text in texts if text not in named
    )
