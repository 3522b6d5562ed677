"""`schedcheck victims`, `optimum` and `smallest`: output and exit codes"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from schedcheck.cli import main

EXAMPLES = Path(__file__).parents[3] / "examples"
LEAST = str(EXAMPLES / "least-casualty")


def said(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert main(list(arguments)) == code
    return capsys.readouterr().out


def answer(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    return json.loads(said(capsys, *arguments, "--format", "json", code=code))


def written(folder: Path, *objects: Any) -> str:
    file = folder / "cluster.yaml"
    file.write_text("\n---\n".join(map(json.dumps, objects)))
    return str(file)


def pod(name: str, cpu: str, priority: int, node: str = "", memory: int = 0, **spec: Any) -> dict[str, Any]:
    requests = {"cpu": cpu, **({"memory": memory} if memory else {})}
    container = {"name": "main", "resources": {"requests": requests}}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "labels": {"app": name}},
        "spec": {"priority": priority, "containers": [container], **({"nodeName": node} if node else {}), **spec},
    }


def node(name: str, cpu: str, memory: int = 0) -> dict[str, Any]:
    labels = {"kubernetes.io/hostname": name}
    allocatable = {"cpu": cpu, "memory": memory, "pods": "110"}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name, "labels": labels},
        "status": {"allocatable": allocatable},
    }


def names(pods: list[dict[str, str]]) -> list[str]:
    return [each["name"] for each in pods]


def test_the_three_methods_are_shown_side_by_side(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "victims", "platform", LEAST, "--all")
    assert found["best"] == ["node-2"]
    ways = {each["node"]: each["ways"] for each in found["nodes"]}
    assert names(ways["node-2"]["least"]["victims"]) == ["batch-1", "batch-2"]
    assert ways["node-2"]["least"]["casualty"] == [100, 200, 2]
    assert ways["node-1"]["ascending"]["casualty"] == ways["node-1"]["reprieve"]["casualty"] == [200, 200, 1]
    assert [(each["count"], each["complete"]) for each in found["leastSets"]] == [(1, True)]
    assert all(each["proved"] for each in found["nodes"])


def test_victims_can_be_limited_to_one_node(capsys: pytest.CaptureFixture[str]) -> None:
    found = answer(capsys, "victims", "platform", LEAST, "--node", "node-1")
    assert [each["node"] for each in found["nodes"]] == found["best"] == ["node-1"]


def test_every_profile_lists_its_criteria(capsys: pytest.CaptureFixture[str]) -> None:
    criteria = answer(capsys, "victims", "platform", LEAST, "--profile", "kubernetes")["criteria"]
    assert criteria[0] == "violations of budgets"
    assert len(criteria) == 5


def test_the_text_gives_the_reason(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    cluster = written(
        tmp_path, pod("new", "2", 1), *(pod(f"p{n}", c, 0, "n") for n, c in enumerate("211")), node("n", "4")
    )
    out = said(capsys, "victims", "new", cluster, "--all", "--profile", "corrected")
    assert "Least, and proved so, on n: p0." in out
    assert "must free at least 2 of cpu" in out
    assert "Reprieve is worse by the count: 2 instead of 1." in out
    assert "Of least casualty on n, 1 set:" in out


def test_a_pod_that_fits_evicts_no_pod(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = said(capsys, "victims", "new", written(tmp_path, pod("new", "1", 1), node("n", "4")))
    assert "new fits on n without evictions." in out


def test_the_text_explains_why_no_eviction_helps(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    company = {"labelSelector": {"matchLabels": {"app": "low"}}, "topologyKey": "kubernetes.io/hostname"}
    near = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [company]}}
    cluster = written(
        tmp_path, pod("new", "2", 1, affinity=near), pod("low", "2", 0, "n"), node("n", "2"), node("m", "1")
    )
    out = " ".join(said(capsys, "victims", "new", cluster, "--profile", "kubernetes").split())
    assert "No eviction helps on n, as these cannot be met together:" in out
    assert "2 of cpu must be freed" in out
    assert "InterPodAffinity refuses" in out
    assert "No eviction helps on m: with no pod of lower priority to evict, NodeResourcesFit still refuses" in out


def test_beyond_a_bound_victims_gives_up_and_proves_nothing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """A pod with anti-affinity has to go too, which neither sums nor programs know. The more cpu a pod frees, the less memory."""
    term = {"topologyKey": "kubernetes.io/hostname", "labelSelector": {"matchLabels": {"app": "new"}}}
    apart = {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}
    sizes = (1, 2, 3, 5, 8)
    pods = [pod(f"p{size}", str(size), 1, "n", memory=20 - size, **(apart if size == 2 else {})) for size in sizes]
    cluster = written(tmp_path, pod("new", "6", 9, memory=34), *pods, node("n", "19", memory=81))
    out = said(capsys, "victims", "new", cluster, "--rounds", "2", code=2)
    assert "Best found on n, not proved to be least (--rounds 2)" in out
    assert "Least, and proved so" not in out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("victims", "platfrom", LEAST), "POD: "),
        (("victims", "platform", LEAST, "--node", "node-3"), "--node: "),
        (("victims", "platform", LEAST, "--rounds", "0"), "--rounds"),
        (("optimum", "no-such-file"), "no-such-file"),
    ],
)
def test_bad_input_of_victims_is_reported_in_one_line(
    arguments: tuple[str, ...], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(list(arguments)) == 3
    error = capsys.readouterr().err
    assert says in error
    assert len(error.splitlines()) == 1


def test_an_ended_pod_is_reported_by_victims(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    ended = pod("done", "1", 0, "n") | {"status": {"phase": "Succeeded"}}
    out = said(capsys, "victims", "done", written(tmp_path, ended, node("n", "1")))
    assert out.startswith("done has ended (Succeeded)")


def test_the_optimum_and_the_gap_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    example = str(EXAMPLES / "multi-step")
    found = answer(capsys, "optimum", example)
    assert found["optimum"]["placed"] == {"0": 2}
    assert found["optimum"]["proved"]
    assert [each["behind"] for each in found["outcomes"]] == ["none", "1 pod of priority 0 fewer"]
    assert "The scheduler may reach an optimum or miss it." in said(capsys, "optimum", example)


def test_an_optimum_that_no_order_of_scheduling_reaches_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    out = said(capsys, "optimum", str(EXAMPLES / "affinity-deadlock"))
    assert "The scheduler cannot reach an optimum." in out


def test_an_optimum_beyond_a_bound_is_not_proved() -> None:
    """In a separate process, as the model that z3 finds first depends on earlier queries."""
    command = [sys.executable, "-m", "schedcheck", "optimum", str(EXAMPLES / "multi-step"), "--rounds", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "not proved to be best (--rounds 1)" in " ".join(done.stdout.split())


def test_without_pending_pods_there_is_no_optimum(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "No pod waits." in said(capsys, "optimum", written(tmp_path, node("n", "1")))


@pytest.mark.parametrize("profile", ["corrected", "kubernetes"])
def test_the_smallest_cluster_can_be_checked_again(
    profile: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert main(["smallest", "--profile", profile]) == 0
    out, err = capsys.readouterr()
    assert [line.split(":")[1] for line in err.splitlines()] == [" reprieve", " least"]
    file = tmp_path / "smallest.yaml"
    file.write_text(out)
    ways = answer(capsys, "victims", "new", str(file), "--profile", profile)["nodes"][0]["ways"]
    assert ways["reprieve"]["casualty"] > ways["least"]["casualty"]


def test_there_may_be_no_smallest_cluster(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["smallest", "--objects", "4"]) == 0
    assert "no such cluster has at most 4 objects" in capsys.readouterr().err
