"""JUnit, SARIF and GitHub annotations of small reports, read back by parsers of their own"""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from schedcheck.manifests.spots import Place
from schedcheck.report.ci.case import Case, Level, Report, Told
from schedcheck.report.ci.github import annotations
from schedcheck.report.ci.junit import junit
from schedcheck.report.ci.sarif import sarif

ODD = "100% of a, b: c::d\r\nsecond \x07 line <&>\"'"


def told(level: Level, *, known: bool | None = None, rule: str = "r", place: Place | None = None) -> Told:
    return Told(rule, level, "Pod a/b", ODD, "- fact", place, f"{rule} {level}", known)


def report(*of: Told, strict: bool = False, gone: tuple[Told, ...] = ()) -> Report:
    failing = frozenset({Level.ERROR, Level.WARNING} if strict else {Level.ERROR})
    cases = (Case("r", "what r finds", of, page="docs/lint.md"), Case("left-out", "x", skipped="--ignore"))
    return Report("lint", cases, 1, "1 error", failing, gone)


def case_of(made: Report) -> ElementTree.Element:
    suite = ElementTree.fromstring(junit(made)).find("testsuite")
    assert suite is not None
    counts = {name: len(suite.findall(f"testcase/{tag}")) for name, tag in
              (("failures", "failure"), ("errors", "error"), ("skipped", "skipped"))}  # fmt: skip
    assert {name: int(suite.attrib[name]) for name in counts} == counts
    assert int(suite.attrib["tests"]) == len(suite.findall("testcase")) == 2
    return suite.findall("testcase")[0]


@pytest.mark.parametrize(
    ("levels", "strict", "tags"),
    [
        ((), False, []),
        ((Level.ERROR,), False, ["failure"]),
        ((Level.WARNING,), False, ["system-out"]),
        ((Level.WARNING,), True, ["failure"]),
        ((Level.NOTE,), True, ["system-out"]),
        ((Level.UNKNOWN,), False, ["error"]),
        ((Level.UNKNOWN, Level.ERROR), False, ["failure"]),
        ((Level.ERROR, Level.NOTE), False, ["failure", "system-out"]),
    ],
)
def test_a_case_of_junit_passes_only_where_nothing_fails_and_nothing_is_unknown(
    levels: tuple[Level, ...], strict: bool, tags: list[str]
) -> None:
    found = case_of(report(*map(told, levels), strict=strict))
    assert [each.tag for each in found] == tags


def test_a_known_statement_fails_no_case_and_is_no_annotation() -> None:
    made = report(told(Level.ERROR, known=True))
    assert [each.tag for each in case_of(made)] == ["system-out"]
    assert annotations(made) == "1 error"


def unescaped(text: str, *, option: bool) -> str:
    """What the runner of GitHub reads, by its description."""
    pairs = {"%25": "%", "%0D": "\r", "%0A": "\n", **({"%3A": ":", "%2C": ","} if option else {})}
    return re.sub("%25|%0D|%0A|%3A|%2C", lambda found: pairs.get(found[0], found[0]), text)


def test_an_annotation_of_github_reads_back() -> None:
    place = Place("a,b:c%.yaml", 7, 3)
    first, last = annotations(report(told(Level.ERROR, place=place))).split("\n")
    assert last == "1 error"
    read = re.fullmatch(r"::(\w+) ([^:]*)::(.*)", first)
    assert read is not None
    options = dict(each.split("=", 1) for each in read[2].split(","))
    assert {key: unescaped(value, option=True) for key, value in options.items()} == {
        "file": "a,b:c%.yaml", "line": "7", "col": "3", "title": "r",
    }  # fmt: skip
    assert read[1] == "error"
    assert unescaped(read[3], option=False) == f"Pod a/b: {ODD}\n- fact"


@pytest.mark.parametrize(
    ("level", "command"),
    [(Level.ERROR, "error"), (Level.WARNING, "warning"), (Level.NOTE, "notice"), (Level.UNKNOWN, "warning")],
)
def test_each_level_has_its_annotation(level: Level, command: str) -> None:
    assert annotations(report(told(level))).startswith(f"::{command} title=")


def test_a_file_is_named_from_the_present_folder_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for given, named in (
        (f"{tmp_path}/a/b.yaml", "a/b.yaml"),
        ("./a/b.yaml", "a/b.yaml"),
        ("/other/b.yaml", "/other/b.yaml"),
    ):
        made = report(replace(told(Level.ERROR), place=Place(given, 3, 1)))
        assert annotations(made).startswith(f"::error file={named},line=3,col=1,")
        (found,) = held(json.loads(sarif(made)))
        uri = found["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert uri.removeprefix("file://") == named


LEVELS = {"none", "note", "warning", "error"}
KINDS = {"pass", "open", "informational", "notApplicable", "review", "fail"}
STATES = {"new", "unchanged", "updated", "absent"}


def held(log: dict[str, Any]) -> list[dict[str, Any]]:
    """The results of a log, held against what SARIF 2.1.0 says of logs, runs, rules, results and regions."""
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] and all(isinstance(each["executionSuccessful"], bool) for each in run["invocations"])
    rules = driver["rules"]
    assert len({each["id"] for each in rules}) == len(rules)
    assert all(each["shortDescription"]["text"] and each["help"]["text"] for each in rules)
    for each in run["results"]:
        assert each["message"]["text"] and each["kind"] in KINDS and each["level"] in LEVELS
        assert (each["level"] == "none") is (each["kind"] != "fail")
        assert each.get("baselineState", "new") in STATES
        if "ruleIndex" in each:
            assert rules[each["ruleIndex"]]["id"] == each["ruleId"]
        for location in each["locations"]:
            physical = location["physicalLocation"]
            region, artifact = physical["region"], physical["artifactLocation"]
            assert region["startLine"] >= 1 and region["startColumn"] >= 1
            assert re.fullmatch(r"(?:file:///)?[A-Za-z0-9\-._~!$&'()*+,;=:@/%]*", artifact["uri"])
            if "uriBaseId" in artifact:
                assert artifact["uriBaseId"] in run["originalUriBaseIds"] and not artifact["uri"].startswith("/")
        assert all(isinstance(value, str) for value in each["partialFingerprints"].values())
    states = [each.get("baselineState") for each in run["results"]]
    assert None not in states or set(states) == {None}, "baselineState is in all results or in none"
    return list(run["results"])


def test_a_log_of_sarif_keeps_what_sarif_requires() -> None:
    relative, absolute = Place("dir/a b.yaml", 2, 1), Place("/dir/é.yaml", 3, 4)
    made = report(told(Level.ERROR, place=relative), told(Level.NOTE, place=absolute), told(Level.UNKNOWN))
    found = held(json.loads(sarif(made)))
    assert [(each["kind"], each["level"]) for each in found] == [("fail", "error"), ("fail", "note"), ("open", "none")]
    uris = [at["physicalLocation"]["artifactLocation"]["uri"] for each in found for at in each["locations"]]
    assert uris == ["dir/a%20b.yaml", "file:///dir/%C3%A9.yaml"]


def test_beside_a_baseline_results_are_new_unchanged_or_absent() -> None:
    gone = told(Level.ERROR, known=True, rule="gone")
    made = report(
        told(Level.ERROR, known=False), told(Level.NOTE, known=True), told(Level.UNKNOWN, known=False), gone=(gone,)
    )
    found = held(json.loads(sarif(made)))
    assert [each["baselineState"] for each in found] == ["new", "unchanged", "new", "absent"]
