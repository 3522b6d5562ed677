"""The descheduler's own code, built from adapters/descheduler: `built`."""

import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Final

from tests.live.building import BUILT, CannotBuild

SOURCES: Final = Path(__file__).resolve().parents[2] / "adapters" / "descheduler"
VERSION: Final = "0.36.0"
BINARY: Final = BUILT / f"descheduler-{VERSION}"


def built() -> Path:
    """Build the program unless it is built from the present sources, and return it. Raises: CannotBuild."""
    note = BINARY.with_name(f"{BINARY.name}.sources")
    files = [*sorted(SOURCES.glob("*.go")), SOURCES / "go.mod", SOURCES / "go.sum"]
    sources = sha256(b"".join(each.read_bytes() for each in files)).hexdigest()
    if BINARY.exists() and note.exists() and note.read_text() == sources:
        return BINARY
    go = shutil.which("go")
    if go is None:
        raise CannotBuild("there is no go on the path")
    BUILT.mkdir(parents=True, exist_ok=True)
    print(f"building descheduler {VERSION}, which takes minutes the first time", file=sys.stderr, flush=True)
    done = subprocess.run([go, "build", "-ldflags", "-s -w", "-o", str(BINARY), "."], cwd=SOURCES, check=False)
    if done.returncode:
        raise CannotBuild(f"go build ended with status {done.returncode}")
    note.write_text(sources)
    return BINARY
