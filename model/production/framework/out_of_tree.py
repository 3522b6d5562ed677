"""A plugin that is not kube-scheduler's: `Own` stands before it, so that whatever goes wrong in it is a `PluginError`.

An error names the plugin, what it was asked, and where in its source it went wrong; it is never taken for a fault of the
scheduler.
"""

import traceback
from collections.abc import Callable, Hashable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from schedcheck.model.production.framework.handle import Handle
from schedcheck.model.production.framework.plugin import Plugin
from schedcheck.model.production.framework.registry import Factory
from schedcheck.model.production.framework.status import Status
from schedcheck.model.production.framework.verdicts import CODES, Verdicts
from schedcheck.model.production.snapshot.pod_info import PodInfo
from schedcheck.spec.kubernetes.plugins import Arguments
from schedcheck.spec.objects import Pod

OwnFactory = Callable[[Mapping[str, object], Handle], Plugin]
"""What makes a plugin, from its own arguments as the configuration gives them, and the handle."""


class PluginError(Exception):
    """A plugin raised, or gave what its extension point does not let it give; `pod` is whom it was asked about."""

    def __init__(self, text: str, pod: str = "") -> None:
        super().__init__(text)
        self.pod = pod


def own(name: str, factory: OwnFactory) -> Factory:
    """The factory as a registry holds it; it raises a PluginError where it gives no plugin of this name."""

    def made(arguments: Arguments, handle: Handle) -> Own:
        try:
            plugin = factory(arguments.of(name), handle)
        except Exception as error:
            raise PluginError(f"raised {raised(error)}") from error
        if getattr(plugin, "name", None) != name:
            raise PluginError(f"gave {_kind(plugin)}, expected a plugin named {name}")
        return Own(plugin, name)

    return made


class Own:
    """A plugin, what it implements as it does, and nothing else."""

    def __init__(self, plugin: Plugin, name: str) -> None:
        self._plugin = plugin
        self.name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("_"):
            raise AttributeError(attribute)
        found = getattr(self._plugin, attribute)
        return partial(self._asked, attribute, found) if callable(found) else found

    def _asked(self, method: str, function: Callable[..., Any], *given: Any) -> Any:
        """The answer to a question. Raises: PluginError."""
        pod = next((str(each.pod if isinstance(each, PodInfo) else each) for each in given if _is_pod(each)), "")
        asked = f"plugin {self.name}: {method}{f' of pod {pod}' if pod else ''}"
        try:
            answer = function(*given)
        except Exception as error:
            raise PluginError(f"{asked} raised {raised(error)}", pod) from error
        expected = EXPECTED.get(method)
        if expected is not None and not expected[1](answer, given):
            raise PluginError(f"{asked} gave {_kind(answer)}, expected {expected[0]}", pod)
        return answer


def raised(error: Exception) -> str:
    """An error with its kind and where it was raised, in one line."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    said = " ".join(str(error).split())
    return f"{type(error).__name__}{f': {said}' if said else ''} ({Path(place.filename).name}:{place.lineno})"


def _is_pod(given: Any) -> bool:
    return isinstance(given, Pod | PodInfo)


def _kind(answer: Any) -> str:
    if isinstance(answer, np.ndarray):
        return f"an array of {answer.dtype} for {len(answer) if answer.ndim else 1} nodes"
    return "None" if answer is None else f"a value of type {type(answer).__name__}"


def _status(answer: Any, given: Any) -> bool:
    return isinstance(answer, Status)


def _pair(second: Callable[[Any], bool]) -> Callable[[Any, Any], bool]:
    return lambda answer, given: isinstance(answer, tuple) and len(answer) == 2 and second(answer)


def _hashable(answer: Any, given: Any) -> bool:
    try:
        hash(answer)
    except TypeError:
        return False
    return isinstance(answer, Hashable)


def _verdicts(answer: Any, given: Any) -> bool:
    _, _, nodes = given
    return (
        isinstance(answer, Verdicts)
        and answer.codes.shape == answer.reasons.shape == (len(nodes),)
        and all(0 <= code < len(CODES) for code in answer.codes)
    )


def _scores(answer: Any, given: Any) -> bool:
    nodes = given[2]
    numbers = isinstance(answer, np.ndarray) and answer.dtype == np.int64 and answer.shape == (len(nodes),)
    return numbers or isinstance(answer, Status)


EXPECTED: dict[str, tuple[str, Callable[[Any, Any], bool]]] = {
    **dict.fromkeys(("pre_enqueue", "pre_score", "reserve", "pre_bind", "bind"), ("a Status", _status)),
    "pre_filter": (
        "a Status and the names of nodes or None",
        _pair(lambda answer: isinstance(answer[0], Status) and isinstance(answer[1], frozenset | None)),
    ),
    "filter": ("Verdicts, one code and one reason a node", _verdicts),
    **dict.fromkeys(("score", "normalize"), ("an array of int64, one a node, or a Status", _scores)),
    "post_filter": ("a PostFilterResult or None, and a Status", _pair(lambda answer: isinstance(answer[1], Status))),
    "permit": (
        "a Status and a number of seconds",
        _pair(lambda answer: isinstance(answer[0], Status) and isinstance(answer[1], int | float)),
    ),
    "remembered": ("a value that can be hashed", _hashable),
}
"""What a plugin may answer, in words, and whether an answer to what was given is of that kind."""
