"""`schedcheck check`: explore a scenario, and say what was found."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from schedcheck.api.values import GIGABYTES, GRAPH_GIGABYTES, LENGTH, SECONDS, WALKS
from schedcheck.commands.driving import AnswerTime, SchedulerCommand, Strict, explored
from schedcheck.commands.fitting import (
    asked_about,
    graph_format,
    levels_folder,
    of_answers,
    one_question,
    search_bounds,
    trace_format,
)
from schedcheck.commands.groups import BOUNDS, OUTPUT, QUESTION, SEARCH
from schedcheck.commands.input import cluster_of, observer
from schedcheck.commands.options import (
    POSITIVE,
    AllNamespaces,
    AskExtenders,
    ByAllocatable,
    ConfigFile,
    ControllerNames,
    Depth,
    EachSelector,
    Fair,
    FaultNames,
    FeatureGates,
    Files,
    MaxStates,
    Memory,
    Namespace,
    PdbStatus,
    PluginNames,
    PolicyFile,
    ProfileName,
    PropertyNames,
    Quiet,
    RepairNames,
    RuleNames,
    Seconds,
    WideFormat,
)
from schedcheck.commands.pages import HtmlFile, ended
from schedcheck.commands.selecting import namespace_of, told_each

if TYPE_CHECKING:
    from schedcheck import CheckResult, Cluster


Order = Annotated[
    Literal["breadth", "depth", "walk"],
    Parameter(group=SEARCH, help="Breadth first (shortest trace), depth first, or random walks."),
]
Engine = Annotated[
    Literal["auto", "direct", "tabulated", "both", "ray", "gpu"],
    Parameter(
        group=SEARCH,
        help="Evaluate the specification in every state (direct), or once for each different input (tabulated). auto uses "
        "tables if they can hold the answers and there are more than a few states; both compares the two. ray divides the states among workers on several machines; gpu explores on a graphics processor.",
    ),
]


def check(
    *files: Files,
    format: WideFormat = "text",
    output: Annotated[
        Path | None, Parameter(group=OUTPUT, help="Write result.json, trace.yaml and final.yaml to this folder.")
    ] = None,
    depth: Depth = None,
    max_states: MaxStates = None,
    events: Annotated[
        int | None,
        Parameter(
            group=BOUNDS,
            validator=Number(gte=0),
            help="Explore with at most 0, 1, … up to this number of events of the environment, and any number of other steps. With "
            "--pod: ask whether the pod is bound in the end, once no more events happen.",
        ),
    ] = None,
    time: Seconds = None,
    memory: Memory = None,
    property: PropertyNames = (),
    pod: Annotated[
        str | None,
        Parameter(
            group=QUESTION,
            help="Check whether this pod can stay pending forever (if bound: be evicted), on the part of the cluster that affects it.",
        ),
    ] = None,
    budget: Annotated[
        str | None,
        Parameter(
            group=QUESTION,
            help="Check whether any order of events breaks this disruption budget, on the part of the cluster that affects it.",
        ),
    ] = None,
    selector: EachSelector = None,
    namespace: Namespace = None,
    all_namespaces: AllNamespaces = False,
    profile: ProfileName = None,
    fault: FaultNames = (),
    repair: RepairNames = (),
    search: Order = "breadth",
    walks: Annotated[
        int | None,
        Parameter(group=SEARCH, validator=POSITIVE, help=f"With --search walk: the number of walks ({WALKS})."),
    ] = None,
    length: Annotated[
        int | None,
        Parameter(group=SEARCH, validator=POSITIVE, help=f"With --search walk: the steps of each walk ({LENGTH})."),
    ] = None,
    seed: Annotated[int, Parameter(group=SEARCH, help="With --search walk: the seed of the random choices.")] = 0,
    symmetry: Annotated[
        bool,
        Parameter(
            group=SEARCH, help="Treat states that differ only by a permutation of interchangeable objects as one."
        ),
    ] = True,
    directed: Annotated[
        bool,
        Parameter(
            group=SEARCH,
            help="In a large space, follow some behaviours until they return: a loop is found soon, and its trace need not be the shortest.",
        ),
    ] = True,
    engine: Engine = "auto",
    address: Annotated[
        str | None,
        Parameter(
            group=SEARCH, help="With --engine ray: the address of the Ray cluster (default: this machine alone)."
        ),
    ] = None,
    workers: Annotated[
        int | None,
        Parameter(
            group=SEARCH,
            validator=POSITIVE,
            help="With --engine ray: the number of workers (default: one for each core).",
        ),
    ] = None,
    shared: Annotated[
        str | None,
        Parameter(
            group=SEARCH,
            help="With --engine ray: a folder or URL that all machines can use. The levels are kept there while the run lasts, and a "
            "worker that is lost is replaced.",
        ),
    ] = None,
    checkpoint: Annotated[
        Path | None,
        Parameter(
            group=SEARCH,
            help="Store every level in this folder, and resume from the levels that an earlier run left there. --memory then"
            " bounds the states in memory and no longer stops the run.",
        ),
    ] = None,
    resume: Annotated[
        Path | None, Parameter(group=SEARCH, help="As --checkpoint, for a folder that already has levels.")
    ] = None,
    tables: Annotated[
        str | None,
        Parameter(
            group=SEARCH,
            show_default=False,
            help="Cache the answers of the specification in this folder; none caches nothing. Default: the environment's"
            " SCHEDCHECK_TABLES, else schedcheck/tables in the user's cache folder.",
        ),
    ] = None,
    controllers: ControllerNames = (),
    pdb_status: PdbStatus = "recorded",
    policy: PolicyFile = None,
    by_allocatable: ByAllocatable = False,
    config: ConfigFile = None,
    feature_gates: FeatureGates = (),
    ask_extenders: AskExtenders = False,
    fair: Fair = None,
    graph: Annotated[
        Path | None,
        Parameter(
            group=OUTPUT,
            help="Write the explored graph, without symmetry, to this file: .dot, .graphml or, if large, .npz.",
        ),
    ] = None,
    graph_memory: Annotated[
        float | None,
        Parameter(
            group=BOUNDS,
            validator=Number(gt=0),
            help=f"Stop if a graph in memory would take more GiB ({GRAPH_GIGABYTES:g}).",
        ),
    ] = None,
    trace: Annotated[
        Path | None,
        Parameter(group=OUTPUT, help="Write the first counterexample to this file: .itf.json, or .tla with its .cfg."),
    ] = None,
    plugin: PluginNames = (),
    rule: RuleNames = (),
    scheduler: SchedulerCommand = None,
    strictness: Strict = None,
    answer_time: AnswerTime = None,
    html: HtmlFile = None,
    quiet: Quiet = False,
) -> int:
    """Explore every state that the cluster can reach, and check the properties.

    With --scheduler a program decides in every state, is asked each question once, and its decisions are judged too.
    """
    from dataclasses import replace

    import schedcheck
    from schedcheck.report.text.progress import progress_line

    search_bounds(search, walks=walks, length=length, depth=depth)
    folder = levels_folder(checkpoint, resume)
    one_question(property, pod, budget, selector)
    inside = namespace_of(selector, namespace, all_namespaces=all_namespaces)
    if graph is not None:
        graph_format(graph)
    if trace is not None:
        trace_format(trace)
    chosen = schedcheck.Profile(
        profile, config, plugin, rule, ask_extenders, fault, repair, policy, by_allocatable, feature_gates
    )  # fmt: skip
    limits = schedcheck.Limits(time, memory, depth, max_states, graph=graph_memory or GRAPH_GIGABYTES)
    if scheduler is not None:
        others = {
            "--pod": pod, "--budget": budget, "--selector": selector, "--events": events, "--checkpoint": folder, "--graph": graph, "--fair": fair,
            "--search": None if search == "breadth" else search, "--output": output, "--trace": trace,
            "--controllers": controllers or None,
            "--engine": None if engine in ("auto", "direct") else engine,
            "--address": address, "--workers": workers, "--shared": shared,
        }  # fmt: skip
        for option, value in others.items():
            if value is not None:
                raise schedcheck.InputError("not possible with --scheduler", path=option)
        of_answers(format, "--scheduler")
        cluster = cluster_of(files, pdb_status, whole=True)
        return explored(scheduler, cluster, chosen, limits, property, strictness, answer_time, format, html, quiet)
    _belong({"--strictness": strictness, "--answer-time": answer_time})
    cluster = cluster_of(files, pdb_status, whole=ask_extenders or bool(controllers))
    if selector is not None:
        of_answers(format, "--selector")
        files_of_one = {"--output": output, "--checkpoint": folder, "--graph": graph, "--trace": trace}
        for option, path in files_of_one.items():
            if path is not None:
                raise schedcheck.InputError("not possible with --selector", path=option)

        def ask(name: str, within: schedcheck.Limits, told: schedcheck.Observer) -> "CheckResult":
            with progress_line(within.bounds(), quiet) as report:
                return schedcheck.check(
                    cluster, profile=chosen, about=f"pod/{name}", limits=within,
                    search=schedcheck.Search(search, walks or WALKS, length or LENGTH, seed, symmetry, engine, fair, events, controllers, directed, address, workers),
                    storage=schedcheck.Storage(None, tables, shared=shared), observer=replace(told, progress=report),
                )  # fmt: skip

        within = replace(limits, seconds=time or SECONDS, memory=memory or GIGABYTES)
        return told_each(
            cluster, selector, inside, ask, lambda each: _print(each, cluster, "text", None, None, None), within,
            observer(quiet=quiet), format, html,
        )  # fmt: skip
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
    how = schedcheck.Search(
        search, walks or WALKS, length or LENGTH, seed, symmetry, engine, fair, events, controllers, directed, address, workers
    )  # fmt: skip
    with progress_line(limits.bounds(), quiet) as report:
        found = schedcheck.check(
            cluster,
            profile=chosen,
            properties=property,
            about=asked_about(pod, budget, namespace),
            limits=limits,
            search=how,
            storage=schedcheck.Storage(folder, tables, graph is not None, shared),
            observer=replace(observer(quiet=quiet), progress=report),
        )
    return ended(found, html, _print(found, cluster, format, output, graph, trace))


def _belong(options: dict[str, object]) -> None:
    """Raises: InputError for an option that belongs to a scheduler that is a program."""
    from schedcheck.errors import InputError

    for option, value in options.items():
        if value is not None:
            raise InputError("belongs to --scheduler", path=option)


def _print(
    found: "CheckResult", cluster: "Cluster", format: str, output: Path | None, graph: Path | None, trace: Path | None
) -> int:
    """Print what was found, write the files, and return the exit code."""
    from schedcheck.report.text.terminal import output as standard_output
    from schedcheck.report.text.terminal import tell

    if format == "json":
        standard_output().out(found.text(), highlight=False)
    elif format in ("text", "wide"):
        from schedcheck.commands import warm
        from schedcheck.report.text import verdict

        console = standard_output()
        verdict.show(found.checked, found.search, console)
        warm.keep(found, console)
    else:
        from schedcheck.api.verdicts import check_report
        from schedcheck.report.ci.written import written

        standard_output().out(written(check_report(found, cluster), format), highlight=False)
    if output is not None:
        from schedcheck.report.files import verdict as verdict_files

        into = verdict_files.write(found.checked, found.search, found.exit_code, output)
        tell(f"written: {' '.join(str(path) for path in into)}")
    if graph is not None:
        found.write_graph(graph)
        tell(f"written: {graph}")
    if trace is not None:
        files = " ".join(map(str, found.write_trace(trace)))
        tell(f"written: {files}" if files else "no counterexample to write")
    return found.exit_code
