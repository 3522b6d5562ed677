"""kubectl schedcheck on a real API server: what is read is what is there, and the answer is that of kube-scheduler"""

import json
from pathlib import Path

import pytest

from schedcheck import kubectl
from tests.control_plane.conftest import Start
from tests.control_plane.objects import node, pod
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
