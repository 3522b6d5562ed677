"""The horizontal autoscaler's own controller, built from adapters/horizontal-autoscaler: `built`."""

from pathlib import Path
from typing import Final

from tests.support.go_programs import ROOT, Program

SOURCES: Final = ROOT / "adapters" / "horizontal-autoscaler"
VERSION: Final = "1.37.2"
PROGRAM: Final = Program(
    f"horizontal autoscaler {VERSION}",
    ROOT / "build" / "live" / f"horizontal-autoscaler-{VERSION}",
    SOURCES,
    (*sorted(SOURCES.glob("*.go")), SOURCES / "empty.s", SOURCES / "go.mod", SOURCES / "go.sum"),
    ("-ldflags", "-s -w -checklinkname=0"),
    "docs/autoscaler.md",
)


def up_to_date() -> bool:
    """Whether the program is built from the present sources."""
    return PROGRAM.up_to_date()


def built() -> Path:
    """Build the program unless it is built, and return it. Raises: CannotBuild."""
    if not up_to_date():
        PROGRAM.build()
    return PROGRAM.binary
