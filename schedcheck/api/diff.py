"""Whether the production scheduler does what the specification allows: `diff`, `diff_explored`, `Differences`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from frozendict import frozendict

from schedcheck.api.answer import Answer, within
from schedcheck.api.check import CheckResult
from schedcheck.api.controllers import refuse_configured
from schedcheck.api.extensions import Extensions, build, extensions
from schedcheck.api.label_selectors import pending_selected
from schedcheck.api.preparing import (
    Given,
    configured,
    early_scheduler,
    not_of_scenario,
    of_kube_scheduler,
    of_plugins,
    of_scenario,
    of_version,
    prepared,
    scenario_of,
    visible_part,
)
from schedcheck.api.values import SILENT, Limits, Observer, Profile, as_profile, noting
from schedcheck.checker.check import Search
from schedcheck.checker.differential.decisions import Compared, Difference, compared
from schedcheck.checker.differential.exploration import explored
from schedcheck.checker.limits.parameters import parameter
from schedcheck.checker.properties.unknown_property import UnknownProperty
from schedcheck.errors import InputError, Unanswerable
from schedcheck.manifests import Cluster
from schedcheck.manifests.int64 import refuse_beyond_int64
from schedcheck.manifests.looked_at import lost, not_looked_at
from schedcheck.model.production.framework.out_of_tree import PluginError
from schedcheck.model.profiles import has_claims
from schedcheck.model.scenario import Scenario
from schedcheck.report.json.pieces import Json
from schedcheck.report.text.comparison import compared_json
from schedcheck.report.text.explored import explored_json
from schedcheck.report.text.left_aside import left_aside_json
from schedcheck.spec.decisions import Decision
from schedcheck.spec.kubernetes.control_loop import UNMODELLED
from schedcheck.spec.kubernetes.gangs import one_by_one
from schedcheck.spec.objects import Pod
from schedcheck.spec.profiles import departing
from schedcheck.spec.schedulers import CLASSIC, KUBERNETES, PUBLISHED, VARIANTS, Scheduler, profiles_where

Only = frozenset[tuple[str, str]] | None
"""The namespaces and names of the pods that are compared; None for all."""


@dataclass(frozen=True)
class Differences(Answer):
    """The decisions of the production scheduler and of the specification about each pending pod, as if it were alone.

    agreed
        The pods on which they agree, with what both may do.
    differences
        The others; a known divergence may excuse one (`rows`).
    unknown
        The pods about which nothing can be said, each with the reason.
    left, stopped
        How many pods were not compared, and which limit ended the comparison.
    """

    agreed: tuple[tuple[Pod, frozenset[Decision]], ...]
    differences: tuple[Difference, ...]
    unknown: tuple[tuple[Pod, str], ...]
    left: int
    stopped: str
    notes: tuple[str, ...]
    compared: Compared = field(repr=False)
    aside: Scenario = field(repr=False)

    @property
    def unexcused(self) -> tuple[Difference, ...]:
        """The differences that no known divergence excuses."""
        return tuple(each for each in self.differences if not each.excused)

    @property
    def exit_code(self) -> int:
        """1 for a difference, 2 where something is unknown or was not compared, else 0."""
        return 1 if self.unexcused else 2 if self.unknown or self.left else 0

    def to_json(self) -> Json:
        """Return what `schedcheck diff --format json` prints."""
        return compared_json(self.compared) | left_aside_json(self.aside)


@dataclass(frozen=True)
class ExploredResult(CheckResult):
    """The result of an exploration of the production scheduler."""

    def to_json(self) -> Json:
        """Return what `schedcheck diff --explore --format json` prints."""
        return explored_json(self.checked, self.exit_code)


def diff(
    cluster: Cluster,
    *,
    selector: str | None = None,
    namespace: str | None = None,
    profile: Profile | str | None = None,
    plugins: Sequence[Any] = (),
    rules: Sequence[Any] = (),
    limits: Limits | None = None,
    observer: Observer = SILENT,
) -> Differences:
    """Schedule each pending pod alone with the production scheduler, and compare the decision with the specification.

    Under the profile `classic` the production scheduler is the early one, and its scores and victims are judged too.

    selector, namespace
        A label selector as kubectl takes it (`app=web,tier!=test`), and the namespace of the pods; None for all pods.
    plugins, rules
        Out-of-tree plugins and what the specification says of them, beside those of the profile.

    Raises: InputError, Unanswerable, GaveUp.
    """
    limits = limits or Limits()
    with within(limits):
        told, said = noting(observer)
        wanted = pending_selected(cluster.pods, selector, namespace)
        only = None if selector is None and namespace is None else frozenset(pod.key for pod in wanted)
        chosen = of_scenario(cluster, _with(as_profile(profile), plugins, rules))
        made, aside = COMPARING[VARIANTS[chosen.name or "kubernetes"].scheduler](cluster, chosen, told, only)
        return Differences(
            agreed=made.agreed,
            differences=made.differences,
            unknown=made.unknown,
            left=made.left,
            stopped=made.stopped,
            notes=tuple(said),
            compared=made,
            aside=aside,
        )


def _compared(cluster: Cluster, chosen: Profile, observer: Observer, only: Only) -> tuple[Compared, Scenario]:
    """Compare under a profile of kube-scheduler; return the scenario that names what is left aside too."""
    given, more = _given(chosen, observer, cluster, gangs=True)
    cluster = of_version(cluster, given)
    name = of_plugins(chosen)
    for each in more.properties:
        raise InputError(
            f"is a property, which belongs to {parameter('diff_explored')}",
            path=parameter("profile.rules"),
            value=each.name,
        )
    visible = visible_part(cluster, name, given, observer)
    refuse_beyond_int64(visible.pods, visible.nodes)
    aside = early_scheduler(_aside(visible, name), chosen)
    profiles = departing(name, given.plugins)
    build(more.registry, profiles)
    try:
        return compared(visible.snapshot(), *profiles, registry=more.registry, only=only), aside
    except PluginError as error:
        raise InputError(str(error)) from None


def _early(cluster: Cluster, chosen: Profile, observer: Observer, only: Only) -> tuple[Compared, Scenario]:
    """Compare under the profile of early Kubernetes; return the scenario that names what is left aside too."""
    from schedcheck.checker.differential.early import early_compared

    made = prepared(cluster, chosen, observer)
    return early_compared(made.cluster.snapshot(), made.scenario.policy, only), _aside(
        made.cluster, made.scenario.profile
    )


def _refused(cluster: Cluster, chosen: Profile, observer: Observer, only: Only) -> tuple[Compared, Scenario]:
    """Raises: InputError, as no production scheduler follows the published model."""
    if cluster.scenario is not None and of_scenario(cluster, Profile()).name == chosen.name:
        raise not_of_scenario(cluster.scenario, "classic or another profile of kube-scheduler")
    *first, last = profiles_where(lambda scheduler: scheduler.has_plugins or scheduler.has_policy)
    raise InputError(f"expected {', '.join(first)} or {last}", path=parameter("profile"), value=chosen.name)


COMPARING: Mapping[Scheduler, Callable[[Cluster, Profile, Observer, Only], tuple[Compared, Scenario]]] = frozendict(
    {PUBLISHED: _refused, KUBERNETES: _compared, CLASSIC: _early}
)
"""The comparison with the production scheduler of each scheduler."""


def _aside(visible: Cluster, profile: str) -> Scenario:
    """Return a scenario that has only what the profile leaves aside."""
    return Scenario(
        "", (), (), profile=profile, not_looked_at=not_looked_at(visible, profile), lost=lost(visible)
    )  # fmt: skip


def diff_explored(
    cluster: Cluster,
    *,
    profile: Profile | str | None = None,
    properties: Sequence[str] = (),
    lost_calls: int = 0,
    limits: Limits | None = None,
    observer: Observer = SILENT,
) -> ExploredResult:
    """Check every cycle of the production scheduler in every state that it and its cluster can reach.

    properties
        The properties to check; empty checks all.
    lost_calls
        How many calls to the API server may fail.

    Raises: InputError; Unanswerable, also where pods have resource claims; GaveUp.
    """
    limits = limits or Limits()
    with within(limits):
        told, said = noting(observer)
        chosen = as_profile(profile)
        chosen = of_kube_scheduler(cluster, chosen)
        given, more = _given(chosen, told, cluster)
        if any(each.extenders or each.unasked for each in given.plugins):
            raise InputError(
                "expected a configuration without extenders, whose answers are not explored",
                path=parameter("profile.config"),
            )
        if of_plugins(chosen) != "kubernetes":
            raise InputError(
                f"belongs to {parameter('profile')} kubernetes, which the production scheduler follows",
                path=parameter("diff_explored"),
            )
        visible = visible_part(cluster, "kubernetes", given, told)
        scenario = scenario_of(visible, replace(chosen, name="kubernetes"), given, told)
        refuse_configured(scenario, visible)
        if any(has_claims(pod, scenario) and not pod.node_name for pod in scenario.pods):
            raise Unanswerable(UNMODELLED)
        build(more.registry, given.plugins)
        try:
            found = explored(
                scenario,
                registry=more.registry,
                faults=lost_calls,
                rules=more.properties,
                names=tuple(properties),
                bounds=limits.bounds(),
                report=observer.progress,
            )
        except UnknownProperty as error:
            raise InputError(str(error), path=parameter("properties") if properties else "") from None
        except PluginError as error:
            raise InputError(str(error)) from None
        return ExploredResult(tuple(said), found, Search())


def _with(profile: Profile, plugins: Sequence[Any], rules: Sequence[Any]) -> Profile:
    return replace(profile, plugins=(*profile.plugins, *plugins), rules=(*profile.rules, *rules))


def _given(
    profile: Profile, observer: Observer, cluster: Cluster, *, gangs: bool = False
) -> tuple[Given, Extensions]:  # fmt: skip
    """Return the profiles of kube-scheduler and the extensions; note plugins without a rule.

    Raises: InputError, also for gang scheduling of 1.35, in which a pod waits on permit for later ones.
    """
    more = extensions(profile.plugins, profile.rules)
    given = configured(profile, more, profile.ask_extenders, observer, cluster.whole, gangs=gangs)
    if any(map(one_by_one, given.plugins)):
        raise InputError(
            "diff tries each pod once, so gang scheduling of 1.35 is not compared; explain and check model it",
            path=parameter("profile.feature_gates"),
        )
    for note in more.unruled(given.plugins):
        observer.note(note)
    return given, more
