"""Dry runs in which only the amounts decide that pods take: `amounts_decide`, `take_away`, `by_amounts`.

Most pods ask for no port, volume, spread or affinity. All filters that look at pods then compare sums with ceilings, so
the rounds of a reprieve are comparisons of arrays, and no filter is asked again.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.filtering import reckoned_with
from schedcheck.model.production.framework.framework import Framework
from schedcheck.model.production.snapshot.labels import Numbers
from schedcheck.model.production.snapshot.lower_pods import LowerPods, Ordered
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Nodes

def amounts_decide(framework: Framework, state: CycleState) -> bool:
    """Whether in this cycle pods change the verdict of a filter by nothing but the amounts that they take."""
    skipped = state.skip_filter
    return all(each.name in skipped for each in framework.extended) and all(
        each.name in skipped or each.name in framework.with_ceilings for each in framework.moved_by_pods
    )


def take_away(tried: Nodes, lower: Sequence[LowerPods]) -> None:
    """Take from the trial's amounts those of the lower pods of each node."""
    assert tried.trial is not None
    together = np.concatenate(wide([each.together[None] for each in lower], len(tried.table.resources)))
    (requested,) = wide([tried.trial.requested], together.shape[1])
    tried.trial.requested = requested - together


def by_amounts(
    framework: Framework, state: CycleState, pod: PodInfo, tried: Nodes, orders: Mapping[int, Ordered]
) -> list[list[bool]]:
    """Put the pods back on each node in turn; return for each node, and for each turn, whether the pod prevents the fit.

    A pod that fits beside the nominated pods fits without them too.
    """
    if not orders:
        return []
    chosen = np.array(list(orders), np.int64)
    columns, most = _ceilings(framework, state, pod, tried)
    taken = [each.amounts for each in orders.values()]
    sizes = [len(each) for each in taken]
    there = np.arange(max(sizes)) < np.array(sizes, np.int64)[:, None]
    # A place without a pod takes nothing.
    puts = np.zeros((*there.shape, len(columns)), np.int64)
    puts[there] = np.concatenate(wide(taken, len(tried.table.resources)))[:, columns]
    left = most[chosen] - _held(framework, state, pod, tried)[chosen][:, columns]
    # A resource of which all nodes have clearly enough for all of their pods decides nothing. Floats do not overflow.
    scarce = (puts.sum(axis=1, dtype=np.float64) >= 0.999 * left).any(axis=0)
    return [turns[:size] for turns, size in zip(_in_turn(puts[:, :, scarce], left[:, scarce]), sizes, strict=True)]


def _in_turn(puts: Numbers, left: Numbers) -> list[list[bool]]:
    """Return for each node and turn whether the pod takes more than is left by those before it that stay."""
    rounds, left = np.ascontiguousarray(puts.transpose(1, 2, 0)), np.ascontiguousarray(left.T)
    lost = np.zeros((len(rounds), left.shape[1]), bool)
    for turn, put in enumerate(rounds):
        lost[turn] = (put > left).any(axis=0)
        left -= put * ~lost[turn]
    found: list[list[bool]] = lost.T.tolist()
    return found


def _ceilings(framework: Framework, state: CycleState, pod: PodInfo, tried: Nodes) -> tuple[list[int], Numbers]:
    """Return the columns that the filters of this cycle compare with ceilings, and the ceilings."""
    asked = [each for each in framework.moved_by_pods if each.name not in state.skip_filter]
    said = [each.ceilings(state, pod, tried) for each in asked]
    columns = [column for some, _ in said for column in some]
    return columns, said[0][1] if len(said) == 1 else np.hstack([np.zeros((len(tried), 0), np.int64), *(each for _, each in said)])


def _held(framework: Framework, state: CycleState, pod: PodInfo, tried: Nodes) -> Numbers:
    """Return what is taken on each node after the changes of the trial, with the nominated pods that count."""
    assert tried.trial is not None
    table = tried.table
    places, infos = reckoned_with(framework, state, pod, tried)
    beside = table.amounts(infos)
    (changed,) = wide([tried.trial.requested], len(table.resources))
    held = table.requested[tried.rows] + changed
    np.add.at(held, places, beside)
    return held


def wide(tables: Sequence[Numbers], width: int) -> Sequence[Numbers]:
    """Return these tables, each with zeros in the columns that it lacks."""
    if all(each.shape[1] == width for each in tables):
        return tables
    return [np.hstack([each, np.zeros((len(each), width - each.shape[1]), np.int64)]) for each in tables]
