"""Where the defaults of options may be: `folders`, and the names of the files."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

OWN: Final = "schedcheck.toml"
SHARED: Final = "pyproject.toml"
NO_CONFIG: Final = "--no-config"
ROOTS: Final = (".git", ".hg", ".jj")
"""What the root of a repository holds."""


def folders(folder: Path) -> Iterator[Path]:
    """Yield this folder and those above it, up to the root of a repository."""
    for at in (folder, *folder.parents):
        yield at
        if any((at / each).exists() for each in ROOTS):
            return
