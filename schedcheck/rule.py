"""Rules for authors of plugins: the specified behaviour of a plugin, as functions of what the scheduler sees.

    from schedcheck.rule import filter, score, always, unresolvable

    @filter("Teams")
    def own_nodes(pod, node, snapshot):
        "The nodes of a team are for its pods alone."
        if node.labels.get("team") not in (None, pod.labels.get("team")):
            return unresolvable("node(s) belonged to another team")

`filter` and `score` become part of the specification: if the named plugin is enabled, the scheduling cycle must reject
these nodes for these reasons, and add these scores. `always`, `sometimes` and `step` are properties of the cluster,
whichever plugins are enabled.

A command gets a rule by `--rule package.module:function`, or all rules of a module by `--rule package.module`. `pod`
is the pod to be scheduled; the snapshot is without it. `occupants(node, snapshot)` are the pods on a node. A rule that
needs the arguments of its plugin takes them as one more parameter. It must keep no state between calls and use no
random numbers.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

from schedcheck.errors import InputError
from schedcheck.model.production.framework.out_of_tree import raised
from schedcheck.spec.binding import occupants as _occupants
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.kubernetes.out_of_tree import FilterRule, ScoreRule, least_is_best, most_is_best, unchanged
from schedcheck.spec.objects import Node, Pod, Snapshot
from schedcheck.spec.properties.kinds import Always, Sometimes, Step
from schedcheck.spec.refusal import Code, Refusal

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
    """A rule raised an exception, or returned a value that its kind forbids."""


@dataclass(frozen=True)
class Written:
    """A function with the rule made of it; it can still be called as before."""

    function: Callable[..., Any]
    rule: Rule

    def __call__(self, *given: Any) -> Any:
        return self.function(*given)


def filter(plugin: str) -> Callable[[Callable[..., Refusal | str | None]], Written]:
    """Specify the nodes that the filter of `plugin` must reject, by a function of (pod, node, snapshot).

    The function returns None to admit the node. A text is the reason of a rejection that evictions may change, as
    from `unschedulable`; `unresolvable` makes one that they cannot change. The reasons must equal those of the plugin.
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
    """Specify how `plugin` must score a feasible node, by a function of (pod, node, snapshot) that returns an integer.

    The score is from 0 to 100. With `best` any integer is allowed, and `best` says whether the most or the least is
    best. The scores are then normalized to 0 to 100 in proportion to the highest, as kube-scheduler's
    DefaultNormalizeScore does, reversed for the least.
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
    """Specify an invariant of the cluster, by a function of the snapshot; its docstring is the claim."""
    return Written(function, Always(_name(function), _claim(function), _truth(function, "snapshot")))


def sometimes(function: Callable[[Snapshot], bool]) -> Written:
    """Specify a reachable condition of the cluster, by a function of the snapshot: some behaviour must lead to it."""
    return Written(function, Sometimes(_name(function), _claim(function), _truth(function, "snapshot")))


def step(function: Callable[[Snapshot, Snapshot], bool]) -> Written:
    """Specify a property of every change of the cluster, by a function of the snapshots before and after it."""
    holds = _truth(function, "before, after")

    def of_states(before: Snapshot, action: object, after: Snapshot) -> bool:
        return before == after or holds(before, after)

    noted = _noted(of_states, function)
    return Written(function, Step(_name(function), _claim(function), (), noted, of_states=True))


def unschedulable(*reasons: str) -> Refusal:
    """Return a rejection that evictions may change."""
    return Refusal("", Code.UNSCHEDULABLE, reasons)


def unresolvable(*reasons: str) -> Refusal:
    """Return a rejection that no eviction can change."""
    return Refusal("", Code.UNRESOLVABLE, reasons)


def occupants(node: Node, snapshot: Snapshot) -> tuple[Pod, ...]:
    """Return the pods on the node that have not ended, in the order of their names."""
    return tuple(sorted(_occupants(node, snapshot, NO_FAULTS), key=lambda pod: pod.key))


def _asking(function: Callable[..., Any], parameters: str) -> Callable[..., Any]:
    """Return the function as one that takes the plugin's arguments first.

    They are passed on, as the last argument, if the function has one parameter more.
    """
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
    """Return `made` marked with the sources and name of its function, which distinguish the cached results of rules."""
    try:
        sources: tuple[Path, ...] = (Path(inspect.getfile(function)),)
    except TypeError:
        sources = ()
    vars(made).update(sources=sources, called=f"{function.__module__}.{getattr(function, '__qualname__', '')}")
    return made


def _parameters(function: Callable[..., Any]) -> int:
    """Return the number of parameters of the function."""
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
