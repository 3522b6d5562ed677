"""The commands on the pages and their outputs: `make docs` rewrites the outputs, a test compares them.

A page shows a command as a line `$ schedcheck …` in a block of the language console and, if it shows the output, the
whole output at 80 columns below it.
"""

import contextlib
import io
import os
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from docs.extender import answering
from schedcheck.cli import main

ROOT = Path(__file__).parent.parent
WRITTEN = [*ROOT.glob("docs/*.md"), *ROOT.glob("docs/decisions/*.md"), *ROOT.glob("examples/**/README.md")]
"""The pages but the README; `docs/_build` holds copies."""
PAGES = sorted([ROOT / "README.md", *WRITTEN])
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(r"^\$ ", re.MULTILINE)


class Shown(NamedTuple):
    """A command on a page, and the output shown below it, if any."""

    page: str
    command: str
    output: str


def shown(page: Path) -> Iterator[Shown]:
    """Yield the commands of a page, in order."""
    for block in BLOCK.findall(page.read_text()):
        for part in COMMAND.split(block)[1:]:
            command, _, output = part.partition("\n")
            yield Shown(os.path.relpath(page, ROOT), command, output.strip("\n"))


def comparable(output: str) -> str:
    """Return the output without the lines that differ from run to run: time and rate."""
    lines = (line.rstrip() for line in output.strip("\n").splitlines())
    return "\n".join(line for line in lines if not re.match(r"Time\s+[\d.,]+ s", line))


def printed(command: str) -> tuple[int, str]:
    """Run a command at the root of the repository; return its exit code and its standard output."""
    out = io.StringIO()
    os.chdir(ROOT)
    os.environ["COLUMNS"] = "80"
    asked = answering() if "--ask-extenders" in command else contextlib.nullcontext()
    with asked, contextlib.redirect_stdout(out):
        code = main(shlex.split(command)[1:])
    return code, "\n".join(line.rstrip() for line in out.getvalue().strip("\n").splitlines())


def rewritten(page: Path, text: str = "") -> str:
    """Return a page, or a new text for it, with the present outputs of those commands whose output it shows.

    An output of the page that differs from the present one by times alone stays.
    """
    before = {each.command: each.output for each in shown(page) if each.output}

    def block(matched: re.Match[str]) -> str:
        parts = []
        for part in COMMAND.split(matched[1])[1:]:
            command, _, output = part.partition("\n")
            now = printed(command)[1] if output.strip() else ""
            if comparable(now) == comparable(before.get(command, "")):
                now = before.get(command, "")
            parts.append(f"$ {command}\n" + (f"{now}\n" if now else ""))
        return f"```console\n{''.join(parts)}```"

    return BLOCK.sub(block, text or page.read_text())


if __name__ == "__main__":
    for each in map(Path, sys.argv[1:]) if sys.argv[1:] else PAGES:
        each.write_text(rewritten(each.resolve()))
