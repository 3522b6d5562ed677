"""`schedcheck optimum`: the best placement of all pending pods at once, and how far the scheduler may stay behind it."""

from typing import TYPE_CHECKING

from schedcheck.commands.options import (
    ConfigFile,
    FaultNames,
    Files,
    Format,
    ProfileName,
    Quiet,
    cluster_of,
    configured,
    scenario_of,
)
from schedcheck.commands.victims import (
    GAVE_UP,
    GIGABYTES,
    ROUNDS,
    SECONDS,
    Memory,
    Rounds,
    Time,
)

if TYPE_CHECKING:
    from schedcheck.spec.objects import Pod
    from schedcheck.spec.profiles import Profile


def optimum(
    *files: Files,
    format: Format = "text",
    profile: ProfileName = None,
    fault: FaultNames = (),
    config: ConfigFile = None,
    rounds: Rounds = ROUNDS,
    time: Time = SECONDS,
    memory: Memory = GIGABYTES,
    quiet: Quiet = False,
) -> int:
    """Find the best placement of all pending pods, and every outcome that the scheduler can reach one step at a time.

    The best places the most pods of the highest priority, then of the next; then the sum of viability counts.
    Nobody is evicted for it. Everything in the files counts as being there, and nothing happens but scheduling.
    """
    from schedcheck.checker.check import profile_of
    from schedcheck.checker.limits.effort import Effort, Spent
    from schedcheck.checker.placement import optimum as best
    from schedcheck.checker.placement.outcomes import outcomes, worth
    from schedcheck.report.json import answers
    from schedcheck.report.text import optimum as optimum_text
    from schedcheck.report.text.left_aside import left_aside_json, show_left_aside
    from schedcheck.report.text.terminal import output

    given = configured(config)
    cluster = cluster_of(files, profile or given.profile, schedulers=given.schedulers)
    scenario = scenario_of(cluster, profile or given.profile, fault, given=given)
    made = profile_of(scenario)
    snapshot = cluster.snapshot()
    spent = Spent(Effort(rounds, time, memory))
    found = best.optimum(snapshot, made, spent)
    waiting = best.waiting(snapshot, made)
    reached = outcomes(scenario, waiting, made, spent)
    answer = optimum_text.Answer(
        scenario.profile,
        waiting,
        found,
        worth(found.placement, waiting, snapshot, made),
        reached,
        _unasked(waiting, made),
        _unmodelled(waiting, made),
    )
    if format == "json":
        output().out(answers.text(optimum_text.optimum_json(answer) | left_aside_json(scenario)), highlight=False)
    else:
        optimum_text.show(answer, output())
        show_left_aside(scenario, output())
    return 0 if found.proved and not reached.stopped and not answer.unasked and not answer.unmodelled else GAVE_UP


def _unasked(waiting: "tuple[Pod, ...]", profile: "Profile") -> tuple[str, ...]:
    """The extenders that were not asked and would have a say about some of these pods."""
    from schedcheck.spec.kubernetes.unasked_extenders import concerned
    from schedcheck.spec.profiles import by_scheduler_name

    if not profile.plugins:
        return ()
    found = [each for pod in waiting for each in concerned(pod, by_scheduler_name(pod, profile.plugins).unasked)]
    return tuple(dict.fromkeys(each.url_prefix for each in found))


def _unmodelled(waiting: "tuple[Pod, ...]", profile: "Profile") -> str:
    """What is not modelled and some of these pods hang on; empty where nothing is."""
    from schedcheck.spec.kubernetes.control_loop import UNMODELLED

    return UNMODELLED if profile.plugins and any(pod.resource_claims for pod in waiting) else ""
