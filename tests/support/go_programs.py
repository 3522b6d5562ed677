"""Programs of adapters/ that Go builds: `Program`."""

import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]


class CannotBuild(Exception):
    """There is no Go, or it cannot build the program; the text says why."""


@dataclass(frozen=True)
class Program:
    """A program: its name in messages, where it lies once it is built, its sources, and the options of `go build`.

    `page` says what it needs.
    """

    name: str
    binary: Path
    folder: Path
    files: Sequence[Path]
    options: Sequence[str]
    page: str

    @property
    def _note(self) -> Path:
        """The file that tells from which sources the program was built."""
        return self.binary.with_name(f"{self.binary.name}.sources")

    def _sources(self) -> str:
        return sha256(b"".join(each.read_bytes() for each in self.files)).hexdigest()

    def up_to_date(self) -> bool:
        """Whether the program is built from the present sources."""
        return self.binary.exists() and self._note.exists() and self._note.read_text() == self._sources()

    def build(self) -> None:
        """Build the program. Raises: CannotBuild."""
        go = shutil.which("go")
        if go is None:
            raise CannotBuild(f"there is no go on the path; {self.page} says what {self.name} needs")
        self.binary.parent.mkdir(parents=True, exist_ok=True)
        print(f"building {self.name}, which takes minutes the first time", file=sys.stderr, flush=True)
        command = [go, "build", *self.options, "-o", str(self.binary), "."]
        done = subprocess.run(command, cwd=self.folder, check=False)
        if done.returncode:
            raise CannotBuild(f"go build ended with status {done.returncode}")
        self._note.write_text(self._sources())
