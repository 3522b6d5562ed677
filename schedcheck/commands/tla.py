"""`schedcheck tla`: check TLA+ modules, evaluate expressions, export scenarios."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import App, Parameter

from schedcheck.api.values import GRAPH_GIGABYTES
from schedcheck.commands.input import cluster_of, observer
from schedcheck.commands.limiting import within_limits
from schedcheck.commands.options import (
    ByAllocatable,
    ConfigFile,
    Depth,
    FaultNames,
    Files,
    Format,
    MaxStates,
    Memory,
    PdbStatus,
    ProfileName,
    Quiet,
    RepairNames,
    Seconds,
)

if TYPE_CHECKING:
    from schedcheck.checker.language.checking.model import Model
    from schedcheck.checker.language.evaluation.evaluator import Session

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


def tla() -> App:
    """The commands about TLA+."""
    app = App(
        name="tla",
        help="Check TLA+ modules, evaluate expressions, and export scenarios.",
        help_epilogue="Exit codes: 0 holds, 1 violated, 2 no answer (a limit or an interrupt), 3 wrong usage or input.",
        help_format="plaintext",
    )
    app.command(within_limits(check))
    app.command(within_limits(evaluate), name="eval")
    app.command(repl)
    app.command(export)
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
    format: Format = "text",
    quiet: Quiet = False,
) -> int:
    """Explore every reachable state of a module, and check the properties of its configuration."""
    from schedcheck.api.check import EXIT_CODES
    from schedcheck.checker.language.checking.checking import check as checked
    from schedcheck.checker.language.checking.exploring import Failed
    from schedcheck.checker.language.syntax.errors import TlaError
    from schedcheck.checker.limits.timer import doing
    from schedcheck.checker.result import Bounds
    from schedcheck.errors import InputError
    from schedcheck.report.text import tla_checked
    from schedcheck.report.text.progress import progress_line
    from schedcheck.report.text.terminal import output

    bounds = Bounds(depth, max_states, time, memory, GRAPH_GIGABYTES)
    try:
        doing("reading the module")
        model = _model(module, config, library, deadlock)
        with progress_line(bounds, quiet) as report:
            found = checked(model, bounds, report)
    except Failed as error:
        tla_checked.show_failure(error, output())
        raise InputError(str(error)) from None
    except TlaError as error:
        raise InputError(str(error)) from None
    code = EXIT_CODES[found.result.verdict.value]
    if format == "json":
        output().out(tla_checked.as_json(found, code), highlight=False)
    else:
        tla_checked.show(found, output())
    return code


def _model(module: Path, config: Path | None, library: Sequence[Path], deadlock: bool | None) -> "Model":
    """The module with its configuration. Raises: TlaError."""
    from dataclasses import replace

    from schedcheck.checker.language.checking.config import configuration
    from schedcheck.checker.language.checking.model import Model
    from schedcheck.checker.language.standard.modules import MODULES
    from schedcheck.checker.language.syntax.loading import loaded
    from schedcheck.tla_export.shipped import FOLDER

    read = loaded(module, (*library, FOLDER), MODULES)
    asked = configuration(config or module.with_suffix(".cfg"))
    if deadlock is not None:
        asked = replace(asked, check_deadlock=deadlock)
    return Model(read.modules, read.root.name, asked)


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
    from schedcheck.checker.language.syntax.errors import TlaError
    from schedcheck.checker.limits.timer import doing
    from schedcheck.errors import InputError

    try:
        session = _session(module, config, library)
        doing("evaluating the expression")
        return _answered(session, expression)
    except TlaError as error:
        raise InputError(str(error)) from None


def _session(module: Path | None, config: Path | None, library: Sequence[Path]) -> "Session":
    """What expressions are evaluated in. Raises: TlaError."""
    from schedcheck.checker.language.checking.config import configuration
    from schedcheck.checker.language.evaluation.configuration import Configuration
    from schedcheck.checker.language.evaluation.evaluator import Session
    from schedcheck.checker.language.standard.modules import MODULES
    from schedcheck.checker.language.syntax.loading import loaded
    from schedcheck.tla_export.shipped import FOLDER

    asked = configuration(config) if config is not None else Configuration()
    if module is None:
        return Session({}, None, asked)
    read = loaded(module, (*library, FOLDER), MODULES)
    return Session(read.modules, read.root.name, asked)


def _answered(session: "Session", text: str) -> int:
    """Print what a text comes to. Raises: TlaError."""
    from schedcheck.report.text.terminal import output, printed

    said = session.answer(text)
    if said:
        output().out(printed(said), highlight=False)
    return 0


def repl(
    *,
    module: ModuleFile = None,
    config: ConfigOf = None,
    library: Library = (),
    time: Seconds = SECONDS,
    memory: Memory = GIGABYTES,
) -> int:
    """Read expressions and definitions, one a line, and print the value of each expression; an error ends nothing."""
    from schedcheck.checker.language.syntax.errors import TlaError
    from schedcheck.checker.limits.timer import limited, reason
    from schedcheck.errors import InputError
    from schedcheck.report.text.terminal import tell

    try:
        session = _session(module, config, library)
    except TlaError as error:
        raise InputError(str(error)) from None
    while (line := _line()) is not None:
        try:
            with limited(time, memory):
                if line.strip():
                    _answered(session, line)
        except TlaError as error:
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
) -> int:
    """Write a scenario as a module and a configuration that TLC runs, with the modules that it extends."""
    from schedcheck import Profile
    from schedcheck.api.check import unknown_property
    from schedcheck.api.preparing import prepared
    from schedcheck.checker.properties.by_name import UnknownProperty
    from schedcheck.errors import InputError
    from schedcheck.report.text.terminal import tell
    from schedcheck.tla_export.export import export as exported
    from schedcheck.tla_export.text import NotExportable

    chosen = Profile(profile, config, faults=fault, repairs=repair, by_allocatable=by_allocatable)
    made = prepared(cluster_of(files, pdb_status), chosen, observer())
    try:
        module, configuration, *extended = exported(made.scenario, output)
    except UnknownProperty as error:
        raise unknown_property(str(error), made, made.scenario) from None
    except NotExportable as error:
        raise InputError(str(error)) from None
    tell(f"written: {module} {configuration} and {len(extended)} modules that it extends")
    return 0
