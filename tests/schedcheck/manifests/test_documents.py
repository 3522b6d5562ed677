"""Files, folders and standard input are read like kubectl does, and unreadable input is refused in one line"""

import io
import os
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from schedcheck.errors import InputError
from schedcheck.manifests import Cluster, read, yaml_documents
from schedcheck.manifests.documents import documents

Read = Callable[[str], Cluster]
Refusal = Callable[[str], str]


def values(*paths: str) -> list[Any]:
    return [document.value for document in documents(paths)]


def written(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text, encoding="utf-8")


def refused(*paths: str) -> str:
    with pytest.raises(InputError) as caught:
        read(paths)
    return str(caught.value)


def test_documents_are_numbered_and_empty_ones_are_skipped(folder: Path) -> None:
    written(folder, in_yaml="---\n# nothing\n---\na: 1\n---\n---\nb: 2\n...\n")
    assert [(each.number, each.value) for each in documents(["in.yaml"])] == [(2, {"a": 1}), (4, {"b": 2})]


def test_a_folder_is_read_recursively_in_sorted_order(folder: Path) -> None:
    for name in ("b.yaml", "a.json", "c/d.yml", "c/e.txt", "README.md"):
        (folder / "dir" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "dir" / name).write_text(f'{{"name": "{name}"}}')
    assert [value["name"] for value in values("dir")] == ["a.json", "b.yaml", "c/d.yml"]


def test_a_dash_means_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a: yes\n")))
    assert values("-") == [{"a": True}]


def test_a_json_file_may_contain_several_values(folder: Path) -> None:
    written(folder, in_json='{"a": 1}\n{"a": 2, "a": 3}\n', flow_yaml="{a: 1}\n---\n{b: 2}")
    assert values("in.json", "flow.yaml") == [{"a": 1}, {"a": 3}, {"a": 1}, {"b": 2}]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_is_understood(folder: Path, encoding: str) -> None:
    (folder / "in.yaml").write_bytes("a: ä\n".encode(encoding))
    assert values("in.yaml") == [{"a": "ä"}]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: yes", {"a": True}),
        ("a: 'yes'", {"a": "yes"}),
        ('a: "0755"', {"a": "0755"}),
        ("a: 0755", {"a": 493}),
        ("a: !!str 0755", {"a": "0755"}),
        ("a: !!int '5'", {"a": 5}),
        ("a: !!float 5", {"a": 5.0}),
        ("a: !!binary aGk=", {"a": "hi"}),
        ("a: !other 5", {"a": "5"}),
        ("a: ! 5", {"a": 5}),
        ("a: |\n  5\n", {"a": "5\n"}),
        ("a:", {"a": None}),
        ("on: 1", {"true": 1}),
        ("5: 1", {"5": 1}),
        ("1.5: 1", {"1.5": 1}),
        ("a: &x {b: 1}\nc: *x", {"a": {"b": 1}, "c": {"b": 1}}),
        ("a: &x {b: 1, c: 2}\nd: {<<: *x, c: 3}", {"a": {"b": 1, "c": 2}, "d": {"b": 1, "c": 3}}),
        ("a: {<<: [{b: 1}, {b: 2, c: 2}]}", {"a": {"b": 1, "c": 2}}),
        ("a: {'<<': 1}", {"a": {"<<": 1}}),
    ],
)
def test_yaml_is_read_as_kubectl_reads_it(folder: Path, text: str, value: object) -> None:
    written(folder, in_yaml=text)
    assert values("in.yaml") == [value]


def test_without_the_c_loader_yaml_means_the_same(monkeypatch: pytest.MonkeyPatch, refusal: Refusal) -> None:
    monkeypatch.setattr(yaml_documents, "LOADER", yaml.SafeLoader)
    assert [each.value for each in yaml_documents.yaml_documents("a: &x [y, 'y']\n---\nb: 0755", "in.yaml")] == [
        {"a": [True, "y"]},
        {"b": 493},
    ]
    assert refusal("[" * 100_000) == "document 1: line 1: nested more than 200 deep"
    assert refusal("a: \x00") == "line 1: not YAML: special characters are not allowed"


def test_of_a_repeated_key_the_last_counts_with_a_note(read_text: Read) -> None:
    cluster = read_text("kind: Node\nmetadata: {name: a}\nstatus: {capacity: {}}\nmetadata: {name: b}")
    assert [node.name for node in cluster.nodes] == ["b"]
    assert cluster.notes == ("in.yaml: document 1: line 4: 'metadata': this key is given twice, the last one counts",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [1", "line 2: not YAML: did not find expected ',' or ']'"),
        ("a: b: c", "line 1: not YAML: mapping values are not allowed in this context"),
        ("kind: Other\n---\na: 1\n\tb: 2", "line 4: not YAML: found a tab character that violates indentation"),
        ("a: *x", "document 1: line 1: 'x': no value has this anchor"),
        ("a: &x [*x]", "document 1: line 1: 'x': the value of this anchor contains itself"),
        ("a: .inf", "document 1: line 1: '.inf': expected a finite number"),
        ("a: !!int x", "document 1: line 1: 'x': expected a value of the type int"),
        ("a: !!int yes", "document 1: line 1: 'yes': expected a value of the type int"),
        ("a: !!binary '*'", "document 1: line 1: '*': expected base64"),
        ("? [a]\n: 1", "document 1: line 1: a list: expected text as a key"),
        ("~: 1", "document 1: line 1: expected text as a key"),
        ("a: {<<: 1}", "document 1: line 1: expected a map, or a list of maps, to merge with <<"),
        ("[" * 100_000, "document 1: line 1: nested more than 200 deep"),
        ("- " * 100_000, "document 1: line 1: nested more than 200 deep"),
        ("a: " + "{b: " * 100_000, "document 1: line 1: nested more than 200 deep"),
        ("", "expected a document, but there is none"),
        ("# nothing\n---\n", "expected a document, but there is none"),
        ("just text", "document 1: 'just text': expected a map"),
        ("[1, 2]", "document 1: a list: expected a map"),
        ("metadata: {name: x}", "document 1: kind: expected the kind of a Kubernetes object"),
        ("kind: 5", "document 1: kind: 5: expected a string"),
        ("a: \x00", "line 1: not YAML: control characters are not allowed"),
    ],
)
def test_invalid_yaml_is_refused_in_one_line(refusal: Refusal, text: str, message: str) -> None:
    start = time.perf_counter()
    assert refusal(text) == message
    assert time.perf_counter() - start < 2


def test_nested_aliases_are_refused_quickly_and_in_little_memory(refusal: Refusal) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [" + ", ".join([f"*a{n - 1}"] * 10) + "]" for n in range(1, 30)]
    tracemalloc.start()
    try:
        start = time.perf_counter()
        message = refusal("\n".join(lines))
        assert time.perf_counter() - start < 2
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()
    assert message == "document 1: line 6: 'a4': aliases that expand to more than 400000 values"


def test_nested_merges_are_refused_too(refusal: Refusal) -> None:
    lines = ["a0: &a0 {x: 1}"] + [
        f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 10)}], y{n}: 1}}" for n in range(1, 30)
    ]
    assert refusal("\n".join(lines)).endswith("aliases that expand to more than 400000 values")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff\x00\xfe", "in.yaml: line 1: expected text in UTF-8"),
        (b"a: 1\nb: \xc3\x28\n", "in.yaml: line 2: expected text in UTF-8"),
        (b"\xff\xfea", "in.yaml: line 1: expected text in UTF-8"),
        (b"\x00\x01\x02", "in.yaml: line 1: not YAML: control characters are not allowed"),
    ],
)
def test_bytes_that_are_no_text_are_refused(folder: Path, content: bytes, message: str) -> None:
    (folder / "in.yaml").write_bytes(content)
    assert refused("in.yaml") == message


@pytest.mark.parametrize(
    ("json", "message"),
    [
        ('{"a": 1', "in.json: line 1: not JSON: Expecting ',' delimiter"),
        ('{"kind": "Other"}\n{"b"', "in.json: line 2: not JSON: Expecting ':' delimiter"),
        ("a: 1", "in.json: line 1: not JSON: Expecting value"),
        ('{"a": NaN}', "in.json: not JSON: expected a finite number, not NaN"),
        ('{"a": 1e999}', "in.json: not JSON: expected a finite number, not 1e999"),
        ("[" * 100_000, "in.json: not JSON: nested too deeply"),
        ("  ", "in.json: expected a document, but there is none"),
    ],
)
def test_invalid_json_is_refused_in_one_line(folder: Path, json: str, message: str) -> None:
    written(folder, in_json=json)
    assert refused("in.json") == message


def test_an_overlong_integer_is_refused(folder: Path) -> None:
    written(folder, in_json='{"a": ' + "9" * 100_000 + "}")
    assert refused("in.json").startswith("in.json: not JSON: Exceeds the limit")


def test_an_unreadable_path_is_named(folder: Path) -> None:
    (folder / "empty").mkdir()
    written(folder / "empty", README_md="")
    assert refused("missing.yaml") == "missing.yaml: No such file or directory"
    assert refused("empty") == ("empty: expected a manifest (*.yaml, *.yml, *.json, *.yaml.gz, *.yml.gz, *.json.gz)")
    assert refused("a\0b") == "a\\x00b: embedded null byte"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read every file")
def test_a_file_without_permission_is_named(folder: Path) -> None:
    written(folder, in_yaml="a: 1")
    (folder / "in.yaml").chmod(0)
    assert refused("in.yaml") == "in.yaml: Permission denied"


def test_a_file_name_is_escaped_to_one_line(folder: Path) -> None:
    assert refused("a\nb.yaml") == "a\\nb.yaml: No such file or directory"
