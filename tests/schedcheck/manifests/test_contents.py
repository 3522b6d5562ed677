"""Input files: gzip is recognised under any name, and what is neither file nor folder is named, never waited for"""

import gzip
import io
import os
import socket
import sys
from pathlib import Path

import pytest

from schedcheck.errors import InputError
from schedcheck.manifests import read
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
def test_a_gzipped_file_is_read_alone_and_in_a_folder(folder: Path, name: str, text: bytes) -> None:
    (folder / "dir").mkdir()
    (folder / "dir" / name).write_bytes(gzip.compress(text))
    assert [node.name for node in read([f"dir/{name}"]).nodes] == ["n1"]
    if name != "dump":
        assert [node.name for node in read(["dir"]).nodes] == ["n1"]


def test_standard_input_may_be_gzipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gzip.compress(AS_JSON))))
    assert [node.name for node in read(["-"]).nodes] == ["n1"]


def test_separately_gzipped_parts_are_read_as_one_file(folder: Path) -> None:
    (folder / "in.yaml.gz").write_bytes(gzip.compress(NODE) + gzip.compress(b"---\n" + NODE.replace(b"n1", b"n2")))
    assert [node.name for node in read(["in.yaml.gz"]).nodes] == ["n1", "n2"]


@pytest.mark.parametrize("damage", [slice(0, 20), slice(0, -4)])
def test_a_damaged_gzip_file_is_refused_by_name(folder: Path, damage: slice) -> None:
    (folder / "in.yaml.gz").write_bytes(gzip.compress(NODE * 9)[damage])
    assert refused("in.yaml.gz").startswith("in.yaml.gz: not gzip: ")


def test_no_more_than_the_bound_is_unpacked() -> None:
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


def test_a_folder_with_only_a_pipe_is_refused_with_the_reason(folder: Path) -> None:
    (folder / "dir").mkdir()
    os.mkfifo(folder / "dir" / "pipe.yaml")
    assert refused("dir").endswith("; dir/pipe.yaml: not read, as it is a named pipe")


def test_a_socket_and_a_device_are_refused_by_name(folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket.yaml")
        assert refused("socket.yaml") == "socket.yaml: expected a file, a folder or a pipe, not a socket"
    assert refused("/dev/zero") == "/dev/zero: expected a file, a folder or a pipe, not a device"
    assert refused("/dev/null") == "/dev/null: expected a document, but there is none"


def test_a_pipe_given_by_a_shell_is_read() -> None:
    reading, writing = os.pipe()
    os.write(writing, NODE)
    os.close(writing)
    try:
        assert [each.number for each in documents([f"/dev/fd/{reading}"])] == [1]
    finally:
        os.close(reading)
