"""The explored graph as a file: DOT, GraphML, and numpy arrays for graphs of any size; `write` chooses by the suffix.

Every format has all states, numbered in the order of discovery, and all steps that change something. The file depends
on the graph alone. `OUTSIDE` stands for all states beyond a constraint.
"""

import json
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import IO, Any

import networkx
import numpy as np
from numpy.typing import NDArray

from schedcheck.checker.check import Checked
from schedcheck.checker.limits.parameters import parameter
from schedcheck.checker.liveness.graph import OUTSIDE, Explored, Graph, to_networkx
from schedcheck.errors import InputError, printable
from schedcheck.report.text.changes import place
from schedcheck.report.text.trace import described, node_text
from schedcheck.spec.objects import Snapshot

LARGEST_TEXT = 100_000
"""The most states and steps, together, of a graph written as text."""

FIRST_DATE = (1980, 1, 1, 0, 0, 0)


def write(checked: Checked, path: Path) -> None:
    """Write the kept graph. Raises InputError if the format is unknown, or the graph too large for it."""
    fitting(path)
    if checked.graph is None:
        raise InputError(
            f"the graph takes more than {parameter('limits.graph')} allows", path=parameter("graph"), value=str(path)
        )
    graph = checked.graph.graph
    size = graph.states + graph.edges
    if path.suffix != ".npz" and size > LARGEST_TEXT:
        said = (
            f"{graph.states:,} states and {graph.edges:,} steps are too many for {path.suffix}; .npz takes any number"
        )
        raise InputError(said, path=parameter("graph"), value=str(path))
    with path.open("wb") as file:
        FORMATS[path.suffix](checked, checked.graph, file)


def fitting(path: Path) -> None:
    """Raises InputError if no format has the suffix."""
    if path.suffix not in FORMATS:
        raise InputError(
            f"expected a file that ends in one of {', '.join(FORMATS)}", path=parameter("graph"), value=str(path)
        )


def label(snapshot: Snapshot) -> str:
    """Return the pods of a snapshot with their nodes, and its cordoned or tainted nodes, separated by "; "."""
    pods = [f"{described(pod)}: {place(pod)}" for pod in snapshot.pods]
    nodes = [node_text(node) for node in snapshot.nodes if node_text(node) != node.name]
    return printable("; ".join([*pods, *nodes]) or "no pod")


def dot(checked: Checked, explored: Explored, file: IO[bytes]) -> None:
    """Write the graph in the language of Graphviz; an initial state has a double border."""
    graph = explored.graph
    initial = set(graph.initial.tolist())
    lines = [f"digraph {_quoted(checked.scenario.name)} {{", "  node [shape=box];"]
    for number, state in enumerate(explored.states):
        border = ", peripheries=2" if number in initial else ""
        text = label(checked.machine.view(state)).replace("; ", "\n")
        lines.append(f"  {number} [label={_quoted(text)}{border}];")
    if (graph.targets == OUTSIDE).any():
        lines.append(f'  "{OUTSIDE}" [label="beyond the constraints", style=dashed];')
    for number in range(graph.states):
        for edge in graph.edges_from(number):
            target = int(graph.targets[edge])
            to = f'"{target}"' if target == OUTSIDE else f"{target}"
            lines.append(f"  {number} -> {to} [label={_quoted(graph.texts[int(graph.actions[edge])])}];")
    file.write("\n".join([*lines, "}", ""]).encode())


def _quoted(text: str) -> str:
    """Return a text quoted as in JSON, but with non-ASCII characters unescaped, as DOT has no escapes for them."""
    return json.dumps(text, ensure_ascii=False)


def graphml(checked: Checked, explored: Explored, file: IO[bytes]) -> None:
    """Write the graph in GraphML: `initial`, `label` and `state` of a state, `action` and `kind` of a step."""
    made = to_networkx(explored.graph)
    for number, state in enumerate(explored.states):
        made.nodes[number]["label"] = label(checked.machine.view(state))
        made.nodes[number]["state"] = printable(repr(state))
    file.write(("\n".join(networkx.generate_graphml(made)) + "\n").encode())


def npz(checked: Checked, explored: Explored, file: IO[bytes]) -> None:
    """Write the arrays of `checker.liveness.graph.Graph`, and `states`: the states' texts, one per line, as bytes."""
    states = "\n".join(printable(repr(state)) for state in explored.states).encode()
    archive({**arrays_of(explored.graph), "states": np.frombuffer(states, dtype=np.uint8)}, file)


def arrays_of(graph: Graph) -> dict[str, NDArray[Any]]:
    """Return the arrays of a graph; its texts and the names of its kinds become arrays of text."""
    return {
        "initial": graph.initial,
        "offsets": graph.offsets,
        "targets": graph.targets,
        "actions": graph.actions,
        "texts": np.array(graph.texts, dtype=np.str_),
        "kinds": np.array([kind.__name__ for kind in graph.kinds], dtype=np.str_),
    }


def archive(arrays: Mapping[str, NDArray[Any]], file: IO[bytes]) -> None:
    """Write the arrays compressed, as numpy.load reads them; equal arrays give equal bytes."""
    with zipfile.ZipFile(file, "w") as written:
        for name, each in arrays.items():
            entry = zipfile.ZipInfo(f"{name}.npy", FIRST_DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            with written.open(entry, "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.ascontiguousarray(each), allow_pickle=False)


FORMATS: dict[str, Callable[[Checked, Explored, IO[bytes]], None]] = {
    ".dot": dot,
    ".gv": dot,
    ".graphml": graphml,
    ".npz": npz,
}
"""The writer for each suffix."""
