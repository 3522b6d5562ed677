"""What each filter says of nodes, asked apart from the others: `all_verdicts`"""

import numpy as np

from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.framework import Framework
from schedcheck.model.production.framework.status import Status
from schedcheck.model.production.framework.verdicts import CODES, PASSED
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Nodes


def all_verdicts(framework: Framework, state: CycleState, pod: PodInfo, nodes: Nodes) -> list[tuple[Status, ...]]:
    """Return for each node the statuses of all filters that reject it, among those not skipped."""
    found: list[tuple[Status, ...]] = [()] * len(nodes)
    for plugin in framework.at("filter"):
        if plugin.name not in state.skip_filter:
            said = plugin.filter(state, pod, nodes)
            for place in np.flatnonzero(said.codes != PASSED):
                status = Status(CODES[said.codes[place]], said.texts(int(said.reasons[place])), plugin.name)
                found[place] = (*found[place], status)
    return found
