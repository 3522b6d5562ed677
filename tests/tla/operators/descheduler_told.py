"""Cycles of a descheduler and their works as values of tla/DeschedulerCycle.tla: `told_cycle`, `told_work`, `told_plan`

In Python a work has the slots of its pods, in TLA+ their identities. Here the slot of a pod is its place among the pods of
the scenario.
"""

from collections.abc import Sequence

from schedcheck.checker.language.values.values import FiniteSet, Value, finite_set, function
from schedcheck.model.controllers.descheduler import Cycle
from schedcheck.model.controllers.descheduler.life_time import Ageing
from schedcheck.model.controllers.descheduler.plan import Listed, Plan, Work
from schedcheck.model.controllers.descheduler.utilization import Relieving
from schedcheck.model.controllers.descheduler.violating import Visiting
from schedcheck.model.descheduling import Run, Utilization
from schedcheck.model.scenario import Scenario
from schedcheck.tla_export.amounts import Scale
from schedcheck.tla_export.node_usage import resources_of, told_room, units_of
from schedcheck.tla_export.values import NULL, evaluated

NOBODY = ("", "")
Keys = Sequence[tuple[str, str]]
"""The identities of pods by slot."""


def told_plan(plan: Plan, keys: Keys) -> Value:
    def item(one: "int | Plan") -> Value:
        if isinstance(one, int):
            return function({"Pod": keys[one], "Plan": ()})
        return function({"Pod": NOBODY, "Plan": told_plan(one, keys)})

    return tuple(finite_set(map(item, group)) for group in plan)


def told_relief(work: Relieving, keys: Keys, run: Run, scale: Scale) -> Value:
    """The relief of nodes, with amounts in the units of the module."""
    assert isinstance(run.arguments, Utilization)
    units = units_of(resources_of(run.arguments), scale)

    def amounts(given: Sequence[int]) -> Value:
        return function({name: amount // unit for (name, unit), amount in zip(units.items(), given, strict=True)})

    def room(given: Sequence[int]) -> Value:
        each = zip(units.items(), given, strict=True)
        return function({name: evaluated(told_room(amount, unit)) for (name, unit), amount in each})

    setting = work.setting
    of_nodes = {name: amounts(usage) for name, usage in setting.usage.items()}
    return function(
        {
            "Kind": "relieving",
            "Plan": told_plan(work.order, keys),
            "Available": room(work.available),
            "Setting": function(
                {
                    "Nodes": function({keys[slot]: name for slot, name in setting.nodes.items()}),
                    "Requests": function({keys[slot]: amounts(each) for slot, each in setting.requests.items()}),
                    "Usage": function(of_nodes),
                    "Targets": function({name: amounts(each) for name, each in setting.targets.items()}),
                    "Most": NULL if setting.most is None else setting.most,
                }
            ),
            "Node": work.node,
            "Usage": amounts(work.usage) if work.node else function({}),
            "Evicted": work.evicted,
        }
    )


def told_work(work: Work | None, keys: Keys, run: Run, scale: Scale) -> Value:
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
        case Relieving():
            return told_relief(work, keys, run, scale)
    raise TypeError(f"tla/ has no value for {work!r}")


def told_cycle(cycle: Cycle | None, scenario: Scenario, scale: Scale) -> Value:
    if cycle is None:
        return NULL
    assert scenario.descheduler is not None
    keys, run = [pod.key for pod in scenario.pods], scenario.descheduler.runs[cycle.place]
    return function(
        {
            "Place": cycle.place + 1,
            "Due": told_work(cycle.due, keys, run, scale),
            "Counted": function({(kind, name): number for kind, name, number in cycle.counted}),
            "Done": FiniteSet(cycle.done),
            "Owed": FiniteSet(cycle.owed),
        }
    )
