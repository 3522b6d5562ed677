"""What happens if manifests are applied to a cluster: `deploy`, `Deployed`."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from schedcheck.api.answer import Answer, within
from schedcheck.api.controllers import beside as beside_controllers
from schedcheck.api.decided import soon, with_decisions
from schedcheck.api.label_selectors import ChosenByLabels
from schedcheck.api.naming import parsed
from schedcheck.api.preparing import of_kube_scheduler, prepared
from schedcheck.api.values import GIGABYTES, SECONDS, SILENT, Limits, Observer, Profile, as_profile, noting
from schedcheck.checker.deploying.deployed import Deployed as Made
from schedcheck.checker.deploying.deployed import deployed
from schedcheck.checker.deploying.question import deploying
from schedcheck.checker.limits.parameters import parameter
from schedcheck.checker.limits.timer import doing
from schedcheck.checker.result import Verdict
from schedcheck.errors import InputError
from schedcheck.manifests import reading
from schedcheck.manifests.applying import OPENSHIFT, SCALED, Applied, applied
from schedcheck.manifests.cuts import part
from schedcheck.manifests.fields import Field
from schedcheck.manifests.identities import Identity
from schedcheck.manifests.of_workloads import KINDS
from schedcheck.manifests.revisions import beyond_pools, waiting, with_whole
from schedcheck.manifests.rollouts import Change, changes
from schedcheck.manifests.seen import why_unseen
from schedcheck.model.rollouts import Rollout
from schedcheck.model.scenario import AUTOSCALER, Scenario
from schedcheck.report.json.deploy import behaviour_json, deployed_json, steps_of_ending
from schedcheck.report.json.pieces import Json
from schedcheck.spec.objects import Pod

MOST_DRAWN = 100_000
"""The most pods of all steps together for which a page draws a behaviour."""

Paths = str | Path | Iterable[str | Path]


@dataclass(frozen=True)
class Deployed(Answer):
    """What happens if manifests are applied: where the pods go, who is evicted, and whether rollouts complete.

    changes
        What becomes of each workload and pod: added, scaled, updated or unchanged; `unknown` says what is not modelled.
    found
        `verdict`, `counted`, `seen` (nodes, numbers and evictions), and `bad`, a behaviour that ends badly.
    hooks
        The hooks of Helm, which were left out.
    """

    changes: tuple[Change, ...]
    found: Made
    hooks: tuple[str, ...]
    notes: tuple[str, ...]
    scenario: Scenario = field(repr=False)

    @property
    def unknown(self) -> tuple[tuple[str, str], ...]:
        """What is not modelled, with the object that it concerns."""
        return tuple((str(each), each.unknown) for each in self.changes if each.unknown)

    @property
    def verdict(self) -> Verdict:
        """HOLDS, VIOLATED, GAVE_UP or UNKNOWN."""
        if self.unknown and self.found.verdict is Verdict.HOLDS:
            return Verdict.UNKNOWN
        return self.found.verdict

    @property
    def exit_code(self) -> Literal[0, 1, 2]:
        """0 if everything is placed and completes in every behaviour, 1 if not in one, 2 if that is not known."""
        return 0 if self.verdict is Verdict.HOLDS else 1 if self.verdict is Verdict.VIOLATED else 2

    def to_json(self) -> Json:
        """Return what `schedcheck deploy --format json` prints."""
        return deployed_json(self.changes, self.found, self.hooks, self.verdict, self.exit_code)

    def detailed(self) -> Json:
        """Return what `to_json` returns, with the behaviour that ends badly step by step, unless it is too long to draw."""
        answer, bad = self.to_json(), self.found.bad
        if bad is not None and len(bad.actions) * len(bad.end.pods) <= MOST_DRAWN:
            answer["bad"] |= behaviour_json(bad)
            trace, taken = answer["bad"]["trace"], steps_of_ending(bad)
            answer["bad"]["trace"] = with_decisions(trace, taken, self.found.asked.scenario, soon())
        return answer


def deploy(
    files: Paths = (),
    *,
    onto: Paths,
    replicas: Mapping[str, int] | None = None,
    selector: str | None = None,
    namespace: str | None = None,
    controllers: Sequence[str] = (),
    profile: Profile | str | None = None,
    limits: Limits | None = None,
    observer: Observer = SILENT,
) -> Deployed:
    """Say what happens if the manifests in `files` are applied to the cluster in `onto`.

    replicas
        Replicas by workload, as `{"deploy/web": 50}` or `{"shop/deploy/web": 50}`, set after the manifests are applied.
    selector
        Apply only the manifests with these labels, as kubectl takes them (`app=web`).
    namespace
        The namespace of manifests that name none, by default `default`.
    controllers
        Controllers that run as well: names, `descheduler=FILE`, `nodePools=FILE`, `karpenter=FILE`. It is
        also asked whether all of them come to rest.

    Nothing else happens meanwhile: only the scheduler, the owners of pods, the kubelets and these controllers act.

    Raises: InputError, Unanswerable, GaveUp.
    """
    limits, chosen = limits or Limits(SECONDS, GIGABYTES), as_profile(profile)
    _refuse_autoscaler(controllers)
    with within(limits):
        told, said = noting(observer)
        doing("reading the input")
        scales = dict(_identity(name, namespace, number) for name, number in (replicas or {}).items())
        with reading():
            chosen_by = None if selector is None else ChosenByLabels(selector)
            given = applied(_paths(files), _paths(onto), namespace=namespace, replicas=scales, chosen=chosen_by)
            if chosen_by is not None:
                chosen_by.refuse_none("manifest")
            cluster, found = changes(given)
        chosen = of_kube_scheduler(cluster, chosen)
        if cluster.scenario is not None:
            with reading():
                _refuse_controllers(cluster.scenario["spec"]["controllers"])
            told.note("the events of the Scenario are not used: nothing but the controllers and the scheduler acts")
        cluster = replace(with_whole(cluster) if controllers else cluster, scenario=None)
        made, running = beside_controllers(prepared(cluster, chosen, told), controllers)
        known = tuple(_seen(each, given, made.scenario, made.given.schedulers) for each in found)
        rollouts = tuple(each.rollout for each in known if each.rollout is not None)
        if running:
            _refuse_beside(made.scenario, rollouts, given)
        singles = (key for each in known if each.what == "added" and not each.unknown for key in each.pods)
        asked = deploying(made.scenario, rollouts, singles, cluster.unready, running)
        return Deployed(
            known, deployed(asked, part, limits.bounds(), observer.progress), given.hooks, tuple(said), made.scenario
        )


ACTING = ("owners", "kubelet")
"""The controllers that act after manifests are applied, whether a Scenario names them or not."""

ONLY = f"only {' and '.join(ACTING)} of a Scenario act after manifests are applied"


def _refuse_controllers(field: Field) -> None:
    """Raises: InputError for a controller of a Scenario that acts and is not taken into account."""
    for item in field.items():
        name = next(iter(item.value), "") if isinstance(item.value, dict) else item.value
        if name not in ACTING:
            raise item.error(
                f"deploy does not model the controller {name}: {ONLY}; {parameter('controllers')} adds others"
            )


def _refuse_beside(scenario: Scenario, rollouts: Sequence[Rollout], given: Applied) -> None:
    """Raises: InputError for a change of a workload that is not modelled beside controllers."""
    place = parameter("controllers")
    if why := beyond_pools(scenario, rollouts):
        raise InputError(why, path=place)
    for rollout in rollouts:
        if waiting((rollout.shown or rollout.kind, rollout.namespace, rollout.name), given):
            raise InputError(f"minReadySeconds of {rollout} is {IN_CHECK}", path=place)


IN_CHECK = "not modelled here; check takes it together with the event apply of a Scenario"


def _refuse_autoscaler(controllers: Sequence[str]) -> None:
    """Raises: InputError for the autoscaler of pods, whose objects are read here for the replicas of manifests alone."""
    for text in controllers:
        if text.partition("=")[0] == AUTOSCALER:
            raise InputError(IN_CHECK, path=parameter("controllers"), value=text)


def _paths(given: Paths) -> tuple[str | Path, ...]:
    return (given,) if isinstance(given, (str, Path)) else tuple(given)


def _identity(text: str, namespace: str | None, number: int) -> tuple[Identity, int]:
    """Return the workload that a text names, and its replicas. Raises: InputError."""
    named = parsed(text, namespace, lambda *_: False, KINDS, "Pod", parameter("replicas"))
    known = "Deployment" if named.kind == OPENSHIFT else named.kind
    if known not in SCALED:
        expected = "expected a workload with replicas, as deploy/web or shop/sts/db"
        raise InputError(expected, path=parameter("replicas"), value=text)
    if number < 0:
        raise InputError("expected a number of pods", path=parameter("replicas"), value=f"{text}={number}")
    return (known, named.namespace, named.name), number


def _seen(change: Change, given: Applied, scenario: Scenario, schedulers: frozenset[str]) -> Change:
    """Return the change, unknown and without its pods if this scheduler does not see them."""
    there = {pod.key for pod in scenario.pods}
    if change.rollout is not None:
        former = tuple(pod for pod in change.rollout.former if pod.key in there)
        change = replace(change, rollout=replace(change.rollout, former=former))
    keys = {form.key for form in change.rollout.forms} if change.rollout else set(change.pods)
    if not keys - there or change.what == "unchanged":
        return change
    unseen = min(keys - there)
    pod = next((each for each in (*given.after.pods, *_forms(change)) if each.key == unseen), None)
    why = why_unseen(pod, given.after, schedulers) if pod is not None else ""
    return replace(change, rollout=None, pods=(), unknown=change.unknown or f"its pods are {why or 'not seen'}")


def _forms(change: Change) -> Iterable[Pod]:
    return change.rollout.forms if change.rollout else ()
