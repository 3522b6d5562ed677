"""The sets of nodes of which any may fail: `Sets`."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Sets:
    """The sets of nodes that were asked about: any so many of some groups together.

    any, groups
        How many of how many groups.
    kind
        What a group is: "node", or the label whose value its nodes share.
    total, asked, held
        The number of sets, how many of them were judged, and for how many all ends well.
    """

    any: int
    groups: int
    kind: str
    total: int
    asked: int
    held: int
