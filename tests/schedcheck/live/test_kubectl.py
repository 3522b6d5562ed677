"""kubectl schedcheck beside a recorded API server: the same answers as on the dump, what is asked, and what goes wrong"""

import hashlib
import json
import os
import re
import stat
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest
import yaml

import schedcheck
from schedcheck import cli, kubectl
from schedcheck.live.connection import connected
from schedcheck.live.dump import dump
from schedcheck.live.resources import RESOURCES
from schedcheck.version import __version__
from tests.schedcheck.live.api_server import Recorded, recorded, serving

ROOT = Path(__file__).parents[3]
DUMP = ROOT / "examples" / "dump" / "cluster.json"


@pytest.fixture(autouse=True)
def _alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


def said(capsys: pytest.CaptureFixture[str]) -> tuple[str, list[str]]:
    found = capsys.readouterr()
    return found.out, found.err.splitlines()


@pytest.mark.parametrize(
    "arguments",
    [("explain", "data/db-2"), ("explain", "web-5b969756dc-rk95z", "-n", "shop"), ("lint",), ("victims", "data/db-2"), ("capacity", "data/db-2")],
)  # fmt: skip
def test_an_answer_is_that_on_a_dump(
    arguments: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(recorded(DUMP), tmp_path) as config:
        code = kubectl.main(["--kubeconfig", str(config), "--dump", "dump.json", *arguments, "--format", "json"])
    there, notes = said(capsys)
    assert any("read from the context here" in each and "dump.json" in each for each in notes)
    assert cli.main([*arguments, "dump.json", "--format", "json"]) == code
    assert said(capsys)[0] == there
    assert cli.main([*arguments, str(DUMP), "--format", "json"]) == code
    ours, theirs = json.loads(there), json.loads(said(capsys)[0])
    for answer in (ours, theirs):
        for name in ("findings", "notLookedAt", "scenario"):
            answer.pop(name, None)
    assert ours == theirs


def test_only_lists_are_read_page_by_page_as_whom_one_asks_to_be(tmp_path: Path) -> None:
    given = recorded(DUMP)
    given.token, given.forgets = "secret", 2
    with serving(given, tmp_path) as config:
        found = dump(connected(str(config), None, "jane", ["ops", "dev"]), page=10)
    assert {method for method, *_ in given.asked} == {"GET"}
    assert {path for _, path, *_ in given.asked} == {each.path for each in RESOURCES}
    assert all(query["limit"] == ["10"] for _, _, query, _ in given.asked)
    assert all((headers["impersonate-user"], headers["impersonate-group"]) == (["jane"], ["ops", "dev"]) for *_, headers in given.asked)  # fmt: skip
    kinds = {each["kind"]: each["items"] for each in found.objects["items"]}
    assert len(kinds["PodList"]) == len(given.objects["Pod"]) > 20
    assert [pod["metadata"]["name"] for pod in kinds["PodList"]] == [
        pod["metadata"]["name"] for pod in given.objects["Pod"]
    ]
    assert "managedFields" not in json.dumps(found.objects)
    assert kinds["ResourceSliceList"] == []
    assert found.notes == ()


def test_what_may_not_be_read_or_is_not_served_is_said_and_stays_unknown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = recorded(DUMP)
    given.refused = {"persistentvolumeclaims": 403, "deviceclasses": 404}
    volume = {"name": "v", "persistentVolumeClaim": {"claimName": "data"}}
    spec = {"containers": [{"name": "c", "image": "i"}], "volumes": [volume]}
    given.objects["Pod"].append({"metadata": {"name": "stores", "namespace": "data", "uid": "u"}, "spec": spec})
    with serving(given, tmp_path) as config:
        kubectl.main(["--kubeconfig", str(config), "--dump", "dump.json", "explain", "data/stores", "--format", "json"])
    answer, notes = said(capsys)
    assert "persistentvolumeclaim" in answer.lower()
    assert "schedcheck: note: not read: persistentvolumeclaims, forbidden" in notes
    assert "schedcheck: note: not read: deviceclasses, not served" in notes
    read = json.loads(Path("dump.json").read_text())
    assert {"PersistentVolumeClaimList", "DeviceClassList"}.isdisjoint(each["kind"] for each in read["items"])


def test_a_dump_has_a_name_of_its_own_and_is_private(tmp_path: Path) -> None:
    with serving(Recorded({"Node": [{"metadata": {"name": "n1"}}]}), tmp_path) as config:
        assert kubectl.main(["--kubeconfig", str(config), "lint"]) in (0, 1)
    (file,) = tmp_path.glob("schedcheck-here-*.json")
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600
    assert schedcheck.read(file).pods == ()


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["explain", "web-1"], ["web-1", "--namespace", "shop"]),
        (["explain", "deploy/web"], ["deploy/web", "--namespace", "shop"]),
        (["explain", "data/web-1"], ["data/web-1"]),
        (["explain", "data/deploy/web"], ["data/deploy/web"]),
        (["explain", "web-1", "-n", "data"], ["web-1", "-n", "data"]),
        (["explain", "-l", "app=web", "-A"], ["-l", "app=web", "-A"]),
        (["check", "--pod", "web-1"], ["--pod", "web-1", "--namespace", "shop"]),
        (["check", "--pod=data/web-1"], ["--pod=data/web-1"]),
        (["check"], []),
        (["lint"], []),
        (["drain", "node-1"], ["node-1"]),
    ],
)
def test_names_are_in_the_namespace_of_the_context(
    arguments: list[str], expected: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[list[str]] = []
    monkeypatch.setattr(cli, "main", lambda argv: ran.append(argv) or 0)
    with serving(Recorded({}), tmp_path, "shop") as config:
        kubectl.main(["--kubeconfig", str(config), "--dump", "d.json", *arguments])
    assert ran == [[arguments[0], *expected, "d.json"]]


def test_deploy_takes_the_cluster_by_onto(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[list[str]] = []
    monkeypatch.setattr(cli, "main", lambda argv: ran.append(argv) or 0)
    with serving(Recorded({}), tmp_path) as config:
        monkeypatch.setenv("KUBECONFIG", str(config))
        kubectl.main(["--dump", "d.json", "deploy", "release.yaml"])
    assert ran == [["deploy", "release.yaml", "--onto", "d.json"]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--context", "nowhere", "lint"],
            "--context: 'nowhere': no context has this name; there are: elsewhere, here",
        ),
        (["--context", "elsewhere", "lint"], "no answer of the API server: [Errno 111] Connection refused"),
        (["--kubeconfig", "missing", "lint"], "missing: No such file or directory"),
        (["--as-group", "ops", "lint"], "--as-group: belongs to --as"),
        (["--kubeconfig", "broken", "lint"], "broken: "),
        (["--nothing", "lint"], "--nothing"),
        (["fly"], "fly: expected one of"),
        (["--dump", "no/such/folder.json", "lint"], "no/such/folder.json"),
    ],
)
def test_what_is_wrong_is_one_line(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / "broken").write_text("{: [")
    with serving(Recorded({}), tmp_path) as config:
        monkeypatch.setenv("KUBECONFIG", str(config))
        assert kubectl.main(arguments) == 3
    out, lines = said(capsys)
    assert out == "" and len(lines) == 1 and message in lines[0], lines


@pytest.mark.parametrize(("refused", "message"), [({"pods": 403}, "cannot list pods: pods is refused"), ({"nodes": 500}, "cannot list nodes"), ({"services": 500}, "cannot list services")])  # fmt: skip
def test_without_nodes_or_pods_or_beside_an_error_there_is_no_answer(
    refused: dict[str, int], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(Recorded({}, refused), tmp_path) as config:
        assert kubectl.main(["--kubeconfig", str(config), "lint"]) == 3
    _, lines = said(capsys)
    assert message in lines[-1] and not list(tmp_path.glob("*.json"))


def test_a_wrong_token_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = Recorded({}, token="right")
    with serving(given, tmp_path) as config:
        config.write_text(config.read_text().replace("right", "wrong"))
        assert kubectl.main(["--kubeconfig", str(config), "lint"]) == 3
    assert "cannot list nodes: Unauthorized" in said(capsys)[1][-1]


def test_help_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert kubectl.main(["--help"]) == 0
    assert "kubectl schedcheck explain web-1" in said(capsys)[0]
    assert kubectl.main([]) == 3
    assert kubectl.main(["drain", "--help"]) == 0


def test_the_permissions_on_the_page_are_those_of_what_is_read() -> None:
    page = (ROOT / "docs" / "kubectl.md").read_text()
    (role,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    rules = yaml.safe_load(role)["rules"]
    allowed = {(group, name) for rule in rules for group in rule["apiGroups"] for name in rule["resources"]}
    assert {verb for rule in rules for verb in rule["verbs"]} == {"get", "list"}
    assert allowed == {
        ("" if each.version == "v1" else each.version.partition("/")[0], each.name) for each in RESOURCES
    }


def test_the_page_names_every_command() -> None:
    page = (ROOT / "docs" / "kubectl.md").read_text()
    assert [name for name in (*kubectl.ONTO, *kubectl.WITH_FILES) if f"`{name}`" not in page] == []


@pytest.mark.parametrize("there", [("python3",), ("uvx",), ("pipx",), ()])
def test_the_launcher_starts_what_there_is(there: tuple[str, ...], tmp_path: Path) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in there:
        (folder / name).write_text(f'#!/bin/sh\necho {name} "$@"\n')
        (folder / name).chmod(0o755)
    if there == ("python3",):
        (folder / "schedcheck").symlink_to(folder / "python3")
    launcher = ROOT / "adapters" / "kubectl" / "kubectl-schedcheck"
    done = subprocess.run(["/bin/sh", str(launcher), "lint"], env={"PATH": str(folder)}, capture_output=True, text=True, check=False)  # fmt: skip
    if not there:
        assert done.returncode == 3 and "pip install 'schedcheck[live]'" in done.stderr
    else:
        assert done.stdout.splitlines()[-1].startswith(there[0]) and done.stdout.splitlines()[-1].endswith("lint")


def released(folder: Path, owner: str = "acme") -> tuple[dict[str, Any], Path]:
    """The manifest and the archive that a release publishes."""
    subprocess.run([sys.executable, str(ROOT / "adapters" / "kubectl" / "release.py"), owner, str(folder)], check=True)
    return yaml.safe_load((folder / "schedcheck.yaml").read_text()), folder / "kubectl-schedcheck.tar.gz"


def test_a_release_has_the_archive_that_the_manifest_names(tmp_path: Path) -> None:
    manifest, archive = released(tmp_path)
    assert released(tmp_path / "again")[1].read_bytes() == archive.read_bytes()
    (platform,) = manifest["spec"]["platforms"]
    assert platform["sha256"] == hashlib.sha256(archive.read_bytes()).hexdigest()
    assert platform["uri"] == f"https://github.com/acme/schedcheck/releases/download/v{__version__}/{archive.name}"
    with tarfile.open(archive) as packed:
        assert packed.getnames() == [each["from"] for each in platform["files"]]
        packed.extractall(tmp_path, filter="data")
    program = tmp_path / platform["bin"]
    assert program.stat().st_mode & 0o111 and f'version="{__version__}"' in program.read_text()
    assert subprocess.run(["/bin/sh", "-n", str(program)], check=False).returncode == 0


def test_the_manifest_of_a_release_is_one_that_krew_accepts(tmp_path: Path) -> None:
    # As ValidatePlugin of Krew, internal/index/validation/validate.go.
    manifest, _ = released(tmp_path)
    assert manifest["apiVersion"] == "krew.googlecontainertools.github.com/v1alpha2" and manifest["kind"] == "Plugin"
    assert re.fullmatch(r"[\w-]+", manifest["metadata"]["name"]) and "\n" not in manifest["spec"]["shortDescription"]
    assert re.fullmatch(r"v\d+\.\d+\.\d+", manifest["spec"]["version"])
    assert len(manifest["spec"]["shortDescription"]) <= 50, "the index of Krew asks for this"
    for platform in manifest["spec"]["platforms"]:
        assert platform["bin"] and platform["uri"] and re.fullmatch(r"[a-f0-9]{64}", platform["sha256"])
        assert all(each["from"] and each["to"] for each in platform["files"])
        assert {each["key"] for each in platform["selector"]["matchExpressions"]} <= {"os", "arch"}


def test_the_manifest_of_krew_names_the_launcher() -> None:
    manifest = yaml.safe_load((ROOT / "adapters" / "kubectl" / "schedcheck.yaml").read_text())
    (platform,) = manifest["spec"]["platforms"]
    assert manifest["metadata"]["name"] == "schedcheck" and platform["bin"] == "kubectl-schedcheck"
    assert (ROOT / "adapters" / "kubectl" / platform["bin"]).stat().st_mode & 0o111
