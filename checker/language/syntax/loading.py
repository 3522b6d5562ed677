"""Loading a module with all modules that it extends and instantiates, from its own folder and other folders."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, fields
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from schedcheck.checker.language.syntax.errors import Misread
from schedcheck.checker.language.syntax.files import read
from schedcheck.checker.language.syntax.parser import parsed
from schedcheck.checker.language.syntax.text import untranslated
from schedcheck.checker.language.syntax.tree import Instance, Module, Node, Position

CORE = frozenset(
    ["Naturals", "Integers", "Reals", "Sequences", "FiniteSets", "Bags", "TLC", "TLCExt", "Randomization", "TLAPS"]
)
"""Modules that are built in; as in TLC, files of these names are ignored."""

_COMMUNITY = frozenset(["Functions", "Folds", "FiniteSetsExt", "SequencesExt", "BagsExt"])
_THEOREMS = frozenset(
    ["NaturalsInduction", "WellFoundedInduction", "FiniteSetTheorems", "FunctionTheorems", "SequenceTheorems"]
)

STANDARD = CORE | _COMMUNITY | _THEOREMS
"""Modules known without a file. For the CommunityModules and the modules of theorems, a file takes precedence."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """The root module, all needed modules by name, and the needed standard modules that have no file.

    `untranslated`: the root module has a PlusCal algorithm without a translation. `files`: those that were read.
    """

    root: Module
    modules: dict[str, Module]
    standard: frozenset[str]
    untranslated: bool = False
    files: tuple[Path, ...] = ()


def loaded(path: Path, libraries: Sequence[Path] = (), standard: Collection[str] = STANDARD) -> Loaded:
    """Load the module in the file, with needed modules from its folder, from `libraries` or from `standard`.

    Raises: Misread if a file cannot be read or holds another module, or if a module is not found or needs itself.
    """
    root = _module(path)
    modules, files = {root.name: root}, [path]
    built_in: set[str] = set()
    needs: dict[str, list[str]] = {}
    missing: list[tuple[str, Module, Position]] = []
    waiting = [root]
    while waiting:
        module = waiting.pop()
        needs[module.name] = []
        for name, at in _needed(module):
            needs[module.name].append(name)
            if name in modules or name in built_in:
                continue
            file = None if name in CORE and name in standard else _file(name, [path.parent, *libraries])
            if file is not None:
                modules[name] = _module(file)
                files.append(file)
                waiting.append(modules[name])
            elif name in standard:
                built_in.add(name)
            else:
                missing.append((name, module, at))
    for name, module, at in missing:
        if not _extended(name, module, modules):
            raise Misread(_nowhere(name, path, libraries), at)
    _refuse_cycles(needs, modules)
    return Loaded(root, modules, frozenset(built_in), untranslated(read(path)), tuple(files))


def _nowhere(name: str, path: Path, libraries: Sequence[Path]) -> str:
    places = ", ".join(str(folder) for folder in [path.parent, *libraries])
    return f"no module {name}: no {name}.tla in {places}, and it is no standard module known here"


def _file(name: str, folders: Sequence[Path]) -> Path | None:
    files = (folder / f"{name}.tla" for folder in folders)
    return next((file for file in files if file.is_file()), None)


def _module(path: Path) -> Module:
    name = path.stem
    module = parsed(read(path), name)
    if module.name != name:
        raise Misread(f"the file {path} holds module {module.name}: expected {name}", module.at)
    return module


def _needed(module: Module) -> Iterator[tuple[str, Position]]:
    """Yield the modules needed from elsewhere, each with the position that names it."""
    inner = _inner(module)
    for each in (module, *inner.values()):
        for name in each.extends:
            if name not in inner:
                yield name, each.at
    for instance in _instances(module):
        if instance.module not in inner:
            yield instance.module, instance.at


def _inner(module: Module) -> dict[str, Module]:
    """Return the inner modules of a module, by name."""
    found: dict[str, Module] = {}
    waiting = [module]
    while waiting:
        for unit in waiting.pop().units:
            if isinstance(unit, Module):
                found[unit.name] = unit
                waiting.append(unit)
    return found


def _extended(name: str, module: Module, modules: dict[str, Module]) -> bool:
    """Whether the name is that of an inner module of a module that `module` extends."""
    waiting, seen = list(module.extends), set[str]()
    while waiting:
        extended = waiting.pop()
        if extended in modules and extended not in seen:
            seen.add(extended)
            if name in _inner(modules[extended]):
                return True
            waiting += modules[extended].extends
    return False


def _instances(module: Module) -> Iterator[Instance]:
    """Yield every INSTANCE in the module, also those in LETs, in the order of the text."""
    waiting: list[object] = [module]
    while waiting:
        each = waiting.pop()
        if isinstance(each, Instance):
            yield each
        if isinstance(each, Node):
            waiting += [getattr(each, one.name) for one in reversed(fields(each))]
        elif isinstance(each, tuple):
            waiting += reversed(each)


def _refuse_cycles(needs: dict[str, list[str]], modules: dict[str, Module]) -> None:
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        cycle: list[str] = error.args[1]
        says = " needs ".join(reversed(cycle))
        raise Misread(f"a module may not need itself: {says}", modules[cycle[0]].at) from None
