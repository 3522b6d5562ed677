"""A command imports only the libraries that it needs before it answers"""

import subprocess
import sys

import pytest

HEAVY = (
    "cyclopts", "email", "h11", "highspy", "http", "lark", "msgspec", "networkx", "numba", "numpy", "prometheus_client", "rich", "scipy", "ssl",
    "starlette", "uvicorn", "yaml", "z3",
)  # fmt: skip

ASKED = """
import io, sys
from contextlib import redirect_stdout
from schedcheck.cli import main
with redirect_stdout(io.StringIO()):
    code = main({argv!r})
print(code, *sorted({{name.partition(".")[0] for name in sys.modules}} & set({heavy!r})))
"""


@pytest.mark.parametrize(
    ("argv", "imported"),
    [
        (["--version"], "0"),
        (["explain", "web-0", "examples/node-in-template"], "0 cyclopts rich yaml"),
        (["explain", "web-1", "examples/gpu-small"], "0 cyclopts rich yaml"),
        (["check", "examples/gpu-small"], "0 cyclopts numpy rich yaml"),
        (["properties"], "0 cyclopts numpy rich"),
        (["serve", "--help"], "0 cyclopts rich"),
    ],
)
def test_a_command_imports_only_what_it_needs(argv: list[str], imported: str, pytestconfig: pytest.Config) -> None:
    program = ASKED.format(argv=argv, heavy=HEAVY)
    made = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=pytestconfig.rootpath
    )
    assert made.stdout.strip() == imported
