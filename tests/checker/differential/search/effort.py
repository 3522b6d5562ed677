"""What a process has searched so far, kept in a file so that a later run goes on with the next cases: `Effort`"""

import json
import os
import time
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
READ = ("spec", "model", "checker", "tests/checker", "tests/model", "tests/support")
"""The folders whose sources decide what a case is, and what it finds."""
BETWEEN = 10.0
"""Seconds after which the file is written again."""


@dataclass
class Effort:
    """The cases and the seconds of each kind of search, the processor's seconds in all, and what differed."""

    done: dict[str, int] = field(default_factory=dict)
    spent: dict[str, float] = field(default_factory=dict)
    processor: float = 0.0
    differed: list[str] = field(default_factory=list)


class Kept:
    """An effort with its file, if it has one."""

    def __init__(self, effort: Effort, path: Path | None = None) -> None:
        self.effort, self._path = effort, path
        self._before, self._began = effort.processor, time.process_time()
        self._saved = time.monotonic()

    def now_and_then(self) -> None:
        """Write the file if it is old."""
        if time.monotonic() - self._saved >= BETWEEN:
            self.save()

    def save(self) -> None:
        """Write the file. It is whole at any moment, also if the process is killed."""
        self.effort.processor = self._before + time.process_time() - self._began
        self._saved = time.monotonic()
        if self._path is not None:
            written = self._path.with_suffix(".written")
            written.write_text(json.dumps(asdict(self.effort), indent=1, sort_keys=True) + "\n")
            os.replace(written, self._path)


class Damaged(ValueError):
    """A file that no search has written."""


def kept(folder: str, start: str) -> Kept:
    """Return what the search of these sources with this seed has done already; without a folder nothing is kept.

    Raises: Damaged.
    """
    if not folder:
        return Kept(Effort())
    path = Path(folder) / f"{of_sources()}-{start}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        return Kept(Effort(), path)
    try:
        return Kept(Effort(**json.loads(path.read_text())), path)
    except (ValueError, TypeError):
        raise Damaged(f"{path}: expected what an earlier search has kept") from None


def of_sources(root: Path = ROOT) -> str:
    """Return a checksum of all sources that decide what a case is."""
    sources = sorted(path for folder in READ for path in (root / folder).rglob("*.py"))
    told = sha256()
    for path in sources:
        text = path.read_bytes()
        told.update(f"{path.relative_to(root)} {len(text)}\n".encode() + text)
    return told.hexdigest()[:12]
