"""Cycles of a descheduler as values of tla/DeschedulerCycle.tla: `told_cycle`; and the operators with their twins: `TWINS`

In Python a work has the slots of its pods, in TLA+ their identities. Here the slot of a pod is its place among the pods of
the scenario.
"""

from collections.abc import Sequence

from schedcheck.checker.language.values.values import FiniteSet, Value, finite_set, function
from schedcheck.model.controllers.descheduler import Cycle
from schedcheck.model.controllers.descheduler.life_time import Ageing
from schedcheck.model.controllers.descheduler.plan import Listed, Plan, Work
from schedcheck.model.controllers.descheduler.violating import Visiting
from schedcheck.tla_export.values import NULL

NOBODY = ("", "")
Keys = Sequence[tuple[str, str]]
"""The identities of pods by slot."""


def told_plan(plan: Plan, keys: Keys) -> Value:
    def item(one: "int | Plan") -> Value:
        if isinstance(one, int):
            return function({"Pod": keys[one], "Plan": ()})
        return function({"Pod": NOBODY, "Plan": told_plan(one, keys)})

    return tuple(finite_set(map(item, group)) for group in plan)


def told_work(work: Work | None, keys: Keys) -> Value:
    match work:
        case None:
            return NULL
        case Listed(plan):
            return function({"Kind": "listed", "Plan": told_plan(plan, keys)})
        case Ageing(slots):
            return function({"Kind": "ageing", "Plan": told_plan((slots,) if slots else (), keys)})
        case Visiting(repels, order):
            pairs = FiniteSet((keys[one], keys[other]) for one, other in repels)
            return function({"Kind": "visiting", "Plan": told_plan(order, keys), "Repels": pairs})
    raise TypeError(f"tla/ has no value for {work!r}")


def told_cycle(cycle: Cycle | None, keys: Keys) -> Value:
    if cycle is None:
        return NULL
    return function(
        {
            "Place": cycle.place + 1,
            "Due": told_work(cycle.due, keys),
            "Counted": function({(kind, name): number for kind, name, number in cycle.counted}),
            "Done": FiniteSet(cycle.done),
            "Owed": FiniteSet(cycle.owed),
        }
    )
