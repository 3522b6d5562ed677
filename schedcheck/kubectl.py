"""The plugin `kubectl schedcheck`: a command of schedcheck on a live cluster, which is read and never written."""

import argparse
import json
import os
import re
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NoReturn

from schedcheck import cli
from schedcheck.errors import SchedcheckError
from schedcheck.report.text.terminal import counted

ONTO = ("deploy", "replay")
"""The commands that take the cluster by --onto, as their files are something else."""

WITH_FILES = (
    "capacity", "check", "compare", "drain", "explain", "fail", "lint", "optimum", "serve", "simulate", "smallest", "victims", "diff",
)  # fmt: skip
"""The commands whose last arguments are the files of a cluster."""

NAMING = ("capacity", "deploy", "explain", "victims")
"""The commands that name a pod or a workload, or manifests that may name no namespace."""

USAGE = """kubectl schedcheck [--context NAME] [--kubeconfig FILE] [--as USER] [--as-group GROUP]... [--dump FILE] COMMAND ...

Read the cluster through its API server, write what was read to a file, and run a command of schedcheck on it:

    kubectl schedcheck explain web-1 -n shop
    kubectl schedcheck --context prod drain node-1
    kubectl schedcheck check --pod shop/web-1 --events 1
    kubectl schedcheck deploy release.yaml

Further files of the command are read with the cluster, such as a Scenario. `schedcheck COMMAND --help` says more of a command.
Only get and list are used. Names of pods are in the namespace of the context, unless -n or the name says another."""


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, with the exit code of wrong usage."""

    def error(self, message: str) -> NoReturn:
        """Say what is wrong, and end."""
        raise _Usage(message)


class _Usage(Exception):
    """A wrong use of the plugin."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the plugin, by default on the arguments of the process, and return the exit code of the command."""
    given = list(sys.argv[1:] if argv is None else argv)
    parser = _Parser(prog="kubectl schedcheck", usage=USAGE, add_help=False, allow_abbrev=False)
    for option in ("--context", "--kubeconfig", "--as", "--dump"):
        parser.add_argument(option)
    parser.add_argument("--as-group", action="append", default=[])
    parser.add_argument("-h", "--help", action="store_true")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    try:
        asked = parser.parse_args(given)
    except _Usage as why:
        return _tell(f"{why}; --help says more")
    if asked.help or not asked.command:
        print(f"Usage: {USAGE}")
        return 0 if asked.help else cli.BAD_INPUT
    command, *rest = asked.command
    if command not in (*ONTO, *WITH_FILES):
        return _tell(f"{command}: expected one of {', '.join(sorted((*ONTO, *WITH_FILES)))}")
    if any(each in ("-h", "--help") for each in rest):
        return cli.main([command, *rest])
    try:
        file, namespace = _read(asked)
    except (SchedcheckError, OSError) as why:
        return _tell(str(why))
    return cli.main([command, *_within(command, rest, namespace), *(["--onto", file] if command in ONTO else [file])])


def _read(asked: argparse.Namespace) -> tuple[str, str]:
    """Read the cluster into a file; return the file and the namespace of the context. Raises: InputError, OSError."""
    from schedcheck.live.connection import connected
    from schedcheck.live.dump import dump

    connection = connected(asked.kubeconfig, asked.context, vars(asked)["as"] or "", asked.as_group)
    found = dump(connection)
    for note in found.notes:
        _note(note)
    file = Path(asked.dump or _named(connection.name))
    # It may hold commands and environment variables of containers.
    with open(file, "w", encoding="utf-8", opener=_private) as made:
        json.dump(found.objects, made)
    counts = f"{counted(found.counts['nodes'], 'node')}, {counted(found.counts['pods'], 'pod')}"
    _note(f"read from the context {connection.name}: {counts}; written to {file}")
    return str(file), connection.namespace


def _within(command: str, rest: Sequence[str], namespace: str) -> list[str]:
    """Return the arguments with the namespace of the context, where names are in one and nothing says which."""
    asks = command in NAMING or (command == "check" and any(re.match(r"--(pod|budget)\b", each) for each in rest))
    named = any(re.match(r"(-n|--namespace|-A$|--all-namespaces)", each) for each in rest)
    elsewhere = any(each.count("/") > 1 or (each.count("/") == 1 and not _is_type(each)) for each in map(_value, rest))
    if not asks or named or elsewhere or namespace in ("", "default"):
        return list(rest)
    return [*rest, "--namespace", namespace]


def _value(argument: str) -> str:
    """Return the value of an argument: what stands behind its first = if it is an option."""
    return argument.partition("=")[2] if argument.startswith("-") else argument


def _is_type(name: str) -> bool:
    """Whether a name such as deploy/web begins with a type, and so names no namespace."""
    from schedcheck.api.naming import OF_BUDGETS
    from schedcheck.manifests.of_workloads import KINDS

    return name.partition("/")[0] in {*KINDS, *OF_BUDGETS}


def _named(context: str) -> str:
    """Return the name of a new file for a context."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", context).strip("-.") or "cluster"
    return f"schedcheck-{plain}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}.json"


def _private(path: str, flags: int) -> int:
    """Open a file that the user alone may read."""
    return os.open(path, flags, 0o600)


def _note(text: str) -> None:
    print(f"schedcheck: note: {text}", file=sys.stderr)


def _tell(text: str) -> int:
    print(f"schedcheck: {text}", file=sys.stderr)
    return cli.BAD_INPUT


if __name__ == "__main__":
    sys.exit(main())
