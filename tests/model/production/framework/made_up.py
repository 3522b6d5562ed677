"""Test plugins with predefined answers: `Made`, and `profile`, which enables them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from frozendict import frozendict

from schedcheck.model.production.framework.cycle_state import CycleState
from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.plugin import PostFilterResult
from schedcheck.model.production.framework.status import SUCCESS, Status
from schedcheck.model.production.framework.verdicts import CODES, Verdicts
from schedcheck.model.production.snapshot.snapshot import Nodes
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS, Arguments, Plugins


@dataclass
class Made:
    """A plugin for every point after PreEnqueue: `answers` by point, by default a success; it records its calls.

    A filter's answer may be a mapping from node names; a permit's is a status and seconds.
    """

    name: str
    answers: Mapping[str, Any] = field(default_factory=dict)
    calls: list[tuple[str, str]] = field(default_factory=list)

    def _say(self, point: str, default: Any = SUCCESS) -> Any:
        self.calls.append((self.name, point))
        answer = self.answers.get(point, default)
        return answer() if callable(answer) else answer

    def pre_enqueue(self, pod: object) -> Status:
        return self._say("preEnqueue")  # type: ignore[no-any-return]

    def pre_filter(self, state: CycleState, pod: object, snapshot: object) -> tuple[Status, frozenset[str] | None]:
        answer = self._say("preFilter")
        return answer if isinstance(answer, tuple) else (answer, None)

    def filter(self, state: CycleState, pod: object, nodes: Nodes) -> Verdicts:
        answer = self._say("filter")
        said = [answer.get(name, SUCCESS) if isinstance(answer, Mapping) else answer for name in nodes.names()]
        codes = np.array([CODES.index(status.code) for status in said], np.int8)
        return Verdicts(codes, np.arange(len(said)), lambda number: said[number].reasons)

    def post_filter(
        self, state: CycleState, pod: object, statuses: object
    ) -> tuple[PostFilterResult | None, Status]:  # fmt: skip
        answer = self._say("postFilter")
        return answer if isinstance(answer, tuple) else (None, answer)

    def pre_score(self, state: CycleState, pod: object, nodes: Nodes) -> Status:
        return self._say("preScore")  # type: ignore[no-any-return]

    def score(self, state: CycleState, pod: object, nodes: Nodes) -> Any:
        answer = self._say("score", 0)
        if isinstance(answer, Mapping):
            return np.array([answer.get(name, 0) for name in nodes.names()], np.int64)
        return answer if isinstance(answer, Status) else np.full(len(nodes), answer, np.int64)

    def reserve(self, state: CycleState, pod: object, node: str) -> Status:
        return self._say("reserve")  # type: ignore[no-any-return]

    def unreserve(self, state: CycleState, pod: object, node: str) -> None:
        self._say("unreserve")

    def permit(self, state: CycleState, pod: object, node: str) -> tuple[Status, float]:
        answer = self._say("permit")
        return answer if isinstance(answer, tuple) else (answer, 0.0)

    def pre_bind(self, state: CycleState, pod: object, node: str) -> Status:
        return self._say("preBind")  # type: ignore[no-any-return]

    def bind(self, state: CycleState, pod: object, node: str) -> Status:
        return self._say("bind")  # type: ignore[no-any-return]

    def post_bind(self, state: CycleState, pod: object, node: str) -> None:
        self._say("postBind")


def factory(plugin: Any) -> Callable[[Arguments, Handle], Any]:
    return lambda arguments, handle: plugin


def profile(points: Mapping[str, Sequence[str]], weights: Mapping[str, int] | None = None) -> Plugins:
    """A profile with a queue sort, a binder, and these plugins at these points."""
    always = {"queueSort": ("PrioritySort",), "bind": ("DefaultBinder",)}
    named = {point: tuple(names) for point, names in points.items()}
    return replace(DEFAULT_PLUGINS, points=frozendict({**always, **named}), weights=frozendict(weights or {}))
