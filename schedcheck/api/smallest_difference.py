"""The smallest cluster on which two schedulers decide differently: `smallest_difference`, `SmallestDifference`."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

from schedcheck.api.answer import Answer, within
from schedcheck.api.compare import Command, Comparison, PodDifference, comparable, compare, difference_json, side_json
from schedcheck.api.preparing import prepared
from schedcheck.api.values import SILENT, Limits, Observer, Profile, noting
from schedcheck.checker.divergences.case import Case
from schedcheck.checker.divergences.comparing import COMPARED, Searched, first_difference
from schedcheck.manifests import Cluster
from schedcheck.manifests.snapshots import snapshot_manifests
from schedcheck.model.profiles import profile_of
from schedcheck.report.json.pieces import FORMAT, Json
from schedcheck.spec.decisions import Decision
from schedcheck.spec.objects import Snapshot
from schedcheck.spec.profiles import Profile as Model
from schedcheck.version import __version__


@dataclass(frozen=True)
class SmallestDifference(Answer):
    """The smallest cluster of given domains on which two schedulers decide differently.

    difference
        What the two do with the pod of the cluster, and why; None if no cluster differs.
    manifests
        The cluster; empty if no cluster differs.
    clusters
        How many clusters were compared before it, or in all.
    objects, quantities
        Without a difference: every cluster of the domains up to this number of objects, and with so many up to this sum
        of quantities, was compared.
    domains
        The domains in words.
    unknown
        How many of the clusters depend on something that is not known.
    stopped
        The limit that ended the search; empty if every cluster was compared.
    """

    first: Profile | Command
    second: Profile | Command
    difference: PodDifference | None
    manifests: tuple[Json, ...] = field(repr=False)
    clusters: int
    objects: int
    quantities: int
    domains: tuple[str, ...] = field(repr=False)
    unknown: int
    stopped: str
    notes: tuple[str, ...]

    @property
    def exit_code(self) -> Literal[0, 1, 2]:
        """1 for a difference, 2 if a limit or something unknown left clusters, else 0."""
        return 1 if self.difference is not None else 2 if self.stopped or self.unknown else 0

    def to_json(self) -> Json:
        """Return what `schedcheck compare --smallest --format json` prints."""
        return {
            "format": FORMAT,
            "schedcheck": __version__,
            "exitCode": self.exit_code,
            "first": side_json(self.first),
            "second": side_json(self.second),
            "difference": None if self.difference is None else difference_json(self.difference),
            "manifests": list(self.manifests),
            "clusters": self.clusters,
            "covered": {"objects": self.objects, "quantities": self.quantities, "domains": list(self.domains)},
            "unknown": self.unknown,
            "stopped": self.stopped or None,
        }


def smallest_difference(
    first: Profile | str | None,
    second: Profile | str | None,
    *,
    limits: Limits | None = None,
    observer: Observer = SILENT,
) -> SmallestDifference:
    """Find the smallest cluster on which two schedulers allow different decisions, by trying every cluster of a domain.

    Raises: InputError, GaveUp.
    """
    with within(limits or Limits()):
        told, said = noting(observer)
        chosen = comparable(first), comparable(second)
        models = [_model(each, told) for each in chosen]
        name = common_name(models)
        if len({plugins.scheduler_name for each in models for plugins in each.plugins}) > 1:
            told.note(
                f"compared is the profile of schedulerName {name}, or the first profile of a configuration without it"
            )
        found = first_difference(_decides(models[0], name), _decides(models[1], name))

        def explained(cluster: Cluster) -> Comparison:
            return compare(cluster, *chosen)

        return answered(chosen, found, name, explained, tuple(said))


def answered(
    sides: tuple[Profile | Command, Profile | Command],
    found: Searched,
    name: str,
    explained: Callable[[Cluster], Comparison],
    notes: tuple[str, ...],
) -> SmallestDifference:
    """Return the result of a search among cases whose pod has this scheduler name, with its cluster `explained`."""
    difference: PodDifference | None = None
    manifests: tuple[Json, ...] = ()
    if found.case is not None:
        case = named(found.case, name)
        differences = explained(_cluster(case.snapshot)).differences
        difference = next((each for each in differences if each.pod.key == case.pod.key), None)
        manifests = tuple(snapshot_manifests(case.snapshot))
    return SmallestDifference(
        *sides,
        difference=difference,
        manifests=manifests,
        clusters=found.before,
        objects=found.size[0],
        quantities=found.size[1],
        domains=tuple(each.says for each in COMPARED),
        unknown=found.unknown,
        stopped=found.stopped,
        notes=notes,
    )


def _model(profile: Profile, observer: Observer) -> Model:
    """Return the scheduler of the profile, which needs no cluster."""
    return profile_of(prepared(Cluster(), profile, observer).scenario)


def common_name(models: list[Model]) -> str:
    """Return the first scheduler name that both have, else that of the first profile; the early one has any name."""
    named = [[each.scheduler_name for each in model.plugins] for model in models if model.plugins]
    common = [name for name in named[0] if all(name in each for each in named)] if named else []
    return next(iter([*common, *(named[0] if named else ())]), "default-scheduler")


def named(case: Case, name: str) -> Case:
    """Return the case with its pod for the scheduler of this name."""
    if case.pod.scheduler_name == name:
        return case
    pod = replace(case.pod, scheduler_name=name)
    there = tuple(pod if each == case.pod else each for each in case.snapshot.pods)
    return Case(pod, replace(case.snapshot, pods=there))


def _decides(model: Model, name: str) -> Callable[[Case], frozenset[Decision]]:
    def decided(case: Case) -> frozenset[Decision]:
        each = named(case, name)
        return model.decision(each.pod, each.snapshot, model)

    return decided


def _cluster(snapshot: Snapshot) -> Cluster:
    return Cluster(
        pods=snapshot.pods,
        nodes=snapshot.nodes,
        namespaces=snapshot.namespaces,
        budgets=snapshot.budgets,
        storage=snapshot.storage,
    )
