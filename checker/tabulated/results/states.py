"""Properties of states, evaluated on the new states of a level: `Judging`."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from schedcheck.checker.limits.cores import cores
from schedcheck.checker.properties.of_workloads import STAYS_ON
from schedcheck.checker.tabulated.layout.kube_sight import shown_to_nodes
from schedcheck.checker.tabulated.layout.layout import Words, in_order
from schedcheck.checker.tabulated.loops.runs import in_pieces
from schedcheck.checker.tabulated.results.clerks import Judged, Nodes
from schedcheck.checker.tabulated.results.truths import OfEach, asking
from schedcheck.checker.tabulated.search.pace import Pace
from schedcheck.checker.tabulated.search.plan import Plan
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.properties.kinds import Always, Sometimes
from schedcheck.spec.properties.of_snapshots import no_overcommit, type_correct

AT_ONCE = 1 << 10
"""The number of states that are evaluated between two looks at the clock."""


class Judging:
    """The properties of states; `broken` has the least state of the level that breaks each property.

    A property of single nodes is evaluated once for each node with its pods. `type_correct` is evaluated in advance on
    all values of objects. Other `always` properties are evaluated on every state (`slowly`), and so are `sometimes`
    properties, unless `truths` knows what they depend on. `look` checks the time left; `tell` receives a line if this
    is slow.
    """

    def __init__(
        self,
        plan: Plan,
        questions: Sequence[Always | Sometimes],
        look: Callable[[], None] = lambda: None,
        tell: Callable[[str], None] = lambda line: None,
        workers: int = 0,
    ) -> None:
        workers = workers or cores()
        self.plan = plan
        self.broken: dict[str, Words] = {}
        sometimes = [each for each in questions if isinstance(each, Sometimes)]
        self.unwitnessed = {each.name for each in sometimes}
        self._asking = {each.name: asking(plan, each, each.holds) for each in sometimes}
        self.sometimes = [each for each in sometimes if isinstance(self._asking[each.name], OfEach)]
        always = [each for each in questions if isinstance(each, Always)]
        self.of_nodes = [each for each in always if each.holds is no_overcommit or each.name.startswith(f"{STAYS_ON}(")]
        self.slowly = [each for each in always if each not in self.of_nodes and not self._of_values(each)]
        self._nodes = Nodes(plan, workers)
        names = [each.name for each in self.slowly] + [each.name for each in self.sometimes]
        self._pace = Pace(names, look, tell)

    def __call__(self, states: Words) -> bool:
        """Judge the new states of a level; return whether one breaks a property. Raises Beyond if time is over."""
        if self.of_nodes:
            self._judge_nodes(states)
        for name, ask in self._asking.items():
            if (
                name in self.unwitnessed
                and not isinstance(ask, OfEach)
                and any(ask(piece).any() for piece in in_pieces(states))
            ):
                self.unwitnessed.discard(name)
        if self.slowly or any(each.name in self.unwitnessed for each in self.sometimes):
            self._judge_slowly(states)
        else:
            self._pace.passed += len(states)
        return bool(self.broken)

    def judged(self) -> Judged:
        """Return the nodes that were judged, with the properties that they break."""
        return self._nodes.judged()

    def counts(self) -> dict[str, Any]:
        """Return the findings up to the last level."""
        broken = {name: words.tolist() for name, words in self.broken.items()}
        return {"unwitnessed": sorted(self.unwitnessed), "broken": broken}

    def count_from(self, counts: dict[str, Any]) -> None:
        """Resume from these findings."""
        self.unwitnessed = set(counts["unwitnessed"])
        self.broken = {name: np.array(words, np.uint64) for name, words in counts["broken"].items()}

    def _of_values(self, question: Always) -> bool:
        """Whether the question looks at objects one by one and holds of every value that an object may have."""
        slots = self.plan.slots
        values = [Snapshot(pods=(pod,)) for each in slots.pods for pod in each if pod is not None]
        values += [Snapshot(nodes=(node,)) for each in slots.nodes for node in each if node is not None]
        return question.holds is type_correct and all(map(question.holds, values))

    def _judge_nodes(self, states: Words) -> None:
        self._nodes(states, self._answer)
        for number, question in enumerate(self.of_nodes):
            least = self._nodes.broken(number)
            if least is not None:
                self.broken[question.name] = least

    def _answer(self, key: Words, words: Words) -> None:
        """Add the properties that the node with its pods breaks to the table."""
        state = self.plan.unpacked(words)
        node = state.nodes[int(key[0])]
        assert node is not None
        whole = self.plan.machine.view(state)
        pods = tuple(map(shown_to_nodes, whole.pods_by_node.get(node.name, ())))
        here = replace(whole, pods=pods, nodes=(node,))
        broken = [number for number, question in enumerate(self.of_nodes) if not question.holds(here)]
        self._nodes.add(key, sum(1 << number for number in broken))

    def _judge_slowly(self, states: Words) -> None:
        """Evaluate every state, in the order of their words, so that the least violating state is found."""
        ordered = in_order(states)
        for begin in range(0, len(ordered), AT_ONCE):
            with self._pace.of(ordered[begin : begin + AT_ONCE]) as piece:
                for words in piece:
                    self._judge_one(words)

    def _judge_one(self, words: Words) -> None:
        snapshot = self.plan.machine.view(self.plan.unpacked(words))
        for question in self.slowly:
            if question.name not in self.broken and not question.holds(snapshot):
                self.broken[question.name] = words
        for witness in self.sometimes:
            if witness.name in self.unwitnessed and witness.holds(snapshot):
                self.unwitnessed.discard(witness.name)
