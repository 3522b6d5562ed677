"""Write the modules MC_* of tla/ anew, one for each example that TLC can count: `make tla`."""

from pathlib import Path

from schedcheck.cluster import read, scenario
from schedcheck.model.scenario import Scenario
from schedcheck.report.tla import model_module
from schedcheck.spec.faults import Fault
from schedcheck.spec.profiles import KUBERNETES

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
TLA = ROOT / "tla"

# Without symmetry these have more states than anybody would wait for.
TOO_LARGE = {"gpu", "gpu-without-taints"}


def scenarios() -> dict[str, Scenario]:
    """The scenario of each example, by the name of its module; tla/ exports no controllers and no kube-scheduler."""
    folders = sorted(path.parent for path in EXAMPLES.rglob("scenario.yaml"))
    names = {folder.relative_to(EXAMPLES).as_posix(): folder for folder in folders}
    read_ones = {
        name: scenario(read([folder]), frozenset(Fault)) for name, folder in names.items() if name not in TOO_LARGE
    }
    return {
        f"MC_{name.replace('/', '_').replace('-', '_')}": each
        for name, each in read_ones.items()
        if not each.controllers and each.profile not in KUBERNETES
    }


def files() -> dict[str, str]:
    """The text of each module and configuration, by file name."""
    texts = {name: model_module(each, name) for name, each in scenarios().items()}
    return {
        f"{name}{ending}": text
        for name, both in texts.items()
        for ending, text in zip((".tla", ".cfg"), both, strict=True)
    }


def main() -> None:
    for path in (*TLA.glob("MC_*.tla"), *TLA.glob("MC_*.cfg")):
        path.unlink()
    for name, text in files().items():
        (TLA / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
