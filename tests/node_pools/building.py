"""The cluster autoscaler's own code, built from adapters/cluster-autoscaler and a checkout of its sources: `built`."""

from pathlib import Path
from typing import Final

from tests.support.go_programs import ROOT, CannotBuild, Program

ADAPTER: Final = ROOT / "adapters" / "cluster-autoscaler"
VERSION: Final = "1.34.5"
FOLDER: Final = ROOT / "build" / "live" / "cluster-autoscaler"
MODULE: Final = "k8s.io/autoscaler/cluster-autoscaler"
# The module with the checkout in place of the autoscaler's. Of the providers of clouds one small one is built.
MODFILE: Final = FOLDER / "go.mod"
PROGRAM: Final = Program(
    f"cluster autoscaler {VERSION}",
    FOLDER / f"cluster-autoscaler-{VERSION}",
    ADAPTER,
    (*sorted(ADAPTER.glob("*.go")), ADAPTER / "go.mod", ADAPTER / "go.sum", MODFILE),
    ("-tags", "linode", "-modfile", str(MODFILE), "-ldflags", "-s -w"),
    "docs/node-pools.md",
)


def up_to_date() -> bool:
    """Whether the program is built from the present sources."""
    return PROGRAM.up_to_date()


def built(checkout: Path | None) -> Path:
    """Build the program unless it is built, and return it. Raises: CannotBuild."""
    if checkout is not None:
        lay(checkout)
    if not up_to_date():
        if checkout is None:
            raise CannotBuild(
                f"it needs SOURCES=DIRECTORY, a checkout of kubernetes/autoscaler at the tag cluster-autoscaler-{VERSION}, "
                "as its module is not published"
            )
        PROGRAM.build()
    return PROGRAM.binary


def lay(checkout: Path) -> None:
    """Write the module file for a checkout. Raises: CannotBuild if it is none of this version."""
    sources = checkout.resolve() / "cluster-autoscaler"
    version = sources / "version" / "version.go"
    if not (sources / "go.mod").exists() or not version.exists():
        raise CannotBuild(f"{checkout} is no checkout of kubernetes/autoscaler")
    if f'"{VERSION}"' not in version.read_text():
        raise CannotBuild(f"{checkout} is not at the tag cluster-autoscaler-{VERSION}")
    places = ((MODULE, sources), (f"{MODULE}/apis", sources / "apis"))
    replaced = "".join(f"\nreplace {name} => {place}\n" for name, place in places)
    FOLDER.mkdir(parents=True, exist_ok=True)
    MODFILE.write_text((ADAPTER / "go.mod").read_text() + replaced)
    (FOLDER / "go.sum").write_text((ADAPTER / "go.sum").read_text())
