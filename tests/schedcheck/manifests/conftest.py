"""Fixtures that read manifests from text in an empty folder, so that messages contain the file name as given"""

from collections.abc import Callable
from pathlib import Path

import pytest

from schedcheck.errors import InputError
from schedcheck.manifests import Cluster, read

Read = Callable[[str], Cluster]
Refusal = Callable[[str], str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def read_text(folder: Path) -> Read:
    """The cluster in the text of in.yaml."""

    def read_it(text: str) -> Cluster:
        (folder / "in.yaml").write_text(text, encoding="utf-8")
        return read(["in.yaml"])

    return read_it


@pytest.fixture
def refusal(read_text: Read) -> Refusal:
    """The message with which the text of in.yaml is refused, without the file name."""

    def refuse(text: str) -> str:
        with pytest.raises(InputError) as caught:
            read_text(text)
        message = str(caught.value)
        assert message.startswith("in.yaml: ")
        assert message.isprintable()
        return message.removeprefix("in.yaml: ")

    return refuse
