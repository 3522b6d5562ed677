"""Drains and failures whose answer has several parts: claims that the input lacks, pods that wait at first, sets of nodes"""

import json
from pathlib import Path
from typing import Any

import pytest

import schedcheck
from schedcheck.checker import check as checking
from schedcheck.checker.relocation import beside, lacking
from schedcheck.cli import main
from schedcheck.report.text.relocation import conclusions
from tests.checker.relocation.test_beside import Document, budget, chasing, node, pod, policy, written

DUPLICATES = policy("RemoveDuplicates")
NO_CLAIMS = "would find no place only because the input has no PersistentVolumeClaims"


def answered(capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    """The exit code, and what was printed, on one line each."""
    code = main([*argv])
    out, err = capsys.readouterr()
    return code, " ".join(out.split()), " ".join(err.split())


def in_json(capsys: pytest.CaptureFixture[str], *argv: str) -> Any:
    main([*argv, "--format", "json", "--quiet"])
    return json.loads(capsys.readouterr().out)


def other(name: str, on: str, cpu: int, **spec: Any) -> Document:
    """A pod of another ReplicaSet, with labels of its own."""
    made = pod(name, on, cpu, "ReplicaSet", **spec)
    made["metadata"]["labels"] = {"app": name}
    made["metadata"]["ownerReferences"][0] |= {"name": name, "uid": name}
    return made


CLAIM = [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]
"""The volumes of a pod whose claim the input lacks: under the profile kubernetes no node takes it."""


def kept(tmp_path: Path, *pods: Document) -> tuple[str, list[str]]:
    """The cluster of these pods, where n2 is too small for a pod of web; and the descheduler that moves duplicates on."""
    nodes = [node("n1", 4), node("n2", 1), node("n3", 4)]
    names = written(tmp_path, [*nodes, *pods], ["descheduler"], DUPLICATES)
    return str(tmp_path / "cluster.yaml"), ["--controllers", names[0]]


def web(*places: str) -> list[Document]:
    return [pod(f"web-{number}", on, 15, "ReplicaSet") for number, on in enumerate(places)]


# Claims that the input lacks.


@pytest.mark.parametrize("controllers", [(), ("--controllers", "kubelet")])
def test_a_pod_that_comes_back_violates_though_another_lacks_its_claim(
    controllers: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    there = [other("db", "n3", 1, volumes=CLAIM), other("tol", "n3", 1, tolerations=[{"operator": "Exists"}])]
    file, _ = kept(tmp_path, *there)
    code, out, _ = answered(capsys, "drain", "n3", file, *controllers)
    assert code == 1 and "tol may be bound to n3 again" in out and "may find no place" not in out
    # Without the pod that comes back the answer is unknown, and names the pod.
    file, _ = kept(tmp_path, there[0])
    code, out, err = answered(capsys, "drain", "n3", file, *controllers)
    assert (code, out) == (2, "") and f"unknown: db {NO_CLAIMS}" in err


def test_a_round_violates_though_a_pod_lacks_its_claim(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, controllers = kept(tmp_path, *web("n1", "n1"), other("db", "n3", 1, volumes=CLAIM))
    code, out, _ = answered(capsys, "drain", "n3", file, *controllers)
    assert code == 1 and "may act on and on" in out and "may find no place" not in out
    assert (
        f"Not decided is whether every pod that leaves the nodes or is moved is bound in the end: db {NO_CLAIMS}."
        in out
    )
    (case,) = in_json(capsys, "drain", "n3", file, *controllers)["cases"]
    assert (case["verdict"], case["ends"], case["placed"], case["rests"]) == (
        "violated",
        "holds",
        "undecided",
        "violated",
    )
    assert [each["property"] for each in case["violations"]] == ["comes_to_rest"]


def test_a_pod_that_is_moved_and_lacks_its_claim_is_unknown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The descheduler moves one of the pods of web, none of which is on the drained node."""
    twins = [pod(f"web-{number}", "n1", 1, "ReplicaSet", volumes=CLAIM) for number in range(2)]
    file, controllers = kept(tmp_path, *twins)
    code, out, err = answered(capsys, "drain", "n3", file, *controllers)
    assert (code, out) == (2, "") and NO_CLAIMS in err.partition("unknown: web-")[2]


def protected(tmp_path: Path, volumes: list[Document]) -> str:
    """Two pods of a budget that lets one go at a time; and node n1 has room for both."""
    pods = [pod(f"web-{number}", "n3", 1, "ReplicaSet", volumes=volumes) for number in range(2)]
    return kept(tmp_path, *pods, budget(1, 2))[0]


@pytest.mark.parametrize("controllers", [(), ("--controllers", "kubelet")])
def test_a_budget_that_waits_for_a_pod_without_its_claim_is_unknown(
    controllers: tuple[str, ...],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert answered(capsys, "drain", "n3", protected(tmp_path, []), *controllers)[0] == 0
    code, out, err = answered(capsys, "drain", "n3", protected(tmp_path, CLAIM), *controllers)
    assert (code, out) == (2, "") and NO_CLAIMS in err
    monkeypatch.setattr(lacking, "_stuck", lambda *given: False)
    code, out, _ = answered(capsys, "drain", "n3", protected(tmp_path, CLAIM), *controllers)
    assert code == 1 and "stays on n3, as web allows no eviction" in out


def test_a_pod_that_fits_nowhere_violates_beside_one_that_lacks_its_claim(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, _ = kept(tmp_path, other("db", "n3", 1, volumes=CLAIM), other("large", "n3", 41), *web("n1"))
    code, out, _ = answered(capsys, "drain", "n3", file)
    assert code == 1 and "1 pod may find no place: large. " in out and f"Not decided: db {NO_CLAIMS}." in out


# Several sets of nodes.


@pytest.mark.parametrize("controllers", [(), ("--controllers", "kubelet")])
def test_a_set_whose_claims_are_lacking_leaves_the_answers_of_the_others(
    controllers: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, _ = kept(tmp_path, other("db", "n2", 1, volumes=CLAIM), other("large", "n3", 41))
    cases = in_json(capsys, "fail", "--each", "kubernetes.io/hostname", file, *controllers)["cases"]
    assert {case["nodes"][0]: case["verdict"] for case in cases} == {"n1": "holds", "n2": "unknown", "n3": "violated"}
    code, out, _ = answered(capsys, "fail", "--any", "1", file, *controllers)
    assert code == 1 and "VIOLATED" in out and "In 1 of 3 sets" in out
    assert "unknown n2 violated n3" in out and "large" in out.partition("VIOLATED")[0]
    known, _ = kept(tmp_path, other("db", "n2", 1, volumes=CLAIM))
    code, out, _ = answered(capsys, "fail", "--any", "1", known, *controllers)
    assert code == 2 and "UNKNOWN" in out and NO_CLAIMS in out and "In 2 of 3 sets" in out


ALL_SETS = "every pod that leaves the nodes or is moved is bound in the end, and all come to rest."


def test_sets_of_nodes_that_all_hold_name_the_controllers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, _ = kept(tmp_path, *web("n1"))
    controllers = ("--controllers", "kubelet")
    code, out, _ = answered(capsys, "fail", "--any", "1", file, *controllers)
    assert code == 0 and "Controllers owners kubelet podgc Assumed nothing happens but what these" in out
    assert "nothing else happens" not in out and f"In 3 of 3 sets {ALL_SETS}" in out
    assert in_json(capsys, "fail", "--any", "1", file, *controllers)["controllers"] == ["owners", "kubelet", "podgc"]
    code, out, _ = answered(capsys, "fail", "--any", "1", file)
    assert code == 0 and "nothing else happens" in out and "In 3 of 3 sets every pod finds another place." in out
    assert in_json(capsys, "fail", "--any", "1", file)["controllers"] == []


def test_a_set_that_fails_by_its_round_alone_is_not_one_without_places(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without n2 the two pods of web are on both nodes that are left, or on the one that has room for a pod more."""
    file, controllers = kept(tmp_path, *web("n1", "n3"))
    found = in_json(capsys, "fail", "--any", "1", file, *controllers)
    assert [(each["nodes"], each["placed"], each["rests"]) for each in found["cases"]] == [
        (["n1"], "holds", "violated"),
        (["n3"], "holds", "violated"),
    ]
    _, out, _ = answered(capsys, "fail", "--any", "1", file, *controllers)
    assert f"In 1 of 3 sets {ALL_SETS}" in out and "finds another place" not in out


# Pods that wait at first.


def test_a_pod_that_waits_at_first_is_named_as_not_asked_about(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    large = other("large", "", 41)
    del large["spec"]["nodeName"]
    large["status"] = {"phase": "Pending"}
    file, _ = kept(tmp_path, *web("n3"), large)
    controllers = ("--controllers", "kubelet")
    code, out, _ = answered(capsys, "drain", "n3", file, *controllers)
    assert code == 0 and "Not asked 1 pod that is on no node at first: large " in out
    assert "Every pod that leaves the nodes or is moved is bound in the end in every behaviour." in out
    (case,) = in_json(capsys, "drain", "n3", file, *controllers)["cases"]
    assert case["notAsked"] == [{"kind": "Pod", "namespace": "default", "name": "large"}]
    file, _ = kept(tmp_path, *web("n3"))
    code, out, _ = answered(capsys, "drain", "n3", file, *controllers)
    assert code == 0 and "Not asked" not in out


# Why a question is open beside a violation.


def test_what_a_violation_leaves_open_has_its_reason(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, _ = kept(tmp_path, other("tol", "n3", 1, tolerations=[{"operator": "Exists"}]))
    _, out, _ = answered(capsys, "drain", "n3", file, "--controllers", "kubelet")
    rest = "Not decided is whether the scheduler and the controllers come to rest"
    assert f"{rest}: the exploration ended with the violation." in out
    (case,) = in_json(capsys, "drain", "n3", file, "--controllers", "kubelet")["cases"]
    assert (case["rests"], case["undecided"]) == ("undecided", "the exploration ended with the violation")


ENDS, PLACED, RESTS = (
    f"Not decided is whether {each}"
    for each in (
        "the drain ends",
        "every pod that leaves the nodes or is moved is bound in the end",
        "the scheduler and the controllers come to rest",
    )
)


@pytest.mark.parametrize(("most", "rests"), [(3, f"{RESTS}: limits.states 3."), (9, "may act on and on")])
def test_what_a_limit_leaves_open_is_told_with_the_limit(
    most: int, rests: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After nine states the round is known, and the other questions are not decided."""
    monkeypatch.setattr(beside, "bad_end", lambda *given: None)
    monkeypatch.setattr(checking, "directed_at", lambda scenario: 6)
    names, cluster = chasing(tmp_path)
    limits = schedcheck.Limits(states=most)
    (case,) = schedcheck.drain(cluster, ["n3"], controllers=names, limits=limits).cases
    said = " ".join(conclusions("drain", case))
    assert f"{ENDS}: limits.states {most}." in said and f"{PLACED}: limits.states {most}." in said and rests in said


def test_a_budget_that_refuses_for_good_says_why_the_rest_is_open(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, _ = kept(tmp_path, *web("n3"), budget(1, 1))
    _, out, _ = answered(capsys, "drain", "n3", file, "--controllers", "kubelet")
    assert "come to rest: nothing was explored, as the drain does not end." in out
