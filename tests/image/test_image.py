"""The container image: what the Dockerfile says, and, where it can be built, what the image does"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from schedcheck.cli import main
from tests.image import __main__ as make_image
from tests.image import building
from tests.image.building import BUILDERS, DEFAULT, ROOT, Builder, CannotBuild, found

INSTRUCTIONS = {"ARG", "FROM", "WORKDIR", "COPY", "RUN", "ENV", "USER", "ENTRYPOINT", "CMD"}


def instructions() -> list[tuple[str, str]]:
    text = re.sub(r"\\\n", " ", (ROOT / "Dockerfile").read_text())
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [(head, rest) for head, _, rest in (line.partition(" ") for line in lines)]


def test_the_image_is_small_and_does_not_run_as_root() -> None:
    given = instructions()
    assert {head for head, _ in given} <= INSTRUCTIONS and given[0] == ("ARG", f"BASE={DEFAULT}")
    assert re.fullmatch(r"python:3\.\d+-slim", DEFAULT)
    bases = [rest.split() for head, rest in given if head == "FROM"]
    assert bases == [["${BASE}", "AS", "build"], ["${BASE}"]]
    last = given[len(given) - 1 - [head for head, _ in reversed(given)].index("FROM") :]
    users = [rest for head, rest in last if head == "USER"]
    assert len(users) == 1 and all(int(each) > 0 for each in users[0].split(":"))
    assert not any(head == "RUN" for head, _ in last), "the image has no layer but the installed files"
    assert [json.loads(rest) for head, rest in last if head in ("ENTRYPOINT", "CMD")] == [["schedcheck"], ["--help"]]
    copies = [rest.split()[0] for head, rest in last if head == "COPY"]
    assert copies == ["--from=build"]
    for head, rest in given:
        if head == "RUN":
            assert subprocess.run(["bash", "-n"], input=rest, text=True, check=False).returncode == 0


def in_context() -> list[str]:
    """The files at the root, and those of docs, that .dockerignore leaves in."""
    rules = (ROOT / ".dockerignore").read_text().splitlines()
    left_out = [re.compile(each.replace(".", r"\.").replace("**", ".+").replace("*", "[^/]*")) for each in rules if each[0] != "!"]  # fmt: skip
    kept = {each[1:] for each in rules if each[0] == "!"}
    names = [each.name for each in ROOT.iterdir()] + [f"docs/{each.name}" for each in (ROOT / "docs").iterdir()]
    return [each for each in names if each in kept or not any(rule.fullmatch(each) for rule in left_out)]


def test_the_image_gets_what_the_package_is_made_of() -> None:
    needed = {
        "schedcheck", "spec", "model", "checker", "tla", "examples", "pyproject.toml", "constraints.txt", "README.md",
        "LICENSE", "MANIFEST.in", "docs/schedcheck.1",
    }  # fmt: skip
    assert 'share/man/man1" = ["docs/schedcheck.1"]' in (ROOT / "pyproject.toml").read_text()
    left_in = set(in_context())
    assert needed <= left_in
    assert not {"tests", ".git", ".venv", "docs/pages.md"} & left_in


def test_without_a_builder_the_run_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert make_image.main([]) == 3
    assert capsys.readouterr().err == "make image: none of docker, podman, buildah answers here\n"


ENTRY = json.dumps({"OCIv1": {"config": {"Entrypoint": ["schedcheck"]}}})
IMAGES = json.dumps([{"size": "481 MB"}])
PLAYED = f"""#!/bin/sh
echo "$@" >> "$(dirname "$0")/calls"
case "$1" in
  inspect) [ "$4" != absent ] && echo '{ENTRY}' ;;
  images) echo '{IMAGES}' ;;
  from) echo working ;;
  pull) exit 125 ;;
esac
"""


def test_the_run_builds_tries_and_measures(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """With a program that only notes how it is called."""
    (tmp_path / "buildah").write_text(PLAYED)
    (tmp_path / "buildah").chmod(0o755)
    monkeypatch.setattr(building, "BUILDERS", ("buildah",))
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    assert make_image.main(["--base", "mine"]) == 0
    assert "481 MB" in capsys.readouterr().out
    calls = (tmp_path / "calls").read_text().splitlines()
    (built,) = (each for each in calls if each.startswith("build "))
    assert "--build-arg BASE=mine -t schedcheck ." in built
    mounted = f"-v {ROOT}/examples:/work:ro"
    assert f"run --network=none {mounted} working -- schedcheck explain batch/import-6xhfs dump" in calls
    assert calls[-1] == "rm working"
    assert make_image.main(["--base", "absent"]) == 3
    assert capsys.readouterr().err == "make image: buildah has no image absent and can pull none\n"


@pytest.fixture(scope="module")
def builder() -> Builder:
    """Return a builder that has built the image; else the reason of the skip says what is missing."""
    base = os.environ.get("BASE", DEFAULT)
    try:
        program = found()
        program.get(base)
        program.build(base, "schedcheck-test")
    except CannotBuild as error:
        if "has no image" in str(error) or str(error).startswith("none of"):
            pytest.skip(f"{error}: make image says what is needed")
        raise
    return program


def timeless(text: str) -> str:
    """Without the seconds of a search and the states of each of them."""
    return re.sub(r"[\d.]+ s, [\d,]+ generated states a second", "", text)


@pytest.mark.slow
def test_the_image_answers_as_the_command_does(builder: Builder, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    monkeypatch.chdir(ROOT / "examples")
    for given in (["explain", "batch/import-6xhfs", "dump"], ["lint", "lint"], ["check", "budget-broken"], ["lint", "none"]):  # fmt: skip
        code = main(given)
        done = builder.run("schedcheck-test", ROOT / "examples", given)
        assert done.returncode == code, done.stderr
        assert timeless(done.stdout) == timeless(capsys.readouterr().out)


@pytest.mark.slow
def test_the_image_runs_as_a_user_without_rights(builder: Builder) -> None:
    script = "id -u; touch /opt/schedcheck/x /work/x 2>/dev/null || echo refused; command -v pip || echo no pip"
    assert builder.as_user("schedcheck-test", script).split("\n")[:3] == ["65532", "refused", "no pip"]


@pytest.mark.slow
def test_the_image_is_below_600_megabytes(builder: Builder) -> None:
    assert builder.size("schedcheck-test") < 600


def test_a_builder_that_does_not_answer_is_not_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for each in BUILDERS:
        (tmp_path / each).write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / each).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with pytest.raises(CannotBuild, match="answers here"):
        found()
