"""Out-of-tree plugins: the proxy `Own` turns whatever goes wrong in one into a `PluginError`.

An error names the plugin, the call, and the source line. It is never taken for an error of the scheduler.
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
"""A function that makes a plugin from its own arguments in the configuration and the handle."""


class PluginError(Exception):
    """A plugin raised, or returned a value that its extension point forbids; `pod` is the pod of the call."""

    def __init__(self, text: str, pod: str = "") -> None:
        super().__init__(text)
        self.pod = pod


def own(name: str, factory: OwnFactory) -> Factory:
    """Return the factory for a registry; it raises a PluginError if `factory` does not make a plugin of this name."""

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
    """A proxy of an out-of-tree plugin: it has the plugin's public attributes, and checks every call."""

    def __init__(self, plugin: Plugin, name: str) -> None:
        self._plugin = plugin
        self.name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("_"):
            raise AttributeError(attribute)
        found = getattr(self._plugin, attribute)
        return partial(self._asked, attribute, found) if callable(found) else found

    def _asked(self, method: str, function: Callable[..., Any], *given: Any) -> Any:
        """Call a method and check its result. Raises: PluginError."""
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
    """Return the error's type, message and source line in one line."""
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
"""The result expected of each method, in words, and a check of a result given the arguments."""
