"""kubectl schedcheck on a real API server: what is read is what is there, and the answer is that of kube-scheduler"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from schedcheck import kubectl
from tests.control_plane.building import ROOT
from tests.control_plane.conftest import Start
from tests.control_plane.objects import node, pod
from tests.control_plane.plane import READER
from tests.control_plane.waiting import nodes_ready, wait_for

pytestmark = [pytest.mark.control_plane, pytest.mark.slow]


def test_a_pending_pod_is_explained_as_kube_scheduler_does(
    start: Start, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plane = start()
    api = plane.api
    api.create_all(node(f"n{each}", {"cpu": "2", "memory": "4Gi"}) for each in range(3))
    wait_for(lambda: nodes_ready(api), "the nodes are ready")
    api.create(pod("large", {"cpu": "3"}))
    wait_for(lambda: bool(api.get("Pod", "large").get("status", {}).get("conditions")), "the pod was tried")
    file = tmp_path / "dump.json"
    code = kubectl.main(
        ["--kubeconfig", str(plane.kubeconfig()), "--dump", str(file), "explain", "large", "--format", "json"]
    )
    assert code == 0
    told = json.loads(capsys.readouterr().out)
    assert told["message"] == api.get("Pod", "large")["status"]["conditions"][0]["message"]
    lists = {each["kind"]: each["items"] for each in json.loads(file.read_text())["items"]}
    assert sorted(each["metadata"]["name"] for each in lists["NodeList"]) == ["n0", "n1", "n2"]
    assert {"DeviceClassList", "PriorityClassList", "PodDisruptionBudgetList"} <= lists.keys()
    assert all(each["metadata"]["resourceVersion"] for each in lists["PodList"])


def test_a_large_list_is_read_whole(start: Start, tmp_path: Path) -> None:
    from schedcheck.live.connection import connected
    from schedcheck.live.dump import dump

    plane = start()
    plane.api.create_all(pod(f"p{number:03}", {"cpu": "1"}) for number in range(120))
    found = dump(connected(str(plane.kubeconfig())), page=25)
    assert found.counts["pods"] == 120 and found.notes == ()


def test_whom_the_api_server_does_not_let_in_gets_one_line(
    start: Start, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plane = start()
    config = tmp_path / "config"
    text = plane.kubeconfig().read_text()
    config.write_text(text.replace('"token": "', '"token": "x'))
    assert text != config.read_text()
    assert kubectl.main(["--kubeconfig", str(config), "lint"]) == 3
    assert "cannot list nodes" in capsys.readouterr().err


ROLES = "/apis/rbac.authorization.k8s.io/v1"


def documented_role() -> dict[str, Any]:
    """The ClusterRole of the page."""
    (text,) = re.findall(r"```yaml\n(apiVersion: rbac.*?)```", (ROOT / "docs" / "kubectl.md").read_text(), re.DOTALL)
    role: dict[str, Any] = yaml.safe_load(text)
    assert {verb for rule in role["rules"] for verb in rule["verbs"]} == {"get", "list"}
    return role


def test_the_documented_role_is_enough_and_nothing_less_is(
    start: Start, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plane = start(authorization="RBAC")
    api, file = plane.api, tmp_path / "dump.json"
    api.create_all(node(f"n{each}", {"cpu": "2", "memory": "4Gi"}) for each in range(2))
    api.create(pod("web", {"cpu": "1"}))

    def asked(*options: str, user: str = READER) -> tuple[int, str]:
        given = ["--kubeconfig", str(plane.kubeconfig(user)), "--dump", str(file), *options]
        return kubectl.main([*given, "lint"]), capsys.readouterr().err

    code, told = asked()
    assert code == 3 and "cannot list nodes" in told and not file.exists()
    role = documented_role()
    api.call("POST", f"{ROLES}/clusterroles", role)
    subject = {"kind": "User", "name": READER, "apiGroup": "rbac.authorization.k8s.io"}
    reference = {"kind": "ClusterRole", "name": role["metadata"]["name"], "apiGroup": "rbac.authorization.k8s.io"}
    api.call("POST", f"{ROLES}/clusterrolebindings", {"metadata": {"name": "reads"}, "subjects": [subject], "roleRef": reference})  # fmt: skip
    wait_for(lambda: asked()[0] == 0, "the role is in force")
    code, told = asked()
    assert code == 0 and "not read" not in told and "may not" not in told and "cannot" not in told
    kinds = {each["kind"] for each in json.loads(file.read_text())["items"]}
    assert len(kinds) == sum(len(rule["resources"]) for rule in role["rules"])
    assert asked("--as", READER, user="admin")[0] == 0
    assert asked("--as", "somebody", user="admin")[0] == 3


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="kubectl is not on the path")
def test_kubectl_finds_the_plugin_and_gives_it_the_cluster(start: Start, tmp_path: Path) -> None:
    plane = start()
    plane.api.create_all(node(f"n{each}", {"cpu": "2", "memory": "4Gi"}) for each in range(3))
    wait_for(lambda: nodes_ready(plane.api), "the nodes are ready")
    plane.api.create(pod("large", {"cpu": "3"}))
    plugin = tmp_path / "kubectl-schedcheck"
    plugin.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m schedcheck.kubectl "$@"\n')
    plugin.chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    around = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "KUBECONFIG": str(plane.kubeconfig())}
    done = subprocess.run(["kubectl", "schedcheck", "explain", "large"], cwd=tmp_path, env=around, capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "0/3 nodes are available: 3 Insufficient cpu" in done.stdout.replace("\n", " ")
    (dump,) = tmp_path.glob("schedcheck-*.json")
    assert dump.stat().st_mode & 0o777 == 0o600
    again = subprocess.run([sys.executable, "-m", "schedcheck", "explain", "large", str(dump)], env=around, capture_output=True, text=True, check=False)  # fmt: skip
    assert (again.returncode, again.stdout) == (done.returncode, done.stdout)
