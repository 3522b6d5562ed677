"""The named properties about the nodes of a cluster. `WORDS` gives the arguments of each name."""

import re
from collections.abc import Mapping

from schedcheck.checker.properties.unknown_property import UnknownProperty
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.properties.kinds import Always, Premise, Property
from schedcheck.spec.properties.of_nodes import nodes_bounded

NODES_BOUNDED = "nodes_bounded"
WORDS: Mapping[str, tuple[str, str]] = {NODES_BOUNDED: ("a number of nodes", "5")}
"""The arguments of each property, in words and in an example."""

EXAMPLES: Mapping[str, str] = {name: f"{name}({example})" for name, (_, example) in WORDS.items()}
"""Each property with arguments."""


def of_nodes(name: str, arguments: tuple[str, ...]) -> Property:
    """Return the property of this name, one of `WORDS`. Raises: UnknownProperty."""
    words, example = WORDS[name]
    if len(arguments) != 1:
        raise UnknownProperty(f"takes {words}, as {name}({example})")
    if re.fullmatch(r"0|[1-9][0-9]{0,8}", arguments[0]) is None:
        raise UnknownProperty(f"{arguments[0]!r} is no number")
    number = int(arguments[0])

    def holds(snapshot: Snapshot) -> bool:
        return nodes_bounded(number, snapshot)

    premise = Premise("there never was a node", when=lambda snapshot: snapshot.nodes != ())
    nodes = f"{number} node{'' if number == 1 else 's'}"
    return Always(f"{name}({number})", f"There are at most {nodes} at any time.", holds, premises=(premise,))
