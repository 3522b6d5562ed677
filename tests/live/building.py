"""The live witness built from adapters/kube-scheduler: `built`"""

from pathlib import Path
from typing import Final

from tests.live.versions import minor
from tests.support.go_programs import ROOT, CannotBuild, Program

__all__ = ["SOURCES", "CannotBuild", "binary", "built", "up_to_date"]

SOURCES: Final = ROOT / "adapters" / "kube-scheduler"
BUILT: Final = ROOT / "build" / "live"


def binary(version: str) -> Path:
    """Return where the witness of a patch level lies once it is built."""
    return BUILT / f"kube-scheduler-{version}"


def program(version: str) -> Program:
    """Return the witness of a patch level."""
    tag, flags = f"kube{minor(version).replace('.', '')}", f"-s -w -X main.version=v{version}"
    return Program(
        f"kube-scheduler {version}",
        binary(version),
        SOURCES,
        (*sorted(SOURCES.glob("*.go")), *sorted((SOURCES / "versions").glob(f"{version}.*"))),
        (f"-modfile=versions/{version}.mod", "-tags", tag, "-ldflags", flags),
        "docs/live.md",
    )


def up_to_date(version: str) -> bool:
    """Whether the witness is built from the present sources."""
    return program(version).up_to_date()


def built(version: str) -> Path:
    """Build the witness of a patch level unless it is built, and return it. Raises: CannotBuild."""
    if not up_to_date(version):
        program(version).build()
    return binary(version)
