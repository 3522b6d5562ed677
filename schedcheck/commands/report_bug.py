"""`schedcheck report-bug`: a folder that shows a defect, with other names."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

Words = Annotated[
    str,
    Parameter(
        name="COMMAND", allow_leading_hyphen=True, required=True,
        help="The command as it was given, with its options and files, but without schedcheck.",
    ),
]  # fmt: skip


def report_bug(*command: Words) -> int:
    """Write a folder that shows what a command does, with other names, and say whether the answer is still the same.

    The folder schedcheck-bug, also as an archive, has the versions, the command, its input and its output. Names,
    namespaces, images and labels are replaced, each by the same word everywhere; the structure and the amounts stay. Exit
    code 0: the answer is the same; 1: it is not.
    """
    from schedcheck.api.bug_report import bug_report
    from schedcheck.commands.application import LIMITED
    from schedcheck.commands.options import DASH
    from schedcheck.errors import InputError, nearest
    from schedcheck.report.text.terminal import output, tell

    if command[0] not in LIMITED:
        raise InputError(
            f"no command about manifests has this name{nearest(command[0], LIMITED)}", path="COMMAND", value=command[0]
        )
    if DASH in command:
        raise InputError("standard input cannot be read twice; give a file", path="COMMAND", value="-")
    made = bug_report(command, Path("schedcheck-bug"))
    tell(f"written: {made.folder} {made.archive}; look through them before you share them")
    said = f"exit code {made.before.exit_code}" + (f", {made.before.verdict.lower()}" if made.before.verdict else "")
    if made.same:
        output().out(f"The answer with other names is the same: {said}", highlight=False)
        return 0
    other = f"exit code {made.after.exit_code}" + (f", {made.after.verdict.lower()}" if made.after.verdict else "")
    output().out(f"The answer with other names differs: {said}; with other names {other}", highlight=False)
    return 1
