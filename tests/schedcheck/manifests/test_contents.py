"""What is gzipped is read whatever its name, and what is neither a file nor a folder is named and never waited for."""

import gzip
import io
import os
import socket
import sys
from pathlib import Path

import pytest

from schedcheck.manifests import InputError, read
from schedcheck.manifests.contents import unpacked
from schedcheck.manifests.documents import documents

NODE = b"apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n"
AS_JSON = b'{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n1"}}'


def refused(*paths: str) -> str:
    with pytest.raises(InputError) as caught:
        read(paths)
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "text"), [("in.yaml.gz", NODE), ("in.yml.gz", NODE), ("in.json.gz", AS_JSON), ("dump", NODE)]
)
def test_a_gzipped_file_is_read_by_itself_and_in_a_folder(folder: Path, name: str, text: bytes) -> None:
    (folder / "dir").mkdir()
    (folder / "dir" / name).write_bytes(gzip.compress(text))
    assert [node.name for node in read([f"dir/{name}"]).nodes] == ["n1"]
    if name != "dump":
        assert [node.name for node in read(["dir"]).nodes] == ["n1"]


def test_standard_input_may_be_gzipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(AS_JSON))))
    assert [node.name for node in read(["-"]).nodes] == ["n1"]


def test_parts_that_are_gzipped_one_by_one_are_read_as_one(folder: Path) -> None:
    (folder / "in.yaml.gz").write_bytes(gzip.compress(NODE) + gzip.compress(b"---\n" + NODE.replace(b"n1", b"n2")))
    assert [node.name for node in read(["in.yaml.gz"]).nodes] == ["n1", "n2"]


@pytest.mark.parametrize("damage", [slice(0, 20), slice(0, -4)])
def test_a_damaged_file_is_refused_by_name(folder: Path, damage: slice) -> None:
    (folder / "in.yaml.gz").write_bytes(gzip.compress(NODE * 9)[damage])
    assert refused("in.yaml.gz").startswith("in.yaml.gz: not gzip: ")


def test_no_more_is_unpacked_than_the_bound() -> None:
    packed = gzip.compress(b"a" * 1000)
    assert unpacked(packed, "in", most=1000) == b"a" * 1000
    with pytest.raises(InputError, match=r"^in: unpacks to more than 999 bytes$"):
        unpacked(packed, "in", most=999)


def test_a_pipe_and_a_socket_in_a_folder_are_skipped_with_a_note(folder: Path) -> None:
    (folder / "dir").mkdir()
    (folder / "dir" / "node.yaml").write_bytes(NODE)
    os.mkfifo(folder / "dir" / "pipe.yaml")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("dir/socket.json")
        found = read(["dir"])
    assert [node.name for node in found.nodes] == ["n1"]
    assert found.notes[:2] == (
        "dir/pipe.yaml: not read, as it is a named pipe",
        "dir/socket.json: not read, as it is a socket",
    )


def test_a_folder_of_nothing_but_a_pipe_says_why_there_is_no_manifest(folder: Path) -> None:
    (folder / "dir").mkdir()
    os.mkfifo(folder / "dir" / "pipe.yaml")
    assert refused("dir").endswith("; dir/pipe.yaml: not read, as it is a named pipe")


def test_a_socket_and_a_device_are_refused_by_name(folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket.yaml")
        assert refused("socket.yaml") == "socket.yaml: expected a file, a folder or a pipe, not a socket"
    assert refused("/dev/zero") == "/dev/zero: expected a file, a folder or a pipe, not a device"
    assert refused("/dev/null") == "/dev/null: expected a document, but there is none"


def test_a_pipe_that_is_named_is_read_as_a_shell_gives_it() -> None:
    reading, writing = os.pipe()
    os.write(writing, NODE)
    os.close(writing)
    try:
        assert [each.number for each in documents([f"/dev/fd/{reading}"])] == [1]
    finally:
        os.close(reading)
