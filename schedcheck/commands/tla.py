"""`schedcheck tla`: check TLA+ modules, evaluate expressions, export scenarios."""

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter
from cyclopts.validators import Number

from schedcheck.commands.fitting import levels_folder
from schedcheck.commands.help_text import help_of
from schedcheck.commands.input import cluster_of, observer
from schedcheck.commands.limiting import within_limits
from schedcheck.commands.options import (
    ByAllocatable,
    ConfigFile,
    Depth,
    Fair,
    FaultNames,
    FeatureGates,
    Files,
    Format,
    MaxStates,
    Memory,
    PdbStatus,
    ProfileName,
    PropertyNames,
    Quiet,
    RepairNames,
    Seconds,
)

SECONDS = 60.0
"""How long an expression may take that is evaluated by itself."""

GIGABYTES = 4.0
"""How much memory the evaluation of modules and expressions may take."""

Library = Annotated[
    tuple[Path, ...],
    Parameter(
        name="--library",
        negative="",
        show_default=False,
        help="A folder with further modules, besides those of schedcheck. May be repeated.",
    ),
]
ModuleFile = Annotated[Path | None, Parameter(help="The file of a module whose definitions the expression may use.")]
ConfigOf = Annotated[Path | None, Parameter(help="The configuration with the values of its constants.")]

Proceed = Annotated[
    bool, Parameter(name="--continue", negative="", help="Go on after a violation, and report all violated properties.")
]
WithinConstraints = Annotated[
    bool,
    Parameter(
        negative="", help="Judge temporal properties on the behaviours within the constraints alone, as TLC does."
    ),
]
Simulate = Annotated[
    int | None,
    Parameter(
        validator=Number(gte=1),
        help="Follow so many random behaviours, of at most --depth states (100), instead of exploring every state.",
    ),
]
Seed = Annotated[int | None, Parameter(help="With --simulate: the seed of the random choices (0).")]
GraphFile = Annotated[Path | None, Parameter(help="Write the explored graph to this file, which ends in .dot.")]
TraceFile = Annotated[
    Path | None, Parameter(help="Write the first counterexample to this file, which ends in .itf.json.")
]

CheckpointFolder = Annotated[
    Path | None,
    Parameter(
        name="--checkpoint",
        help="Keep the exploration in this folder, and go on from what an earlier run of the same module and configuration left there.",
    ),
]
ResumeFolder = Annotated[
    Path | None, Parameter(name="--resume", help="As --checkpoint, for a folder that an earlier run has begun.")
]


def tla() -> App:
    """The commands about TLA+."""
    app = App(
        name="tla",
        help="Check TLA+ modules, evaluate expressions, and export scenarios.",
        help_epilogue="Exit codes: 0 holds, 1 violated, 2 no answer (a limit or an interrupt), 3 wrong usage or input.",
        help_format="plaintext",
        group_commands="Commands",
    )
    app.command(within_limits(check), help=help_of(check))
    app.command(within_limits(evaluate), name="eval", help=help_of(evaluate))
    app.command(repl, help=help_of(repl))
    app.command(export, help=help_of(export))
    return app


def check(
    module: Annotated[Path, Parameter(help="The file of the module.")],
    /,
    *,
    config: Annotated[
        Path | None, Parameter(help="Its configuration. Default: the .cfg file of the same name.")
    ] = None,
    library: Library = (),
    deadlock: Annotated[
        bool | None, Parameter(help="Whether a state without a step is a violation. Default: the configuration's.")
    ] = None,
    depth: Depth = None,
    max_states: MaxStates = None,
    time: Seconds = None,
    memory: Memory = GIGABYTES,
    proceed: Proceed = False,
    within_constraints: WithinConstraints = False,
    simulate: Simulate = None,
    seed: Seed = None,
    checkpoint: CheckpointFolder = None,
    resume: ResumeFolder = None,
    graph: GraphFile = None,
    trace: TraceFile = None,
    format: Format = "text",
    quiet: Quiet = False,
) -> int:
    """Explore every reachable state of a module, and check the properties of its configuration."""
    from dataclasses import replace

    import schedcheck
    from schedcheck.api.formats import module_files_fit
    from schedcheck.report.text import tla_checked
    from schedcheck.report.text.progress import progress_line
    from schedcheck.report.text.terminal import output, tell

    module_files_fit(graph, trace)
    folder = levels_folder(checkpoint, resume, "part")
    if seed is not None and simulate is None:
        raise schedcheck.InputError("belongs to --simulate", path="--seed")
    limits = schedcheck.Limits(time, memory, depth, max_states)
    try:
        with progress_line(limits.bounds(), quiet) as report:
            found = schedcheck.check_module(
                module,
                config=config,
                library=library,
                deadlock=deadlock,
                limits=limits,
                observer=replace(observer(), progress=report),
                search=schedcheck.ModuleSearch(proceed, within_constraints, graph is not None, simulate, seed or 0),
                checkpoint=folder,
            )
    except schedcheck.NotEvaluated as error:
        tla_checked.show_failure(error.failed, output())
        raise
    if format == "json":
        output().out(found.text(), highlight=False)
    else:
        tla_checked.show(found.checked, output())
    if graph is not None:
        found.write_graph(graph)
    if trace is not None:
        files = " ".join(map(str, found.write_trace(trace)))
        tell(f"written: {files}" if files else "no counterexample: nothing written")
    if folder is not None and found.checked.result.stopped and any(folder.glob("part-*.json")):
        then = "--within-constraints judges what is within them" if found.checked.cut_off else "goes on from there"
        tell(f"the exploration is kept: --resume {folder} {then}")
    return found.exit_code


def evaluate(
    expression: Annotated[str, Parameter(help="The expression.")],
    /,
    *,
    module: ModuleFile = None,
    config: ConfigOf = None,
    library: Library = (),
    time: Seconds = SECONDS,
    memory: Memory = GIGABYTES,
    quiet: Quiet = False,
) -> int:
    """Print the value of an expression."""
    import schedcheck

    _print(schedcheck.evaluate(expression, module=module, config=config, library=library))
    return 0


def _print(said: str) -> None:
    """Print what a text comes to; nothing for a definition."""
    from schedcheck.report.text.terminal import output, printed

    if said:
        output().out(printed(said), highlight=False)


def repl(
    *,
    module: ModuleFile = None,
    config: ConfigOf = None,
    library: Library = (),
    time: Seconds = SECONDS,
    memory: Memory = GIGABYTES,
) -> int:
    """Read expressions and definitions, one a line, and print the value of each expression; an error ends nothing."""
    import schedcheck
    from schedcheck.checker.limits.timer import limited, reason
    from schedcheck.report.text.terminal import tell

    evaluator = schedcheck.Evaluator(module, config=config, library=library)
    while (line := _line()) is not None:
        try:
            with limited(time, memory):
                if line.strip():
                    _print(evaluator.answer(line))
        except schedcheck.InputError as error:
            tell(str(error))
        except KeyboardInterrupt as end:
            tell(f"gave up: {reason(end)}" if str(end) else "interrupted")
    return 0


def _line() -> str | None:
    """The next line; None at the end."""
    if not sys.stdin.isatty():
        read = sys.stdin.readline()
        return read if read else None
    try:
        return input("tla> ")
    except EOFError:
        return None


def export(
    *files: Files,
    output: Annotated[Path, Parameter(help="The folder to write to.")],
    profile: ProfileName = None,
    fault: FaultNames = (),
    repair: RepairNames = (),
    pdb_status: PdbStatus = "recorded",
    by_allocatable: ByAllocatable = False,
    config: ConfigFile = None,
    feature_gates: FeatureGates = (),
    property: PropertyNames = (),
    fair: Fair = None,
) -> int:
    """Write a scenario as a module and a configuration that TLC runs, with the modules that it extends."""
    import schedcheck
    from schedcheck.report.text.terminal import tell

    chosen = schedcheck.Profile(
        profile, config, faults=fault, repairs=repair, by_allocatable=by_allocatable, feature_gates=feature_gates
    )
    cluster = cluster_of(files, pdb_status)
    made = schedcheck.export(cluster, output, profile=chosen, properties=property, fairness=fair, observer=observer())
    tell(f"written: {made.module} {made.configuration} and {len(made.extended)} modules that it extends")
    for name, why in made.left_out:
        tell(f"left out: {name}: {why}")
    return 0
