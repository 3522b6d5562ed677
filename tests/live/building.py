"""The live witness built from adapters/kube-scheduler: `built`"""

import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Final

from tests.live.versions import minor

ROOT: Final = Path(__file__).resolve().parents[2]
SOURCES: Final = ROOT / "adapters" / "kube-scheduler"
BUILT: Final = ROOT / "build" / "live"


class CannotBuild(Exception):
    """There is no Go, or it cannot build the witness; the text says why."""


def binary(version: str) -> Path:
    """Return where the witness of a patch level lies once it is built."""
    return BUILT / f"kube-scheduler-{version}"


def sources(version: str) -> str:
    """Return what identifies the sources of a patch level."""
    files = [*sorted(SOURCES.glob("*.go")), *sorted((SOURCES / "versions").glob(f"{version}.*"))]
    return sha256(b"".join(each.read_bytes() for each in files)).hexdigest()


def note(version: str) -> Path:
    """Return the file that tells from which sources the witness was built."""
    return BUILT / f"{binary(version).name}.sources"


def up_to_date(version: str) -> bool:
    """Whether the witness is built from the present sources."""
    told = note(version)
    return binary(version).exists() and told.exists() and told.read_text() == sources(version)


def built(version: str) -> Path:
    """Build the witness of a patch level unless it is built, and return it. Raises: CannotBuild."""
    if up_to_date(version):
        return binary(version)
    go = shutil.which("go")
    if go is None:
        raise CannotBuild("there is no go on the path; docs/live.md says what the live witness needs")
    BUILT.mkdir(parents=True, exist_ok=True)
    command = [
        go, "build", f"-modfile=versions/{version}.mod", "-tags", f"kube{minor(version).replace('.', '')}",
        "-ldflags", f"-s -w -X main.version=v{version}", "-o", str(binary(version)), ".",
    ]  # fmt: skip
    print(f"building kube-scheduler {version}, which takes minutes the first time", file=sys.stderr, flush=True)
    done = subprocess.run(command, cwd=SOURCES, check=False)
    if done.returncode:
        raise CannotBuild(f"go build ended with status {done.returncode}")
    note(version).write_text(sources(version))
    return binary(version)
