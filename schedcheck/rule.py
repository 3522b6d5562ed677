"""Rules, for authors of plugins: what a plugin ought to do, as functions of what the scheduler sees.

    from schedcheck.rule import filter, score, always, unresolvable

    @filter("Teams")
    def own_nodes(pod, node, snapshot):
        "The nodes of a team are for its pods alone."
        if node.labels.get("team") not in (None, pod.labels.get("team")):
            return unresolvable("node(s) belonged to another team")

`filter` and `score` become part of the specification: where the plugin of the name that they are given is enabled, the
cycle ought to refuse these nodes for these reasons, and to add these scores. `always`, `sometimes` and `step` are
properties of the cluster, whatever plugin is enabled.

A rule is handed to a command by `--rule package.module:function`, or all of a module by `--rule package.module`. `pod` is the one to be placed, and the snapshot is
without it; `occupants(node, snapshot)` are the pods on a node. A rule that looks at the arguments of its plugin takes them
as one parameter more. It keeps nothing between calls, and draws nothing by chance.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

from schedcheck.manifests.errors import InputError
from schedcheck.model.production.framework.out_of_tree import raised
from schedcheck.spec.binding import occupants as _occupants
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.kubernetes.out_of_tree import FilterRule, ScoreRule, least_is_best, most_is_best, unchanged
from schedcheck.spec.kubernetes.refusal import Code, Refusal
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.properties import Always, Sometimes, Step

__all__ = [
    "Node",
    "Pod",
    "Refusal",
    "RuleError",
    "Snapshot",
    "always",
    "filter",
    "occupants",
    "score",
    "sometimes",
    "step",
    "unresolvable",
    "unschedulable",
]

Property = Always | Sometimes | Step
Rule = FilterRule | ScoreRule | Property
Made = TypeVar("Made", bound=Callable[..., Any])
NORMALISATIONS = {"": unchanged, "most": most_is_best, "least": least_is_best}


class RuleError(InputError):
    """A rule raised, or gave what it should not give."""


@dataclass(frozen=True)
class Written:
    """A function with the rule that it is; it can be called as before."""

    function: Callable[..., Any]
    rule: Rule

    def __call__(self, *given: Any) -> Any:
        return self.function(*given)


def filter(plugin: str) -> Callable[[Callable[..., Refusal | str | None]], Written]:
    """Which nodes the filter of `plugin` ought to refuse, by a function of (pod, node, snapshot).

    None admits the node. A text is the reason of a refusal that evictions may change, as of `unschedulable`;
    `unresolvable` gives one that they cannot. Reasons are compared with those of the plugin.
    """

    def written(function: Callable[..., Refusal | str | None]) -> Written:
        ask = _asking(function, "pod, node, snapshot")

        def refusal(pod: Pod, node: Node, snapshot: Snapshot, arguments: Mapping[str, object]) -> Refusal | None:
            said = ask(arguments, pod, node, snapshot)
            if isinstance(said, str):
                said = unschedulable(said)
            if said is not None and not isinstance(said, Refusal):
                raise _wrong(function, said, "None, a reason, or what unresolvable gives")
            return said and replace(said, plugin=plugin)

        return Written(function, FilterRule(_named(plugin), _noted(refusal, function)))

    return written


def score(plugin: str, best: Literal["", "most", "least"] = "") -> Callable[[Callable[..., int]], Written]:
    """How `plugin` ought to rate a node that is feasible, by a function of (pod, node, snapshot) that gives an integer.

    It is from 0 to 100. Or else `best` says whether the most or the least is best, and the ratings are brought to 0 to
    100 in proportion to the highest, as kube-scheduler's DefaultNormalizeScore does, in reverse for the least.
    """
    if best not in NORMALISATIONS:
        raise RuleError("expected most or least", path=f"score({plugin!r})", value=best)

    def written(function: Callable[..., int]) -> Written:
        ask = _asking(function, "pod, node, snapshot")

        def rating(pod: Pod, node: Node, snapshot: Snapshot, arguments: Mapping[str, object]) -> int:
            said = ask(arguments, pod, node, snapshot)
            if not isinstance(said, int) or isinstance(said, bool):
                raise _wrong(function, said, "an integer")
            return said

        return Written(function, ScoreRule(_named(plugin), _noted(rating, function), NORMALISATIONS[best]))

    return written


def always(function: Callable[[Snapshot], bool]) -> Written:
    """What ought to be true of the cluster at any time, by a function of the snapshot; its docstring is the claim."""
    return Written(function, Always(_name(function), _claim(function), _truth(function, "snapshot")))


def sometimes(function: Callable[[Snapshot], bool]) -> Written:
    """What ought to be true of the cluster at some time, by a function of the snapshot: that there is a way to it."""
    return Written(function, Sometimes(_name(function), _claim(function), _truth(function, "snapshot")))


def step(function: Callable[[Snapshot, Snapshot], bool]) -> Written:
    """What ought to be true of every change of the cluster, by a function of the snapshots before and after it."""
    holds = _truth(function, "before, after")

    def of_states(before: Snapshot, action: object, after: Snapshot) -> bool:
        return before == after or holds(before, after)

    noted = _noted(of_states, function)
    return Written(function, Step(_name(function), _claim(function), (), noted, of_states=True))


def unschedulable(*reasons: str) -> Refusal:
    """A refusal that evictions may change."""
    return Refusal("", Code.UNSCHEDULABLE, reasons)


def unresolvable(*reasons: str) -> Refusal:
    """A refusal that no eviction changes."""
    return Refusal("", Code.UNRESOLVABLE, reasons)


def occupants(node: Node, snapshot: Snapshot) -> tuple[Pod, ...]:
    """The pods on the node that have not ended, in order of their names."""
    return tuple(sorted(_occupants(node, snapshot, NO_FAULTS), key=lambda pod: pod.key))


def _asking(function: Callable[..., Any], parameters: str) -> Callable[..., Any]:
    """The function, asked with the arguments of the plugin before its own; it is given them if it takes one more."""
    taken, wanted = _parameters(function), len(parameters.split(", "))
    if taken not in (wanted, wanted + 1):
        raise RuleError(f"expected a function of ({parameters}), or of ({parameters}, arguments)", path=_name(function))

    def ask(arguments: Mapping[str, object], *given: object) -> Any:
        try:
            return function(*given, *((arguments,) if taken > wanted else ()))
        except Exception as error:
            raise RuleError(f"rule {_name(function)} raised {raised(error)}") from error

    return ask


def _truth(function: Callable[..., bool], parameters: str) -> Callable[..., bool]:
    if _parameters(function) != len(parameters.split(", ")):
        raise RuleError(f"expected a function of ({parameters})", path=_name(function))
    ask = _asking(function, parameters)

    def holds(*given: object) -> bool:
        said = ask({}, *given)
        if not isinstance(said, bool):
            raise _wrong(function, said, "true or false")
        return said

    return _noted(holds, function)


def _noted(made: Made, function: Callable[..., Any]) -> Made:
    """What was made of the function, which says so: what is kept of one rule is not taken for that of another."""
    try:
        sources: tuple[Path, ...] = (Path(inspect.getfile(function)),)
    except TypeError:
        sources = ()
    vars(made).update(sources=sources, called=f"{function.__module__}.{getattr(function, '__qualname__', '')}")
    return made


def _parameters(function: Callable[..., Any]) -> int:
    """How many parameters the function takes by their places."""
    if not callable(function):
        raise RuleError(f"expected a function, found a value of type {type(function).__name__}")
    return len(inspect.signature(function).parameters)


def _named(plugin: str) -> str:
    if not isinstance(plugin, str) or not plugin:
        raise RuleError('expected the name of the plugin, as in @filter("Teams") or @score("Teams")')
    return plugin


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__name__", type(function).__name__)


def _claim(function: Callable[..., Any]) -> str:
    return " ".join((function.__doc__ or "").partition("\n\n")[0].split())


def _wrong(function: Callable[..., Any], said: object, expected: str) -> RuleError:
    kind = "None" if said is None else f"a value of type {type(said).__name__}"
    return RuleError(f"rule {_name(function)} gave {kind}, expected {expected}")
