"""Problems of a cluster, or of a configuration of kube-scheduler, found without exploring: `lint`, `Lint`."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from frozendict import frozendict

from schedcheck.api.answer import Answer, within
from schedcheck.api.label_selectors import label_selector, selected
from schedcheck.api.linted import beside, lint_report
from schedcheck.api.preparing import configured, extended, of_plugins, of_scenario
from schedcheck.api.values import SILENT, Limits, Observer, Profile, as_profile, noting
from schedcheck.checker.limits.parameters import parameter
from schedcheck.checker.limits.timer import reason
from schedcheck.errors import InputError
from schedcheck.findings.baseline import Known, baseline_text, known
from schedcheck.findings.finding import Finding, Severity, Thing, Undecided
from schedcheck.findings.rules import CONFIGURATION, RULES, findings
from schedcheck.findings.subjects import template_labels
from schedcheck.manifests import Cluster
from schedcheck.manifests.configuration_errors import configuration_errors
from schedcheck.manifests.int64 import refuse_beyond_int64
from schedcheck.manifests.names import nearest_three
from schedcheck.manifests.of_workloads import owner
from schedcheck.manifests.spots import Spot
from schedcheck.manifests.workloads import Workload
from schedcheck.report.ci.case import Report
from schedcheck.report.json.pieces import FORMAT, Json
from schedcheck.spec.budgets import protects
from schedcheck.spec.faults import NO_FAULTS
from schedcheck.spec.kubernetes.plugins import Plugins
from schedcheck.spec.objects import Pod
from schedcheck.spec.profiles import departing
from schedcheck.spec.schedulers import VARIANTS
from schedcheck.spec.selectors import selects
from schedcheck.version import __version__


@dataclass(frozen=True)
class Lint(Answer):
    """The findings about a cluster and its scheduler's configuration, errors first; with a baseline the new ones.

    undecided
        What a rule cannot tell, because it depends on something that is not modelled or that the input lacks.
    strict
        Whether warnings count as errors do.
    stopped
        The limit that left rules unasked; empty if all were asked.
    known, gone
        With a baseline: the findings that it has, and those of it that have gone (None without a baseline).
    """

    findings: tuple[Finding, ...]
    undecided: tuple[Undecided, ...]
    strict: bool
    stopped: str
    notes: tuple[str, ...]
    known: tuple[Finding, ...] = ()
    gone: tuple[Known, ...] | None = None
    spots: Mapping[tuple[str, str, str], Spot] = field(default_factory=frozendict, repr=False, compare=False)
    config: str | None = field(default=None, repr=False, compare=False)
    ignored: tuple[str, ...] = field(default=(), repr=False, compare=False)
    namespace: str | None = field(default=None, repr=False, compare=False)
    whole: bool = field(default=True, repr=False, compare=False)

    @property
    def exit_code(self) -> Literal[0, 1, 2]:
        """1 for an error, or if `strict` a warning; 2 where something is unknown or a limit was reached; else 0."""
        failing = {Severity.ERROR, Severity.WARNING} if self.strict else {Severity.ERROR}
        return (
            1 if any(each.severity in failing for each in self.findings) else 2 if self.undecided or self.stopped else 0
        )

    def to_json(self) -> Json:
        """Return what `schedcheck lint --format json` prints."""
        number = Counter(each.severity for each in self.findings)
        return {
            "format": FORMAT,
            "schedcheck": __version__,
            "exitCode": self.exit_code,
            "strict": self.strict,
            "counts": {each.value: number[each] for each in Severity},
            "findings": [_finding_json(each) for each in self.findings],
            "unknown": [
                {"rule": each.rule, "object": _thing_json(each.thing), "why": each.why} for each in self.undecided
            ],
            "stopped": self.stopped or None,
            "baseline": None
            if self.gone is None
            else {
                "known": [_finding_json(each) for each in self.known],
                "gone": [each._asdict() for each in self.gone],
            },
        }

    def report(self) -> Report:
        """Return the answer for the formats of continuous integration, with the lines of the manifests."""
        return lint_report(self, self.spots, self.config, self.ignored)

    def beside(self, baseline: str | Path) -> "Lint":
        """Return the answer beside the file of a baseline: its findings are known, and fail no more. Raises: InputError."""
        found = (*self.findings, *self.known)
        new, old, gone = beside(found, self.undecided, known(baseline), self.ignored, self.namespace, self.whole)
        return replace(self, findings=new, known=old, gone=gone)

    def baseline(self) -> str:
        """Return the text of a baseline with all these findings."""
        return baseline_text((*self.findings, *self.known), __version__)


def lint(
    cluster: Cluster | None = None,
    *,
    profile: Profile | str | None = None,
    ignore: Sequence[str] = (),
    strict: bool = False,
    selector: str | None = None,
    namespace: str | None = None,
    limits: Limits | None = None,
    observer: Observer = SILENT,
) -> Lint:
    """Find what cannot work in a cluster, and in the configuration of the profile: one finding for each cause.

    cluster
        None looks at the configuration alone.
    ignore
        The rules whose findings are left out.
    strict
        Whether warnings count as errors do.
    selector
        Labels as kubectl takes them (`app=web`): findings about the pods and workloads that have them, the workloads whose
        template has them, the owners of these, and their budgets are kept.
    namespace
        The namespace of the objects whose findings are kept; None for all objects.

    Raises: InputError, Unanswerable, GaveUp.
    """
    with within(limits or Limits()):
        told, said = noting(observer)
        chosen = as_profile(profile)
        named = chosen if cluster is None else of_scenario(cluster, chosen)
        # A cluster is looked at as kube-scheduler sees it, whatever other scheduler its scenario is about.
        if VARIANTS[named.name or "kubernetes"].scheduler.has_plugins:
            chosen = named
        elif named.name != chosen.name:
            told.note(
                f"the scenario is about the profile {named.name}; lint looks at the cluster as kube-scheduler does"
            )
        name = of_plugins(chosen)
        for rule in ignore:
            if rule not in RULES:
                raise InputError(f"expected one of {', '.join(RULES)}", path=parameter("ignore"), value=rule)
        if namespace is not None:
            _known(namespace, cluster)
        wanted = None if selector is None else _wanted(selector, namespace, cluster)
        refused = _refused(chosen)
        found: list[Finding | Undecided] = [*refused]
        stopped = ""
        if cluster is not None:
            asked = findings(cluster, () if refused else _profiles(cluster, name, chosen, told))
            try:
                found.extend(asked)
            except KeyboardInterrupt as end:
                stopped = reason(end)
        kept = [
            each
            for each in found
            if each.rule not in ignore
            and (
                each in refused
                or (
                    namespace in (None, each.thing.namespace)
                    and (wanted is None or (each.thing.kind, each.thing.namespace, each.thing.name) in wanted)
                )
            )
        ]
        order = list(Severity)
        new = tuple(
            sorted((each for each in kept if isinstance(each, Finding)), key=lambda each: order.index(each.severity))
        )
        undecided = tuple(each for each in kept if isinstance(each, Undecided))
        return Lint(
            findings=new,
            undecided=undecided,
            strict=strict,
            stopped=stopped,
            notes=tuple(said),
            spots=frozendict() if cluster is None else cluster.spots,
            config=None if chosen.config is None else str(chosen.config),
            ignored=tuple(ignore),
            namespace=namespace,
            whole=not stopped and selector is None and cluster is not None,
        )


def _known(namespace: str, cluster: Cluster | None) -> None:
    """Raises: InputError with the three nearest if the input has no object of this namespace."""
    known: list[str] = []
    if cluster is not None:
        owned = {each.namespace for each in cluster.workloads} | {each.namespace for each in cluster.budgets}
        known = sorted({each.namespace for each in cluster.pods} | owned)
    if namespace not in known:
        near = nearest_three(namespace, known)
        raise InputError(f"no object is in this namespace{near}", path=parameter("namespace"), value=namespace)


def _wanted(selector: str, namespace: str | None, cluster: Cluster | None) -> frozenset[tuple[str, str, str]]:
    """Return kind, namespace and name of the selected pods and workloads, of the owners of both, and of their budgets.

    A workload is selected by its own labels or by those of its template, so that it needs no pods in the input.

    Raises: InputError if nothing is selected.
    """
    there = Cluster() if cluster is None else cluster
    workloads = _selected_workloads(there.workloads, selector, namespace)
    try:
        pods = selected(there.pods, selector, namespace)
    except InputError:
        if not workloads:
            raise
        pods = []
    makers = {(pod.namespace, *owner(pod)) for pod in pods} | {
        (each.namespace, each.kind, each.name) for each in workloads
    }
    owned = {
        (each.namespace, *owner(each))
        for each in there.workloads
        if (each.namespace, each.kind, each.name) in makers and each.owner[1]
    }
    forms = [*pods, *(Pod("", namespace=each.namespace, labels=template_labels(each)) for each in workloads)]
    budgets = {each.key for each in there.budgets if any(protects(each, pod) for pod in forms)}
    return frozenset(
        {
            *(("Pod", *pod.key) for pod in pods),
            *((kind, space, name) for space, kind, name in makers | owned),
            *(("PodDisruptionBudget", *key) for key in budgets),
        }
    )


def _selected_workloads(workloads: Iterable[Workload], selector: str, namespace: str | None) -> list[Workload]:
    """Return the workloads of this namespace of which the own labels or those of the template are selected."""
    wanted = label_selector(selector, parameter("selector"))
    return [
        each
        for each in workloads
        if namespace in (None, each.namespace)
        and any(selects(wanted, labels, NO_FAULTS) for labels in (each.labels, template_labels(each)))
    ]


def _refused(profile: Profile) -> tuple[Finding, ...]:
    """Return a finding for each error of the configuration."""
    if profile.config is None:
        return ()
    more = extended(profile)
    file = Path(profile.config).name
    given = configuration_errors(profile.config) if more is None else configuration_errors(profile.config, more.offered)
    thing = Thing("KubeSchedulerConfiguration", "", file)
    return tuple(
        Finding(
            CONFIGURATION,
            Severity.ERROR,
            thing,
            each.path,
            f"kube-scheduler refuses the field: {each.why}{'' if each.why.endswith('?') else '.'}",
            detail=each.why,
        )
        for each in given
    )


def _profiles(cluster: Cluster, name: str, profile: Profile, observer: Observer) -> tuple[Plugins, ...]:
    """Return the profiles of the scheduler, and note what the input lacks."""
    for note in cluster.notes:
        observer.note(note)
    if not cluster.nodes:
        observer.note("no nodes in the input, so that no rule asks where a pod fits")
    refuse_beyond_int64(cluster.pods, cluster.nodes)
    given = configured(profile, extended(profile), profile.ask_extenders, observer, cluster.whole)
    return departing(name, given.plugins)


def _finding_json(each: Finding) -> Json:
    return {
        "rule": each.rule,
        "severity": each.severity.value,
        "object": _thing_json(each.thing),
        "field": each.field,
        "sentence": each.sentence,
        "witness": list(each.witness),
        "changes": [{"steps": list(change.steps), "nodes": list(change.nodes)} for change in each.changes],
    }


def _thing_json(thing: Thing) -> Json:
    return {"kind": thing.kind, "namespace": thing.namespace or None, "name": thing.name}
