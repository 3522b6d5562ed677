"""The lines of objects and fields, held against marks that the texts themselves have at these lines."""

import gzip
import json
from pathlib import Path

import pytest

from schedcheck.manifests import read
from schedcheck.manifests.spots import Place, Spot, places, steps

YAML = """\
# A comment first.
---
---
apiVersion: v1
kind: Pod  # not-the-first-key
metadata: {name: first}
spec:
  nodeSelector: &labels  # selector
    disk: ssd  # disk
  containers:
  - name: main
    image: i  # image
  - name: two
    image: j  # second
    env: *labels  # alias
  tolerations:
  - <<: *labels  # merged
---
apiVersion: v1
kind: List
items:
- apiVersion: v1  # second-object
  kind: Node
  metadata:
    name: n  # old
    name: m  # new
"""
PATHS = {
    "selector": (2, ("spec", "nodeSelector")),
    "disk": (2, ("spec", "nodeSelector", "disk")),
    "image": (2, ("spec", "containers", 0, "image")),
    "second": (2, ("spec", "containers", 1, "image")),
    "alias": (2, ("spec", "containers", 1, "env", "disk")),
    "merged": (2, ("spec", "tolerations", 0, "disk")),
    "second-object": (3, ("items", 0)),
    "new": (3, ("items", 0, "metadata", "name")),
}


def line_of(mark: str, text: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if line.endswith(f"# {mark}"))


@pytest.mark.parametrize(("mark", "at"), PATHS.items())
def test_a_field_of_yaml_is_at_the_line_of_its_key(
    mark: str, at: tuple[int, tuple[str | int, ...]], tmp_path: Path
) -> None:
    file = str(tmp_path / "a.yaml")
    Path(file).write_text(YAML)
    spot = Spot(file, *at)
    assert places([spot])[spot].line == line_of(mark, YAML)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("broken", ["", "\u2028", "\u2029", "\x85", "\u2028\x85", "\t", "😀"])
def test_lines_and_columns_are_those_that_editors_count(newline: str, mark: str, broken: str, tmp_path: Path) -> None:
    lines = ["kind: Pod", f'metadata: {{name: "a{broken}b", uid: u}}', "---", "kind: Node", f'status: {{a: "{broken}"}}', "spec: {unschedulable: true}"]  # fmt: skip
    file = tmp_path / "a.yaml"
    file.write_bytes((mark + newline.join(lines)).encode())
    inner, outer = Spot(str(file), 1, ("metadata", "uid")), Spot(str(file), 2, ("spec", "unschedulable"))
    assert places([inner, outer]) == {
        inner: Place(str(file), 2, lines[1].index("uid") + 1),
        outer: Place(str(file), 6, lines[5].index("unschedulable") + 1),
    }


def test_a_field_that_the_object_lacks_is_at_the_nearest_that_holds_it(tmp_path: Path) -> None:
    file = str(tmp_path / "a.yaml")
    Path(file).write_text(YAML)
    lacking = Spot(file, 2, ("spec", "nodeSelector", "zone", "x"))
    nowhere = Spot(file, 9, ("spec",))
    assert places([lacking, nowhere]) == {lacking: Place(file, line_of("selector", YAML), 3)}


@pytest.mark.parametrize("indent", [None, 2, "\t"])
@pytest.mark.parametrize("packed", [False, True])
def test_a_field_of_json_has_the_line_that_holds_it(indent: int | str | None, packed: bool, tmp_path: Path) -> None:
    items = [{"kind": "Pod", "metadata": {"name": f"p{number}", "labels": {'a"b{': "x,:]"}}} for number in range(3)]
    text = (
        "\n" + json.dumps({"kind": "List", "items": items}, indent=indent) + "\n" + json.dumps(items[0], indent=indent)
    )
    file = tmp_path / ("a.json.gz" if packed else "a.yaml" if indent == 2 else "a.json")
    file.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    second = Spot(str(file), 1, ("items", 1, "metadata", "name"))
    alone = Spot(str(file), 2, ("metadata", "name"))
    found = places([second, alone])
    at = [number for number, line in enumerate(text.splitlines(), 1) if '"p1"' in line]
    first = [number for number, line in enumerate(text.splitlines(), 1) if '"p0"' in line]
    assert [found[second].line, found[alone].line] == [at[0], first[-1]]
    line = text.splitlines()[found[second].line - 1]
    assert line[found[second].column - 1 :].startswith('"name": "p1"')


def test_every_object_that_is_read_has_its_spot(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(
        YAML.replace("    env: *labels  # alias\n", "").replace("  tolerations:\n  - <<: *labels  # merged\n", "")
    )
    found = read([file]).spots
    assert found == {
        ("Pod", "default", "first"): Spot(str(file), 2),
        ("Node", "", "m"): Spot(str(file), 3, ("items", 0)),
    }


def test_standard_input_and_files_that_are_gone_have_no_lines(tmp_path: Path) -> None:
    assert places([Spot("standard input", 1), Spot(str(tmp_path / "gone.yaml"), 1)]) == {}


def test_a_path_in_words_is_split_into_its_steps() -> None:
    assert steps("spec.containers[10].name") == ("spec", "containers", 10, "name")
    assert steps("metadata.labels['a.b/c'].x") == ("metadata", "labels", "a.b/c", "x")
    assert steps("") == ()
