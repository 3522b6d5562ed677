"""Whether another program decides as the specification allows, on random clusters or given ones: `diff_scheduler`."""

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from schedcheck.api.answer import Answer, within
from schedcheck.api.asking import Foreign
from schedcheck.api.check_scheduler import driven_by
from schedcheck.api.judge import Judging
from schedcheck.api.naming import pod_named
from schedcheck.api.preparing import prepared
from schedcheck.api.trials import Trials
from schedcheck.api.values import SILENT, Asking, Limits, Observer, Profile, as_profile, noting
from schedcheck.checker.foreign.outcome import Outcome
from schedcheck.checker.foreign.program import ANSWER_TIME
from schedcheck.checker.judging.judged import Strictness
from schedcheck.checker.limits.parameters import parameter
from schedcheck.checker.limits.timer import doing, reason
from schedcheck.errors import InputError
from schedcheck.manifests import Cluster
from schedcheck.report.json.foreign import diff_json
from schedcheck.report.json.pieces import Json
from schedcheck.spec.objects import Pod, Snapshot

EVERYTHING = Asking()
"""Random clusters in which everything occurs, or all pending pods of a given one."""


@dataclass(frozen=True)
class SchedulerDifferences(Outcome, Answer):
    """What a program decides, judged, with the notes about the input."""

    notes: tuple[str, ...]

    def to_json(self) -> Json:
        """Return what `schedcheck diff --scheduler COMMAND --format json` prints."""
        return diff_json(self)

    def write(self, folder: str | Path, options: Sequence[str] = ()) -> tuple[Path, ...]:
        """Write each complaint to a folder of its own: manifests, reply, reasons, and the command that shows it again.

        options
            The options of the command beside the program, such as `--config FILE`.
        """
        from schedcheck.report.files import foreign
        from schedcheck.report.text.foreign import shown_again

        again = partial(shown_again, self.command, self.strictness, options)
        return foreign.write(self.complaints, Path(folder), again)


def diff_scheduler(
    command: str | Sequence[str],
    cluster: Cluster | None = None,
    *,
    asking: Asking = EVERYTHING,
    strictness: Strictness = "best",
    profile: Profile | str | None = None,
    answer_time: float = ANSWER_TIME,
    limits: Limits | None = None,
    observer: Observer = SILENT,
) -> SchedulerDifferences:
    """Ask a program about the pending pods of random clusters, or of a given one, and judge every decision.

    The program reads a question per line and writes a reply per line (docs/schedulers.md). What is wrong is shown in the
    smallest cluster that was found.

    command
        The program and its arguments, split as a shell does.
    cluster
        The cluster; without one, random ones are drawn.
    asking
        Which questions it is asked.
    strictness
        What a decision is held to, as `judge` has it.
    answer_time
        The seconds in which a question is to be answered.

    Raises: InputError, also if the program cannot be started; Unanswerable, GaveUp.
    """
    limits = limits or Limits()
    with within(limits):
        told, said = noting(observer)
        given = cluster if cluster is not None else Cluster()
        made = prepared(given, as_profile(profile), told)
        judging = Judging(made, strictness, True, limits)
        chosen = () if cluster is not None else _kinds(asking.kinds)
        with driven_by(command, answer_time) as program:
            trials = Trials(
                Foreign(program, judging, given.whole), lambda: driven_by(command, answer_time), asking.ends
            )
            stopped = ""
            begun = time.monotonic()
            try:
                if cluster is not None:
                    wanted = (
                        None
                        if asking.pod is None
                        else pod_named(asking.pod, asking.namespace, cluster, parameter("about pod"))
                    )
                    for each in asking.before:
                        trials.first(_questions(judging, prepared(each, as_profile(profile), SILENT).cluster, None))
                    doing("asking the scheduler")
                    trials.each(_questions(judging, made.cluster, wanted))
                else:
                    doing("asking the scheduler")
                    trials.drawn(chosen, asking.count, asking.seed)
            except KeyboardInterrupt as end:
                stopped = reason(end)
                trials.give_up()
            seconds = time.monotonic() - begun - trials.aside
        return SchedulerDifferences(
            program.command,
            chosen,
            strictness,
            asking.seed,
            tuple(trials.complaints),
            trials.clusters,
            trials.tallies,
            tuple(program.late),
            stopped,
            seconds,
            tuple(said),
        )


def _kinds(asked: Collection[str]) -> tuple[str, ...]:
    """Return the kinds that occur, with those that they imply; all if none are asked for. Raises: InputError."""
    from schedcheck.checker.drawing.kinds import KINDS, with_implied

    try:
        chosen = with_implied(asked or KINDS)
    except KeyError as unknown:
        raise InputError(
            f"expected some of {', '.join(KINDS)}", path=parameter("asking.kinds"), value=unknown.args[0]
        ) from None
    return tuple(each for each in KINDS if each in chosen)


def _questions(judging: Judging, visible: Cluster, wanted: Pod | None) -> list[tuple[Pod, Snapshot]]:
    """Return the pods of the cluster that may be scheduled, or the wanted one, each with what is known."""
    if wanted is not None:
        return [(wanted, judging.snapshot(visible, wanted))]
    everything = visible.snapshot()
    turn = judging.profile.turn(everything, judging.profile)
    waiting = sorted(turn, key=lambda each: (-each.priority, each.key))
    return [(each, judging.snapshot(visible, each)) for each in waiting]
