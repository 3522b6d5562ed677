"""The recorded first answer: what the tool prints now, without a path or an address; and the recorder in a tiny terminal"""

import os
import re
from pathlib import Path

import pytest

from docs import first_answer
from docs.first_answer import NotShown, cast, commands, read, recorded, refuse_private, shown_in, still
from docs.outputs import printed
from schedcheck.version import __version__

WHEEL = f"schedcheck-{__version__}-py3-none-any.whl"


def plain(text: str) -> str:
    """The text without styles, and without blanks at the ends of lines."""
    return "\n".join(line.rstrip() for line in re.sub(r"\x1b\[[0-9;]*m", "", text).split("\n"))


def test_the_recording_shows_what_the_tool_prints_now(
    monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.chdir(request.config.rootpath)
    monkeypatch.setenv("COLUMNS", "80")
    head, events = read(first_answer.CAST.read_text(encoding="utf-8"))
    shown = plain(shown_in(events))
    install, explain = commands(WHEEL)
    assert re.findall(r"^\$ (.+)$", shown, re.MULTILINE) == [install, explain]
    code, now = printed(explain.replace("cluster.json", "examples/dump/cluster.json"))
    assert code == 0
    assert shown.endswith(f"\n{now}\n$")
    assert head["version"] == 2
    times = [at for at, _ in events]
    assert times == sorted(times) and times[0] == 0


def test_the_recording_names_nothing_of_a_machine() -> None:
    _, events = read(first_answer.CAST.read_text(encoding="utf-8"))
    refuse_private("".join(text for _, text in events), Path("/nowhere"))


def test_the_still_is_that_of_the_recording_and_loads_nothing() -> None:
    _, events = read(first_answer.CAST.read_text(encoding="utf-8"))
    drawn = first_answer.STILL.read_text(encoding="utf-8")
    assert drawn == still(events)
    assert re.findall(r"[a-z]+://[^\"]+", drawn) == ["http://www.w3.org/2000/svg"]
    assert "url(" not in drawn.replace("url(#", "")


def test_a_recording_in_a_tiny_terminal_is_read_back(tmp_path: Path) -> None:
    events = recorded(["printf 'a\\nb\\n'", "test -t 1 && echo yes"], tmp_path, os.environ["PATH"])
    assert plain(shown_in(events)) == "$ printf 'a\\nb\\n'\na\nb\n$ test -t 1 && echo yes\nyes\n$"
    head, again = read(cast(events, 1.25))
    assert [text for _, text in again] == [text for _, text in events]
    assert (head["version"], head["width"], head["processor"]) == (2, 80, 1.2)


@pytest.mark.parametrize("command", ["pwd", "echo https:/" + "/example.org", "false"])
def test_a_path_an_address_or_a_failure_is_refused(command: str, tmp_path: Path) -> None:
    with pytest.raises(NotShown):
        recorded([command], tmp_path, os.environ["PATH"])


def test_a_line_that_was_begun_again_shows_what_came_last() -> None:
    assert shown_in([(0, "\r\x1b[2Kreading"), (1, "\r\x1b[2K"), (2, "done\r\n")]) == "done\n"


def test_the_readme_says_the_seconds_of_the_recording(request: pytest.FixtureRequest) -> None:
    _, events = read(first_answer.CAST.read_text(encoding="utf-8"))
    readme = (request.config.rootpath / "README.md").read_text(encoding="utf-8")
    assert f"The first answer takes {events[-1][0]:.0f} seconds" in readme
    assert events[-1][0] < 60
