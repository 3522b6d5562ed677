"""`schedcheck victims`: whom to evict for a pod, in three ways, the least of them proved to be least."""

from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from schedcheck.commands.explain import show_completed
from schedcheck.commands.options import (
    AskExtenders,
    ConfigFile,
    FaultNames,
    Files,
    Format,
    PdbStatus,
    PodName,
    ProfileName,
    Quiet,
    clusters_of,
    configured,
    named,
    scenario_of,
)

if TYPE_CHECKING:
    from schedcheck.checker.victims.judges import Judge
    from schedcheck.model.scenario import Scenario
    from schedcheck.spec.kubernetes.plugins import Plugins
    from schedcheck.spec.objects import Node, Pod, Snapshot

GAVE_UP = 2
ROUNDS, SECONDS, GIGABYTES = 10_000, 100.0, 4.0

Rounds = Annotated[int, Parameter(validator=Number(gte=1), help="Stop at so many proposals of the solver.")]
Time = Annotated[float, Parameter(validator=Number(gt=0), help="Stop after so many seconds.")]
Memory = Annotated[float, Parameter(validator=Number(gt=0), help="Stop at so many GiB of memory.")]


def victims(
    pod: PodName,
    /,
    *files: Files,
    node: Annotated[str | None, Parameter(help="Look at this node alone.")] = None,
    all: Annotated[bool, Parameter(negative="", help="Name every set of victims that is least.")] = False,
    format: Format = "text",
    profile: ProfileName = None,
    fault: FaultNames = (),
    config: ConfigFile = None,
    ask_extenders: AskExtenders = False,
    pdb_status: PdbStatus = "recorded",
    rounds: Rounds = ROUNDS,
    time: Time = SECONDS,
    memory: Memory = GIGABYTES,
    quiet: Quiet = False,
) -> int:
    """Say whom to evict for a pod: from the lowest priority upwards, by reprieve, and with the least casualty.

    Everything in the files counts as being there. A pod that is bound is taken as if it were pending and not there.
    """
    from schedcheck.checker.limits.effort import Effort, Spent
    from schedcheck.checker.limits.timer import answer
    from schedcheck.checker.victims.least import least_sets
    from schedcheck.checker.victims.strategies import best, ways
    from schedcheck.model.environment import unplaced
    from schedcheck.report.json import answers
    from schedcheck.report.json import victims as json_form
    from schedcheck.report.text import victims as text_form
    from schedcheck.report.text.extended_victims import extended, nodes_kept
    from schedcheck.report.text.left_aside import left_aside_json, show_left_aside
    from schedcheck.report.text.terminal import output
    from schedcheck.spec.binding import completed

    given = configured(config, ask_extenders=ask_extenders)
    whole, cluster = clusters_of(files, profile or given.profile, pdb_status, given.schedulers)
    wanted = named(pod, whole)
    scenario = scenario_of(cluster, profile or given.profile, fault, given=given)
    if completed(wanted):
        show_completed(wanted, format)
        return 0
    pending, why = _as_if_met(unplaced(wanted), scenario)
    snapshot = cluster.snapshot(wanted) - frozenset({wanted})
    spent = Spent(Effort(rounds, time, memory))
    plugins = plugins_of(pending, scenario)
    left = nodes_kept(pending, _nodes(node, snapshot), plugins)
    found = ways(pending, left.nodes, snapshot, judge(pending, scenario), spent)
    every = {each.node: least_sets(each.least, spent) for each in best(found)} if all else {}
    answer()
    said = extended(pending, left, found, snapshot, plugins)
    unseen = len(left.nodes) - len(found)
    why = why if any(each.least.victims is not None for each in found) else ""
    made = text_form.Answer(pending, found, every, scenario.profile, said, unseen, spent.ended, why)
    if format == "json":
        output().out(answers.text(json_form.victims_json(made) | left_aside_json(scenario)), highlight=False)
    else:
        text_form.show(made, output())
        show_left_aside(scenario, output())
    proved = [each.least.proved for each in found] + [each.stopped == "" for each in every.values()]
    return 0 if min(proved, default=True) and not said.unasked and not unseen and not why else GAVE_UP


def _as_if_met(pod: "Pod", scenario: "Scenario") -> "tuple[Pod, str]":
    """The pod as if its resource claims were met, and why what is found of it then is unknown; empty where it is known."""
    from dataclasses import replace

    from schedcheck.spec.kubernetes.control_loop import UNMODELLED

    claims = plugins_of(pod, scenario) is not None and pod.resource_claims
    return (replace(pod, resource_claims=()), UNMODELLED) if claims else (pod, "")


def plugins_of(pod: "Pod", scenario: "Scenario") -> "Plugins | None":
    """The plugins of kube-scheduler that take up `pod`; None in another profile."""
    from schedcheck.spec.profiles import KUBERNETES, by_scheduler_name

    return by_scheduler_name(pod, scenario.plugins) if scenario.profile in KUBERNETES else None


def judge(pod: "Pod", scenario: "Scenario") -> "Judge":
    """Who judges evictions for `pod` in the scenario's profile."""
    from schedcheck.checker.victims.classic_judge import of_classic
    from schedcheck.checker.victims.judges import of_model
    from schedcheck.checker.victims.kubernetes_judge import of_kubernetes
    from schedcheck.spec.faults import Fault
    from schedcheck.spec.profiles import CLASSIC, KUBERNETES, by_scheduler_name, profile

    if scenario.profile == CLASSIC:
        return of_classic(scenario.policy)
    if scenario.profile in KUBERNETES:
        plugins = by_scheduler_name(pod, scenario.plugins)
        return of_kubernetes(plugins.departing(KUBERNETES[scenario.profile]))
    faults = frozenset(Fault(name) for name in scenario.faults)
    return of_model(profile(scenario.profile, faults, scenario.rated_resource))


def _nodes(name: str | None, snapshot: "Snapshot") -> "tuple[Node, ...]":
    """The node of this name, or all. Raises: InputError with the nearest one if there is none."""
    from schedcheck.manifests import InputError
    from schedcheck.manifests.fields import nearest

    chosen = tuple(node for node in snapshot.nodes if name in (None, node.name))
    if name is not None and not chosen:
        near = nearest(name, {node.name for node in snapshot.nodes})
        raise InputError(f"no node has this name{near}", path="--node", value=name)
    return chosen
