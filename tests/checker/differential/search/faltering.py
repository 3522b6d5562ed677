"""Extenders that fail when they are asked about a single node, as which a nominated node is tried first: `faltering`

The extender answers one question in one way, so the specification knows its failures as well. An error on the nominated node is no
reason not to look at all others.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

from schedcheck.checker.drawing.quick.chance import Chance
from schedcheck.model.production.framework.extender import ExtenderError, ExtenderFiltered
from schedcheck.spec.objects import Node, Pod
from tests.checker.differential.enumeration.vocabulary import NAMED
from tests.checker.differential.search import singles, small
from tests.checker.differential.search.aftermath import agree
from tests.support.extending import Ruled, over_http

BESIDE = ("resources", "taints", "images", "node preferences", "preemption")


@dataclass(frozen=True)
class Faltering(Ruled):
    """An extender with rules that fails when it is asked about as many nodes as this, or fewer."""

    most: int = 1

    def filter(self, pod: Pod, nodes: Sequence[Node]) -> ExtenderFiltered:
        """Answer by the rules, or fail."""
        if len(nodes) <= self.most:
            raise ExtenderError("too few nodes")
        return super().filter(pod, nodes)


def faltering(start: str) -> None:
    """Judge a small cluster, usually about a nominated pod, with an extender that fails for few nodes."""
    chance = Chance(f"faltering {start}")
    asked, there, plugins = small.question(
        chance, [NAMED[each] for each in ("nominations", *chance.some(BESIDE, 0, 2))]
    )
    if chance.often(0.7):
        asked = replace(asked, nominated_node_name=chance.choice(there.nodes).name)
    drawn = singles.extender(chance, there)
    rules = {each.name: getattr(drawn, each.name) for each in fields(drawn)}
    rules |= {"down": False, "failing": drawn.failing or (lambda node: False), "most": chance.one(1, 1, 2)}
    one = Faltering(**rules)
    more = [singles.extender(chance, there)] if chance.often(0.3) else []
    extenders = chance.sample([one, *more], 1 + len(more))
    over = [over_http(each, singles.listed(asked, there), by_names=chance.often(0.5)) for each in extenders]
    agree((asked, there, plugins), extenders, over)
