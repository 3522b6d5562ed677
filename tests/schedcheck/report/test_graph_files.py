"""The explored graph as a file: each format can be read back, and errors are one line"""

import io
import re
from pathlib import Path

import networkx
import numpy as np
import pytest

from schedcheck.checker.check import Checked, check
from schedcheck.cli import main
from schedcheck.report.files import graph as graph_files
from tests.support.building import five_pods, node, on_pods, pod, scenario

SMALL = scenario(pod("a", 1), pod("b", 1), node("n", 1), absent="a", rules=[on_pods("arrive", "a")])
MULTI_STEP = str(Path(__file__).parents[3] / "examples" / "multi-step")


def kept(constraints: tuple[str, ...] = ()) -> Checked:
    return check(SMALL if not constraints else scenario(
        pod("a", 1), pod("b", 1), node("n", 1), absent="a", rules=[on_pods("arrive", "a")], constraints=constraints
    ), keep_graph=True)  # fmt: skip


def edges(checked: Checked) -> list[tuple[int, int, str]]:
    assert checked.graph is not None
    graph, _ = checked.graph
    return [
        (state, int(graph.targets[edge]), graph.texts[graph.actions[edge]])
        for state in range(graph.states)
        for edge in graph.edges_from(state)
    ]


def test_the_small_graph_has_the_expected_steps() -> None:
    """Pod b is pending, a may arrive; the single node has room for one of them."""
    assert edges(kept()) == [(0, 1, "Arrive(a)"), (0, 2, "Bind(b, n)"), (1, 3, "Bind(a, n)"), (1, 4, "Bind(b, n)"), (2, 4, "Arrive(a)")]  # fmt: skip


def test_a_dot_file_has_every_state_and_step(tmp_path: Path) -> None:
    for name in ("graph.dot", "graph.gv"):
        graph_files.write(kept(), tmp_path / name)
        text = (tmp_path / name).read_text()
        assert text.startswith('digraph "test" {\n') and text.endswith("}\n")
        found = re.findall(r'^  (\d+) -> (\d+) \[label="(.*)"\];$', text, re.MULTILINE)
        assert [(int(start), int(end), action) for start, end, action in found] == edges(kept())
        assert re.findall(r'^  (\d+) \[label="(.*)", peripheries=2\];$', text, re.MULTILINE) == [("0", "b: unbound")]
        assert '  1 [label="a: unbound\\nb: unbound"];' in text
    assert (tmp_path / "graph.dot").read_bytes() == (tmp_path / "graph.gv").read_bytes()


def test_all_states_beyond_a_constraint_are_drawn_as_one(tmp_path: Path) -> None:
    graph_files.write(kept(("at_most_unbound(1)",)), tmp_path / "graph.dot")
    text = (tmp_path / "graph.dot").read_text()
    assert '  "-1" [label="beyond the constraints", style=dashed];' in text
    assert '  0 -> "-1" [label="Arrive(a)"];' in text


def test_text_with_special_characters_is_quoted_for_dot() -> None:
    assert graph_files._quoted('a "b" \\ c\nd é') == '"a \\"b\\" \\\\ c\\nd é"'


def test_graphml_is_read_by_networkx(tmp_path: Path) -> None:
    graph_files.write(kept(), tmp_path / "graph.graphml")
    made = networkx.read_graphml(tmp_path / "graph.graphml", node_type=int)
    assert sorted(made.edges(data="action")) == sorted(edges(kept()))
    assert {kind for *_, kind in made.edges(data="kind")} == {"Arrive", "Bind"}
    assert [number for number, first in made.nodes(data="initial") if first] == [0]
    assert made.nodes[4]["label"] == "a: unbound; b: n"
    assert made.nodes[4]["state"].startswith("State(a@:Pending00 b@n:Pending00 | ")


def test_numpy_reads_the_arrays_and_the_states(tmp_path: Path) -> None:
    checked = kept()
    graph_files.write(checked, tmp_path / "graph.npz")
    with np.load(tmp_path / "graph.npz") as read:
        found = [
            (state, int(read["targets"][edge]), str(read["texts"][read["actions"][edge]]))
            for state in range(len(read["offsets"]) - 1)
            for edge in range(read["offsets"][state], read["offsets"][state + 1])
        ]
        assert found == edges(checked)
        assert read["initial"].tolist() == [0]
        assert set(read["kinds"].tolist()) == {"Arrive", "Bind"}
        assert checked.graph is not None
        assert bytes(read["states"]).decode().split("\n") == [repr(state) for state in checked.graph.states]


@pytest.mark.parametrize("suffix", sorted(graph_files.FORMATS))
def test_the_same_graph_gives_the_same_bytes(suffix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = io.BytesIO(), io.BytesIO()
    for file in (first, second):
        checked = kept()
        assert checked.graph is not None
        graph_files.FORMATS[suffix](checked, checked.graph, file)
        monkeypatch.setattr("time.time", lambda: 10**9)
    assert first.getvalue() == second.getvalue()


def said(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    code = main([*argv])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_check_writes_the_graph_without_symmetry_and_says_so(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "graph.npz"
    code, out, err = said(capsys, "check", MULTI_STEP, "--graph", str(path))
    assert (code, err) == (1, f"schedcheck: written: {path}\n")
    assert "9 distinct\n" in out
    with np.load(path) as read:
        assert len(read["offsets"]) == 10


def test_an_unknown_suffix_is_refused_before_the_exploration(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code, out, err = said(capsys, "check", MULTI_STEP, "--graph", "graph.png")
    assert (code, out) == (3, "")
    assert err == "schedcheck: --graph: 'graph.png': expected a file that ends in one of .dot, .gv, .graphml, .npz\n"


def test_a_graph_too_large_for_text_is_refused_with_a_hint_to_npz(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked = check(five_pods(), keep_graph=True)
    monkeypatch.setattr(graph_files, "LARGEST_TEXT", 10_000)
    for suffix in (".dot", ".graphml"):
        with pytest.raises(
            graph_files.InputError, match=rf"2,112 states and [\d,]+ steps are too many for {suffix}; .npz"
        ):
            graph_files.write(checked, tmp_path / f"graph{suffix}")
        assert not (tmp_path / f"graph{suffix}").exists()
    graph_files.write(checked, tmp_path / "graph.npz")
    assert (tmp_path / "graph.npz").stat().st_size > 0


def test_an_unwritable_file_is_reported_in_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, _, err = said(capsys, "check", MULTI_STEP, "--graph", str(tmp_path / "none" / "graph.dot"))
    assert code == 3
    assert err.count("\n") == 1 and "No such file or directory" in err


def test_the_program_in_the_documentation_reads_the_arrays(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (Path(__file__).parents[3] / "docs" / "temporal.md").read_text()
    (program,) = re.findall(r"^```python\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    graph_files.write(kept(), tmp_path / "graph.npz")
    monkeypatch.chdir(tmp_path)
    exec(compile(program, "docs/temporal.md", "exec"), {})
    checked = kept()
    assert checked.graph is not None
    expected = [f"{action} -> {checked.graph.states[end]!r}" for start, end, action in edges(checked) if start == 0]
    assert capsys.readouterr().out.splitlines() == expected
