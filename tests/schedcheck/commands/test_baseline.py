"""`lint --baseline` and `--write-baseline`: known findings fail no more, new ones do, and gone ones are told"""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from schedcheck.checker.limits.timer import LimitReached
from schedcheck.cli import main
from schedcheck.findings import rules
from schedcheck.findings.baseline import Known, compared, identity
from schedcheck.findings.finding import Finding, Severity, Thing
from tests.support.linting import Manifest, deployment, guard, host, waiting

BAD = guard(minAvailable=1)


def written(file: Path, *manifests: Manifest, before: str = "") -> str:
    file.write_text(before + yaml.safe_dump_all(manifests))
    return str(file)


def claiming(*names: str) -> Manifest:
    return waiting(volumes=[{"name": each, "persistentVolumeClaim": {"claimName": each}} for each in names])


CLAIM = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "there", "namespace": "default"},
    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "volumeName": "v"},
    "status": {"phase": "Bound"},
}


def test_known_findings_do_not_fail_wherever_they_have_moved(tmp_path: Path) -> None:
    known = str(tmp_path / "baseline.json")
    file = written(tmp_path / "a.yaml", deployment(), host("a"), BAD)
    assert main(["lint", file]) == 1
    assert main(["lint", file, "--write-baseline", known]) == 0
    assert main(["lint", file, "--baseline", known]) == 0
    moved = written(tmp_path / "b.yaml", BAD, host("a"), deployment(), before="# moved\n\n")
    assert main(["lint", moved, "--baseline", known]) == 0
    more = deployment()
    more["spec"]["replicas"] = 1 + more["spec"].get("replicas", 1)
    stricter = guard(minAvailable=more["spec"]["replicas"])
    assert main(["lint", written(tmp_path / "c.yaml", more, host("a"), stricter), "--baseline", known]) == 0


def test_a_new_finding_fails_beside_the_known_ones(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    known = str(tmp_path / "baseline.json")
    file = written(tmp_path / "a.yaml", claiming("one"), CLAIM, host("a"))
    main(["lint", file, "--write-baseline", known])
    capsys.readouterr()
    other = written(tmp_path / "b.yaml", claiming("one", "two"), CLAIM, host("a"))
    assert main(["lint", other, "--baseline", known]) == 1
    out = capsys.readouterr().out
    assert "default/two does not exist" in " ".join(out.split()) and "default/one" not in out
    replaced = written(tmp_path / "c.yaml", claiming("two"), CLAIM, host("a"))
    assert main(["lint", replaced, "--baseline", known]) == 1
    assert "1 gone" in capsys.readouterr().out


def test_findings_that_have_gone_are_told_unless_they_were_not_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known = str(tmp_path / "baseline.json")
    main(["lint", written(tmp_path / "a.yaml", deployment(), host("a"), BAD), "--write-baseline", known])
    capsys.readouterr()
    fine = written(tmp_path / "b.yaml", deployment(), host("a"))
    gone = "gone  error  PodDisruptionBudget"
    for more, told in (((), True), (("--ignore", "budget-blocks-drain"), False), (("-l", "app=web"), False)):
        assert main(["lint", fine, "--baseline", known, *more]) == 0
        assert (gone in capsys.readouterr().out) is told
    assert main(["lint", fine, "--baseline", known, "--format", "json"]) == 0
    told_json = json.loads(capsys.readouterr().out)["baseline"]
    assert [each["rule"] for each in told_json["gone"]] == ["budget-blocks-drain"] and told_json["known"] == []
    assert main(["lint", fine, "--baseline", known, "--format", "sarif"]) == 0
    (result,) = json.loads(capsys.readouterr().out)["runs"][0]["results"]
    assert (result["ruleId"], result["baselineState"]) == ("budget-blocks-drain", "absent")


def test_what_is_unknown_stays_so_beside_a_baseline(tmp_path: Path) -> None:
    known = str(tmp_path / "baseline.json")
    open_ = waiting(resourceClaims=[{"name": "gpu", "resourceClaimName": "gpu"}])
    file = written(tmp_path / "a.yaml", open_, host("a"))
    assert main(["lint", file, "--write-baseline", known]) == 2
    assert main(["lint", file, "--baseline", known]) == 2


def test_no_baseline_is_written_if_a_limit_left_rules_unasked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def ended(*_: object) -> Any:
        yield from ()
        raise LimitReached("time")

    monkeypatch.setattr("schedcheck.api.lint.findings", ended)
    assert rules.RULES
    known = tmp_path / "baseline.json"
    file = written(tmp_path / "a.yaml", deployment(), host("a"))
    assert main(["lint", file, "--write-baseline", str(known)]) == 2
    assert not known.exists() and "not written" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "expected a baseline"),
        ("[]", "expected a baseline of format 1"),
        ('{"baseline": 2, "findings": []}', "expected a baseline of format 1"),
        ('{"baseline": 1, "findings": [{"rule": "x"}]}', "findings[0]"),
    ],
)
def test_another_file_is_no_baseline(text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    known = tmp_path / "baseline.json"
    known.write_text(text)
    file = written(tmp_path / "a.yaml", deployment(), host("a"))
    assert main(["lint", file, "--baseline", str(known)]) == 3
    assert said in capsys.readouterr().err
    assert main(["lint", file, "--baseline", str(tmp_path / "none.json")]) == 3
    assert main(["lint", file, "--baseline", str(known), "--write-baseline", str(known)]) == 0
    assert main(["lint", file, "--baseline", str(known)]) == 0


def found(severity: Severity = Severity.WARNING, sentence: str = "s", detail: str = "") -> Finding:
    return Finding("r", severity, Thing("Pod", "a", "b"), "spec", sentence, detail=detail)


def test_as_many_equal_findings_are_known_as_the_baseline_has() -> None:
    one = found(sentence="1 of 3")
    baseline = [identity(one)]
    assert compared([found(sentence="2 of 3")], baseline) == ((), (found(sentence="2 of 3"),), ())
    new, old, gone = compared([one, one], baseline)
    assert (len(new), len(old), gone) == (1, 1, ())
    assert compared([found(Severity.ERROR)], baseline)[0] == (found(Severity.ERROR),)
    assert compared([found(detail="x")], baseline)[2] == (Known("r", "warning", "Pod", "a", "b", "spec", ""),)
