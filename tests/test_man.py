"""The manual page is that of the present options, has every command, and man shows it"""

import shutil
import subprocess

import pytest

from docs.man import PAGE, page
from schedcheck.commands.application import LIMITED, OTHERS


def test_the_manual_page_is_that_of_now() -> None:
    assert PAGE.read_text(encoding="utf-8") == page()


def test_it_has_every_command() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [name for name in (*LIMITED, *OTHERS) if f".B {name}" not in text and name not in text] == []
    assert text.startswith((".", "'")) and '.TH "SCHEDCHECK" "1"' in text


def test_man_shows_it_without_an_error() -> None:
    if shutil.which("groff") is None:
        pytest.skip("no groff here")
    done = subprocess.run(["groff", "-Kutf8", "-man", "-Tutf8", str(PAGE)], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "Explore every state" in " ".join(done.stdout.split())
    assert done.stderr == ""
