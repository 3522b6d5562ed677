"""The control plane itself: pods are bound, run, complete and end; nodes fail; no program is left behind"""

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.control_plane.building import BINARY, ROOT
from tests.control_plane.conftest import Start
from tests.control_plane.objects import node, pod, pod_spec, replica_set
from tests.control_plane.waiting import nodes_ready, settled, wait_for

pytestmark = [pytest.mark.control_plane, pytest.mark.slow]
Json = dict[str, Any]
SMALL = {"cpu": "2", "memory": "4Gi"}


def test_pods_are_bound_run_and_complete(start: Start) -> None:
    api = start().api
    api.create_all(node(f"n{each}", SMALL) for each in range(2))
    api.create(pod("stays", {"cpu": "1500m"}))
    api.create(pod("completes", {"cpu": "1500m"}, runs_for="1s"))
    api.create(pod("too-large", {"cpu": "3"}))

    def phases() -> dict[str, str]:
        return {each["metadata"]["name"]: each["status"]["phase"] for each in api.list("Pod")}

    wanted = {"stays": "Running", "completes": "Succeeded", "too-large": "Pending"}
    wait_for(lambda: phases() == wanted, "the pods run and complete")
    waiting = api.get("Pod", "too-large")["status"]["conditions"][0]
    assert (waiting["type"], waiting["reason"]) == ("PodScheduled", "Unschedulable")
    assert "2 Insufficient cpu" in waiting["message"]
    places = {api.get("Pod", name)["spec"]["nodeName"] for name in ("stays", "completes")}
    assert places == {"n0", "n1"}
    api.delete("Pod", "stays")
    wait_for(lambda: "stays" not in phases(), "the deleted pod ends")


def test_pods_of_a_failed_node_are_replaced_and_linger_until_it_comes_back(start: Start) -> None:
    plane = start()
    api = plane.api
    api.create_all(node(f"n{each}", SMALL) for each in range(2))
    wait_for(lambda: nodes_ready(api), "the nodes are ready")
    api.create(replica_set("web", 2, pod_spec({"cpu": "500m"})))
    before = {each["metadata"]["name"]: each["spec"]["nodeName"] for each in settled(api)}
    assert sorted(before.values()) == ["n0", "n1"]
    plane.fail("n0")

    def replaced() -> list[Json]:
        new = [each for each in api.list("Pod") if each["metadata"]["name"] not in before]
        return [each for each in new if each["spec"].get("nodeName")]

    found = wait_for(replaced, "the pod on n0 is replaced", 60)
    assert [each["spec"]["nodeName"] for each in found] == ["n1"]
    lost = next(name for name, place in before.items() if place == "n0")
    assert api.get("Pod", lost)["metadata"]["deletionTimestamp"]
    taints = {each["key"] for each in api.get("Node", "n0")["spec"]["taints"]}
    assert "node.kubernetes.io/unreachable" in taints
    plane.recover("n0")
    wait_for(lambda: lost not in {each["metadata"]["name"] for each in api.list("Pod")}, "the lost pod ends", 60)
    wait_for(lambda: nodes_ready(api) and "taints" not in api.get("Node", "n0")["spec"], "n0 is ready again", 60)


def left_in(folder: Path) -> list[int]:
    """Return the processes that a control plane in this folder has started."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        try:
            told = (each / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if str(folder) in told and str(BINARY) in told:
            found.append(int(each.name))
    return found


ENDS: dict[str, Callable[[subprocess.Popen[str]], None]] = {
    "interrupt": lambda run: run.send_signal(signal.SIGINT),
    "termination": lambda run: run.send_signal(signal.SIGTERM),
    "kill": lambda run: run.kill(),
}


@pytest.mark.usefixtures("program")
@pytest.mark.parametrize("how", ENDS)
def test_no_program_is_left_behind(how: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.control_plane", "--nodes", "1", "--kept", str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == f"export KUBECONFIG={tmp_path / 'admin.kubeconfig'}\n"
        assert len(left_in(tmp_path)) == 5
        ENDS[how](run)
        code = run.wait(60)
    assert code == (-signal.SIGKILL if how == "kill" else 0)
    wait_for(lambda: not left_in(tmp_path), "every program has ended", 30)


def test_the_servers_listen_on_the_loopback_interface_only(start: Start) -> None:
    plane = start()
    time.sleep(1)
    inodes = set[str]()
    for each in plane.programs:
        for link in Path(f"/proc/{each.process.pid}/fd").iterdir():
            inodes.add(os.readlink(link))
    seen = set[str]()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in inodes:
                seen.add(fields[1].partition(":")[0])
    assert seen == {"0100007F"}


@pytest.mark.usefixtures("program")
def test_the_commands_of_the_page_run(tmp_path: Path) -> None:
    """At a small scale, and those that wait with a command that ends."""
    page = (ROOT / "docs" / "control-plane.md").read_text()
    found = re.findall(r"^    (make control-plane .*|schedcheck .*)$", page, re.MULTILINE)
    assert len(found) == 4
    for each in found:
        small = each.replace("FOLDER", str(tmp_path)).replace("NODES=200 PODS=2000", "NODES=12 PODS=60")
        if "COMMAND" not in small and "RUN" not in small and small.startswith("make"):
            small += " COMMAND=true"
        command = [*shlex.split(small)]
        if command[0] == "schedcheck":
            command[:1] = [sys.executable, "-m", "schedcheck"]
        else:
            command[1:1] = ["--assume-old=.venv/.ready", f"BIN={Path(sys.executable).parent}"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode in ((0,) if command[0] == "make" else (0, 2)), (each, done.stdout, done.stderr)


@pytest.mark.usefixtures("program")
def test_a_command_finds_the_api_server_by_its_kubeconfig() -> None:
    told = "import json, os; print(json.load(open(os.environ['KUBECONFIG']))['clusters'][0]['cluster']['server'])"
    command = [
        sys.executable,
        "-m",
        "tests.control_plane",
        "--nodes",
        "1",
        "--command",
        f'{sys.executable} -c "{told}"',
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    first, last = done.stdout.splitlines()
    assert first.startswith("export KUBECONFIG=")
    assert last.startswith("https://127.0.0.1:")
    assert not Path(first.partition("=")[2]).parent.exists()
