"""What happens in a cluster over time, in many simulated runs: `simulate`, `Simulated`."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from schedcheck.api.answer import Answer, within
from schedcheck.api.label_selectors import selected
from schedcheck.api.machines import cluster_address
from schedcheck.api.preparing import Given, configured, ignored, of_scenario
from schedcheck.api.values import SILENT, Limits, Observer, Profile, as_profile, noting
from schedcheck.checker.limits.parameters import parameter
from schedcheck.checker.machines.machines import ClusterFailed, Machines
from schedcheck.checker.simulating.measuring import workload_of
from schedcheck.checker.simulating.running import Asked, Finding, Run
from schedcheck.checker.simulating.runs import runs as simulated
from schedcheck.checker.simulating.summary import Outcome, Summary, findings, summary
from schedcheck.errors import GaveUp, InputError
from schedcheck.manifests import Cluster, seen
from schedcheck.manifests.arriving import traits
from schedcheck.manifests.durations import nanoseconds
from schedcheck.manifests.int64 import refuse_beyond_int64
from schedcheck.manifests.looked_at import lost
from schedcheck.manifests.timelines import Timeline, timeline
from schedcheck.model.production.queue.queued_pod import Backoff
from schedcheck.model.scenario import Scenario
from schedcheck.model.simulation.delays import Delay
from schedcheck.model.simulation.timeline import Start, Traits
from schedcheck.report.json.pieces import Json
from schedcheck.report.json.simulation import simulation_json
from schedcheck.report.text.left_aside import left_aside_json
from schedcheck.spec.profiles import departing

NAME = "kubernetes"
ENGINES = ("processes", "ray")
AFTERWARDS = 600.0
"""The seconds that a simulation goes on after the last event of its timeline, if no end is given."""


@dataclass(frozen=True)
class Sample:
    """Which runs are made, which of their decisions are judged, and which workloads the summary lists.

    A run follows from the seed and its number alone.

    runs, only, seed
        How many runs; or the number of the only one, which is told step by step.
    judge
        How many decisions of each run are judged by the specification: a random sample, or all if there are no more.
    cores
        How many runs at once; by default as many as there are cores. The answer does not depend on it.
    engine, address
        "processes" on this machine, or "ray": on the machines of the Ray cluster at this address; None starts one on this
        machine. The answer does not depend on it.
    selector, namespace
        Only workloads that have a pod with these labels, as kubectl takes them (`app=web`), in this namespace; None for all.
    """

    runs: int = 5
    only: int | None = None
    seed: int = 0
    judge: int = 10
    cores: int | None = None
    selector: str | None = None
    namespace: str | None = None
    engine: str = "processes"
    address: str | None = None

    def machines(self) -> Machines | None:
        """Return the machines of the engine "ray"; None for processes. Raises: InputError."""
        if self.engine not in ENGINES:
            raise InputError(f"expected {' or '.join(ENGINES)}", path=parameter("sample.engine"), value=self.engine)
        if self.engine == "ray":
            return Machines(cluster_address(self.address, "sample.address"), self.cores or 0)
        if self.address is not None:
            raise InputError('belongs to the engine "ray"', path=parameter("sample.address"))
        return None

    def numbers(self) -> tuple[int, ...]:
        """Return the numbers of the runs. Raises: InputError."""
        least = {"runs": 1, "only": 0, "seed": 0, "judge": 0, "cores": 1}
        for name, bound in least.items():
            value = getattr(self, name)
            if value is not None and value < bound:
                raise InputError(
                    f"expected a number of at least {bound}", path=parameter(f"sample.{name}"), value=value
                )
        return tuple(range(self.runs)) if self.only is None else (self.only,)


@dataclass(frozen=True)
class Simulated(Answer):
    """What a sample of runs came to. It holds for these runs only: others may end otherwise.

    runs
        The runs, also those that a limit stopped before their end.
    asked
        The numbers of the runs that were asked for.
    summary
        All runs together.
    findings
        The judged decisions that the specification does not allow, and that no divergence excuses.
    stopped
        Why not all runs reached their end; empty if all did.
    until, seed, delays
        The end in seconds, the seed, and the bounds from which the delays were drawn.
    """

    runs: tuple[Run, ...]
    asked: tuple[int, ...]
    summary: Summary
    findings: tuple[Finding, ...]
    stopped: str
    until: float
    seed: int
    delays: Mapping[str, Delay]
    notes: tuple[str, ...]
    outcome: Outcome = field(repr=False)
    aside: Scenario = field(repr=False)

    @property
    def unknown(self) -> bool:
        """Whether a decision of a sample could not be judged."""
        return any(run.unknown or run.judged < run.sample for run in self.runs)

    @property
    def exit_code(self) -> Literal[0, 1, 2]:
        """1 if a judged decision is not allowed, 2 if a limit stopped the runs or a decision is unknown, else 0."""
        return 1 if self.findings else 2 if self.stopped or self.unknown else 0

    def to_json(self) -> Json:
        """Return what `schedcheck simulate --format json` prints."""
        found = simulation_json(self.outcome)
        return found | {"exitCode": self.exit_code, **left_aside_json(self.aside)}


def simulate(
    cluster: Cluster,
    events: str | Path | None = None,
    *,
    until: str | float | None = None,
    sample: Sample = Sample(),
    profile: Profile | str | None = None,
    limits: Limits | None = None,
    observer: Observer = SILENT,
) -> Simulated:
    """Let the production scheduler run on a simulated clock, with controllers, kubelets and a timeline of events.

    events
        A file with a Timeline; without it the pending pods are scheduled, and nothing else happens.
    until
        The end, as a duration (`30m`) or in seconds; by default that of the timeline, else 10 minutes after its last event.
    sample
        Which runs are made, from which seed, how many of their decisions are judged, and what is listed.

    Raises: InputError, GaveUp.
    """
    limits = limits or Limits()
    with within(limits):
        told, said = noting(observer)
        numbers, machines = sample.numbers(), sample.machines()
        given, backoff = _scheduler(_of_scenario(cluster, as_profile(profile)), told)
        if cluster.scenario is not None:
            told.note("the events of the Scenario are not used; a simulation has a Timeline")
        visible = seen(cluster, given.schedulers)
        for note in visible.notes:
            told.note(note)
        refuse_beyond_int64(visible.pods, visible.nodes)
        of_pods = traits(replace(visible, pods=(*visible.pods, *visible.lost)))
        listed = _listed(visible, of_pods, sample.selector, sample.namespace)
        planned = timeline(events, visible) if events is not None else Timeline()
        start = Start(
            visible.snapshot(*visible.lost),
            _end(until, planned),
            planned.events,
            of_pods,
            tuple(departing(NAME, given.plugins)),
            backoff,
            planned.delays,
        )
        asked = Asked(sample.seed, sample.judge, limits.memory, story=sample.only is not None)
        try:
            found, stopped = simulated(start, numbers, asked, sample.cores, machines)
        except ClusterFailed as reason:
            raise InputError(str(reason)) from None
    if not found:
        raise GaveUp(f"gave up at {stopped}" if stopped != "interrupted" else stopped)
    together = summary(found)
    if listed is not None:
        together = replace(together, workloads=tuple(each for each in together.workloads if each.name in listed))
    outcome = Outcome(start, numbers, sample.seed, found, stopped, together)
    return Simulated(
        runs=found,
        asked=numbers,
        summary=outcome.together,
        findings=findings(found),
        stopped=stopped,
        until=start.until,
        seed=sample.seed,
        delays=start.delays.bounds,
        notes=tuple(said),
        outcome=outcome,
        aside=Scenario("", (), (), profile=NAME, not_looked_at=ignored(visible, NAME, given), lost=lost(visible)),
    )


def _listed(
    visible: Cluster, of_pods: Mapping[tuple[str, str], Traits], selector: str | None, namespace: str | None
) -> frozenset[str] | None:
    """Return the names of the workloads that are listed; None for all. Raises: InputError if no pod is selected."""
    if selector is None and namespace is None:
        return None
    pods = selected((*visible.pods, *visible.lost), selector, namespace)
    return frozenset(workload_of(pod, of_pods[pod.key].of) for pod in pods)


def _of_scenario(cluster: Cluster, profile: Profile) -> Profile:
    """Return the profile with that of the scenario. Raises: InputError where that one is not simulated."""
    meant = of_scenario(cluster, profile)
    if profile.name is None and cluster.scenario is not None and (meant.name or NAME) != NAME:
        spec = cluster.scenario["spec"]
        raise (spec["profile"] or spec).error(f"expected {NAME}, whose scheduler is simulated")
    return meant


def _scheduler(profile: Profile, observer: Observer) -> tuple[Given, Backoff]:
    """Return the profiles and the backoff of a configuration. Raises: InputError for what is not simulated."""
    if (profile.name or NAME) != NAME:
        raise InputError(
            f"expected {NAME}, whose scheduler is simulated", path=parameter("profile"), value=profile.name
        )
    for name, value in (("profile.plugins", profile.plugins), ("profile.rules", profile.rules)):
        if value:
            raise InputError("out-of-tree plugins are not simulated", path=parameter(name))
    given = configured(profile, None, profile.ask_extenders, observer)
    if any(each.extenders or each.unasked for each in given.plugins):
        raise InputError(
            "expected a configuration without extenders, whose answers are not simulated",
            path=parameter("profile.config"),
        )
    given = replace(given, plugins=departing(NAME, given.plugins))
    if profile.config is None:
        return given, Backoff()
    from schedcheck.manifests.configuration import configuration

    made = configuration(profile.config)
    return given, Backoff(float(made.pod_initial_backoff), float(made.pod_max_backoff))


def _end(until: str | float | None, planned: Timeline) -> float:
    """Return the end in seconds. Raises: InputError for events without end."""
    if until is not None:
        found = nanoseconds(until) if isinstance(until, str) else round(until * 10**9)
        if found is None or found <= 0:
            raise InputError("expected a duration, such as 30m or 1h", path=parameter("until"), value=until)
        return found / 10**9
    if planned.until is not None:
        return planned.until
    if any(each.when.endless for each in planned.events):
        raise InputError("expected an end, as an event repeats without one", path=parameter("until"))
    return AFTERWARDS + max((each.when.until or each.when.start for each in planned.events), default=0.0)
