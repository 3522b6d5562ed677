"""The smallest cluster on which greedy preemption does worse than necessary: `smallest`, `Smallest`."""

from dataclasses import dataclass, field
from typing import Any

from schedcheck.api.answer import Answer, within
from schedcheck.api.values import Limits, Profile, as_profile
from schedcheck.checker.victims.judges import of_model
from schedcheck.checker.victims.kubernetes_judge import of_kubernetes
from schedcheck.checker.victims.smallest import Worse
from schedcheck.checker.victims.smallest import smallest as search
from schedcheck.errors import InputError
from schedcheck.report.json.answers import snapshot_json
from schedcheck.report.json.pieces import FORMAT, Json, reference
from schedcheck.spec.decisions import VictimSet
from schedcheck.spec.kubernetes.plugins import DEFAULT_PLUGINS
from schedcheck.spec.objects import Pod
from schedcheck.spec.profiles import CORRECTED, departing
from schedcheck.spec.schedulers import OF_PLUGINS
from schedcheck.version import __version__

JUDGES = {
    **{name: of_kubernetes(*departing(name, (DEFAULT_PLUGINS,))) for name in OF_PLUGINS},
    CORRECTED.name: of_model(CORRECTED),
}
"""The judge of victims in each profile for which smallest cases are searched."""


@dataclass(frozen=True)
class Smallest(Answer):
    """The smallest cluster on which reprieve evicts worse than necessary.

    found
        The cluster with both victim sets, None if there is none within the bounds; not part of the stable interface.
    """

    profile: str
    found: Worse | None = field(repr=False)

    @property
    def manifests(self) -> list[Json]:
        """The manifests of the cluster; empty if there is none."""
        return [] if self.found is None else snapshot_json(self.found.cluster.snapshot)

    @property
    def ways(self) -> dict[str, tuple[VictimSet, tuple[Any, ...]]]:
        """For reprieve and for the least set, the victims and the casualty."""
        if self.found is None:
            return {}
        sets = (self.found.reprieved, self.found.least)
        return dict(zip(("reprieve", "least"), zip(sets, self.found.casualties, strict=True), strict=True))

    def to_json(self) -> Json:
        """Return the cluster and both victim sets as plain data."""
        return {
            "format": FORMAT,
            "schedcheck": __version__,
            "profile": self.profile,
            "manifests": self.manifests,
            "ways": {
                way: {"victims": [reference(pod) for pod in _ordered(victims)], "casualty": casualty}
                for way, (victims, casualty) in self.ways.items()
            },
        }


def smallest(
    *,
    profile: Profile | str | None = "kubernetes",
    objects: int = 5,
    total: int = 12,
    budget: bool = True,
    limits: Limits | None = None,
) -> Smallest:
    """Find the smallest cluster of at most `objects` objects whose quantities sum to at most `total`.

    budget
        Whether one of the objects may be a disruption budget.

    Raises: InputError, GaveUp.
    """
    name = as_profile(profile).name or "kubernetes"
    if name not in JUDGES:
        raise InputError(f"expected {' or '.join(JUDGES)}", path="profile", value=name)
    with within(limits or Limits()):
        return Smallest(name, search(JUDGES[name], objects, total, budget=budget))


def _ordered(victims: VictimSet) -> list[Pod]:
    return sorted(victims, key=lambda pod: pod.key)
