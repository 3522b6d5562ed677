"""The nodes that are needed, and those that could be spared, as JSON: `needed_json`, `spare_json`."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from schedcheck.checker.capacity.adding import Added, Fewest
from schedcheck.checker.capacity.emptying import Emptied
from schedcheck.checker.capacity.stopping import Stop
from schedcheck.report.json.cycle_parts import refusal_json, short_json
from schedcheck.report.json.pieces import FORMAT, Json
from schedcheck.spec.objects import Pod
from schedcheck.version import __version__


class Needed(NamedTuple):
    """How many nodes of a shape are needed for `number` pods like those of `of`, or, if that is empty, for all that wait."""

    profile: str
    shape: str
    of: str
    number: int
    enough: bool | None
    daemons: tuple[str, ...]
    made: Added

    @property
    def every_order(self) -> bool:
        """Whether the number for the scheduler holds for every order of ties."""
        return self.made.first is None


class Spare(NamedTuple):
    """What becomes of each node that was looked at, and of how many `nodes` there are."""

    profile: str
    verdicts: Mapping[str, str]
    made: tuple[Emptied, ...]
    nodes: int
    stopped: str


def needed_json(found: Needed) -> Json:
    """Return how many nodes of a shape are needed."""
    first = found.made.first
    return {
        "format": FORMAT,
        "schedcheck": __version__,
        "profile": found.profile,
        "shape": found.shape,
        "of": found.of or None,
        "pods": found.number,
        "enough": "unknown" if found.enough is None else found.enough,
        "scheduler": _fewest(found.made.scheduler) | {"everyOrder": found.every_order},
        "best": _fewest(found.made.best),
        "hopeless": _left(found.made.hopeless),
        "left": _left(found.made.left),
        "daemons": list(found.daemons),
        "placement": [] if first is None else [{"pod": str(pod), "node": host} for pod, host in first.ways],
        "judged": None if first is None else first.judged,
        "stopped": found.made.stopped or None,
    }


def _left(pods: Iterable[tuple[Pod, Stop]]) -> list[Json]:
    return [
        {"pod": str(pod), "refusals": [refusal_json(each) for each in why.refusals], "short": short_json(why.short)}
        for pod, why in pods
    ]


def _fewest(found: Fewest) -> Json:
    return {
        "fewest": found.number,
        "enough": found.enough,
        "tooFew": found.tried if found.tried >= 0 else None,
        "never": found.never,
    }


def spare_json(found: Spare) -> Json:
    """Return which nodes could be emptied."""
    return {
        "format": FORMAT,
        "schedcheck": __version__,
        "profile": found.profile,
        "nodes": [
            {
                "node": each.node.name,
                "emptied": found.verdicts[each.node.name],
                "moved": [str(pod) for pod in each.moved],
                "left": [] if each.placed is None else [str(pod) for pod in each.placed.left],
                "staying": len(each.staying),
                "unowned": [str(pod) for pod in each.moved if not pod.owner[0]],
                "why": each.unknown or each.best.stopped or None,
            }
            for each in found.made
        ],
        "stopped": found.stopped or None,
    }
