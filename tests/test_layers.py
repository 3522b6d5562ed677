"""Imports point down: spec <- model <- checker <- schedcheck

`refusals` states the rule about one source text. It is applied to every Python file of the repository, and to small
invented sources that it must refuse.
"""

import ast
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LAYERS = ("spec", "model", "checker", "schedcheck")
FOLDERS = (*LAYERS, "tests", "benchmarks", "examples", "docs")
COMMON = (
    "values", "terms", "objects", "storage", "device_objects", "workload_objects", "cel", "quantities", "owners", "extender_configuration"
)  # fmt: skip
VOCABULARY = {
    f"schedcheck.model.{scheduler}": tuple(f"schedcheck.spec.{name}" for name in (*COMMON, *own))
    for scheduler, own in {
        "production": (
            "kubernetes.plugins",
            "kubernetes.configuration",
            "kubernetes.departures",
            "kubernetes.versions",
        ),
        "classic": ("classic.policy",),
    }.items()
}
"""What a production-style scheduler may import of the specification: never a definition that judges it."""

ROOMS = {
    "schedcheck.spec": (
        "faults", "values", "quantities", "names", "owners", "terms", "device_objects", "workload_objects", "cel", "storage", "objects", "binding", "decisions",
        "footprints", "extender_configuration", "extenders", "unasked_extenders", "selectors", "node_selector", "tolerations",
        "nominations", "budgets", "pod_terms", "requests", "guards", "importance", "refusal", "fit_error", "volumes", "devices", "published", "kubernetes",
        "classic", "schedulers", "profiles", "placement", "properties",
    ),
    "schedcheck.model.production": (
        "snapshot", "cache", "volumes", "devices", "framework", "extenders", "queue", "cycle", "preemption", "plugins", "configured",
        "machine", "invariants",
    ),
    "schedcheck.model.classic": (
        "reasons", "matching", "nodes", "listers", "metadata", "predicates", "fitting", "priorities", "prioritizing",
        "preemption", "scheduler",
    ),
    "schedcheck.checker": (
        "limits", "highs", "result", "alike", "derived", "vectors", "incremental", "liveness", "properties", "extenders", "exploring", "refinement",
        "explain", "language", "tabulated", "victims", "judging", "check", "followed", "by_events", "induction", "placement", "divergences", "differential",
        "capacity", "relocation", "recovery", "deploying", "simulating",
        "replaying",
        "drawing", "foreign", "walking", "opinions",
    ),
    "schedcheck": (
        "version", "errors", "live", "spec", "model", "checker", "manifests", "plugin", "rule", "tla_export", "recordings", "findings", "report",
        "serving", "api", "testing", "pytest_plugin", "commands", "cli", "kubectl", "__main__",
    ),
}  # fmt: skip
"""The rooms of a package in their order: each imports only those before it."""

GENERATIONS = ("published", "kubernetes", "classic")
"""The rooms of spec with one scheduler each; what several of them share is vocabulary before them."""

OF_COMMANDS = ("version", "errors", "api", "report", "commands", "checker.limits")
"""What a command may import beside `schedcheck` itself; the rest is behind the public API."""


def within(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def module_name(path: str) -> str:
    """The dotted name under which the file at `path`, relative to the root, is imported."""
    parts = path.removesuffix(".py").split("/")
    return ".".join(["schedcheck", *parts] if parts[0] in LAYERS[:3] else parts)


def layer(name: str) -> int | None:
    """The position in LAYERS of the dotted name; None outside the package."""
    if not within(name, "schedcheck"):
        return None
    return next((i for i, lower in enumerate(LAYERS[:3]) if within(name, f"schedcheck.{lower}")), 3)


@cache
def imported(source: str, module: str) -> tuple[str, ...]:
    """Every dotted name that `source`, the text of `module`, imports: `from a import b` is `a.b`."""
    return tuple(_imported(source, module))


def _imported(source: str, module: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case ast.ImportFrom(module=of, names=names, level=level):
                # A package's own name ends in __init__, so one level up is the package itself.
                origin = module.split(".")[:-level] if level else []
                yield from (".".join([*origin, *filter(None, [of]), alias.name]) for alias in names)
            case ast.Call(
                func=ast.Name(id="import_module" | "__import__") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(name)), *_],
            ):
                yield name


def refusals(source: str, path: str) -> list[str]:
    """Why the file at `path` may not contain `source`: one line for each import that breaks a rule, sorted."""
    module = module_name(path)
    own = layer(module)
    found = []
    for name in imported(source, module):
        target = layer(name)
        if name.split(".")[0] in LAYERS[:3]:
            found.append(f"{path}: imports {name}; say schedcheck.{name}")
        elif own is not None and target is not None and target > own:
            found.append(f"{path}: {LAYERS[own]} imports {name}, which lies above it")
        elif target == 0:
            bound = [names for scheduler, names in VOCABULARY.items() if within(module, scheduler)]
            if not all(any(within(name, vocabulary) for vocabulary in names) for names in bound):
                found.append(f"{path}: a production-style scheduler imports {name}, which is not vocabulary")
    return sorted(found)


def room(name: str, package: str) -> int | None:
    """The position in ROOMS of the room of `package` that holds the dotted name; None outside the package."""
    if not name.startswith(package + "."):
        return None
    first = name.removeprefix(package + ".").split(".")[0]
    return ROOMS[package].index(first) if first in ROOMS[package] else None


def back(source: str, path: str) -> list[str]:
    """Each import of the file at `path` that leads to a later room, or from a command behind the public API."""
    module = module_name(path)
    found = []
    for name in imported(source, module):
        for package in ROOMS:
            here, there = room(module, package), room(name, package)
            if here is not None and there is not None and there > here:
                found.append(f"{path}: {package} imports {name}, a later room")
        command = within(module, "schedcheck.commands")
        if (
            command
            and within(name, "schedcheck")
            and name.count(".") > 1
            and not any(within(name, f"schedcheck.{each}") for each in OF_COMMANDS)
        ):
            found.append(f"{path}: a command imports {name}, which is behind the public API")
    return sorted(found)


def for_types(tree: ast.AST) -> set[ast.AST]:
    """The nodes under `if TYPE_CHECKING`, which are not run."""
    blocks = (node for node in ast.walk(tree) if isinstance(node, ast.If))
    return {each for node in blocks if ast.unparse(node.test) == "TYPE_CHECKING" for each in ast.walk(node)}


def circles(sources: dict[str, str]) -> list[set[str]]:
    """The sets of modules, given by name with their texts, that import each other, be it inside functions."""
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for module, source in sources.items():
        tree = ast.parse(source)
        unseen = for_types(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Import | ast.ImportFrom) and node not in unseen:
                for name in imported(ast.unparse(node), module):
                    target = name if name in sources else name.rpartition(".")[0]
                    if target in sources and target != module:
                        sorter.add(module, target)
    try:
        sorter.prepare()
    except CycleError as error:
        return [set(error.args[1])]
    return []


def python_files() -> list[Path]:
    """Every Python file of the repository once: the links inside schedcheck/ are not followed."""
    linked = {ROOT / "schedcheck" / name for name in LAYERS[:3]} | {ROOT / "schedcheck" / "examples"}
    files = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
    return sorted(path for path in files if not linked & set(path.parents))


def test_imports_point_down() -> None:
    files = python_files()
    assert {ROOT / name / "__init__.py" for name in LAYERS} <= set(files)
    texts = [(file.read_text("utf-8"), file.relative_to(ROOT).as_posix()) for file in files]
    assert [line for source, path in texts for line in refusals(source, path)] == []


def test_rooms_import_only_rooms_before_them() -> None:
    texts = [(file.read_text("utf-8"), file.relative_to(ROOT).as_posix()) for file in python_files()]
    assert [line for source, path in texts for line in back(source, path)] == []


def across(source: str, path: str) -> list[str]:
    """Each import of one of the three schedulers of spec by another one."""
    own = module_name(path).split(".")
    if own[:2] != ["schedcheck", "spec"] or own[2] not in GENERATIONS:
        return []
    others = [f"schedcheck.spec.{each}" for each in GENERATIONS if each != own[2]]
    names = imported(source, ".".join(own))
    return [f"{path}: imports {name}" for name in names if any(within(name, other) for other in others)]


def test_the_schedulers_of_spec_do_not_import_each_other() -> None:
    texts = [(file.read_text("utf-8"), file.relative_to(ROOT).as_posix()) for file in python_files()]
    assert [line for source, path in texts for line in across(source, path)] == []
    invented = "from schedcheck.spec.kubernetes.volumes import claims"
    assert len(across(invented, "spec/classic/filtering.py")) == 1
    assert across(invented, "spec/kubernetes/cycle.py") == across(invented, "spec/profiles.py") == []


def test_every_room_has_a_place_in_the_order() -> None:
    for package, rooms in ROOMS.items():
        folder = ROOT.joinpath(*package.split(".")[1:] or ["schedcheck"])
        there = {path.stem for path in folder.iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()}
        assert there - {"__init__"} == set(rooms), package


def test_no_files_import_each_other_in_a_circle() -> None:
    files = {file.relative_to(ROOT).as_posix(): file.read_text("utf-8") for file in python_files()}
    package = {path: text for path, text in files.items() if path.split("/")[0] in LAYERS}
    assert circles({module_name(path).removesuffix(".__init__"): text for path, text in package.items()}) == []


@pytest.mark.parametrize("late", ["import schedcheck.spec.a", "def f():\n    from schedcheck.spec import a"])
def test_a_circle_of_files_is_refused(late: str) -> None:
    early = "from schedcheck.spec.b import c"
    assert circles({"schedcheck.spec.a": early, "schedcheck.spec.b": late})
    for_types_alone = "if TYPE_CHECKING:\n    import schedcheck.spec.a"
    assert not circles({"schedcheck.spec.a": early, "schedcheck.spec.b": for_types_alone})


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("spec/published/control_loop.py", "from schedcheck.spec.profiles import CORRECTED"),
        ("spec/kubernetes/cycle.py", "from schedcheck.spec.classic.policy import Classic"),
        ("checker/limits/timer.py", "from schedcheck.checker.exploring.search import breadth_first"),
        ("checker/divergences/rows.py", "from schedcheck.checker.differential.decisions import compared"),
        ("model/production/snapshot/snapshot.py", "from schedcheck.model.production.queue.heap import Heap"),
        ("model/classic/nodes/cache.py", "from schedcheck.model.classic.scheduler import Scheduler"),
        ("schedcheck/report/text/trace.py", "from schedcheck.api.check import check"),
        ("schedcheck/manifests/pods.py", "from schedcheck.report.text import trace"),
        ("schedcheck/commands/explain.py", "from schedcheck.checker.explain.kubernetes import cycle_explanation"),
        ("schedcheck/commands/explain.py", "from schedcheck.manifests.seen import seen"),
    ],
)
def test_an_import_of_a_later_room_is_refused(path: str, source: str) -> None:
    assert len(back(source, path)) == 1


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("spec/binding.py", "import schedcheck.model.machine"),
        ("spec/binding.py", "from schedcheck.checker import explore"),
        ("spec/binding.py", "from schedcheck import cli"),
        ("spec/binding.py", "from schedcheck import __version__"),
        ("spec/binding.py", "from schedcheck import *"),
        ("spec/binding.py", "import schedcheck"),
        ("spec/binding.py", "from ..model import machine"),
        ("spec/__init__.py", "from ..checker.explore import explore"),
        ("spec/feasibility/taints.py", "from ...model.machine import Machine"),
        ("spec/binding.py", "def late():\n    from schedcheck.checker import explore"),
        ("spec/binding.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import schedcheck.model.machine"),
        ("spec/binding.py", "import importlib\nimportlib.import_module('schedcheck.model.machine')"),
        ("model/machine.py", "from schedcheck.checker.explore import explore"),
        ("model/machine.py", "from schedcheck.cluster import manifests"),
        ("checker/explore.py", "from schedcheck.cli import main"),
        ("checker/explore.py", "import schedcheck.cluster.scenarios"),
        ("checker/explore.py", "from schedcheck.report import terminal"),
        ("checker/explore.py", "from ..recordings import extender"),
        ("model/production/cache.py", "from schedcheck.spec.selectors import matches"),
        ("model/production/cache.py", "from schedcheck.spec import preemption"),
        ("model/production/cache.py", "from schedcheck.spec import objects, preemption"),
        ("model/production/cache.py", "import schedcheck.spec"),
        ("model/production/cache.py", "from ...spec.feasibility import feasibility"),
        ("model/production/cache.py", "from schedcheck.spec.objects_of_others import Pod"),
        ("model/production/__init__.py", "from ...spec import binding"),
        ("model/production/cache.py", "from schedcheck.spec.classic.policy import Classic"),
        ("model/classic/nodes/cache.py", "from schedcheck.spec.selectors import selects"),
        ("model/classic/nodes/cache.py", "from schedcheck.spec.binding import occupants"),
        ("model/classic/preemption.py", "from schedcheck.spec.classic.failures import UNRESOLVABLE"),
        ("model/classic/preemption.py", "from schedcheck.spec.classic import policy, preemption"),
        ("model/classic/preemption.py", "from schedcheck.spec.kubernetes.plugins import Plugins"),
        ("model/classic/__init__.py", "from ...spec import classic"),
        ("schedcheck/cli.py", "from spec.objects import Pod"),
        ("schedcheck/cli.py", "import model"),
        ("spec/binding.py", "import spec.objects"),
        ("tests/spec/test_binding.py", "from checker.explore import explore"),
        ("benchmarks/explore.py", "__import__('checker')"),
    ],
)
def test_a_forbidden_import_is_refused(path: str, source: str) -> None:
    assert len(refusals(source, path)) == 1


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("spec/binding.py", "from schedcheck.spec.objects import Pod"),
        ("spec/__init__.py", "from .objects import Pod"),
        ("spec/feasibility/taints.py", "from ..objects import Pod"),
        ("spec/binding.py", "from dataclasses import dataclass"),
        ("spec/binding.py", "import specification_of_others"),
        ("model/reference.py", "from schedcheck.spec.scheduling import scheduler"),
        ("model/production/cache.py", "from schedcheck.spec.objects import Pod"),
        ("model/production/cache.py", "from schedcheck.spec import objects, quantities"),
        ("model/production/cache.py", "import schedcheck.spec.quantities"),
        ("model/production/cache.py", "from ..machine import Machine"),
        ("model/classic/fitting.py", "from schedcheck.spec.classic.policy import Classic"),
        ("model/classic/matching.py", "from schedcheck.spec.terms import LabelSelector"),
        ("model/production/cache.py", "from schedcheck.model.production.queue import Queue"),
        ("checker/differential.py", "from schedcheck.model import reference\nfrom schedcheck.spec import scheduling"),
        ("schedcheck/cli.py", "from schedcheck import __version__, checker, cluster, model, spec"),
        ("tests/test_cli.py", "from schedcheck.cli import main"),
    ],
)
def test_an_import_that_points_down_is_allowed(path: str, source: str) -> None:
    assert refusals(source, path) == []
