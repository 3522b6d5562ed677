"""A definition of the specification, for readers: its sentence, its TLA+, its twin and its source: `definition`."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from schedcheck.errors import InputError
from schedcheck.manifests.fields import nearest
from schedcheck.tla_export.shipped import FOLDER

TLA = re.compile(r"TLA\+:\s*(.*?)(?=\n\s*\n|\n\s*(?:Kubernetes|Differs|Raises)\b|\Z)", re.DOTALL)
KUBERNETES = re.compile(r"(Kubernetes 1\.\d+:.*?)(?=\n\s*\n|\Z)", re.DOTALL)
OPERATOR = re.compile(r"(?:CONSTANT\s+)?([A-Z]\w*)")


@dataclass(frozen=True)
class Definition:
    """A definition of the specification.

    name
        Its name in Python, dotted from `schedcheck.spec`.
    text
        What it says, in a sentence or more.
    tla, tla_module
        Its line of TLA+ and the module of tla/ that has it; empty where it has none.
    kubernetes
        The file and function of Kubernetes that it follows; empty where it follows none.
    file, line
        Where it stands in Python.
    """

    name: str
    text: str
    tla: str
    tla_module: str
    kubernetes: str
    file: str
    line: int


def definition(name: str) -> tuple[Definition, ...]:
    """Return the definitions of a plugin ("PodTopologySpread"), an operator ("Feasibility") or a function ("bound_to").

    Raises: InputError with the nearest name if there is none.
    """
    found = _index().get(name, ())
    if not found:
        raise InputError(f"no definition has this name{nearest(name, set(_index()))}", path="definition", value=name)
    return found


@cache
def _index() -> MappingProxyType[str, tuple[Definition, ...]]:
    """Return the definitions by each of their names."""
    made: dict[str, list[Definition]] = {}
    modules = _modules()
    for each, plugin in _definitions(modules):
        operator = OPERATOR.match(each.tla)
        names = {each.name.rpartition(".")[2], each.name, operator[1] if operator else "", plugin}
        for name in sorted(filter(None, names)):
            made.setdefault(name, []).append(each)
    return MappingProxyType({name: tuple(found) for name, found in made.items()})


def _definitions(modules: dict[str, str]) -> Iterator[tuple[Definition, str]]:
    """Yield every definition with the plugin that its file is named after."""
    root = Path(__file__).parents[1] / "spec"
    for path in sorted(root.rglob("*.py")):
        file = path.relative_to(root.parent).as_posix()
        plugin = "".join(part.capitalize() for part in path.stem.split("_"))
        in_plugin = plugin if path.parent.name in ("filters", "scores", "predicates", "priorities") else ""
        dotted = "schedcheck." + file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        tree = ast.parse(path.read_text(encoding="utf-8"))
        of_file = KUBERNETES.search(ast.get_docstring(tree) or "")
        for node in tree.body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
                text = ast.get_docstring(node) or ""
                tla = TLA.search(text)
                source = KUBERNETES.search(text) or of_file
                line = tla[1].strip() if tla else ""
                operator = OPERATOR.match(line)
                yield (
                    Definition(
                        f"{dotted}.{node.name}",
                        text.split("TLA+:")[0].split("Kubernetes 1.")[0].strip(),
                        line,
                        modules.get(operator[1], "") if operator else "",
                        " ".join(source[1].split()) if source else "",
                        file,
                        node.lineno,
                    ),
                    in_plugin,
                )


def _modules() -> dict[str, str]:
    """Return for each operator the module of tla/ that defines it."""
    found: dict[str, str] = {}
    for path in sorted(FOLDER.glob("*.tla")):
        for each in re.findall(r"^(\w+)(?:\([^)]*\))?\s*==", path.read_text(encoding="utf-8"), re.MULTILINE):
            found.setdefault(each, path.name)
    return found
