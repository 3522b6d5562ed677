"""How many more pods like one fit into a cluster, and what stops the next one: `capacity`, `Capacity`."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from schedcheck.api.answer import Answer, within
from schedcheck.api.naming import form_named
from schedcheck.api.preparing import Given, configured, extended, ignored, of_kube_scheduler, of_plugins, visible_part
from schedcheck.api.values import GIGABYTES, SECONDS, SILENT, Limits, Observer, Profile, as_profile, noting
from schedcheck.checker.capacity.capacity import Capacity as Made
from schedcheck.checker.capacity.capacity import capacity as number_of
from schedcheck.checker.capacity.following import NotAllowed
from schedcheck.checker.capacity.likes import form
from schedcheck.checker.capacity.question import Question, unanswerable
from schedcheck.checker.capacity.rooms import Unbounded
from schedcheck.checker.capacity.stopping import event
from schedcheck.checker.limits.effort import Effort, Spent
from schedcheck.errors import Unanswerable
from schedcheck.manifests import Cluster
from schedcheck.manifests.forms import Form, form_in
from schedcheck.manifests.int64 import refuse_beyond_int64
from schedcheck.manifests.looked_at import lost
from schedcheck.model.scenario import Scenario
from schedcheck.report.json.capacity import capacity_json
from schedcheck.report.json.pieces import Json
from schedcheck.report.text.left_aside import left_aside_json
from schedcheck.report.text.terminal import counted
from schedcheck.spec.binding import completed
from schedcheck.spec.objects import Pod, Snapshot
from schedcheck.spec.profiles import by_scheduler_name, departing


@dataclass(frozen=True)
class Ready:
    """A cluster and a profile of kube-scheduler: what the scheduler sees, and what the answer says beside."""

    snapshot: Snapshot
    profile: str
    given: Given
    aside: Scenario


@dataclass(frozen=True)
class Capacity(Answer):
    """How many more pods of one form fit, by the scheduler's decisions and by any other choice of nodes.

    least, greatest
        The numbers that the scheduler may end with, over all orders of ties, at most as many as asked for; None if
        one order of ties was followed. That order ended with `followed`.
    best, proved
        The greatest number that is known to fit, and whether no choice of nodes places more.
    fits
        Whether the scheduler places as many as asked for; None if that is not known.
    by_node
        The number of pods on each node, in every order or in the order that was followed; None if not known.
    event
        The text of the event of the next pod; empty if as many as asked for were placed.
    made, ready
        What this was made of; not part of the stable interface.
    """

    pod: Pod
    of: str
    least: int | None
    greatest: int | None
    followed: int | None
    best: int
    proved: bool
    fits: bool | None
    by_node: Mapping[str, int] | None
    event: str
    notes: tuple[str, ...]
    made: Made = field(repr=False)
    ready: Ready = field(repr=False)
    beside: tuple[tuple[str, str], ...] = field(repr=False, default=())

    @property
    def exit_code(self) -> Literal[0, 1, 2]:
        """With a number asked for: 0 if so many fit, 1 if not. Without: 0. 2 if that is not known."""
        if self.made.asked.most is not None:
            return 2 if self.fits is None else 0 if self.fits else 1
        return 0 if self.made.known else 2

    def to_json(self) -> Json:
        """Return what `schedcheck capacity --format json` prints."""
        return capacity_json(self.made, self.of, self.ready.profile, self.beside) | left_aside_json(self.ready.aside)


def capacity(
    cluster: Cluster,
    pod: str | Path,
    *,
    namespace: str | None = None,
    count: int | None = None,
    profile: Profile | str | None = None,
    limits: Limits | None = None,
    observer: Observer = SILENT,
) -> Capacity:
    """Say how many more pods like this one fit, placed one after another without preemption, and what stops the next.

    pod
        A pod or workload, as kubectl takes names: `web-1`, `shop/web-1`, `pod/web-1`, `deploy/web`. Or the Path of a
        file that holds a single pod or workload.
    namespace
        The namespace of a name or manifest that says none; else `default`.
    count
        Ask whether so many more fit; else as many as fit.

    Everything in the cluster counts as being there. Other pods that wait are not placed first.

    Raises: InputError, Unanswerable, GaveUp.
    """
    limits = limits or Limits(SECONDS, GIGABYTES)
    with within(limits):
        told, said = noting(observer)
        ready = prepared(cluster, as_profile(profile), told)
        like = form_wanted(cluster, pod, namespace)
        refuse_beyond_int64((like.pod,), ())
        asked, beside = question(like, ready, count)
        made = answered(asked, spent(limits))
        return Capacity(
            pod=asked.pod,
            of=like.of,
            least=made.least,
            greatest=made.greatest,
            followed=None if made.followed is None else len(made.followed.hosts),
            best=made.best.reached,
            proved=made.best.proved,
            fits=made.fits,
            by_node=made.by_node,
            event=event(asked, made.stops) if made.stops else "",
            notes=tuple(said),
            made=made,
            ready=ready,
            beside=beside,
        )


def spent(limits: Limits) -> Spent:
    """Return the effort that the limits allow."""
    return Spent(Effort(limits.rounds, limits.seconds or SECONDS, limits.memory or GIGABYTES))


def answered(asked: Question, effort: Spent) -> Made:
    """Return the numbers. Raises: Unanswerable."""
    why = unanswerable(asked)
    if why:
        raise Unanswerable(why)
    try:
        return number_of(asked, effort)
    except Unbounded:
        raise Unanswerable("no filter of the profile limits how many of these pods a node takes") from None
    except NotAllowed as error:
        raise Unanswerable(f"the placements do not stand before the specification: {error}") from None


def prepared(cluster: Cluster, profile: Profile, observer: Observer) -> Ready:
    """Return the cluster as the schedulers see it. Raises: InputError, Unanswerable."""
    profile = of_kube_scheduler(cluster, profile)
    name = of_plugins(profile)
    given = configured(profile, extended(profile), profile.ask_extenders, observer, cluster.whole)
    visible = visible_part(cluster, name, given, observer)
    refuse_beyond_int64(visible.pods, visible.nodes)
    aside = Scenario("", (), (), profile=name, not_looked_at=ignored(visible, name, given), lost=lost(visible))
    nodes = {node.name for node in visible.nodes}
    snapshot = visible.snapshot()
    seen = (pod for pod in snapshot.pods if not completed(pod) and pod.node_name in {"", *nodes})
    given = replace(given, plugins=tuple(departing(name, given.plugins)))
    return Ready(replace(snapshot, pods=tuple(seen)), name, given, aside)


def form_wanted(cluster: Cluster, pod: str | Path, namespace: str | None) -> Form:
    """Return the form of the pods that are asked about. Raises: InputError."""
    if isinstance(pod, Path):
        return form_in(pod, namespace, cluster.admits)
    return form_named(pod, namespace, cluster)


def question(like: Form, ready: Ready, count: int | None) -> tuple[Question, tuple[tuple[str, str], ...]]:
    """Return the question how many pods of this form fit, and what it takes for granted. Raises: Unanswerable."""
    node = like.pod.template_node_name
    if node:
        raise Unanswerable(f"pods like those of {like.of} name their node, {node}, so that no scheduler places them")
    pending = not like.pod.node_name
    pods = tuple(pod for pod in ready.snapshot.pods if not (pending and pod.key == like.pod.key))
    snapshot = replace(ready.snapshot, pods=pods)
    plugins = by_scheduler_name(like.pod, ready.given.plugins)
    asked = Question(replace(form(like.pod), scheduling_gates=()), snapshot, plugins, count)
    return asked, tuple(_granted(like, ready, asked))


def _granted(like: Form, ready: Ready, asked: Question) -> list[tuple[str, str]]:
    waiting = sum(not pod.node_name for pod in asked.snapshot.pods)
    found = []
    if waiting:
        found.append(("Waiting", f"{counted(waiting, 'other pod')} not placed first"))
    if like.pod.scheduling_gates:
        found.append(("Gates", "the pods are taken without their scheduling gates"))
    if like.pod.scheduler_name not in ready.given.schedulers:
        found.append(
            (
                "Not seen",
                f"the pods wait for the scheduler {like.pod.scheduler_name}; judged by {asked.plugins.scheduler_name}",
            )
        )
    return found
