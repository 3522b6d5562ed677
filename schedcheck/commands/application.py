"""The application: the commands put together, and what --help says of them all.

Only the command that runs is imported, and what it needs beyond its options only where it runs.
"""

from collections.abc import Mapping
from importlib import import_module
from inspect import signature
from types import MappingProxyType

from cyclopts import App, Parameter

from schedcheck.commands.help_text import help_of
from schedcheck.commands.settings import Settings
from schedcheck.version import __version__

LIMITED = (
    "check",
    "explain",
    "victims",
    "optimum",
    "capacity",
    "drain",
    "fail",
    "deploy",
    "induct",
    "simulate",
    "replay",
    "smallest",
    "conformance",
    "diff",
    "compare",
    "lint",
)
"""The commands that keep limits, in the order of the help."""

OTHERS = ("oracle", "serve", "demo", "properties", "tla", "report-bug")

ASKING: Mapping[str, tuple[str, ...]] = MappingProxyType({"check": ("pod", "budget", "selector")})
"""The options with which a command has limits although none are given."""

EPILOGUE = """\
FILES are Kubernetes manifests (YAML or JSON, folders, or - for standard input), and at most one Scenario among them.
Options have defaults in schedcheck.toml, or in [tool.schedcheck] of pyproject.toml; --no-config ignores both.
Exit codes: 0 holds, 1 violated, 2 no answer (a limit, an interrupt, or unknown), 3 wrong usage or input.
"""


def application(first: str = "", defaults: Settings | None = None) -> App:
    """Return the application as cyclopts runs it, with the command `first` alone, or with all if there is none of this name.

    Options that the command line does not set have their values from `defaults`.
    """
    from schedcheck.commands.groups import CLUSTERS, COMMANDS, REST
    from schedcheck.commands.limiting import within_limits
    from schedcheck.commands.options import whole
    from schedcheck.commands.pages import paged

    app = App(
        name="schedcheck",
        help="Check what a Kubernetes scheduler may do with a small cluster, in every order of events.",
        help_epilogue=EPILOGUE + ("" if defaults is None else defaults.said(first)),
        config=() if defaults is None else (defaults,),
        help_format="plaintext",
        version=__version__,
        result_action="return_value",
        suppress_keyboard_interrupt=False,
        group_commands=REST,
        default_parameter=Parameter(converter=whole),
    )
    for name in (first,) if first in (*LIMITED, *OTHERS) else (*LIMITED, *OTHERS):
        module = name.replace("-", "_")
        command = getattr(import_module(f"schedcheck.commands.{module}"), module)
        group = COMMANDS.get(name, CLUSTERS)
        if name in LIMITED:
            command = paged(command) if "html" in signature(command).parameters else command
            app.command(within_limits(command, asking=ASKING.get(name, ())), help=help_of(command), group=group)
        elif name == "tla":
            made = command()
            made.group = (group,)
            app.command(made)
        else:
            app.command(command, name=name, help=help_of(command), group=group)
    if first not in (*LIMITED, *OTHERS):
        app.register_install_completion_command(
            group=REST, help="Install completion for the shell, for bash, zsh or fish."
        )
    return app
