"""Karpenter's own code, built from adapters/karpenter: `built`."""

from pathlib import Path
from typing import Final

from tests.support.go_programs import ROOT, Program

SOURCES: Final = ROOT / "adapters" / "karpenter"
VERSION: Final = "1.15.0"
PROGRAM: Final = Program(
    f"karpenter {VERSION}",
    ROOT / "build" / "live" / f"karpenter-{VERSION}",
    SOURCES,
    (*sorted(SOURCES.glob("*.go")), SOURCES / "go.mod", SOURCES / "go.sum"),
    ("-ldflags", "-s -w"),
    "docs/karpenter.md",
)


def up_to_date() -> bool:
    """Whether the program is built from the present sources."""
    return PROGRAM.up_to_date()


def built() -> Path:
    """Build the program unless it is built, and return it. Raises: CannotBuild."""
    if not up_to_date():
        PROGRAM.build()
    return PROGRAM.binary
