"""The first answer as a recorded terminal: `python -m docs.first_answer WHEEL` rewrites docs/first-answer.cast and .svg.

The commands are really run, one after the other in a pseudo-terminal, in an empty folder with the wheel, a dump and a new
virtual environment. The recording is in asciinema's format (version 2), with the seconds that each output took. It is refused
if it names a path of this machine or an address.
"""

import fcntl
import io
import json
import os
import pty
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parent.parent
CAST, STILL = ROOT / "docs" / "first-answer.cast", ROOT / "docs" / "first-answer.svg"
WIDTH, HEIGHT = 80, 46
POD = "data/db-2"
PROMPT = "\x1b[1;32m$\x1b[0m "
TITLE = "The first answer"
STYLE = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" role="img" aria-label="A terminal: the installation, and why a pod is pending">
<style>.{unique_id}-matrix {{ font-family: monospace; font-size: {char_height}px; line-height: {line_height}px; }} {styles}</style>
<defs>{lines}</defs>
<rect fill="#292929" x="0" y="0" width="{width}" height="{height}" rx="8"/>
<g transform="translate({terminal_x}, {terminal_y})">{backgrounds}<g class="{unique_id}-matrix">{matrix}</g></g>
</svg>
"""

Event = tuple[float, str]
"""The seconds since the start, and an output."""


class NotShown(Exception):
    """A recording that names what only this machine has."""


def commands(wheel: str) -> tuple[str, str]:
    """Return the commands of the recording."""
    return f"pip install --quiet {wheel}", f"schedcheck explain {POD} cluster.json"


def recorded(shown: Iterable[str], folder: Path, path: str) -> list[Event]:
    """Run commands in a folder, and return what a terminal shows; `path` is where programs are found. Raises: NotShown."""
    begun, events = time.monotonic(), list[Event]()
    for command in shown:
        events.append((time.monotonic() - begun, f"{PROMPT}{command}\r\n"))
        events += [(at - begun, text) for at, text in _outputs(command, folder, path)]
    events.append((time.monotonic() - begun, PROMPT))
    refuse_private("".join(text for _, text in events), folder)
    return events


def _outputs(command: str, folder: Path, path: str) -> Iterator[Event]:
    """Yield the outputs of a command that runs in a terminal. Raises: NotShown if it fails."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", HEIGHT, WIDTH, 0, 0))
    variables = {
        **os.environ, "PATH": path, "TERM": "xterm-256color", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_ROOT_USER_ACTION": "ignore",
    }  # fmt: skip
    for lost in ("PYTHONPATH", "COLUMNS", "VIRTUAL_ENV"):
        variables.pop(lost, None)
    with subprocess.Popen(
        ["sh", "-c", command], cwd=folder, env=variables, stdin=theirs, stdout=theirs, stderr=theirs
    ) as process:
        os.close(theirs)
        while True:
            try:
                text = os.read(ours, 65536)
            except OSError:
                break
            if not text:
                break
            yield time.monotonic(), text.decode("utf-8", "replace")
    os.close(ours)
    if process.returncode:
        raise NotShown(f"{command}: exit code {process.returncode}")


def refuse_private(text: str, folder: Path) -> None:
    """Raises: NotShown for an address, a path of this machine, or its name."""
    for each in ("://", str(folder), str(Path.home()), "/tmp", sys.prefix):
        if each in text:
            raise NotShown(f"names {each}")


def cast(events: Sequence[Event], processor: float) -> str:
    """Return a recording as a file of asciinema; players show at most two seconds of each pause.

    `processor` is the processor time of the commands, which does not depend on what else runs.
    """
    head = {
        "version": 2, "width": WIDTH, "height": HEIGHT, "idle_time_limit": 2.0, "title": TITLE,
        "processor": round(processor, 1),
    }  # fmt: skip
    lines = [head, *([round(at, 3), "o", text] for at, text in events)]
    return "".join(f"{json.dumps(each, ensure_ascii=False)}\n" for each in lines)


def read(text: str) -> tuple[dict[str, object], list[Event]]:
    """Return the head and the events of a recording."""
    head, *lines = map(json.loads, text.splitlines())
    return head, [(at, shown) for at, kind, shown in lines if kind == "o"]


def shown_in(events: Iterable[Event]) -> str:
    """Return the text that stays on the screen, with its styles: a line that was begun again shows what came last."""
    whole = "".join(text for _, text in events).replace("\r\n", "\n")
    plain = re.sub(r"\x1b\[\??[0-9;]*[A-HJ-Zac-ln-z]", "", whole)
    return "\n".join(line.rsplit("\r", 1)[-1] for line in plain.split("\n"))


def still(events: Sequence[Event]) -> str:
    """Return all that was shown as a drawing."""
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Text.from_ansi(shown_in(events)))
    return console.export_svg(title=TITLE, code_format=STYLE, unique_id="first-answer")


def made(wheel: Path) -> tuple[list[Event], float]:
    """Record the first answer with a wheel, and its processor time."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(wheel, folder)
        shutil.copy(ROOT / "examples" / "dump" / "cluster.json", folder)
        with tempfile.TemporaryDirectory() as environment:
            subprocess.run([sys.executable, "-m", "venv", environment], check=True)
            path = f"{environment}/bin{os.pathsep}{os.environ['PATH']}"
            before = _children()
            return recorded(commands(wheel.name), folder, path), _children() - before


def _children() -> float:
    """Return the processor seconds of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(argv: Sequence[str]) -> None:
    """Record, and write both files."""
    events, processor = made(Path(argv[0]))
    CAST.write_text(cast(events, processor), encoding="utf-8")
    STILL.write_text(still(events), encoding="utf-8")
    print(f"{events[-1][0]:.1f} s, of which {processor:.1f} s of processor time")


if __name__ == "__main__":
    main(sys.argv[1:])
