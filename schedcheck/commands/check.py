"""`schedcheck check`: explore a scenario, and say what was found."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from schedcheck.commands.fitting import graph_format, levels_folder, one_question, search_bounds, trace_format
from schedcheck.commands.formulas import in_tla, of_scenario
from schedcheck.commands.options import (
    POSITIVE,
    UNKNOWN,
    AskExtenders,
    ByAllocatable,
    ConfigFile,
    Depth,
    FaultNames,
    Files,
    Format,
    Given,
    MaxStates,
    Memory,
    PdbStatus,
    PluginNames,
    PolicyFile,
    ProfileName,
    Quiet,
    RepairNames,
    RuleNames,
    Seconds,
    cluster_of,
    configured,
    early_scheduler,
    extended,
    scenario_of,
)
from schedcheck.commands.question import GIGABYTES, SECONDS, about_budget, about_pod

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schedcheck.checker.check import Checked, Search
    from schedcheck.checker.exploring.result import Bounds
    from schedcheck.checker.tabulated.answers.tables import Tables
    from schedcheck.manifests import Cluster
    from schedcheck.model.scenario import Scenario
    from schedcheck.spec.properties import Property

EXIT_CODES = {"holds": 0, "holds vacuously": 0, "violated": 1, "gave up": 2, "unknown": UNKNOWN}
WALKS, LENGTH = 1000, 100
GRAPH_GIGABYTES = 4.0

PropertyNames = Annotated[
    tuple[str, ...],
    Parameter(
        name="--property",
        negative="",
        show_default=False,
        help="Ask this property instead of the scenario's: one that `schedcheck properties` lists, a formula of TLA+, or "
        "FILE.tla!NAME. May be repeated.",
    ),
]
Order = Annotated[
    Literal["breadth", "depth", "walk"],
    Parameter(help="Breadth first (shortest trace), depth first, or random walks."),
]
Engine = Annotated[
    Literal["auto", "direct", "tabulated", "both"],
    Parameter(
        help="Ask the specification of every state (direct), or once of everything that it looks at (tabulated); auto "
        "takes tables if they hold everything and there are more than a few states, both compares the two."
    ),
]


def check(
    *files: Files,
    format: Format = "text",
    output: Annotated[
        Path | None, Parameter(help="Write result.json, trace.yaml and final.yaml to this folder.")
    ] = None,
    depth: Depth = None,
    max_states: MaxStates = None,
    time: Seconds = None,
    memory: Memory = None,
    property: PropertyNames = (),
    pod: Annotated[
        str | None,
        Parameter(help="Ask whether this pod can be stranded (or, if it is bound, evicted), of what can influence it."),
    ] = None,
    budget: Annotated[
        str | None,
        Parameter(help="Ask whether any order of events breaks this disruption budget, of what can influence it."),
    ] = None,
    profile: ProfileName = None,
    fault: FaultNames = (),
    repair: RepairNames = (),
    search: Order = "breadth",
    walks: Annotated[int | None, Parameter(validator=POSITIVE, help=f"With --search walk: how many ({WALKS}).")] = None,
    length: Annotated[
        int | None, Parameter(validator=POSITIVE, help=f"With --search walk: steps of each ({LENGTH}).")
    ] = None,
    seed: Annotated[int, Parameter(help="With --search walk: what the random choices are drawn from.")] = 0,
    symmetry: Annotated[
        bool, Parameter(help="Whether states that differ only by a swap of alike objects are one.")
    ] = True,
    engine: Engine = "auto",
    checkpoint: Annotated[
        Path | None,
        Parameter(
            help="Keep every level in this folder, and go on from those that an earlier run left there; --memory then"
            " bounds what is held beside it, and no longer stops the run."
        ),
    ] = None,
    resume: Annotated[
        Path | None, Parameter(help="As --checkpoint, with a folder that has levels to go on from.")
    ] = None,
    tables: Annotated[
        str | None,
        Parameter(
            show_default=False,
            help="Keep what the specification answers in this folder, and ask nothing that is there; none keeps nothing."
            " Default: the environment's SCHEDCHECK_TABLES, else schedcheck/tables in the user's cache folder.",
        ),
    ] = None,
    pdb_status: PdbStatus = "recorded",
    policy: PolicyFile = None,
    by_allocatable: ByAllocatable = False,
    config: ConfigFile = None,
    ask_extenders: AskExtenders = False,
    fair: Annotated[
        Literal["none", "weak", "strong"] | None,
        Parameter(
            help="How the scheduler and the controllers are treated by properties of whole behaviours. Default: the"
            " scenario's, else weak."
        ),
    ] = None,
    graph: Annotated[
        Path | None,
        Parameter(help="Write the explored graph, without symmetry, to this file: .dot, .graphml or, if large, .npz."),
    ] = None,
    graph_memory: Annotated[
        float | None,
        Parameter(
            validator=Number(gt=0),
            help=f"Stop where a graph that is kept would take more GiB ({GRAPH_GIGABYTES:g}).",
        ),
    ] = None,
    trace: Annotated[
        Path | None,
        Parameter(
            help="Write the first counterexample to this file: .itf.json, or .tla, a module with a .cfg beside it."
        ),
    ] = None,
    plugin: PluginNames = (),
    rule: RuleNames = (),
    quiet: Quiet = False,
) -> int:
    """Explore every state that the cluster can reach, and judge the properties."""
    from schedcheck.checker.check import Search
    from schedcheck.checker.exploring.result import Bounds

    search_bounds(search, walks=walks, length=length, depth=depth)
    folder = levels_folder(checkpoint, resume)
    one_question(property, pod, budget)
    if graph is not None:
        graph_format(graph)
    if trace is not None:
        trace_format(trace)
    more = extended(plugin, rule)
    given = configured(config, more, ask_extenders)
    profile = profile or given.profile
    if pod is not None or budget is not None:
        _no_victims_of_extenders(given)
    cluster = cluster_of(files, profile, pdb_status, given.schedulers)
    scenario = early_scheduler(scenario_of(cluster, profile, fault, repair, given), policy, by_allocatable)
    scenario = replace(scenario, fairness=fair) if fair else scenario
    written: tuple[Property, ...] = ()
    if pod is None and budget is None:
        named, written = in_tla(property, scenario) if property else of_scenario(scenario, cluster)
        scenario = replace(scenario, properties=named)
    else:
        scenario = about_pod(pod, scenario) if pod is not None else about_budget(budget or "", scenario, cluster)
        time, memory = time or SECONDS, memory or GIGABYTES
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
    bounds = Bounds(depth, max_states, time, memory, graph_memory or GRAPH_GIGABYTES)
    how = Search(search, walks or WALKS, length or LENGTH, seed)
    try:
        rules = (*(more.properties if more else ()), *written)
        alone = bool(written) and not scenario.properties
        checked = _explored(
            scenario,
            bounds,
            how,
            symmetry,
            engine,
            quiet,
            rules,
            alone,
            keep_graph=graph is not None,
            folder=folder,
            answers=_kept_answers(tables),
        )
    except _unknown_property() as error:
        raise _input_error(str(error), cluster, scenario, property) from None
    return _answered(checked, how, format, output, graph, trace)


def _no_victims_of_extenders(given: Given) -> None:
    """Raises: InputError where an extender would be asked about victims in a part of the cluster."""
    from schedcheck.manifests import InputError

    for each in given.plugins:
        for extender in each.extenders:
            if extender.offer.preempt_verb:
                what = f"extender {extender.offer.url_prefix} is asked about victims, of which a part of the cluster lacks some"
                raise InputError(f"not possible with --pod or --budget: {what}", path="--ask-extenders")


def _explored(
    scenario: "Scenario",
    bounds: "Bounds",
    search: "Search",
    symmetry: bool,
    engine: str,
    quiet: bool,
    rules: "Sequence[Property]",
    alone: bool,
    *,
    keep_graph: bool,
    folder: Path | None,
    answers: "Tables | None",
) -> "Checked":
    """The scenario, checked under a progress line. Raises: InputError where the engine or the folder cannot be had."""
    from schedcheck.checker.check import NotTabulated
    from schedcheck.checker.check import check as checked
    from schedcheck.checker.tabulated.search.durable import Unusable
    from schedcheck.manifests import InputError
    from schedcheck.report.text.progress import progress_line
    from schedcheck.report.text.terminal import tell

    try:
        with progress_line(bounds, quiet) as report:
            return checked(
                scenario,
                bounds=bounds,
                search=search,
                symmetry=symmetry,
                engine=engine,
                report=report,
                rules=rules,
                alone=alone,
                checkpoint=folder,
                keep_graph=keep_graph,
                answers=answers,
                tell=(lambda line: None) if quiet else tell,
            )
    except NotTabulated as reason:
        if folder is not None:
            raise InputError(f"not possible here: {reason}", path="--checkpoint", value=str(folder)) from None
        raise InputError(f"not possible here: {reason}", path="--engine", value=engine) from None
    except Unusable as reason:
        raise InputError(str(reason)) from None


def _kept_answers(given: str | None) -> "Tables | None":
    """Where what the specification answers is kept, None where it is not."""
    from schedcheck.checker.tabulated.answers.tables import Tables, where
    from schedcheck.report.text.terminal import tell

    folder = where(given)
    return None if folder is None else Tables(folder, tell)


def _answered(
    checked: "Checked", search: "Search", format: str, output: Path | None, graph: Path | None, trace: Path | None
) -> int:
    """Say what was found, write the files, and give the exit code."""
    from schedcheck.report.files import verdict as verdict_files
    from schedcheck.report.json import answers
    from schedcheck.report.text import verdict
    from schedcheck.report.text.terminal import output as standard_output
    from schedcheck.report.text.terminal import tell

    code = EXIT_CODES[checked.result.verdict.value]
    if format == "json":
        standard_output().out(answers.text(answers.checked_json(checked, search, code)), highlight=False)
    else:
        verdict.show(checked, search, standard_output())
    if output is not None:
        tell(f"written: {' '.join(str(path) for path in verdict_files.write(checked, search, code, output))}")
    if graph is not None:
        from schedcheck.report.files.graph import write

        write(checked, graph)
        tell(f"written: {graph}")
    if trace is not None:
        from schedcheck.tla_export.trace_files import write as write_trace

        written = " ".join(map(str, write_trace(checked, trace)))
        tell(f"written: {written}" if written else "no counterexample to write")
    return code


def _unknown_property() -> type[Exception]:
    """The error of a property or constraint that is not known."""
    from schedcheck.checker.properties.by_name import UnknownProperty

    return UnknownProperty


def _input_error(text: str, cluster: "Cluster", scenario: "Scenario", asked: tuple[str, ...]) -> Exception:
    """The error with the place where the property or constraint that it begins with is named."""
    from schedcheck.manifests import InputError

    if any(text.startswith(name) for name in asked):
        return InputError(text, path="--property")
    if cluster.scenario is None:
        return InputError(text)
    key = "properties" if any(text.startswith(name) for name in scenario.properties) else "constraints"
    return InputError(text, **cluster.scenario["spec"][key].place())
