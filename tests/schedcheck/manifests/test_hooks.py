"""Hooks of Helm that do not exist are left out with a note; those that exist are read"""

from pathlib import Path

import pytest
import yaml

from schedcheck.manifests import read

KINDS = {"Pod": ("v1", "containers"), "Job": ("batch/v1", "template")}


def hook(kind: str, name: str, uid: str = "") -> dict[str, object]:
    pod = {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}
    metadata = {"name": name, "annotations": {"helm.sh/hook": "pre-install"}, **({"uid": uid} if uid else {})}
    spec = pod if kind == "Pod" else {"template": {"metadata": {"labels": {"a": "b"}}, "spec": pod}}
    return {"apiVersion": KINDS[kind][0], "kind": kind, "metadata": metadata, "spec": spec}


@pytest.mark.parametrize("kind", KINDS)
def test_a_hook_is_left_out_unless_it_exists(kind: str, tmp_path: Path) -> None:
    file = tmp_path / "release.yaml"
    file.write_text(yaml.safe_dump_all([hook(kind, "migrate"), hook(kind, "there", "u-1")]))
    cluster = read([file])
    assert [each.name.removesuffix("-0") for each in cluster.pods] == ["there"]
    assert f"left out: 1 hook of Helm, created only at their time ({kind} migrate)" in cluster.notes


def test_a_note_names_the_first_hooks(tmp_path: Path) -> None:
    file = tmp_path / "release.yaml"
    file.write_text(yaml.safe_dump_all([hook("Pod", f"test-{number}") for number in range(5)]))
    note = "left out: 5 hooks of Helm, created only at their time (Pod test-0, Pod test-1, Pod test-2, …)"
    assert read([file]).notes == (note,)
