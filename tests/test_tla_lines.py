"""The `TLA+:` lines of the docstrings are those of the modules in tla/

A docstring gives a definition, `TLA+: Name(...) == ...`, or declares a constant, `TLA+: CONSTANT Name, ...`, or names
actions, `TLA+: Name(...), Name(...)`. Definitions are parsed and compared as trees: layout does not count, except where
the column of a bullet has a meaning.
"""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from schedcheck.checker.language.syntax.errors import Misread
from schedcheck.checker.language.syntax.parser import parsed
from schedcheck.checker.language.syntax.tree import Definition

ROOT = Path(__file__).resolve().parent.parent
LANGUAGE = ROOT / "checker" / "language"
# These modules define vocabulary or belong to the model around the scheduler, and have no operator in spec/. For the
# classic scheduler tla/ has the default predicates and priorities as a whole, and spec/classic/ each by itself.
# Extenders are tables in tla/ and functions in spec/; the operators that both have are compared.
WITHOUT_TWIN = {
    "Extending", "KubeExtenders", "ClassicExtenders",
    "Arithmetic", "Snapshots", "KubeSnapshots", "Environment", "Controlling", "Surroundings", "Cluster", "Deleting", "KubeEvicting",
    "KubeArriving", "KubeCluster", "ClassicPredicates", "ClassicPriorities", "ClassicPreemption", "ClassicCluster",
    "ProductionRefinement", "Questions", "Deciding", "KubeDeciding", "EarlyDeciding", "Orbits", "KubeGangCluster",
    "KubeDeviceCluster", "AutoscalerReplicas", "AutoscalerReadings", "ScaledWorkloads", "KubeScaledCluster",
    "KubePodGroupCluster", "NodeShutdown", "KubeShutdownCluster",
    "WorkloadPods", "JobPods", "KubeJobCluster", "FairJobCluster",
    "RolloutPods", "StatefulPods", "DaemonPods", "KubeRolloutCluster", "FairRolloutCluster",
    "NodePools", "PoolPacking", "PoolGrowth", "PoolRemovals", "KubePooledCluster",
    "Instances", "NominatingInstances", "FairCluster", "FairKubeCluster", "FairClassicCluster", "FairShutdownCluster",
    "FairPooledCluster", "FairDescheduledCluster", "FairProvisionedCluster", "FairGangCluster", "FairPodGroupCluster", "FairDeviceCluster",
    "FairScaledCluster",
    "LabelValues", "KarpenterPools", "KarpenterAsking", "KarpenterTopology", "KarpenterSolving", "KarpenterCandidates",
    "KarpenterConsolidation", "KubeProvisionedCluster",
    "DeschedulerView", "DeschedulerPlans", "DeschedulerViolations", "DeschedulerDuplicates", "DeschedulerAges",
    "DeschedulerSpread", "DeschedulerUtilization", "DeschedulerCycle", "KubeDescheduledCluster",
}  # fmt: skip

COMMENT = re.compile(r"\(\*.*?\*\)|\\\*[^\n]*", re.DOTALL)
HEAD = re.compile(r"^(\w+)(\([^()]*(?:\([^()]*\)[^()]*)*\))?\s*==", re.MULTILINE)
NEXT = re.compile(r"^\S", re.MULTILINE)
LINE = re.compile(r"TLA\+:\s*(.*?)(?=\n\s*\n|\n\s*(?:Kubernetes|Differs|Raises)\b|\Z)", re.DOTALL)


def tree_of(definition: str) -> Definition | None:
    """The definition as a tree; None if it is not TLA+."""
    try:
        units = parsed(f"---- MODULE Line ----\n{definition}\n====", "Line").units
    except Misread:
        return None
    return units[0] if len(units) == 1 and isinstance(units[0], Definition) else None


@cache
def known_tree(definition: str) -> Definition | None:
    """The tree of a definition of a module, cached for comparison with many lines."""
    return tree_of(definition)


@cache
def definitions(module: str) -> dict[str, str]:
    """The definitions of a module, by name, each from its head to the next line that is not indented."""
    bare = COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment[0]), module)
    found = {}
    for head in HEAD.finditer(bare):
        end = NEXT.search(bare, head.end())
        found[head[1]] = bare[head.start() : end.start() if end else len(bare)].rstrip()
    return found


@cache
def lines(source: str) -> tuple[str, ...]:
    """The texts after `TLA+:` in the docstrings of a Python source, including those of constants."""
    return tuple(
        line[1]
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        for line in LINE.finditer(node.value.value)
    )


def faults_of(line: str, defined: dict[str, str], declared: set[str]) -> list[str]:
    """The differences of the line from the modules; empty if there is none."""
    head = HEAD.match(line)
    if head is not None:
        if head[1] not in defined:
            return [f"no module defines {head[1]}"]
        read = tree_of(line)
        if read is None:
            return [f"{head[1]} is no definition of TLA+"]
        return [] if read == known_tree(defined[head[1]]) else [f"{head[1]} is another in its module"]
    if line.startswith("CONSTANT "):
        name = re.findall(r"\w+", line)[1]
        return [] if name in declared else [f"no module declares {name}"]
    heads = re.findall(r"(\w+)(\([^()]*\))", line)
    return [
        f"no module defines {name}{parameters}"
        for name, parameters in heads
        if not defined.get(name, "").startswith(f"{name}{parameters} ==")
    ] or ([] if heads else [f"neither a definition nor a constant nor an action: {line}"])


@cache
def modules() -> dict[str, str]:
    paths = sorted((ROOT / "tla").glob("*.tla"))
    return {path.stem: path.read_text(encoding="utf-8") for path in paths}


@cache
def all_definitions() -> dict[str, str]:
    return {name: text for module in modules().values() for name, text in definitions(module).items()}


@cache
def constants() -> set[str]:
    """Every constant that some module declares."""
    declared = set()
    for module in modules().values():
        bare = COMMENT.sub("", module)
        for names in re.findall(r"^CONSTANTS?\s+(\w+(?:\s*,\s*\w+)*)", bare, re.MULTILINE):
            declared |= set(re.split(r"\s*,\s*", names))
    return declared


def sources() -> list[Path]:
    """The files with counterparts in tla/; those about the TLA+ language itself use the word differently."""
    return sorted(
        path
        for folder in ("spec", "model", "checker")
        for path in (ROOT / folder).rglob("*.py")
        if LANGUAGE not in path.parents
    )


@pytest.mark.parametrize("path", sources(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_the_tla_lines_of_a_file_match_the_modules(path: Path) -> None:
    defined, declared = all_definitions(), constants()
    found = [fault for line in lines(path.read_text(encoding="utf-8")) for fault in faults_of(line, defined, declared)]
    assert found == []


def test_every_operator_of_a_module_has_a_docstring() -> None:
    given = {
        head[1]
        for path in sources()
        for line in lines(path.read_text(encoding="utf-8"))
        if (head := HEAD.match(line)) is not None
    }
    missing = [
        f"{module}.{name}"
        for module, text in modules().items()
        if module not in WITHOUT_TWIN
        for name in definitions(text)
        if name not in given
    ]
    assert missing == []


def test_no_operator_is_defined_twice() -> None:
    names = [name for module in modules().values() for name in definitions(module)]
    assert sorted(set(names)) == sorted(names)


MODULE = r"""
---- MODULE Small ----
(* Prose with Fit(Pod) == FALSE in it. *)
EXTENDS Integers
CONSTANT Faults  (* names *)
Fit(Pod, Node) ==
  \/ /\ Pod.Size <= Node.Size
     /\ "x" \notin Faults
  \/ Pod.Size = 0

Least == -2147483647 - 1
====
"""


@pytest.mark.parametrize(
    "line",
    [
        'Fit(Pod, Node) ==\n  \\/ /\\ Pod.Size <= Node.Size\n     /\\ "x" \\notin Faults\n  \\/ Pod.Size = 0',
        'Fit(Pod,Node) ==\n      \\/ /\\ Pod.Size<=Node.Size\n         /\\ "x" \\notin  Faults\n      \\/ Pod.Size  =  0',
        "Least == -2147483647 - 1",
        "CONSTANT Faults, a set of names",
        "Fit(Pod, Node)",
    ],
)
def test_a_line_that_matches_the_module_is_accepted(line: str) -> None:
    assert faults_of(line, definitions(MODULE), {"Faults"}) == []


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (
            'Fit(Pod, Node) ==\n  \\/ /\\ "x" \\notin Faults\n     /\\ Pod.Size <= Node.Size\n  \\/ Pod.Size = 0',
            "Fit is another in its module",
        ),
        (
            'Fit(Pod, Node) ==\n  \\/ /\\ Pod.Size < Node.Size\n     /\\ "x" \\notin Faults\n  \\/ Pod.Size = 0',
            "Fit is another in its module",
        ),
        (
            'Fit(Pod, Node) ==\n  \\/ /\\ Pod.Size <= Node.Size\n     /\\ "x" \\notin Faults\n     \\/ Pod.Size = 0',
            "Fit is another in its module",
        ),
        ('Fit(Pod, Node) ==\n  /\\ Pod.Size <= Node.Size\n  /\\ "x" \\notin Faults', "Fit is another in its module"),
        (
            'Fit(Node, Pod) ==\n  \\/ /\\ Pod.Size <= Node.Size\n     /\\ "x" \\notin Faults\n  \\/ Pod.Size = 0',
            "Fit is another in its module",
        ),
        ("Fits(Pod, Node) == TRUE", "no module defines Fits"),
        ("CONSTANT Fault, a set of names", "no module declares Fault"),
        ("Fit(Pod)", "no module defines Fit(Pod)"),
        ("tla/Small.tla", "neither a definition nor a constant nor an action: tla/Small.tla"),
    ],
)
def test_a_line_that_differs_from_the_module_is_refused(line: str, fault: str) -> None:
    assert faults_of(line, definitions(MODULE), {"Faults"}) == [fault]
