"""The comparison with the live witness, without Go: recorded answers agree, planted differences are found and made small"""

import gzip
import json
import shutil
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from tests.live.__main__ import SOURCES, alike, digest_of, kept_results, main
from tests.live.building import binary, up_to_date
from tests.live.comparing import examined
from tests.live.drawn import FAMILIES, QUICK, STRATEGIES, cases
from tests.live.recording import OF_RECORDED, settled
from tests.live.recording import recorded as answered
from tests.live.running import Chunk, Result, chunks, contents, found
from tests.live.shrinking import smaller
from tests.live.stub import Stub
from tests.live.versions import KNOWN
from tests.live.witness import Gone, Program, Witness, plain

Json = dict[str, Any]
RECORDED = Path(__file__).parents[1] / "data" / "conformance"
EACH = 6


def recorded(family: str, number: int) -> list[Json]:
    with gzip.open(RECORDED / f"{family}.jsonl.gz", "rt") as lines:
        return [json.loads(next(lines)) for _ in range(number)]


@pytest.mark.parametrize("family", ["affinity", "interpod", "mixed", "preemption", "spread"])
def test_recorded_answers_agree_with_specification_and_production(family: str) -> None:
    for each in recorded(family, EACH):
        result = examined(each["case"], each["expected"], "1.34.1")
        assert result.differences == (), each["id"]
        assert result.values > 10


CHANGES = {
    "specification": lambda said: next(iter(said["nodes"].values())).update(first={"code": "Error", "reasons": ["x"]}),
    "production": lambda said: said["decision"].update(hosts=["elsewhere"]),
}


@pytest.mark.parametrize("who", CHANGES)
def test_a_changed_answer_differs_from_each_of_them(who: str) -> None:
    each = recorded("mixed", 1)[0]
    CHANGES[who](each["expected"])
    assert who in {each.who for each in examined(each["case"], each["expected"], "1.34.1").differences}


@pytest.mark.parametrize("family", FAMILIES)
def test_the_same_seed_draws_the_same_cases(family: str) -> None:
    assert list(cases(family, 3, 4)) == list(cases(family, 3, 4))
    assert len(list(cases(family, 3, 4))) == 4


def test_a_stub_of_the_specification_differs_in_nothing() -> None:
    for each in cases("contests", 1, 10):
        values, why, differences = found(each.content, Stub(), "1.34.1")  # type: ignore[arg-type]
        assert (why, differences) == ("", ())
        assert values > 5


def test_a_planted_difference_is_made_small() -> None:
    stub = Stub("cordon")
    case = next(each for each in cases("questions", 1, 60) if found(each.content, stub, "1.34.1")[2])  # type: ignore[arg-type]
    kind = found(case.content, stub, "1.34.1")[2][0].kind  # type: ignore[arg-type]
    small = smaller(case.content, alike(kind, stub, "1.34.1"))  # type: ignore[arg-type]
    assert kind == ("specification", "nodes.first", "NodeUnschedulable")
    assert small["pods"] == []
    assert [each["spec"] for each in small["nodes"]] == [{"unschedulable": True}]
    assert set(small) <= {"nodes", "pods", "pod"}
    assert len(json.dumps(small)) < 400


def test_smaller_leaves_out_every_object_and_field_that_is_not_needed() -> None:
    case = {
        "nodes": [{"a": 1, "b": {"c": [1, 2, 3], "d": 4}}, {"a": 2}],
        "pods": [{"x": 1}],
        "pdbs": [{}],
        "pod": {"y": 1},
    }
    needed = smaller(case, lambda made: any(3 in each.get("b", {}).get("c", ()) for each in made["nodes"]))
    assert needed == {"nodes": [{"b": {"c": [3]}}], "pods": [], "pod": {}}


def test_smaller_stops_at_its_limits() -> None:
    case = {"nodes": [{"a": number} for number in range(40)], "pods": [], "pod": {}}
    assert smaller(case, lambda _: True, most=0) == case
    assert smaller(case, lambda _: True, seconds=-1.0) == case


def test_results_are_kept_and_an_unfinished_line_is_left_out(tmp_path: Path) -> None:
    kept = Result(Chunk("stored", 4), 3, 40, 1, ("why",), ((2, ("specification", "feasible", ""), "text"),))
    file = tmp_path / "1.34.1.jsonl"
    file.write_text(json.dumps(kept.as_json()) + '\n{"chunk": {"fam')
    assert kept_results(file) == {kept.chunk: kept}


def test_chunks_of_a_longer_run_begin_with_those_of_a_shorter_one() -> None:
    short, long = (list(chunks(each, 7)) for each in (5_000, 15_000))
    assert long[: len(short)] == short
    assert sum(each.size for each in long) == 15_000
    assert len(set(long)) == len(long)


def test_each_family_has_its_share_of_a_short_run() -> None:
    of_family = {each.family: each.size for each in chunks(500, 7)}
    assert of_family == {**dict.fromkeys(STRATEGIES, 5), **dict.fromkeys(QUICK, 150)}


@pytest.mark.parametrize("family", QUICK)
def test_what_the_api_demands_is_in_quick_cases(family: str) -> None:
    for each in cases(family, 8, 150):
        for pod in (*each.content["pods"], each.content["pod"]):
            assert all(owner["uid"] for owner in pod["metadata"].get("ownerReferences", ()))
            for toleration in pod["spec"].get("tolerations", ()):
                assert toleration.get("effect") == "NoExecute" or "tolerationSeconds" not in toleration
        for volume in each.content.get("persistentVolumes", ()):
            assert ("csi" in volume["spec"]) or "volumeAttributesClassName" not in volume["spec"]
            assert volume["spec"].get("csi", {"volumeHandle": "h"})["volumeHandle"]
        assert ("configuration" in each.content) == (family == "quickly configured")


def test_cases_that_are_kept_are_those_that_are_drawn(tmp_path: Path) -> None:
    for family in FAMILIES:
        chunk = Chunk(family, 5, 4)
        drawn = contents(chunk, None)
        assert contents(chunk, tmp_path / "drawn") == contents(chunk, tmp_path / "drawn") == drawn
        assert len(drawn) == 4
    assert len(list((tmp_path / "drawn").iterdir())) == len(FAMILIES)


def test_cases_that_are_kept_are_not_drawn_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = contents(Chunk("contests", 5, 4), tmp_path)
    monkeypatch.setattr("tests.live.running.cases", lambda *_: [])
    assert contents(Chunk("contests", 5, 4), tmp_path) == before
    assert contents(Chunk("contests", 6, 4), tmp_path) == []


def test_a_case_without_nodes_is_compared() -> None:
    case = {"pods": [], "pod": {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}}}
    answer = {"decision": {"kind": "unschedulable", "mode": "", "hosts": []}, "real": {"message": "no nodes"}}
    said = examined(case, answer, "1.37.2")
    assert said.unknown == ""
    assert any(each.witness == "no nodes" for each in said.differences)


def test_an_interrupt_ends_with_status_2_and_without_a_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tests.live.__main__.results", interrupted)
    assert main(["--version", "1.34.1", "--witness", "none", "--count", "10", "--kept", str(tmp_path)]) == 2
    assert capsys.readouterr().err == "interrupted; the same command goes on from here\n"


def test_a_program_that_ends_is_named_and_started_again() -> None:
    text = "import sys, json\nfor line in sys.stdin:\n  if 'end' in line: sys.exit('broken')\n  print(line.strip(), flush=True)"
    program = Program([sys.executable, "-c", text])
    assert program.ask({"a": 1}) == {"a": 1}
    with pytest.raises(Gone, match="broken"):
        program.ask({"end": 1})
    assert program.ask({"b": 2}) == {"b": 2}
    program.close()


def test_null_fields_are_left_out_of_what_is_stored() -> None:
    assert plain({"a": None, "b": [{"c": None, "d": 0}], "e": ""}) == {"b": [{"d": 0}], "e": ""}


@pytest.mark.slow
def test_a_run_finds_a_planted_difference_and_continues_after_an_interrupt(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = [
        "--version",
        "1.34.1",
        "--count",
        "300",
        "--seed",
        "1",
        "--jobs",
        "1",
        "--shrunk",
        "1",
        "--kept",
        str(tmp_path),
    ]
    witness = ["--witness", f"{sys.executable} -m tests.live.stub cordon"]
    assert main([*run, *witness]) == 1
    first = capsys.readouterr().out
    assert "differs: specification, nodes.first (NodeUnschedulable): 1 objects beside the pod" in first
    folder = tmp_path / "1.34.1-specification-nodes-first-NodeUnschedulable"
    assert main(["--version", "1.34.1", "--case", str(folder / "case.json"), *witness]) == 1
    assert "NodeUnschedulable" in capsys.readouterr().out
    assert main([*run, *witness]) == 1
    again = capsys.readouterr().out
    assert f"{len(FAMILIES)} chunks, {len(FAMILIES)} of them known" in again
    assert f"kept before in {folder}" in again


def test_without_go_the_run_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tests.live.building.up_to_date", lambda _: False)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert main(["--version", "1.36"]) == 3
    assert "there is no go on the path" in capsys.readouterr().err


@pytest.mark.parametrize("version", KNOWN)
def test_the_built_witness_gives_the_recorded_answers(version: str) -> None:
    if not up_to_date(version):
        pytest.skip(f"the live witness of {version} is not built: make live VERSION={version}")
    with Witness([str(binary(version))]) as witness:
        for family in (*STRATEGIES, *OF_RECORDED):
            for case, expected in islice(answered(version, family), EACH):
                said = settled(witness.answer(case))
                assert "selfCheck" not in said
                assert said == expected, expected["id"]


def test_the_digest_of_sources_changes_with_their_text_and_their_names_alone(tmp_path: Path) -> None:
    folder = tmp_path / "spec"
    folder.mkdir()
    (folder / "a.py").write_text("one")
    first = digest_of(folder)
    (folder / "a.pyc").write_text("cached")
    assert digest_of(folder) == first
    (folder / "a.py").write_text("two")
    second = digest_of(folder)
    (folder / "a.py").rename(folder / "b.py")
    assert len({first, second, digest_of(folder)}) == 3


def test_the_sources_of_the_specification_and_of_the_witness_are_in_the_digest() -> None:
    assert {"spec", "model", "schedcheck", "kube-scheduler", "live"} <= {each.name for each in SOURCES}
    assert all(each.is_dir() for each in SOURCES)


def test_a_witness_that_tells_more_than_a_pipe_holds_is_answered() -> None:
    code = "import sys\nfor _ in sys.stdin:\n    sys.stderr.write('x' * 2**20)\n    print('{}', flush=True)"
    program = Program([sys.executable, "-c", code])
    assert program.ask({}) == {}
    program.close()


def test_a_witness_that_ends_tells_why() -> None:
    program = Program([sys.executable, "-c", "import sys; sys.exit('it is over')"])
    for _ in range(2):  # asked again, it is started again
        with pytest.raises(Gone, match=r"^it is over$"):
            program.ask({})
    program.close()
