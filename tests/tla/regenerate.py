"""Write the modules MC_* of tla/models/, one for each scenario that TLC can count: `make tla`

The scenarios are the examples, and those of kube-scheduler in tests/tla/scenarios/.
"""

from pathlib import Path

from schedcheck.manifests import read, scenario
from schedcheck.model.scenario import Scenario
from schedcheck.spec.faults import Fault
from schedcheck.tla_export.module import model_module

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
SCENARIOS = ROOT / "tests" / "tla" / "scenarios"
TLA = ROOT / "tla"
MODELS = TLA / "models"

# Without symmetry these have too many states to wait for.
WITH_SYMMETRY = {"MC_gpu", "MC_gpu_without_taints"}
# Their schedulers have out-of-tree plugins, which are not part of the scenario and have no module.
OWN_PLUGINS = {"plugins/cluster", "plugins/pair"}
# A manifest that an event applies beside a descheduler has no module.
ROLLOUTS = {"rollout-duplicates", "rollout-duplicates-kept"}


def scenarios() -> dict[str, Scenario]:
    """Each scenario, by the name of its module."""
    folders = sorted(path.parent for path in EXAMPLES.rglob("scenario.yaml"))
    files = {folder.relative_to(EXAMPLES).as_posix(): folder for folder in folders}
    files |= {path.stem: path for path in sorted(SCENARIOS.glob("*.yaml"))}
    return {
        f"MC_{name.replace('/', '_').replace('-', '_')}": scenario(read([path]), frozenset(Fault))
        for name, path in files.items()
        if name not in OWN_PLUGINS | ROLLOUTS
    }


def files() -> dict[str, str]:
    """The text of each module and configuration, by file name."""
    texts = {name: model_module(each, name, symmetry=name in WITH_SYMMETRY) for name, each in scenarios().items()}
    return {
        f"{name}{ending}": text
        for name, both in texts.items()
        for ending, text in zip((".tla", ".cfg"), both, strict=True)
    }


def main() -> None:
    texts = files()
    for path in (*MODELS.glob("MC_*.tla"), *MODELS.glob("MC_*.cfg")):
        path.unlink()
    for name, text in texts.items():
        (MODELS / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
