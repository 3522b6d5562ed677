"""The control plane built from adapters/control-plane: `built`"""

import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
SOURCES: Final = ROOT / "adapters" / "control-plane"
VERSION: Final = "1.37.2"
BINARY: Final = ROOT / "build" / "control-plane" / f"control-plane-{VERSION}"
NOTE: Final = BINARY.with_name(f"{BINARY.name}.sources")
"""The file that tells from which sources the program was built."""


class CannotBuild(Exception):
    """There is no Go, or it cannot build the program; the text says why."""


def sources() -> str:
    """Return what identifies the sources."""
    files = [*sorted(SOURCES.glob("*.go")), SOURCES / "go.mod", SOURCES / "go.sum"]
    return sha256(b"".join(each.read_bytes() for each in files)).hexdigest()


def up_to_date() -> bool:
    """Whether the program is built from the present sources."""
    return BINARY.exists() and NOTE.exists() and NOTE.read_text() == sources()


def built() -> Path:
    """Build the program unless it is built, and return it. Raises: CannotBuild."""
    if up_to_date():
        return BINARY
    go = shutil.which("go")
    if go is None:
        raise CannotBuild("there is no go on the path; docs/control-plane.md says what the control plane needs")
    BINARY.parent.mkdir(parents=True, exist_ok=True)
    major, minor, _ = VERSION.split(".")
    told = {"gitVersion": f"v{VERSION}", "gitMajor": major, "gitMinor": minor}
    flags = " ".join(f"-X k8s.io/component-base/version.{name}={value}" for name, value in told.items())
    print(f"building the control plane of {VERSION}, which takes minutes the first time", file=sys.stderr, flush=True)
    done = subprocess.run([go, "build", "-ldflags", f"-s -w {flags}", "-o", str(BINARY), "."], cwd=SOURCES, check=False)
    if done.returncode:
        raise CannotBuild(f"go build ended with status {done.returncode}")
    NOTE.write_text(sources())
    return BINARY
