"""The descheduler's own code, built from adapters/descheduler: `built`."""

from pathlib import Path
from typing import Final

from tests.support.go_programs import ROOT, Program

SOURCES: Final = ROOT / "adapters" / "descheduler"
VERSION: Final = "0.36.0"
PROGRAM: Final = Program(
    f"descheduler {VERSION}",
    ROOT / "build" / "live" / f"descheduler-{VERSION}",
    SOURCES,
    (*sorted(SOURCES.glob("*.go")), SOURCES / "go.mod", SOURCES / "go.sum"),
    ("-ldflags", "-s -w"),
    "docs/descheduler.md",
)


def up_to_date() -> bool:
    """Whether the program is built from the present sources."""
    return PROGRAM.up_to_date()


def built() -> Path:
    """Build the program unless it is built, and return it. Raises: CannotBuild."""
    if not up_to_date():
        PROGRAM.build()
    return PROGRAM.binary
