"""The fewest nodes of a shape that must be added so that pods fit: `nodes_needed`, `NodesNeeded`."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from schedcheck.api.answer import Answer, within
from schedcheck.api.capacity import Ready, form_wanted, prepared, question, spent
from schedcheck.api.values import GIGABYTES, SECONDS, SILENT, Limits, Observer, Profile, as_profile, noting
from schedcheck.checker.capacity import crowd as crowds
from schedcheck.checker.capacity.adding import Added, fewest_for, fewest_for_all
from schedcheck.checker.capacity.crowd import Crowd
from schedcheck.checker.capacity.following import NotAllowed
from schedcheck.checker.capacity.question import unanswerable
from schedcheck.checker.capacity.rooms import Unbounded
from schedcheck.checker.limits.parameters import parameter
from schedcheck.errors import InputError, Unanswerable
from schedcheck.manifests import Cluster
from schedcheck.manifests.shapes import PLACE, Shape, daemons
from schedcheck.manifests.shapes import shape as shape_of
from schedcheck.report.json.pieces import Json
from schedcheck.report.json.room import Needed, needed_json
from schedcheck.report.text.left_aside import left_aside_json
from schedcheck.spec.objects import Pod, Snapshot


@dataclass(frozen=True)
class NodesNeeded(Answer):
    """The fewest nodes of a shape that must be added.

    shape
        The shape, with what was filled in.
    of, count
        What the pods are like, and how many are to fit; empty and the number of pending pods if all of these are.
    scheduler, best
        The fewest nodes with which the scheduler places the pods, and with which any choices do; None if not known.
    every_order
        Whether the number for the scheduler holds for every order of ties; else one order was followed.
    enough
        Whether any number is enough: False if none is, None if that is not known.
    hopeless
        Pods for which neither the nodes of the input nor the new ones have room.
    daemons
        The pods of DaemonSets that each new node runs, and that take their room on it.
    """

    shape: str
    of: str
    count: int
    scheduler: int | None
    best: int | None
    every_order: bool
    enough: bool | None
    hopeless: tuple[str, ...]
    daemons: tuple[str, ...]
    notes: tuple[str, ...]
    made: Added = field(repr=False)
    ready: Ready = field(repr=False)

    @property
    def exit_code(self) -> Literal[0, 1, 2]:
        """0 if both numbers are known, 1 if no number is enough, else 2."""
        if self.enough is False:
            return 1
        return 0 if self.scheduler is not None and self.best is not None else 2

    @property
    def told(self) -> Needed:
        """What the text and the JSON are made of; not part of the stable interface."""
        name = self.ready.profile
        return Needed(name, self.shape, self.of, self.count, self.enough, self.daemons, self.made)

    def to_json(self) -> Json:
        """Return what `schedcheck capacity --nodes … --format json` prints."""
        return needed_json(self.told) | left_aside_json(self.ready.aside)


def nodes_needed(
    cluster: Cluster,
    shape: str,
    pod: str | Path = "",
    *,
    namespace: str | None = None,
    count: int | None = None,
    profile: Profile | str | None = None,
    limits: Limits | None = None,
    observer: Observer = SILENT,
) -> NodesNeeded:
    """Say how many nodes of a shape must be added so that `count` more pods like one fit, or every pod that waits.

    shape
        Such as `cpu=4,memory=16Gi,pods=110,label=zone=a,taint=gpu=yes:NoSchedule` or `like=node-1,cpu=8`.
    pod, namespace
        As for `capacity`; only with a `count`. Without one, every pod that waits for a node is to fit.

    A new node runs the pods of the DaemonSets of the cluster that are made for it. No pod is evicted.

    Raises: InputError, Unanswerable, GaveUp.
    """
    limits = limits or Limits(SECONDS, GIGABYTES)
    with within(limits):
        told, said = noting(observer)
        ready = prepared(cluster, as_profile(profile), told)
        wanted = shape_of(shape, ready.snapshot.nodes)
        if bool(pod) != (count is not None):
            both = f"{parameter('pod')} and {parameter('count')}"
            raise InputError(f"expected {both} together, or neither", path=parameter(PLACE))
        try:
            if count is None:
                of, number, made = _all_waiting(ready, wanted, cluster, limits)
            else:
                of, number, made = _like_one(ready, wanted, cluster, (pod, namespace), count, limits)
        except Unbounded:
            raise Unanswerable("no filter of the profile limits how many of these pods a node takes") from None
        except NotAllowed as error:
            raise Unanswerable(f"the placements do not stand before the specification: {error}") from None
        return _answer(wanted, of, number, made, ready, cluster, tuple(said))


def _answer(
    wanted: Shape, of: str, number: int, made: Added, ready: Ready, cluster: Cluster, notes: tuple[str, ...]
) -> NodesNeeded:
    never = made.scheduler.never
    return NodesNeeded(
        shape=str(wanted),
        of=of,
        count=number,
        scheduler=made.scheduler.number,
        best=made.best.number,
        every_order=made.first is None,
        enough=False if never else True if made.scheduler.enough is not None else None,
        hopeless=tuple(str(pod) for pod, _ in made.hopeless),
        daemons=tuple(str(each) for each in _daemons(wanted, 1, ready, cluster)),
        notes=notes,
        made=made,
        ready=ready,
    )


def _daemons(wanted: Shape, number: int, ready: Ready, cluster: Cluster) -> tuple[Pod, ...]:
    nodes = wanted.nodes(number, (node.name for node in ready.snapshot.nodes))
    return daemons(cluster.workloads, nodes, cluster.admits)


def _grown(wanted: Shape, snapshot: Snapshot, ready: Ready, cluster: Cluster) -> Callable[[int], Snapshot]:
    names: Collection[str] = [node.name for node in snapshot.nodes]

    def grown(number: int) -> Snapshot:
        nodes = wanted.nodes(number, names)
        pods = daemons(cluster.workloads, nodes, cluster.admits)
        return replace(
            snapshot,
            pods=tuple(sorted((*snapshot.pods, *pods), key=lambda each: each.key)),
            nodes=tuple(sorted((*snapshot.nodes, *nodes), key=lambda each: each.name)),
        )

    return grown


Wanted = tuple[str | Path, str | None]


def _like_one(
    ready: Ready, wanted: Shape, cluster: Cluster, named: Wanted, count: int, limits: Limits
) -> tuple[str, int, Added]:  # fmt: skip
    like = form_wanted(cluster, *named)
    asked, _ = question(like, ready, count)
    grown = _grown(wanted, asked.snapshot, ready, cluster)
    why = unanswerable(replace(asked, snapshot=grown(1)))
    if why:
        raise Unanswerable(why)
    return like.of, count, fewest_for(asked, grown, spent(limits))


def _all_waiting(ready: Ready, wanted: Shape, cluster: Cluster, limits: Limits) -> tuple[str, int, Added]:
    crowd = waiting(ready)
    grown = _grown(wanted, crowd.snapshot, ready, cluster)
    why = crowds.unanswerable(replace(crowd, snapshot=grown(1)))
    if why:
        raise Unanswerable(why)
    return "", len(crowd.pods), fewest_for_all(crowd, grown, spent(limits))


def waiting(ready: Ready) -> Crowd:
    """Return the pods that wait for a node, without their nominations, and the snapshot without them."""
    pods = tuple(replace(pod, nominated_node_name="") for pod in ready.snapshot.pods if not pod.node_name)
    bound = tuple(pod for pod in ready.snapshot.pods if pod.node_name)
    return Crowd(pods, replace(ready.snapshot, pods=bound), ready.given.plugins)
