"""Running of PreScore, Score and NormalizeScore: `scored`.

Kubernetes 1.34: RunPreScorePlugins and RunScorePlugins in pkg/scheduler/framework/runtime/framework.go.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.framework import Framework
from schedcheck.model.production.framework.plugin import HIGHEST_SCORE, LOWEST_SCORE
from schedcheck.model.production.framework.status import SUCCESS, Code, Status, error
from schedcheck.model.production.snapshot.labels import Numbers
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.model.production.snapshot.snapshot import Nodes


@dataclass(frozen=True, eq=False)
class Scored:
    """The scores of the nodes by plugin (raw, normalised, weighted) and their sum; or the error that prevented them."""

    status: Status = SUCCESS
    raw: Mapping[str, Numbers] = field(default_factory=dict)
    normalised: Mapping[str, Numbers] = field(default_factory=dict)
    total: Numbers = field(default_factory=lambda: np.zeros(0, np.int64))
    weights: Mapping[str, int] = field(default_factory=dict)

    @property
    def weighted(self) -> Mapping[str, Numbers]:
        """Return the weighted scores by plugin, for an observer."""
        return {name: scores * self.weights[name] for name, scores in self.normalised.items()}


def pre_scored(framework: Framework, state: CycleState, pod: PodInfo, nodes: Nodes) -> Status:
    """Run PreScore; a plugin that skips here is left out of Score in this cycle."""
    skipped: set[str] = set()
    for plugin in framework.at("preScore"):
        status = plugin.pre_score(state, pod, nodes)
        if status.code is Code.SKIP:
            skipped.add(plugin.name)
        elif not status.success:
            return error(f'running PreScore plugin "{plugin.name}": {status.message}', plugin.name)
    state.skip_score = frozenset(skipped)
    return SUCCESS


def scored(framework: Framework, state: CycleState, pod: PodInfo, nodes: Nodes) -> Scored:
    """Run Score and NormalizeScore of the plugins that are not skipped, and weight the results."""
    plugins = [plugin for plugin in framework.at("score") if plugin.name not in state.skip_score]
    raw: dict[str, Numbers] = {}
    for plugin in plugins:
        said = plugin.score(state, pod, nodes)
        if isinstance(said, Status):
            return Scored(error(f'running Score plugins: plugin "{plugin.name}" failed with: {said.message}'))
        raw[plugin.name] = said
    normalised = dict(raw)
    for plugin in plugins:
        if plugin.name in framework.normalizing:
            said = plugin.normalize(state, pod, nodes, raw[plugin.name])
            if isinstance(said, Status):
                text = f'running Normalize on Score plugins: plugin "{plugin.name}" failed with: {said.message}'
                return Scored(error(text))
            normalised[plugin.name] = said
    if not normalised:
        return Scored(total=np.zeros(len(nodes), np.int64))
    every = np.concatenate(list(normalised.values())).reshape(len(normalised), -1)
    if every.size and (every.min() < LOWEST_SCORE or every.max() > HIGHEST_SCORE):
        return Scored(error(next(_outside(normalised))))
    total = np.array([framework.weights[name] for name in normalised], np.int64) @ every
    return Scored(SUCCESS, raw, normalised, total, framework.weights)


def _outside(normalised: Mapping[str, Numbers]) -> Iterator[str]:
    """Yield the error of each plugin with a score that is out of bounds."""
    for name, scores in normalised.items():
        outside = scores[(scores < LOWEST_SCORE) | (scores > HIGHEST_SCORE)]
        if len(outside):
            yield _invalid(name, int(outside[0]))


def _invalid(plugin: str, score: int) -> str:
    return (
        f'applying score defaultWeights on Score plugins: plugin "{plugin}" returns an invalid score {score},'
        f" it should in the range of [{LOWEST_SCORE}, {HIGHEST_SCORE}] after normalizing"
    )
