"""The application: the commands put together, and what --help says of them all.

What a command needs beyond its options is imported where it runs, so that --help answers at once.
"""

from collections.abc import Callable

from cyclopts import App

from schedcheck import __version__
from schedcheck.commands.check import check
from schedcheck.commands.conformance import conformance
from schedcheck.commands.demo import demo
from schedcheck.commands.diff import diff
from schedcheck.commands.explain import explain
from schedcheck.commands.limiting import within_limits
from schedcheck.commands.optimum import optimum
from schedcheck.commands.properties import properties
from schedcheck.commands.smallest import smallest
from schedcheck.commands.tla import tla
from schedcheck.commands.victims import victims

LIMITED: tuple[Callable[..., int], ...] = (explain, victims, optimum, smallest, conformance, diff)
"""The commands that may run long, beside check."""

EPILOGUE = """\
FILES are Kubernetes manifests (YAML or JSON, folders, or - for standard input), and at most one Scenario among them.
Exit codes: 0 holds, 1 violated, 2 gave up at a bound or interrupted, 3 wrong usage or input.
"""


def application() -> App:
    """The application, as cyclopts runs it."""
    app = App(
        name="schedcheck",
        help="Check what a Kubernetes scheduler may do with a small cluster, in every order of events.",
        help_epilogue=EPILOGUE,
        help_format="plaintext",
        version=__version__,
        result_action="return_value",
        suppress_keyboard_interrupt=False,
    )
    app.command(within_limits(check, asking=("pod", "budget")))
    for command in LIMITED:
        app.command(within_limits(command))
    for other in (demo, properties):
        app.command(other)
    app.command(tla())
    return app
