"""The options of `diff` and `check` for a scheduler that is a program, and `diff --scheduler` itself."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from schedcheck.commands.groups import OUTPUT, PROGRAM
from schedcheck.commands.input import cluster_of, observer
from schedcheck.commands.pages import ended

if TYPE_CHECKING:
    from schedcheck import Cluster
    from schedcheck.api.values import Limits, Profile

SchedulerCommand = Annotated[
    str | None,
    Parameter(
        group=PROGRAM,
        name="--scheduler",
        show_default=False,
        help="A program that decides: it reads a question per line and writes a reply per line (docs/schedulers.md).",
    ),
]
AnswerTime = Annotated[
    float | None,
    Parameter(
        group=PROGRAM, validator=Number(gt=0), help="The seconds in which the program is to answer a question (10)."
    ),
]
Strict = Annotated[
    Literal["feasible", "best", "exact"] | None,
    Parameter(
        group=PROGRAM,
        name="--strictness",
        show_default=False,
        help="What a decision is held to: any feasible node and any victims that help (feasible), what the specification"
        " allows (best, the default), or also the scores, refusals and texts that are told (exact).",
    ),
]
Kinds = Annotated[
    str,
    Parameter(
        group=PROGRAM,
        show_default=False,
        help="Without FILES: the features of random clusters, such as resources,taints,ports. Default: all.",
    ),
]
Count = Annotated[
    int | None,
    Parameter(
        group=PROGRAM, validator=Number(gte=1), help="Without FILES: the number of random clusters (1000).",
    ),
]  # fmt: skip
Seed = Annotated[int | None, Parameter(group=PROGRAM, help="Without FILES: the seed of random clusters (0).")]
Ends = Annotated[
    int | None,
    Parameter(
        group=PROGRAM,
        validator=Number(gte=0),
        help="Without FILES: for this number of clusters place all pending pods, and compare with the best placement (100).",
    ),
]
Into = Annotated[
    Path | None,
    Parameter(
        group=OUTPUT,
        help="Write everything wrong to a folder of its own in this folder, with the command that shows it again.",
    ),
]
Before = Annotated[
    tuple[str, ...],
    Parameter(
        group=PROGRAM,
        negative="",
        show_default=False,
        help="With FILES: ask about the pending pods of this file first. May be repeated.",
    ),
]
PodName = Annotated[
    str | None, Parameter(group=PROGRAM, name="--pod", show_default=False, help="With FILES: ask about this pod only.")
]


def driven(
    scheduler: str,
    files: tuple[str, ...],
    profile: "Profile",
    limits: "Limits",
    *,
    strictness: Literal["feasible", "best", "exact"] | None,
    answer_time: float | None,
    kinds: str,
    count: int | None,
    seed: int | None,
    ends: int | None,
    before: tuple[str, ...],
    pod: str | None,
    namespace: str | None,
    into: Path | None,
    format: str,
    html: Path | None,
) -> int:
    """Ask the program, print what was found, and write the folders."""
    import schedcheck
    from schedcheck.report.text import foreign
    from schedcheck.report.text.terminal import output, tell

    _fitting(
        bool(files),
        {"--kinds": kinds, "--count": count, "--seed": seed, "--ends": ends},
        {"--before": before, "--pod": pod},
    )
    found = schedcheck.diff_scheduler(
        scheduler,
        cluster_of(files, whole=True) if files else None,
        profile=profile,
        strictness=strictness or "best",
        limits=limits,
        observer=observer(),
        asking=schedcheck.Asking(
            before=[cluster_of((each,), whole=True) for each in before],
            pod=pod,
            namespace=namespace,
            kinds=[each.strip() for each in kinds.split(",") if each.strip()],
            **given(count=count, seed=seed, ends=ends),
        ),
        **given(answer_time=answer_time),
    )
    if into is not None:
        written = found.write(into, _options(profile, answer_time))
        folders = dict.fromkeys(str(each.parent) for each in written)
        tell(f"written: {' '.join(folders)}" if folders else "nothing is wrong: nothing written")
    if format == "json":
        output().out(found.text(), highlight=False)
    else:
        foreign.show(found, output())
    return ended(found, html, found.exit_code)


def explored(
    scheduler: str,
    cluster: "Cluster",
    profile: "Profile",
    limits: "Limits",
    properties: tuple[str, ...],
    strictness: Literal["feasible", "best", "exact"] | None,
    answer_time: float | None,
    format: str,
    html: Path | None,
    quiet: bool,
) -> int:
    """Let the program decide in every state of the cluster, and print what was found."""
    from dataclasses import replace

    import schedcheck
    from schedcheck.report.text.driven import show
    from schedcheck.report.text.progress import progress_line
    from schedcheck.report.text.terminal import output

    with progress_line(limits.bounds(), quiet) as report:
        found = schedcheck.check_scheduler(
            cluster,
            scheduler,
            profile=profile,
            strictness=strictness or "best",
            properties=properties,
            limits=limits,
            observer=replace(observer(quiet=quiet), progress=report),
            **given(answer_time=answer_time),
        )
    if format == "json":
        output().out(found.text(), highlight=False)
    else:
        show(
            found.checked,
            found.command,
            found.asked,
            found.failed,
            found.differing,
            found.why,
            found.smallest,
            output(),
        )
    return ended(found, html, found.exit_code)


def _fitting(files: bool, without: dict[str, object], with_files: dict[str, object]) -> None:
    """Raises: InputError for an option that belongs to random clusters with files, or the other way round."""
    from schedcheck.errors import InputError

    for option, value in (without if files else with_files).items():
        if value not in (None, "", ()):
            raise InputError("belongs to random clusters, without FILES" if files else "belongs to FILES", path=option)


def given(**values: Any) -> dict[str, Any]:
    """Return the values that are not None."""
    return {name: value for name, value in values.items() if value is not None}


def _options(profile: "Profile", answer_time: float | None) -> list[str]:
    """Return the options that name this profile, for a command that shows something again."""
    import schedcheck

    named = {
        "--profile": [profile.name] if profile.name and profile.name != schedcheck.kubernetes().name else [],
        "--policy": [profile.policy] if profile.policy else [],
        "--config": [profile.config] if profile.config else [],
        "--feature-gates": profile.feature_gates,
        "--plugin": profile.plugins,
        "--rule": profile.rules,
        "--answer-time": [f"{answer_time:g}"] if answer_time else [],
    }
    words = [word for option, values in named.items() for value in values for word in (option, str(value))]
    flags = {"--by-allocatable": profile.by_allocatable, "--ask-extenders": profile.ask_extenders}
    return [*words, *(option for option, given in flags.items() if given)]
