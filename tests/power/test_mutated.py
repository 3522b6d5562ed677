"""A mutant is put in at import alone; what is found with it, and not without, counts"""

from pathlib import Path
from typing import Any

import pytest

from tests.checker.differential.search.parts import PARTS
from tests.mutants.enumeration import Mutant, files
from tests.power import mutated
from tests.power.mutant import AT_IMPORT, TOO_LONG

FILE = "model/production/plugins/node_unschedulable.py"
REJECTS = "cordoned.astype(np.int8) * UNRESOLVED"


def put_in(old: str, new: str, seconds: float = 8.0, parts: tuple[str, ...] = ()) -> mutated.Told:
    """Return what is found with this change of one plugin."""
    text = (mutated.ROOT / FILE).read_text("utf-8")
    assert text.count(old) == 1
    return mutated.searched(Mutant(FILE, "", 0, (1, 0), "", old), text.replace(old, new), seconds, 3, parts)


def test_a_plugin_that_rejects_nothing_is_found() -> None:
    told = put_in(REJECTS, "cordoned.astype(np.int8) * 0")
    assert told["how"].partition(" 3 ")[0] == told["case"][0]


def test_one_kind_alone_finds_a_mutant() -> None:
    assert put_in(REJECTS, "cordoned.astype(np.int8) * 0", parts=("clusters",))["case"][0] == "clusters"


def test_nothing_is_found_of_a_change_without_an_effect() -> None:
    told = put_in(REJECTS, f"1 * {REJECTS}", 0.5)
    assert (told["how"], told["case"]) == ("", None) and told["cases"] > 0


def test_a_change_that_breaks_the_import_is_left_out() -> None:
    assert mutated.at_import(put_in("looks_at_no_pods = True", "looks_at_no_pods = 1 // 0"))


def test_a_case_that_does_not_end_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mutated, "GRACE", 1.0)
    told = put_in(
        "        if not nodes.table.unschedulable.any()",
        "        while True: pass\n        if not nodes.table.unschedulable.any()",
        0.2,
    )
    assert told["how"] == TOO_LONG


def test_a_case_that_differs_without_the_mutant_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mutated, "without", lambda part, start: True)
    told = put_in(REJECTS, "cordoned.astype(np.int8) * 0")
    assert told["how"] == "" and told["also"].startswith(told["case"][0])


def test_the_report_counts_by_package_and_lists_what_is_not_found() -> None:
    changed = "looks_at_no_pods = True"
    texts = files(mutated.ROOT, [mutated.MUTATED])
    line = 1 + texts[FILE].splitlines().index(f"    {changed}")
    lost = Mutant(FILE, "ReplaceTrueWithFalse", 0, (line, 0), "NodeUnschedulable", changed)
    there = Mutant("model/production/cache/cache.py", "AddNot", 0, (1, 0), "", "")
    results: list[dict[str, Any]] = [{"how": ""}, {"how": "small 1 2: x"}, {"how": f"{AT_IMPORT}: x"}]
    made = texts[FILE].replace(changed, "looks_at_no_pods = False")
    assert mutated.report([(lost, made), (there, ""), (there, "")], results, texts).splitlines() == [
        "model/production/cache: 1 of 1",
        "model/production/plugins: 0 of 1",
        "",
        "not found:",
        f"  {FILE}:{line} NodeUnschedulable ReplaceTrueWithFalse",
        "    - looks_at_no_pods = True",
        "    + looks_at_no_pods = False",
        "",
        "1 of 2 found; 1 left out, which break the import",
    ]


def test_a_mutant_that_was_tried_is_not_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def searched(mutant: Mutant, *_: Any) -> dict[str, Any]:
        calls.append(mutant.file)
        return {"how": ""}

    monkeypatch.setattr(mutated, "searched", searched)
    some = [(Mutant(FILE, "AddNot", number, (1, 0), "", ""), "") for number in range(3)]
    record = tmp_path / "kept.json"
    assert mutated.tried(some, 1.0, 0, 2, record) == mutated.tried(some, 1.0, 0, 1, record)
    assert calls == [FILE] * 3


def test_the_command_prints_what_was_found_and_keeps_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (mutated.ROOT / FILE).read_text("utf-8")
    one = Mutant(FILE, "AddNot", 0, (1, 0), "", REJECTS), text.replace(REJECTS, "cordoned.astype(np.int8) * 0")
    monkeypatch.setattr(mutated, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(mutated, "chosen", lambda size, seed: [one] * size)
    assert mutated.main(["--size", "1", "--seconds", "8", "--seed", "3", "--jobs", "1"]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "1 of 1 found; 0 left out, which break the import"
    assert len(list((tmp_path / "kept").glob("mutated-*-3-8.json"))) == 1


def test_only_some_mutants_are_tried_with_some_kinds_for_their_part_of_the_seconds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    calls: list[Any] = []

    def searched(mutant: Mutant, made: str, seconds: float, seed: int, parts: tuple[str, ...]) -> dict[str, Any]:
        calls.append((mutant.start, seconds, seed, parts))
        return {"how": ""}

    some = [(Mutant(FILE, "AddNot", number, (10 + number, 0), "", ""), "") for number in range(3)]
    monkeypatch.setattr(mutated, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(mutated, "chosen", lambda size, seed: some)
    monkeypatch.setattr(mutated, "searched", searched)
    monkeypatch.setattr(mutated, "told", lambda *_: "")
    parts = ["small", "small zones"]
    whole = sum(each.share for each in PARTS.values())
    given = ["--only", "node_unschedulable.py:11", "--parts", *parts, "--seconds", "100"]
    assert mutated.main(given) == 0
    ((start, seconds, seed, kinds),) = calls
    assert (start, seed, list(kinds)) == ((11, 0), 1, parts)
    assert seconds == pytest.approx(100 * (PARTS["small"].share + PARTS["small zones"].share) / whole)
    assert capsys.readouterr().out.splitlines()[-1].startswith("0 of 1 found")
    assert len(list((tmp_path / "kept").glob("mutated-*-1-100-small-small_zones.json"))) == 1
