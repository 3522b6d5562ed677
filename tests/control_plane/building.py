"""The control plane built from adapters/control-plane: `built`"""

from pathlib import Path
from typing import Final

from tests.support.go_programs import ROOT, CannotBuild, Program

__all__ = ["BINARY", "ROOT", "SOURCES", "VERSION", "CannotBuild", "built", "up_to_date"]

SOURCES: Final = ROOT / "adapters" / "control-plane"
VERSION: Final = "1.37.2"
BINARY: Final = ROOT / "build" / "control-plane" / f"control-plane-{VERSION}"
MAJOR, MINOR, _ = VERSION.split(".")
TOLD: Final = {"gitVersion": f"v{VERSION}", "gitMajor": MAJOR, "gitMinor": MINOR}
FLAGS: Final = " ".join(f"-X k8s.io/component-base/version.{name}={value}" for name, value in TOLD.items())
PROGRAM: Final = Program(
    f"the control plane of {VERSION}",
    BINARY,
    SOURCES,
    (*sorted(SOURCES.glob("*.go")), SOURCES / "go.mod", SOURCES / "go.sum"),
    ("-ldflags", f"-s -w {FLAGS}"),
    "docs/control-plane.md",
)


def up_to_date() -> bool:
    """Whether the program is built from the present sources."""
    return PROGRAM.up_to_date()


def built() -> Path:
    """Build the program unless it is built, and return it. Raises: CannotBuild."""
    if not up_to_date():
        PROGRAM.build()
    return BINARY
