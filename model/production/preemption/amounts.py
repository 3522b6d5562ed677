"""Dry runs in which only the amounts decide that pods take: `amounts_decide`, `room`, `by_amounts`.

Most pods ask for no port, volume, spread or affinity. All filters that look at pods then compare sums with ceilings, so
the rounds of a reprieve are comparisons of arrays, and no filter is asked again.
"""

from collections.abc import Mapping

import numpy as np

from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.filtering import reckoned_with
from schedcheck.model.production.framework.framework import Framework
from schedcheck.model.production.framework.verdicts import PASSED
from schedcheck.model.production.preemption.choice import costs
from schedcheck.model.production.preemption.worlds import Lost, World, highest
from schedcheck.model.production.snapshot.labels import Mask, Numbers
from schedcheck.model.production.snapshot.lower_pods import LowerTable
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Nodes, wide


def amounts_decide(framework: Framework, state: CycleState) -> bool:
    """Whether in this cycle pods change the verdict of a filter by nothing but the amounts that they take."""
    skipped = state.skip_filter
    return all(each.name in skipped for each in framework.extended) and all(
        each.name in skipped or each.name in framework.with_ceilings for each in framework.moved_by_pods
    )


def take_away(tried: Nodes, lower: LowerTable) -> None:
    """Take from the trial's amounts those of the lower pods of each node."""
    assert tried.trial is not None
    together = lower.together[tried.rows]
    tried.trial.requested = wide(tried.trial.requested, together.shape[1]) - together


def put_nominated(framework: Framework, state: CycleState, pod: PodInfo, tried: Nodes) -> None:
    """Add to the trial's amounts those of the nominated pods that count. A pod that fits with them fits without them too."""
    assert tried.trial is not None
    places, infos = reckoned_with(framework, state, pod, tried)
    if infos:
        tried.trial.add(places, tried.table.amounts(infos), 1)


def room(framework: Framework, state: CycleState, pod: PodInfo, tried: Nodes) -> tuple[list[int], Numbers, Numbers]:
    """Return the columns that the filters of this cycle compare with ceilings; what is held on each node, and the ceilings."""
    columns, most = _ceilings(framework, state, pod, tried)
    return columns, tried.requested_of(columns), most


def steadily_passed(framework: Framework, state: CycleState, pod: PodInfo, nodes: Nodes) -> Mask:
    """Return which nodes pass the filters that look at no pods."""
    found = np.ones(len(nodes), bool)
    for plugin in framework.steady:
        if plugin.name not in state.skip_filter:
            said = plugin.filter(state, pod, nodes)
            if not said.all_pass:
                found &= said.codes == PASSED
    return found


def by_amounts(
    framework: Framework, state: CycleState, pod: PodInfo, tried: Nodes, lower: LowerTable, worlds: Mapping[int, World]
) -> None:
    """Put the pods back in each world in turn; those that prevent the fit become victims. Compute what the worlds cost."""
    if not worlds:
        return
    chosen, every = tried.only(np.array(list(worlds), np.int64)), list(worlds.values())
    columns, held, most = room(framework, state, pod, chosen)
    rows = chosen.rows
    puts, priorities, starts = lower.amounts[rows][:, :, columns], lower.priorities[rows], lower.starts[rows]
    turned = [place for place, world in enumerate(every) if world.turns]
    for place in turned:
        turns = every[place].turns
        for array in (puts, priorities, starts):
            array[place, : len(turns)] = array[place, turns]
    lost = _in_turn(puts, most - held)
    violations = np.zeros(len(rows), np.int64)
    for place in turned:
        violations[place] = np.count_nonzero(lost[place, : every[place].violating])
    cost = costs(Lost(violations, highest(lost, priorities), lost, priorities, starts))
    for world, own, gone in zip(every, cost, lost.tolist(), strict=True):
        world.costs, world.lost = own, gone


def _in_turn(puts: Numbers, left: Numbers) -> Mask:
    """Return for each node and turn whether the pod takes more than is left by those before it that stay.

    A resource of which all nodes have clearly enough for all of their pods decides nothing. Floats do not overflow.
    """
    scarce = (puts.sum(axis=1, dtype=np.float64) >= 0.999 * left).any(axis=0)
    rounds, left = np.ascontiguousarray(puts[:, :, scarce].transpose(1, 2, 0)), np.ascontiguousarray(left[:, scarce].T)
    lost = np.zeros((len(rounds), left.shape[1]), bool)
    for turn, put in enumerate(rounds):
        lost[turn] = (put > left).any(axis=0)
        left -= put * ~lost[turn]
    return lost.T


def _ceilings(framework: Framework, state: CycleState, pod: PodInfo, tried: Nodes) -> tuple[list[int], Numbers]:
    """Return the columns that the filters of this cycle compare with ceilings, and the ceilings."""
    asked = [each for each in framework.moved_by_pods if each.name not in state.skip_filter]
    said: list[tuple[list[int], Numbers]] = [each.ceilings(state, pod, tried) for each in asked]
    if len(said) == 1:
        return said[0]
    columns = [column for some, _ in said for column in some]
    return columns, np.hstack([np.zeros((len(tried), 0), np.int64), *(each for _, each in said)])
