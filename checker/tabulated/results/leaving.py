"""Steps that break a property, recognised from the state before the step: `least_left`, `Unawaited`."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from schedcheck.checker.tabulated.layout.layout import Truths, Words, in_order
from schedcheck.checker.tabulated.loops.runs import Sliced, in_pieces
from schedcheck.checker.tabulated.results.truths import field, waiting
from schedcheck.checker.tabulated.search.plan import Plan

Leaving = Callable[[Words], Truths]
"""A predicate on states from which some step breaks a property, where the state alone shows that."""


def least_left(level: Sliced, leaves: Leaving) -> Words | None:
    """Return the least state of the level from which a step breaks the property; None if there is none."""
    left = [piece[leaves(piece)] for piece in in_pieces(level)]
    return in_order(np.concatenate(left))[0] if any(map(len, left)) else None


class Unawaited:
    """A predicate on states: whether a pod is to be evicted though no preemptor waits.

    Such a state breaks `evicted_for_nominated_pod`. Every pod that is to be evicted can be evicted. Node names are replaced
    by numbers, also those of nodes that are absent.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        names = {"": 0}
        values = [pod for each in plan.slots.pods for pod in each]
        self._on = _numbered(names, [pod.node_name if pod else "" for pod in values])
        self._nominated = _numbered(names, [pod.nominated_node_name if pod else "" for pod in values])
        self._waits = [waiting(plan, slot) for slot in range(len(plan.slots.pods))]

    def __call__(self, states: Words) -> Truths:
        """Evaluate the predicate on the states."""
        plan, program = self.plan, self.plan.program
        due = np.zeros(len(states), np.int64)
        for place in range(int(program.ends[3]), int(program.ends[4])):
            due |= field(plan, states, place)
        found = np.zeros(len(states), np.bool_)
        for slot, victim in enumerate(plan.scenario.pods):
            is_due = due & int(program.victim[slot]) != 0
            if not is_due.any():
                continue
            where = self._on[program.pod_base[slot] + field(plan, states, slot)]
            for other, preemptor in enumerate(plan.scenario.pods):
                if preemptor.priority > victim.priority:
                    wanted = self._nominated[program.pod_base[other] + field(plan, states, other)]
                    is_due &= ~(self._waits[other](states) & (wanted == where))
            found |= is_due
        return found


def _numbered(names: dict[str, int], texts: list[str]) -> npt.NDArray[np.int64]:
    return np.array([names.setdefault(text, len(names)) for text in texts], np.int64)
